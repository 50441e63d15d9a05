// SPDX-License-Identifier: MIT
// group() with a store groups similar feature sets exactly. The data of the join need not fit into memory: the join
// writes it to partitions in a store of the caller.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "../detail/visits.hpp"
#include "../ids.hpp"
#include "../sets/engine/overlap_bounds.hpp"
#include "../sets/engine/row_join.hpp"
#include "../sets/feature_sets.hpp"
#include "../sets/partitioned_pairs.hpp"
#include "engine/label_documents.hpp"
#include "group_sets.hpp"
#include "rule.hpp"

namespace neardup::inline v0 {

namespace detail {

/// A matcher whose documents are the distinct sets of a row_join. closeness() gets the overlap of the two sets as
/// `known`. All candidate pairs match.
template <class Feature>
class row_matcher final : public matcher<std::uint32_t> {
 public:
  /// Makes a matcher. set_of[document] is the number of the document's set.
  row_matcher(row_join<Feature>& join, const overlap_bounds& bounds, std::size_t sets,
              std::span<const std::uint32_t> set_of, const failure_limits& limits)
      : join_(join), bounds_(bounds), set_of_(set_of), limits_(limits), position_of_(sets) {}

  // One part, because only one thread at a time calls `take`.
  [[nodiscard]] std::size_t parts(std::size_t /*documents*/) const override { return 1; }
  // A join finds a pair once for each frequent feature that the prefixes of the two sets share: about eight times in a
  // large group. So 64 found pairs are about eight different pairs.
  [[nodiscard]] std::uint8_t enough_pairs() const override { return 64; }

  bool find_candidates(std::span<const std::uint32_t> documents, std::size_t kept, const take_type& take,
                       const left_out& left) override {
    std::vector<bool> chosen(position_of_.size()), is_kept(kept != 0 ? position_of_.size() : 0);
    for (std::size_t i = 0; i < documents.size(); ++i) {
      const std::uint32_t set = set_of_[documents[i]];
      position_of_[set] = static_cast<std::uint32_t>(i);
      chosen[set] = true;
      if (i < kept) is_kept[set] = true;
    }
    std::optional<numbered_classes> by_set;
    if (left.classes != nullptr) by_set.emplace(*left.classes, position_of_);
    std::vector<candidate> found;
    failure_limit failures = limits_.of(documents.size());
    return join_.visit({.sets = documents.size() < set_of_.size() ? &chosen : nullptr,
                        .across = kept != 0 ? &is_kept : nullptr,
                        .classes = by_set ? &*by_set : nullptr,
                        .failures = left.may_give_up ? &failures : nullptr},
                       [&](std::span<const found_pair> pairs) {
                         found.clear();
                         for (const found_pair& pair : pairs) {
                           const std::uint32_t a = position_of_[pair.a], b = position_of_[pair.b];
                           found.push_back({(std::min)(a, b), (std::max)(a, b), static_cast<int>(pair.common)});
                         }
                         return take(0, found);
                       });
  }

  [[nodiscard]] std::optional<double> closeness(std::uint32_t earlier, std::uint32_t later, int known,
                                                std::optional<double> /*best*/) const override {
    return bounds_.similarity(join_.size_of(set_of_[earlier]), join_.size_of(set_of_[later]),
                              static_cast<std::uint32_t>(known));
  }

  [[nodiscard]] bool has_copies(std::uint32_t document) const override {
    return join_.copies().has_copies(set_of_[document]);
  }

 private:
  row_join<Feature>& join_;
  const overlap_bounds& bounds_;
  std::span<const std::uint32_t> set_of_;
  failure_limits limits_;
  std::vector<std::uint32_t> position_of_;  // position of each set's document in the join
};

/// Returns the labels that label_similar() would return, but joins rows. The number of pairs in memory is at most about
/// `max_pairs`, and a few for each set.
template <class Index, class Feature>
std::vector<Index> label_by_partitions(const set_source<Feature>& source, std::size_t earlier,
                                       const set_threshold& least, const group_options& options,
                                       any_partition_store store, const row_join_sizes& sizes, std::size_t max_pairs) {
  document_order<std::uint32_t> order = order_of_sets(source, earlier, least.measure, options);
  const overlap_bounds bounds(least);
  row_join<Feature> join(source, earlier, bounds, std::move(store), options.run, sizes, copies_in(options));
  order.unite(join.copies(), [&](std::uint32_t set) { return bounds.are_copies_similar(join.size_of(set)); });
  row_matcher<Feature> matcher(join, bounds, source.size, order.firsts(), sizes.failures);
  return label_documents<Index>(matcher, order, options, max_pairs);
}

/// Returns how many pairs a grouping by partitions may store: as many as fit into a quarter of `memory`, but at most
/// four for each set, and at least min_kept_pairs.
[[nodiscard]] inline std::size_t pairs_in(std::uint64_t memory, std::size_t sets) noexcept {
  const std::uint64_t fitting = memory / 4 / sizeof(near_pair<std::uint32_t>);
  return (std::max)(min_kept_pairs, (std::min)(4 * sets, to_size(fitting)));
}

}  // namespace detail

/// Groups sets whose similarity is at least `least`, as group() of sets does without a store. The join writes its rows
/// to `store`. The sets may be in a mapped file. `memory`: the approximate number of bytes that the join takes, without
/// the sets.
/// Returns: the labels of group() of sets.
/// Throws: the exceptions of group() of sets; the exceptions of the store.
/// Complexity: the same as visit_pairs() with a store, without the visits. If n sets are all similar, not all pairs are
/// examined. The rows are read once, or a few times if a group of similar sets is very large.
/// Memory: `memory`, and up to 82 bytes for each set. 48 of the 82 bytes are for the pairs of sets that are similar to
/// more than four other sets. These bytes are needed only if `memory` is too small for the pairs.
/// Example: `auto label = group(mapped_sets, jaccard{0.8}, files, 4'000'000'000, {.run = threads{8}});`
template <std::integral Index = std::uint32_t, set_range Sets, class Threshold, partition_store Store>
[[nodiscard]] std::vector<Index> group(const Sets& sets, const Threshold& least, Store& store, std::uint64_t memory,
                                       const group_options& options = {}) {
  detail::check_index_type<Index>(sets.size(), "group");
  return detail::label_by_partitions<Index>(detail::source_of_sets(sets), 0, detail::set_threshold_of(least), options,
                                            detail::any_store_of(store), {.memory = memory},
                                            detail::pairs_in(memory, sets.size()));
}

/// Groups further sets around representatives, as extend_groups() of sets does without a store. The join writes its
/// rows to `store`.
/// Returns: the labels of extend_groups() of sets.
template <std::integral Index = std::uint32_t, set_range Kept, set_range Sets, class Threshold, partition_store Store>
[[nodiscard]] std::vector<Index> extend_groups(const Kept& representatives, const Sets& sets, const Threshold& least,
                                               Store& store, std::uint64_t memory, const group_options& options = {}) {
  const std::size_t count = representatives.size() + sets.size();
  detail::check_extended<Index>(count, options);
  return detail::label_by_partitions<Index>(detail::source_of_sets(representatives, sets), representatives.size(),
                                            detail::set_threshold_of(least), options, detail::any_store_of(store),
                                            {.memory = memory}, detail::pairs_in(memory, count));
}

}  // namespace neardup::inline v0
