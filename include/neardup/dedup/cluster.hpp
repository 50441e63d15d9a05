// SPDX-License-Identifier: MIT
// Clusters of near-duplicates: the connected components of the pairs within k bits.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "../ids.hpp"
#include "../index/join/components.hpp"
#include "../index/join/join_input.hpp"
#include "../index/match.hpp"
#include "../runner.hpp"
#include "../simhash.hpp"
#include "../threshold.hpp"

namespace neardup::inline v0 {

/// Clusters fingerprints by single linkage. Two fingerprints have the same label if and only if a chain of fingerprints
/// connects them. Neighbours in the chain differ in at most k bits.
/// `within`: bits{k}. The runner `run` spreads the work over threads: `threads{8}`, or a runner of your own.
/// Returns: one label per fingerprint, which is the smallest position of its cluster. If a fingerprint is alone in its
/// cluster, its label is its own position.
/// Throws: std::length_error if Index cannot number the fingerprints; std::invalid_argument if k is not in 0..Bits, or
/// if no layout exists for k and the number of blocks; std::bad_alloc.
/// Complexity: the same as visit_pairs with a visitor that takes no time. n fingerprints that are all near-duplicates
/// or copies have n^2 / 2 pairs, but take no more time than n other fingerprints.
/// Memory: the memory of visit_pairs, and a label and 4 bytes per fingerprint (8 bytes for 2^32 - 1
/// fingerprints or more).
/// Example: `auto label = cluster(fingerprints, bits{3}, threads{8});`
template <std::integral Index = std::uint32_t, fingerprint_range Range, class Threshold>
[[nodiscard]] std::vector<Index> cluster(const Range& fingerprints, const Threshold& within,
                                         const any_runner& run = {}) {
  constexpr std::size_t width = detail::range_bits<Range>;
  const bits k = detail::bits_of(within);
  const std::span<const detail::range_fingerprint_t<Range>> all(fingerprints);
  detail::check_distance(width, k.count);
  detail::check_index_type<Index>(all.size(), "cluster");
  std::vector<Index> labels(all.size());
  detail::with_position_type<Index>(all.size(), [&](auto position) {
    auto components =
        detail::find_components<decltype(position)>(detail::fingerprint_words(all), width, k.count, k.blocks, run);
    for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<Index>(components.find(i));
  });
  return labels;
}

// A call with sets or texts does not compile. The message of the compiler says what to write instead.
template <std::integral Index = std::uint32_t, class Range, class Threshold>
  requires(!fingerprint_range<Range>)
std::vector<Index> cluster(const Range& /*input*/, const Threshold& /*within*/, const any_runner& /*run*/ = {}) {
  static_assert(sizeof(Range) == 0,
                "neardup: cluster() is of fingerprints; the components of sets and texts are group(sets, jaccard{0.8}, "
                "{.by = grouping::components})");
  return {};
}

}  // namespace neardup::inline v0
