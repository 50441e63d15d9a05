// SPDX-License-Identifier: MIT
// Filters, and two ways to compare many filters. A join finds the pairs of filters that differ in at most k bits. A
// scan finds the filters within k bits of the filter of a query.
//
// A filter is an unsigned integer of 16, 32 or 64 bits, or all words of a fingerprint or of a bitmap. Joins and scans
// are built on visit_close(). There is one version of visit_close() for each instruction set. Nearly all pairs are
// non-matches, so visit_close() tests up to 64 pairs with one branch.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "../instruction_set.hpp"
#include "forms.hpp"
#include "portable.hpp"

namespace neardup::inline v0::detail {

/// Returns the filter of a fingerprint: the fingerprint is folded by exclusive or to the width of `Filter`, an unsigned
/// type of 16 to 64 bits. If `Filter` is an array of words, the filter is the whole fingerprint.
/// Guarantee: two filters differ in at most as many bits as their fingerprints. So a filter never rejects a match.
/// Folding uses all bits of a fingerprint. If a filter were a copy of some bits, it would pass every candidate that
/// differs only in the other bits.
template <class Filter, std::size_t Words>
[[nodiscard]] constexpr Filter fold_filter(const std::array<std::uint64_t, Words>& fingerprint) noexcept {
  if constexpr (std::is_same_v<Filter, std::array<std::uint64_t, Words>>) {
    return fingerprint;
  } else {
    static_assert(std::is_same_v<Filter, std::uint16_t> || std::is_same_v<Filter, std::uint32_t> ||
                  std::is_same_v<Filter, std::uint64_t>);
    std::uint64_t folded = 0;
    for (const std::uint64_t word : fingerprint) folded ^= word;
    if constexpr (sizeof(Filter) <= 4) folded ^= folded >> 32;
    if constexpr (sizeof(Filter) == 2) folded ^= folded >> 16;
    return static_cast<Filter>(folded);
  }
}

/// Returns true if a 32-bit filter passes less than 1 % of the non-matches at distance k. Otherwise use a 64-bit
/// filter, although such a filter takes more memory. The share is the sum of C(32, i) for i <= k, divided by 2^32: 0.35
/// % at k = 8, 1.0 % at 9, 2.5 % at 10.
[[nodiscard]] constexpr bool narrow_filter_suffices(int k) noexcept { return k <= 8; }

/// Returns true if a 64-bit filter of a fingerprint of more than 64 bits passes less than 1 % of the non-matches at
/// distance k. Otherwise comparing whole fingerprints is faster. The share is 0.8 % at k = 22, 1.6 % at 23, 19 % at 28,
/// 55 % at 32.
[[nodiscard]] constexpr bool wide_filter_suffices(int k) noexcept { return k <= 22; }

/// A pair of positions in an array of filters.
struct filter_pair {
  std::size_t x, y;
};

/// The comparisons that a join still has to make. Each position in [x, x_end) is compared with each position in
/// [y_begin, y_end), or, if `is_behind`, with each position in (x, y_end). (x, y) is the next pair to compare. A join
/// that stopped because its buffer is full resumes at (x, y).
struct filter_join {
  std::size_t x, x_end;
  std::size_t y, y_begin, y_end;
  bool is_behind;

  /// Returns a join of each position p in [x, x_end) with each position in (p, end).
  /// Precondition: x_end <= end.
  static constexpr filter_join within(std::size_t x, std::size_t x_end, std::size_t end) noexcept {
    return {x, x_end, x + 1, 0, end, true};
  }
  /// Returns a join of each position in [x, x_end) with each position in [y, y_end).
  static constexpr filter_join across(std::size_t x, std::size_t x_end, std::size_t y, std::size_t y_end) noexcept {
    return {x, x_end, y, y, y_end, false};
  }

  [[nodiscard]] constexpr bool is_done() const noexcept { return x >= x_end; }

