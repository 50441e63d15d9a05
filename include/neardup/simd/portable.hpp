// SPDX-License-Identifier: MIT
// Functions from which portable kernels are built. Tests compare all other forms with the portable form.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "../detail/bits.hpp"
#include "forms.hpp"

namespace neardup::inline v0::detail {

/// The greatest number of words of a fingerprint that vector kernels compare as a whole. Wider fingerprints are
/// compared word by word.
inline constexpr std::size_t max_vector_words = 8;

/// Returns the number of bits in which two filters differ. The popcount instruction is not used, because a default
/// build for x86-64 does not have it.
template <std::unsigned_integral Filter>
constexpr int portable_distance(Filter a, Filter b) noexcept {
  return portable_popcount(static_cast<Filter>(a ^ b));
}
template <std::size_t Words>
constexpr int portable_distance(const std::array<std::uint64_t, Words>& a,
                                const std::array<std::uint64_t, Words>& b) noexcept {
  return portable_popcount(differing_bits(a, b));
}

/// The portable form of a vector of 64-bit words. C++ operators compute all words of a `Vector` at a time. A full adder
/// takes five of these operators.
template <class Vector>
struct operator_words {
  using vector = Vector;

  static vector load(const std::uint64_t* from) noexcept {
    vector loaded;
    std::memcpy(&loaded, from, sizeof loaded);
    return loaded;
  }
  static void store(std::uint64_t* to, vector stored) noexcept { std::memcpy(to, &stored, sizeof stored); }
  static vector zero() noexcept { return vector{}; }
  /// Adds three bits at each bit position: sum + b + c = new sum + 2 * carry.
  static void full_add(vector& carry, vector& sum, vector b, vector c) noexcept {
    const vector half = sum ^ b;
    carry = (sum & b) | (half & c);
    sum = half ^ c;
  }
};

#if NEARDUP_BASELINE_KERNELS
namespace baseline {

using words = operator_words<baseline_words>;

#if NEARDUP_X86_KERNELS
using shorts = std::int16_t __attribute__((vector_size(16)));

using byte_vector = std::uint8_t __attribute__((vector_size(16)));

NEARDUP_ALWAYS_INLINE bool are_ascii(byte_vector some) noexcept {
  return _mm_movemask_epi8(reinterpret_cast<__m128i>(some)) == 0;
}
/// Returns the highest bits of 64 bytes.
NEARDUP_ALWAYS_INLINE std::uint64_t mask_of(const byte_vector (&parts)[4]) noexcept {
  const auto mask = [&](std::size_t i) {
    const int bits = _mm_movemask_epi8(reinterpret_cast<__m128i>(parts[i]));
    return std::uint64_t{static_cast<std::uint32_t>(bits)} << 16 * i;
  };
  return mask(0) | mask(1) | mask(2) | mask(3);
}

/// Returns the least lane.
NEARDUP_ALWAYS_INLINE std::int16_t least_of(shorts of) noexcept {
  const auto all = reinterpret_cast<__m128i>(of);
  const __m128i four = _mm_min_epi16(all, _mm_unpackhi_epi64(all, all));
  const __m128i two = _mm_min_epi16(four, _mm_srli_epi64(four, 32));
  return static_cast<std::int16_t>(_mm_cvtsi128_si32(_mm_min_epi16(two, _mm_srli_epi64(two, 16))));
}
#endif

}  // namespace baseline
#endif

namespace portable {

using words = operator_words<std::uint64_t>;

/// The number of filters that are compared at a time, and the number of bits for each filter.
template <class Filter>
inline constexpr std::size_t filter_lanes = 1;
template <class Filter>
inline constexpr std::size_t lane_bits = 1;

/// A version of visit_close() that compares one filter at a time. `distance(x, y)` returns the distance of two filters.
template <class Distance, class Filter, class Take>
NEARDUP_ALWAYS_INLINE std::size_t visit_close_by(const Distance& distance, const Filter* y, std::size_t from,
                                                 std::size_t end, const Filter& filter, int k,
                                                 const Take& take) noexcept {
  const Filter x = filter;
  for (; from < end; ++from) {
    if (distance(x, y[from]) <= k && !take(from, 1, 1)) return from;
  }
  return end;
}

/// Calls `take(position, 1, 1)` for each of the filters y[from] to y[end - 1] that is within k bits of x. Ends if
/// `take` returns false.
/// Returns: `end`, or the position at which to continue if `take` returned false.
template <class Filter, class Take>
NEARDUP_ALWAYS_INLINE std::size_t visit_close(const Filter* y, std::size_t from, std::size_t end, const Filter& x,
                                              int k, const Take& take) noexcept {
  return visit_close_by([](const Filter& a, const Filter& b) { return portable_distance(a, b); }, y, from, end, x, k,
                        take);
}

/// Compares the first `Count` filters at `y` with x. Returns one bit for each filter, which is set if the filter is
/// within k bits of x.
template <std::size_t Count>
NEARDUP_ALWAYS_INLINE std::uint64_t close_shorts(const std::uint16_t* y, std::uint16_t x, int k) noexcept {
  // There are two loops, so that compilers vectorise the first loop.
  std::array<std::uint16_t, Count> counts;
  for (std::size_t i = 0; i < Count; ++i) counts[i] = static_cast<std::uint16_t>(portable_distance(y[i], x));
  std::uint64_t result = 0;
  for (std::size_t i = 0; i < Count; ++i) result |= std::uint64_t{counts[i] <= k} << i;
  return result;
}

}  // namespace portable

}  // namespace neardup::inline v0::detail
