// SPDX-License-Identifier: MIT
// Scans runs of filters for filters within k bits of the filter of a query: the inner loop of every search.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "../../detail/bits.hpp"
#include "../../simd/forms.hpp"
#include "filters.hpp"
#include "filters_avx2.hpp"
#include "filters_avx512.hpp"
#include "filters_neon.hpp"

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

/// The capacity of the array of hits. A scan returns when the array has no space for the hits of one more vector.
inline constexpr std::size_t hit_capacity = 256;

/// Continues the scan of `count` runs at the position `at`, until the runs end or `hits` is full. Then `at` is the
/// position where the scan stopped.
/// Returns: the number of hits.
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

#if NEARDUP_X86_KERNELS

NEARDUP_AVX2_BEGIN

template <class Filter, class Run>
std::size_t scan_filters_avx2(const Run* runs, std::size_t count, scan_position& at, int k, filter_hit* hits) noexcept {
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
NEARDUP_END

template <class Filter, class Run>
constexpr auto scan_filters_of(avx2_form) noexcept {
  return scan_filters_avx2<Filter, Run>;
}

// Whole cache lines are loaded, and masks exclude filters beside the run. Loads from the beginning of the run on would
// mostly straddle two lines, which is slower. At the end of the run they would wait for a line that was not prefetched,
// because the run ends before it.

NEARDUP_AVX512_BEGIN

template <class Filter, class Run>
std::size_t scan_filters_avx512(const Run* runs, std::size_t count, scan_position& at, int k,
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
      // The first hit is stored without a branch, which would be mispredicted. A second hit in one cache
      // line is rare.
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
NEARDUP_END

template <class Filter, class Run>
constexpr auto scan_filters_of(avx512_form) noexcept {
  return scan_filters_avx512<Filter, Run>;
}

#endif  // NEARDUP_X86_KERNELS

#if NEARDUP_NEON_KERNELS

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

#endif  // NEARDUP_NEON_KERNELS

/// Returns the value that replaces scanned_a_probe(), unless it is 0. Tests set it if they need probes where a scan
/// would be faster.
inline std::atomic<std::size_t>& forced_scanned_a_probe() noexcept {
  static std::atomic<std::size_t> forced{0};
  return forced;
}

/// Returns the number of fingerprints of one word that a scan compares in the time of one probe. On a Zen 5, a
/// comparison takes 0.08 (AVX-512), 0.2 (AVX2) or 1.5 ns (portable), and a probe 12 ns. NEON was not measured: its
/// comparison takes a fifth of the instructions of a portable one.
[[nodiscard]] inline std::size_t scanned_a_probe() noexcept {
  if (const std::size_t forced = forced_scanned_a_probe().load(std::memory_order_relaxed); forced != 0) return forced;
  const instruction_set level = active_instruction_set();
  return has_avx512(level) ? 150 : has_avx2(level) ? 60 : has_neon(level) ? 30 : 8;
}

/// Returns the number of fingerprints that a scan compares in the time of one probe, at least 1.
template <std::size_t Words>
[[nodiscard]] std::size_t fingerprints_a_probe() noexcept {
  // The portable kernel scans fingerprints that are too wide for the vector kernels.
  const std::size_t words =
      Words <= max_vector_words ? scanned_a_probe() : (std::min)(scanned_a_probe(), std::size_t{8});
  return (std::max)(std::size_t{1}, words / Words);
}

/// Returns true if scanning all `count` fingerprints is faster than looking up `keys` keys.
template <std::size_t Words>
[[nodiscard]] bool scan_pays(std::size_t count, std::uint64_t keys) noexcept {
  return count / fingerprints_a_probe<Words>() <= keys;
}

/// Returns the scan of runs for filters of type `Filter` and the active instruction set. `Run`: filter_run or a type
/// derived from it.
template <class Filter, class Run = filter_run>
auto filter_scan() noexcept {
  return choose_form(active_instruction_set(), [](auto form) { return scan_filters_of<Filter, Run>(form); });
}

}  // namespace neardup::inline v0::detail
