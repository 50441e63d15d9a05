// Index files of documents, as `neardup index` writes them.
#pragma once

#include <neardup/index.hpp>
#include <neardup/storage.hpp>
#include <neardup/threads.hpp>

#include "../ground/text.hpp"
#include "../write/output.hpp"
#include "index_log.hpp"
#include "reading.hpp"
#include "stored_documents.hpp"

namespace command {

/// The settings that an index was made with; later runs use them for options that are not given.
struct index_settings {
  std::string path;
  std::size_t bits = 0;
  int distance = 0, blocks = 0;
  std::string features, weights, kind;
  std::string check_features;  ///< empty if no features were kept
  std::string top;             ///< the value of --top; empty if all features count
  bool folds_chinese = false;
  bool keeps_postings = false;

  [[nodiscard]] bool has_codes() const { return features == codes_name; }
};

/// Throws: input_error.
index_settings read_index_settings(const std::string& path);

/// The settings as text, which is the first attachment of an index file. Attachments 1 to 4 are those of
/// document_columns::bytes(), by document number, which is the id; attachment 5 is extent_of_log(), if there was a log
/// beside the file. Attachment 0 has the lines "features F", "weights W" and "kind K"; "check F" if features are kept;
/// and, only if they apply, "top N", "fold chinese", and "check-words" with tables_of_words() if the kept features are
/// words by a dictionary.
std::string text_of_index_settings(const fingerprint_settings& settings, const feature_setting* kept);

/// Calls `visit` for each document of an index file. Throws: input_error.
void for_each_indexed(reading& r, const std::string& path, const document_visitor& visit);

/// An index file and its log, opened for this run: a snapshot that later writes do not change.
template <class Fingerprint>
class opened_index {
 public:
  using view_type = neardup::index_view<Fingerprint::bits, std::uint32_t, std::uint32_t, Fingerprint>;

  /// `is_verified`: whether the whole file is verified first; the records of the log always are.
  /// Throws: input_error.
  opened_index(const std::string& file, bool is_verified) : opened_index(open_index_files(file), is_verified) {}

  /// Compares the composition of the index with that of the texts or lists so far. Throws: input_error if they differ.
  void expect_alike(reading& r) const {
    r.lists.expect(path_, view_.made_of());
    if (!r.how.comparison.reads_features) return;
    check_words(path_, parse_values(path_, view_.attachment(0)), r.how.comparison.check_features);
  }

