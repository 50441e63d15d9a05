// Reads and writes the index files of `neardup index`.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <neardup/sets.hpp>
#include <neardup/storage.hpp>
#include <neardup/threads.hpp>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "../ground/text.hpp"
#include "../write/output.hpp"
#include "columns.hpp"
#include "fingerprint_index.hpp"
#include "index_log.hpp"
#include "reading.hpp"

namespace command {

/// The settings with which an index was made. In a later run, they replace options that are not given.
struct index_settings {
  std::string path;
  std::size_t bits = 0;
  int distance = 0, blocks = 0;
  std::string features, weights, kind;
  std::string check_features;  ///< empty for an index of fingerprints, which has no features
  double similarity = 0;       ///< for an index of feature sets: the least similarity that its postings find
  std::string top;             ///< the value of --top; empty if all features count
  std::string paired;          ///< "within" or "across" if the index has the values of a field; otherwise empty
  std::string field;           ///< the name of the field
  bool folds_chinese = false;

  [[nodiscard]] bool has_codes() const { return features == codes_name; }
  /// Returns true for an index of feature sets, and false for an index of fingerprints.
  [[nodiscard]] bool has_sets() const { return !check_features.empty(); }
};

/// Reads the settings of an index.
/// Throws: input_error if the file is not a valid index.
index_settings read_index_settings(const std::string& path);

/// Returns the settings of an index as a text, which is attachment 0 of the index file. The lines of the text are:
///   index of fingerprints: "features-and-digests F", "weights W", "kind K"; "top N" if only the top N features count
///   index of codes: "features F", "weights W", "kind K"
///   index of sets: "check F"; "check-words" with tables_of_words() if the features are words of a dictionary;
///     "postings kept" if the file has the attachments 6 to 10
///   all of them: "fold chinese" if texts were folded; `paired`, "within FIELD" or "across FIELD", if the file has the
///     values of a field, which are attachments 11 and 12. "-and-values" is then added to the name on the first line
///
/// The name on the first line tells which features of the format a program must support. Programs refuse files with a
/// name that they do not know.
///
/// Attachments 1 and 2 are the names of the documents. The number of a document is its id. Attachment 5 is the
/// neardup::log_extent of the log whose changes are in the file, if there was a log.
std::string text_of_index_settings(const fingerprint_settings& settings, const feature_setting* kept,
                                   bool keeps_postings, const std::string& paired);

/// The number of the first of the two attachments with the values of a field. The values are a column, in which the
/// index of a value is the number of the document.
inline constexpr std::size_t first_of_values = 11;

/// The number of the first of the two attachments with the digests of an index of fingerprints. They are a column with
/// the results of opened_index::features().
inline constexpr std::size_t first_of_digests = 13;

/// The two forms of an index: of feature sets, and of fingerprints.
struct set_form {};
struct fingerprint_form {};
template <class Form>
inline constexpr bool has_sets = std::is_same_v<Form, set_form>;

/// Calls `use` with set_form() or fingerprint_form(), the form of the index in `stored`.
template <class Use>
decltype(auto) with_form(const stored_fingerprints& stored, Use&& use) {
  if (stored.has_sets()) return use(set_form());
  return use(fingerprint_form());
}

/// Returns the composition of an index of sets. The weights are equal, and the features are the compared features.
neardup::fingerprint_composition composition_of_sets(const reading_settings& how);

struct indexed_match {
  std::uint32_t number;
  double similarity;
};

/// The feature sets of an index, by document number. The set of a removed document is empty.
/// Thread safety: several threads may call `search` at once. The first call of `all` stores the sets in this object, so
/// only one thread at a time may call `all`.
struct indexed_sets {
  std::size_t numbers = 0;
  /// The least Jaccard similarity that `search` accepts as `least`.
  double similarity = 0;
  /// Returns for each set of `batch` the sets that are at least `least` similar, sorted by similarity, then by number.
  std::function<std::vector<std::vector<indexed_match>>(std::span<const feature_set> batch, double least,
                                                        unsigned threads)>
      search;
  /// Returns all sets. The span is valid as long as this object.
  /// Complexity: the first call is linear in the size of the index.
  std::function<std::span<const feature_set>()> all;
  std::function<void()> check_file = [] {};  ///< throws if the file was changed in place
};

/// Returns true if an index of fingerprints with the settings `settings` has the digests of short documents.
bool has_digests(const named_values& settings);

/// Returns the features with which `d` is added to an index; see opened_index::features(). If `d` is from a list of
/// fingerprints, returns unknown_features, because `d` may be short.
inline feature_set features_to_keep(const reading_settings& how, const document& d) {
  return how.input.unit == unit_of_input::fingerprints ? feature_set(unknown_features) : d.features;
}

/// Calls `visit` for each document of an index file.
/// Throws: input_error if the file is damaged or its composition differs.
void for_each_indexed(reading& r, const std::string& path, const document_visitor& visit);

/// An index file of feature sets, and an index whose base is this file.
struct set_view : neardup::set_index_file<> {
  explicit set_view(neardup::mapped_file file) : set_index_file(std::move(file)), sets(index()) {}

