// Groups of near-duplicates: the connected components of "differs in at most k bits".
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../detail/error.hpp"
#include "../simhash.hpp"
#include "distinct_fingerprints.hpp"

namespace neardup::inline v0 {

namespace detail {

/// Numbers that are united step by step; the smallest of a component stands for it.
template <class Number>
class disjoint_sets {
 public:
  /// Adds the next number as a component of its own.
  void add() { parent_.push_back(static_cast<Number>(parent_.size())); }

  /// The smallest number of the component of `x`.
  std::size_t find(std::size_t x) noexcept {
    while (parent_[x] != x) {
      parent_[x] = parent_[parent_[x]];  // Halving the path keeps later walks short.
      x = parent_[x];
    }
    return x;
  }

  void unite(std::size_t a, std::size_t b) noexcept {
    a = find(a);
    b = find(b);
    if (a < b) std::swap(a, b);
    parent_[a] = static_cast<Number>(b);
  }

 private:
  std::vector<Number> parent_;
};

template <class Index, std::size_t Bits, class Offset>
void cluster_by_index(std::span<const simhash<Bits>> fingerprints, int k, int blocks, std::vector<Index>& labels) {
  distinct_fingerprints<Bits, Offset> distinct(k, blocks);
  disjoint_sets<Offset> components;  // of the numbers of distinct fingerprints
  std::vector<Index> first;          // where each of these came first
  std::vector<Offset> partners;      // the numbers of those near to a new one
  std::vector<Offset> number_of(fingerprints.size());
  for (std::size_t i = 0; i < fingerprints.size(); ++i) {
    partners.clear();
    const std::size_t number =
        distinct.add(fingerprints[i], [&](std::size_t other, int) { partners.push_back(static_cast<Offset>(other)); });
    number_of[i] = static_cast<Offset>(number);
    if (number < first.size()) continue;  // A copy: it is in the component already.
    first.push_back(static_cast<Index>(i));
    components.add();
    for (const Offset other : partners) components.unite(number, other);
  }
  // Numbers ascend with first positions, so the smallest number of a component names its smallest member.
  for (std::size_t i = 0; i < fingerprints.size(); ++i) labels[i] = first[components.find(number_of[i])];
}

}  // namespace detail

/// Which near-duplicates belong together: two fingerprints share a label if a chain of steps of at most k bits each
/// joins them.
/// Returns: one label a fingerprint, the smallest position of its group; a fingerprint on its own has its own position.
/// Throws: std::length_error if Index cannot number the fingerprints; std::invalid_argument if k is not in 0..Bits or
/// there is no layout of `blocks` blocks (0 means default_blocks(Bits, k)); std::bad_alloc.
/// Complexity: one search a distinct fingerprint; a copy costs a lookup.
/// Memory: an index of the distinct fingerprints (see pigeonhole_index) and about 20 bytes a fingerprint.
template <std::integral Index = std::uint32_t, std::size_t Bits>
[[nodiscard]] std::vector<Index> cluster(std::span<const simhash<Bits>> fingerprints, int k, int blocks = 0) {
  detail::check_distance(Bits, k);
  const std::size_t count = fingerprints.size();
  if (count > 0 && std::cmp_greater(count - 1, (std::numeric_limits<Index>::max)())) {
    detail::fail<std::length_error>("cluster: the index type of the labels cannot number " + std::to_string(count) +
                                    " fingerprints; write cluster<std::uint64_t>");
  }
  std::vector<Index> labels(count, Index{0});
  if (static_cast<std::size_t>(k) == Bits) return labels;  // Everything is one group; there is no layout for that.
  detail::with_offset_for(count, [&](auto zero) {
    detail::cluster_by_index<Index, Bits, decltype(zero)>(fingerprints, k, blocks, labels);
  });
  return labels;
}

/// The same for a vector or another contiguous range.
template <std::integral Index = std::uint32_t, fingerprint_range Range>
[[nodiscard]] std::vector<Index> cluster(const Range& fingerprints, int k, int blocks = 0) {
  constexpr std::size_t bits = detail::range_bits<Range>;
  return cluster<Index, bits>(std::span<const simhash<bits>>(fingerprints), k, blocks);
}

}  // namespace neardup::inline v0