  /// The composition of the fingerprints.
  [[nodiscard]] const neardup::fingerprint_composition& made_of() const noexcept { return view_.made_of(); }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] const view_type& view() const noexcept { return view_; }
  [[nodiscard]] const neardup::log_contents& log() const noexcept { return files_.log; }
  [[nodiscard]] std::uint64_t state() const noexcept { return files_.state; }
  /// Whether the log can be appended to.
  [[nodiscard]] bool has_log() const noexcept { return logged_.goes_on(); }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] bool keeps_features() const noexcept { return keeps_features_; }

  /// The number of document numbers, including those of removed documents.
  [[nodiscard]] std::size_t numbers() const noexcept { return view_.size() + logged_.size(); }
  [[nodiscard]] std::size_t size() const noexcept { return numbers() - logged_.removed(); }
  [[nodiscard]] bool has(std::size_t number) const { return !logged_.is_removed(number); }
  [[nodiscard]] std::string_view name(std::size_t number) const {
    return number < view_.size() ? documents_.name(number) : logged_.name(number - view_.size());
  }
  /// The features of a document; empty if none are kept.
  [[nodiscard]] feature_set features(std::size_t number) const {
    return number < view_.size() ? documents_.features(number) : logged_.features(number - view_.size());
  }

  /// The fingerprints, by document number. Throws: input_error.
  [[nodiscard]] std::vector<Fingerprint> fingerprints() const {
    std::vector<Fingerprint> all(numbers());
    for (const auto& [fingerprint, id] : view_) {
      if (id >= view_.size()) refuse_ids();
      all[id] = fingerprint;
    }
    for (std::size_t i = 0; i < logged_.size(); ++i) {
      all[view_.size() + i] = logged_.fingerprint(i).template as<Fingerprint>();
    }
    return all;
  }

  /// Makes an index of the log's documents; called before the first search.
  void prepare_search(unsigned threads) {
    std::vector<Fingerprint> fingerprints;
    std::vector<std::uint32_t> ids;
    for (std::size_t i = 0; i < logged_.size(); ++i) {
      const std::size_t number = view_.size() + i;
      if (!has(number)) continue;
      fingerprints.push_back(logged_.fingerprint(i).template as<Fingerprint>());
      ids.push_back(static_cast<std::uint32_t>(number));
    }
    if (ids.empty()) return;
    tail_.emplace(view_.shape().k(), view_.shape().blocks(), std::span<const Fingerprint>(fingerprints),
                  std::span<const std::uint32_t>(ids), neardup::threads{threads});
  }

  /// Throws: input_error if the file was changed in place since it was opened.
  void check_file() const {
    as_input([&] { view_.check_file(); });
  }

  /// The matches, sorted by distance, then by number. Thread safety: callable from any thread. Throws: input_error.
  [[nodiscard]] auto search(const Fingerprint& fingerprint, int k) const {
    check_file();
    auto found = view_.search(fingerprint, k);
    for (const auto& match : found) {
      if (match.id >= view_.size()) refuse_ids();
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

  /// Prints a note, unless --quiet, if texts are compared with an index without features, so that fingerprints alone
  /// decide.
  void say_if_unchecked(const reading_settings& settings) const {
    const bool has_texts = settings.input.unit != unit_of_input::fingerprints;
    if (settings.quiet || !has_texts || settings.fingerprint.are_codes || size() == 0 || keeps_features_) return;
    say(path_ + " was made without --keep-features: nothing is checked, and similarities are estimates");
  }

 private:
  using tail_type = neardup::frozen_index<Fingerprint::bits, std::uint32_t, std::uint32_t, Fingerprint>;

  opened_index(index_snapshot&& files, bool is_verified)
      : path_(files.base.path()),
        bytes_(files.base.bytes().size()),
        files_(std::move(files)),
        view_(as_input([&] {
          view_type opened{std::move(files_.base)};
          if (is_verified) opened.verify();
          return opened;
        })),
        documents_(path_, view_.size(), view_.attachment(1), view_.attachment(2), view_.attachment(3),
                   view_.attachment(4), is_verified),
        keeps_features_(view_.size() > 0 ? documents_.has_features()
                                         : parse_values(path_, view_.attachment(0)).contains("check")),
        logged_(path_, files_, view_.attachment(5), view_.size(), Fingerprint::bits, keeps_features_) {}

  [[noreturn]] void refuse_ids() const { throw input_error({path_, "damaged: an id is no number of a document"}); }

  std::string path_;
  std::size_t bytes_;     // size of the file
  index_snapshot files_;  // its file is part of the view
  view_type view_;
  stored_documents documents_;
  bool keeps_features_;
  logged_documents logged_;
  std::optional<tail_type> tail_;  // the log's documents that are not removed
};

/// Writes an index file atomically. A log beside it has been merged into it, or is obsolete, and is removed. `parts`:
/// the attachments 0 to 4. Throws: output_error.
template <class Index>
void save_index_file(const std::string& path, const Index& index, const neardup::fingerprint_composition& made_of,
                     std::vector<std::span<const std::byte>> parts) {
  const std::string log = log_of_index(path);
  // Tells that a log is merged already, if the program is stopped before the log is removed.
  const std::string taken_in = extent_of_log(log);
  if (!taken_in.empty()) {
    parts.resize(std::max<std::size_t>(parts.size(), 6));
    parts[5] = std::as_bytes(std::span(taken_in));
  }
  save_whole(path, [&](const std::string& file) { save(file, index, made_of, parts); });
  if (!taken_in.empty()) remove_log(log);
}

}  // namespace command
