// SPDX-License-Identifier: MIT
// The rules of canonical text that concern more than one character. Character references are replaced by the
// characters. Words that are divided at the end of a line are joined. Vietnamese tone marks are moved to one place.
//
// Few texts need any of these rules. So a rule finds the next change, and the text before the change is passed on
// without a copy.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "../../detail/bits.hpp"
#include "../../instruction_set.hpp"
#include "../../simd/forms.hpp"
#include "../unicode.hpp"
#include "../utf8.hpp"
#include "canonical_form.hpp"
#include "canonical_scan.hpp"
#include "reference_tables.hpp"

namespace neardup::inline v0::detail {

// ---- Rules ----------------------------------------------------------------------------------------------------------

/// A change of a text: `bytes` replace the range [begin, end). If `is_open` is true, the rule needs more text to decide
/// about the text from `begin` on.
struct spelling_change {
  std::size_t begin, end;
  bool is_open = false;
  std::uint8_t size = 0;
  char bytes[8] = {};

  void append(char32_t code_point) noexcept {
    size = static_cast<std::uint8_t>(size + encode(code_point, bytes + size));
  }
};

/// Changes a text according to a rule.
///
/// `rule.next(text, from, at_end)` returns the first change that begins at `from` or later. If there is no change, its
/// `begin` is the end of the text. An open change begins at most 128 bytes before the end. `rule.pass(text)` tells the
/// rule that `text` has been passed on. The next call of next() gets the text after `text`.
template <class Rule>
class spelling_rewriter {
 public:
  /// Appends text. Calls `take(part)` for each part of the result that later text cannot change.
  /// Precondition: `text` ends with a complete character.
  template <class Take>
  void append(std::string_view text, const Take& take) {
    while (!open_.empty() && !text.empty()) {
      std::size_t part = (text.size() < step) ? text.size() : step;
      while (part < text.size() && is_continuation(text, part)) ++part;
      open_.append(text.substr(0, part));
      text.remove_prefix(part);
      open_.erase(0, rewrite(open_, false, take));
    }
    if (!text.empty()) open_.assign(text.substr(rewrite(text, false, take)));
  }

  template <class Take>
  void finish(const Take& take) {
    rewrite(open_, true, take);
    reset();
  }

  void reset() noexcept {
    rule_ = {};
    open_.clear();
    made_.clear();
  }

  /// Returns true if all text so far has been passed on.
  [[nodiscard]] bool is_settled() const noexcept { return open_.empty(); }

  /// Skips `text`, which the caller has passed on unchanged.
  /// Precondition: is_settled().
  void pass(std::string_view text) noexcept { rule_.pass(text); }

 private:
  static constexpr std::size_t step = 64, worth_a_call = 1024;

  /// Rewrites the longest prefix of `text` that later text cannot change, and passes the result to `take`.
  /// Returns: the size of the prefix in bytes, before it was rewritten.
  template <class Take>
  std::size_t rewrite(std::string_view text, bool at_end, const Take& take) {
    std::size_t done = 0;
    for (;;) {
      const spelling_change change = rule_.next(text, done, at_end);
      put(text.substr(done, change.begin - done), take);
      if (change.is_open || change.begin == text.size()) {
        if (!made_.empty()) take(std::string_view(made_));
        made_.clear();
        rule_.pass(text.substr(0, change.begin));
        return change.begin;
      }
      made_.append(change.bytes, change.size);
      done = change.end;
    }
  }

  template <class Take>
  void put(std::string_view part, const Take& take) {
    if (part.size() < worth_a_call && !made_.empty()) {
      made_.append(part);
    } else if (!part.empty()) {
      if (!made_.empty()) take(std::string_view(made_));
      made_.clear();
      take(part);
    }
  }

  Rule rule_;
  std::string open_;
  std::string made_;  // the result: changes, and the short pieces between them
};

/// Returns the position of the last character of a text, or 0 if the text is empty.
inline std::size_t begin_of_last(std::string_view text) noexcept {
  if (text.empty()) return 0;
  return static_cast<std::size_t>(previous_character(text.data(), text.data() + text.size()) - text.data());
}

/// Replaces character references of HTML: the names of HTML 5, and decimal and hexadecimal numbers. A reference ends
/// with a semicolon.
class character_references {
 public:
  [[nodiscard]] spelling_change next(std::string_view text, std::size_t from, bool at_end) const noexcept {
    for (;; ++from) {
      from = text.find('&', from);
      if (from == text.npos) return {text.size(), text.size()};
      const std::string_view rest = text.substr(from + 1, longest_reference_name + 1);
      const std::size_t size = name_size(rest);
      if (!at_end && from + 1 + size == text.size() && size <= longest_reference_name) return {from, text.size(), true};
      if (size == rest.size() || rest[size] != ';') continue;
      spelling_change change{from, from + size + 2};
      if (resolve(rest.substr(0, size), change)) return change;
    }
  }

