// Compares filters with filters, many at a time, and tells which pairs differ in at most k bits.
//
// A filter is an unsigned integer of 32 or 64 bits, or all words of a fingerprint (see distances.hpp).
// Nearly all pairs are non-matches, so the loops ask one question of 64 pairs at a time and branch on the answer.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "bits.hpp"
#include "distances.hpp"
#include "instructions.hpp"

namespace neardup::inline v0::detail {

/// Two places in an array of filters.
struct filter_pair {
  std::size_t x, y;
};

/// Which filters are still to be compared: each of x..x_end with each of y_begin..y_end, or with those behind it. The
/// state of a join, too: one that has filled its buffer goes on where it stopped.
struct filter_join {
  std::size_t x, x_end;
  std::size_t y, y_begin, y_end;
  bool is_behind;

  /// Each of x..x_end with those behind it and before `end`. Precondition: x_end <= end.
  static constexpr filter_join within(std::size_t x, std::size_t x_end, std::size_t end) noexcept {
    return {x, x_end, x + 1, 0, end, true};
  }
  /// Each of x..x_end with each of y..y_end.
  static constexpr filter_join across(std::size_t x, std::size_t x_end, std::size_t y, std::size_t y_end) noexcept {
    return {x, x_end, y, y, y_end, false};
  }

  [[nodiscard]] constexpr bool is_done() const noexcept { return x >= x_end; }

