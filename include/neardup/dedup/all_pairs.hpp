// Every pair of near-duplicates in a corpus.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "../index/match.hpp"
#include "../runner.hpp"
#include "../simhash.hpp"
#include "../threads.hpp"
#include "join/fingerprint_range.hpp"
#include "join/near_pairs.hpp"
#include "join/self_join.hpp"

namespace neardup::inline v0 {

/// Calls `visit(i, j, distance)` for each pair of positions i < j whose fingerprints differ in at most k bits.
/// The order is by i, then j. A visitor that returns false ends the visit; what it throws passes through. It is called
/// on this thread, when all pairs are found.
/// `blocks` cuts the fingerprints as in pigeonhole_index; 0 means what suits their number and a sample of them.
/// `run` is how the search is spread: neardup::threads, or a runner of the caller's (see threads). Neither matters to
/// the result.
/// Throws: std::invalid_argument if k is not in 0..Bits or there is no layout of `blocks` blocks; std::bad_alloc.
/// Complexity: a join (see visit_pairs), and O(p log p) for p pairs; copies of one fingerprint are joined as one.
/// Memory: that of visit_pairs, and 12 bytes a pair of distinct fingerprints, 36 while they are sorted (24 and 72 from
/// 2^32 fingerprints on). Where pairs may be very many, see visit_pairs.
template <std::size_t Bits, class Visit, class Run = threads>
void all_pairs(std::span<const simhash<Bits>> fingerprints, int k, Visit&& visit, int blocks = 0,
               const Run& run = Run{1}) {
  detail::check_distance(Bits, k);
  detail::with_join_types<Bits>(fingerprints.size(), k, [&](auto offset, auto filter) {
    constexpr std::size_t words = detail::words_for(Bits);
    const any_runner runner(run);
    detail::self_join<words, decltype(offset), decltype(filter)> join(detail::fingerprint_words<words>(fingerprints),
                                                                      Bits, k, blocks, runner);
    auto pairs = detail::distinct_pairs(join, runner);
    join.release();
    detail::visit_in_order(
        join.distinct(), std::move(pairs), fingerprints.size(), runner,
        [&](std::size_t i, std::size_t j, int distance) { return detail::visit_goes_on(visit, i, j, distance); });
  });
}

/// The same for a vector or another contiguous range.
template <fingerprint_range Range, class Visit, class Run = threads>
void all_pairs(const Range& fingerprints, int k, Visit&& visit, int blocks = 0, const Run& run = Run{1}) {
  constexpr std::size_t bits = detail::range_bits<Range>;
  all_pairs<bits>(std::span<const simhash<bits>>(fingerprints), k, visit, blocks, run);
}

/// The pairs of positions whose fingerprints differ in at most k bits, by the first, then the second.
/// Throws: std::length_error if Index cannot number the fingerprints; what all_pairs throws.
/// Complexity, memory: those of all_pairs; the result has 12 bytes a pair.
/// Example: `for (const auto& [i, j, distance] : find_pairs(fingerprints, 3, 0, threads{8})) …`
template <std::integral Index = std::uint32_t, std::size_t Bits, class Run = threads>
[[nodiscard]] std::vector<near_pair<Index>> find_pairs(std::span<const simhash<Bits>> fingerprints, int k,
                                                       int blocks = 0, const Run& run = Run{1}) {
  detail::check_distance(Bits, k);
  detail::check_index_type<Index>(fingerprints.size(), "find_pairs");
  std::vector<near_pair<Index>> result;
  all_pairs<Bits>(
      fingerprints, k,
      [&](std::size_t i, std::size_t j, int distance) {
        result.push_back({static_cast<Index>(i), static_cast<Index>(j), distance});
      },
      blocks, run);
  return result;
}

/// The same for a vector or another contiguous range.
template <std::integral Index = std::uint32_t, fingerprint_range Range, class Run = threads>
[[nodiscard]] std::vector<near_pair<Index>> find_pairs(const Range& fingerprints, int k, int blocks = 0,
                                                       const Run& run = Run{1}) {
  constexpr std::size_t bits = detail::range_bits<Range>;
  return find_pairs<Index, bits>(std::span<const simhash<bits>>(fingerprints), k, blocks, run);
}

/// Calls `visit(i, j, distance)` for each pair of positions i < j whose fingerprints differ in at most k bits, as they
/// are found: each once, in no order that means anything, never two calls at a time, but from any thread of `run`.
/// A visitor that returns false ends the visit; what it throws ends it, too, and passes through.
/// Throws: as all_pairs does.
/// Complexity: for each table (see layout) O(n) to move the fingerprints into buckets, and a comparison of 32 bits (64
/// for k > 8), 16 (8) at a time with AVX-512, for each two in a bucket; then the calls.
/// Memory: whatever the number of pairs, about 16 bytes a fingerprint of 64 bits, for its copy in the order of the
/// buckets (32 if the layout has radii; crowded buckets, too, are copied once more), and 16 bytes a copy.
template <std::size_t Bits, class Visit, class Run = threads>
void visit_pairs(std::span<const simhash<Bits>> fingerprints, int k, Visit&& visit, int blocks = 0,
                 const Run& run = Run{1}) {
  detail::check_distance(Bits, k);
  detail::with_join_types<Bits>(fingerprints.size(), k, [&](auto offset, auto filter) {
    constexpr std::size_t words = detail::words_for(Bits);
    const any_runner runner(run);
    detail::self_join<words, decltype(offset), decltype(filter)> join(detail::fingerprint_words<words>(fingerprints),
                                                                      Bits, k, blocks, runner);
    const auto& groups = join.distinct();
    const auto call = [&](std::size_t i, std::size_t j, int distance) {
      return detail::visit_goes_on(visit, i, j, distance);
    };
    if (!detail::visit_copy_pairs(groups, call)) return;
    // Each part hands over some pairs at a time, so that the parts seldom wait for each other.
    constexpr std::size_t handed = 1024;
    std::vector<std::vector<near_pair<decltype(offset)>>> waiting(join.parts(runner));
    std::mutex mutex;
    bool goes_on = true;
    const auto hand_over = [&](auto& pairs) {
      const std::lock_guard<std::mutex> lock(mutex);
      // Ended already if the visitor throws: no other part may call it again.
      const bool went_on = std::exchange(goes_on, false);
      for (const auto& [a, b, distance] : pairs) {
        if (!went_on || !detail::visit_copies(groups, a, b, distance, call)) return false;
      }
      pairs.clear();
      goes_on = went_on;
      return went_on;
    };
    using pairs_type = std::span<const near_pair<decltype(offset)>>;
    const std::function<bool(std::size_t, pairs_type)> take = [&](std::size_t part, pairs_type some) {
      waiting[part].insert(waiting[part].end(), some.begin(), some.end());
      return waiting[part].size() < handed || hand_over(waiting[part]);
    };
    detail::visit_distinct_pairs(join, runner, take);
    for (auto& pairs : waiting) {
      if (!hand_over(pairs)) return;
    }
  });
}

/// The same for a vector or another contiguous range.
template <fingerprint_range Range, class Visit, class Run = threads>
void visit_pairs(const Range& fingerprints, int k, Visit&& visit, int blocks = 0, const Run& run = Run{1}) {
  constexpr std::size_t bits = detail::range_bits<Range>;
  visit_pairs<bits>(std::span<const simhash<bits>>(fingerprints), k, visit, blocks, run);
}

}  // namespace neardup::inline v0
