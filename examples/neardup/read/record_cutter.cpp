#include "record_cutter.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "input.hpp"
#include "mail.hpp"
#include "warc.hpp"

namespace command {

namespace {

constexpr std::string_view warc_begin = "WARC/";
constexpr std::size_t longest_line = std::size_t{1} << 12;   // longest part of a line that is examined
constexpr std::size_t longest_row = 100'000'000;             // longest part of a CSV row before a closing quote
constexpr std::size_t longest_wrong = std::size_t{1} << 24;  // longest JSON that is searched for objects as a whole

}  // namespace

void record_cutter::take(std::string_view all, std::size_t next, std::vector<std::uint64_t>& ends) {
  const std::string_view bytes = all.substr(next);
  switch (unit_) {
    case unit_of_input::csv: take_csv(all, next, ends); break;
    case unit_of_input::json_array: take_array(bytes, ends); break;
    case unit_of_input::warc: take_warc(bytes, ends); break;
    case unit_of_input::mbox: take_mbox(bytes, ends); break;
    case unit_of_input::tsv:
      for (std::size_t end = 0; (end = bytes.find('\n', end)) != bytes.npos;) ends.push_back(taken_ + ++end);
      break;
    default: break;
  }
  taken_ += bytes.size();
}

/// Finds the ends of CSV rows. The quotes of a row are wrong if a closing quote is followed by a byte like the x in
/// `"a"x`. Then each line of the row before the line with the closing quote becomes a row, and the line with the
/// closing quote is read again, as the beginning of a row. The earlier lines need not be read again: if one of them
/// left a quote open, this quote would be closed at the same wrong place. If the closing quote is on the first line of
/// the row, this line becomes a row. A value that is still in quotes after `longest_row` bytes of its row is treated as
/// if its closing quote were wrong there.
void record_cutter::take_csv(std::string_view all, std::size_t next, std::vector<std::uint64_t>& ends) {
  const std::uint64_t begin = taken_ - next;  // position of `all` in the source
  for (std::size_t i = next; i < all.size(); ++i) {
    const char c = all[i];
    const auto row = [&] { return static_cast<std::size_t>(row_begin_ - begin); };
    const auto end_wrong_row = [&](std::size_t end) {
      const bool has_lines = end_lines(all.substr(row(), end - row()), ends) > 0;
      place_ = has_lines ? row_place::value_begin : row_place::wrong;
      i = (has_lines ? row() : end) - 1;
    };
    switch (place_) {
      case row_place::unquoted:
        if (c == ',') place_ = row_place::value_begin;
        break;
      case row_place::quoted:
        i = std::min(all.find('"', i), all.size());
        if (i - row() > longest_row) {
          end_wrong_row(row() + longest_row);
        } else if (i < all.size()) {
          place_ = row_place::closed;
        }
        continue;
      case row_place::value_begin:
        if (c == '"') place_ = row_place::quoted;
        // A byte order mark may precede the first value.
        else if (c != ',' && !byte_order_mark.starts_with(all.substr(row(), i + 1 - row())))
          place_ = row_place::unquoted;
        break;
      case row_place::closed:
      case row_place::returned:
        if (c == '\n') break;
        if (place_ == row_place::closed && (c == '"' || c == ',' || c == '\r')) {
          place_ = c == '"' ? row_place::quoted : c == ',' ? row_place::value_begin : row_place::returned;
        } else {
          end_wrong_row(i);
        }
        continue;
      case row_place::wrong: break;
    }
    if (c != '\n') continue;
    row_begin_ = begin + i + 1;
    ends.push_back(row_begin_);
    place_ = row_place::value_begin;
  }
}

/// Ends each line of `lines`, the beginning of the open CSV row.
/// Returns: the size of these lines, without the bytes after the last line end.
std::size_t record_cutter::end_lines(std::string_view lines, std::vector<std::uint64_t>& ends) {
  const std::uint64_t begin = row_begin_;
  for (std::size_t end = 0; (end = lines.find('\n', end)) != lines.npos;) ends.push_back(row_begin_ = begin + ++end);
  return static_cast<std::size_t>(row_begin_ - begin);
}

void record_cutter::end_open_row(std::string_view all, std::vector<std::uint64_t>& ends) {
  if (place_ != row_place::quoted && place_ != row_place::returned) return;
  end_lines(all.substr(all.size() - static_cast<std::size_t>(taken_ - row_begin_)), ends);
  place_ = row_place::value_begin;
}

void record_cutter::take_array(std::string_view bytes, std::vector<std::uint64_t>& ends) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const char c = bytes[i];
    const bool was_in_quotes = strings_.in_quotes;
    const bool is_mark = strings_.take(c);
    if (c == '\n') {
      // A gap may end inside a string. If the line after the gap seems to end in a string, it began in a string, so the
      // braces that were counted belong to the text of strings.
      if (std::exchange(is_lost_, false) && was_in_quotes) depth_ = 1;
      if (!strings_.are_in_order) strings_ = {};
    }
    if (!is_mark) continue;
    switch (c) {
      case '[': ++depth_; break;
      case '{':
        depth_ += depth_ == 0 ? 2 : 1;  // an object after the end of the array is cut like an element of it
        break;
      case '}':
        if (depth_ > 1) --depth_;  // only a bracket ends the array
        break;
      case ']':
        if (depth_ > 0) --depth_;  // no record ends here, so that bytes after the array make its last record invalid
        break;
      case ',': {
        // After wrong quotes, a comma may belong to a text. Then the record extends to the next line, or until it is long.
        const std::uint64_t end = taken_ + i + 1;
        if (is_lost_ || (strings_.are_in_order ? depth_ != 1 : end - row_begin_ < longest_wrong)) break;
        ends.push_back(row_begin_ = end);
        break;
      }
      default: break;
    }
  }
  const std::size_t last = bytes.find_last_not_of(white_space);
  if (last != bytes.npos) is_behind_ = depth_ == 0 && !strings_.in_quotes && bytes[last] == ']';
}

