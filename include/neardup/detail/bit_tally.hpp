// Counts in how many of many words each bit is set, and tells which bits are set in more than half.
//
// The counts are bit-sliced: plane p holds bit p of the count of every column, so that one full adder (a carry-save
// adder, two or five instructions) takes two words into all 64 counts at once.
// Source: Clausecker, Lemire, Schintke, Faster Positional-Population Counts, CPE 2025, arXiv 2412.16370.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "instruction_set.hpp"

namespace neardup::inline v0::detail {

/// Bit-sliced counts of the 64 columns of many words, in eight lanes that are added at the end.
struct bit_tally {
  static constexpr std::size_t lanes = 8;
  static constexpr std::size_t max_planes = 48;  // a lane counts to 2^48

  // planes[p][lane]: bit p of the counts of a lane. Not initialised: `used` says how many are.
  alignas(64) std::uint64_t planes[max_planes][lanes];
  std::size_t used = 0;
  std::uint64_t total = 0;  // words counted

  bit_tally() noexcept {}  // NOLINT(modernize-use-equals-default): the planes stay uninitialised

  void clear() noexcept {
    used = 0;
    total = 0;
  }

  /// Makes the first `count` planes valid.
  void extend(std::size_t count) noexcept {
    for (; used < count; ++used) {
      for (std::uint64_t& lane : planes[used]) lane = 0;
    }
  }
};

/// The planes that a block of 16 words goes through before its carry: counts of 1, 2, 4 and 8.
inline constexpr std::size_t block_planes = 4;

/// Adds one word a lane with the weight 2^plane; Vector is std::uint64_t or has its operators.
template <class Vector>
struct full_adder {
  /// sum = a ^ b ^ c, carry = majority(a, b, c).
  static void add(Vector& carry, Vector& sum, Vector b, Vector c) noexcept {
    const Vector half = sum ^ b;
    carry = (sum & b) | (half & c);
    sum = half ^ c;
  }
};

/// The reference: plain 64-bit words in lane 0.
inline void count_bits_portable(bit_tally& tally, const std::uint64_t* words, std::size_t n) noexcept {
  using adder = full_adder<std::uint64_t>;
  tally.total += n;
  tally.extend(block_planes);
  std::uint64_t ones = tally.planes[0][0];
  std::uint64_t twos = tally.planes[1][0];
  std::uint64_t fours = tally.planes[2][0];
  std::uint64_t eights = tally.planes[3][0];
  const auto ripple = [&tally](std::size_t plane, std::uint64_t carry) {
    for (; carry != 0; ++plane) {
      tally.extend(plane + 1);
      std::uint64_t& sum = tally.planes[plane][0];
      const std::uint64_t next = sum & carry;
      sum ^= carry;
      carry = next;
    }
  };
  const std::uint64_t* w = words;
  const std::uint64_t* const end = words + n;
  for (; end - w >= 16; w += 16) {
    std::uint64_t twos_a, twos_b, fours_a, fours_b, eights_a, eights_b, sixteens;
    adder::add(twos_a, ones, w[0], w[1]);
    adder::add(twos_b, ones, w[2], w[3]);
    adder::add(fours_a, twos, twos_a, twos_b);
    adder::add(twos_a, ones, w[4], w[5]);
    adder::add(twos_b, ones, w[6], w[7]);
    adder::add(fours_b, twos, twos_a, twos_b);
    adder::add(eights_a, fours, fours_a, fours_b);
    adder::add(twos_a, ones, w[8], w[9]);
    adder::add(twos_b, ones, w[10], w[11]);
    adder::add(fours_a, twos, twos_a, twos_b);
    adder::add(twos_a, ones, w[12], w[13]);
    adder::add(twos_b, ones, w[14], w[15]);
    adder::add(fours_b, twos, twos_a, twos_b);
    adder::add(eights_b, fours, fours_a, fours_b);
    adder::add(sixteens, eights, eights_a, eights_b);
    ripple(block_planes, sixteens);
  }
  for (; w != end; ++w) {
    std::uint64_t carry = *w;
    for (std::uint64_t* const sum : {&ones, &twos, &fours, &eights}) {
      const std::uint64_t next = *sum & carry;
      *sum ^= carry;
      carry = next;
    }
    ripple(block_planes, carry);
  }
  tally.planes[0][0] = ones;
  tally.planes[1][0] = twos;
  tally.planes[2][0] = fours;
  tally.planes[3][0] = eights;
}

/// The bits that are set in more than half of the words counted. Precondition: at most 2^48 words.
inline std::uint64_t majority(const bit_tally& tally) noexcept {
  // The sum of the lanes, bit-sliced in one lane; it may need three planes more.
  std::uint64_t sum[bit_tally::max_planes + 4] = {};
  const auto planes = static_cast<std::size_t>(std::bit_width(tally.total));
  for (std::size_t lane = 0; lane < bit_tally::lanes; ++lane) {
    std::uint64_t carry = 0;
    for (std::size_t p = 0; p < planes; ++p) {
      const std::uint64_t word = p < tally.used ? tally.planes[p][lane] : 0;
      const std::uint64_t half = sum[p] ^ word;
      const std::uint64_t next = (sum[p] & word) | (half & carry);
      sum[p] = half ^ carry;
      carry = next;
    }
  }
  // count > total / 2, compared from the highest plane down in all columns at once.
  const std::uint64_t threshold = tally.total / 2;
  std::uint64_t greater = 0;
  std::uint64_t equal = ~std::uint64_t{0};
  for (std::size_t p = planes; p-- > 0;) {
    const std::uint64_t bit = 0 - ((threshold >> p) & 1U);
    greater |= equal & sum[p] & ~bit;
    equal &= ~(sum[p] ^ bit);
  }
  return greater;
}

}  // namespace neardup::inline v0::detail
