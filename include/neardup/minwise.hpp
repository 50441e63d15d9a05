// SPDX-License-Identifier: MIT
// Min-wise codes: fingerprints of feature sets without weights.
#pragma once

#include <cstddef>
#include <functional>

#include "detail/bits.hpp"
#include "simhash.hpp"

namespace neardup::inline v0 {

/// A min-wise code: `Bits` one-bit min-wise hashes of a feature set. The codes of two sets with the Jaccard similarity
/// J differ in Bits * (1 - J) / 2 bits on average. The variance of this number is at most that of independent bits.
///
/// For sets without weights, min-wise codes reach the recall of SimHash at a smaller distance, so there are far fewer
/// candidates. This class is a value type like simhash<Bits>, and has the members of fingerprint_bits. The two classes
/// are separate types: you cannot compare a simhash with a minwise, or put both into one index. minwise_hasher computes
/// codes.
/// Source: Li and König, b-Bit Minwise Hashing, WWW 2010, section 3, for b = 1.
template <std::size_t Bits>
class minwise : public fingerprint_bits<minwise<Bits>, Bits> {
  using base = fingerprint_bits<minwise<Bits>, Bits>;

 public:
  /// The kind of these fingerprints. It says what a bit means.
  static constexpr fingerprint_kind kind = fingerprint_kind::minwise;

  using base::base;
};

/// Returns the number of bits in which two fingerprints differ, from 0 to Bits.
template <std::size_t Bits>
[[nodiscard]] constexpr int hamming_distance(const minwise<Bits>& a, const minwise<Bits>& b) noexcept {
  return detail::count_differing_bits(a.to_words(), b.to_words());
}

}  // namespace neardup::inline v0

template <std::size_t Bits>
struct std::hash<neardup::minwise<Bits>> {
  std::size_t operator()(const neardup::minwise<Bits>& fingerprint) const noexcept {
    return neardup::detail::hash_words(fingerprint.to_words());
  }
};
