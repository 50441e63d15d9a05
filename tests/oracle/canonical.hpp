// Canonical text by utf8proc, in the steps of docs/fingerprint.md, each on the whole text.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <neardup/text/unicode.hpp>
#include <neardup/text/utf8.hpp>

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

/// Each run of marks in the order of their combining classes.
inline void order_marks(code_points& text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (std::size_t j = i; j > 0 && combining_class(text[j]) != 0; --j) {
      if (combining_class(text[j - 1]) <= combining_class(text[j])) break;
      std::swap(text[j - 1], text[j]);
    }
  }
}

/// What a presentation form is a form of; itself if it is none.
inline code_points without_presentation(utf8proc_int32_t c) {
  const bool is_form = (c >= 0xfb00 && c <= 0xfdff) || (c >= 0xfe70 && c <= 0xfeff) || (c >= 0xff00 && c <= 0xffef);
  if (!is_form) return {c};
  code_points full = mapped_by_utf8proc(c, UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT);
  // One step of the way only: the jamo of half width are letters beside each other, as those of full width.
  if (c >= 0xffa0 && c <= 0xffdc && full != code_points{c}) {
    for (utf8proc_int32_t wide = 0x3131; wide <= 0x3164; ++wide) {
      if (mapped_by_utf8proc(wide, UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT) == full) return {wide};
    }
  }
  if (c == 0xffe3) return {0xaf};
  return c == 0xfbdd ? code_points{0x677} : full;
}

inline bool is_invisible(utf8proc_int32_t c) {
  // utf8proc knows nothing of what is not assigned yet, but will not be seen.
  if (c == 0x2065 || (c >= 0xfff0 && c <= 0xfff8) || (c >= 0xe0000 && c <= 0xe0fff)) return true;
  return utf8proc_get_property(c)->ignorable != 0 || c == 0x640 || c == 0x7fa || c == 0x180a;
}

inline std::string canonicalise(std::string_view text) {
  code_points all;
  neardup::for_each_code_point(text, [&](char32_t c, std::string_view) {
    for (const utf8proc_int32_t part : without_presentation(static_cast<utf8proc_int32_t>(c))) all.push_back(part);
  });
  all.erase(std::remove_if(all.begin(), all.end(), is_invisible), all.end());
  all = each_mapped(all, UTF8PROC_DECOMPOSE);
  order_marks(all);
  all = each_mapped(each_mapped(all, UTF8PROC_CASEFOLD), UTF8PROC_DECOMPOSE);
  order_marks(all);
  // The dot above an i.
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
  const auto size = static_cast<utf8proc_ssize_t>(all.size());
  all.push_back(0);  // room that utf8proc wants
  all.resize(static_cast<std::size_t>(
      utf8proc_normalize_utf32(all.data(), size, static_cast<utf8proc_option_t>(UTF8PROC_COMPOSE | UTF8PROC_STABLE))));

  // What is between words.
  std::string out;
  enum class last { nothing, word, han } before = last::nothing;
  bool gap = true, has_base = false;
  for (const utf8proc_int32_t c : all) {
    using neardup::character_class;
    const character_class kind = neardup::classify(static_cast<char32_t>(c));
    if (kind == character_class::mark && !has_base) continue;
    if (kind != character_class::mark) has_base = kind != character_class::other;
    if (kind == character_class::other) {
      gap = true;
      continue;
    }
    if (gap && before == last::word && kind != character_class::han) out += ' ';
    gap = false;
    if (kind == character_class::han) {
      before = last::han;
    } else if (kind != character_class::mark) {
      before = last::word;
    }
    char bytes[4];
    out.append(bytes, neardup::encode(static_cast<char32_t>(c), bytes));
  }
  return out;
}

}  // namespace oracle
