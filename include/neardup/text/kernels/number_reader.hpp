// SPDX-License-Identifier: MIT
// Finds the numbers of a text, with their signs, fractions, exponents and percent signs. Each number is written in one
// form. Digits of all scripts and full-width digits become ASCII digits. Hyphens and minus signs become `-`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../detail/compiled.hpp"
#include "../unicode.hpp"
#include "../utf8.hpp"

namespace neardup::inline v0::detail {

// ---- Characters -----------------------------------------------------------------------------------------------------

/// The digit zero of each script (category Nd of Unicode 15). The digits from one to nine follow each zero.
inline constexpr char32_t zeros[] = {
    0x30,    0x660,   0x6f0,   0x7c0,   0x966,   0x9e6,   0xa66,   0xae6,   0xb66,   0xbe6,   0xc66,   0xce6,
    0xd66,   0xde6,   0xe50,   0xed0,   0xf20,   0x1040,  0x1090,  0x17e0,  0x1810,  0x1946,  0x19d0,  0x1a80,
    0x1a90,  0x1b50,  0x1bb0,  0x1c40,  0x1c50,  0xa620,  0xa8d0,  0xa900,  0xa9d0,  0xa9f0,  0xaa50,  0xabf0,
    0xff10,  0x104a0, 0x10d30, 0x11066, 0x110f0, 0x11136, 0x111d0, 0x112f0, 0x11450, 0x114d0, 0x11650, 0x116c0,
    0x11730, 0x118e0, 0x11950, 0x11c50, 0x11d50, 0x11da0, 0x11f50, 0x16a60, 0x16ac0, 0x16b50, 0x1d7ce, 0x1d7d8,
    0x1d7e2, 0x1d7ec, 0x1d7f6, 0x1e140, 0x1e2f0, 0x1e4f0, 0x1e950, 0x1fbf0};

/// Returns the value of a decimal digit, or -1 for other characters.
constexpr int digit_value(char32_t c) noexcept {
  if (c < 0x80) return c - U'0' < 10 ? static_cast<int>(c - U'0') : -1;
  const char32_t* const zero = std::upper_bound(std::begin(zeros), std::end(zeros), c) - 1;
  return c - *zero < 10 ? static_cast<int>(c - *zero) : -1;
}

/// A range of numerals with an integer value, such as numbers in circles. `value` is the value of the first character.
/// The value of each next character is one more.
struct enclosed_numerals {
  char32_t first, last;
  unsigned value;
};
inline constexpr enclosed_numerals enclosed[] = {
    {0x2460, 0x2473, 1},  {0x2474, 0x2487, 1},  {0x2488, 0x249b, 1},   {0x24ea, 0x24ea, 0},   {0x24eb, 0x24f4, 11},
    {0x24f5, 0x24fe, 1},  {0x24ff, 0x24ff, 0},  {0x2776, 0x277f, 1},   {0x2780, 0x2789, 1},   {0x278a, 0x2793, 1},
    {0x3251, 0x325f, 21}, {0x32b1, 0x32bf, 36}, {0x1f100, 0x1f100, 0}, {0x1f101, 0x1f10a, 0}, {0x1f10b, 0x1f10c, 0}};

/// Other numerals (categories Nl and No of Unicode 15), such as Roman and Ethiopic numerals. Han numerals are not
/// included.
struct numeral_range {
  char32_t first, last;
};
inline constexpr numeral_range other_numerals[] = {
    {0x9f4, 0x9f9},     {0xb72, 0xb77},     {0xbf0, 0xbf2},     {0xc78, 0xc7e},     {0xd58, 0xd5e},
    {0xd70, 0xd78},     {0xf2a, 0xf33},     {0x1369, 0x137c},   {0x16ee, 0x16f0},   {0x17f0, 0x17f9},
    {0x19da, 0x19da},   {0x2160, 0x2182},   {0x2185, 0x2188},   {0x2cfd, 0x2cfd},   {0x3192, 0x3195},
    {0x3220, 0x3229},   {0x3248, 0x324f},   {0x3280, 0x3289},   {0xa6e6, 0xa6ef},   {0xa830, 0xa835},
    {0x10107, 0x10133}, {0x10140, 0x10178}, {0x1018a, 0x1018b}, {0x102e1, 0x102fb}, {0x10320, 0x10323},
    {0x10341, 0x10341}, {0x1034a, 0x1034a}, {0x103d1, 0x103d5}, {0x10858, 0x1085f}, {0x10879, 0x1087f},
    {0x108a7, 0x108af}, {0x108fb, 0x108ff}, {0x10916, 0x1091b}, {0x109bc, 0x109bd}, {0x109c0, 0x109cf},
    {0x109d2, 0x109ff}, {0x10a40, 0x10a48}, {0x10a7d, 0x10a7e}, {0x10a9d, 0x10a9f}, {0x10aeb, 0x10aef},
    {0x10b58, 0x10b5f}, {0x10b78, 0x10b7f}, {0x10ba9, 0x10baf}, {0x10cfa, 0x10cff}, {0x10e60, 0x10e7e},
    {0x10f1d, 0x10f26}, {0x10f51, 0x10f54}, {0x10fc5, 0x10fcb}, {0x11052, 0x11065}, {0x111e1, 0x111f4},
    {0x1173a, 0x1173b}, {0x118ea, 0x118f2}, {0x11c5a, 0x11c6c}, {0x11fc0, 0x11fd4}, {0x12400, 0x1246e},
    {0x16b5b, 0x16b61}, {0x16e80, 0x16e96}, {0x1d2c0, 0x1d2d3}, {0x1d2e0, 0x1d2f3}, {0x1d360, 0x1d378},
    {0x1e8c7, 0x1e8cf}, {0x1ec71, 0x1ecab}, {0x1ecad, 0x1ecaf}, {0x1ecb1, 0x1ecb4}, {0x1ed01, 0x1ed2d},
    {0x1ed2f, 0x1ed3d}};

/// Returns true if a character is in `enclosed` or `other_numerals`. These tables have no decimal digits, superscripts,
/// subscripts, fractions or Han numerals.
constexpr bool is_other_numeral(char32_t c) noexcept {
  for (const enclosed_numerals& row : enclosed) {
    if (c >= row.first && c <= row.last) return true;
  }
  const auto* const after = std::upper_bound(std::begin(other_numerals), std::end(other_numerals), c,
                                             [](char32_t code, const numeral_range& row) { return code < row.first; });
  return after != std::begin(other_numerals) && c <= (after - 1)->last;
}

/// A vulgar fraction, and its spelling in digits.
struct vulgar_fraction {
  char32_t character;
  std::string_view text;
};
inline constexpr vulgar_fraction fractions[] = {{0xbc, "1/4"},   {0xbd, "1/2"},    {0xbe, "3/4"},   {0x2150, "1/7"},
                                                {0x2151, "1/9"}, {0x2152, "1/10"}, {0x2153, "1/3"}, {0x2154, "2/3"},
                                                {0x2155, "1/5"}, {0x2156, "2/5"},  {0x2157, "3/5"}, {0x2158, "4/5"},
                                                {0x2159, "1/6"}, {0x215a, "5/6"},  {0x215b, "1/8"}, {0x215c, "3/8"},
                                                {0x215d, "5/8"}, {0x215e, "7/8"},  {0x2189, "0/3"}};

/// Returns a vulgar fraction in digits, or an empty text for other characters.
constexpr std::string_view fraction_text(char32_t c) noexcept {
  if (c < 0xbc || (c > 0xbe && (c < 0x2150 || c > 0x2189))) return {};
  for (const vulgar_fraction& one : fractions) {
    if (one.character == c) return one.text;
  }
  return {};
}

/// Returns the value of a superscript digit, or -1 for other characters.
constexpr int superscript_value(char32_t c) noexcept {
  if (c == 0xb9) return 1;
  if (c == 0xb2 || c == 0xb3) return static_cast<int>(c - 0xb0);
  return c == 0x2070 || (c >= 0x2074 && c <= 0x2079) ? static_cast<int>(c - 0x2070) : -1;
}

constexpr bool is_subscript(char32_t c) noexcept { return c >= 0x2080 && c <= 0x2089; }

/// Returns true if `c`, a result of number_form(), is a currency sign (category Sc of Unicode 15).
constexpr bool is_currency(char32_t c) noexcept {
  if (c < 0x80) return c == U'$';
  return (c >= 0xa2 && c <= 0xa5) || c == 0x58f || c == 0x60b || c == 0x7fe || c == 0x7ff || c == 0x9f2 || c == 0x9f3 ||
         c == 0x9fb || c == 0xaf1 || c == 0xbf9 || c == 0xe3f || c == 0x17db || (c >= 0x20a0 && c <= 0x20c0) ||
         c == 0xa838 || c == 0xfdfc || (c >= 0x11fdd && c <= 0x11fe0) || c == 0x1e2ff || c == 0x1ecb0;
}

inline constexpr char32_t no_break_space = 0xa0;

/// Returns one character for all characters that mean the same as `c` in a number. Digits of other scripts, capitals,
/// full-width characters, and variants of signs and spaces are replaced.
constexpr char32_t number_form(char32_t c) noexcept {
  if (c < 0x80) return is_ascii_upper(c) ? c + 0x20 : c;
  if (c >= 0x3400 && c < 0xa000) return c;  // Han: tested first, so that Chinese is fast
  if (const int digit = digit_value(c); digit >= 0) return U'0' + static_cast<char32_t>(digit);
  if (c >= 0xff01 && c <= 0xff5e) return number_form(c - 0xfee0);
  switch (c) {
    case 0x2010:
    case 0x2011:
    case 0x2012:
    case 0x2013:
    case 0x2212:
    case 0xfe63: return U'-';
    case 0xfe62: return U'+';
    case 0xfe52:
    case 0x66b: return U'.';
    case 0xfe50: return U',';
    case 0x2018:
    case 0x2019:
    case 0x2bc:
    case 0x66c: return U'\'';
    case 0x2044:
    case 0x2215: return U'/';
    case 0x2236:
    case 0xfe55: return U':';
    case 0xd7: return U'*';
    case 0x301c:
    case 0x223c: return U'~';
    case 0x66a:
    case 0xfe6a: return U'%';
    case 0x609: return 0x2030;
    case 0x60a: return 0x2031;
    case 0x60c:
    case 0x61b:
    case 0x3001:
    case 0x3002: return U';';
    case 0x2007:
    case 0x2008:
    case 0x2009:
    case 0x200a:
    case 0x202f: return no_break_space;
    case 0xfe69: return U'$';
    case 0xffe0: return 0xa2;
    case 0xffe1: return 0xa3;
    case 0xffe5: return 0xa5;
    case 0xffe6: return 0x20a9;
    default: return to_lower(c);
  }
}

// ---- Numbers --------------------------------------------------------------------------------------------------------

/// Reads the numbers of a line. See the tokenizer `numbers` for the grammar.
class number_reader {
 public:
  /// Calls `visit(std::string_view number)` for each number of a line.
  template <class Visit>
  void read(std::string_view line, const Visit& visit) {
    const auto may_have_one = [](char c) { return (c >= '0' && c <= '9') || static_cast<signed char>(c) < 0; };
    if (std::none_of(line.begin(), line.end(), may_have_one)) return;
    line_.resize(line.size());  // no replacement is longer; push_back would be slower
    char32_t* out = line_.data();
    for_each_code_point(line, [&](char32_t c, std::string_view) {
      if (c >= 0x80 && classify(c) == character_class::ignored) return;
      if (c == U'{' && out != line_.data() && out[-1] == U'^') return;  // skips the brace of "10^{-5}"
      if (c == 0x215f) {  // U+215F is "1/", a fraction with the numerator one
        out = std::copy_n(U" 1/", 3, out);
      } else {
        *out++ = number_form(c);
      }
    });
    line_.resize(static_cast<std::size_t>(out - line_.data()));
    for (std::size_t i = 0; i < line_.size();) {
      const char32_t c = line_[i];
      if (c < 0x80 && !is_digit(c) && c != U'.') {
        ++i;
      } else if (begins_amount(i) || is_power(i) || is_subscript(c)) {
        i = read_number(i, visit);
      } else if (c >= 0x80 && is_other_numeral(c)) {
        i = read_numeral(i, visit);
      } else {
        ++i;
      }
    }
  }