  neardup::set_index<> sets;
};

template <class Form>
using opened_view = std::conditional_t<has_sets<Form>, set_view, const fingerprint_view>;

/// Opens an index file of the form `Form`.
/// Throws: std::runtime_error if the file is damaged or has another form.
template <class Form>
std::unique_ptr<opened_view<Form>> open_view(neardup::mapped_file file) {
  if constexpr (has_sets<Form>) {
    return std::make_unique<set_view>(std::move(file));
  } else {
    return open_fingerprint_view(std::move(file));
  }
}

/// An index file and its log, opened for this run. This is a snapshot: later changes of the files do not change it.
template <class Form>
class opened_index {
 public:
  using view_type = opened_view<Form>;

  /// Opens an index. If `is_verified` is true, verifies the whole file first. The records of the log are always
  /// verified.
  /// Throws: input_error if the file or the log cannot be read or is damaged.
  opened_index(const std::string& file, bool is_verified) : opened_index(open_index_files(file), is_verified) {}

  /// Checks that the index has the same composition as the texts or lists that were read before.
  /// Throws: input_error if the compositions differ.
  void expect_alike(reading& r) const {
    if constexpr (has_sets<Form>) {
      check_words_of(r.how);
      check_composition(path_, view_->made_of(), composition_of_sets(r.how));
    } else {
      r.lists.expect(path_, view_->made_of());
    }
  }

  /// Checks that the index was made with the dictionary of words of this run.
  /// Throws: input_error if the dictionaries differ.
  void check_words_of(const reading_settings& how) const {
    check_words(path_, parse_values(path_, view_->attachment(0)), how.comparison.check_features);
  }

  [[nodiscard]] const neardup::fingerprint_composition& made_of() const noexcept { return view_->made_of(); }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] const view_type& view() const noexcept { return *view_; }
  /// Returns the number of bits of the fingerprints, or 0 for an index of sets.
  [[nodiscard]] std::size_t bits() const noexcept { return bits_of(*view_); }
  [[nodiscard]] const neardup::log_contents& log() const noexcept { return files_.log; }
  /// Returns the identity of the file, which its journal checks.
  [[nodiscard]] const neardup::journaled_file& file() const noexcept { return file_; }
  /// Returns the size of the log, or 0 if the file has no log.
  [[nodiscard]] std::size_t log_size() const noexcept { return logged_.end(); }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