  /// Returns true if a character reference may begin at the ampersand at position `at`.
  static bool may_begin(std::string_view text, std::size_t at) noexcept {
    const std::string_view rest = text.substr(at + 1, longest_reference_name + 1);
    const std::size_t size = name_size(rest);
    return size == rest.size() || rest[size] == ';';
  }

  void pass(std::string_view /*text*/) noexcept {}

 private:
  static constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
  static constexpr bool is_letter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

  static std::size_t name_size(std::string_view text) noexcept {
    std::size_t size = !text.empty() && text[0] == '#' ? 1 : 0;
    while (size < text.size() && (is_digit(text[size]) || is_letter(text[size]))) ++size;
    return size;
  }

  static bool resolve(std::string_view name, spelling_change& change) noexcept {
    return name.starts_with('#') ? resolve_number(name.substr(1), change) : resolve_name(name, change);
  }

  static bool resolve_number(std::string_view digits, spelling_change& change) noexcept {
    const bool is_hexadecimal = digits.starts_with('x') || digits.starts_with('X');
    if (is_hexadecimal) digits.remove_prefix(1);
    if (digits.empty()) return false;
    char32_t value = 0;
    for (const char c : digits) {
      const char32_t letter = static_cast<char32_t>(c | 0x20) - U'a';
      if (!is_digit(c) && (!is_hexadecimal || letter >= 6)) return false;
      const char32_t digit = is_digit(c) ? static_cast<char32_t>(c - '0') : letter + 10;
      value = value * (is_hexadecimal ? 16 : 10) + digit;
      if (value > 0x10ffff) value = 0x110000;
    }
    if (value >= 0x80 && value < 0xa0) value = reference_windows[value - 0x80];
    const bool is_none = value == 0 || value > 0x10ffff || (value >= 0xd800 && value < 0xe000);
    change.append(is_none ? replacement_character : value);
    return true;
  }

  static bool resolve_name(std::string_view name, spelling_change& change) noexcept {
    if (name.empty()) return false;
    const char* names = reference_names;
    std::size_t first = 0;
    for (std::size_t shorter = 0; shorter < name.size(); ++shorter) {
      names += shorter * reference_counts[shorter];
      first += reference_counts[shorter];
    }
    // Finds the first name that is not less than the name of the reference, by binary search.
    std::size_t begin = 0;
    const std::size_t all = reference_counts[name.size()];
    for (std::size_t count = all; count > 0;) {
      const std::size_t half = count / 2;
      if (std::string_view(names + (begin + half) * name.size(), name.size()) < name) {
        begin += half + 1;
        count -= half + 1;
      } else {
        count = half;
      }
    }
    if (begin == all || std::string_view(names + begin * name.size(), name.size()) != name) return false;
    const char32_t character = reference_units[first + begin];
    if (character - 0xd800 >= std::size(reference_pairs)) {
      change.append(character);
      return true;
    }
    const char32_t one = reference_pairs[character - 0xd800][0], two = reference_pairs[character - 0xd800][1];
    if (one >= 0xd800 && one < 0xdc00) {
      change.append((one << 10) + two - ((0xd800U << 10) + 0xdc00U - 0x10000U));
    } else {
      change.append(one);
      change.append(two);
    }
    return true;
  }
};

/// Returns true if a code point is in a run of `edges`. `edges` alternates between the first code point of a run and
/// the code point after its last.
template <std::size_t Size>
constexpr bool is_within(const char32_t (&edges)[Size], char32_t c) noexcept {
  return (std::upper_bound(edges, edges + Size, c) - edges) % 2 != 0;
}

/// Returns true if a code point is a letter of category Lu, Ll or Lt.
constexpr bool is_cased(char32_t c) noexcept { return is_within(cased_edges, c); }

/// Returns true if a code point is a letter of category Ll.
constexpr bool is_small(char32_t c) noexcept {
  return is_cased(c) && to_lower(c) == c && !is_within(fixed_capital_edges, c);
}

/// Joins words that are divided at the end of a line. A hyphen is removed between a letter that has a case and a
/// lower-case letter. A soft hyphen is removed between any two letters.
class cut_words {
 public:
  static constexpr std::size_t max_blanks = 32;  ///< most blanks on each side of a line end

