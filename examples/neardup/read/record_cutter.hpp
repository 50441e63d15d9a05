// Where the records of a source end, for formats whose records are no lines.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "input_settings.hpp"

namespace command {

/// Goes through the bytes of a source, in pieces, and finds where its records end. The pieces of a record need not be
/// there at once.
class record_cutter {
 public:
  /// Of tables, arrays of JSON and WARC; of anything else all of the source is one record.
  explicit record_cutter(unit_of_input unit) : unit_(unit) {}

  /// Behind a gap in a source, from this place on: of WARC it looks for the next record.
  record_cutter(unit_of_input unit, std::uint64_t begin)
      : unit_(unit), begin_(begin), taken_(begin), is_lost_(unit == unit_of_input::warc) {}

  /// Takes the next bytes. Appends where records end, counted from the beginning of the source. What follows the last
  /// of these when all has come is a record, too: for tables and WARC a last one, of an array what follows it.
  void take(std::string_view bytes, std::vector<std::uint64_t>& ends);

  /// Whether all that came are whole records, though nothing says yet that the last one has ended.
  [[nodiscard]] bool is_behind_record() const noexcept { return is_behind_ && line_.empty(); }

  /// Whether an array of JSON has not ended.
  [[nodiscard]] bool is_open() const noexcept { return depth_ > 0; }

 private:
  void take_csv(std::string_view bytes, std::vector<std::uint64_t>& ends);
  void take_array(std::string_view bytes, std::vector<std::uint64_t>& ends);
  void take_warc(std::string_view bytes, std::vector<std::uint64_t>& ends);
  void take_warc_line(std::uint64_t begin, std::vector<std::uint64_t>& ends);

  unit_of_input unit_;
  std::uint64_t begin_ = 0;  // of the first byte that it takes
  std::uint64_t taken_ = 0;

  // Of CSV, and of JSON whether a string is open.
  bool in_quotes_ = false;
  bool value_begins_ = true;

  // Of an array of JSON.
  bool is_escaped_ = false;
  std::uint64_t depth_ = 0;

  // Of WARC.
  std::string line_;  // the beginning of one, as far as it may say something
  std::uint64_t line_size_ = 0;
  bool is_first_ = true;    // line of a header
  bool is_lost_ = false;    // until a record begins
  bool is_behind_ = false;  // a record: its blank lines come
  std::uint64_t blank_lines_ = 0;
  std::uint64_t length_ = 0;
  bool has_length_ = false;
  std::uint64_t to_skip_ = 0;  // of a body
};

/// Cuts what record_cutter took for one record, and was none, where a record surely begins: a row of CSV whose quotes are
/// wrong at each line, an array of JSON at the lines that begin as its first element does, WARC at marks of records. The
/// first piece is what is bad. Complexity: linear.
std::vector<std::string_view> recovered_pieces(unit_of_input unit, std::string_view raw);

/// Whether a bad element of an array may have taken in others: its braces or its quotes have no end.
bool may_hold_others(std::string_view element);

/// A piece that record_cutter makes of an array of JSON: an element, and what it is to the array.
struct array_piece {
  std::string_view element;  ///< without what is around it; may be empty
  bool has_end = false;      ///< a comma or the bracket follows it
  bool is_last = false;      ///< the bracket follows it, or it stands behind that
};
array_piece piece_of_array(std::string_view raw, bool is_first);

}  // namespace command
