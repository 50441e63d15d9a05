// Messages on standard error: progress, skipped input, and notes at the end.
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

/// A set of 64-bit digests.
/// Memory: up to three times the size of the digests, and up to five times while the table grows.
class digest_set {
 public:
  /// Inserts a digest.
  /// Returns: true if it is new.
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

  /// Puts a digest into the first free slot at or after digest / 2^64 * table_.size(). Returns false if table_ has it.
  bool put(std::uint64_t digest) {
    digest = std::max<std::uint64_t>(digest, 1);  // 0 marks a free slot
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

/// The hint for a kind of files that are read as one text each.
struct one_text_hint;

/// The number of records of crawls that are not plain text, by kind.
struct left_out_records {
  std::uint64_t html = 0, packed = 0, no_text = 0;
};

/// The messages of a run. Counts events, draws the progress bar, and prints notes about the events at the end.
/// Thread safety: only one thread at a time may call the members.
class run_notes {
 public:
  /// Begins the messages of a run. The progress bar needs `sources`, all sources that the run reads.
  /// Precondition: the settings outlive the notes.
  run_notes(const input_settings& input, const fingerprint_settings& fingerprint, const comparison_settings& comparison,
            const std::vector<std::string>& sources, bool quiet);
  ~run_notes();
  run_notes(const run_notes&) = delete;
  run_notes& operator=(const run_notes&) = delete;

  /// Counts bad input. With --skip-bad, or in a folder, reports only the first few bad inputs.
  /// Throws: input_error without --skip-bad, if the input is not in a folder.
  void bad(const bad_input& input);

  /// Counts `documents` documents of a source whose charset `label` is unknown.
  void unknown_charset(const std::string& source, const std::string& label, std::uint64_t documents);

  /// Counts an ill-formed document. `charset`: the charset that the document names. With --strict, the document is bad
  /// input.
  /// Returns: true if the document is kept.
  bool ill_formed(const std::string& where, const source& from, std::string_view charset);
  bool without_tokens(const std::string& where) {
    return note(without_tokens_, where, "a document without tokens" + weight_);
  }

  /// Counts a file that is read as one document, if its name suggests that it has records, or if it is a page of HTML.
  void read_as_one_text(const std::string& path, bool is_html);

  /// Counts a source that was read as one line, but contains carriage returns without line feeds.
  void without_line_ends(const std::string& path) {
    if (!muted_) count(without_line_ends_, path);
  }

  void zeros(const std::string& where) {
    if (!muted_) count(zeros_, where);
  }

  /// Counts a mail with attachments, which are not compared.
  void attachments(const std::string& where) {
    if (!muted_) count(attachments_, where);
  }

  /// Counts a mail with a part that cannot be decoded.
  void undecoded(const std::string& where) {
    if (!muted_) count(undecoded_, where);
  }

  /// Counts records of crawls that are left out.
  void left_out(const left_out_records& records) {
    if (muted_) return;
    left_out_.html += records.html;
    left_out_.packed += records.packed;
    left_out_.no_text += records.no_text;
  }

  /// Counts a document with `count` features. No-op if `count` is 0.
  void features(std::size_t count) {
    if (!muted_ && count > 0) ++with_features_[std::min(count, with_features_.size() - 1)];
  }

  /// Counts a document, unless spelling_count::enough documents have been counted. `is_spelt_otherwise`: true if the
  /// canonical features of the document differ from its normalised features.
  void spelling(bool is_spelt_otherwise) {
    if (muted_ || !fingerprint_.spelling || fingerprint_.spelling->seen >= spelling_count::enough) return;
    fingerprint_.spelling->changed += is_spelt_otherwise ? 1 : 0;
    ++fingerprint_.spelling->seen;
  }

  static constexpr std::size_t most_sampled = std::size_t{1} << 16;

  /// Adds bytes to a sample of ill-formed bytes. The sample has at most most_sampled bytes.
  void sample(std::string_view ill_formed) { sample_ += ill_formed.substr(0, most_sampled - sample_.size()); }

  /// Registers the id of a document. No-op while notes are suppressed.
  /// Returns: true if an earlier document has the same id.
  bool repeats_id(std::string_view id, const source& from, std::uint64_t line);

  /// Registers the id of a document that is already in an index.
  void knows_id(std::string_view id);

  /// Frees the memory of the registered ids: 16 to 24 bytes for each id.
  /// Precondition: no further id is registered.
  void forget_ids() { ids_ = {}; }

  void advance(std::uint64_t documents, std::uint64_t bytes);
  /// Suppresses notes if `is_first_pass`, because the second pass makes the same notes. Bad input still ends the run.
  void mute(bool is_first_pass) { muted_ = is_first_pass; }
  /// Reports that `done` of `all` texts are compared, and the remaining time. `meets_all`: true if each text is
  /// compared with all texts of similar length. The time then grows with the square of `all`.
  /// Thread safety: any thread may call this function, but calls must not overlap.
  void compare_texts(std::size_t done, std::size_t all, bool meets_all);

  /// Shows `what`, the name of a phase without measurable progress, in place of the progress bar.
  void phase(const std::string& what);

  /// Ends the progress bar, and prints the notes, also the notes about excluded sources. `summary` is the first note.
  /// `against`: how many of the counted documents belong to another corpus.
  /// Throws: input_error at the end, in three cases: input in a folder was skipped, bytes were not read, or all of the
  /// input was bad.
  void finish(const std::string& summary, const source_walker& sources, std::uint64_t against = 0);

  [[nodiscard]] std::uint64_t documents() const noexcept { return documents_; }
  /// Returns the number of inputs that were bad, and did not end the run.
  [[nodiscard]] std::uint64_t skipped() const noexcept { return bad_.count + passed_over_.count; }

 private:
  struct tally {
    std::uint64_t count = 0;
    std::string first;
  };
  static void count(tally& t, const std::string& where) {
    if (t.count++ == 0) t.first = where;
  }

  /// Returns a note if half of the texts are so short that one change makes them dissimilar.
  [[nodiscard]] std::optional<std::string> note_on_short_texts() const;

  /// Returns a note if more than 5 % of the documents have canonical features that differ from their normalised
  /// features. Characters are then spelt in several ways.
  [[nodiscard]] std::optional<std::string> note_on_spelling() const;

  /// Counts an event in `t`. Reports the first `most` events, and then, once, that there are more.
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
  std::string encoding_;           // the encoding of the texts
  std::string weight_;             // a condition that tokens must meet, for the message about documents without tokens
  std::uint64_t total_bytes_ = 0;  // 0 if the total is unknown
  std::uint64_t documents_ = 0;
  std::uint64_t bytes_ = 0;
  tally bad_, passed_over_, without_tokens_, zeros_, foreign_, without_line_ends_, attachments_, undecoded_;
  std::map<std::string, tally> ill_formed_;  // key: the expected encoding, such as UTF-8
  std::map<const one_text_hint*, tally> as_one_text_;
  /// For each source with an unknown charset, a message with both names, and the number of the documents.
  std::vector<std::pair<std::string, std::uint64_t>> unknown_charsets_;
  std::uint64_t further_unknown_ = 0;
  tally unread_;  // sources that were not read to their end
  std::uint64_t unread_bytes_ = 0;
  std::uint64_t binary_ = 0;
  // with_features_[n]: how many documents have n features. The last element also counts all documents with more
  // features.
  std::array<std::uint64_t, 256> with_features_{};
  digest_set ids_;
  std::uint64_t repeated_ids_ = 0;
  std::string first_repeated_;
  std::string sample_;  // a sample of ill-formed bytes
  left_out_records left_out_;
  bool drawn_ = false;
  bool has_said_time_ = false, has_said_square_ = false;
  std::chrono::steady_clock::time_point begin_, last_draw_, comparison_begin_;
};

}  // namespace command