 private:
  struct part {
    std::string digits;
    char before;              // separator before this part; '\0' for the first part
    bool is_grouped = false;  // true if apostrophes or no-break spaces were removed
  };

  // ---- Characters of the line

  /// Returns character i of the line. Outside of the line, the result is a line end, so at(i - 1) is allowed for i = 0.
  [[nodiscard]] char32_t at(std::size_t i) const noexcept { return i < line_.size() ? line_[i] : U'\n'; }

  static constexpr bool is_digit(char32_t c) noexcept { return c - U'0' < 10; }
  static constexpr bool is_latin(char32_t c) noexcept { return c - U'a' < 26; }
  static constexpr bool is_blank(char32_t c) noexcept { return c == U' ' || c == no_break_space; }
  static constexpr bool is_hexadecimal(char32_t c) noexcept { return is_digit(c) || c - U'a' < 6; }

  /// Returns true if a hyphen after `c` is not a minus sign, as in "PR-2" and "--2". After a character of a script
  /// without spaces, such as Han, a hyphen is a minus sign.
  static constexpr bool ends_word(char32_t c) noexcept { return is_of_word(c) || c == U'-' || c == U'%'; }

  static constexpr bool is_of_word(char32_t c) noexcept {
    if (c < 0x80) return is_latin(c) || is_digit(c);
    return classify(c) == character_class::letter || classify(c) == character_class::mark;
  }

