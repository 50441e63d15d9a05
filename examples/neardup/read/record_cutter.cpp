#include "record_cutter.hpp"

#include <algorithm>

#include "warc.hpp"

namespace command {

namespace {

constexpr std::string_view white_space = " \t\r\n";
constexpr std::string_view warc_begin = "WARC/";
constexpr std::size_t longest_line = std::size_t{1} << 12;  // of a header, that says how long a record is

}  // namespace

void record_cutter::take(std::string_view bytes, std::vector<std::uint64_t>& ends) {
  switch (unit_) {
    case unit_of_input::csv: take_csv(bytes, ends); break;
    case unit_of_input::json_array: take_array(bytes, ends); break;
    case unit_of_input::warc: take_warc(bytes, ends); break;
    case unit_of_input::tsv:
      for (std::size_t end = 0; (end = bytes.find('\n', end)) != bytes.npos;) ends.push_back(taken_ + ++end);
      break;
    default: break;
  }
  taken_ += bytes.size();
}

/// Two quotes within a value leave it and begin it again, which comes to the same.
void record_cutter::take_csv(std::string_view bytes, std::vector<std::uint64_t>& ends) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const char c = bytes[i];
    if (in_quotes_) {
      i = std::min(bytes.find('"', i), bytes.size());
      if (i == bytes.size()) return;
      in_quotes_ = false;
      value_begins_ = true;  // as far as quotes go
    } else if (c == '"' && value_begins_) {
      in_quotes_ = true;
    } else {
      value_begins_ = c == ',' || c == '\n';
      // A byte order mark comes before the first value.
      if (taken_ + i < 3 && (c == '\xEF' || c == '\xBB' || c == '\xBF')) value_begins_ = true;
      if (c == '\n') ends.push_back(taken_ + i + 1);
    }
  }
}

void record_cutter::take_array(std::string_view bytes, std::vector<std::uint64_t>& ends) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const char c = bytes[i];
    if (in_quotes_) {
      if (is_escaped_) {
        is_escaped_ = false;
      } else if (c == '\\') {
        is_escaped_ = true;
      } else if (c == '"') {
        in_quotes_ = false;
      }
      continue;
    }
    switch (c) {
      case '"': in_quotes_ = true; break;
      case '[':
      case '{': ++depth_; break;
      case ']':
      case '}':
        if (depth_ > 0 && --depth_ == 0) ends.push_back(taken_ + i + 1);
        break;
      case ',':
        if (depth_ == 1) ends.push_back(taken_ + i + 1);
        break;
      default: break;
    }
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

/// Takes a line that begins at this place.
void record_cutter::take_warc_line(std::uint64_t begin, std::vector<std::uint64_t>& ends) {
  std::string_view line(line_);
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (is_behind_) {
    // Two line ends close a record; the next one begins where none of them stands.
    if (line.empty()) return;
    ends.push_back(begin);
    is_behind_ = false;
    is_first_ = true;
  }
  if (is_lost_) {
    if (!line.starts_with(warc_begin)) return;
    ends.push_back(begin);
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
  is_behind_ = length_ == 0;
}

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
