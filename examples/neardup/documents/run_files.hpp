// The files that tasks on many machines exchange: the features of parts, counts of features, scattered sets, and pairs
// of documents; or the texts of parts, repeated anchors, scattered passages, and repeated passages
// (docs/many-machines.md).
#pragma once

#include <initializer_list>
#include <memory>
#include <neardup/sets/shuffle.hpp>
#include <neardup/storage/composition.hpp>
#include <neardup/storage/index_view.hpp>
#include <optional>

#include "../describe/settings.hpp"
#include "columns.hpp"

namespace command {

/// The lowest `record_bits` bits of an id are the number of a document in its part. The higher bits number the part.
inline constexpr int record_bits = 40;
inline constexpr std::uint64_t max_part = (std::uint64_t{1} << (64 - record_bits)) - 1;

constexpr std::uint64_t part_of(std::uint64_t id) { return id >> record_bits; }
constexpr std::uint64_t record_of(std::uint64_t id) { return id & ((std::uint64_t{1} << record_bits) - 1); }
constexpr std::uint64_t id_of(std::uint64_t part, std::uint64_t record) { return part << record_bits | record; }

enum class run_file { features, counts, scattered, pairs, texts, anchors, windows, passages, other };

/// Names a kind of file in messages.
const char* name_of(run_file kind);

/// Returns the kind of a file, according to its header and its settings.
/// Throws: input_error if the file is not a file of the library, or is damaged.
run_file kind_of(const std::string& path);

/// Returns the files of kind `kind` among `paths`, and in the folders among `paths`. In folders, skips temporary files,
/// and files of other kinds or programs.
/// Throws: input_error if a path that is not a folder is a file of another kind, or if a file of the library is
/// damaged.
std::vector<std::string> files_of(const std::vector<std::string>& paths, run_file kind);
/// Returns the files of the kinds `kind` and `others`, as files_of() does for one kind.
std::vector<std::string> files_of(const std::vector<std::string>& paths, run_file kind,
                                  std::initializer_list<run_file> others);

/// A part of the corpus, as described in a file of counts.
struct part_facts {
  std::uint64_t number;
  std::uint64_t checksum;             ///< checksum of the part_file, or of the text_part_file
  std::uint64_t documents, features;  ///< for a text_part_file, `features` is the number of bytes of the texts
  friend bool operator==(const part_facts&, const part_facts&) = default;
};

/// The properties of a run that all its tasks share. The file of counts defines the properties. Each later file of the
/// run has a copy, which shows to which run the file belongs.
struct run_plan {
  std::uint64_t counts = 0;  ///< the checksum of the file of counts
  double similarity = 0;
  similarity_measure check = similarity_measure::jaccard;
  neardup::shuffle_payload payload = neardup::shuffle_payload::sets;
  std::uint32_t partitions = 1;
  /// If the run searches for passages, their settings. Such a run ignores similarity, check and payload.
  std::optional<passage_settings> passages;
  std::vector<part_facts> parts;             ///< ascending by number
  neardup::fingerprint_composition made_of;  ///< the composition that made the features

  [[nodiscard]] neardup::shuffle_settings shuffle() const;
  /// Returns the settings for the comparison of two documents of the run.
  [[nodiscard]] comparison_settings comparison() const;
  /// Returns the facts about a part, or null if the run has no such part.
  [[nodiscard]] const part_facts* find(std::uint64_t part) const;
  /// Returns the number of the first document of part `i` of `parts` among the documents of all parts.
  [[nodiscard]] std::uint64_t first_of(std::size_t i) const;
};

/// An attachment file with the documents of a part. Documents without features are left out. The attachments are:
///   0: lines of settings
///   1: for each document, the end of its name in attachment 2, in bytes, as u64
///   2: the names of all documents
///   3: for each document, the end of its features in attachment 4, counted in features, as u64
///   4: the features of all documents, as u64, ascending in each document
///   5, 6: the values of the documents, like the names in 1 and 2, if the part was made with --within or --across
class part_file {
 public:
  using feature = std::uint64_t;

