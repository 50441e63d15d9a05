#include "glob.hpp"

#include <algorithm>
#include <cstddef>

#include <neardup/text/utf8.hpp>

namespace command {

namespace {

/// Matches one character with the set that the pattern begins with.
/// Returns: where the set ends, 0 if it has no end and is an ordinary '['.
std::size_t match_set(std::string_view pattern, char32_t c, bool& matched) {
  std::size_t i = 1;
  const bool inverted = i < pattern.size() && (pattern[i] == '!' || pattern[i] == '^');
  if (inverted) ++i;
  matched = false;
  const std::size_t first = i;
  while (i < pattern.size() && (pattern[i] != ']' || i == first)) {
    const neardup::decoded low = neardup::decode_one(pattern.substr(i));
    i += low.length;
    char32_t high = low.code_point;
    if (i + 1 < pattern.size() && pattern[i] == '-' && pattern[i + 1] != ']') {
      const neardup::decoded last = neardup::decode_one(pattern.substr(i + 1));
      i += 1 + last.length;
      high = last.code_point;
    }
    if (low.code_point <= c && c <= high) matched = true;
  }
  if (i >= pattern.size()) return 0;
  if (inverted) matched = !matched;
  return i + 1;
}

}  // namespace

bool matches_glob(std::string_view pattern, std::string_view text) {
  while (!pattern.empty()) {
    if (pattern.starts_with("**/")) {
      // Also no folder at all: the rest may begin at the beginning of any name.
      pattern.remove_prefix(3);
      for (;;) {
        if (matches_glob(pattern, text)) return true;
        const std::size_t slash = text.find('/');
        if (slash == std::string_view::npos) return false;
        text.remove_prefix(slash + 1);
      }
    }
    if (pattern.front() == '*') {
      const bool across_folders = pattern.starts_with("**");
      pattern.remove_prefix(across_folders ? 2 : 1);
      for (;;) {
        if (matches_glob(pattern, text)) return true;
        if (text.empty() || (text.front() == '/' && !across_folders)) return false;
        text.remove_prefix(1);
      }
    }
    if (text.empty()) return false;

    const neardup::decoded c = neardup::decode_one(text);
    bool in_set = false;
    std::size_t set_end = 0;
    if (pattern.front() == '[') set_end = match_set(pattern, c.code_point, in_set);
    if (pattern.front() == '?' || set_end != 0) {
      if (c.code_point == U'/' || (set_end != 0 && !in_set)) return false;
      pattern.remove_prefix(std::max<std::size_t>(set_end, 1));
      text.remove_prefix(c.length);
      continue;
    }
    if (pattern.front() == '\\' && pattern.size() > 1) pattern.remove_prefix(1);
    if (pattern.front() != text.front()) return false;
    pattern.remove_prefix(1);
    text.remove_prefix(1);
  }
  return text.empty();
}

bool matches_any(const std::vector<std::string>& patterns, std::string_view relative_path) {
  const std::size_t slash = relative_path.rfind('/');
  const std::string_view name = slash == std::string_view::npos ? relative_path : relative_path.substr(slash + 1);
  return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
    return matches_glob(pattern, pattern.find('/') == std::string::npos ? name : relative_path);
  });
}

}  // namespace command
