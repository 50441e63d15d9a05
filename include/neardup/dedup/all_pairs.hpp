// Every pair of near-duplicates in a corpus.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "../detail/visitor.hpp"
#include "../simhash.hpp"
#include "distinct_fingerprints.hpp"

namespace neardup::inline v0 {

namespace detail {

template <std::size_t Bits, class Offset, class Visit>
void all_pairs_by_index(std::span<const simhash<Bits>> fingerprints, int k, Visit& visit, int blocks) {
  distinct_fingerprints<Bits, Offset> distinct(k, blocks);
  // The positions of each distinct fingerprint, ascending, in one array: those of number g from starts[g] on.
  std::vector<Offset> positions(fingerprints.size());
  std::vector<Offset> starts;
  {
    std::vector<Offset> number_of(fingerprints.size());
    for (std::size_t i = 0; i < fingerprints.size(); ++i) {
      number_of[i] = static_cast<Offset>(distinct.add(fingerprints[i]));
    }
    starts.resize(distinct.size() + 1);
    for (const Offset number : number_of) ++starts[number + std::size_t{1}];
    for (std::size_t g = 1; g < starts.size(); ++g) starts[g] += starts[g - 1];
    std::vector<Offset> next(starts.begin(), starts.end() - 1);
    for (std::size_t i = 0; i < fingerprints.size(); ++i) positions[next[number_of[i]]++] = static_cast<Offset>(i);
  }
  std::vector<std::pair<Offset, int>> later;  // The partners of i behind it, and their distances.
  for (std::size_t i = 0; i < fingerprints.size(); ++i) {
    later.clear();
    distinct.visit_within(fingerprints[i], [&](std::size_t number, int distance) {
      const auto begin = positions.begin() + static_cast<std::ptrdiff_t>(starts[number]);
      const auto end = positions.begin() + static_cast<std::ptrdiff_t>(starts[number + 1]);
      for (auto j = std::upper_bound(begin, end, static_cast<Offset>(i)); j != end; ++j)
        later.emplace_back(*j, distance);
    });
    std::sort(later.begin(), later.end());
    for (const auto& [j, distance] : later) {
      if (!visit_goes_on(visit, i, static_cast<std::size_t>(j), distance)) return;
    }
  }
}

}  // namespace detail

/// Calls `visit(i, j, distance)` for each pair of positions i < j whose fingerprints differ in at most k bits.
/// The order is by i, then j. A visitor that returns false ends the visit; what it throws passes through.
/// `blocks` cuts the fingerprints as in pigeonhole_index; 0 means default_blocks(Bits, k).
/// Throws: std::invalid_argument if k is not in 0..Bits or there is no layout of `blocks` blocks; std::bad_alloc.
/// Complexity: one search a fingerprint besides the pairs themselves; copies of one are stored once and searched as one.
/// Memory: an index of the distinct fingerprints (see pigeonhole_index), at most 16 bytes a fingerprint (32 from 2^32
/// fingerprints on), and the partners of one fingerprint at a time.
template <std::size_t Bits, class Visit>
void all_pairs(std::span<const simhash<Bits>> fingerprints, int k, Visit&& visit, int blocks = 0) {
  detail::check_distance(Bits, k);
  if (static_cast<std::size_t>(k) == Bits) {  // Everything matches; there is no layout for that.
    for (std::size_t i = 0; i < fingerprints.size(); ++i) {
      for (std::size_t j = i + 1; j < fingerprints.size(); ++j) {
        if (!detail::visit_goes_on(visit, i, j, hamming_distance(fingerprints[i], fingerprints[j]))) return;
      }
    }
    return;
  }
  detail::with_offset_for(fingerprints.size(), [&](auto zero) {
    detail::all_pairs_by_index<Bits, decltype(zero)>(fingerprints, k, visit, blocks);
  });
}

/// The same for a vector or another contiguous range.
template <fingerprint_range Range, class Visit>
void all_pairs(const Range& fingerprints, int k, Visit&& visit, int blocks = 0) {
  constexpr std::size_t bits = detail::range_bits<Range>;
  all_pairs<bits>(std::span<const simhash<bits>>(fingerprints), k, visit, blocks);
}

}  // namespace neardup::inline v0
