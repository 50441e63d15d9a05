// SPDX-License-Identifier: MIT
// The bitmap filter drops candidate pairs whose bitmaps show that the overlap is too small.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "../../detail/bits.hpp"
#include "../../instruction_set.hpp"
#include "../../simd/avx2.hpp"
#include "../../simd/forms.hpp"
#include "../../simd/neon.hpp"
#include "../../simd/portable.hpp"
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

/// A candidate set, and the least overlap that makes it similar. `place` is its place in a set_join, the index of its
/// row in a bucket of a bucket_join, or its number in a candidate_search.
struct set_candidate {
  std::uint32_t place;
  std::uint32_t least;
};

}  // namespace neardup::inline v0::detail

#define NEARDUP_KERNEL "../sets/engine/bitmap_filter.inl"
#include "../../simd/for_each_form.hpp"

namespace neardup::inline v0::detail {

/// Bitmap filter: compares a set of `size` elements, whose bitmap is `bitmap`, with candidates. Drops each candidate
/// whose own bitmap shows that the overlap with the set is below the candidate's `least`.
/// Returns: the number of candidates that remain, at the front of `candidates`.
template <class SizeOf, class BitmapOf>
std::size_t filter_by_bitmaps(std::span<set_candidate> candidates, std::size_t size, const set_bitmap& bitmap,
                              const SizeOf& size_of, const BitmapOf& bitmap_of, instruction_set level) noexcept {
  return choose_form(level, [&](auto form) {
    return decltype(bitmap_kernels_of(form))::filter(candidates, size, bitmap, size_of, bitmap_of);
  });
}

}  // namespace neardup::inline v0::detail
