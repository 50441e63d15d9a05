// SPDX-License-Identifier: MIT
// The bitmap filter by NEON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "../../detail/instructions.hpp"
#include "bitmap_filter_portable.hpp"

#if NEARDUP_NEON_KERNELS

namespace neardup::inline v0::detail {

template <class SizeOf, class BitmapOf>
std::size_t filter_by_bitmaps_neon(std::span<set_candidate> candidates, std::size_t size, const set_bitmap& bitmap,
                                   const SizeOf& size_of, const BitmapOf& bitmap_of) noexcept {
  const std::uint64_t* const own = bitmap.data();
  const uint64x2_t own_bits = vld1q_u64(own);
  std::size_t kept = 0;
  for (const set_candidate& other : candidates) {
    const set_bitmap& bits = bitmap_of(other.place);
    const std::uint64_t* const words = bits.data();
    const uint8x16_t counts = vcntq_u8(vreinterpretq_u8_u64(veorq_u64(vld1q_u64(words), own_bits)));
    const std::size_t differing = vaddvq_u8(counts);  // at most 128
    candidates[kept] = other;
    kept += differing + 2 * std::size_t{other.least} <= size + size_of(other.place) ? 1 : 0;
  }
  return kept;
}

template <class SizeOf, class BitmapOf>
constexpr auto filter_by_bitmaps_of(neon_form) noexcept {
  return filter_by_bitmaps_neon<SizeOf, BitmapOf>;
}

}  // namespace neardup::inline v0::detail

#endif  // NEARDUP_NEON_KERNELS