  /// Returns true if `c` joins two amounts to one number, as in "1/2" and "2*3". See the tokenizer `numbers`.
  static constexpr bool is_joint(char32_t c) noexcept {
    if (c < 0x80) return c > U' ' && c != U';' && c != U'|' && c != U',' && c != U'.' && c != U'\'' && c != 0x7f;
    return classify(c) == character_class::han || (classify(c) == character_class::other && !is_white_space(c));
  }

  [[nodiscard]] bool is_power(std::size_t i) const noexcept {
    const bool is_signed = at(i) == superscript_minus || at(i) == superscript_plus;
    return superscript_value(at(is_signed ? i + 1 : i)) >= 0;
  }

  [[nodiscard]] bool begins_amount(std::size_t i) const noexcept {
    if (is_digit(at(i)) || !fraction_text(at(i)).empty()) return true;
    return at(i) == U'.' && is_digit(at(i + 1)) && !is_of_word(at(i - 1)) && at(i - 1) != U'.';
  }

  /// Returns true if the number that begins at i is negative: "-2", "-$2", "$-2", "-US$ 2".
  [[nodiscard]] bool is_negative(std::size_t i) const noexcept;

  // ---- A number

  /// Reads the number that begins at i.
  /// Returns: the end of the number.
  template <class Visit>
  std::size_t read_number(std::size_t i, const Visit& visit) {
    number_ = is_negative(i) ? "-" : "";
    const bool is_signed = at(i - 1) == U'-' || at(i - 1) == U'+';
    if (at(is_signed ? i - 2 : i - 1) == U'^') number_ = at(i - 1) == U'-' ? "^-" : "^";
    for (;;) {
      i = read_amount(i, visit);
      const std::size_t next = read_joint(i);
      if (next == i) break;
      i = next;
    }
    end_number(visit);
    return i;
  }

