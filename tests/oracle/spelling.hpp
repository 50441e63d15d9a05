// Three steps of canonical text, each over the whole text: character references, words cut at line ends, Vietnamese
// tones.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <neardup/text/kernels/reference_tables.hpp>
#include <neardup/text/kernels/spelling_rules.hpp>
#include <neardup/text/unicode.hpp>
#include <neardup/text/utf8.hpp>

namespace oracle {

inline std::u32string code_points_of(std::string_view text) {
  std::u32string result;
  neardup::for_each_code_point(text, [&](char32_t c, std::string_view) { result += c; });
  return result;
}

/// Returns the characters of the reference `&name;`, or nothing if there is no such reference.
inline std::u32string referred(const std::string& name) {
  using namespace neardup::detail;
  if (name.size() > longest_reference_name) return {};
  if (name.size() > 1 && name[0] == '#') {
    const bool is_hexadecimal = name[1] == 'x' || name[1] == 'X';
    const std::string digits = name.substr(is_hexadecimal ? 2 : 1);
    const char* const allowed = is_hexadecimal ? "0123456789abcdefABCDEF" : "0123456789";
    if (digits.empty() || digits.find_first_not_of(allowed) != digits.npos) return {};
    double value = 0;  // a double, so that no number of digits overflows
    for (const char c : digits) {
      const int digit = c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
      value = value * (is_hexadecimal ? 16 : 10) + digit;
    }
    if (value == 0 || value > 0x10ffff || (value >= 0xd800 && value < 0xe000)) return U"\ufffd";
    const auto code_point = static_cast<char32_t>(value);
    return {code_point >= 0x80 && code_point < 0xa0 ? char32_t{reference_windows[code_point - 0x80]} : code_point};
  }
  const char* at = reference_names;
  std::size_t row = 0;
  for (std::size_t size = 0; size <= longest_reference_name; ++size) {
    for (std::size_t i = 0; i < reference_counts[size]; ++i, ++row, at += size) {
      if (name != std::string_view(at, size)) continue;
      const char32_t character = reference_units[row];
      if (character < 0xd800 || character > 0xdfff) return {character};
      const char32_t one = reference_pairs[character - 0xd800][0], two = reference_pairs[character - 0xd800][1];
      if (one >= 0xd800 && one < 0xdc00) return {(one - 0xd800) * 0x400 + (two - 0xdc00) + 0x10000};
      return {one, two};
    }
  }
  return {};
}

/// Replaces the character references of a text by their characters.
inline std::u32string unescaped(const std::u32string& text) {
  std::u32string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == U'&') {
      std::string name;
      std::size_t end = i + 1;
      for (; end < text.size() && text[end] != U';' && text[end] < 0x80 && name.size() < 40; ++end) {
        name += static_cast<char>(text[end]);
      }
      const std::u32string character = end < text.size() && text[end] == U';' ? referred(name) : std::u32string();
      if (!character.empty()) {
        result += character;
        i = end;
        continue;
      }
    }
    result += text[i];
  }
  return result;
}

/// Removes the hyphens and line ends that cut words. The library says which letters have a case, and
/// tests/text/words_unicode_test.cpp checks these letters.
inline std::u32string rejoined(const std::u32string& text) {
  using neardup::character_class;
  const auto is_blank = [](char32_t c) { return c == U' ' || c == U'\t' || c == U'\f' || c == U'\r'; };
  const auto is_mark = [](char32_t c) { return neardup::classify(c) == character_class::mark; };
  const auto is_letter = [](char32_t c) { return neardup::classify(c) == character_class::letter; };
  std::u32string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char32_t c = text[i], before = i > 0 ? text[i - 1] : U' ';
    if (c == U'-' || c == 0x2010 || c == 0xac || c == 0xad) {
      std::size_t line_end = i + 1;
      while (line_end < text.size() && is_blank(text[line_end])) ++line_end;
      std::size_t after = line_end + 1;
      while (after < text.size() && is_blank(text[after])) ++after;
      const bool is_near = line_end - i - 1 <= 32 && after - line_end - 1 <= 32;
      if (after < text.size() && text[line_end] == U'\n' && is_near) {
        const char32_t next = text[after];
        const bool is_soft = c == 0xad && (is_letter(before) || is_mark(before)) && is_letter(next);
        const bool is_hard =
            c != 0xad && (neardup::detail::is_cased(before) || is_mark(before)) && neardup::detail::is_small(next);
        if (is_soft || is_hard) {
          i = after - 1;
          continue;
        }
      }
    }
    result += c;
  }
  return result;
}

/// Moves the tone mark of oa, oe and uy at the end of a word to the second letter. Precondition: the text is composed.
inline std::u32string with_tones_behind(std::u32string text) {
  static const std::u32string_view pairs[][2] = {
      {U"\u00f2a", U"o\u00e0"}, {U"\u00f3a", U"o\u00e1"}, {U"\u1ecfa", U"o\u1ea3"}, {U"\u00f5a", U"o\u00e3"},
      {U"\u1ecda", U"o\u1ea1"}, {U"\u00f2e", U"o\u00e8"}, {U"\u00f3e", U"o\u00e9"}, {U"\u1ecfe", U"o\u1ebb"},
      {U"\u00f5e", U"o\u1ebd"}, {U"\u1ecde", U"o\u1eb9"}, {U"\u00f9y", U"u\u1ef3"}, {U"\u00fay", U"u\u00fd"},
      {U"\u1ee7y", U"u\u1ef7"}, {U"\u0169y", U"u\u1ef9"}, {U"\u1ee5y", U"u\u1ef5"}};
  const auto is_word = [](char32_t c) {
    return neardup::classify(c) == neardup::character_class::letter ||
           neardup::classify(c) == neardup::character_class::mark;
  };
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    const std::u32string here{neardup::detail::to_lower(text[i]), neardup::detail::to_lower(text[i + 1])};
    if (i + 2 < text.size() && is_word(text[i + 2])) continue;
    for (const auto& pair : pairs) {
      if (here == pair[0]) text.replace(i, 2, pair[1]);
    }
  }
  return text;
}

}  // namespace oracle
