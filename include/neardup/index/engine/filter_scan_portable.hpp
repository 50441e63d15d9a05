// SPDX-License-Identifier: MIT
// Scans of runs of filters, and the form for every machine.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../../detail/filters.hpp"
#include "../../detail/instructions.hpp"

namespace neardup::inline v0::detail {

/// A run of filters to compare with the filter of a query.
struct filter_run {
  const void* filters;
  std::size_t count;
  std::uint64_t query;  ///< the filter of the query
};

/// The position of a filter that is within k bits of the filter of the query.
struct filter_hit {
  std::size_t run;
  std::size_t position;  ///< within the run
};

/// The place where a scan of several runs resumes.
struct scan_position {
  std::size_t run = 0, at = 0;
};

/// The capacity of the array of hits. A scan returns when the array is full, or has no room for the hits of one more
/// vector.
inline constexpr std::size_t hit_capacity = 256;

/// Resumes the scan of `count` runs at `at`, until the runs end or `hits` is full, and advances `at` to where it
/// stopped. Returns: the number of hits.
template <class Filter, class Run>
std::size_t scan_filters_portable(const Run* runs, std::size_t count, scan_position& at, int k,
                                  filter_hit* hits) noexcept {
  std::size_t found = 0;
  for (; at.run < count; ++at.run, at.at = 0) {
    const filter_run& run = runs[at.run];
    const auto* const filters = static_cast<const Filter*>(run.filters);
    const auto query = static_cast<Filter>(run.query);
    for (; at.at < run.count; ++at.at) {
      if (portable_distance(filters[at.at], query) > k) continue;
      if (found == hit_capacity) return found;
      hits[found++] = {at.run, at.at};
    }
  }
  return found;
}

template <class Filter, class Run>
constexpr auto scan_filters_of(portable_form) noexcept {
  return scan_filters_portable<Filter, Run>;
}

}  // namespace neardup::inline v0::detail