  template <class Visit>
  void end_number(const Visit& visit) {
    constexpr std::string_view scientific = "*10^";  // "2*10^3" is 2e3
    for (std::size_t k = 1; (k = number_.find(scientific, k)) != std::string::npos; ++k) {
      if (is_digit(static_cast<unsigned char>(number_[k - 1]))) number_.replace(k, scientific.size(), "e");
    }
    visit(std::string_view(number_));
    number_.clear();
  }

  /// Appends the character at i to `number_` if it joins the amount before i to another amount.
  /// Returns: the beginning of the other amount, or i if there is none.
  std::size_t read_joint(std::size_t i);

  template <class Visit>
  std::size_t read_amount(std::size_t i, const Visit& visit) {
    if (is_power(i)) return read_power(i);
    if (is_subscript(at(i))) return read_subscript(i);
    if (const std::string_view fraction = fraction_text(at(i)); !fraction.empty()) {
      number_ += fraction;
      return read_percent(i + 1);
    }
    if (at(i) == U'0' && at(i + 1) == U'x' && is_hexadecimal(at(i + 2)) && !is_of_word(at(i - 1))) {
      number_ += "0x";
      for (i += 2; is_hexadecimal(at(i)); ++i) append(at(i));
      return i;
    }
    i = read_digits(i, visit);
    i = read_fraction(i);
    i = read_exponent(i);
    if (is_power(i)) i = read_power(i);
    if (is_subscript(at(i))) {
      number_ += '_';
      i = read_subscript(i);
    }
    return read_percent(i);
  }

