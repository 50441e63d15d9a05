// Writes the output of `unique`: unchanged records, which are read again in a second pass.
#pragma once

#include <algorithm>
#include <neardup/fingerprint/hashers.hpp>
#include <optional>
#include <string>
#include <vector>

#include "../compare/context.hpp"
#include "../compare/corpus.hpp"
#include "../ground/text.hpp"
#include "annotating.hpp"

namespace command {

/// Copies records to an output, byte for byte. If a document is a file, its path is printed instead.
class record_copier {
 public:
  /// `follows_records`: true if records of an earlier part of a run on many machines precede the output.
  record_copier(output& out, bool as_json, bool follows_records = false)
      : out_(out), as_json_(as_json), follows_records_(follows_records) {}

  /// Copies a line with its line end. If `line` is 0, prints the path of the file. If the last record of a source has
  /// no line end, the next record still begins on a new line. A byte order mark is copied only at the beginning of the
  /// output.
  void copy(const std::shared_ptr<source>& from, std::uint64_t line, std::string_view raw) {
    if (line == 0) return print(from->path);
    if (from->unit == unit_of_input::json_array) {
      out_ << (copied_ == 0 ? "[\n" : ",\n") << raw;
      ++copied_;
      return;
    }
    if (open_line_) out_ << '\n';
    if (needs_blank_line_) out_ << '\n';
    if ((copied_ > 0 || follows_records_) && line == 1 && raw.starts_with(byte_order_mark))
      raw.remove_prefix(byte_order_mark.size());
    out_ << raw;
    open_line_ = !raw.ends_with('\n');
    // A blank line ends a message of a mail box. The last message of a file may lack this line.
    needs_blank_line_ = from->unit == unit_of_input::mbox && !raw.ends_with("\n\n") && !raw.ends_with("\n\r\n");
    // Two line ends end a WARC record. The last record of a file may lack these line ends.
    if (from->unit == unit_of_input::warc && !raw.ends_with("\r\n\r\n")) {
      out_ << (raw.ends_with("\r\n") ? "\r\n" : "\r\n\r\n");
      open_line_ = false;
    }
    ++copied_;
  }

  void print(const std::string& id) {
    if (as_json_) {
      out_ << "{\"id\":" << json_string(id) << "}\n";
    } else {
      out_ << printable(id) << '\n';
    }
    ++copied_;
  }

  /// Writes the header of a table.
  void begin(const std::string& header) {
    out_ << header;
    open_line_ = !header.empty() && !header.ends_with('\n');
  }

  /// Ends the output. If records are the elements of an array, closes the array.
  void end(unit_of_input unit) {
    if (unit == unit_of_input::json_array) out_ << (copied_ == 0 ? "[\n]\n" : "\n]\n");
  }

  [[nodiscard]] std::uint64_t copied() const noexcept { return copied_; }

 private:
  output& out_;
  bool as_json_, follows_records_;
  std::uint64_t copied_ = 0;
  bool open_line_ = false;
  bool needs_blank_line_ = false;  // true if a blank line must come before the next record
};

/// Checks that a source has the same format and columns as the first source, because the output is one file.
/// Throws: input_error if the check fails.
inline void refuse_other_format(const source& from, const source& first) {
  if (from.unit != first.unit) {
    throw input_error({from.name(), "is of another format than " + first.name() + ", and the output has one"});
  }
  const auto names = [](const source& s) { return s.columns == nullptr ? std::vector<std::string>() : *s.columns; };
  if (names(from) != names(first)) {
    throw input_error({from.where(1), "another header than that of " + first.name() + ", and the output is one table"});
  }
}

/// Copies kept records and, if requested, dropped records. Each kind is written to its own file, in the format of the
/// input.
class record_writer {
 public:
  /// Makes a writer. `notes`: the notes whose columns are added to the header of a table, or null. `follows_records`: as
  /// in record_copier.
  explicit record_writer(context& c, const annotator* notes = nullptr, bool follows_records = false)
      : context_(c), kept_(c.out, c.settings.output.as_json(), follows_records), notes_(notes) {
    if (c.dropped_records) dropped_.emplace(*c.dropped_records, c.settings.output.as_json());
  }

  void keep(const std::shared_ptr<source>& from, std::uint64_t line, std::string_view raw) {
    expect_source(from);
    kept_.copy(from, line, raw);
  }
  void drop(const std::shared_ptr<source>& from, std::uint64_t line, std::string_view raw) {
    expect_source(from);
    if (dropped_) dropped_->copy(from, line, raw);
  }
  void write(bool is_kept, const std::shared_ptr<source>& from, std::uint64_t line, std::string_view raw) {
    return is_kept ? keep(from, line, raw) : drop(from, line, raw);
  }
  void print(const std::string& id) { kept_.print(id); }

  /// Renames the finished outputs to their final names. If `on_disk`, waits until the outputs are on the disk.
  void close(bool on_disk = false) {
    // Without records, the output still needs the brackets of an array, or the header of a table.
    if (first_ == nullptr && context_.sources.first() != nullptr) expect_source(context_.sources.first());
    if (first_ != nullptr && !is_closed_) {
      kept_.end(first_->unit);
      if (dropped_) dropped_->end(first_->unit);
    }
    is_closed_ = true;
    close_outputs(context_, on_disk);
  }

