// SPDX-License-Identifier: MIT
// Scans of runs of filters by AVX2.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "../../detail/bits.hpp"
#include "../../detail/filters_avx2.hpp"
#include "../../detail/instructions.hpp"
#include "filter_scan_portable.hpp"

#if NEARDUP_X86_KERNELS

namespace neardup::inline v0::detail {

NEARDUP_KERNELS_BEGIN

template <class Filter, class Run>
NEARDUP_TARGET_AVX2 std::size_t scan_filters_avx2(const Run* runs, std::size_t count, scan_position& at, int k,
                                                  filter_hit* hits) noexcept {
  constexpr std::size_t lanes = 32 / sizeof(Filter);
  std::size_t found = 0;
  for (; at.run < count; ++at.run, at.at = 0) {
    const filter_run& run = runs[at.run];
    const auto* const filters = static_cast<const Filter*>(run.filters);
    const auto query = static_cast<Filter>(run.query);
    for (; at.at + lanes <= run.count; at.at += lanes) {
      if (found > hit_capacity - lanes) return found;
      std::uint32_t matching = near_bits_avx2(filters + at.at, query, k);
      for (; matching != 0; matching &= matching - 1) {
        hits[found++] = {at.run, at.at + static_cast<std::size_t>(std::countr_zero(matching))};
      }
    }
    for (; at.at < run.count; ++at.at) {
      if (count_differing_bits(filters[at.at], query) > k) continue;
      if (found == hit_capacity) return found;
      hits[found++] = {at.run, at.at};
    }
  }
  return found;
}

template <class Filter, class Run>
constexpr auto scan_filters_of(avx2_form) noexcept {
  return scan_filters_avx2<Filter, Run>;
}

NEARDUP_KERNELS_END

}  // namespace neardup::inline v0::detail

#endif  // NEARDUP_X86_KERNELS
