// SPDX-License-Identifier: MIT
// Ranges of fingerprints and pairs of fingerprints: the input and output of pairs(), visit_pairs() and cluster().
#pragma once

#include <cstddef>
#include <iterator>
#include <span>
#include <type_traits>
#include <utility>

#include "../simhash.hpp"

namespace neardup::inline v0 {

namespace detail {

/// The type of the fingerprints of a range. std::span is not deduced here, because g++ 11 would parse the deduction as
/// a cast.
template <class Range>
using range_fingerprint_t = std::remove_cvref_t<decltype(*std::data(std::declval<const Range&>()))>;

template <class T>
inline constexpr std::size_t fingerprint_width = 0;
template <std::size_t Bits>
inline constexpr std::size_t fingerprint_width<simhash<Bits>> = Bits;
template <std::size_t Bits>
inline constexpr std::size_t fingerprint_width<minwise<Bits>> = Bits;

template <class Range>
inline constexpr std::size_t range_bits = fingerprint_width<range_fingerprint_t<Range>>;

template <class Range>
concept has_fingerprints = (range_bits<Range> != 0);
template <class Range>
concept contiguous_elements = requires(const Range& range) {
  std::span(range);
};

/// Returns a span of the fingerprints of `range`. Ranges of type `Other` must have the same type of fingerprint.
template <class Other, class Range>
std::span<const range_fingerprint_t<Range>> fingerprints_beside(const Range& range) {
  static_assert(std::is_same_v<range_fingerprint_t<Other>, range_fingerprint_t<Range>>,
                "neardup: the fingerprints of both ranges are of one kind and width, all simhash<64>, say");
  return std::span<const range_fingerprint_t<Range>>(range);
}

}  // namespace detail

/// A contiguous range of simhash<Bits> or of minwise<Bits>, such as a vector or a span.
template <class Range>
concept fingerprint_range = detail::contiguous_elements<Range> && detail::has_fingerprints<Range>;

/// A pair of fingerprints that differ in at most k bits: their positions, first < second, and their distance in bits.
template <class Index>
struct near_pair {
  Index first, second;
  int distance;

  friend constexpr bool operator==(const near_pair&, const near_pair&) = default;
};

}  // namespace neardup::inline v0