  /// Closes the outputs, and prints how many records were kept and dropped. `changed`: the number of kept records from
  /// whose texts a part was removed. `more`: an additional note.
  void finish_run(std::uint64_t changed = 0, const std::string& more = "") {
    const std::uint64_t dropped = context_.notes.documents() - context_.against - kept_.copied();
    close();
    finish(context_, ": " + grouped(kept_.copied()) + " kept, " + grouped(dropped) + " dropped" + more,
           dropped + changed);
  }

 private:
  /// Writes the header of the first source. Refuses a source of another format.
  void expect_source(const std::shared_ptr<source>& from) {
    if (from == last_) return;
    last_ = from;
    if (first_ == nullptr) {
      if (notes_ != nullptr) notes_->check(*from);
      first_ = from;
      kept_.begin(notes_ == nullptr ? from->header : annotator::before_end(from->header, notes_->columns(*from)));
      if (dropped_) dropped_->begin(from->header);
      return;
    }
    refuse_other_format(*from, *first_);
  }

  context& context_;
  record_copier kept_;
  std::optional<record_copier> dropped_;
  const annotator* notes_;
  std::shared_ptr<source> first_, last_;
  bool is_closed_ = false;
};

/// Returns true if the file of --dropped is written as JSON Lines.
inline bool drops_as_json(const run_settings& settings) {
  return settings.input.unit == unit_of_input::json_lines || settings.output.as_json();
}

/// Writes a dropped document and its original to the file of --dropped.
inline void write_dropped(context& c, const match_line& line) {
  *c.dropped << text_of_match(c.settings.fingerprint, drops_as_json(c.settings), line);
}

/// Reads the documents of the input again, in a second pass that computes no features.
/// Memory: one byte for each line.
class second_pass {
 public:
  explicit second_pass(context& c) : context_(c) { c.sources.remember(); }

  /// In the first pass, registers the next document.
  void expect(const placed_document& d) {
    if (expected_.empty() || expected_.back().from != d.from) {
      if (!expected_.empty()) refuse_other_format(*d.from, *expected_.front().from);
      expected_.push_back({d.from, {}, 0, 0});
    }
    expected_source& last = expected_.back();
    last.lines.resize(std::max<std::uint64_t>(d.line, 1));
    last.lines.back() = d.facts.has_tokens ? content::tokens : content::no_tokens;
    last.checksum = with_line(last.checksum, d.line, d.raw);
    last.last_length = d.raw.size();
  }

  [[nodiscard]] bool is_empty() const noexcept { return expected_.empty(); }

  /// Calls `visit(has_tokens, source, line, raw)` for each document, in order. If a document is a file, it is not read.
  /// Throws: input_error if a line has changed since the first pass.
  template <class Visit>
  void visit_documents(const Visit& visit) const {
    const unit_of_input unit = context_.settings.input.unit;
    const bool are_texts =
        unit != unit_of_input::files && !expected_.empty() && is_whole_source(expected_.front().from->unit);
    if (unit == unit_of_input::files || are_texts) {
      for (const expected_source& one : expected_) {
        visit(one.lines.front() == content::tokens, one.from, 0, std::string_view());
      }
      return;
    }
    auto next = expected_.begin();
    if (next == expected_.end()) return;
    std::uint64_t checksum = 0;  // checksum of the lines of `next` so far
    context_.notes.mute(true);
    context_.sources.rewind();
    read_lines(context_.settings.input, context_.sources, context_.notes, [&](const placed_document& d) {
      if (d.from != next->from || next->lines[d.line - 1] == content::none) return true;
      const bool is_last = d.line == next->lines.size();
      // If the last line had no end in the first pass, bytes may have been appended to the line since then.
      const std::string_view raw = is_last ? d.raw.substr(0, next->last_length) : d.raw;
      checksum = with_line(checksum, d.line, raw);
      visit(next->lines[d.line - 1] == content::tokens, d.from, d.line, raw);
      if (!is_last) return true;
      if (checksum != next->checksum) fail_changed(*next->from);
      checksum = 0;
      return ++next != expected_.end();
    });
    if (next != expected_.end()) fail_changed(*next->from);
  }

 private:
  enum class content : unsigned char { none, no_tokens, tokens };

  struct expected_source {
    std::shared_ptr<source> from;
    // The kind of content of each line, up to the line of the last document. A file that is one document has one
    // element.
    std::vector<content> lines;
    std::uint64_t checksum;     // checksum of the line numbers and contents of documents
    std::uint64_t last_length;  // length of the last document's line, in bytes
  };

  static std::uint64_t with_line(std::uint64_t before, std::uint64_t line, std::string_view raw) {
    constexpr std::uint64_t factor = 0x9e3779b97f4a7c15;  // any odd number; so equal checksums are unlikely
    return (before * factor ^ neardup::xxh3<64>{}(raw)) + line;
  }

  context& context_;
  std::vector<expected_source> expected_;
};

}  // namespace command
