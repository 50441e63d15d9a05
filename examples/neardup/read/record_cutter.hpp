// Finds the ends of the records in a source, for formats in which a record is not a line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "input_settings.hpp"

namespace command {

inline constexpr std::string_view white_space = " \t\r\n";

/// Follows the strings of damaged JSON. A string ends at the end of its line, because its quote is then missing.
struct json_strings {
  bool in_quotes = false, is_escaped = false;
  bool are_in_order = true;       // false if a string does not end in its line, or has no mark such as ',' beside it
  char before = ',', last = ',';  // the last two characters that are neither blanks nor in a string

  /// Takes the next character. Returns true if it is neither a blank nor in a string. The opening quote of a string
  /// does not count as a character in the string.
  bool take(char c) {
    if (in_quotes) {
      if (c == '\n') are_in_order = in_quotes = is_escaped = false;
      if (!is_escaped && c == '"') in_quotes = false;
      is_escaped = !is_escaped && c == '\\';
      return false;
    }
    if (static_cast<unsigned char>(c) <= ' ') return false;  // faster than a search in white_space
    before = std::exchange(last, c);
    in_quotes = c == '"';
    if (in_quotes && std::string_view("{[,:").find(before) == std::string_view::npos) are_in_order = false;
    if (before == '"' && std::string_view(",:]}").find(c) == std::string_view::npos) are_in_order = false;
    return true;
  }
};

/// Processes the bytes of a source, piece by piece, and finds the ends of the records. A record may extend over several
/// pieces.
class record_cutter {
 public:
  /// Cuts tables, JSON arrays, WARC and mail boxes into records. A source of any other kind is one record.
  explicit record_cutter(unit_of_input unit) : unit_(unit) {}

  /// Starts at the position `begin`, after a gap in a source. For WARC, the cutter first searches for the next record.
  /// In a JSON array, the first record extends at least to the next line, because the gap may end within a string.
  record_cutter(unit_of_input unit, std::uint64_t begin)
      : unit_(unit),
        begin_(begin),
        taken_(begin),
        row_begin_(begin),
        depth_(unit == unit_of_input::json_array ? 1 : 0),
        has_message_(true),
        is_lost_(unit == unit_of_input::warc || unit == unit_of_input::json_array) {}

  /// Processes the bytes `all` from position `next` on. The bytes before `next` were processed by earlier calls, and
  /// begin with a record. Appends the ends of records to `ends`, counted from the beginning of the source. At the end of
  /// the source, the bytes after the last of these ends are also a record. In a JSON array, they are its last element,
  /// with the bytes after the array.
  void take(std::string_view all, std::size_t next, std::vector<std::uint64_t>& ends);

  /// Ends a CSV row at the end of the source: each line of the row becomes a record. Appends the position
  /// after each of the new records to `ends`.
  /// No-op unless the row's last quoted value has no closing quote, or only a carriage return after it. Call this
  /// function after the last take(). `all`: the argument of that call.
  void end_open_row(std::string_view all, std::vector<std::uint64_t>& ends);

  /// Returns true if the bytes so far end with a whole record of WARC, or with the end of a JSON array. The end of a
  /// WARC record is where the length in its header puts it, even if this length is wrong.
  [[nodiscard]] bool is_behind_record() const noexcept { return is_behind_ && line_.empty(); }

  /// Returns true if a JSON array has not ended yet.
  [[nodiscard]] bool is_open() const noexcept { return depth_ > 0; }

 private:
  void take_csv(std::string_view all, std::size_t next, std::vector<std::uint64_t>& ends);
  std::size_t end_lines(std::string_view lines, std::vector<std::uint64_t>& ends);
  void take_array(std::string_view bytes, std::vector<std::uint64_t>& ends);
  void take_mbox(std::string_view bytes, std::vector<std::uint64_t>& ends);
  void take_warc(std::string_view bytes, std::vector<std::uint64_t>& ends);
  void take_warc_line(std::uint64_t begin, std::vector<std::uint64_t>& ends);

  unit_of_input unit_;
  std::uint64_t begin_ = 0;  // position of the first byte to process
  std::uint64_t taken_ = 0;

  /// A place in a CSV row: `closed` is after the quotes of a value, `returned` after a carriage return behind them, and
  /// `wrong` after anything else behind them.
  enum class row_place { value_begin, unquoted, quoted, closed, returned, wrong };
  row_place place_ = row_place::value_begin;
  std::uint64_t row_begin_ = 0;  // also where an element of an array begins

  // The next members, row_begin_ and is_lost_ are the state within a JSON array.
  json_strings strings_;
  std::uint64_t depth_ = 0;

  // The next members, line_ and line_size_ are the state within a mail box.
  bool has_message_ = false, is_behind_blank_ = true;
  std::optional<std::uint64_t> next_begin_;  // place of the previous line, if a message may begin there

  // The next members are the state within a WARC file.
  std::string line_;  // the beginning of a line, as far as it matters
  std::uint64_t line_size_ = 0;
  bool is_first_ = true;    // true if the next line is the first line of a header
  bool is_lost_ = false;    // true while the next record, or line of an array, after a gap is searched for
  bool is_behind_ = false;  // true after a record, where blank lines follow, and after a JSON array
  std::uint64_t blank_lines_ = 0;
  std::uint64_t length_ = 0;
  bool has_length_ = false;
  std::uint64_t to_skip_ = 0;  // number of bytes of a body that are still to be skipped
};

/// Cuts bad bytes of WARC, which record_cutter took for one record, at the marks of whole records. The first of the
/// returned pieces is bad.
/// Complexity: linear.
std::vector<std::string_view> recovered_warc(std::string_view raw);

/// A part of a bad piece of a JSON array: an object, or other bytes.
struct array_part {
  std::string_view bytes;
  bool is_object = false;    ///< true if the braces, brackets and quotes of an object are in order
  std::uint64_t unread = 0;  ///< the size of a part that may hide further objects, otherwise 0
};

/// Cuts `raw`, a piece of a JSON array that is not valid JSON, into its objects and the bytes between them. Blanks,
/// commas and brackets between two parts are left out.
/// Complexity: linear.
std::vector<array_part> parts_of_array(std::string_view raw);

/// A piece of a JSON array, as record_cutter cuts it.
struct array_piece {
  std::string_view element;  ///< the element, without the bytes around it; may be empty
  bool has_end = false;      ///< true if a comma, or the closing bracket of the array, follows the element
  bool is_last = false;      ///< true if this bracket follows or precedes the element
};
array_piece piece_of_array(std::string_view raw, bool is_first);

}  // namespace command