  /// Opens the file. If `reads_all` is false, only the header and the settings are checked.
  /// Throws: input_error if the file is invalid; the message names the file.
  explicit part_file(const std::string& path, bool reads_all = true);

  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
  [[nodiscard]] std::size_t size() const noexcept { return names_.size(); }
  [[nodiscard]] std::string_view name(std::size_t i) const { return names_[i]; }
  /// Returns "within FIELD" or "across FIELD" if the part has the values of a field; otherwise an empty text.
  [[nodiscard]] const std::string& paired() const noexcept { return paired_; }
  /// Returns the value of document i in the field.
  /// Precondition: the part has values.
  [[nodiscard]] std::string_view value(std::size_t i) const { return (*values_)[i]; }
  [[nodiscard]] std::size_t size_of(std::size_t i) const { return features_[i].size(); }
  [[nodiscard]] std::span<const feature> features_of(std::size_t i) const { return features_[i]; }
  [[nodiscard]] std::span<const feature> features() const noexcept { return features_.values(); }
  [[nodiscard]] part_facts facts() const { return {number_, checksum_, size(), features().size()}; }
  [[nodiscard]] const neardup::attachment_file& file() const noexcept { return file_; }

 private:
  neardup::attachment_file file_;
  std::string paired_;
  std::uint64_t number_, checksum_;
  stored_column<char> names_;
  stored_column<feature> features_;
  std::optional<stored_column<char>> values_;
};

/// Writes the names and features of a part. If `paired` is "within FIELD" or "across FIELD", also writes the values.
void save_part(const std::string& path, std::uint64_t number, const neardup::fingerprint_composition& made_of,
               const document_columns<part_file::feature>& columns, const std::string& paired,
               const column<char>& values);

/// The document frequencies of the features, and the plan of the run. Attachment 0 has lines of settings, attachment 1
/// has the parts, and attachment 2 has the bytes of neardup::feature_counts.
struct counts_file {
  explicit counts_file(const std::string& path);

  neardup::attachment_file file;
  run_plan plan;
  neardup::feature_counts<std::uint64_t> counts;  ///< reads the mapped file
};
/// Writes the file of counts. The member plan.counts is ignored.
void save_counts(const std::string& path, const run_plan& plan, const neardup::feature_counts<std::uint64_t>& counts);

/// The texts and the names of a part. Attachment 0 has lines of settings.
struct text_columns {
  column<char> names;               ///< in attachments 1 and 2
  column<std::uint64_t> text_ends;  ///< in attachments 3 and 4: for each text of a document, its end in `bytes`
  std::string bytes;                ///< in attachment 5: all texts

  void add(std::string_view name, const std::vector<std::string>& texts);
};

/// An attachment file with the texts of a part and their anchors. Attachment 6 + p has the blob of
/// neardup::passage_shuffle::scatter_anchors() for partition p, or is empty.
class text_part_file {
 public:
  /// Opens the file. If `reads_all` is false, only the header and the settings are checked.
  /// Throws: input_error if the file is invalid; the message names the file.
  explicit text_part_file(const std::string& path, bool reads_all = true);

  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
  [[nodiscard]] const passage_settings& passages() const noexcept { return passages_; }
  [[nodiscard]] std::uint32_t partitions() const noexcept { return partitions_; }
  [[nodiscard]] std::size_t size() const noexcept { return names_.size(); }
  [[nodiscard]] std::string_view name(std::size_t i) const { return names_[i]; }
  [[nodiscard]] std::vector<std::string_view> texts(std::size_t i) const;
  /// Checks and returns the anchors of a partition.
  /// Throws: input_error if they are damaged.
  [[nodiscard]] std::span<const std::byte> anchors(std::uint32_t partition) const;
  [[nodiscard]] part_facts facts() const { return {number_, checksum_, size(), bytes_.size()}; }
  [[nodiscard]] const neardup::attachment_file& file() const noexcept { return file_; }

 private:
  neardup::attachment_file file_;
  std::uint64_t number_, checksum_;
  passage_settings passages_;
  std::uint32_t partitions_;
  stored_column<char> names_;
  stored_column<std::uint64_t> text_ends_;
  std::string_view bytes_;
};
void save_text_part(const std::string& path, std::uint64_t number, const passage_settings& passages,
                    const text_columns& columns, std::span<const std::vector<std::byte>> anchors);

/// The repeated anchors of all partitions, and the plan of the run. Attachment 0 has lines of settings, attachment 1
/// has the parts, and attachment 2 has the blobs of neardup::passage_shuffle::repeated_anchors(), one after the other.
struct anchors_file {
  explicit anchors_file(const std::string& path);

