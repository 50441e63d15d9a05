// SPDX-License-Identifier: MIT
// Filters, the joins of filters, and the portable form of a join.
//
// A filter is an unsigned integer of 16, 32 or 64 bits, or all words of a fingerprint.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "../../detail/bits.hpp"
#include "../../simd/forms.hpp"

namespace neardup::inline v0::detail {

/// The filter of a fingerprint: the fingerprint folded by exclusive or to the width of `Filter`, an unsigned type of 16
/// to 64 bits. If `Filter` is an array of words, the filter is the whole fingerprint.
/// Guarantee: two filters differ in no more bits than their fingerprints, so a filter never rejects a match. Folding
/// uses all bits of a fingerprint. A filter that copied only some bits would pass every candidate that differs in the
/// other bits.
template <class Filter, std::size_t Words>
[[nodiscard]] constexpr Filter fold_filter(const std::array<std::uint64_t, Words>& fingerprint) noexcept {
  if constexpr (std::is_same_v<Filter, std::array<std::uint64_t, Words>>) {
    return fingerprint;
  } else {
    static_assert(std::is_same_v<Filter, std::uint16_t> || std::is_same_v<Filter, std::uint32_t> ||
                  std::is_same_v<Filter, std::uint64_t>);
    std::uint64_t folded = 0;
    for (const std::uint64_t word : fingerprint) folded ^= word;
    if constexpr (sizeof(Filter) <= 4) folded ^= folded >> 32;
    if constexpr (sizeof(Filter) == 2) folded ^= folded >> 16;
    return static_cast<Filter>(folded);
  }
}

/// True if a 32-bit filter passes less than 1 % of non-matches at distance k; otherwise a 64-bit filter is worth its
/// memory. (The share is sum of C(32, i) for i <= k, over 2^32: 0.35 % at k = 8, 1.0 % at 9, 2.5 % at 10.)
[[nodiscard]] constexpr bool narrow_filter_suffices(int k) noexcept { return k <= 8; }

/// True if a 64-bit filter of a fingerprint of more than 64 bits passes less than 1 % of non-matches at distance k.
/// Otherwise comparing whole fingerprints is faster. (The share is 0.8 % at k = 22, 1.6 % at 23, 19 % at 28, 50 % at
/// 32.)
[[nodiscard]] constexpr bool wide_filter_suffices(int k) noexcept { return k <= 22; }

/// The most words of a fingerprint that vector kernels compare whole; wider ones are compared portably.
inline constexpr std::size_t max_vector_words = 8;

/// The number of bits in which two filters differ, computed without the popcount instruction, which a default build for
/// x86-64 lacks.
template <std::unsigned_integral Filter>
constexpr int portable_distance(Filter a, Filter b) noexcept {
  return portable_popcount(static_cast<Filter>(a ^ b));
}
template <std::size_t Words>
constexpr int portable_distance(const std::array<std::uint64_t, Words>& a,
                                const std::array<std::uint64_t, Words>& b) noexcept {
  return portable_popcount(differing_bits(a, b));
}

/// Two positions in an array of filters.
struct filter_pair {
  std::size_t x, y;
};

/// The comparisons that a join has still to make: each position in [x, x_end) with each position in [y_begin, y_end),
/// or, if `is_behind`, with each position in (x, y_end). (x, y) is the next pair: a join that stopped because its
/// buffer was full resumes there.
struct filter_join {
  std::size_t x, x_end;
  std::size_t y, y_begin, y_end;
  bool is_behind;

  /// A join of each position p in [x, x_end) with each position in (p, end). Precondition: x_end <= end.
  static constexpr filter_join within(std::size_t x, std::size_t x_end, std::size_t end) noexcept {
    return {x, x_end, x + 1, 0, end, true};
  }
  /// A join of each position in [x, x_end) with each position in [y, y_end).
  static constexpr filter_join across(std::size_t x, std::size_t x_end, std::size_t y, std::size_t y_end) noexcept {
    return {x, x_end, y, y, y_end, false};
  }

  [[nodiscard]] constexpr bool is_done() const noexcept { return x >= x_end; }

  /// Moves to the next x, and to the first y that x is compared with.
  constexpr void advance() noexcept {
    ++x;
    y = is_behind ? x + 1 : y_begin;
  }
};

/// The most pairs that a kernel tests in one step. A step is taken only if the buffer has room for all of them.
inline constexpr std::size_t join_step = 64;

/// Appends the pair (x, y + i) to `found` for each set bit i of `hits`. Returns: the new number of pairs.
inline std::size_t append_hits(std::span<filter_pair> found, std::size_t count, std::size_t x, std::size_t y,
                               std::uint64_t hits) noexcept {
  for (; hits != 0; hits &= hits - 1) {
    found[count++] = {x, y + static_cast<std::size_t>(std::countr_zero(hits))};
  }
  return count;
}

/// The reference implementation of filter joins: tests one pair of filters at a time.
template <class Filter>
std::size_t join_filters_portable(const Filter* xs, const Filter* ys, filter_join& job, int k,
                                  std::span<filter_pair> found) noexcept {
  std::size_t count = 0;
  for (; !job.is_done(); job.advance()) {
    const Filter x = xs[job.x];
    for (; job.y < job.y_end; ++job.y) {
      if (portable_distance(x, ys[job.y]) > k) continue;
      if (count == found.size()) return count;
      found[count++] = {job.x, job.y};
    }
  }
  return count;
}

template <class Filter>
constexpr auto join_filters_of(portable_form) noexcept {
  return join_filters_portable<Filter>;
}

/// Filters that the vector forms of a join compare.
template <class Filter>
concept vector_filter = sizeof(Filter) <= max_vector_words * sizeof(std::uint64_t);

}  // namespace neardup::inline v0::detail
