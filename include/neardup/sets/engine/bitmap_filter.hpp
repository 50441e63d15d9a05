// SPDX-License-Identifier: MIT
// The bitmap filter drops candidate pairs whose bitmaps show that the overlap is too small.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "../../detail/bits.hpp"
#include "rare_first.hpp"

namespace neardup::inline v0::detail {

/// The bitmap of a set has 128 bits, all 0 for an empty set. The hash of a feature chooses one bit, and each feature of
/// the set flips its bit. So if two bitmaps differ in b bits, the sets differ in at least b features.
/// Source: Sandes, Teodoro and Melo, Bitmap filter: speeding up exact set similarity joins with bitwise operations,
/// Information Systems 88, 2020.
using set_bitmap = std::array<std::uint64_t, 2>;

/// The bitmap of a set, and a hash of the whole set.
struct set_sketch {
  set_bitmap bitmap{};
  std::uint64_t hash = 0;
};

/// Computes the set_sketch of a set from the tokens of its features.
class set_sketcher {
 public:
  void add(std::uint32_t token) noexcept {
    const std::uint64_t bit = std::uint64_t{1} << (token >> 26), is_high = std::uint64_t{0} - (token >> 25 & 1U);
    low_ ^= bit & ~is_high;
    high_ ^= bit & is_high;
    sum_ += std::uint64_t{token} * token;
  }
  [[nodiscard]] set_sketch result() const noexcept { return {{low_, high_}, mix(low_ ^ mix(high_ ^ mix(sum_)))}; }

 private:
  std::uint64_t low_ = 0, high_ = 0, sum_ = 0;
};

template <class Feature>
[[nodiscard]] set_sketch sketch_of(std::span<const Feature> set) noexcept {
  set_sketcher sketcher;
  for (const Feature feature : set) sketcher.add(feature_token(feature));
  return sketcher.result();
}

/// A candidate set, and the least overlap that makes it similar. `place` is its place in a set_join, or its
/// number in a candidate_search.
struct set_candidate {
  std::uint32_t place;
  std::uint32_t least;
};

/// Returns the number of bits in which two bitmaps differ. Counts the differing bits of both words in groups of four,
/// and adds the counts of both words before the last steps. This takes fewer instructions than two population counts.
[[nodiscard]] constexpr std::size_t differing_bits_of(const set_bitmap& a, const set_bitmap& b) noexcept {
  constexpr std::uint64_t pairs = 0x5555555555555555U, fours = 0x3333333333333333U, eights = 0x0f0f0f0f0f0f0f0fU;
  const auto sums_of_four = [](std::uint64_t x) {
    x -= x >> 1 & pairs;
    return (x & fours) + (x >> 2 & fours);
  };
  const std::uint64_t sums = sums_of_four(a[0] ^ b[0]) + sums_of_four(a[1] ^ b[1]);
  return to_size(((sums & eights) + (sums >> 4 & eights)) * byte_ones >> 56);
}

/// Bitmap filter: compares a set of `size` elements, whose bitmap is `bitmap`, with candidates. Drops each candidate
/// whose own bitmap shows that the overlap with the set is below the candidate's `least`.
/// Returns: the number of candidates that remain, at the front of `candidates`.
template <class SizeOf, class BitmapOf>
std::size_t filter_by_bitmaps(std::span<set_candidate> candidates, std::size_t size, const set_bitmap& bitmap,
                              const SizeOf& size_of, const BitmapOf& bitmap_of) noexcept {
  std::size_t kept = 0;
  for (const set_candidate& other : candidates) {
    const std::size_t differing = differing_bits_of(bitmap_of(other.place), bitmap);
    candidates[kept] = other;
    kept += differing + 2 * std::size_t{other.least} <= size + size_of(other.place) ? 1 : 0;
  }
  return kept;
}

}  // namespace neardup::inline v0::detail
