#include "glob.hpp"

#include <algorithm>
#include <cwctype>
#include <neardup/text/utf8.hpp>
#include <optional>

#include "../ground/errors.hpp"

namespace command {

namespace {

/// Returns the name of the character class at the beginning of `set`, as in `[:digit:]`, or nullopt if there is no
/// class.
std::optional<std::string_view> class_at(std::string_view set) {
  if (!set.starts_with("[:")) return std::nullopt;
  const std::size_t close = set.find(']', 2);
  if (close == set.npos || close < 3 || set[close - 1] != ':') return std::nullopt;
  return set.substr(2, close - 3);
}

/// The result of reading a set of characters.
struct set_of_characters {
  /// The length of the set in the pattern. The length is 0 if the set does not end, so that its '[' is an ordinary
  /// character.
  std::size_t length = 0;
  bool contains = false;  ///< true if the set contains the given character
  bool is_backwards = false;
  std::optional<std::string_view> unknown;  ///< name of a class that does not exist, if there is one
};

/// Reads the set at the beginning of a pattern, and tests whether the set contains `c`.
set_of_characters read_set(std::string_view pattern, char32_t c = 0) {
  set_of_characters set;
  const bool is_inverted = pattern.size() > 1 && (pattern[1] == '!' || pattern[1] == '^');
  const std::size_t first = is_inverted ? 2 : 1;
  std::size_t i = first;
  while (i < pattern.size() && (pattern[i] != ']' || i == first)) {
    if (const auto name = class_at(pattern.substr(i))) {
      const std::wctype_t type = std::wctype(std::string(*name).c_str());
      if (type == 0) set.unknown = *name;
      if (c < 0x80 && std::iswctype(static_cast<std::wint_t>(c), type) != 0) set.contains = true;
      i += name->size() + 4;
      continue;
    }
    if (pattern[i] == '\\' && i + 1 < pattern.size()) ++i;
    const neardup::decoded low = neardup::decode_one(pattern.substr(i));
    i += low.length;
    char32_t high = low.code_point;
    if (i + 1 < pattern.size() && pattern[i] == '-' && pattern[i + 1] != ']') {
      if (pattern[i + 1] == '\\' && i + 2 < pattern.size()) ++i;
      const neardup::decoded last = neardup::decode_one(pattern.substr(i + 1));
      i += 1 + last.length;
      high = last.code_point;
    }
    set.is_backwards = set.is_backwards || high < low.code_point;
    set.contains = set.contains || (low.code_point <= c && c <= high);
  }
  if (i < pattern.size()) set.length = i + 1;
  set.contains = set.contains != is_inverted;
  return set;
}

struct element {
  enum { character, any_character, set, star, double_star, folders } kind;
  std::string_view text;  ///< the part of the pattern that is this element
};

/// Returns the first element of a pattern. `begins_name`: true at the beginning of the pattern, and after a '/'. Two
/// stars mean folders only in these places, as in git. In other places, they are two ordinary stars.
element first_element(std::string_view pattern, bool begins_name) {
  const auto found = [&](auto kind, std::size_t length) { return element{kind, pattern.substr(0, length)}; };
  const std::size_t stars = std::min(pattern.find_first_not_of('*'), pattern.size());
  if (begins_name && stars > 1) {
    if (stars == pattern.size()) return found(element::double_star, stars);
    if (pattern[stars] == '/') return found(element::folders, stars + 1);
  }
  if (pattern.front() == '*') return found(element::star, 1);
  if (pattern.front() == '?') return found(element::any_character, 1);
  if (pattern.front() == '[') {
    if (const std::size_t length = read_set(pattern).length; length > 0) return found(element::set, length);
  }
  return found(element::character, pattern.front() == '\\' ? 2 : 1);
}

/// places[i] is true if the processed elements of the pattern match the first i bytes of the text. All places are
/// computed together, because a pattern with many stars can match in exponentially many ways.
using places = std::vector<bool>;

/// Returns the places after the element `next`. `reached`: the places before this element.
places pass(const element& next, std::string_view text, const places& reached) {
  const bool is_star = next.kind == element::star || next.kind == element::double_star;
  // A star, two stars and `**/` may match nothing.
  places passed = is_star || next.kind == element::folders ? reached : places(text.size() + 1);
  bool any_before = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    any_before = any_before || reached[i];
    if (next.kind == element::folders) {
      if (any_before && text[i] == '/') passed[i + 1] = true;
    } else if (next.kind == element::character) {
      if (reached[i] && text[i] == next.text.back()) passed[i + 1] = true;
    } else if (is_star ? passed[i] : reached[i]) {
      const neardup::decoded c = neardup::decode_one(text.substr(i));
      const bool is_in_name = c.code_point != U'/';
      const bool fits = next.kind == element::set ? is_in_name && read_set(next.text, c.code_point).contains
                                                  : is_in_name || next.kind == element::double_star;
      if (fits) passed[i + c.length] = true;
    }
  }
  return passed;
}

/// Calls `refuse` with the reason if `pattern` is invalid.
template <class Refuse>
void check_glob(std::string_view pattern, const Refuse& refuse) {
  if (pattern.empty()) refuse("the pattern is empty");
  for (std::string_view rest = pattern; !rest.empty(); rest.remove_prefix(first_element(rest, false).text.size())) {
    if (rest.front() != '[') continue;
    const set_of_characters set = read_set(rest);
    if (set.length == 0) refuse("a [ has no ]; write \\[ for the character");
    if (set.is_backwards) refuse("a range goes backwards");
    if (set.unknown) {
      refuse("there is no class [:" + std::string(*set.unknown) +
             ":]; there are alnum, alpha, blank, cntrl, digit, graph, lower, print, punct, space, upper and xdigit");
    }
  }
}

/// Replaces the first braces by each of their alternatives, then the next braces of each result in the same way.
/// Appends the patterns without braces to `out`.
template <class Refuse>
void expand_braces(const std::string& pattern, std::vector<std::string>& out, const Refuse& refuse) {
  constexpr std::size_t most = 10000;
  const auto end_at = [&](std::size_t i) {
    return i + first_element(std::string_view(pattern).substr(i), false).text.size();
  };
  std::size_t open = 0;
  while (open < pattern.size() && pattern[open] != '{') open = end_at(open);
  if (open == pattern.size()) {
    if (out.size() == most) refuse("its braces stand for more than 10,000 patterns");
    out.push_back(pattern);
    return;
  }
  std::vector<std::string> alternatives(1);
  std::size_t i = open + 1;
  for (int depth = 1; depth > 0;) {
    if (i == pattern.size()) refuse("a { has no }; write \\{ for the character");
    const std::size_t end = end_at(i);
    depth += pattern[i] == '{' ? 1 : pattern[i] == '}' ? -1 : 0;
    if (depth == 1 && pattern[i] == ',') {
      alternatives.emplace_back();
    } else if (depth > 0) {
      alternatives.back().append(pattern, i, end - i);
    }
    i = end;
  }
  for (const std::string& alternative : alternatives) {
    expand_braces(pattern.substr(0, open) + alternative + pattern.substr(i), out, refuse);
  }
}

[[noreturn]] void refuse_glob(const std::string& option, const std::string& pattern, const std::string& why) {
  throw usage_error(option + " '" + pattern + "': " + why);
}

}  // namespace

