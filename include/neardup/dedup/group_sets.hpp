// SPDX-License-Identifier: MIT
// Groups similar feature sets exactly: the result is the same as if every two sets were compared.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "../detail/compiled.hpp"
#include "../ids.hpp"
#include "../sets/engine/distinct_sets.hpp"
#include "../sets/engine/overlap_bounds.hpp"
#include "../sets/engine/set_join.hpp"
#include "../sets/engine/set_prefixes.hpp"
#include "../sets/pairs.hpp"
#include "engine/label_documents.hpp"
#include "engine/set_matcher.hpp"
#include "rule.hpp"

namespace neardup::inline v0 {

namespace detail {

/// Returns the order in which sets are decided. For containment, large sets come first if `options.preference` is
/// empty.
template <class Feature>
document_order<std::uint32_t> order_of_sets(const set_source<Feature>& source, std::size_t earlier,
                                            set_similarity measure, const group_options& options) {
  check_count(source);
  document_order<std::uint32_t> order(source.size, earlier, options.preference);
  if (measure == set_similarity::containment && options.preference.empty()) {
    std::vector<double> sizes(source.size - earlier);
    for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i] = static_cast<double>(source.of(earlier + i).size());
    order.sort_by(sizes);
  }
  return order;
}

/// Returns how equal sets are grouped. With `across`, two copies match only if their numbers differ.
inline copies_as copies_in(const group_options& options) noexcept {
  return options.across.empty() ? copies_as::one : copies_as::others;
}

/// Returns labels for groups of similar sets. The sets numbered below `earlier` are representatives, and the other sets
/// are grouped. At most max(min_pairs, 4 n) + 4 n pairs of n sets are in memory.
template <class Index, class Feature>
std::vector<Index> label_similar(const set_source<Feature>& source, std::size_t earlier, const set_threshold& least,
                                 const group_options& options, const set_join_sizes& sizes, std::size_t min_pairs) {
  document_order<std::uint32_t> order = order_of_sets(source, earlier, least.measure, options);
  const overlap_bounds bounds(least);
  distinct_sets<Feature> sets(source, earlier, bounds.min_common(), options.run, copies_in(options));
  const set_prefixes prefixes(sets, bounds, options.run, sizes.block);
  // Converts between two numberings: documents are numbered by place in the order of decision, but the join numbers
  // sets by size.
  constexpr auto none = (std::numeric_limits<std::uint32_t>::max)();
  std::vector<std::uint32_t> rank_at(source.size, none), rank_of;
  for (std::uint32_t rank = 0; rank < sets.size(); ++rank) rank_at[sets.first_of(rank)] = rank;
  order.unite(sets.copies(), [&](std::uint32_t position) { return rank_at[position] != none; });
  rank_of.reserve(order.documents());
  for (const std::uint32_t first : order.firsts()) rank_of.push_back(rank_at[first]);
  rank_at = {};
  set_matcher<Feature> matcher(sets, prefixes, bounds, rank_of, options.run, sizes);
  return label_documents<Index>(matcher, order, options, (std::max)(min_pairs, 4 * order.documents()));
}

inline constexpr std::size_t min_kept_pairs = std::size_t{1} << 20;

#if defined(NEARDUP_COMPILED)
NEARDUP_DEDUP_TEMPLATE std::vector<std::uint32_t> label_similar<std::uint32_t>(const set_source<std::uint32_t>&,
                                                                               std::size_t, const set_threshold&,
                                                                               const group_options&,
                                                                               const set_join_sizes&, std::size_t);
#endif

}  // namespace detail

/// Groups sets whose similarity is at least `least`. No similar pair is missed. `least`: jaccard{0.8}, cosine{0.8},
/// containment{0.8}, or a set_threshold.
///
/// A set is dropped if it is similar to a set that was kept before it. Its representative is the most similar of these
/// kept sets; of equally similar sets, the earliest one. A set without features is alone in its group. For containment,
/// if `options.preference` is empty, the largest sets are decided first, so that the sets that contain other sets are
/// kept.
/// Returns: one label per set: the position of the representative of its group, which is the most preferred member. Set
/// i is kept if and only if label[i] == i.
/// Throws: std::length_error if Index cannot number the sets; std::invalid_argument if `preference` has a wrong number
/// of scores or a score is NaN; the exceptions of visit_pairs of sets.
/// Complexity: the same as visit_pairs of sets without the visits. If all n sets are similar, not all pairs are
/// examined, and the time stays near-linear. Equal sets are compared as one set.
/// Memory: the memory of visit_pairs of sets, about 60 bytes more per set, and 12 bytes per stored pair. At most
/// eight pairs per set are stored, or 2^20 pairs and four pairs per set if that is more.
/// Example: `auto label = group(sets, jaccard{0.8}, {.by = grouping::components, .run = threads{8}});`
template <std::integral Index = std::uint32_t, set_range Sets, class Threshold>
[[nodiscard]] std::vector<Index> group(const Sets& sets, const Threshold& least, const group_options& options = {}) {
  detail::check_index_type<Index>(sets.size(), "group");
  return detail::label_similar<Index>(detail::source_of_sets(sets), 0, detail::set_threshold_of(least), options, {},
                                      detail::min_kept_pairs);
}

/// Groups further sets around the representatives of earlier calls. These representatives do not change. You can pass a
/// corpus in batches, one batch per call. If `options.preference` is empty, the results then equal those of one group()
/// of the whole corpus. Containment is an exception: an earlier representative also represents a later set that is
/// larger.
/// Returns: for each set the position of its representative. The representatives have the first positions, and the sets
/// have the next positions. If a set becomes a representative, the result is its own position. Without
/// `options.among_themselves`, a set gets its own position if it matches no representative.
/// Throws: the exceptions of group() of sets; std::invalid_argument if `options.by` is not grouping::representatives.
/// Complexity, memory: the same as a join of the batch and all representatives. So a batch should not be much smaller
/// than the number of representatives.
template <std::integral Index = std::uint32_t, set_range Kept, set_range Sets, class Threshold>
[[nodiscard]] std::vector<Index> extend_groups(const Kept& representatives, const Sets& sets, const Threshold& least,
                                               const group_options& options = {}) {
  detail::check_extended<Index>(representatives.size() + sets.size(), options);
  return detail::label_similar<Index>(detail::source_of_sets(representatives, sets), representatives.size(),
                                      detail::set_threshold_of(least), options, {}, detail::min_kept_pairs);
}

}  // namespace neardup::inline v0