/// A message begins at a line that starts with "From " and precedes the first header field. The line has a date, or it
/// follows a blank line and has an address.
void record_cutter::take_mbox(std::string_view bytes, std::vector<std::uint64_t>& ends) {
  for (std::size_t i = 0; i < bytes.size();) {
    const std::size_t end = std::min(bytes.find('\n', i), bytes.size());
    const std::string_view part = bytes.substr(i, end - i);
    line_ += part.substr(0, longest_line - std::min(longest_line, line_.size()));
    line_size_ += part.size();
    if (end == bytes.size()) return;
    const std::uint64_t begin = taken_ + end - line_size_;
    // Some servers leave a line with ">From " at the beginning of a header.
    if (next_begin_ && (begins_field(line_) || line_.starts_with(">From "))) ends.push_back(*next_begin_);
    next_begin_.reset();
    std::string_view line = line_;
    if (begin == 0 && line.starts_with(byte_order_mark)) line.remove_prefix(byte_order_mark.size());
    if (line.starts_with("From ")) {
      // An address may be a local name without '@', if nothing follows the name.
      const bool has_address = line.find('@') != line.npos || line.find_first_of(" \t", 5) == line.npos;
      if (!has_message_) {
        has_message_ = true;  // the first message begins here, perhaps after blank lines
      } else if (begins_message(line) || (is_behind_blank_ && has_address)) {
        next_begin_ = begin;
      }
    }
    is_behind_blank_ = line_.find_first_not_of(" \t\r") == line_.npos;
    line_.clear();
    line_size_ = 0;
    i = end + 1;
  }
}

void record_cutter::take_warc(std::string_view bytes, std::vector<std::uint64_t>& ends) {
  for (std::size_t i = 0; i < bytes.size();) {
    if (to_skip_ > 0) {
      const auto skipped = static_cast<std::size_t>(std::min<std::uint64_t>(to_skip_, bytes.size() - i));
      to_skip_ -= skipped;
      i += skipped;
      is_behind_ = to_skip_ == 0;
      continue;
    }
    const std::size_t end = std::min(bytes.find('\n', i), bytes.size());
    const std::string_view part = bytes.substr(i, end - i);
    line_ += part.substr(0, longest_line - std::min(longest_line, line_.size()));
    line_size_ += part.size();
    i = end;
    if (end == bytes.size()) return;
    ++i;
    take_warc_line(taken_ + i - 1 - line_size_, ends);
    line_.clear();
    line_size_ = 0;
  }
}