std::vector<std::string> expanded_globs(const std::string& option, const std::vector<std::string>& patterns) {
  std::vector<std::string> all;
  for (const std::string& pattern : patterns) {
    const auto refuse = [&](const std::string& why) { refuse_glob(option, pattern, why); };
    check_glob(pattern, refuse);
    if (pattern.starts_with('!')) refuse("patterns that begin with ! are not supported; write \\! for the character");
    std::vector<std::string> expanded;
    expand_braces(pattern, expanded, refuse);
    for (std::string& one : expanded) {
      while (one.starts_with("././")) one.erase(0, 2);
      if (one.starts_with("./")) one.erase(0, 1);  // keeps the '/', which anchors the pattern
      if (one.find_first_not_of('/') == one.npos) refuse("no name is left of it; write '*' for all");
      const std::string framed = '/' + one + '/';
      if (framed.find("/./") != framed.npos || framed.find("/../") != framed.npos) {
        refuse("it is about names below the folder; write it without . and ..");
      }
      if (framed.find("//", 1) < framed.size() - 2) refuse("it has two / side by side");
      all.push_back(std::move(one));
    }
  }
  return all;
}

bool matches_glob(std::string_view pattern, std::string_view text) {
  places reached(text.size() + 1);
  reached[0] = true;
  bool begins_name = true;
  while (!pattern.empty()) {
    const element next = first_element(pattern, begins_name);
    begins_name = next.text == "/" || next.kind == element::folders;
    reached = pass(next, text, reached);
    pattern.remove_prefix(next.text.size());
  }
  return reached[text.size()];
}

bool matches_any(const std::vector<std::string>& patterns, std::string_view relative_path, bool is_folder) {
  return std::any_of(patterns.begin(), patterns.end(), [&](std::string_view pattern) {
    const bool for_folders = pattern.ends_with('/');
    if (for_folders) pattern.remove_suffix(1);
    const bool for_paths = pattern.find('/') != std::string_view::npos;
    if (pattern.starts_with('/')) pattern.remove_prefix(1);
    const auto matches = [&](std::string_view path) {
      return matches_glob(pattern, for_paths ? path : path.substr(path.rfind('/') + 1));
    };
    if (!for_folders || is_folder) return matches(relative_path);
    // A file also matches if a folder above it matches.
    for (std::size_t end = relative_path.find('/'); end != relative_path.npos; end = relative_path.find('/', end + 1)) {
      if (matches(relative_path.substr(0, end))) return true;
    }
    return false;
  });
}

}  // namespace command
