// SPDX-License-Identifier: MIT
// Compares filters in bulk, and finds the pairs that differ in at most k bits.
//
// near_bits, one for each instruction set, is the primitive of searches, scans and joins: it finds out which of several
// filters are within k bits of one. Nearly all pairs are non-matches, so joins test up to 64 pairs with one branch.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "../../instruction_set.hpp"
#include "../../simd/forms.hpp"
#include "filters_avx2.hpp"
#include "filters_avx512.hpp"
#include "filters_neon.hpp"
#include "filters_portable.hpp"

namespace neardup::inline v0::detail {

/// Joins filters: writes the pairs of `job` within k bits to `found`, sorted by (x, y). A call may return before
/// job.is_done(), when `found` may be too small for the pairs of the next step. The next call continues. All calls
/// together write each pair once.
/// Returns: the number of pairs written.
/// Precondition: found.size() >= join_step and 0 <= k.
template <class Filter>
std::size_t join_filters(const Filter* xs, const Filter* ys, filter_join& job, int k, std::span<filter_pair> found,
                         instruction_set level) noexcept {
  return choose_form(level, [&](auto form) { return join_filters_of<Filter>(form)(xs, ys, job, k, found); });
}

/// Scans all fingerprints: calls `visit(query, position, distance)` for each fingerprint within k bits of each query,
/// in unspecified order, until a call returns false.
/// Returns: false if a call returned false.
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

/// Scans all fingerprints for one query: calls `visit(position, distance)`.
template <std::size_t Words, class Visit>
bool scan_all(std::span<const std::array<std::uint64_t, Words>> fingerprints,
              const std::array<std::uint64_t, Words>& query, int k, const Visit& visit) {
  return scan_all(fingerprints, std::span(&query, 1), k,
                  [&](std::size_t, std::size_t position, int distance) { return visit(position, distance); });
}

}  // namespace neardup::inline v0::detail