/// Processes line_, which begins at `begin` in the source. If line_ shows the end of a record, appends it to `ends`.
void record_cutter::take_warc_line(std::uint64_t begin, std::vector<std::uint64_t>& ends) {
  std::string_view line(line_);
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (is_behind_) {
    // Two line ends close a record. The next record begins at the first line that is not empty.
    if (line.empty()) {
      ++blank_lines_;
      return;
    }
    is_behind_ = false;
    is_first_ = true;
    if (line.starts_with(warc_begin) || blank_lines_ >= 2) {
      ends.push_back(begin);
    } else {
      is_lost_ = true;  // the length was wrong: this line still belongs to the record
    }
  }
  if (is_lost_) {
    if (!line.starts_with(warc_begin)) return;
    if (begin > begin_) ends.push_back(begin);
    is_lost_ = false;
    is_first_ = true;
  }
  if (is_first_) {
    if (line.empty()) return;
    is_first_ = false;
    has_length_ = false;
    is_lost_ = !line.starts_with(warc_begin);
    return;
  }
  if (!line.empty()) {
    const std::string whole = "\n" + std::string(line);
    if (const auto value = header_lines(whole)["Content-Length"]; value && !has_length_) {
      const auto length = content_length(*value);
      has_length_ = length.has_value();
      length_ = length.value_or(0);
    }
    return;
  }
  is_lost_ = !has_length_;
  if (is_lost_) return;
  to_skip_ = length_;
  blank_lines_ = 0;
  is_behind_ = length_ == 0;
}

namespace {

/// Returns true if an element may begin after the first byte. An object after a colon is not an element.
bool may_hold_others(std::string_view bytes) {
  for (std::size_t at = 0; (at = bytes.find('{', at + 1)) != bytes.npos;) {
    const std::size_t before = bytes.find_last_not_of(white_space, at - 1);
    if (before == bytes.npos || bytes[before] != ':') return true;
  }
  return false;
}

/// Cuts the objects out of a bad piece of a JSON array.
class object_cutter {
 public:
  explicit object_cutter(std::string_view raw) : raw_(raw), to_try_(8 * raw.size()) {}

  std::vector<array_part> parts() {
    json_strings strings;
    for (std::size_t i = 0; i <= raw_.size(); ++i) {
      const char c = i < raw_.size() ? raw_[i] : '\n';
      const bool is_mark = strings.take(c) && std::string_view("[]{},").find(c) != std::string_view::npos;
      if (!strings.are_in_order) {
        if (rest_ == raw_.npos) rest_ = i;
        const std::size_t next = next_object(rest_, i, "\n");
        spend(i, next);
        end_rest(next, true);
        i = next - 1;
        strings = {};
      } else if (is_mark && strings.are_in_order) {
        end_rest(i, false);
        if (c != '{') continue;
        take_object(i);
        i += parts_.back().bytes.size() - 1;
        strings = {};
      } else if (rest_ == raw_.npos && white_space.find(c) == white_space.npos) {
        rest_ = i;
      }
    }
    end_rest(raw_.size(), false);
    return std::move(parts_);
  }

 private:
  static constexpr std::size_t max_depth = 1024;

  /// Spends the bytes from `next` to `at`, if there are any: they were read, and are read again.
  void spend(std::size_t at, std::size_t next) { to_try_ -= std::min(to_try_, at - std::min(at, next)); }

  /// Returns true if a whole object begins at `begin`. Otherwise spends the bytes that were read.
  bool is_whole(std::size_t begin) {
    json_strings strings;
    std::string open;
    std::size_t i = begin;
    for (bool is_in_order = true; i < raw_.size() && is_in_order; ++i) {
      const char c = raw_[i];
      const bool is_mark = strings.take(c);
      is_in_order = strings.are_in_order;
      if (!is_mark || !is_in_order) continue;
      if (c == '{' || c == '[') {
        is_in_order = is_value(open, strings.before) && open.size() < max_depth;
        open += c;
      } else if (c == '}' || c == ']') {
        is_in_order = open.back() == (c == '}' ? '{' : '[');
        open.pop_back();
        if (is_in_order && open.empty()) return true;
      }
    }
    spend(i, begin);
    return false;
  }

