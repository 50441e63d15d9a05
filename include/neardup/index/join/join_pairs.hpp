// SPDX-License-Identifier: MIT
// The pairs that a join of fingerprints finds, including the pairs of copies. Each pair is passed once, sorted or
// unsorted.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "../../detail/bits.hpp"
#include "../../detail/compiled.hpp"
#include "../../detail/equal_groups.hpp"
#include "../../detail/radix_partition.hpp"
#include "../../detail/visits.hpp"
#include "../../runner.hpp"
#include "../../simd/filters.hpp"
#include "../../threshold.hpp"
#include "../match.hpp"
#include "fingerprint_join.hpp"

namespace neardup::inline v0::detail {

/// Calls `visit(part, pairs)` with batches of the pairs of distinct fingerprints that differ in at most k bits. Each
/// pair is passed once, with first < second. The order is unspecified. The parts of the runner call `visit`
/// concurrently. If `visit` returns false, the join ends soon.
template <std::size_t Words, class Offset>
void visit_distinct_pairs(fingerprint_join<Words, Offset>& join, const any_runner& run,
                          const std::function<bool(std::size_t, std::span<const near_pair<Offset>>)>& visit) {
  constexpr std::size_t room = 4 * join_step;
  using arrays = typename fingerprint_join<Words, Offset>::arrays;
  join.run(run, true, [&](std::size_t part, std::size_t table, const arrays& records, filter_join job) {
    filter_pair found[room];
    near_pair<Offset> pairs[room];
    while (!job.is_done()) {
      const std::size_t count = records.find_near(job, join.k(), found, join.level());
      std::size_t count_near = 0;
      for (const filter_pair& pair : std::span(found).first(count)) {
        const auto& x = records.words(pair.x);
        const auto& y = records.words(pair.y);
        const int distance = count_differing_bits(x, y);
        if (distance > join.k() || !join.plan().is_first(table, x, y)) continue;
        const Offset i = records.position(pair.x), j = records.position(pair.y);
        pairs[count_near++] = {(std::min)(i, j), (std::max)(i, j), distance};
      }
      if (count_near != 0 && !visit(part, std::span(pairs).first(count_near))) return false;
    }
    return true;
  });
}

/// Returns all pairs of distinct fingerprints, in unspecified order.
template <std::size_t Words, class Offset>
std::vector<near_pair<Offset>> distinct_pairs(fingerprint_join<Words, Offset>& join, const any_runner& run) {
  std::vector<std::vector<near_pair<Offset>>> found(join.parts(run));
  visit_distinct_pairs<Words, Offset>(join, run, [&](std::size_t part, auto some) {
    found[part].insert(found[part].end(), some.begin(), some.end());
    return true;
  });
  std::vector<near_pair<Offset>> pairs = std::move(found.front());
  for (std::size_t part = 1; part < found.size(); ++part) {
    pairs.insert(pairs.end(), found[part].begin(), found[part].end());
    found[part] = {};
  }
  return pairs;
}

/// Calls visit(i, j, distance) for all pairs of positions i < j, sorted by (i, j), until `visit` returns false.
/// `pairs`: the pairs of distinct fingerprints. Pairs of `copies` are added.
template <class Offset, class Visit>
void visit_in_order(const equal_groups<Offset>& copies, std::vector<near_pair<Offset>>&& pairs, const any_runner& run,
                    const Visit& visit) {
  // A copy of `first` may come after `second` in the corpus. To visit the pair of `second` and this copy, the reversed
  // pair is added.
  for (std::size_t i = 0, size = pairs.size(); i < size; ++i) {
    const near_pair<Offset> pair = pairs[i];
    if (copies.members(pair.first).back() > pair.second) pairs.push_back({pair.second, pair.first, pair.distance});
  }
  sort_pairs(std::span(pairs), 0, copies.size(), run);
  struct member {
    Offset position, first;
  };
  std::vector<member> members;  // fingerprints that have copies or are copies, in order of position
  copies.visit_groups([&](std::span<const Offset> group) {
    for (const Offset position : group) members.push_back({position, group.front()});
    return true;
  });
  std::sort(members.begin(), members.end(), [](const member& m, const member& n) { return m.position < n.position; });
  std::vector<std::pair<Offset, int>> later;  // all j > i that are paired with the current i, with distances
  const auto add = [&](Offset i, const Offset& first, int distance) {
    const std::span<const Offset> group = copies.members(first);
    for (auto j = std::upper_bound(group.begin(), group.end(), i); j != group.end(); ++j) {
      later.emplace_back(*j, distance);
    }
  };
  const auto is_before = [](const near_pair<Offset>& pair, Offset first) { return pair.first < first; };
  auto pair = pairs.cbegin();
  for (auto m = members.cbegin(); pair != pairs.cend() || m != members.cend();) {
    const bool is_member = pair == pairs.cend() || (m != members.cend() && m->position <= pair->first);
    const Offset i = is_member ? m->position : pair->first;
    const Offset first = is_member ? m->first : i;
    if (is_member) ++m;
    later.clear();
    add(i, first, 0);
    auto p = first == i ? pair : std::lower_bound(pairs.cbegin(), pairs.cend(), first, is_before);
    for (; p != pairs.cend() && p->first == first; ++p) add(i, p->second, p->distance);
    if (first == i) pair = p;
    std::sort(later.begin(), later.end());
    for (const auto& [j, distance] : later) {
      if (!visit(static_cast<std::size_t>(i), static_cast<std::size_t>(j), distance)) return;
    }
  }
}

/// Joins the fingerprints. Calls visit(i, j, distance) for all pairs, sorted by (i, j), until `visit` returns false.
template <class Offset, std::size_t Words>
void visit_in_order(const fingerprint_words<Words>& fingerprints, std::size_t width, const bits& within,
                    const join_options& options, const std::function<bool(std::size_t, std::size_t, int)>& visit) {
  fingerprint_join<Words, Offset> join(fingerprints, width, within.count, within.blocks, options.run);
  auto pairs = distinct_pairs(join, options.run);
  join.release();
  const equal_groups<Offset>& copies = join.copies();
  if (!options.copies_once && copies.distinct() < copies.size()) {
    return visit_in_order(copies, std::move(pairs), options.run, visit);
  }
  copies.visit_groups([&](std::span<const Offset> group) {
    for (const Offset copy : group.subspan(1)) pairs.push_back({group.front(), copy, 0});
    return true;
  });
  sort_pairs(std::span(pairs), 0, copies.size(), options.run);
  for (const near_pair<Offset>& pair : pairs) {
    if (!visit(pair.first, pair.second, pair.distance)) return;
  }
}

/// Calls visit(i, j, distance) for all pairs of positions i < j, in unspecified order. Any thread of the runner may
/// call `visit`, but calls do not overlap.
template <class Offset, std::size_t Words>
void visit_as_found(fingerprint_join<Words, Offset>& join, const join_options& options,
                    const std::function<bool(std::size_t, std::size_t, int)>& visit) {
  const equal_groups<Offset>& copies = join.copies();
  const group_pairs<Offset> all{options.copies_once};
  const auto visit_with = [&visit](int distance) {
    return [&visit, distance](Offset i, Offset j) { return visit(i, j, distance); };
  };
  if (!copies.visit_groups([&](std::span<const Offset> group) { return all.within(group, visit_with(0)); })) return;
  const std::function<bool(std::span<const near_pair<Offset>>)> take = [&](std::span<const near_pair<Offset>> pairs) {
    return std::all_of(pairs.begin(), pairs.end(), [&](const near_pair<Offset>& pair) {
      return all.between(copies.members(pair.first), copies.members(pair.second), visit_with(pair.distance));
    });
  };
  found_by_parts<near_pair<Offset>> found(join.parts(options.run), take);
  visit_distinct_pairs<Words, Offset>(join, options.run,
                                      [&](std::size_t part, auto pairs) { return found.add(part, pairs); });
  found.finish();
}

#if defined(NEARDUP_COMPILED)
#define NEARDUP_JOIN_PAIRS(Words)                                                                          \
  NEARDUP_INDEX_TEMPLATE void visit_in_order<std::uint32_t>(                                               \
      const fingerprint_words<Words>&, std::size_t, const bits&, const join_options&,                      \
      const std::function<bool(std::size_t, std::size_t, int)>&);                                          \
  NEARDUP_INDEX_TEMPLATE void visit_as_found(fingerprint_join<Words, std::uint32_t>&, const join_options&, \
                                             const std::function<bool(std::size_t, std::size_t, int)>&);
NEARDUP_JOIN_PAIRS(1)
NEARDUP_JOIN_PAIRS(2)
NEARDUP_JOIN_PAIRS(4)
#undef NEARDUP_JOIN_PAIRS
#endif

}  // namespace neardup::inline v0::detail
