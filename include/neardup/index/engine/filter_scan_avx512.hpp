// SPDX-License-Identifier: MIT
// Scans of runs of filters by AVX-512.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../../detail/filters_avx512.hpp"
#include "../../detail/instructions.hpp"
#include "filter_scan_portable.hpp"

#if NEARDUP_X86_KERNELS

namespace neardup::inline v0::detail {

NEARDUP_KERNELS_BEGIN

// Whole cache lines are loaded, and masks exclude filters beside the run. Loads from the beginning of the run on would
// mostly straddle two lines, which is slower. At the end of the run they would wait for a line that was not prefetched,
// because the run ends before it.

template <class Filter, class Run>
NEARDUP_TARGET_AVX512 std::size_t scan_filters_avx512(const Run* runs, std::size_t count, scan_position& at, int k,
                                                      filter_hit* hits) noexcept {
  constexpr std::size_t lanes = 64 / sizeof(Filter);
  const __m512i limit = broadcast_avx512(static_cast<Filter>(k));
  std::size_t found = 0;
  for (std::size_t number = at.run; number < count; ++number, at.at = 0) {
    const filter_run& run = runs[number];
    const __m512i query = broadcast_avx512(static_cast<Filter>(run.query));
    const auto first = reinterpret_cast<std::uintptr_t>(run.filters) + at.at * sizeof(Filter);
    // `before`: the number of lanes of the first cache line that precede the run; the mask `valid` excludes them.
    // `line`: the address of the cache line.
    std::size_t before = first % 64 / sizeof(Filter);
    const char* line = static_cast<const char*>(run.filters) + at.at * sizeof(Filter) - before * sizeof(Filter);
    // The position of lane 0 within the run; modulo 2^64, because lane 0 may precede the run.
    std::size_t position = at.at - before;
    for (; position + before < run.count; line += 64, position += lanes, before = 0) {
      if (found > hit_capacity - lanes) {
        at = {number, position + before};
        return found;
      }
      const std::size_t left = run.count - position;
      const unsigned within = _bzhi_u32(~0U, static_cast<unsigned>(left < lanes ? left : lanes));
      const unsigned valid = within >> before << before;
      auto matching =
          static_cast<unsigned>(near_bits_avx512<true>(reinterpret_cast<const Filter*>(line), valid, query, limit));
      // The first hit is stored without a branch, which would be mispredicted. Few runs have a second hit.
      hits[found] = {number, position + _tzcnt_u32(matching)};
      found += matching != 0 ? 1 : 0;
      for (matching = _blsr_u32(matching); matching != 0; matching = _blsr_u32(matching)) {
        hits[found++] = {number, position + _tzcnt_u32(matching)};
      }
    }
  }
  at = {count, 0};
  return found;
}

template <class Filter, class Run>
constexpr auto scan_filters_of(avx512_form) noexcept {
  return scan_filters_avx512<Filter, Run>;
}

NEARDUP_KERNELS_END

}  // namespace neardup::inline v0::detail

#endif  // NEARDUP_X86_KERNELS