  std::size_t read_power(std::size_t i) {
    number_ += '^';
    if (at(i) == superscript_minus) number_ += '-';
    if (superscript_value(at(i)) < 0) ++i;
    for (int value = 0; (value = superscript_value(at(i))) >= 0; ++i) number_ += static_cast<char>('0' + value);
    return i;
  }

  std::size_t read_subscript(std::size_t i) {
    for (; is_subscript(at(i)); ++i) append(at(i) - 0x2080 + U'0');
    return i;
  }

  /// Reads the fraction of a mixed number: "1½" and "1 1/2".
  std::size_t read_fraction(std::size_t i);

  /// Returns the end of a blank and a proper fraction that begin at i, or i if there are none. The numerator and the
  /// denominator have at most two digits each.
  [[nodiscard]] std::size_t end_of_fraction(std::size_t i) const noexcept;

  std::size_t read_exponent(std::size_t i);

  std::size_t read_percent(std::size_t i) {
    const std::size_t sign = is_blank(at(i)) ? i + 1 : i;
    const bool is_percent = at(sign) == U'%' || at(sign) == 0x2030 || at(sign) == 0x2031;
    if (!is_percent) return i;
    append(at(sign));
    return sign + 1;
  }

  // ---- Digits with separators

  /// Reads digits and the separators between them. If commas or no-break spaces separate several numbers, passes each
  /// number except the last one to `visit`.
  /// Returns: the end of the digits.
  template <class Visit>
  std::size_t read_digits(std::size_t i, const Visit& visit) {
    parts_.clear();
    if (at(i) == U'.') parts_.push_back({"0", '\0'});
    for (;;) {
      const char before = at(i) == U'.' ? '.' : at(i) == U',' ? ',' : at(i) == U'\'' ? '\'' : ' ';
      if (!is_digit(at(i))) ++i;
      parts_.push_back({{}, parts_.empty() ? '\0' : before});
      for (; is_digit(at(i)); ++i) parts_.back().digits += static_cast<char>(at(i));
      const bool is_separator = at(i) == U'.' || at(i) == U',' || at(i) == U'\'' || at(i) == no_break_space;
      if (!is_separator || !is_digit(at(i + 1)) || end_of_fraction(i) != i) break;
    }
    remove_group_marks();
    std::size_t begin = 0;
    for (std::size_t end = 1; end <= parts_.size(); ++end) {
      if (end < parts_.size() && parts_[end].before != ' ') continue;
      append_parts(begin, end, visit);
      if (end < parts_.size()) end_number(visit);
      begin = end;
    }
    return i;
  }

  /// Removes apostrophes and no-break spaces between groups of three digits: "1'234'567", "3.141 592 65".
  void remove_group_marks();