  neardup::attachment_file file;
  run_plan plan;
  std::span<const std::byte> repeated;
};
/// Writes the file. The member plan.counts is ignored.
void save_anchors(const std::string& path, const run_plan& plan, std::span<const std::byte> repeated);

/// The sets or the passages of a part, scattered to partitions. Attachment 0 has lines of settings, and attachment 1 has
/// the parts. Attachment 2 + p has a blob of neardup::set_scatter or of neardup::passage_shuffle::scatter() for
/// partition p, or is empty.
struct scattered_file {
  /// Opens the file.
  /// Throws: input_error if the header, the settings or the parts are invalid.
  explicit scattered_file(const std::string& path);

  /// Checks and returns the blob of a partition.
  /// Throws: input_error if the blob is damaged.
  [[nodiscard]] std::span<const std::byte> blob(std::uint32_t partition) const;

  neardup::attachment_file file;
  run_plan plan;
  std::uint64_t part;
};
void save_scattered(const std::string& path, const run_plan& plan, const part_facts& part,
                    std::span<const std::vector<std::byte>> blobs);

/// Two near-duplicates, given by their ids. Pairs are sorted by (later, earlier).
struct pair_of_run {
  std::uint64_t later, earlier;
  double similarity;

  [[nodiscard]] bool is_before(const pair_of_run& other) const noexcept {
    return later != other.later ? later < other.later : earlier < other.earlier;
  }
};

/// The pairs of a partition, sorted by (later, earlier). Of documents with equal features, only the first is paired
/// with other documents. Each later copy is paired only with the first. Attachment 0 has lines of settings, attachment
/// 1 has the parts, and attachment 2 has the pairs.
struct pairs_file {
  explicit pairs_file(const std::string& path);

  neardup::attachment_file file;
  run_plan plan;
  std::uint32_t partition;
  std::span<const pair_of_run> pairs;
};
void save_pairs(const std::string& path, const run_plan& plan, std::uint32_t partition,
                std::span<const pair_of_run> pairs);

/// A neardup::passage that is packed into 28 bytes.
struct found_passage {
  std::uint32_t document, field, begin, end, first_document, first_field, first_begin;
};

/// The repeated passages of a partition. Attachment 0 has lines of settings, attachment 1 has the parts, and attachment
/// 2 + i has the passages of part i of the plan.
struct passages_file {
  /// Opens the file.
  /// Throws: input_error if the header, the settings or the parts are invalid.
  explicit passages_file(const std::string& path);

  /// Checks and returns the passages of a part.
  /// Throws: input_error if they are damaged.
  [[nodiscard]] std::span<const found_passage> of_part(std::size_t i) const;

  neardup::attachment_file file;
  run_plan plan;
  std::uint32_t partition;
};
/// Writes passages, which are sorted by document.
void save_passages(const std::string& path, const run_plan& plan, std::uint32_t partition,
                   std::span<const found_passage> passages);

/// Opens the parts of `plan`, which are at `paths`. `plan_from`: the path of the plan, for messages.
/// Throws: input_error if a part is missing, exists twice, or was changed.
template <class Part>
std::vector<std::unique_ptr<Part>> open_parts(const std::vector<std::string>& paths, const run_plan& plan,
                                              const std::string& plan_from, bool reads_all);

/// Opens the results of all partitions, and sorts them by partition. `what`: "pairs" or "passages", for messages.
/// Throws: input_error if the files belong to several runs, or if one is missing or exists twice.
template <class File>
std::vector<std::unique_ptr<File>> open_partitions(const std::vector<std::string>& paths, const std::string& what);

/// Checks that the files at `path` and `first_path` belong to the same run: `plan` and `first` must be equal.
/// Throws: input_error if the plans differ. The message names the first difference.
void check_same_run(const std::string& path, const run_plan& plan, const std::string& first_path,
                    const run_plan& first);

/// Returns true if a file is the unfinished output of a task.
bool is_temporary_file(const std::string& path);

/// Returns the checksum in the header of a file. The checksum depends on all bytes of the file.
std::uint64_t checksum_of_file(const std::string& path);

}  // namespace command
