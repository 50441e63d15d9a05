// Computes canonical text by utf8proc, in the steps of docs/fingerprint.md. Each step takes the whole text.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <neardup/text/unicode.hpp>
#include <neardup/text/utf8.hpp>

#include "spelling.hpp"
#include "text.hpp"

#include <utf8proc.h>

namespace oracle {

using code_points = std::vector<utf8proc_int32_t>;

inline code_points mapped_by_utf8proc(utf8proc_int32_t c, int options) {
  utf8proc_int32_t buffer[32];
  int boundary = 0;
  const auto count =
      utf8proc_decompose_char(c, buffer, 32, static_cast<utf8proc_option_t>(options | UTF8PROC_STABLE), &boundary);
  return count < 0 ? code_points{c} : code_points(buffer, buffer + count);
}

inline code_points each_mapped(const code_points& from, int options) {
  code_points result;
  for (const utf8proc_int32_t c : from) {
    const code_points part = mapped_by_utf8proc(c, options);
    result.insert(result.end(), part.begin(), part.end());
  }
  return result;
}

inline unsigned combining_class(utf8proc_int32_t c) {
  return static_cast<unsigned>(utf8proc_get_property(c)->combining_class);
}

/// Sorts each run of marks stably by combining class.
inline void order_marks(code_points& text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (std::size_t j = i; j > 0 && combining_class(text[j]) != 0; --j) {
      if (combining_class(text[j - 1]) <= combining_class(text[j])) break;
      std::swap(text[j - 1], text[j]);
    }
  }
}

/// If `c` is a presentation form or a letter in another font, returns the characters that it represents. Otherwise
/// returns `c`.
inline code_points without_presentation(utf8proc_int32_t c) {
  const bool is_form = (c >= 0xfb00 && c <= 0xfdff) || (c >= 0xfe70 && c <= 0xfeff) || (c >= 0xff00 && c <= 0xffef) ||
                       utf8proc_get_property(c)->decomp_type == UTF8PROC_DECOMP_TYPE_FONT;
  if (!is_form) return {c};
  code_points full = mapped_by_utf8proc(c, UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT);
  // A halfwidth jamo maps to the fullwidth jamo. utf8proc would map it further, but fullwidth jamo stay separate
  // letters.
  if (c >= 0xffa0 && c <= 0xffdc && full != code_points{c}) {
    for (utf8proc_int32_t wide = 0x3131; wide <= 0x3164; ++wide) {
      if (mapped_by_utf8proc(wide, UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT) == full) return {wide};
    }
  }
  if (c == 0xffe3) return {0xaf};
  return c == 0xfbdd ? code_points{0x677} : full;
}

/// True for vowel points and other marks of Hebrew and Arabic.
inline bool is_point(utf8proc_int32_t c) {
  const bool is_there = (c >= 0x590 && c < 0x700) || (c >= 0x870 && c < 0x900) || (c >= 0x10ec0 && c < 0x10f00);
  return c == 0xfb1e || (is_there && utf8proc_category(c) == UTF8PROC_CATEGORY_MN);
}

/// If people type `c` in place of another letter, returns that letter.
inline utf8proc_int32_t usual_spelling(utf8proc_int32_t c) {
  switch (c) {
    case 0x671: return 0x627;
    case 0x6a9: return 0x643;
    case 0x6cc: return 0x64a;
    case 0x131: return 'i';
    case 0x2bb:
    case 0x2bc:
    case 0x2bd: return '\'';
    default: return c;
  }
}

inline bool is_invisible(utf8proc_int32_t c) {
  // Invisible code points that utf8proc does not know, because they are unassigned.
  if (c == 0x2065 || (c >= 0xfff0 && c <= 0xfff8) || (c >= 0xe0000 && c <= 0xe0fff)) return true;
  return utf8proc_get_property(c)->ignorable != 0 || c == 0x640 || c == 0x7fa || c == 0x180a;
}

/// Removes invisible characters, except tags of an emoji and joiners between emojis.
inline code_points without_invisible(const code_points& text) {
  using neardup::character_class;
  const auto class_of = [](utf8proc_int32_t c) { return neardup::classify(static_cast<char32_t>(c)); };
  const auto is_tag = [](utf8proc_int32_t c) { return c >= 0xe0020 && c <= 0xe007f; };
  const auto is_picture = [&](utf8proc_int32_t c) {
    return class_of(c) == character_class::pictograph && !(c >= 0x1f3fb && c <= 0x1f3ff);
  };
  code_points result;
  bool is_emoji = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const utf8proc_int32_t c = text[i];
    if (is_invisible(c)) {
      std::size_t next = i;
      while (next < text.size() && is_invisible(text[next]) && !is_tag(text[next])) ++next;
      const bool is_joiner = c == 0x200d && next < text.size() && is_picture(text[next]);
      if (is_emoji && (is_joiner || is_tag(c)) && !(is_joiner && result.back() == c)) result.push_back(c);
      continue;
    }
    result.push_back(c);
    const bool goes_on = class_of(c) == character_class::mark || class_of(c) == character_class::pictograph;
    is_emoji = is_picture(c) || (is_emoji && goes_on && c != 0x345);  // U+0345 becomes a letter
  }
  return result;
}

inline std::string canonicalise(std::string_view text) {
  code_points all;
  for (const char32_t c : rejoined(unescaped(code_points_of(text)))) {
    for (const utf8proc_int32_t part : without_presentation(static_cast<utf8proc_int32_t>(c))) all.push_back(part);
  }
  all = without_invisible(all);
  all = each_mapped(all, UTF8PROC_DECOMPOSE);
  order_marks(all);
  const utf8proc_int32_t circled_m = 0x24c2, hidden = 0x10fffd;
  std::replace(all.begin(), all.end(), circled_m, hidden);  // U+24C2 stays: it is an emoji, and its lower case is not
  all = each_mapped(each_mapped(all, UTF8PROC_CASEFOLD), UTF8PROC_DECOMPOSE);
  all.erase(std::remove_if(all.begin(), all.end(), is_point), all.end());
  for (utf8proc_int32_t& c : all) c = usual_spelling(c);
  order_marks(all);
  // Removes the dots (U+0307) above an i.
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] != U'i') continue;
    for (std::size_t j = i + 1; j < all.size() && combining_class(all[j]) != 0 && combining_class(all[j]) <= 230;) {
      if (all[j] == 0x307) {
        all.erase(all.begin() + static_cast<std::ptrdiff_t>(j));
      } else if (combining_class(all[j]) == 230) {
        break;
      } else {
        ++j;
      }
    }
  }
  for (utf8proc_int32_t& c : all) c = utf8proc_tolower(c);
  std::replace(all.begin(), all.end(), hidden, circled_m);
  const auto size = static_cast<utf8proc_ssize_t>(all.size());
  all.push_back(0);  // utf8proc needs one more element
  all.resize(static_cast<std::size_t>(
      utf8proc_normalize_utf32(all.data(), size, static_cast<utf8proc_option_t>(UTF8PROC_COMPOSE | UTF8PROC_STABLE))));
  const std::u32string toned = with_tones_behind(std::u32string(all.begin(), all.end()));

  // Removes separators, and marks without a base.
  return normalise(
      std::vector<std::uint32_t>(toned.begin(), toned.end()),
      [](std::uint32_t c) { return static_cast<kind>(neardup::classify(static_cast<char32_t>(c))); },
      [](std::uint32_t c) { return c; });
}

}  // namespace oracle
