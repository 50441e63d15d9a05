// SPDX-License-Identifier: MIT
// Scans of runs of filters by NEON.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "../../detail/filters_neon.hpp"
#include "../../detail/instructions.hpp"
#include "filter_scan_portable.hpp"

#if NEARDUP_NEON_KERNELS

namespace neardup::inline v0::detail {

template <class Filter, class Run>
std::size_t scan_filters_neon(const Run* runs, std::size_t count, scan_position& at, int k, filter_hit* hits) noexcept {
  std::size_t found = 0;
  for (; at.run < count; ++at.run, at.at = 0) {
    const filter_run& run = runs[at.run];
    const auto take = [&](std::size_t first, std::uint64_t near, std::size_t bits) {
      if (found > hit_capacity - lanes_neon<Filter>) return false;
      for (; near != 0; near &= near - 1) {
        hits[found++] = {at.run, first + static_cast<std::size_t>(std::countr_zero(near)) / bits};
      }
      return true;
    };
    const auto* const filters = static_cast<const Filter*>(run.filters);
    at.at = visit_near_neon(filters, at.at, run.count, static_cast<Filter>(run.query), k, take);
    if (at.at < run.count) return found;
  }
  return found;
}

template <class Filter, class Run>
constexpr auto scan_filters_of(neon_form) noexcept {
  return scan_filters_neon<Filter, Run>;
}

}  // namespace neardup::inline v0::detail

#endif  // NEARDUP_NEON_KERNELS
