#include "glob.hpp"

#include <algorithm>
#include <cstddef>
#include <neardup/text/utf8.hpp>

namespace command {

namespace {

bool is_inverted(std::string_view set) { return set.size() > 1 && (set[1] == '!' || set[1] == '^'); }

/// Calls `visit(first, last)` for the ranges of the set that the pattern begins with, characters alone among them.
/// Returns: where the set ends, 0 if it has no end and is an ordinary '['.
template <class Visit>
std::size_t for_each_range(std::string_view pattern, const Visit& visit) {
  const std::size_t first = is_inverted(pattern) ? 2 : 1;
  std::size_t i = first;
  while (i < pattern.size() && (pattern[i] != ']' || i == first)) {
    const neardup::decoded low = neardup::decode_one(pattern.substr(i));
    i += low.length;
    char32_t high = low.code_point;
    if (i + 1 < pattern.size() && pattern[i] == '-' && pattern[i + 1] != ']') {
      const neardup::decoded last = neardup::decode_one(pattern.substr(i + 1));
      i += 1 + last.length;
      high = last.code_point;
    }
    visit(low.code_point, high);
  }
  return i < pattern.size() ? i + 1 : 0;
}

std::size_t length_of_set(std::string_view pattern) {
  return for_each_range(pattern, [](char32_t, char32_t) {});
}

bool is_in_set(std::string_view pattern, char32_t c) {
  bool found = false;
  for_each_range(pattern, [&](char32_t low, char32_t high) { found = found || (low <= c && c <= high); });
  return found != is_inverted(pattern);
}

/// places[i]: the pattern so far matches the text up to byte i. Kept for all i at once, since a pattern with many stars
/// has more ways to match than anybody could try.
using places = std::vector<bool>;

/// `*` and `**`: what comes next may stand anywhere behind a place, one or more characters on.
void pass_characters(std::string_view text, bool across_folders, places& reached) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!reached[i] || (text[i] == '/' && !across_folders)) continue;
    reached[i + neardup::decode_one(text.substr(i)).length] = true;
  }
}

/// `**/`: what comes next may begin any name behind a place.
void pass_folders(std::string_view text, places& reached) {
  bool any = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    any = any || reached[i];
    if (any && text[i] == '/') reached[i + 1] = true;
  }
}

/// '?', a set, or a byte that stands for itself. Returns: what of the pattern that was.
std::size_t pass_one(std::string_view pattern, std::string_view text, places& reached) {
  const std::size_t set = pattern.front() == '[' ? length_of_set(pattern) : 0;
  const bool any = pattern.front() == '?';
  const std::size_t escape = pattern.front() == '\\' && pattern.size() > 1 ? 1 : 0;
  places next(text.size() + 1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!reached[i]) continue;
    if (any || set > 0) {
      const neardup::decoded c = neardup::decode_one(text.substr(i));
      if (c.code_point != U'/' && (any || is_in_set(pattern, c.code_point))) next[i + c.length] = true;
    } else if (text[i] == pattern[escape]) {
      next[i + 1] = true;
    }
  }
  reached.swap(next);
  return set > 0 ? set : escape + 1;
}

}  // namespace

std::optional<std::string> wrong_with_glob(std::string_view pattern) {
  if (pattern.empty()) return "the pattern is empty";
  while (!pattern.empty()) {
    std::size_t length = pattern.front() == '\\' ? 2 : 1;
    if (pattern.front() == '[') {
      bool is_backwards = false;
      length = for_each_range(pattern, [&](char32_t low, char32_t high) { is_backwards = is_backwards || high < low; });
      if (length == 0) return "a [ has no ]; write \\[ for the character";
      if (is_backwards) return "a range goes backwards";
    }
    pattern.remove_prefix((std::min)(length, pattern.size()));
  }
  return std::nullopt;
}

bool matches_glob(std::string_view pattern, std::string_view text) {
  places reached(text.size() + 1);
  reached[0] = true;
  while (!pattern.empty()) {
    if (pattern.starts_with("**/")) {
      // Also no folder at all: the rest may begin at the beginning of any name.
      pass_folders(text, reached);
      pattern.remove_prefix(3);
    } else if (pattern.front() == '*') {
      const bool across_folders = pattern.starts_with("**");
      pass_characters(text, across_folders, reached);
      pattern.remove_prefix(across_folders ? 2 : 1);
    } else {
      pattern.remove_prefix(pass_one(pattern, text, reached));
    }
  }
  return reached[text.size()];
}

bool matches_any(const std::vector<std::string>& patterns, std::string_view relative_path) {
  const std::size_t slash = relative_path.rfind('/');
  const std::string_view name = slash == std::string_view::npos ? relative_path : relative_path.substr(slash + 1);
  return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
    return matches_glob(pattern, pattern.find('/') == std::string::npos ? name : relative_path);
  });
}

}  // namespace command
