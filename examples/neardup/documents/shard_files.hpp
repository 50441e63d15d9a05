// The files that tasks on many machines exchange: shards, the files beside them, and pairs of documents between them
// (docs/many-machines.md).
#pragma once

#include <memory>
#include <neardup/storage/attachment_file.hpp>
#include <neardup/storage/composition.hpp>

#include "../describe/settings.hpp"
#include "stored_documents.hpp"

namespace command {

/// An id consists of the number of a shard and, in its lowest 40 bits, the number of a record.
inline constexpr int record_bits = 40;
inline constexpr std::uint64_t max_shard = (std::uint64_t{1} << (64 - record_bits)) - 1;

constexpr std::uint64_t shard_of(std::uint64_t id) { return id >> record_bits; }
constexpr std::uint64_t record_of(std::uint64_t id) { return id & ((std::uint64_t{1} << record_bits) - 1); }
constexpr std::uint64_t id_of(std::uint64_t shard, std::uint64_t record) { return shard << record_bits | record; }

/// The path of the file beside a shard.
inline std::string features_path(const std::string& shard) { return shard + ".features"; }

/// As check_output() for the file beside a shard. Throws: output_error, also if a file of another kind has that name:
/// the user has not named that file, so it must not be overwritten, and join() would not accept it.
void check_features_output(const std::string& shard);

/// A document and the earlier document of its shard that it equals, both as record numbers.
struct copy_of_document {
  std::uint64_t record, original;
};

/// The documents of a shard, with the data for the check, in an attachment file. Its attachments are: 0, lines of
/// settings; 1, for each document the end of its name in 2, u64; 2, names; 3, for each document the end of its features
/// in 4, u64, counted in features; 4, features, u32; 5, for each copy of an earlier document the two record numbers,
/// u64 each.
struct shard_documents {
  /// Throws: input_error, which names the file, if anything is wrong with it.
  explicit shard_documents(const std::string& path);

  [[nodiscard]] std::size_t size() const noexcept { return documents.size(); }
  /// The features of a record, as in feature_set; a copy has the features of its original.
  [[nodiscard]] std::span<const std::uint32_t> features(std::size_t record) const {
    return documents.features(original_of(record));
  }
  /// The number of copies before a record.
  [[nodiscard]] std::size_t copies_before(std::size_t record) const;
  /// The original of a copy, otherwise the record itself.
  [[nodiscard]] std::size_t original_of(std::size_t record) const;

  neardup::attachment_file file;
  named_values settings;  ///< settings of the comparison: the same for all shards that belong together
  std::uint64_t number, list_checksum;
  stored_documents documents;                ///< copies have no features of their own
  std::span<const copy_of_document> copies;  ///< sorted by record
};

/// The settings that two runs have to agree on, as stored by shard_documents.
named_values named_comparison(const fingerprint_settings& fingerprint, const comparison_settings& comparison);

/// Applies such settings of a comparison. Throws: input_error, which names `path`.
void apply_comparison(const std::string& path, const named_values& values, fingerprint_settings& fingerprint,
                      comparison_settings& to);
inline void apply_comparison_of(const shard_documents& documents, fingerprint_settings& fingerprint,
                                comparison_settings& to) {
  apply_comparison(documents.file.path(), documents.settings, fingerprint, to);
}

/// The set of features of a document. For the cosine, leaves out the weights that follow the set.
inline std::span<const std::uint32_t> set_in(std::span<const std::uint32_t> features, similarity_measure check) {
  return check == similarity_measure::cosine ? features.first(features.size() / 2) : features;
}

/// The comparison that shards were made for, as far as files of features are beside them. Reads no more of these files
/// than needed. Throws: input_error, also if shards have different distances, or a file of features belongs to another
/// shard.
struct shard_comparison {
  std::string first, without;                ///< the first shard with features, and the first one without; may be empty
  named_values settings;                     ///< settings of the first shard with features, from named_comparison()
  neardup::fingerprint_composition made_of;  ///< the composition of its fingerprints

  /// The distance; nullopt if there are no features.
  [[nodiscard]] std::optional<int> distance() const;
};
shard_comparison comparison_of_shards(const std::vector<std::string>& shards);

/// Two documents, the later one first, so that pairs sort by the later one.
struct id_pair {
  std::uint64_t later, earlier;
  friend auto operator<=>(const id_pair&, const id_pair&) = default;
};

/// Two shards that were joined, with the checksums of their files. If a shard was joined with itself, both are equal.
struct join_task {
  std::uint64_t earlier, later;
  std::uint64_t earlier_checksum, later_checksum;
  friend auto operator<=>(const join_task&, const join_task&) = default;
};

/// Pairs of documents, sorted: candidates, or pairs that the check accepts, in an attachment file. Its attachments are:
/// 0, lines of settings; 1, for each task the two shards and the checksums of their files, u64 each; 2, for each pair
/// the later and the earlier id.
struct pair_file {
  /// Throws: input_error, which names the file, if anything is wrong with it.
  explicit pair_file(const std::string& path);

  neardup::attachment_file file;
  bool is_checked = false;
  bool is_exact = false;  ///< contains all pairs that the check accepts, regardless of fingerprints
  int distance = 0;
  named_values comparison;  ///< settings of checked pairs; in older files only the distance
  std::span<const join_task> tasks;
  std::span<const id_pair> pairs;
};

/// Why pairs do not belong to shards with these settings, such as "is of --min-similarity 0.6, and its shards of 0.8".
/// Empty if they may belong to them.
std::string difference_of(const pair_file& pairs, const named_values& of_shards);

/// The properties of a file of pairs.
struct pair_facts {
  std::size_t bits;  ///< width of the shards' fingerprints
  int distance;
  bool is_checked, is_exact = false;  ///< see pair_file
  named_values comparison = {};       ///< settings of the shards, if the pairs are checked
};

/// Sorts the pairs, and writes them. Throws: output_error.
void save_pairs(const std::string& path, const pair_facts& facts, const neardup::fingerprint_composition& made_of,
                std::span<const join_task> tasks, std::vector<id_pair>& pairs);

/// Writes an attachment file with lines of settings, followed by `parts`. `count` is the number of its entries. Throws:
/// output_error.
void save_parts(const std::string& path, std::size_t bits, std::uint64_t count,
                const neardup::fingerprint_composition& made_of, const named_values& settings,
                std::vector<std::span<const std::byte>> parts);

/// The files of a run, sorted by their kinds.
struct shard_inputs {
  std::vector<std::string> shards;  ///< paths of lists
  std::vector<std::unique_ptr<shard_documents>> documents;
  std::vector<std::unique_ptr<pair_file>> pairs;

  /// Whether the pairs come from exact joins. Precondition: all joins are of one kind.
  [[nodiscard]] bool are_exact() const { return !pairs.empty() && pairs.front()->is_exact; }

  /// The documents of a shard. Throws: input_error if they are missing, or do not belong to the file with this
  /// `checksum`.
  [[nodiscard]] const shard_documents& of(std::uint64_t shard, std::uint64_t checksum,
                                          const std::string& asked_by) const;
};

/// Opens the files; with each shard also the file beside it. Throws: input_error, also if the files do not belong
/// together.
shard_inputs open_shard_inputs(const std::vector<std::string>& paths);

/// The kind of a file, by its header. Throws: input_error if it is not a file of the library.
enum class file_role { list, documents, pairs, other };
file_role role_of_file(const std::string& path);

}  // namespace command
