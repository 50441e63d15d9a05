// SPDX-License-Identifier: MIT
// group_by_partitions() groups similar sets of features, exactly. The rows that it joins may be too many for the memory:
// the caller stores them by partitions.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "../detail/positions.hpp"
#include "../detail/union_find.hpp"
#include "../detail/visits.hpp"
#include "../error.hpp"
#include "../runner.hpp"
#include "../sets/engine/overlap_bounds.hpp"
#include "../sets/engine/row_join.hpp"
#include "../sets/feature_sets.hpp"
#include "../sets/partitioned_pairs.hpp"
#include "engine/ordered_decider.hpp"
#include "group.hpp"
#include "group_sets.hpp"

namespace neardup::inline v0 {

namespace detail {

/// The documents are the sets of a row_join that are no copies, in the order of their numbers, which is that of decision.
/// `known` of a candidate is the overlap of the two sets. All candidates match.
template <class Feature>
class row_matcher final : public matcher<std::uint32_t> {
 public:
  /// set_of[document] is the number of its set.
  row_matcher(row_join<Feature>& join, const overlap_bounds& bounds, std::size_t sets,
              std::span<const std::uint32_t> set_of, const failure_limits& limits)
      : join_(join), bounds_(bounds), set_of_(set_of), limits_(limits), position_of_(sets) {}

  [[nodiscard]] std::size_t parts(std::size_t /*documents*/) const override { return 1; }  // takes come one at a time
  // A pair is found once for each large bucket that has both of its sets: some eight times in a large group.
  [[nodiscard]] std::uint8_t enough_pairs() const override { return 64; }

