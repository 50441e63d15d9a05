// SPDX-License-Identifier: MIT
// Canonical form: a text is rewritten before it is normalised, so that it does not matter which code points spell a
// character.
//
// Most text is already in canonical form except for case, and is passed on unchanged. A kernel finds the end of such
// text, 64 bytes at a time. All other characters are decomposed, ordered and composed one by one.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "../../detail/bits.hpp"
#include "../../instruction_set.hpp"
#include "../../simd/forms.hpp"
#include "../unicode.hpp"
#include "../utf8.hpp"
#include "canonical_scan.hpp"
#include "canonical_tables.hpp"
#include "word_runs.hpp"

namespace neardup::inline v0::detail {

/// The way in which a code point is converted to canonical form.
enum class canonical_kind : std::uint8_t {
  plain,    ///< unchanged except for case, and independent of the characters before it
  ordered,  ///< a mark; unchanged if no mark before it has a higher combining class
  second,   ///< may compose with the character before it
  dropped,
  mapped,  ///< replaced by its mapping
  stable,  ///< decomposed if marks follow, otherwise like plain
};

/// An entry of canonical_leaves. The highest three bits are the canonical_kind. The meaning of the lower bits depends
/// on the kind.
struct canonical_code {
  std::uint16_t bits;

  static constexpr canonical_code of(char32_t code_point) noexcept {
    if (code_point >= canonical_table_end) [[unlikely]] {
      const bool is_tail = code_point >= canonical_tail_first && code_point <= canonical_tail_last;
      return {static_cast<std::uint16_t>(is_tail ? unsigned{static_cast<std::uint8_t>(canonical_kind::dropped)} << 13U
                                                 : 0U)};
    }
    const std::size_t row = std::size_t{16} * canonical_pages[code_point / 256] + code_point / 16 % 16;
    return {canonical_leaves[std::size_t{16} * canonical_rows[row] + code_point % 16]};
  }

  [[nodiscard]] constexpr canonical_kind kind() const noexcept { return static_cast<canonical_kind>(bits >> 13); }
  [[nodiscard]] constexpr std::size_t value() const noexcept { return bits & 0x1fffU; }

  /// Returns the canonical combining class; 0 for code points that are not marks.
  [[nodiscard]] constexpr unsigned combining_class() const noexcept {
    if (kind() == canonical_kind::ordered) return static_cast<unsigned>(value());
    return kind() == canonical_kind::second ? canonical_seconds[value()].combining_class : 0U;
  }

  [[nodiscard]] constexpr bool stays() const noexcept {
    return kind() == canonical_kind::plain || kind() == canonical_kind::stable;
  }
};

/// Returns the character that `first` and `second` compose, or 0 if they do not compose. `code` is the canonical_code
/// of `second`.
constexpr char32_t compose_pair(char32_t first, char32_t second, canonical_code code) noexcept {
  constexpr char32_t lead = 0x1100, vowel = 0x1161, tail = 0x11a7, syllables = 0xac00;
  constexpr char32_t leads = 19, vowels = 21, tails = 28;
  if (first - lead < leads && second - vowel < vowels) {
    return syllables + ((first - lead) * vowels + (second - vowel)) * tails;
  }
  if (first - syllables < leads * vowels * tails && second - tail - 1 < tails - 1) {
    return (first - syllables) % tails == 0 ? first + (second - tail) : 0;
  }
  const canonical_second& entry = canonical_seconds[code.value()];
  const canonical_pair* const begin = canonical_pairs + entry.first_pair;
  const canonical_pair* const end = begin + entry.pairs;
  const canonical_pair* const found =
      std::lower_bound(begin, end, first, [](const canonical_pair& pair, char32_t c) { return pair.first < c; });
  return found != end && found->first == first ? found->composite : 0;
}

/// Composes a text code point by code point. The composer holds one character and its marks until they are complete.
class canonical_composer {
 public:
  static constexpr std::size_t max_marks = 30;  ///< most marks of a character; further marks are dropped

  /// Returns true if the composer holds a character to which further marks may belong.
  [[nodiscard]] bool is_open() const noexcept { return starter_ != none || count_ > 0; }

  void push(char32_t code_point, canonical_code code, std::string& out) {
    switch (code.kind()) {
      case canonical_kind::dropped:
        if (code_point == zero_width_joiner) {
          joins_ = joins_ || ends_with_emoji();
        } else if (is_emoji_tag(code_point) && ends_with_emoji()) {
          push_decomposed(code_point, {}, out);
        }
        return;
      case canonical_kind::mapped:
      case canonical_kind::stable: {
        const char16_t* at = canonical_pool + code.value();
        const std::size_t units = code.value() < canonical_singles ? 1 : *at++;
        for (const char16_t* const end = at + units; at < end;) {
          char32_t part = *at++;
          if (part >= 0xd800 && part < 0xdc00) part = (part << 10) + *at++ - ((0xd800U << 10) + 0xdc00U - 0x10000U);
          push_decomposed(part, canonical_code::of(part), out);
        }
        return;
      }
      default: push_decomposed(code_point == circled_m ? code_point : to_lower(code_point), code, out);
    }
  }

