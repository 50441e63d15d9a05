// SPDX-License-Identifier: MIT
// Counters of 2 bits, eight of which are in a word of 16 bits. A counter says whether something occurs never, once,
// twice, or more often.
#pragma once

#include <algorithm>
#include <cstdint>

namespace neardup::inline v0::detail {

/// The highest value of a counter of 2 bits. The counter does not count any higher.
inline constexpr std::uint32_t most_in_two_bits = 3;

/// Returns the counter that begins at bit `shift` of a word.
constexpr std::uint32_t two_bit_count(std::uint16_t word, std::uint32_t shift) noexcept {
  return word >> shift & most_in_two_bits;
}

/// Returns the word with the counter at bit `shift` increased by one, or unchanged if the counter has its highest
/// value.
constexpr std::uint16_t counted_once(std::uint16_t word, std::uint32_t shift) noexcept {
  return static_cast<std::uint16_t>(word + (two_bit_count(word, shift) < most_in_two_bits ? 1U << shift : 0U));
}

/// Returns a word whose counters are the sums of the counters of `a` and `b`, or the highest value if a sum exceeds it.
constexpr std::uint16_t merged_counts(std::uint16_t a, std::uint16_t b) noexcept {
  std::uint32_t merged = 0;
  for (std::uint32_t shift = 0; shift < 16; shift += 2) {
    merged |= (std::min)(two_bit_count(a, shift) + two_bit_count(b, shift), most_in_two_bits) << shift;
  }
  return static_cast<std::uint16_t>(merged);
}

}  // namespace neardup::inline v0::detail
