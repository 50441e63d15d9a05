// SPDX-License-Identifier: MIT
// Finds the places of a text that canonical form may change. All other text is passed on unchanged.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "../../detail/bits.hpp"
#include "../../instruction_set.hpp"
#include "../../simd/forms.hpp"
#include "text_blocks.hpp"

namespace neardup::inline v0::detail {

// ---- settled characters: they stay unchanged, and are not marks -----------------------------------------------------

/// Lookup tables for the three bytes of a character. The halves of a byte (four bits each) are the indices. A character
/// is settled if its six entries have a bit in common.
struct settled_halves {
  std::uint8_t high[3][16], low[3][16];
};
inline constexpr settled_halves halves_of_settled = [] {
  settled_halves result{};
  unsigned role = 1;
  // Each argument is a set of values of a half byte, as a bit mask: bit i stands for the value i.
  const auto add = [&](unsigned leads, unsigned next, unsigned third_high, unsigned third_low) {
    constexpr unsigned all = 0xffff;
    const unsigned high[] = {all, all, third_high};
    const unsigned low[] = {leads, next, third_low};
    for (unsigned i = 0; i < 3; ++i) {
      for (unsigned value = 0; value < 16; ++value) {
        if ((high[i] >> value & 1U) != 0) result.high[i][value] |= static_cast<std::uint8_t>(role);
        if ((low[i] >> value & 1U) != 0) result.low[i][value] |= static_cast<std::uint8_t>(role);
      }
    }
    role <<= 1;
  };
  const auto bit = [](unsigned value) { return 1U << value; };
  const auto range = [](unsigned least, unsigned most) { return (2U << most) - (1U << least); };
  const unsigned any = 0xffff;
  add(bit(2) | bit(3), bit(0), bit(9) | bit(11), any);          // U+2010, U+2030, U+3010, U+3030, sixteen of each
  add(bit(2) | bit(3), bit(0), bit(8) | bit(10), range(0, 8));  // U+2000, U+2020, U+3000, U+3020, nine of each
  add(bit(3), bit(1) | bit(3), any, any);                       // U+3040 to U+307F, U+30C0 to U+30FF
  add(bit(3), bit(2), bit(8) | bit(10) | bit(11), any);         // U+3080, U+30A0, U+30B0
  add(bit(3), bit(2), bit(9), range(0, 8));                     // U+3090 to U+3098
  add(bit(3), bit(0), bit(8), any);                             // U+3000 to U+300F
  add(bit(15), bit(12), bit(8), any);                           // U+FF00 to U+FF0F
  add(bit(15), bit(12), bit(9), range(10, 15));                 // U+FF1A to U+FF1F
  // The high half of the first byte is E in all ranges. The high half of the second byte is 8 in the ranges from U+2000
  // and U+3000, and B in the ranges from U+FF00.
  for (unsigned value = 0; value < 16; ++value) {
    if (value != 0xe) result.high[0][value] = 0;
    result.high[1][value] &= value == 0x8 ? 0x3f : value == 0xb ? 0xc0 : 0;
  }
  return result;
}();

// ---- changes of more than one character -----------------------------------------------------------------------------

/// Returns true if a change of the spelling may begin at byte `c`; `before` is the byte before `c`. There are two
/// cases: `c` is an ampersand; or `c` is a line end, and `before` is a blank or may be the last byte of a hyphen.
inline bool may_be_written(char before, char c) noexcept {
  if (c != '\n') return c == '&';
  const auto end = static_cast<unsigned char>(before);
  return end == '-' || end == ' ' || end == '\t' || end == '\f' || end == '\r' || end == 0x90 || (end | 1) == 0xad;
}

/// Returns true if the tone mark of a vowel may have to move to the next vowel. `before` may be the last byte of a
/// vowel with a tone mark, and `c`, the byte after `before`, is a vowel.
inline bool may_be_toned(char before, char c) noexcept {
  return static_cast<signed char>(before) < 0 && ((c | 0x20) == 'a' || (c | 0x20) == 'e' || (c | 0x20) == 'y');
}

/// Returns may_be_toned() if IsToned is true, otherwise may_be_written().
template <bool IsToned>
bool may_be_spelt(char before, char c) noexcept {
  return IsToned ? may_be_toned(before, c) : may_be_written(before, c);
}

}  // namespace neardup::inline v0::detail

#define NEARDUP_KERNEL "../text/kernels/canonical_scan.inl"
#include "../../simd/for_each_form.hpp"

namespace neardup::inline v0::detail {

/// Returns the number of bytes from `at` on that belong to settled characters. A kernel recognises only some settled
/// characters, so the character after these bytes may be settled, too. The last character may end after `size`.
inline std::size_t settled_bytes(const char* at, std::size_t size, instruction_set level) noexcept {
  return choose_form(level, [&](auto form) { return decltype(scan_kernels_of(form))::settled_bytes(at, size); });
}

/// Returns the first position, from `i` on and above 0, where may_be_written() or may_be_toned() is true. If there is
/// none, returns the size of the text.
template <bool IsToned>
std::size_t find_spelt(std::string_view text, std::size_t i) noexcept {
  const char* const at = text.data();
  i = choose_form(active_instruction_set(), [&](auto form) {
    return decltype(scan_kernels_of(form))::template find_spelt<IsToned>(at, (std::max)(i, std::size_t{1}),
                                                                         text.size());
  });
  while (i < text.size() && !may_be_spelt<IsToned>(at[i - 1], at[i])) ++i;
  return (std::min)(i, text.size());
}

}  // namespace neardup::inline v0::detail
