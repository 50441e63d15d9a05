// SPDX-License-Identifier: MIT
// Reads text files that are tables, line by line.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "../error.hpp"
#include "windows_files.hpp"

namespace neardup::inline v0::detail {

inline std::FILE* open_to_read(const std::string& path) {
#if defined(_WIN32)
  return ::_wfopen(wide_name(path).c_str(), L"rb");
#else
  return std::fopen(path.c_str(), "rb");
#endif
}

/// Reads a whole file.
/// Throws: std::runtime_error if the file cannot be read; the message names the file.
inline std::string read_file(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(open_to_read(path), &std::fclose);
  if (!file) fail<std::runtime_error>({"cannot open ", path});
  std::string contents;
  std::string block(std::size_t{1} << 16, '\0');
  for (std::size_t size = 0; (size = std::fread(block.data(), 1, block.size(), file.get())) > 0;) {
    contents.append(block, 0, size);
  }
  if (std::ferror(file.get()) != 0) fail<std::runtime_error>({"cannot read ", path});
  return contents;
}

/// Returns `text` without blanks at its beginning and end.
constexpr std::string_view trim(std::string_view text) noexcept {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) + 1 - first);
}

/// Calls `visit(line, number)` for each non-empty line. Blanks at the ends of the line are removed. Empty lines count
/// in `number`, which starts at 1. A byte order mark at the beginning of the text is skipped.
template <class Visit>
void for_each_line(std::string_view contents, const Visit& visit) {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  if (contents.substr(0, mark.size()) == mark) contents.remove_prefix(mark.size());
  for (std::size_t number = 1; !contents.empty(); ++number) {
    const std::size_t end = (std::min)(contents.find('\n'), contents.size());
    const std::string_view line = trim(contents.substr(0, end));
    contents.remove_prefix((std::min)(end + 1, contents.size()));
    if (!line.empty()) visit(line, number);
  }
}

/// Parses a non-negative whole number below 2^53.
/// Returns: nullopt if the text is not such a number.
constexpr std::optional<std::uint64_t> parse_count(std::string_view text) noexcept {
  std::uint64_t number = 0;
  if (text.empty()) return std::nullopt;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    number = number * 10 + static_cast<std::uint64_t>(c - '0');
    if (number >= (std::uint64_t{1} << 53)) return std::nullopt;
  }
  return number;
}

}  // namespace neardup::inline v0::detail
