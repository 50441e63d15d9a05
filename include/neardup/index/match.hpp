// SPDX-License-Identifier: MIT
// The entry that an index stores, and the match that a search returns.
#pragma once

#include <concepts>
#include <cstddef>
#include <stdexcept>
#include <string>

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

}  // namespace detail

}  // namespace neardup::inline v0