  struct hyphen {
    std::size_t begin = 0;
    bool is_there = false, is_soft = false;
  };

  /// Returns the hyphen before `end`. At most max_blanks blanks may stand between the hyphen and `end`.
  static hyphen hyphen_before(std::string_view text, std::size_t end) noexcept {
    const std::size_t least = end > max_blanks ? end - max_blanks : 0;
    while (end > least && is_blank(text[end - 1])) --end;
    const std::string_view line = text.substr(0, end);
    if (line.ends_with(soft_hyphen)) return {end - soft_hyphen.size(), true, true};
    for (const std::string_view one : hyphens) {
      if (line.ends_with(one)) return {end - one.size(), true, false};
    }
    return {};
  }

  [[nodiscard]] spelling_change next(std::string_view text, std::size_t from, bool at_end) const noexcept {
    for (;; ++from) {
      from = find_spelt<false>(text, from);
      if (from == text.size()) {
        const hyphen last = hyphen_before(text, from);
        return {last.is_there && !at_end ? last.begin : from, from, last.is_there && !at_end};
      }
      const hyphen found = text[from] == '\n' ? hyphen_before(text, from) : hyphen();
      if (!found.is_there) continue;
      std::size_t after = from + 1;
      const std::size_t most = after + max_blanks;
      while (after < text.size() && after < most && is_blank(text[after])) ++after;
      if (after == text.size()) {
        if (!at_end) return {found.begin, text.size(), true};
        continue;
      }
      const char32_t following = decode_one(text.substr(after)).code_point;
      const bool is_cut = found.is_soft ? is_soft_cut(before(text, found.begin), following)
                                        : is_hard_cut(before(text, found.begin), following);
      if (is_cut) return {found.begin, after};
    }
  }

  void pass(std::string_view text) noexcept { before_ = before(text, text.size()); }

 private:
  static constexpr std::string_view soft_hyphen = "\u00ad";
  static constexpr std::string_view hyphens[] = {"-", "\u2010", "\u00ac"};  // OCR writes U+00AC for a soft hyphen

  static constexpr bool is_blank(char c) noexcept { return c == ' ' || c == '\t' || c == '\f' || c == '\r'; }

  [[nodiscard]] char32_t before(std::string_view text, std::size_t end) const noexcept {
    return end == 0 ? before_ : decode_one(text.substr(begin_of_last(text.substr(0, end)))).code_point;
  }

  static constexpr bool is_word(char32_t c) noexcept {
    return classify(c) == character_class::letter || classify(c) == character_class::mark;
  }
  static constexpr bool is_soft_cut(char32_t before, char32_t after) noexcept {
    return is_word(before) && classify(after) == character_class::letter;
  }
  static constexpr bool is_hard_cut(char32_t before, char32_t after) noexcept {
    return (is_cased(before) || classify(before) == character_class::mark) && is_small(after);
  }

  char32_t before_ = U' ';
};

/// Moves the tone mark of Vietnamese syllables with the ending oa, oe or uy to the second vowel.
/// Precondition: the text is composed (NFC).
class tone_places {
 public:
  [[nodiscard]] spelling_change next(std::string_view text, std::size_t from, bool at_end) const noexcept {
    for (; (from = find_spelt<true>(text, from)) < text.size(); ++from) {
      const std::size_t begin = begin_of_last(text.substr(0, from));
      const char32_t first = to_lower(decode_one(text.substr(begin)).code_point);
      const char32_t second = to_lower(static_cast<unsigned char>(text[from]));
      const std::string_view rest = text.substr(from + 1);
      for (const row& vowels : rows) {
        const std::size_t tone = vowels.second == second ? tone_of(first, vowels.toned_first) : tones;
        if (tone == tones) continue;
        if (rest.empty() && !at_end) return {begin, text.size(), true};
        if (!rest.empty() && goes_on(decode_one(rest).code_point)) break;
        spelling_change change{begin, from + 1};
        change.append(vowels.first);
        change.append(vowels.toned_second[tone]);
        return change;
      }
    }
    if (const std::size_t last = begin_of_last(text); !at_end && last < text.size()) {
      if (is_toned(to_lower(decode_one(text.substr(last)).code_point))) return {last, text.size(), true};
    }
    return {text.size(), text.size()};
  }

