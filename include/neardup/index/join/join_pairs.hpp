// SPDX-License-Identifier: MIT
// The pairs that a join of fingerprints finds, with the pairs of copies: each pair once, sorted or as found.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <functional>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "../../detail/bits.hpp"
#include "../../detail/compiled.hpp"
#include "../../detail/filters.hpp"
#include "../../detail/mutex.hpp"
#include "../../detail/radix_partition.hpp"
#include "../../join_options.hpp"
#include "../../runner.hpp"
#include "../../threshold.hpp"
#include "../fingerprint_range.hpp"
#include "copy_groups.hpp"
#include "fingerprint_join.hpp"

namespace neardup::inline v0::detail {

/// Calls `visit(part, pairs)` with all pairs of distinct fingerprints within k bits, each pair once, first < second.
/// All parts call `visit` concurrently, in unspecified order. If `visit` returns false, the join ends soon.
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

/// Sorts pairs by (first, second). Precondition: begin <= first < end for all pairs.
/// Complexity: O(pairs) unless many share one `first`. Memory: temporarily a copy of the pairs.
template <class Offset>
void sort_pairs(std::span<near_pair<Offset>> pairs, std::size_t begin, std::size_t end, const any_runner& run) {
  const auto is_before = [](const near_pair<Offset>& a, const near_pair<Offset>& b) {
    return a.first != b.first ? a.first < b.first : a.second < b.second;
  };
  constexpr std::size_t few = std::size_t{1} << 14;
  if (pairs.size() < few) {
    std::sort(pairs.begin(), pairs.end(), is_before);
    return;
  }
  const int width = static_cast<int>(std::bit_width(end - begin));
  const int bits = (std::min)(width, static_cast<int>(std::bit_width(pairs.size() >> 2)));
  std::vector<std::size_t> starts((std::size_t{1} << bits) + 1);
  {
    scratch_array<near_pair<Offset>> scratch;  // gets all pairs before one is written back
    radix_partition(
        pairs.size(), bits, [&](std::size_t i) { return pairs[i]; },
        [&](const near_pair<Offset>& pair) { return (static_cast<std::size_t>(pair.first) - begin) >> (width - bits); },
        [&](std::size_t place, const near_pair<Offset>& pair) { pairs[place] = pair; }, std::span<std::size_t>(starts),
        scratch, run);
  }
  const std::size_t parts = parts_for(run, starts.size() - 1, few);
  run(parts, [&](std::size_t part) {
    const std::size_t buckets = starts.size() - 1;
    for (std::size_t b = buckets / parts * part, last = part + 1 == parts ? buckets : buckets / parts * (part + 1);
         b < last; ++b) {
      std::sort(pairs.begin() + static_cast<std::ptrdiff_t>(starts[b]),
                pairs.begin() + static_cast<std::ptrdiff_t>(starts[b + 1]), is_before);
    }
  });
}

/// Returns: all pairs of distinct fingerprints, in unspecified order.
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

/// Calls visit(i, j, distance) for all positions i < j of which one is `a` or a copy of `a`, and the other is `b` or a
/// copy of `b`. Precondition: a and b are the first positions of distinct fingerprints.
/// Returns: false if the visitor returned false.
template <std::size_t Words, class Offset, class Visit>
bool visit_copies(const copy_groups<Words, Offset>& groups, std::size_t a, std::size_t b, int distance,
                  const Visit& visit) {
  const auto of_a = groups.copies_of(a);
  const auto of_b = groups.copies_of(b);
  for (std::size_t i = 0; i <= of_a.size(); ++i) {
    const std::size_t one = i == 0 ? a : static_cast<std::size_t>(of_a[i - 1].position);
    for (std::size_t j = 0; j <= of_b.size(); ++j) {
      const std::size_t other = j == 0 ? b : static_cast<std::size_t>(of_b[j - 1].position);
      if (!visit((std::min)(one, other), (std::max)(one, other), distance)) return false;
    }
  }
  return true;
}

/// Calls visit(i, j, 0) for all pairs of equal fingerprints. Returns: false if the visitor returned false.
template <std::size_t Words, class Offset, class Visit>
bool visit_copy_pairs(const copy_groups<Words, Offset>& groups, const Visit& visit) {
  const auto copies = groups.copies();
  for (std::size_t i = 0; i < copies.size(); ++i) {
    if (!visit(copies[i].first, copies[i].position, 0)) return false;
    for (std::size_t j = i + 1; j < copies.size() && copies[j].first == copies[i].first; ++j) {
      if (!visit(copies[i].position, copies[j].position, 0)) return false;
    }
  }
  return true;
}

/// Calls visit(i, j, distance) for all pairs of positions i < j, sorted by (i, j), until it returns false. `pairs` are
/// the pairs of distinct fingerprints.
template <std::size_t Words, class Offset, class Visit>
void visit_in_order(const copy_groups<Words, Offset>& groups, std::vector<near_pair<Offset>>&& pairs, std::size_t count,
                    const any_runner& run, const Visit& visit) {
  // A copy of `first` may come after `second`. The pair of `second` and that copy is found from `second`, so the
  // reversed pair is added.
  for (std::size_t i = 0, size = pairs.size(); i < size; ++i) {
    const near_pair<Offset> pair = pairs[i];
    const auto copies = groups.copies_of(pair.first);
    if (!copies.empty() && copies.back().position > pair.second) {
      pairs.push_back({pair.second, pair.first, pair.distance});
    }
  }
  sort_pairs(std::span(pairs), 0, count, run);
  struct member {
    Offset position, first;
  };
  std::vector<member> members;  // fingerprints that have copies or are copies, by position
  for (const auto& copy : groups.copies()) {
    if (members.empty() || members.back().first != copy.first) members.push_back({copy.first, copy.first});
    members.push_back({copy.position, copy.first});
  }
  std::sort(members.begin(), members.end(), [](const member& m, const member& n) { return m.position < n.position; });
  std::vector<std::pair<Offset, int>> later;  // all j > i that are paired with the current i, with distances
  const auto add = [&](Offset i, Offset first, int distance) {
    if (first > i) later.emplace_back(first, distance);
    if (!groups.is_copied(first)) return;
    const auto copies = groups.copies_of(first);
    const auto behind =
        std::partition_point(copies.begin(), copies.end(), [i](const auto& c) { return c.position <= i; });
    for (auto c = behind; c != copies.end(); ++c) later.emplace_back(c->position, distance);
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

/// Joins the fingerprints, and calls visit(i, j, distance) for all pairs, sorted by (i, j), until it returns false.
template <class Offset, std::size_t Words>
void visit_in_order(const fingerprint_words<Words>& fingerprints, std::size_t width, const bits& within,
                    const join_options& options, const std::function<bool(std::size_t, std::size_t, int)>& visit) {
  fingerprint_join<Words, Offset> join(fingerprints, width, within.count, within.blocks, options.run);
  auto pairs = distinct_pairs(join, options.run);
  join.release();
  const auto& groups = join.distinct();
  if (!options.copies_once && !groups.copies().empty()) {
    return visit_in_order(groups, std::move(pairs), fingerprints.size(), options.run, visit);
  }
  for (const auto& copy : groups.copies()) pairs.push_back({copy.first, copy.position, 0});
  sort_pairs(std::span(pairs), 0, fingerprints.size(), options.run);
  for (const near_pair<Offset>& pair : pairs) {
    if (!visit(pair.first, pair.second, pair.distance)) return;
  }
}

/// Calls visit(i, j, distance) for all pairs of positions i < j of a join, in unspecified order, from any thread. Calls
/// never overlap.
template <class Offset, std::size_t Words>
void visit_as_found(fingerprint_join<Words, Offset>& join, const join_options& options,
                    const std::function<bool(std::size_t, std::size_t, int)>& visit) {
  const auto& groups = join.distinct();
  if (options.copies_once) {
    for (const auto& copy : groups.copies()) {
      if (!visit(copy.first, copy.position, 0)) return;
    }
  } else if (!visit_copy_pairs(groups, visit)) {
    return;
  }
  // Each part collects its pairs, and visits them in batches, so that parts seldom wait for the mutex.
  constexpr std::size_t handed = 1024;
  std::vector<std::vector<near_pair<Offset>>> waiting(join.parts(options.run));
  detail::mutex_type mutex;
  bool goes_on = true;
  const auto hand_over = [&](std::vector<near_pair<Offset>>& pairs) {
    const std::lock_guard lock(mutex);
    // Cleared before the calls: if the visitor throws, no other part calls it again.
    const bool went_on = std::exchange(goes_on, false);
    for (const auto& [a, b, distance] : pairs) {
      if (!went_on) return false;
      if (!(options.copies_once ? visit(a, b, distance) : visit_copies(groups, a, b, distance, visit))) return false;
    }
    pairs.clear();
    goes_on = went_on;
    return went_on;
  };
  visit_distinct_pairs<Words, Offset>(join, options.run,
                                      [&](std::size_t part, std::span<const near_pair<Offset>> pairs) {
                                        waiting[part].insert(waiting[part].end(), pairs.begin(), pairs.end());
                                        return waiting[part].size() < handed || hand_over(waiting[part]);
                                      });
  for (auto& pairs : waiting) {
    if (!hand_over(pairs)) return;
  }
}

#if defined(NEARDUP_COMPILED)
NEARDUP_INDEX_TEMPLATE void visit_in_order<std::uint32_t>(const fingerprint_words<1>&, std::size_t, const bits&,
                                                          const join_options&,
                                                          const std::function<bool(std::size_t, std::size_t, int)>&);
NEARDUP_INDEX_TEMPLATE void visit_as_found(fingerprint_join<1, std::uint32_t>&, const join_options&,
                                           const std::function<bool(std::size_t, std::size_t, int)>&);
NEARDUP_INDEX_TEMPLATE void visit_in_order<std::uint32_t>(const fingerprint_words<2>&, std::size_t, const bits&,
                                                          const join_options&,
                                                          const std::function<bool(std::size_t, std::size_t, int)>&);
NEARDUP_INDEX_TEMPLATE void visit_as_found(fingerprint_join<2, std::uint32_t>&, const join_options&,
                                           const std::function<bool(std::size_t, std::size_t, int)>&);
NEARDUP_INDEX_TEMPLATE void visit_in_order<std::uint32_t>(const fingerprint_words<4>&, std::size_t, const bits&,
                                                          const join_options&,
                                                          const std::function<bool(std::size_t, std::size_t, int)>&);
NEARDUP_INDEX_TEMPLATE void visit_as_found(fingerprint_join<4, std::uint32_t>&, const join_options&,
                                           const std::function<bool(std::size_t, std::size_t, int)>&);
#endif

}  // namespace neardup::inline v0::detail