  /// Returns true if a brace or bracket behind `before` begins a value. `open`: the braces and brackets around it.
  static bool is_value(std::string_view open, char before) {
    return open.ends_with('{') ? before == ':' : open.empty() || before == '[' || before == ',';
  }

  /// Returns the place of the next whole object after `begin`, or of the line behind the first `next_line` at or after
  /// `from`, whichever comes first. An object after a colon does not count. Tries to read an object at each brace, until
  /// the budget is spent.
  std::size_t next_object(std::size_t begin, std::size_t from, std::string_view next_line) {
    char before = raw_[begin];
    for (std::size_t at = begin + 1; at < raw_.size(); ++at) {
      const char c = raw_[at];
      if (at >= from && raw_.substr(at).starts_with(next_line)) return at + 1;
      if (c == '{' && before != ':' && to_try_ > 0 && is_whole(at)) {
        has_moved_ = true;
        return at;
      }
      if (white_space.find(c) == white_space.npos) before = c;
    }
    return raw_.size();
  }

  /// Returns the beginning of a line that looks like the line of the element at `begin`: the line end before it, the
  /// same blanks, and a brace. Calls have ascending arguments, so that each line is examined once.
  std::string beginning_like(std::size_t begin) {
    const std::size_t line_end = raw_.substr(examined_, begin - examined_).rfind('\n');
    if (line_end != raw_.npos) {
      const std::size_t line = examined_ + line_end + 1;
      element_ = raw_.find_first_not_of(" \t", line);
      indent_ = raw_.substr(line, element_ - line);
      element_ = raw_.find_first_not_of("[,", element_);
    }
    examined_ = begin;
    return "\n" + std::string(begin == element_ ? indent_ : "") + "{";
  }

  /// Ends the part that belongs to no object, if there is one. `may_hide_objects`: true if the quotes of this part are
  /// wrong, so that it may contain objects.
  void end_rest(std::size_t end, bool may_hide_objects) {
    if (rest_ != raw_.npos) add(rest_, end, false, may_hide_objects);
    rest_ = raw_.npos;
  }

  void add(std::size_t begin, std::size_t end, bool is_object, bool may_hide_objects) {
    const std::string_view bytes = raw_.substr(begin, end - begin);
    parts_.push_back({bytes, is_object, may_hide_objects && may_hold_others(bytes) ? bytes.size() : 0});
  }

  /// Takes the object that begins at `begin`. An object with wrong quotes, brackets or braces ends at the first of
  /// three places: before the next line that begins like the object, before a brace in place of a key, or after the
  /// brace that closes the object. After the budget is spent, each object ends before such a line.
  void take_object(std::size_t begin) {
    const std::string next_line = beginning_like(begin);
    json_strings strings;
    std::string open;  // the braces and brackets without an end so far
    bool is_in_order = true, is_closed = false, is_misplaced = false;
    std::size_t line = raw_.npos, end = raw_.npos;
    std::size_t i = begin;
    for (; i < raw_.size() && end == raw_.npos; ++i) {
      const char c = raw_[i];
      if (c == '\n' && line == raw_.npos && raw_.substr(i).starts_with(next_line)) line = i + 1;
      const bool is_mark = strings.take(c);
      if (!strings.are_in_order) {
        is_in_order = false;
        end = next_object(begin, begin, next_line);
      } else if (is_mark && (c == '{' || c == '[')) {
        const char before = strings.before;
        const bool is_valid = is_value(open, before);
        const bool is_too_deep = open.size() == max_depth;
        is_in_order = is_in_order && is_valid && !is_too_deep;
        if (!is_valid && c == '{' && line == raw_.npos) {
          is_misplaced = true;
          if (open.ends_with('{') && (before == '{' || before == ',')) end = i;
        }
        if (is_too_deep)
          is_misplaced = true;
        else
          open += c;
      } else if (is_mark && (c == '}' || c == ']')) {
        const std::size_t opening = open.rfind(c == '}' ? '{' : '[');  // what opened after it never closes
        is_in_order = is_in_order && opening == open.size() - 1;
        if (c == '}' && open.ends_with('[')) is_misplaced = true;
        if (opening != open.npos) open.resize(opening);
        is_closed = open.empty();
        if (is_closed) end = i + 1;
      }
      if (line != raw_.npos && (!is_in_order || reached_end_ || to_try_ == 0)) {
        end = line;
        is_closed = false;
      }
    }
    if (end == raw_.npos) {
      reached_end_ = true;
      end = std::min(line, raw_.size());
    }
    spend(i, end);
    add(begin, end, is_in_order && is_closed, !is_closed || is_misplaced);
    // Bytes before this object were skipped, so quotes may pair up differently than in record_cutter. record_cutter may
    // then have cut this object at a comma.
    if (has_moved_ && end == raw_.size() && raw_.ends_with(',') && !is_closed) parts_.back().unread = end - begin;
  }

