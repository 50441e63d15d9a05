// Documents in a file, as `neardup index` writes it.
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

/// What an index was made with; a later run takes what is not given from there.
struct index_settings {
  std::string path;
  std::size_t bits = 0;
  int distance = 0, blocks = 0;
  std::string features, weights, kind;
  std::string check_features;  ///< empty: no features were kept
  std::string top;             ///< of --top; empty: all features count
  bool folds_chinese = false;
  bool keeps_postings = false;
};

/// Throws: input_error.
index_settings read_index_settings(const std::string& path);

/// The same as text: the first of the attachments that a file of an index has. 1 to 4 are of documents by their numbers,
/// which are its ids, as document_columns::bytes(); 5 is extent_of_log(), if there was one beside it. 0: lines "features
/// F", "weights W", "kind K"; of features that are kept "check F"; and only where they say something "top N", "fold
/// chinese", and of kept words by a dictionary "check-words" with tables_of_words().
std::string text_of_index_settings(const fingerprint_settings& settings, const feature_setting* kept);

/// Calls `visit` for each document of an index file. Throws: input_error.
void for_each_indexed(reading& r, const std::string& path, const document_visitor& visit);

/// An index file and its log, open for this run: as they were at that moment, whoever writes to them later.
template <class Fingerprint>
class opened_index {
 public:
  using view_type = neardup::index_view<Fingerprint::bits, std::uint32_t, std::uint32_t, Fingerprint>;

  /// `is_verified`: whether all of the file is looked at first; of the log each record is in any case.
  /// Throws: input_error.
  opened_index(const std::string& file, bool is_verified) : opened_index(open_index_files(file), is_verified) {}

  /// Throws: input_error if its fingerprints are made otherwise than those of the texts, or of the lists, so far.
  void expect_alike(reading& r) const {
    r.lists.expect(path_, view_.made_of());
    if (!r.how.comparison.reads_features) return;
    check_words(path_, parse_values(path_, view_.attachment(0)), r.how.comparison.check_features);
  }

  /// What the fingerprints are made of.
  [[nodiscard]] const neardup::fingerprint_composition& made_of() const noexcept { return view_.made_of(); }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] const view_type& view() const noexcept { return view_; }
  [[nodiscard]] const neardup::log_contents& log() const noexcept { return files_.log; }
  [[nodiscard]] std::uint64_t state() const noexcept { return files_.state; }
  /// Whether more can be appended to the log.
  [[nodiscard]] bool has_log() const noexcept { return logged_.goes_on(); }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] bool keeps_features() const noexcept { return keeps_features_; }

  /// How many numbers of documents there are; what is removed has one, too.
  [[nodiscard]] std::size_t numbers() const noexcept { return view_.size() + logged_.size(); }
  [[nodiscard]] std::size_t size() const noexcept { return numbers() - logged_.removed(); }
  [[nodiscard]] bool has(std::size_t number) const { return !logged_.is_removed(number); }
  [[nodiscard]] std::string_view name(std::size_t number) const {
    return number < view_.size() ? documents_.name(number) : logged_.name(number - view_.size());
  }
  /// None if there are none.
  [[nodiscard]] feature_set features(std::size_t number) const {
    return number < view_.size() ? documents_.features(number) : logged_.features(number - view_.size());
  }

  /// The fingerprints by the numbers of documents. Throws: input_error.
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

  /// Before the first search: makes an index of what is in the log.
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

  /// By distance, then by number. From any thread. Throws: input_error.
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

  /// Says, unless --quiet, if texts are compared with an index without features: fingerprints alone decide then.
  void say_if_unchecked(const reading_settings& settings) const {
    const bool has_texts = settings.input.unit != unit_of_input::fingerprints;
    if (settings.quiet || !has_texts || size() == 0 || keeps_features_) return;
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
  std::size_t bytes_;     // of the file
  index_snapshot files_;  // of which the view has the file
  view_type view_;
  stored_documents documents_;
  bool keeps_features_;
  logged_documents logged_;
  std::optional<tail_type> tail_;  // what is in the log, and not removed
};

/// Writes an index file, whole or not at all. A log that lies beside it is in it, or counts no more: it is taken away.
/// `parts`: the attachments 0 to 4. Throws: output_error.
template <class Index>
void save_index_file(const std::string& path, const Index& index, const neardup::fingerprint_composition& made_of,
                     std::vector<std::span<const std::byte>> parts) {
  const std::string log = log_of_index(path);
  // If the program is stopped before the log is taken away, this tells that it follows another file.
  const std::string taken_in = extent_of_log(log);
  if (!taken_in.empty()) {
    parts.resize(std::max<std::size_t>(parts.size(), 6));
    parts[5] = std::as_bytes(std::span(taken_in));
  }
  save_whole(path, [&](const std::string& file) { save(file, index, made_of, parts); });
  if (!taken_in.empty()) remove_log(log);
}

}  // namespace command
