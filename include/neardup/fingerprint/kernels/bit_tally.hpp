// SPDX-License-Identifier: MIT
// Positional population counts: functions that count, for each of 64 bit positions, how many words have the bit set,
// and that find the bits that more than half of the words have set.
//
// Counts are bit-sliced: plane p has bit p of the count of every bit position. A full adder (carry-save, two or five
// instructions) adds two words to all 64 counts at once. A carry into a plane waits until a second carry arrives. Then
// the two carries are added together. So each plane costs half as much as the plane below it.
// Source: Clausecker, Lemire, Schintke, Faster Positional-Population Counts, CPE 2025, arXiv 2412.16370.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "../../detail/bits.hpp"
#include "../../simd/forms.hpp"

namespace neardup::inline v0::detail {

/// Bit-sliced counts of 64 bit positions. There are up to eight independent lanes. At the end, the counts of all lanes
/// are added.
struct bit_tally {
  static constexpr std::size_t lanes = 8;
  static constexpr std::size_t max_planes = 48;  // a lane counts up to 2^48 words
  /// A block of 16 vectors is added to the lowest four planes, which have the weights 1, 2, 4 and 8. A carry has the
  /// weight 16, and goes to the next plane.
  static constexpr std::size_t block_planes = 4;

  // planes[p][lane] is bit p of the counts of a lane. If bit p of `is_waiting` is set, waiting[p][lane] is a further
  // carry of weight 2^p. Only the planes below `used` are initialised.
  alignas(64) std::uint64_t planes[max_planes][lanes];
  alignas(64) std::uint64_t waiting[max_planes][lanes];
  std::uint64_t is_waiting;
  std::size_t used;
  std::uint64_t total;    // number of words counted
  instruction_set level;  // the same for all words, because it determines the number of lanes

  explicit bit_tally(instruction_set set = active_instruction_set()) noexcept { clear(set); }

  void clear(instruction_set set = active_instruction_set()) noexcept {
    is_waiting = 0;
    used = 0;
    total = 0;
    level = set;
  }

  /// Starts to use the lowest block_planes planes.
  /// Returns: true if these planes have counts already, or false if they are not initialised.
  bool begin() noexcept {
    if (used > 0) return true;
    used = block_planes;
    return false;
  }
};

/// Returns the bit positions whose count exceeds total / 2, as a bit set. count[p] is plane p of the counts.
inline std::uint64_t more_than_half(const std::uint64_t* count, std::size_t planes, std::uint64_t total) noexcept {
  // Compares the counts of all bit positions with the threshold at once. The highest plane is compared first.
  const std::uint64_t threshold = total / 2;
  std::uint64_t greater = 0;
  std::uint64_t equal = ~std::uint64_t{0};
  for (std::size_t p = planes; p-- > 0;) {
    const std::uint64_t bit = 0 - ((threshold >> p) & 1U);
    greater |= equal & count[p] & ~bit;
    equal &= ~(count[p] ^ bit);
  }
  return greater;
}

}  // namespace neardup::inline v0::detail

#define NEARDUP_KERNEL "../fingerprint/kernels/bit_tally.inl"
#include "../../simd/for_each_form.hpp"

namespace neardup::inline v0::detail {

/// Adds the bits of `n` words to the counts in `tally`.
inline void count_bits(bit_tally& tally, const std::uint64_t* words, std::size_t n) noexcept {
  choose_form(tally.level, [&](auto form) { decltype(tally_kernels_of(form))::count_bits(tally, words, n); });
}

/// Returns the bits that are set in more than half of the counted words.
/// Precondition: at most 2^48 words were counted.
inline std::uint64_t majority(const bit_tally& tally) noexcept {
  return choose_form(tally.level, [&](auto form) { return decltype(tally_kernels_of(form))::majority(tally); });
}

}  // namespace neardup::inline v0::detail