  /// Returns true if the text so far ends with an emoji and a joiner. The joiner is kept only if another emoji follows.
  [[nodiscard]] bool ends_with_joiner() const noexcept { return joins_; }

  /// Composes the held character, and writes the result.
  void close(std::string& out) {
    compose_marks();
    write(out);
    starter_ = none;
  }

  void reset() noexcept {
    starter_ = none;
    count_ = 0;
    joins_ = false;
    run_ = word_run::none;
    last_put_ = none;
  }

 private:
  static constexpr char32_t none = 0xffffffff;
  static constexpr char32_t dot_above = 0x307, iota_below = 0x345, iota = 0x3b9;
  static constexpr char32_t circled_m = 0x24c2;  // an emoji whose lower case is no emoji
  static constexpr unsigned above = 230;

  struct mark {
    char32_t code_point;
    canonical_code code;
    std::uint8_t combining_class;
  };

  void push_decomposed(char32_t code_point, canonical_code code, std::string& out) {
    const bool is_joined = std::exchange(joins_, false) && classify(code_point) == character_class::pictograph &&
                           !is_emoji_modifier(code_point);
    if (const unsigned order = code.combining_class(); order != 0) {
      if (count_ == max_marks) return;
      // Marks with the same combining class keep their order.
      std::size_t i = count_++;
      for (; i > 0 && marks_[i - 1].combining_class > order; --i) marks_[i] = marks_[i - 1];
      marks_[i] = {code_point, code, static_cast<std::uint8_t>(order)};
      return;
    }
    if (code.kind() == canonical_kind::second) {
      compose_marks();
      if (starter_ != none && count_ == 0) {
        if (const char32_t composite = compose_pair(starter_, code_point, code); composite != 0) {
          starter_ = composite;
          return;
        }
      }
      write(out);
    } else if (is_open()) {
      close(out);
    }
    if (is_joined) put(zero_width_joiner, out);
    starter_ = code_point;
  }

  /// Composes the held character with its marks where possible. The marks that do not compose are kept.
  void compose_marks() noexcept {
    if (count_ == 0) return;
    std::size_t kept = 0;
    unsigned last = 0;
    bool is_dotted = starter_ == U'i';  // a dot above an i is not visible, so the dot is dropped
    for (std::size_t i = 0; i < count_; ++i) {
      const mark next = marks_[i];
      if (is_dotted && next.combining_class == above) {
        if (next.code_point == dot_above) continue;
        is_dotted = false;
      }
      if (starter_ != none && next.code.kind() == canonical_kind::second && last < next.combining_class) {
        if (const char32_t composite = compose_pair(starter_, next.code_point, next.code); composite != 0) {
          starter_ = composite;
          continue;
        }
      }
      last = next.combining_class;
      marks_[kept++] = next;
    }
    count_ = kept;
  }

  void write(std::string& out) {
    if (starter_ != none) put(starter_, out);
    for (std::size_t i = 0; i < count_; ++i) {
      // Case folding replaces the iota below a letter by the letter iota after it.
      put(marks_[i].code_point == iota_below ? iota : marks_[i].code_point, out);
    }
    count_ = 0;
  }

  /// Returns true if the held character is an emoji. Tags and a joiner may belong to an emoji.
  [[nodiscard]] bool ends_with_emoji() const noexcept {
    if (starter_ == none) return false;
    for (std::size_t i = 0; i < count_; ++i) {
      if (marks_[i].code_point == iota_below) return false;  // case folding makes it a letter
    }
    word_run run = run_;
    word_step_of(classify(starter_), starter_, run);
    return run == word_run::pictograph;
  }

  /// Writes a code point. A mark without a base, or a joiner without a following emoji, is not written.
  void put(char32_t code_point, std::string& out) {
    const auto write = [&out](char32_t c) {
      char bytes[4];
      out.append(bytes, encode(c, bytes));
    };
    const word_step step = word_step_of(classify(code_point), code_point, run_);
    const bool is_keycap = code_point == enclosing_keycap && (last_put_ == U'#' || last_put_ == U'*');
    if (step == word_step::ignored && !is_keycap) return;
    if (step == word_step::joins) write(zero_width_joiner);
    if (step == word_step::ignored) run_ = word_run::lone;
    write(code_point);
    last_put_ = code_point;
  }

