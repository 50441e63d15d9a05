// SPDX-License-Identifier: MIT
// Scans runs of filters: finds the filters within k bits of the filter of a query. The scan is the inner loop of every
// search.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "../../simd/forms.hpp"
#include "filters.hpp"

namespace neardup::inline v0::detail {

/// Returns a reference to the value that scanned_a_probe() returns instead of its own, unless the value is 0. Tests set
/// the value to force probes where a scan would be faster.
inline std::atomic<std::size_t>& forced_scanned_a_probe() noexcept {
  static std::atomic<std::size_t> forced{0};
  return forced;
}

/// Returns how many fingerprints of one word a scan compares in the time of one probe.
[[nodiscard]] inline std::size_t scanned_a_probe() noexcept {
  if (const std::size_t forced = forced_scanned_a_probe().load(std::memory_order_relaxed); forced != 0) return forced;
  return choose_form(active_instruction_set(), [](auto form) { return decltype(form)::scanned_a_probe; });
}

/// Returns how many fingerprints of `Words` words a scan compares in the time of one probe. The result is at least 1.
template <std::size_t Words>
[[nodiscard]] std::size_t fingerprints_a_probe() noexcept {
  // Fingerprints that are too wide for the vector kernels are scanned by the portable kernel, which is slower.
  const std::size_t words =
      Words <= max_vector_words ? scanned_a_probe() : (std::min)(scanned_a_probe(), std::size_t{8});
  return (std::max)(std::size_t{1}, words / Words);
}

/// Returns true if scanning all `count` fingerprints is faster than looking up `keys` keys.
template <std::size_t Words>
[[nodiscard]] bool scan_pays(std::size_t count, std::uint64_t keys) noexcept {
  return count / fingerprints_a_probe<Words>() <= keys;
}

/// Returns the function that scans runs of filters of type `Filter` with the active instruction set. `Run`: filter_run,
/// or a type derived from filter_run.
template <class Filter, class Run = filter_run>
auto filter_scan() noexcept {
  return choose_form(active_instruction_set(),
                     [](auto form) { return &decltype(filter_kernels_of(form))::template scan<Filter, Run>; });
}

}  // namespace neardup::inline v0::detail
