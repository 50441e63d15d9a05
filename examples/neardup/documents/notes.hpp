// What is said on standard error: progress, notes at the end, what was skipped.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../describe/settings.hpp"
#include "../ground/errors.hpp"
#include "../read/source.hpp"

namespace command {

/// A set of digests, 64 bits each: memory of up to three times as much.
class digest_set {
 public:
  /// Returns: whether it is new.
  bool insert(std::uint64_t digest) {
    if (2 * size_ >= table_.size()) grow();
    if (!put(digest)) return false;
    ++size_;
    return true;
  }

 private:
  void grow() {
    const std::vector<std::uint64_t> old =
        std::exchange(table_, std::vector<std::uint64_t>(std::max<std::size_t>(1024, 3 * table_.size() / 2)));
    for (const std::uint64_t digest : old) {
      if (digest != 0) put(digest);
    }
  }

  /// By the first free place from that on that it has in proportion.
  bool put(std::uint64_t digest) {
    digest = std::max<std::uint64_t>(digest, 1);  // 0 is no digest
    const double place = static_cast<double>(digest >> 11) * 0x1p-53 * static_cast<double>(table_.size());
    for (auto i = static_cast<std::size_t>(place); table_[i] != digest; i = i + 1 < table_.size() ? i + 1 : 0) {
      if (table_[i] != 0) continue;
      table_[i] = digest;
      return true;
    }
    return false;
  }

  std::vector<std::uint64_t> table_;
  std::size_t size_ = 0;
};

/// What is said of files of a kind that are read as one text each.
struct one_text_hint;

/// How many records of crawls are no plain text, by what they are.
struct left_out_records {
  std::uint64_t html = 0, packed = 0, no_text = 0;
};

/// Counts what happens, and says it. For one thread at a time.
class run_notes {
 public:
  /// `sources`: all that is read, for the progress bar. The settings have to stay.
  run_notes(const input_settings& input, const fingerprint_settings& fingerprint, const comparison_settings& comparison,
            const std::vector<std::string>& sources, bool quiet);
  ~run_notes();
  run_notes(const run_notes&) = delete;
  run_notes& operator=(const run_notes&) = delete;

  /// With --skip-bad, or if it was found in a folder, counts it and names the first few at once. Throws: input_error
  /// otherwise.
  void bad(const bad_input& input);

  /// Counts a document; with --strict it is bad input. Returns: whether the document stays.
  bool ill_formed(const std::string& where) { return note(ill_formed_, where, "not well-formed " + encoding_); }
  bool without_tokens(const std::string& where) {
    return note(without_tokens_, where, "a document without tokens" + weight_);
  }

  /// Counts a file that is one document, where its name says that it has records.
  void read_as_one_text(const std::string& path);

  /// Counts a source that was read as one line, and has carriage returns alone in it.
  void without_line_ends(const std::string& path) {
    if (!muted_) count(without_line_ends_, path);
  }

  /// Counts a document that holds zero bytes.
  void zeros(const std::string& where) {
    if (!muted_) count(zeros_, where);
  }

  /// Counts records of crawls that are left out.
  void left_out(const left_out_records& records) {
    if (muted_) return;
    left_out_.html += records.html;
    left_out_.packed += records.packed;
    left_out_.no_text += records.no_text;
  }

  /// Counts a document by its number of features, where sets of them are compared.
  void features(std::size_t count) {
    if (!muted_ && count > 0) ++with_features_[std::min(count, with_features_.size() - 1)];
  }

  /// Takes some of what is not well-formed.
  void sample(std::string_view ill_formed) {
    constexpr std::size_t most = std::size_t{1} << 16;
    if (sample_.size() < most) sample_ += ill_formed;
  }

  /// Takes the id of a document, where they are watched. Returns: whether one before it has the same.
  bool repeats_id(std::string_view id, const source& from, std::uint64_t line);

  /// The same of a document that is in an index before.
  void knows_id(std::string_view id);

  /// Moves the progress bar.
  void advance(std::uint64_t documents, std::uint64_t bytes);
  /// In the first of two passes nothing is noted, for the second one meets it again; but bad input ends the run.
  void mute(bool is_first_pass) { muted_ = is_first_pass; }
  /// Says how far a comparison of texts is whose time grows with the square of their number, and how long it will take.
  /// From any thread, one call at a time.
  void compare_texts(std::size_t done, std::size_t all, bool meets_all);

  /// Names what happens after the reading, where progress cannot be measured.
  void phase(const std::string& what);

  /// Ends the progress bar and says the notes, also what was left out of the sources; `summary` is the first of them.
  /// Throws: input_error if anything was passed over, when all else is done.
  void finish(const std::string& summary, const source_walker& sources);

  [[nodiscard]] std::uint64_t documents() const noexcept { return documents_; }

 private:
  struct tally {
    std::uint64_t count = 0;
    std::string first;
  };
  static void count(tally& t, const std::string& where) {
    if (t.count++ == 0) t.first = where;
  }

  /// What there is to say of texts that are too short for a change, if half of them are.
  [[nodiscard]] std::optional<std::string> note_on_short_texts() const;

  /// What there is to say of characters that are spelt in several ways, if canonical features of more than 5 % of the
  /// documents are others.
  [[nodiscard]] std::optional<std::string> note_on_spelling() const;

  /// Counts it, and says it unless as many as `most` were.
  void say_first(tally& t, std::uint64_t most, const std::string& what, const std::string& text);
  bool note(tally& t, const std::string& where, const std::string& what);
  void draw(const std::string& line);
  void clear();

  const input_settings& input_;
  const fingerprint_settings& fingerprint_;
  const comparison_settings& comparison_;
  bool quiet_;
  bool muted_ = false;
  bool bar_;
  std::string encoding_;           // of the texts
  std::string weight_;             // what tokens need besides being there
  std::uint64_t total_bytes_ = 0;  // 0: not known
  std::uint64_t documents_ = 0;
  std::uint64_t bytes_ = 0;
  tally bad_, passed_over_, ill_formed_, without_tokens_, zeros_, foreign_, without_line_ends_;
  std::map<const one_text_hint*, tally> as_one_text_;
  tally unread_;  // sources that were not read to their end,
  std::uint64_t unread_bytes_ = 0;
  std::uint64_t binary_ = 0;
  std::array<std::uint64_t, 256> with_features_{};  // documents by their number of features, the last one: or more
  digest_set ids_;
  std::uint64_t repeated_ids_ = 0;
  std::string first_repeated_;
  std::string sample_;  // of what is ill-formed
  left_out_records left_out_;
  bool drawn_ = false;
  bool has_said_time_ = false;
  std::chrono::steady_clock::time_point begin_, last_draw_, comparison_begin_;
};

}  // namespace command
