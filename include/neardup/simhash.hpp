// The fingerprint itself: a fixed number of bits, compared by how many of them differ.
#pragma once

#include <cstddef>
#include <functional>

#include "detail/bits.hpp"
#include "detail/fingerprint_bits.hpp"
#include "fingerprint_kind.hpp"

namespace neardup::inline v0 {

/// A SimHash fingerprint of `Bits` bits: similar texts have fingerprints that differ in few bits.
///
/// A regular value: copyable, equality-comparable, ordered as a number, hashable, usable in constant expressions.
/// Bit i is bit i % 64 of word i / 64; bits beyond `Bits` are always zero.
/// Source: Charikar, Similarity Estimation Techniques from Rounding Algorithms, STOC 2002, section 3.
template <std::size_t Bits>
class simhash : public detail::fingerprint_bits<simhash<Bits>, Bits> {
  using base = detail::fingerprint_bits<simhash<Bits>, Bits>;

 public:
  static constexpr fingerprint_kind kind = fingerprint_kind::simhash;

  using base::base;
};

/// The number of bits in which two fingerprints differ, from 0 to Bits.
template <std::size_t Bits>
[[nodiscard]] constexpr int hamming_distance(const simhash<Bits>& a, const simhash<Bits>& b) noexcept {
  return detail::count_differing_bits(a.to_words(), b.to_words());
}

}  // namespace neardup::inline v0

template <std::size_t Bits>
struct std::hash<neardup::simhash<Bits>> {
  std::size_t operator()(const neardup::simhash<Bits>& fingerprint) const noexcept {
    return neardup::detail::hash_words(fingerprint.to_words());
  }
};
