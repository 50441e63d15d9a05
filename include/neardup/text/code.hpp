// SPDX-License-Identifier: MIT
// Cuts source code into tokens: identifiers, numbers and operators.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "tokenizer.hpp"
#include "unicode.hpp"
#include "utf8.hpp"
#include "words.hpp"

namespace neardup::inline v0 {

namespace detail {

/// Operators of two or more characters in common languages, longest first.
inline constexpr std::array<std::string_view, 50> long_operators = {
    ">>>=", "<<=",  ">>=", ">>>", "===", "!==", "<=>", "...", "..=", "->*", "**=", "//=", "&&=",
    "||=",  "?\?=", "==",  "!=",  "<=",  ">=",  "&&",  "||",  "<<",  ">>",  "+=",  "-=",  "*=",
    "/=",   "%=",   "&=",  "|=",  "^=",  "->",  "=>",  "::",  "++",  "--",  "**",  "//",  "/*",
    "*/",   ":=",   "<-",  "?.",  "?\?", "..",  "|>",  "=~",  "!~",  "<>",  "~="};

}  // namespace detail

/// Tokenizes source code and formulas into identifiers, numbers, operators and brackets, unchanged.
///
/// An identifier is a run of letters, numbers, marks and `_` that does not begin with a digit. A number begins with a
/// digit, or with a full stop and a digit. A number includes letters, digits, `_`, a `.` or `'` before a digit, and the
/// sign of an exponent. An operator, such as `<<=` or `->`, is the longest operator that matches. Every other character
/// except white space is a token, and so is each byte of ill-formed UTF-8. Comments and strings are cut like other
/// code, and case is kept.
/// Complexity: linear.
/// Example: `simhasher hash{shingles{4, code_tokens{}}}`
struct code_tokens {
  template <class Sink>
  void operator()(std::string_view text, Sink&& sink) const {
    for (std::size_t i = 0; i < text.size();) {
      const decoded next = decode_one({text.data() + i, text.size() - i});
      std::size_t end = i + next.length;
      if (next.valid && detail::is_white_space(next.code_point)) {
        i = end;
        continue;
      }
      if (is_digit(text, i) || (text[i] == '.' && is_digit(text, i + 1))) {
        end = end_of_number(text, i);
      } else if (belongs_to_word(next)) {
        end = end_of_word(text, end);
      } else if (next.length == 1 && next.valid) {
        end = i + length_of_operator(text.substr(i));
      }
      sink(text.substr(i, end - i));
      i = end;
    }
  }

  /// Returns the offset of the last ASCII white space, or 0. See tokenizer.
  [[nodiscard]] std::size_t cut(std::string_view text) const noexcept { return detail::cut_at_space(text); }

 private:
  static constexpr bool is_digit(std::string_view text, std::size_t i) noexcept {
    return i < text.size() && text[i] >= '0' && text[i] <= '9';
  }

  static constexpr bool belongs_to_word(const decoded& next) noexcept {
    if (!next.valid) return false;
    if (next.code_point == U'_') return true;
    switch (classify(next.code_point)) {
      case character_class::letter:
      case character_class::mark:
      case character_class::lone:
      case character_class::han: return true;
      default: return false;
    }
  }

  static std::size_t end_of_word(std::string_view text, std::size_t i) noexcept {
    while (i < text.size()) {
      const decoded next = decode_one({text.data() + i, text.size() - i});
      if (!belongs_to_word(next)) break;
      i += next.length;
    }
    return i;
  }

  /// Returns the end of the number that begins at `begin`. The rule is the rule of C for preprocessing numbers, with
  /// one change: a full stop that no digit follows ends the number. So 1..9 is a range, and 1.abs is a call.
  static std::size_t end_of_number(std::string_view text, std::size_t begin) noexcept {
    const bool is_hexadecimal = text[begin] == '0' && begin + 1 < text.size() && (text[begin + 1] | 0x20) == 'x';
    std::size_t i = begin;
    for (;;) {
      const std::size_t word = end_of_word(text, i);
      if (word < text.size() && word > begin) {
        const char last = static_cast<char>(text[word - 1] | 0x20), next = text[word];
        const bool is_sign = next == '+' || next == '-';
        if (is_sign && last == (is_hexadecimal ? 'p' : 'e') && is_digit(text, word + 1)) {
          i = word + 1;
          continue;
        }
      }
      if (word >= text.size() || (text[word] != '.' && text[word] != '\'') || !is_digit(text, word + 1)) return word;
      i = word + 1;
    }
  }

  static std::size_t length_of_operator(std::string_view text) noexcept {
    std::size_t length = 1;
    for (const std::string_view one : detail::long_operators) {
      if (one.size() > length && text.starts_with(one)) length = one.size();
    }
    return length;
  }
};

template <>
inline constexpr std::string_view detail::part_name<code_tokens> = "code_tokens";

}  // namespace neardup::inline v0
