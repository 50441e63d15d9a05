// SPDX-License-Identifier: MIT
// visit_pairs() with a store finds all pairs of similar feature sets exactly. The data of the join need not fit into
// memory: the join writes it to partitions in a store of the caller.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "../detail/visits.hpp"
#include "../partition_store.hpp"
#include "../runner.hpp"
#include "../threshold.hpp"
#include "engine/overlap_bounds.hpp"
#include "engine/row_join.hpp"
#include "feature_sets.hpp"
#include "pairs.hpp"

namespace neardup::inline v0 {

namespace detail {

/// Visits the similar pairs of a source. Sets numbered `first_count` and above are a second corpus.
template <class Feature>
void visit_partitioned_pairs(const set_source<Feature>& source, std::size_t first_count, const set_threshold& least,
                             any_partition_store store, const join_options& options, const row_join_sizes& sizes,
                             const similar_pair_visits::visit_type& visit) {
  const overlap_bounds bounds(least);
  row_join<Feature> join(source, first_count, bounds, std::move(store), options.run, sizes);
  const similar_pair_visits visits(join.copies(), first_count, bounds, options.copies_once, visit);
  if (!visits.visit_copies([&](std::uint32_t number) { return join.size_of(number); })) return;
  std::vector<bool> is_of_first(first_count < source.size ? source.size : 0);
  if (!is_of_first.empty()) std::fill_n(is_of_first.begin(), first_count, true);
  join.visit({.across = is_of_first.empty() ? nullptr : &is_of_first}, [&](std::span<const found_pair> pairs) {
    return std::all_of(pairs.begin(), pairs.end(), [&](const found_pair& pair) {
      return visits.visit_found(pair.a, pair.b, join.size_of(pair.a), join.size_of(pair.b), pair.common);
    });
  });
}

}  // namespace detail

/// Calls `visit(pair)` for the pairs that visit_pairs() visits without a store, in unspecified order. The pairs have
/// the same values. Any thread of `options.run` may call `visit`, but calls do not overlap. The visit ends when `visit`
/// returns false or throws. The sets may be in a mapped file. The join writes its own data to the store. It reads each
/// set twice in the order of the positions, a few sets once more, and a set once more for each of its candidate pairs.
/// Most candidate pairs are similar.
///
/// Throws: the exceptions of visit_pairs(), and the exceptions of the store.
/// Complexity: the same as visit_pairs(). A set is looked up by its rarest features, the *prefix features*. With the
/// similarity s, they are about the share 1 - s of its features for Jaccard, 1 - s^2 for cosine, and all for
/// containment. The store gets 18 to 32 bytes for each prefix feature.
/// If many small sets have a frequent prefix feature, the store may get up to 1,024 bytes more for each of these sets.
/// Memory: about `memory` bytes, 17 bytes for each set, 6 bytes more for each copy, and up to 64 MB for counts of
/// features. If most candidate pairs share several prefix features, each thread takes up to 33 MB for prefixes. Sets
/// that share a very frequent prefix feature are joined in memory, as visit_pairs() joins a corpus.
/// Example: `visit_pairs(mapped_sets, jaccard{0.8}, files, 4'000'000'000, print, {.run = threads{8}});`
template <set_range Sets, class Threshold, partition_store Store, class Visit>
  requires(std::invocable<Visit&, const similar_pair<std::size_t>&>)
void visit_pairs(const Sets& sets, const Threshold& least, Store& store, std::uint64_t memory, Visit&& visit,
                 const join_options& options = {}) {
  detail::visit_partitioned_pairs<detail::set_feature_t<Sets>>(
      detail::source_of_sets(sets), sets.size(), detail::set_threshold_of(least), detail::any_store_of(store), options,
      {.memory = memory}, [&](const similar_pair<std::size_t>& pair) { return detail::visit_goes_on(visit, pair); });
}

/// Calls `visit(pair)` for each pair of similar sets, one of `a` and one of `b`. pair.first is a position in `a`, and
/// pair.second is a position in `b`.
/// Throws, complexity, memory: the same as visit_pairs() of one corpus with a store.
template <set_range A, set_range B, class Threshold, partition_store Store, class Visit>
  requires(std::invocable<Visit&, const similar_pair<std::size_t>&>)
void visit_pairs(const A& a, const B& b, const Threshold& least, Store& store, std::uint64_t memory, Visit&& visit,
                 const join_options& options = {}) {
  const set_threshold threshold = detail::set_threshold_of(least);
  detail::check_threshold(threshold);
  if (a.size() == 0 || b.size() == 0) return;
  detail::visit_partitioned_pairs<detail::set_feature_t<A>>(
      detail::source_of_sets(a, b), a.size(), threshold, detail::any_store_of(store), options, {.memory = memory},
      [&](const similar_pair<std::size_t>& pair) { return detail::visit_goes_on(visit, pair); });
}

}  // namespace neardup::inline v0
