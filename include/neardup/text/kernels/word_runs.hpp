// SPDX-License-Identifier: MIT
// The rules that decide whether a character begins, continues or ends a word. All word scanners follow these rules.
#pragma once

#include <cstdint>
#include <cstring>

#include "../../detail/bits.hpp"
#include "../unicode.hpp"

namespace neardup::inline v0::detail {

inline constexpr char32_t zero_width_joiner = 0x200d;
inline constexpr char32_t enclosing_keycap = 0x20e3;

/// Returns true for a skin tone, which modifies the pictograph before it.
constexpr bool is_emoji_modifier(char32_t c) noexcept { return c >= 0x1f3fb && c <= 0x1f3ff; }

/// Returns true for a tag character. Tags after a black flag name a region, as in the flag of Scotland.
constexpr bool is_emoji_tag(char32_t c) noexcept { return c >= 0xe0020 && c <= 0xe007f; }

/// The state of a word scanner at a position: the kind of word that is open there.
enum class word_run : std::uint8_t {
  none,
  letters,
  lone,        ///< one character with its marks, or an emoji that only marks can follow
  pictograph,  ///< an emoji that skin tones, tags and a joiner may follow
  joined,      ///< an emoji and a joiner; the joiner counts only if another emoji follows
  half_flag,   ///< one regional indicator
};

/// The effect of a character on the open word.
enum class word_step : std::uint8_t {
  ends,     ///< a separator: ends the open word
  begins,   ///< begins a word, and ends the open word
  goes_on,  ///< belongs to the open word
  joins,    ///< belongs to the open word, as does the joiner before it
  ignored,  ///< treated as if absent
};

/// Returns word_step_of() for the rare classes: regional, pictograph and ignored.
NEARDUP_NOINLINE inline word_step rare_step_of(character_class kind, char32_t c, word_run& run) noexcept {
  const bool is_open_pictograph = run == word_run::pictograph || run == word_run::joined;
  if (kind == character_class::regional) {
    const bool is_second = run == word_run::half_flag;
    run = is_second ? word_run::lone : word_run::half_flag;
    return is_second ? word_step::goes_on : word_step::begins;
  }
  if (kind == character_class::pictograph) {
    if (is_emoji_modifier(c)) {
      const bool has_base = is_open_pictograph;
      run = has_base ? word_run::pictograph : word_run::lone;
      return has_base ? word_step::goes_on : word_step::begins;
    }
    const bool is_joined = run == word_run::joined;
    run = word_run::pictograph;
    return is_joined ? word_step::joins : word_step::begins;
  }
  if (is_open_pictograph && c == zero_width_joiner) run = word_run::joined;
  if (!is_open_pictograph || !is_emoji_tag(c)) return word_step::ignored;
  run = word_run::pictograph;
  return word_step::goes_on;
}

/// Returns the effect of a character on the open word of kind `run`, and updates `run`.
NEARDUP_ALWAYS_INLINE word_step word_step_of(character_class kind, char32_t c, word_run& run) noexcept {
  switch (kind) {
    case character_class::other: run = word_run::none; return word_step::ends;
    case character_class::letter: {
      const bool goes_on = run == word_run::letters;
      run = word_run::letters;
      return goes_on ? word_step::goes_on : word_step::begins;
    }
    case character_class::mark:
      if (run == word_run::none) return word_step::ignored;
      if (run == word_run::joined) run = word_run::pictograph;
      if (run == word_run::half_flag) run = word_run::lone;
      return word_step::goes_on;
    case character_class::lone:
    case character_class::han: run = word_run::lone; return word_step::begins;
    default: return rare_step_of(kind, c, run);
  }
}

/// Returns the character # or * that stands directly before `at`, or 0 if another character does. Both can begin the
/// emoji of a keycap. Variation selectors before `at` are skipped. If [begin, at) has only variation selectors, returns
/// `before`, the result for the text that precedes `begin`.
inline char keycap_sign(const char* begin, const char* at, char before) noexcept {
  while (at - begin >= 3 && std::memcmp(at - 3, "\xef\xb8\x8f", 3) == 0) at -= 3;
  if (at == begin) return before;
  return at[-1] == '#' || at[-1] == '*' ? at[-1] : '\0';
}

}  // namespace neardup::inline v0::detail