  /// To the next x and the first y for it.
  constexpr void advance() noexcept {
    ++x;
    y = is_behind ? x + 1 : y_begin;
  }
};

/// The pairs that a kernel looks at in one step, and must have room for to take it.
inline constexpr std::size_t join_step = 64;

/// Appends the places of `places` whose bits are set in `hits` to `found`; gives the new count.
inline std::size_t append_hits(std::span<filter_pair> found, std::size_t count, std::size_t x, std::size_t y,
                               std::uint64_t hits) noexcept {
  for (; hits != 0; hits &= hits - 1) {
    found[count++] = {x, y + static_cast<std::size_t>(std::countr_zero(hits))};
  }
  return count;
}

/// The reference.
template <class Filter>
std::size_t join_filters_portable(const Filter* xs, const Filter* ys, filter_join& job, int k,
                                  std::span<filter_pair> found) noexcept {
  std::size_t count = 0;
  for (; !job.is_done(); job.advance()) {
    const Filter x = xs[job.x];
    for (; job.y < job.y_end; ++job.y) {
      if (portable_distance(x, ys[job.y]) > k) continue;
      if (count == found.size()) return count;
      found[count++] = {job.x, job.y};
    }
  }
  return count;
}

#if NEARDUP_X86_KERNELS
NEARDUP_KERNELS_BEGIN

template <class Filter>
NEARDUP_TARGET_AVX2 std::size_t join_filters_avx2(const Filter* xs, const Filter* ys, filter_join& job, int k,
                                                  std::span<filter_pair> found) noexcept {
  constexpr std::size_t lanes = std::is_same_v<Filter, std::uint32_t> ? 8 : 4;
  std::size_t count = 0;
  for (; !job.is_done(); job.advance()) {
    const Filter x = xs[job.x];
    std::size_t y = job.y;
    for (; y + lanes <= job.y_end; y += lanes) {
      const std::uint32_t hits = near_bits_avx2(ys + y, x, k);
      if (hits == 0) continue;
      if (found.size() - count < lanes) {
        job.y = y;
        return count;
      }
      count = append_hits(found, count, job.x, y, hits);
    }
    for (; y < job.y_end; ++y) {
      if (count_differing_bits(x, ys[y]) > k) continue;
      if (count == found.size()) {
        job.y = y;
        return count;
      }
      found[count++] = {job.x, y};
    }
  }
  return count;
}

template <class Filter>
NEARDUP_TARGET_AVX512 std::size_t join_filters_avx512(const Filter* xs, const Filter* ys, filter_join& job, int k,
                                                      std::span<filter_pair> found) noexcept {
  using lane_type = std::conditional_t<std::is_same_v<Filter, std::uint32_t>, std::uint32_t, std::uint64_t>;
  constexpr std::size_t lanes = 64 / sizeof(lane_type);
  const __m512i limit = broadcast_avx512(static_cast<lane_type>(k));
  std::size_t count = 0;
  for (; !job.is_done(); job.advance()) {
    const auto x = broadcast_avx512(xs[job.x]);
    const std::size_t end = job.y_end;
    std::size_t y = job.y;
    for (; y + 4 * lanes <= end; y += 4 * lanes) {
      const __m512i a = distances_avx512(ys + y, x);
      const __m512i b = distances_avx512(ys + y + lanes, x);
      const __m512i c = distances_avx512(ys + y + 2 * lanes, x);
      const __m512i d = distances_avx512(ys + y + 3 * lanes, x);
      const __m512i nearest = min_avx512(ys, min_avx512(ys, a, b), min_avx512(ys, c, d));
      if (up_to_avx512(ys, nearest, limit) == 0) continue;
      if (found.size() - count < 4 * lanes) {
        job.y = y;
        return count;
      }
      const std::uint64_t low = up_to_avx512(ys, a, limit) | up_to_avx512(ys, b, limit) << lanes;
      const std::uint64_t high = up_to_avx512(ys, c, limit) | up_to_avx512(ys, d, limit) << lanes;
      count = append_hits(found, count, job.x, y, low | high << (2 * lanes));
    }
    for (; y < end; y += lanes) {
      const std::uint64_t mask = _bzhi_u64(~std::uint64_t{0}, static_cast<unsigned>(end - y < lanes ? end - y : lanes));
      const std::uint64_t hits = near_bits_avx512(ys + y, mask, x, limit);
      if (hits == 0) continue;
      if (found.size() - count < lanes) {
        job.y = y;
        return count;
      }
      count = append_hits(found, count, job.x, y, hits);
    }
  }
  return count;
}

NEARDUP_KERNELS_END
#endif  // NEARDUP_X86_KERNELS

/// Writes the pairs of one of `xs` and one of `ys` that `job` finds within k bits to `found`, by x, then y, until it is
/// done or the next step might not fit. Returns: how many. Each pair comes once, over all calls until job.is_done();
/// one that stops early has found some.
/// Precondition: found.size() >= join_step; 0 <= k.
template <class Filter>
std::size_t join_filters(const Filter* xs, const Filter* ys, filter_join& job, int k, std::span<filter_pair> found,
                         [[maybe_unused]] instruction_set level) noexcept {
#if NEARDUP_X86_KERNELS
  if constexpr (sizeof(Filter) <= max_vector_words * sizeof(std::uint64_t)) {
    if (level == instruction_set::avx512) return join_filters_avx512(xs, ys, job, k, found);
    if (level == instruction_set::avx2) return join_filters_avx2(xs, ys, job, k, found);
  }
#endif
  return join_filters_portable(xs, ys, job, k, found);
}

/// The same within one array.
template <class Filter>
std::size_t join_filters(const Filter* filters, filter_join& job, int k, std::span<filter_pair> found,
                         instruction_set level) noexcept {
  return join_filters(filters, filters, job, k, found, level);
}

/// Visits (query, position, distance) of each of `fingerprints` within k bits of each query, in no order; false from
/// `visit` ends it. Returns: whether it was not ended.
template <std::size_t Words, class Visit>
bool scan_all(std::span<const std::array<std::uint64_t, Words>> fingerprints,
              std::span<const std::array<std::uint64_t, Words>> queries, int k, const Visit& visit) {
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
template <std::size_t Words, class Visit>
bool scan_all(std::span<const std::array<std::uint64_t, Words>> fingerprints,
              const std::array<std::uint64_t, Words>& query, int k, const Visit& visit) {
  return scan_all(fingerprints, std::span(&query, 1), k,
                  [&](std::size_t, std::size_t position, int distance) { return visit(position, distance); });
}

}  // namespace neardup::inline v0::detail
