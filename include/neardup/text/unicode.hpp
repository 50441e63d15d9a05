// SPDX-License-Identifier: MIT
// The class of each character, which determines how a character is tokenized. Also the lower case of each character.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

#include "kernels/unicode_tables.hpp"

namespace neardup::inline v0 {

/// The class of a code point for tokenizers. The class follows from the general category and the script of the code
/// point, and for emoji from their properties.
///
/// These scripts are written without spaces: Hiragana, Katakana, Thai, Lao, Khmer, Myanmar, Tai Le, New Tai Lue, Tai
/// Tham, Tai Viet, Ahom, Yi, Tangut, Nushu and Khitan. The Line_Break of these scripts is SA, or a line may break
/// between any two of their characters. A character that several of these scripts share (Script_Extensions) also
/// counts, such as U+30FC, the sound mark of the kana.
/// Source: tools/make_unicode_tables.py.
enum class character_class : std::uint8_t {
  other,       ///< not part of a word: spaces, punctuation, symbols, controls, unassigned or invalid code points
  letter,      ///< a letter or number (L, N) of a script written with spaces
  mark,        ///< a mark (M), which belongs to the character before it
  lone,        ///< a letter or number of a script written without spaces, other than Han
  han,         ///< a letter or number of the Han script
  ignored,     ///< default-ignorable: variation selectors, joiners, soft hyphens, direction marks, tags
  pictograph,  ///< an emoji or similar (Extended_Pictographic, except ©, ® and ™), or a skin tone
  regional,    ///< a regional indicator; two of them form a flag
};

namespace detail {

/// Returns true if the class contains letters, numbers or emoji: visible characters that are not punctuation.
constexpr bool is_visible_word(character_class kind) noexcept {
  return kind != character_class::other && kind != character_class::ignored;
}

/// Returns the entry of a code point in the tables:
///
///   bits 0..2  the number of its class
///   bit 3      true if it has a lower case
///
/// A 64-bit word of the tables contains the entries of sixteen code points. The lowest four bits are the first entry.
constexpr unsigned unicode_bits(char32_t code_point) noexcept {
  if (code_point >= unicode_table_end) [[unlikely]] {
    const bool tail = code_point >= unicode_tail_first && code_point <= unicode_tail_last;
    return static_cast<unsigned>(tail ? character_class::ignored : character_class::other);
  }
  const std::size_t word = unicode_rows[std::size_t{16} * unicode_pages[code_point / 256] + code_point / 16 % 16];
  return static_cast<unsigned>(unicode_words[word] >> code_point % 16 * 4) & 15U;
}

inline constexpr unsigned unicode_has_lower = 8;

/// Returns true if a code point has the property White_Space.
constexpr bool is_white_space(char32_t c) noexcept {
  if (c < 0x80) return c == U' ' || (c >= U'\t' && c <= U'\r');
  return c == 0x85 || c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 ||
         c == 0x202f || c == 0x205f || c == 0x3000;
}

constexpr bool is_ascii_upper(char32_t code_point) noexcept { return code_point - U'A' < 26; }

}  // namespace detail

/// Returns the class of a code point; `other` for surrogates and for numbers beyond U+10FFFF.
/// Complexity: constant.
[[nodiscard]] constexpr character_class classify(char32_t code_point) noexcept {
  if (code_point < 0x80) {
    // A branch between letters and spaces would be mispredicted once per word, and take 3.5 ns per character. This code
    // without a branch takes 0.9 ns (g++ 12).
    const auto letter = static_cast<unsigned>(detail::is_ascii_upper(code_point & ~char32_t{0x20}));
    const auto digit = static_cast<unsigned>(code_point - U'0' < 10);
    return static_cast<character_class>(letter | digit);
  }
  return static_cast<character_class>(detail::unicode_bits(code_point) & ~detail::unicode_has_lower);
}

namespace detail {

/// Returns the simple lower case of a code point, which is one code point and does not depend on the language. A code
/// point without a lower case is returned unchanged.
/// Complexity: constant for ASCII and for characters without a lower case; otherwise a binary search among 140 ranges
/// of code points.
/// Source: UnicodeData.txt, field 13 (Simple_Lowercase_Mapping).
constexpr char32_t to_lower(char32_t code_point) noexcept {
  if (code_point < 0x80) return is_ascii_upper(code_point) ? code_point + 0x20 : code_point;
  if ((unicode_bits(code_point) & unicode_has_lower) == 0) return code_point;

  // Finds the last range that begins at or before the code point. Such a range exists, because the first range begins
  // at 'A'.
  const unicode_lower_step* step = unicode_lower_steps;
  for (std::size_t count = std::size(unicode_lower_steps); count > 1;) {
    const std::size_t half = count / 2;
    if (step[half].from <= code_point) step += half;
    count -= half;
  }
  return static_cast<char32_t>(static_cast<std::int32_t>(code_point) + step->delta);
}

}  // namespace detail

}  // namespace neardup::inline v0
