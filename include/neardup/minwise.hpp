// Min-wise codes: the fingerprint of a set of features without weights.
#pragma once

#include <cstddef>
#include <functional>

#include "detail/bits.hpp"
#include "simhash.hpp"

namespace neardup::inline v0 {

/// One-bit min-wise codes of a set of features, `Bits` of them: two sets with the Jaccard similarity J have codes that
/// differ in Bits * (1 - J) / 2 bits on average, and spread no more than independent bits would.
///
/// For sets without weights they find the same pairs within fewer bits than SimHash, so that far fewer others are near.
/// A value like simhash<Bits>, with the same members, which are those of fingerprint_bits, but a type of its own: the
/// two kinds neither compare nor share an index. minwise_hasher makes them.
/// Source: Li and König, b-Bit Minwise Hashing, WWW 2010, section 3, for b = 1.
template <std::size_t Bits>
class minwise : public fingerprint_bits<minwise<Bits>, Bits> {
  using base = fingerprint_bits<minwise<Bits>, Bits>;

 public:
  /// What a bit of it is.
  static constexpr fingerprint_kind kind = fingerprint_kind::minwise;

  using base::base;
};

/// The number of bits in which two fingerprints differ, from 0 to Bits.
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