  std::string_view raw_;
  std::vector<array_part> parts_;
  std::size_t to_try_;                            // budget: the number of bytes that may still be read again
  std::size_t examined_ = 0;                      // beginning_like() has examined the lines before
  std::size_t element_ = std::string_view::npos;  // the first element of the last of them, unless it is the first line
  std::string_view indent_;                       // the blanks before this element
  std::size_t rest_ = std::string_view::npos;     // where bytes begin that belong to no object
  bool has_moved_ = false;                        // true after next_object() has found an object
  bool reached_end_ = false;  // true after an object without an end: then each line that begins like an object counts
};

/// Returns the end of the WARC record whose mark is at `begin`. `next`: the place of the next mark.
/// Returns: nullopt if the header does not end before `next` or has no valid Content-Length, or if the body, which has
/// this length, is followed by neither another record nor the end of the bytes.
/// Complexity: linear in the header.
std::optional<std::size_t> end_of_warc(std::string_view raw, std::size_t begin, std::size_t next) {
  const header_lines header(raw.substr(begin, next - begin + 1));
  const auto length = content_length(header["Content-Length"].value_or(""));
  if (!header.body() || !length) return std::nullopt;
  const auto body = static_cast<std::size_t>(header.body()->data() - raw.data());
  if (*length > raw.size() - body) return std::nullopt;
  std::size_t end = body + static_cast<std::size_t>(*length);
  end = std::min(raw.find_first_not_of("\r\n", end), raw.size());
  const bool ends_well = end == raw.size() || raw.substr(end).starts_with(warc_begin);
  return ends_well ? std::optional(end) : std::nullopt;
}

}  // namespace

std::vector<std::string_view> recovered_warc(std::string_view raw) {
  const std::string mark = "\n" + std::string(warc_begin);
  std::vector<std::string_view> pieces;
  std::size_t begin = 0;
  // If no whole record begins at a mark, the mark and the bytes after it belong to a bad record. The bad record ends at
  // the next mark that begins a whole record.
  for (std::size_t at = raw.find(mark); at != raw.npos;) {
    const std::size_t next = raw.find(mark, at + 1);
    const auto end = end_of_warc(raw, at + 1, std::min(next, raw.size()));
    if (!end) {
      at = next;
      continue;
    }
    if (at + 1 > begin) pieces.push_back(raw.substr(begin, at + 1 - begin));
    pieces.push_back(raw.substr(at + 1, *end - at - 1));
    begin = *end;
    at = begin == raw.size() ? raw.npos : begin - 1;
  }
  if (begin < raw.size()) pieces.push_back(raw.substr(begin));
  return pieces;
}

std::vector<array_part> parts_of_array(std::string_view raw) { return object_cutter(raw).parts(); }

array_piece piece_of_array(std::string_view raw, bool is_first) {
  array_piece piece;
  const auto strip_front = [&] { raw.remove_prefix(std::min(raw.find_first_not_of(white_space), raw.size())); };
  strip_front();
  if (is_first && raw.starts_with('[')) {
    raw.remove_prefix(1);
    strip_front();
  }
  raw = raw.substr(0, raw.find_last_not_of(white_space) + 1);
  piece.has_end = raw.ends_with(',') || raw.ends_with(']');
  piece.is_last = raw.ends_with(']');
  if (piece.has_end) raw.remove_suffix(1);
  piece.element = raw.substr(0, raw.find_last_not_of(white_space) + 1);
  return piece;
}

}  // namespace command