  /// Returns the count of document numbers, including the numbers of removed documents.
  [[nodiscard]] std::size_t numbers() const noexcept { return view_->size() + logged_.size(); }
  [[nodiscard]] std::size_t size() const noexcept { return numbers() - logged_.removed(); }
  [[nodiscard]] bool has(std::size_t number) const { return !logged_.is_removed(number); }
  [[nodiscard]] bool keeps_postings() const noexcept { return keeps_postings_; }
  /// Returns the posting lists of the documents in the file.
  /// Throws: input_error if the posting lists are damaged.
  [[nodiscard]] common::posting_lists postings() const {
    const auto part = [this](std::size_t i) { return view_->attachment(first_of_postings + i); };
    return stored_postings(path_, part(0), part(1), part(2));
  }
  /// Returns the position of a document in its input file. Returns nullopt if the document came from standard input, or
  /// if the index has no posting lists.
  [[nodiscard]] std::optional<document_place> place(std::size_t number) const {
    return number < view_->size() ? places_[number] : logged_.place(number - view_->size());
  }
  [[nodiscard]] std::string_view name(std::size_t number) const {
    return number < view_->size() ? names_[number] : logged_.name(number - view_->size());
  }
  [[nodiscard]] bool keeps_values() const noexcept { return values_.has_value(); }
  /// Returns the value of a document in the field of the index. The value is empty if the index keeps no values.
  [[nodiscard]] std::string_view value(std::size_t number) const {
    if (!values_) return {};
    return number < view_->size() ? (*values_)[number] : logged_.value(number - view_->size());
  }
  /// Returns true if the index has data for features().
  [[nodiscard]] bool keeps_features() const noexcept { return has_sets<Form> || digests_.has_value(); }
  /// Returns the compared data of a document, without its fingerprint. In an index of sets, these are the features. In
  /// an index of fingerprints, a short document has its digest, and other documents have no data. A code, or a
  /// fingerprint from a list, has unknown_features.
  [[nodiscard]] feature_set features(std::size_t number) const {
    if (!keeps_features()) return unknown_features;
    if (number >= view_->size()) return logged_.features(number - view_->size());
    if constexpr (has_sets<Form>) {
      const auto found = view_->sets.find(static_cast<std::uint32_t>(number));
      if (!found) refuse_ids();
      return *found;
    } else {
      return (*digests_)[number];
    }
  }
  /// Verifies the file: all checksums, and the tables of fingerprints. Then searches of feature sets read no invalid
  /// memory. These searches are exact unless another program has written wrong posting lists.
  /// Throws: input_error if the file is damaged.
  void verify() const {
    as_input([&] { verify(*view_); });
  }
  /// Returns the features of all documents, by number. The features of a removed document are empty.
  /// Throws: input_error if the file is damaged.
  [[nodiscard]] std::vector<feature_set> all_features() const requires has_sets<Form> {
    std::vector<feature_set> all(numbers());
    std::size_t in_file = 0;
    view_->sets.for_each([&](std::uint32_t id, feature_set set) {
      if (id >= numbers()) refuse_ids();
      if (id < view_->size()) ++in_file;
      if (std::ranges::adjacent_find(set, std::ranges::greater_equal()) != set.end()) {
        refuse_damage(path_, "the features of a document do not ascend");
      }
      if (has(id)) all[id] = set;
    });
    if (in_file != view_->size()) refuse_ids();
    for (std::size_t i = view_->size(); i < all.size(); ++i) {
      if (has(i)) all[i] = features(i);
    }
    return all;
  }
  /// Returns the feature sets, in a form that can be searched.
  /// Precondition: this object outlives the result, and prepare_search() was called.
  [[nodiscard]] indexed_sets sets() const requires has_sets<Form> {
    return {numbers(), view_->sets.threshold().similarity,
            [this](std::span<const feature_set> batch, double least, unsigned threads) {
              return similar(batch, least, threads);
            },
            [this, found = std::optional<std::vector<feature_set>>()]() mutable -> std::span<const feature_set> {
              if (!found) found = all_features();
              return *found;
            },
            [this] { check_file(); }};
  }

  /// Returns the fingerprints of all documents, by number.
  /// Throws: input_error if the ids in the file are damaged.
  [[nodiscard]] fingerprint_vector fingerprints() const requires(!has_sets<Form>) {
    std::optional<fingerprint_vector> all = view_->by_id();
    if (!all) refuse_ids();
    for (std::size_t i = 0; i < logged_.size(); ++i) all->push_back(logged_.fingerprint(i));
    return *std::move(all);
  }