  /// Appends the parts [begin, end) to `number_`. Passes all numbers of a list except the last one to `visit`.
  template <class Visit>
  void append_parts(std::size_t begin, std::size_t end, const Visit& visit) {
    const char last = parts_[end - 1].before;
    const bool has_decimals = (last == '.' && are_groups(begin, end - 1, ',')) ||
                              (last == ',' && (are_groups(begin, end - 1, '.') || is_grouped_alone(begin, end)));
    const bool is_whole = end > begin + 2 && are_groups(begin, end, ',');
    const auto is_comma = [](const part& one) { return one.before == ','; };
    const auto first = parts_.begin() + static_cast<std::ptrdiff_t>(begin);
    const bool is_list = std::count_if(first + 1, parts_.begin() + static_cast<std::ptrdiff_t>(end), is_comma) > 1;
    for (std::size_t k = begin; k < end; ++k) {
      const char separator = k > begin ? parts_[k].before : '\0';
      if (has_decimals || is_whole) {
        if (has_decimals && k + 1 == end) number_ += '.';
      } else if (is_list && separator == ',') {
        end_number(visit);
      } else if (separator != '\0') {
        number_ += separator;
      }
      number_ += parts_[k].digits;
    }
  }

  /// Returns true if `separator` divides the parts [begin, end) into at least two groups of digits, as thousands
  /// ("1,234") or lakhs ("12,34,567") are grouped.
  [[nodiscard]] bool are_groups(std::size_t begin, std::size_t end, char separator) const noexcept;

  [[nodiscard]] bool is_grouped_alone(std::size_t begin, std::size_t end) const noexcept {
    return end == begin + 2 && parts_[begin].is_grouped && !parts_[begin + 1].is_grouped;
  }

  /// Reads numerals that are not decimal digits. An enclosed numeral, such as a number in a circle, becomes its value
  /// in digits. A run of other numerals becomes one number with the same characters.
  template <class Visit>
  std::size_t read_numeral(std::size_t i, const Visit& visit) {
    for (const enclosed_numerals& row : enclosed) {
      if (at(i) < row.first || at(i) > row.last) continue;
      visit(std::string_view(std::to_string(row.value + (at(i) - row.first))));
      return i + 1;
    }
    number_.clear();
    for (; is_other_numeral(at(i)); ++i) append(at(i));
    visit(std::string_view(number_));
    return i;
  }

  void append(char32_t c) {
    char bytes[4];
    number_.append(bytes, encode(c, bytes));
  }

  static constexpr char32_t superscript_minus = 0x207b, superscript_plus = 0x207a;