  /// Moves to the next x, and to the first y with which that x is compared.
  constexpr void advance() noexcept {
    ++x;
    y = is_behind ? x + 1 : y_begin;
  }
};

/// The greatest number of pairs of filters that a kernel tests at once. The buffer needs room for all of these pairs.
inline constexpr std::size_t join_step = 64;

/// The types of filters for which joins have vector kernels.
template <class Filter>
concept vector_filter = sizeof(Filter) <= max_vector_words * sizeof(std::uint64_t);

/// An array of `count` filters, each of which is compared with the filter of a query.
struct filter_run {
  const void* filters;
  std::size_t count;
  std::uint64_t query;  ///< the filter of the query
};

/// A filter that is within k bits of the query's filter: the number of its filter_run, and its position in the run.
struct filter_hit {
  std::size_t run;
  std::size_t position;  ///< in the filter_run
};

/// The place where a scan of several filter_runs resumes: the number of the run, and the position in the run.
struct scan_position {
  std::size_t run = 0, at = 0;
};

/// The capacity of the array of hits. A scan returns when the array has no room for the hits of one more vector.
inline constexpr std::size_t hit_capacity = 256;

}  // namespace neardup::inline v0::detail

#define NEARDUP_KERNEL "../simd/filters.inl"
#include "for_each_form.hpp"

namespace neardup::inline v0::detail {

/// Joins filters: writes the pairs (x, y) of `job` for which xs[x] and ys[y] differ in at most k bits to `found`,
/// sorted. A call may return before job.is_done(), because `found` may have no room for join_step more pairs. The next
/// call with `job` continues. All calls together write each pair once.
/// Returns: the number of pairs written.
/// Precondition: found.size() >= join_step and 0 <= k.
template <class Filter>
std::size_t join_filters(const Filter* xs, const Filter* ys, filter_join& job, int k, std::span<filter_pair> found,
                         instruction_set level) noexcept {
  return choose_form(level, [&](auto form) { return decltype(filter_kernels_of(form))::join(xs, ys, job, k, found); });
}

/// Scans all fingerprints. Calls `visit(query, position, distance)` for each query and each fingerprint within k bits
/// of the query, in unspecified order, until `visit` returns false.
/// Returns: false if `visit` returned false.
template <std::size_t Words, class Visit>
bool scan_all(std::span<const std::array<std::uint64_t, Words>> fingerprints,
              std::span<const std::array<std::uint64_t, Words>> queries, int k, const Visit& visit) {
  constexpr std::size_t tile = (std::size_t{1} << 17) / sizeof(fingerprints[0]);  // fits the cache for all queries
  const instruction_set level = active_instruction_set();
  filter_pair found[4 * join_step];
  for (std::size_t begin = 0; begin < fingerprints.size(); begin += tile) {
    const std::size_t end = (std::min)(begin + tile, fingerprints.size());
    for (filter_join job = filter_join::across(0, queries.size(), begin, end); !job.is_done();) {
      const std::size_t count = join_filters(queries.data(), fingerprints.data(), job, k, std::span(found), level);
      for (const auto& [query, position] : std::span(found).first(count)) {
        const int distance = portable_distance(queries[query], fingerprints[position]);
        if (!visit(query, position, distance)) return false;
      }
    }
  }
  return true;
}

/// Scans all fingerprints for one query. Calls `visit(position, distance)`.
template <std::size_t Words, class Visit>
bool scan_all(std::span<const std::array<std::uint64_t, Words>> fingerprints,
              const std::array<std::uint64_t, Words>& query, int k, const Visit& visit) {
  return scan_all(fingerprints, std::span(&query, 1), k,
                  [&](std::size_t, std::size_t position, int distance) { return visit(position, distance); });
}

/// Returns a reference to a value for tests. If the value is not 0, scanned_a_probe() returns this value. Tests set the
/// value to force probes where a scan would be faster.
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
  // Fingerprints that are too wide for vectors are scanned word by word.
  const std::size_t words =
      Words <= max_vector_words ? scanned_a_probe() : (std::min)(scanned_a_probe(), std::size_t{30});
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
