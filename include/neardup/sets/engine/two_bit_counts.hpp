// SPDX-License-Identifier: MIT
// Counters of 2 bits, eight in a word of 16 bits. They tell whether something occurs never, once, twice, or more often.
#pragma once

#include <algorithm>
#include <cstdint>

namespace neardup::inline v0::detail {

/// The highest count of a counter of 2 bits. A counter stops there.
inline constexpr std::uint32_t most_in_two_bits = 3;

/// Returns the counter that begins at bit `shift` of a word.
constexpr std::uint32_t two_bit_count(std::uint16_t word, std::uint32_t shift) noexcept {
  return word >> shift & most_in_two_bits;
}

/// Counts once: returns the word with a higher counter at bit `shift`, unless the counter has stopped.
constexpr std::uint16_t counted_once(std::uint16_t word, std::uint32_t shift) noexcept {
  return static_cast<std::uint16_t>(word + (two_bit_count(word, shift) < most_in_two_bits ? 1U << shift : 0U));
}

/// Returns the word whose counters are the sums of those of two words.
constexpr std::uint16_t merged_counts(std::uint16_t a, std::uint16_t b) noexcept {
  std::uint32_t merged = 0;
  for (std::uint32_t shift = 0; shift < 16; shift += 2) {
    merged |= (std::min)(two_bit_count(a, shift) + two_bit_count(b, shift), most_in_two_bits) << shift;
  }
  return static_cast<std::uint16_t>(merged);
}

}  // namespace neardup::inline v0::detail