  /// Returns the features or the fingerprints of all documents, by number. Skip the removed documents, for which has()
  /// is false: their features are empty, and their fingerprints have no meaning.
  /// Throws: input_error if the file is damaged.
  [[nodiscard]] auto entries() const {
    if constexpr (has_sets<Form>) {
      return all_features();
    } else {
      return fingerprints();
    }
  }

  /// Makes the documents of the log searchable. Call this function before the first search.
  void prepare_search(unsigned threads) {
    std::conditional_t<has_sets<Form>, std::vector<feature_set>, fingerprint_vector> entries(bits());
    std::vector<std::uint32_t> ids;
    for (std::size_t i = 0; i < logged_.size(); ++i) {
      const std::size_t number = view_->size() + i;
      if (!has(number)) continue;
      if constexpr (has_sets<Form>) {
        entries.push_back(logged_.features(i));
      } else {
        entries.push_back(logged_.fingerprint(i));
      }
      ids.push_back(static_cast<std::uint32_t>(number));
    }
    if (ids.empty()) return;
    if constexpr (has_sets<Form>) {
      view_->sets.insert_all(entries, ids, neardup::threads{threads});
    } else {
      tail_ = make_fingerprint_search(view_->max_distance(), view_->blocks(), entries, ids, threads);
    }
  }

  /// Checks that the file was not changed in place since it was opened.
  /// Throws: input_error if the file was changed.
  void check_file() const {
    as_input([&] { view_->check_file(); });
  }

  /// Returns the documents within k bits of `fingerprint`, sorted by distance, then by number.
  /// Thread safety: several threads may call this function at once.
  /// Throws: input_error if the file is damaged or was changed in place.
  [[nodiscard]] std::vector<near_number> search(const any_fingerprint& fingerprint, int k) const
      requires(!has_sets<Form>) {
    check_file();
    std::vector<near_number> found = view_->search(fingerprint, k);
    for (const auto& match : found) {
      if (match.id >= view_->size()) refuse_ids();
    }
    std::erase_if(found, [&](const auto& match) { return logged_.is_removed(match.id); });
    if (!tail_) return found;
    const auto in_file = static_cast<std::ptrdiff_t>(found.size());
    const auto later = tail_->search(fingerprint, k);
    found.insert(found.end(), later.begin(), later.end());
    std::inplace_merge(found.begin(), found.begin() + in_file, found.end(),
                       [](const auto& a, const auto& b) { return a.distance < b.distance; });
    return found;
  }

  /// Prints a note if texts are compared with an index without features, so that fingerprints alone decide. With
  /// --quiet, prints nothing.
  void say_if_unchecked(const reading_settings& settings) const {
    const bool has_texts = settings.input.unit != unit_of_input::fingerprints;
    if (settings.quiet || !has_texts || settings.fingerprint.are_codes || size() == 0 || has_sets<Form>) return;
    say(path_ + " is an index of fingerprints: nothing is checked, and similarities are estimates");
  }

 private:
  opened_index(index_snapshot&& files, bool is_verified)
      : path_(files.base.path()),
        bytes_(files.base.bytes().size()),
        files_(std::move(files)),
        view_(as_input([&] {
          auto opened = open_view<Form>(std::move(files_.base));
          if (is_verified) verify(*opened);
          return opened;
        })),
        names_(path_, view_->size(), view_->attachment(1), view_->attachment(2), is_verified),
        keeps_postings_(parse_values(path_, view_->attachment(0)).contains("postings")),
        values_(open_values(is_verified)),
        digests_(open_digests(is_verified)),
        places_(path_, view_->attachment(first_of_postings + 3), view_->attachment(first_of_postings + 4)),
        file_(file_of(files_.state, view_->attachment(5))),
        logged_(path_, files_.log, file_, view_->size(), {bits(), keeps_features(), keeps_postings_, keeps_values()}) {}

  [[nodiscard]] std::optional<stored_column<char>> open_values(bool is_verified) const {
    const named_values settings = parse_values(path_, view_->attachment(0));
    if (!settings.contains("within") && !settings.contains("across")) return std::nullopt;
    return stored_column<char>(path_, view_->size(), view_->attachment(first_of_values),
                               view_->attachment(first_of_values + 1), is_verified);
  }