  char32_t starter_ = none;
  std::size_t count_ = 0;
  bool joins_ = false;             // the text so far ends with an emoji and a joiner
  word_run run_ = word_run::none;  // the word that is open at the end of the written text
  char32_t last_put_ = none;
  std::array<mark, max_marks> marks_;
};

// ---- how far a text is in canonical form ----------------------------------------------------------------------------

/// Returns the beginning of the character that ends at `at`. `begin` is the beginning of the text.
inline const char* previous_character(const char* begin, const char* at) noexcept {
  for (const char* lead = at - 1; lead >= begin && at - lead <= 4; --lead) {
    if ((static_cast<unsigned char>(*lead) & 0xc0) == 0x80) continue;
    return decode_one({lead, static_cast<std::size_t>(at - lead)}).length == at - lead ? lead : at - 1;
  }
  return at - 1;
}

/// Finds a prefix of the text that is in canonical form except for case, and that later characters cannot change. The
/// search ends at `limit`.
/// Returns: the end of the prefix, which is the beginning of a character.
inline const char* find_unsettled(const char* begin, const char* limit, const char* end,
                                  instruction_set level) noexcept {
  const std::ptrdiff_t unknown_run =
      choose_form(level, [](auto form) { return decltype(scan_kernels_of(form))::unknown_run; });
  const char* last = begin;  // beginning of the last character that is not a mark
  unsigned order = 0;        // combining class of the last mark after `last`
  std::size_t marks = 0;
  constexpr std::size_t decomposed_marks = 3;  // the greatest number of marks in one character
  const auto stays_at = [&](const char* character) {
    last = character;
    order = 0;
    marks = 0;
  };
  for (const char* at = begin; at < limit;) {
    if (const std::size_t settled = settled_bytes(at, static_cast<std::size_t>(limit - at), level); settled > 0) {
      at += settled;
      stays_at(previous_character(begin, at));
    }
    const char* const known = limit - at < unknown_run ? limit : at + unknown_run;
    while (at < known) {
      const unsigned lead = static_cast<unsigned char>(*at);
      const std::string_view text(at, static_cast<std::size_t>(end - at));
      if (lead < 0x80) {
        stays_at(at++);
        continue;
      }
      if (lead >= 0xe4 && lead <= 0xe9 && is_continuation(text, 1) && is_continuation(text, 2)) {
        stays_at(at);  // U+4000 to U+9FFF
        at += 3;
        continue;
      }
      const decoded next = decode_multibyte(text);
      const canonical_code code = canonical_code::of(next.code_point);
      if (code.stays()) {
        // A skin tone does not become `last`, because it belongs to the emoji before it. `last` stays at the emoji,
        // because tags or a joiner may follow.
        if (!is_emoji_modifier(next.code_point)) stays_at(at);
        at += next.length;
        continue;
      }
      if (code.kind() != canonical_kind::ordered) return last;
      const auto next_order = static_cast<unsigned>(code.value());
      if (next_order == 0) {
        marks = 0;
      } else if (next_order < order || ++marks > canonical_composer::max_marks - decomposed_marks) {
        return last;
      }
      order = next_order;
      // A mark without a base character is not canonical, because it has to be removed.
      const std::string_view before(last, static_cast<std::size_t>(end - last));
      if (last == at || classify(decode_one(before).code_point) == character_class::other) return last;
      at += next.length;
    }
  }
  return last;
}

/// Rewrites a text to canonical form, without normalising. Invisible characters are removed, the case is fully folded,
/// and each character is composed with its marks. If the result is then normalised, texts that look alike have the same
/// words, whatever code points spell them. Marks without a base are removed. An upper-case letter stays if its lower
/// case is one code point, because normalising replaces it later.
class canonical_form {
 public:
  /// Appends text. Calls `take(part)` for each part of the result that later text cannot change.
  /// Precondition: the text ends with a whole character.
  template <class Take>
  void append(std::string_view text, const Take& take) {
    const instruction_set level = active_instruction_set();
    const char* at = text.data();
    const char* const end = at + text.size();
    for (;;) {
      if (composer_.is_open()) at = compose(at, end);
      if (at == end) return;
      // The text is searched and passed on in pieces of `step` bytes, so that a piece is still in the cache when the
      // piece is passed on.
      const char* const limit = end - at < step ? end : at + step;
      const char* const settled = find_unsettled(at, limit, end, level);
      const auto size = static_cast<std::size_t>(settled - at);
      if (size < worth_a_call) {
        made_.append(at, size);
        if (made_.size() >= worth_a_call) hand_on(take);
      } else {
        hand_on(take);
        take(std::string_view(at, size));
      }
      at = compose(settled, end);
    }
  }

  template <class Take>
  void finish(const Take& take) {
    composer_.close(made_);
    hand_on(take);
    reset();
  }

  void reset() noexcept {
    composer_.reset();
    made_.clear();
  }

 private:
  static constexpr std::ptrdiff_t step = 16384;
  static constexpr std::size_t worth_a_call = 2048;

  template <class Take>
  void hand_on(const Take& take) {
    if (!made_.empty()) take(std::string_view(made_));
    made_.clear();
  }

  /// Composes the characters from `at` on. Stops at a character that stays unchanged and does not depend on the
  /// characters before it.
  /// Returns: the beginning of the character at which it stopped, or `end`.
  const char* compose(const char* at, const char* end) {
    bool is_begun = composer_.is_open();
    for (; at < end;) {
      const decoded next = decode_one({at, static_cast<std::size_t>(end - at)});
      const canonical_code code = canonical_code::of(next.code_point);
      if (is_begun && code.stays() && !composer_.ends_with_joiner()) {
        composer_.close(made_);
        return at;
      }
      composer_.push(next.code_point, code, made_);
      is_begun = true;
      at += next.length;
    }
    return at;
  }

  canonical_composer composer_;
  std::string made_;  // composed text, and the short unchanged pieces between
};

}  // namespace neardup::inline v0::detail
