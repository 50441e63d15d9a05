// Searches that look at every fingerprint, many at a time, without tables.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "../../detail/filters.hpp"
#include "../../instruction_set.hpp"
#include "visitors.hpp"

namespace neardup::inline v0::detail {

/// Visits (query, position, distance) of each of `fingerprints` within k bits of each query, in no order; false from
/// `visit` ends it. Returns: whether it was not ended.
template <std::size_t Words>
bool scan_all(std::span<const std::array<std::uint64_t, Words>> fingerprints,
              std::span<const std::array<std::uint64_t, Words>> queries, int k, const batch_visitor& visit) {
  constexpr std::size_t tile = (std::size_t{1} << 17) / sizeof(fingerprints[0]);  // stays in the cache for all queries
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

/// The same for one query: visits (position, distance).
template <std::size_t Words>
bool scan_all(std::span<const std::array<std::uint64_t, Words>> fingerprints,
              const std::array<std::uint64_t, Words>& query, int k, const slot_visitor& visit) {
  return scan_all(fingerprints, std::span(&query, 1), k,
                  [&](std::size_t, std::size_t position, int distance) { return visit(position, distance); });
}

}  // namespace neardup::inline v0::detail
