// SPDX-License-Identifier: MIT
// Discards candidates by the bitmaps of their sets.
#pragma once

#include <cstddef>
#include <span>

#include "../../detail/instructions.hpp"
#include "../../instruction_set.hpp"
#include "bitmap_filter_avx2.hpp"
#include "bitmap_filter_neon.hpp"
#include "bitmap_filter_portable.hpp"

namespace neardup::inline v0::detail {

/// Calls the version of filter_by_bitmaps_portable for an instruction set.
template <class SizeOf, class BitmapOf>
std::size_t filter_by_bitmaps(std::span<set_candidate> candidates, std::size_t size, const set_bitmap& bitmap,
                              const SizeOf& size_of, const BitmapOf& bitmap_of, instruction_set level) noexcept {
  return choose_form(level, [&](auto form) {
    return filter_by_bitmaps_of<SizeOf, BitmapOf>(form)(candidates, size, bitmap, size_of, bitmap_of);
  });
}

}  // namespace neardup::inline v0::detail