  [[nodiscard]] std::optional<stored_column<std::uint32_t>> open_digests(bool is_verified) const {
    if (has_sets<Form> || !has_digests(parse_values(path_, view_->attachment(0)))) return std::nullopt;
    return stored_column<std::uint32_t>(path_, view_->size(), view_->attachment(first_of_digests),
                                        view_->attachment(first_of_digests + 1), is_verified);
  }

  static std::size_t bits_of(const view_type& view) {
    if constexpr (has_sets<Form>) {
      return 0;
    } else {
      return view.bits();
    }
  }
  static void verify(const view_type& view) {
    if constexpr (has_sets<Form>) {
      view.verify_checksums();
    } else {
      view.verify();
    }
  }

  /// Returns for each set of `batch` the sets that are at least `least` similar, sorted by similarity, then by number.
  [[nodiscard]] std::vector<std::vector<indexed_match>> similar(std::span<const feature_set> batch, double least,
                                                                unsigned threads) const {
    check_file();
    const auto found = view_->sets.search_batch(batch, least, neardup::threads{threads});
    std::vector<std::vector<indexed_match>> all(batch.size());
    for (std::size_t i = 0; i < batch.size(); ++i) {
      for (const auto& match : found[i]) {
        if (match.id >= numbers()) refuse_ids();
        if (has(match.id)) all[i].push_back({match.id, match.similarity});
      }
    }
    return all;
  }

  [[noreturn]] void refuse_ids() const { refuse_damage(path_, "an id is not the number of a document"); }

  std::string path_;
  std::size_t bytes_;     // size of the file
  index_snapshot files_;  // files_.base has moved to view_
  std::unique_ptr<view_type> view_;
  stored_column<char> names_;
  bool keeps_postings_;
  std::optional<stored_column<char>> values_;
  std::optional<stored_column<std::uint32_t>> digests_;
  stored_places places_;
  neardup::journaled_file file_;
  logged_documents logged_;
  std::unique_ptr<const fingerprint_search> tail_;  // the log's fingerprints that are not removed
};

/// The settings of an index that is to be written.
struct index_shape {
  neardup::fingerprint_composition made_of = {};
  std::span<const std::byte> settings = {};  ///< attachment 0
  double similarity = 0;                     ///< for an index of sets
  int distance = 0, blocks = 0;              ///< for an index of fingerprints
  unsigned threads = 1;
};

/// The documents of an index that is to be written.
template <class Form>
class new_index {
 public:
  /// Makes an index without documents. `keeps_features`: see opened_index::keeps_features().
  new_index(std::size_t bits, bool keeps_features, bool keeps_postings, bool keeps_values)
      : keeps_features_(keeps_features),
        keeps_postings_(keeps_postings),
        keeps_values_(keeps_values),
        fingerprints_(bits) {}

  [[nodiscard]] std::size_t size() const { return columns_.names.size(); }
  [[nodiscard]] bool keeps_postings() const { return keeps_postings_; }

  /// Adds a document. `features`: see opened_index::features(). Only an index of fingerprints uses `fingerprint`, only
  /// an index with posting lists uses `place`, and only an index with the values of a field uses `value`.
  void add(std::string_view name, const any_fingerprint& fingerprint, feature_set features,
           const std::optional<document_place>& place, std::string_view value);
  /// Adds the documents of another index, without removed documents, and without the documents whose numbers are in
  /// `left_out`.
  /// Throws: input_error if the other index is damaged.
  void add_all(const opened_index<Form>& index, const std::unordered_set<std::uint32_t>& left_out);

  /// Writes the index to `path`. Removes the log beside the index, because the log is then obsolete.
  /// Throws: output_error if the index cannot be written.
  void save(neardup::journal& journal, const std::string& path, const index_shape& shape) const;

 private:
  bool keeps_features_, keeps_postings_, keeps_values_;
  fingerprint_vector fingerprints_;  // empty for an index of sets
  document_columns<std::uint32_t> columns_;
  place_columns places_;  // for an index with postings
  column<char> values_;   // for an index with values
};

}  // namespace command
