// What the functions over whole corpora take and give: fingerprints, how they are joined, and pairs of them.
#pragma once

#include <cstddef>
#include <iterator>
#include <span>
#include <type_traits>
#include <utility>

#include "../minwise.hpp"
#include "../runner.hpp"
#include "../simhash.hpp"

namespace neardup::inline v0 {

/// The type of the fingerprints of a range. (g++ 11 mistakes the deduction guides of std::span for a cast.)
template <class Range>
using range_fingerprint_t = std::remove_cvref_t<decltype(*std::data(std::declval<const Range&>()))>;

namespace detail {

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

}  // namespace detail

/// A contiguous range of simhash<Bits> or of minwise<Bits>, such as a vector or a span.
template <class Range>
concept fingerprint_range = detail::contiguous_elements<Range> && detail::has_fingerprints<Range>;

/// How pairs and visit_pairs of fingerprints, and cluster, work. Only `copies_once` changes a result.
struct join_options {
  /// The blocks that fingerprints are cut into, as in pigeonhole_index; 0 for what suits their number and a sample of
  /// them.
  int blocks = 0;
  /// How the work is spread: `threads{8}`, or a runner of the caller's.
  any_runner run = {};
  /// Pairs within one corpus: of equal fingerprints only the first is paired with others, and each of the rest with
  /// that first one alone. So a thousand copies of a text are 999 pairs, not 499,500.
  bool copies_once = false;
};

/// Two fingerprints that differ in few bits: their positions, first < second, and in how many bits.
template <class Index>
struct near_pair {
  Index first, second;
  int distance;

  friend constexpr bool operator==(const near_pair&, const near_pair&) = default;
};

}  // namespace neardup::inline v0