  std::u32string line_;  // the line after number_form()
  std::string number_;   // the number that is being read
  std::vector<part> parts_;
};

#if NEARDUP_BODIES

NEARDUP_INLINE bool number_reader::is_negative(std::size_t i) const noexcept {
  constexpr std::size_t max_letters = 3;
  std::size_t before = i;
  if (is_currency(at(i - 1))) before = i - 1;
  if (is_blank(at(i - 1)) && is_currency(at(i - 2))) before = i - 2;
  if (before != i) {
    for (std::size_t n = 0; n < max_letters && is_latin(at(before - 1)); ++n) --before;
  }
  return at(before - 1) == U'-' && !ends_word(at(before - 2));
}

NEARDUP_INLINE std::size_t number_reader::read_joint(std::size_t i) {
  const auto is_times = [](char32_t c) { return c == U'*' || c == U'x'; };
  const bool is_spaced = is_blank(at(i)) && is_times(at(i + 1)) && is_blank(at(i + 2));
  const char32_t joint = at(is_spaced ? i + 1 : i);
  if (!is_joint(joint) || is_digit(joint)) return i;
  if (joint == U'/' && !fraction_text(at(i - 1)).empty()) return i;  // "½/3" is not 1/2/3
  std::size_t next = is_spaced ? i + 3 : i + 1;
  const bool is_minus = at(next) == U'-';
  if (is_minus || at(next) == U'+') ++next;
  if (is_currency(at(next))) ++next;
  if (!begins_amount(next) || (joint == U'/' && !fraction_text(at(next)).empty())) return i;
  append(is_times(joint) ? U'*' : joint);
  if (is_minus) number_ += '-';
  return next;
}

NEARDUP_INLINE std::size_t number_reader::read_fraction(std::size_t i) {
  if (const std::string_view fraction = fraction_text(at(i)); !fraction.empty()) {
    number_.append(" ").append(fraction);
    return i + 1;
  }
  const std::size_t end = end_of_fraction(i);
  const std::string_view whole = std::string_view(number_).substr(number_.starts_with('-') ? 1 : 0);
  if (end == i || whole.find_first_not_of("0123456789") != whole.npos) return i;
  number_ += ' ';
  for (++i; i < end; ++i) append(at(i));
  return end;
}

NEARDUP_INLINE std::size_t number_reader::end_of_fraction(std::size_t i) const noexcept {
  if (!is_blank(at(i))) return i;
  std::size_t end = i + 1;
  const auto read = [&] {
    std::size_t value = 0;
    const std::size_t begin = end;
    for (; is_digit(at(end)) && end < begin + 3; ++end) value = 10 * value + (at(end) - U'0');
    return end > begin && end < begin + 3 ? value : 0;
  };
  const std::size_t numerator = read();
  if (numerator == 0 || at(end) != U'/') return i;
  ++end;
  const std::size_t denominator = read();
  const bool goes_on = (is_joint(at(end)) && is_digit(at(end + 1))) || (at(end) == U'.' && is_digit(at(end + 1)));
  return numerator < denominator && !goes_on ? end : i;
}

NEARDUP_INLINE std::size_t number_reader::read_exponent(std::size_t i) {
  std::size_t end = at(i) == U'.' ? i + 1 : i;  // skips the point of "1.e5"
  if (at(end) != U'e') return i;
  ++end;
  const bool is_minus = at(end) == U'-';
  if (is_minus || at(end) == U'+') ++end;
  if (!is_digit(at(end))) return i;
  number_ += is_minus ? "e-" : "e";
  while (at(end) == U'0' && is_digit(at(end + 1))) ++end;
  for (; is_digit(at(end)); ++end) append(at(end));
  return end;
}

NEARDUP_INLINE void number_reader::remove_group_marks() {
  std::vector<part> merged;
  for (std::size_t begin = 0, end = 0; begin < parts_.size(); begin = end) {
    part one = parts_[begin];
    for (end = begin + 1; end < parts_.size() && parts_[end].before == parts_[begin + 1].before; ++end) {
    }
    const bool is_mark = end > begin + 1 && (parts_[begin + 1].before == '\'' || parts_[begin + 1].before == ' ');
    const bool is_decimal = one.before == '.' || one.before == ',';
    one.is_grouped = is_mark && (is_decimal ? parts_[end - 1].digits.size() <= 3 : one.digits.size() <= 3);
    for (std::size_t k = is_decimal ? begin : begin + 1; k < (is_decimal ? end - 1 : end); ++k) {
      one.is_grouped = one.is_grouped && parts_[k].digits.size() == 3;
    }
    if (one.is_grouped) {
      for (std::size_t k = begin + 1; k < end; ++k) one.digits += parts_[k].digits;
      merged.push_back(std::move(one));
    } else {
      // These parts are not one number. After no-break spaces, the last part begins a number, which may have groups.
      end = !is_mark ? begin + 1 : parts_[begin + 1].before == ' ' ? end - 1 : end;
      merged.insert(merged.end(), parts_.begin() + static_cast<std::ptrdiff_t>(begin),
                    parts_.begin() + static_cast<std::ptrdiff_t>(end));
    }
  }
  parts_ = std::move(merged);
}

NEARDUP_INLINE bool number_reader::are_groups(std::size_t begin, std::size_t end, char separator) const noexcept {
  if (end < begin + 2 || parts_[begin].digits.front() == '0') return false;
  const std::size_t first = parts_[begin].digits.size();
  bool are_thousands = first <= 3, are_lakhs = first <= 2 && end > begin + 2 && separator == ',';
  for (std::size_t k = begin; k < end; ++k) {
    if (parts_[k].is_grouped || (k > begin && parts_[k].before != separator)) return false;
    if (k == begin) continue;
    are_thousands = are_thousands && parts_[k].digits.size() == 3;
    are_lakhs = are_lakhs && parts_[k].digits.size() == (k + 1 == end ? 3U : 2U);
  }
  return are_thousands || are_lakhs;
}

#endif  // NEARDUP_BODIES

}  // namespace neardup::inline v0::detail
