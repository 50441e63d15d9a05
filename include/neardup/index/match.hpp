// SPDX-License-Identifier: MIT
// The input and output of indexes and joins: the entry that an index stores, the match that a search returns, ranges of
// fingerprints, and pairs of fingerprints.
#pragma once

#include <concepts>
#include <cstddef>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "../detail/visits.hpp"
#include "../error.hpp"
#include "../ids.hpp"
#include "../simhash.hpp"

namespace neardup::inline v0 {

/// A stored (fingerprint, id) pair.
template <std::size_t Bits, class Id, class Fingerprint = simhash<Bits>>
struct entry {
  Fingerprint fingerprint;
  Id id;

  friend constexpr bool operator==(const entry&, const entry&) = default;
};

/// A stored pair whose fingerprint is within k bits of a query.
template <std::size_t Bits, class Id, class Fingerprint = simhash<Bits>>
struct match {
  Id id;
  int distance;  ///< distance from the query, in bits
  Fingerprint fingerprint;

  friend constexpr bool operator==(const match&, const match&) = default;

  /// The order of search results: by distance, then by id, then by fingerprint.
  friend constexpr bool operator<(const match& a, const match& b) {
    if (a.distance != b.distance) return a.distance < b.distance;
    if (!(a.id == b.id)) return a.id < b.id;
    return a.fingerprint < b.fingerprint;
  }
};

namespace detail {

/// Checks the types Id and Offset of an index with static_asserts. The messages of the static_asserts say what to write
/// instead.
template <class Id, class Offset>
constexpr bool check_index_types() noexcept {
  static_assert(
      index_id<Id>,
      "neardup: an Id must be trivially copyable: a number or a small struct, not a string (for names such as "
      "URLs, number them, as in a std::unordered_map<std::string, std::uint32_t>); it must be default-constructible, "
      "comparable by == "
      "and ordered: write `auto operator<=>(const id&) const = default;` into it; and it must not be a "
      "floating-point number, NaN has no order");
  static_assert(std::unsigned_integral<Offset> && !std::same_as<Offset, bool>,
                "neardup: Offset numbers the stored fingerprints; write an unsigned integer such as std::uint32_t");
  return true;
}

/// Checks the fingerprint type of an index with a static_assert. The message of the static_assert says what to write
/// instead.
template <class Fingerprint, std::size_t Bits>
constexpr bool check_fingerprint_type() noexcept {
  static_assert(std::derived_from<Fingerprint, fingerprint_bits<Fingerprint, Bits>>,
                "neardup: an index of Bits bits holds simhash<Bits> or minwise<Bits>; write "
                "pigeonhole_index_of<minwise<64>, 9>");
  return true;
}

/// Throws std::invalid_argument. The message says that the distance k is not in 0..max.
[[noreturn]] inline void refuse_distance(int k, int max) {
  fail<std::invalid_argument>(
      {"search distance k = ", k, " is outside 0..", max, ", the distances that this index answers"});
}

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