  bool find_candidates(std::span<const std::uint32_t> documents, std::size_t kept, const take_type& take,
                       set_classes* classes) override {
    std::vector<bool> chosen(position_of_.size()), is_kept(kept != 0 ? position_of_.size() : 0);
    for (std::size_t i = 0; i < documents.size(); ++i) {
      const std::uint32_t set = set_of_[documents[i]];
      position_of_[set] = static_cast<std::uint32_t>(i);
      chosen[set] = true;
      if (i < kept) is_kept[set] = true;
    }
    std::optional<numbered_classes> by_set;
    if (classes != nullptr) by_set.emplace(*classes, position_of_);
    std::vector<candidate> found;
    failure_limit failures = limits_.of(documents.size());
    return join_.visit({.sets = documents.size() < set_of_.size() ? &chosen : nullptr,
                        .across = kept != 0 ? &is_kept : nullptr,
                        .classes = by_set ? &*by_set : nullptr,
                        .failures = by_set ? &failures : nullptr},
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
  std::vector<std::uint32_t> position_of_;  // by set: position of a document in the join
};

/// Labels as those of label_similar(), by a join of rows. Holds at most `max_pairs` pairs at a time, and a few for each
/// set.
template <class Index, class Feature>
std::vector<Index> label_by_partitions(const set_source<Feature>& source, std::size_t earlier,
                                       const set_threshold& least, const group_options& options, row_store store,
                                       const row_join_sizes& sizes, std::size_t max_pairs) {
  const std::size_t count = source.size - earlier;
  check_preferences(options.preference, count);
  const overlap_bounds bounds(least);
  const auto own_labels = [&] {
    std::vector<Index> labels(count);
    for (std::size_t i = 0; i < count; ++i) labels[i] = static_cast<Index>(earlier + i);
    return labels;
  };

  // The join numbers sets by their places in the order of decision.
  const std::vector<std::uint32_t> set_at = order_of_sets(source, earlier, least.measure, options);
  row_join<Feature> join({source.size, [&](std::size_t place) { return source.of(set_at[place]); }}, earlier, bounds,
                         std::move(store), options.run, sizes);
  const equal_groups<std::uint32_t>& copies = join.copies();
  const auto matches_copies = [&](std::size_t place) { return bounds.are_copies_similar(join.size_of(place)); };

  if (options.by == grouping::components) {
    shared_components<std::uint32_t> components(source.size);
    component_classes classes(components);
    join.visit({.classes = &classes}, [](std::span<const found_pair>) { return true; });
    copies.visit_groups([&](std::span<const std::uint32_t> group) {
      if (!matches_copies(group.front())) return true;
      for (const std::uint32_t copy : group.subspan(1)) components.unite(group.front(), copy);
      return true;
    });
    std::vector<Index> labels(count);
    for (std::size_t place = 0; place < source.size; ++place) {
      labels[set_at[place]] = static_cast<Index>(set_at[components.find(place)]);
    }
    return labels;
  }

  const std::vector<std::uint32_t> set_of = copies.firsts();
  const auto known = static_cast<std::size_t>(
      std::partition_point(set_of.begin(), set_of.end(), [&](std::uint32_t place) { return place < earlier; }) -
      set_of.begin());
  row_matcher<Feature> matcher(join, bounds, source.size, set_of, sizes.failures);
  ordered_decider<std::uint32_t> decider(matcher, known, set_of.size(), options.originals, max_pairs, options.run);
  decider.decide(options.among_themselves);
  const auto place_at = [&](std::uint32_t document) { return set_of[document]; };
  const auto visit_members = [&](std::uint32_t document, const auto& use) {
    const std::uint32_t& first = set_of[document];
    if (!matches_copies(first)) return use(set_at[first], first);
    for (const std::uint32_t place : copies.members(first)) use(set_at[place], place);
  };
  std::vector<Index> labels = own_labels();  // not before, to keep the peak of memory low
  label_decided(decider, known, set_of.size(), earlier, set_at, options, place_at, visit_members, labels);
  return labels;
}

/// The pairs that a grouping by partitions holds in a quarter of its memory; at most four for each set, as in memory.
[[nodiscard]] inline std::size_t pairs_in(std::uint64_t memory, std::size_t sets) noexcept {
  const std::uint64_t fitting = memory / 4 / sizeof(near_pair<std::uint32_t>);
  return (std::max)(min_kept_pairs, (std::min)(4 * sets, to_size(fitting)));
}

}  // namespace detail

/// Returns the labels of group() of sets. The join keeps its rows in `store`. The sets may be in a mapped file.
/// `memory`: about how many bytes the join takes, besides the sets.
/// Throws: as group() of sets; exceptions of the store.
/// Complexity: that of visit_pairs_by_partitions() without the visits. Of n sets that are all similar, not all pairs are
/// examined. The rows are read once, and some times again if a group of similar sets is very large.
/// Memory: `memory`, and up to 90 bytes for each set. Of these, 48 are for the pairs of sets that are similar to more
/// than four others each, if `memory` has no room for more pairs.
/// Example: `auto label = group_by_partitions(mapped_sets, jaccard{0.8}, files, 4 << 30, {.run = threads{8}});`
template <std::integral Index = std::uint32_t, set_range Sets, class Threshold, partition_store Store>
[[nodiscard]] std::vector<Index> group_by_partitions(const Sets& sets, const Threshold& least, Store& store,
                                                     std::uint64_t memory, const group_options& options = {}) {
  detail::check_index_type<Index>(sets.size(), "group_by_partitions");
  return detail::label_by_partitions<Index>(detail::source_of_sets(sets), 0, detail::set_threshold_of(least), options,
                                            detail::row_store_of(store), {.memory = memory},
                                            detail::pairs_in(memory, sets.size()));
}

/// Returns the labels of extend_groups() of sets. The join keeps its rows in `store`. Otherwise as above.
template <std::integral Index = std::uint32_t, set_range Kept, set_range Sets, class Threshold, partition_store Store>
  requires std::same_as<set_feature_t<Kept>, set_feature_t<Sets>>
[[nodiscard]] std::vector<Index> extend_groups_by_partitions(const Kept& representatives, const Sets& sets,
                                                             const Threshold& least, Store& store, std::uint64_t memory,
                                                             const group_options& options = {}) {
  const std::size_t count = representatives.size() + sets.size();
  detail::check_index_type<Index>(count, "extend_groups_by_partitions");
  if (options.by != grouping::representatives) {
    detail::fail<std::invalid_argument>("extend_groups: only groups around representatives can be extended");
  }
  return detail::label_by_partitions<Index>(detail::source_of_sets(representatives, sets), representatives.size(),
                                            detail::set_threshold_of(least), options, detail::row_store_of(store),
                                            {.memory = memory}, detail::pairs_in(memory, count));
}

}  // namespace neardup::inline v0
