// Code that several pages for a browser need: reads texts again, and shows their differences.
#pragma once

#include <neardup/text/utf8.hpp>

#include "../../common/text_difference.hpp"
#include "../compare/context.hpp"
#include "../compare/corpus.hpp"
#include "../ground/text.hpp"

namespace command {

/// Returns the part of a page before a mark, and the part after it.
std::pair<std::string_view, std::string_view> split_page(std::string_view page, std::string_view mark);

/// Returns a JSON string that is safe inside an HTML element. Nothing in the string begins a tag or a comment.
std::string script_string(std::string_view text);

/// Returns a text for the inside of an HTML element. Characters of markup are written as character references.
std::string html_text(std::string_view text);

/// Describes in words when two documents are near-duplicates, for example "the Jaccard similarity of ... is at least
/// 0.8".
std::string rule_text(const run_settings& settings);

/// Returns the current time in UTC, as "2026-11-28 17:40 UTC". If the environment variable SOURCE_DATE_EPOCH is set and
/// not empty, returns the time in its value, in seconds since 1970.
/// Throws: usage_error if the variable is not a number of seconds before the year 10000.
std::string time_text();

/// Unless --quiet is given, says if the page is too large for browsers. `largest`: a name for the items that --most N
/// writes, such as "largest groups".
void say_if_large(const context& c, const std::string& largest);

/// Returns the longest beginning of a text that has at most `most` bytes and ends with a whole character.
std::string_view first_bytes(std::string_view text, std::size_t most);

/// Writes the difference of two texts as a JSON array. Its elements are pairs of a kind and a text, or, for omitted
/// text, of a kind and a size. Equal parts are shortened.
void write_difference(output& out, std::string_view kept, std::string_view other);

/// Reads texts again, to show them to people.
class text_rereader {
 public:
  explicit text_rereader(const input_settings& settings) : settings_(settings), read_(make_record_reader(settings)) {}

  static constexpr std::size_t max_text = std::size_t{1} << 20;

  /// Returns at most the first megabyte of the text at a place. Returns "" if only the fingerprint is known.
  /// Throws: input_error if the text is no longer there.
  std::string at(const place& where) {
    if (where.length == 0) return "";
    const std::string_view raw = bytes_at(where);
    const bool is_whole = where.from->unit == unit_of_input::files;
    if (is_whole && settings_.encoding.empty()) return std::string(first_bytes(raw, max_text));
    if (read_(*where.from, content_of_record(*where.from, raw, where.offset == 0), record_)) fail_changed(*where.from);
    return std::string(first_bytes(joined(record_.fields, settings_.weighted_field.empty() ? '\n' : ' '), max_text));
  }

 private:
  /// Returns the bytes at a place. The result is valid until the next call.
  std::string_view bytes_at(const place& where) {
    constexpr std::size_t ahead = std::size_t{1} << 16;  // so that the next texts in input order are in the buffer, too
    try {
      if (source_ != where.from) {
        file_.emplace(*where.from);
        source_ = where.from;
        buffer_.resize(0);
      }
      if (where.offset < begin_ || where.offset + where.length > begin_ + buffer_.size()) {
        begin_ = where.offset;
        const std::size_t wanted = std::max<std::size_t>(where.length, ahead);
        buffer_.resize(0);
        buffer_.reserve(wanted);
        buffer_.resize(file_->read_at(begin_, buffer_.data(), wanted));
      }
    } catch (const read_error& error) {
      throw input_error({where.from->name(), error.what()});
    }
    if (where.offset + where.length > begin_ + buffer_.size()) fail_changed(*where.from);
    return buffer_.view().substr(where.offset - begin_, where.length);
  }

  const input_settings& settings_;
  record_reader read_;
  record record_;
  std::shared_ptr<source> source_;
  std::optional<source_file> file_;
  byte_buffer buffer_;
  std::uint64_t begin_ = 0;  // position of the buffer in the source
};

}  // namespace command
