#include "glob.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <neardup/text/utf8.hpp>
#include <optional>

#include "errors.hpp"

namespace command {

namespace {

/// As in POSIX's locale, of ASCII.
struct character_class {
  std::string_view name;
  int (*contains)(int);
};
constexpr std::array<character_class, 12> classes{{{"alnum", std::isalnum},
                                                   {"alpha", std::isalpha},
                                                   {"blank", std::isblank},
                                                   {"cntrl", std::iscntrl},
                                                   {"digit", std::isdigit},
                                                   {"graph", std::isgraph},
                                                   {"lower", std::islower},
                                                   {"print", std::isprint},
                                                   {"punct", std::ispunct},
                                                   {"space", std::isspace},
                                                   {"upper", std::isupper},
                                                   {"xdigit", std::isxdigit}}};

/// The name of the class that a part of a set begins with, as in `[:digit:]`; nothing if it does with none.
std::optional<std::string_view> class_at(std::string_view set) {
  if (!set.starts_with("[:")) return std::nullopt;
  const std::size_t close = set.find(']', 2);
  if (close == set.npos || close < 3 || set[close - 1] != ':') return std::nullopt;
  return set.substr(2, close - 3);
}

/// What a set of characters comes to.
struct set_of_characters {
  std::size_t length = 0;  ///< of the set in the pattern; 0 if it has no end, and its '[' is an ordinary one
  bool contains = false;   ///< the character that was asked for
  bool is_backwards = false;
  std::optional<std::string_view> unknown;  ///< the name of a class that there is not
};

/// Reads the set that a pattern begins with, and asks it for a character.
set_of_characters read_set(std::string_view pattern, char32_t c = 0) {
  set_of_characters set;
  const bool is_inverted = pattern.size() > 1 && (pattern[1] == '!' || pattern[1] == '^');
  const std::size_t first = is_inverted ? 2 : 1;
  std::size_t i = first;
  while (i < pattern.size() && (pattern[i] != ']' || i == first)) {
    if (const auto name = class_at(pattern.substr(i))) {
      const auto* const found =
          std::find_if(classes.begin(), classes.end(), [&](auto& one) { return one.name == *name; });
      if (found == classes.end()) set.unknown = *name;
      if (found != classes.end() && c < 0x80 && found->contains(static_cast<int>(c)) != 0) set.contains = true;
      i += name->size() + 4;
      continue;
    }
    const neardup::decoded low = neardup::decode_one(pattern.substr(i));
    i += low.length;
    char32_t high = low.code_point;
    if (i + 1 < pattern.size() && pattern[i] == '-' && pattern[i + 1] != ']') {
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
  const std::size_t set = pattern.front() == '[' ? read_set(pattern).length : 0;
  const bool any = pattern.front() == '?';
  const std::size_t escape = pattern.front() == '\\' && pattern.size() > 1 ? 1 : 0;
  places next(text.size() + 1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!reached[i]) continue;
    if (any || set > 0) {
      const neardup::decoded c = neardup::decode_one(text.substr(i));
      if (c.code_point != U'/' && (any || read_set(pattern, c.code_point).contains)) next[i + c.length] = true;
    } else if (text[i] == pattern[escape]) {
      next[i + 1] = true;
    }
  }
  reached.swap(next);
  return set > 0 ? set : escape + 1;
}

/// What makes a pattern one that nobody means, if anything does.
std::optional<std::string> wrong_with_glob(std::string_view pattern) {
  if (pattern.empty()) return "the pattern is empty";
  while (!pattern.empty()) {
    std::size_t length = pattern.front() == '\\' ? 2 : 1;
    if (pattern.front() == '[') {
      const set_of_characters set = read_set(pattern);
      if (set.length == 0) return "a [ has no ]; write \\[ for the character";
      if (set.is_backwards) return "a range goes backwards";
      if (set.unknown) return "there is no class [:" + std::string(*set.unknown) + ":]; there are " + names_of(classes);
      length = set.length;
    }
    pattern.remove_prefix((std::min)(length, pattern.size()));
  }
  return std::nullopt;
}

/// Where the element of a pattern that begins at `i` ends: an escaped character, a set, or a byte.
std::size_t end_of_element(std::string_view pattern, std::size_t i) {
  if (pattern[i] == '\\') return std::min(i + 2, pattern.size());
  const std::size_t set = pattern[i] == '[' ? read_set(pattern.substr(i)).length : 0;
  return i + std::max<std::size_t>(set, 1);
}

/// Replaces the first braces by each of what they list, and so on. Returns: what is wrong, if anything is.
std::optional<std::string> expand_braces(const std::string& pattern, std::vector<std::string>& out) {
  constexpr std::size_t most = 10000;
  std::size_t open = 0;
  while (open < pattern.size() && pattern[open] != '{') open = end_of_element(pattern, open);
  if (open == pattern.size()) {
    if (out.size() == most) return "its braces stand for more than 10,000 patterns";
    out.push_back(pattern);
    return std::nullopt;
  }
  std::vector<std::string> alternatives(1);
  std::size_t i = open + 1;
  for (int depth = 1; depth > 0;) {
    if (i == pattern.size()) return "a { has no }; write \\{ for the character";
    const std::size_t end = end_of_element(pattern, i);
    depth += pattern[i] == '{' ? 1 : pattern[i] == '}' ? -1 : 0;
    if (depth == 1 && pattern[i] == ',') {
      alternatives.emplace_back();
    } else if (depth > 0) {
      alternatives.back().append(pattern, i, end - i);
    }
    i = end;
  }
  for (const std::string& alternative : alternatives) {
    if (auto wrong = expand_braces(pattern.substr(0, open) + alternative + pattern.substr(i), out)) return wrong;
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string> expanded_glob(const std::string& option, const std::string& pattern) {
  const auto refuse = [&](const std::string& why) { throw usage_error(option + " '" + pattern + "': " + why); };
  if (const auto wrong = wrong_with_glob(pattern)) refuse(*wrong);
  if (pattern.starts_with('!')) refuse("patterns that begin with ! are not supported; write \\! for the character");
  std::vector<std::string> expanded;
  if (const auto wrong = expand_braces(pattern, expanded)) refuse(*wrong);
  for (std::string& one : expanded) {
    while (one.starts_with("././")) one.erase(0, 2);
    if (one.starts_with("./")) one.erase(0, 1);  // the '/' stays: it is not about names anywhere
    if (one.find_first_not_of('/') == one.npos) refuse("no name is left of it; write '*' for all");
    const std::string framed = '/' + one + '/';
    if (framed.find("/./") != framed.npos || framed.find("/../") != framed.npos) {
      refuse("it is about names below the folder; write it without . and ..");
    }
    if (framed.find("//", 1) < framed.size() - 2) refuse("it has two / side by side");
  }
  return expanded;
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

bool matches_any(const std::vector<std::string>& patterns, std::string_view relative_path, bool is_folder) {
  const std::size_t slash = relative_path.rfind('/');
  const std::string_view name = slash == std::string_view::npos ? relative_path : relative_path.substr(slash + 1);
  return std::any_of(patterns.begin(), patterns.end(), [&](std::string_view pattern) {
    const bool for_folders = pattern.ends_with('/');
    if (for_folders) pattern.remove_suffix(1);
    const bool for_paths = pattern.find('/') != std::string_view::npos;
    if (pattern.starts_with('/')) pattern.remove_prefix(1);
    const auto matches = [&](std::string_view path, std::string_view last) {
      return matches_glob(pattern, for_paths ? path : last);
    };
    if (!for_folders) return matches(relative_path, name);
    if (is_folder) return matches(relative_path, name);
    // A file is in each of the folders above it.
    for (std::size_t end = relative_path.find('/'); end != relative_path.npos; end = relative_path.find('/', end + 1)) {
      const std::string_view folder = relative_path.substr(0, end);
      const std::size_t before = folder.rfind('/');
      if (matches(folder, before == folder.npos ? folder : folder.substr(before + 1))) return true;
    }
    return false;
  });
}

}  // namespace command
