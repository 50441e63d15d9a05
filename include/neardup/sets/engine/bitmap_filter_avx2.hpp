// SPDX-License-Identifier: MIT
// The bitmap filter by POPCNT.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "../../detail/instructions.hpp"
#include "bitmap_filter_portable.hpp"

#if NEARDUP_X86_KERNELS

namespace neardup::inline v0::detail {

template <class SizeOf, class BitmapOf>
NEARDUP_TARGET_AVX2 std::size_t filter_by_bitmaps_avx2(std::span<set_candidate> candidates, std::size_t size,
                                                       const set_bitmap& bitmap, const SizeOf& size_of,
                                                       const BitmapOf& bitmap_of) noexcept {
  std::size_t kept = 0;
  for (const set_candidate& other : candidates) {
    const set_bitmap& bits = bitmap_of(other.place);
    const auto differing =
        static_cast<std::size_t>(_mm_popcnt_u64(bits[0] ^ bitmap[0]) + _mm_popcnt_u64(bits[1] ^ bitmap[1]));
    candidates[kept] = other;
    kept += differing + 2 * std::size_t{other.least} <= size + size_of(other.place) ? 1 : 0;
  }
  return kept;
}

template <class SizeOf, class BitmapOf>
constexpr auto filter_by_bitmaps_of(avx2_form) noexcept {
  return filter_by_bitmaps_avx2<SizeOf, BitmapOf>;
}

}  // namespace neardup::inline v0::detail

#endif  // NEARDUP_X86_KERNELS