  void pass(std::string_view /*text*/) noexcept {}

 private:
  static constexpr std::size_t tones = 5;
  using toned = char16_t[tones];
  static constexpr toned o = {0xf2, 0xf3, 0x1ecf, 0xf5, 0x1ecd};
  static constexpr toned u = {0xf9, 0xfa, 0x1ee7, 0x169, 0x1ee5};
  struct row {
    char32_t first, second;
    const toned& toned_first;
    toned toned_second;
  };
  static constexpr row rows[] = {{U'o', U'a', o, {0xe0, 0xe1, 0x1ea3, 0xe3, 0x1ea1}},
                                 {U'o', U'e', o, {0xe8, 0xe9, 0x1ebb, 0x1ebd, 0x1eb9}},
                                 {U'u', U'y', u, {0x1ef3, 0xfd, 0x1ef7, 0x1ef9, 0x1ef5}}};

  static constexpr std::size_t tone_of(char32_t c, const toned& vowel) noexcept {
    std::size_t tone = 0;
    while (tone < tones && char32_t{vowel[tone]} != c) ++tone;
    return tone;
  }
  static constexpr bool is_toned(char32_t c) noexcept { return tone_of(c, o) != tones || tone_of(c, u) != tones; }
  static constexpr bool goes_on(char32_t c) noexcept {
    return classify(c) == character_class::letter || classify(c) == character_class::mark;
  }
};

/// Converts a text to canonical form, without normalising. Applies character_references, cut_words, canonical_form and
/// tone_places, in this order.
class canonical_spelling {
 public:
  /// Appends text. Calls `take(part)` for each part of the result that later text cannot change.
  /// Precondition: `text` ends with a complete character.
  template <class Take>
  void append(std::string_view text, const Take& take) {
    while (!text.empty()) {
      std::size_t part = references_.is_settled() && words_.is_settled() ? plain_size(text) : 0;
      if (part > 0) {
        words_.pass(text.substr(0, part));
        compose(text.substr(0, part), take);
      } else {
        part = (std::min)(text.size(), step);
        while (part < text.size() && is_continuation(text, part)) ++part;
        references_.append(text.substr(0, part), [&](std::string_view whole) { join(whole, take); });
      }
      text.remove_prefix(part);
    }
  }

  template <class Take>
  void finish(const Take& take) {
    references_.finish([&](std::string_view part) { join(part, take); });
    words_.finish([&](std::string_view part) { compose(part, take); });
    form_.finish([&](std::string_view part) { tones_.append(part, take); });
    tones_.finish(take);
  }

  void reset() noexcept {
    references_.reset();
    words_.reset();
    form_.reset();
    tones_.reset();
  }

 private:
  static constexpr std::size_t step = 1024;  // number of bytes to which rules apply at a time

  /// Returns a number of bytes at the beginning of a text that character_references and cut_words leave unchanged.
  static std::size_t plain_size(std::string_view text) noexcept {
    if (text.starts_with('&')) return 0;
    std::size_t size = 0;
    do {
      size = find_spelt<false>(text, size + 1);
    } while (size < text.size() && !(text[size] == '&' ? character_references::may_begin(text, size)
                                                       : cut_words::hyphen_before(text, size).is_there));
    if (size == text.size() && !cut_words::hyphen_before(text, size).is_there) return size;
    // A change may begin up to this many bytes before position `size`, with a hyphen and blanks.
    constexpr std::size_t looked_back = cut_words::max_blanks + 3;
    if (size <= looked_back) return 0;
    size -= looked_back;
    while (size > 0 && is_continuation(text, size)) --size;
    return size;
  }

  template <class Take>
  void join(std::string_view text, const Take& take) {
    words_.append(text, [&](std::string_view part) { compose(part, take); });
  }

  template <class Take>
  void compose(std::string_view text, const Take& take) {
    form_.append(text, [&](std::string_view part) { tones_.append(part, take); });
  }

  spelling_rewriter<character_references> references_;
  spelling_rewriter<cut_words> words_;
  canonical_form form_;
  spelling_rewriter<tone_places> tones_;
};

}  // namespace neardup::inline v0::detail
