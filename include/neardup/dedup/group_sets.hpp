// SPDX-License-Identifier: MIT
// Groups similar sets of features exactly, as if every two sets were compared.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "../detail/positions.hpp"
#include "../detail/union_find.hpp"
#include "../error.hpp"
#include "../runner.hpp"
#include "../sets/engine/distinct_sets.hpp"
#include "../sets/engine/overlap_bounds.hpp"
#include "../sets/engine/set_join.hpp"
#include "../sets/engine/set_prefixes.hpp"
#include "../sets/pairs.hpp"
#include "engine/ordered_decider.hpp"
#include "engine/set_matcher.hpp"
#include "group.hpp"

namespace neardup::inline v0 {

namespace detail {

/// The numbers of sets in the order of decision: first the representatives, which have numbers below `earlier`, then
/// the others by preference.
template <class Feature>
std::vector<std::uint32_t> order_of_sets(const set_source<Feature>& source, std::size_t earlier, set_similarity measure,
                                         const group_options& options) {
  std::vector<std::uint32_t> set_at(source.size);
  std::iota(set_at.begin(), set_at.end(), std::uint32_t{0});
  const auto first = set_at.begin() + static_cast<std::ptrdiff_t>(earlier);
  if (!options.preference.empty()) {
    std::stable_sort(first, set_at.end(), [&](std::uint32_t a, std::uint32_t b) {
      return options.preference[a - earlier] > options.preference[b - earlier];
    });
  } else if (measure == set_similarity::containment) {
    std::vector<std::size_t> size_of(source.size);
    for (std::size_t i = earlier; i < source.size; ++i) size_of[i] = source.of(i).size();
    std::stable_sort(first, set_at.end(), [&](std::uint32_t a, std::uint32_t b) { return size_of[a] > size_of[b]; });
  }
  return set_at;
}

/// The components that similar sets form, as classes: each pair that is found unites two of them.
class component_classes final : public set_classes {
 public:
  explicit component_classes(shared_components<std::uint32_t>& components) : components_(components) {}
  [[nodiscard]] std::size_t of(std::size_t set) const override { return components_.find(set); }
  void add(std::size_t a, std::size_t b) override { components_.unite(a, b); }

 private:
  shared_components<std::uint32_t>& components_;
};

/// Throws std::invalid_argument unless there are no preferences, or one for each of `count` sets.
inline void check_preferences(std::span<const double> preference, std::size_t count) {
  if (!preference.empty() && preference.size() != count) {
    fail<std::invalid_argument>({"group: ", preference.size(), " preferences for ", count, " sets"});
  }
  if (std::any_of(preference.begin(), preference.end(), [](double p) { return std::isnan(p); })) {
    fail<std::invalid_argument>("group: a preference is not a number");
  }
}

/// Writes the labels of documents, which are distinct sets, and of their copies. set_at[place] is the set at a place in
/// the order of decision, place_at(document) the first place of a document. visit_members(document, use) calls
/// use(set, place) for each set that equals a document.
template <class Index, class PlaceAt, class VisitMembers>
void label_decided(ordered_decider<std::uint32_t>& decider, std::size_t known, std::size_t documents,
                   std::size_t earlier, std::span<const std::uint32_t> set_at, const group_options& options,
                   const PlaceAt& place_at, const VisitMembers& visit_members, std::vector<Index>& labels) {
  // A dropped set and a later copy of it may have different originals: a set kept between the two may be closer.
  auto& late = decider.late_matches();
  using late_match = typename ordered_decider<std::uint32_t>::late_match;
  std::sort(late.begin(), late.end(), [](const late_match& a, const late_match& b) {
    return a.document != b.document ? a.document < b.document : a.kept < b.kept;
  });
  auto next = late.cbegin();
  for (std::size_t document = known; document < documents; ++document) {
    const auto matches_begin = next;
    while (next != late.cend() && next->document == document) ++next;
    const std::uint32_t first = place_at(static_cast<std::uint32_t>(document));
    if (decider.is_kept(document)) {
      if (!options.among_themselves) continue;  // not even copies are joined
      visit_members(static_cast<std::uint32_t>(document), [&](std::uint32_t set, std::uint32_t /*place*/) {
        labels[set - earlier] = static_cast<Index>(set_at[first]);
      });
      continue;
    }
    visit_members(static_cast<std::uint32_t>(document), [&](std::uint32_t set, std::uint32_t place) {
      if (!options.originals) {
        labels[set - earlier] = static_cast<Index>(set_at[0]);
        return;
      }
      original_rank<std::uint32_t> best = decider.original(document);
      for (auto match = matches_begin; match != next && place_at(match->kept) < place; ++match) {
        const original_rank<std::uint32_t> rank{match->closeness, match->kept};
        if (rank.is_better_than(best)) best = rank;
      }
      labels[set - earlier] = static_cast<Index>(set_at[place_at(best.age)]);
    });
  }
}

/// Labels for groups of similar sets. Sets with numbers below `earlier` are representatives; the others are grouped.
/// Holds at most `min_pairs` pairs at a time, or four pairs per set if that is more.
template <class Index, class Feature>
std::vector<Index> label_similar(const set_source<Feature>& source, std::size_t earlier, const set_threshold& least,
                                 const group_options& options, const set_join_sizes& sizes, std::size_t min_pairs) {
  const std::size_t count = source.size - earlier;
  check_preferences(options.preference, count);
  const overlap_bounds bounds(least);
  std::vector<Index> labels(count);
  for (std::size_t i = 0; i < count; ++i) labels[i] = static_cast<Index>(earlier + i);

  const distinct_sets<Feature> sets(source, earlier, bounds.min_common(), options.run);
  // set_at[place] is the set at a place in the order of decision; place_of[set] is the inverse.
  const std::vector<std::uint32_t> set_at = order_of_sets(source, earlier, least.measure, options);
  std::vector<std::uint32_t> place_of(source.size);
  for (std::size_t place = 0; place < set_at.size(); ++place) {
    place_of[set_at[place]] = static_cast<std::uint32_t>(place);
  }
  std::vector<std::uint32_t> first_place(sets.size());  // by rank: the first place of a set and its copies
  for (std::size_t rank = 0; rank < sets.size(); ++rank) {
    std::uint32_t place = place_of[sets.first_of(rank)];
    for (const std::uint32_t member : sets.members(rank)) place = (std::min)(place, place_of[member]);
    first_place[rank] = place;
  }
  const set_prefixes prefixes(sets, bounds, options.run, sizes.block);

  if (options.by == grouping::components) {
    shared_components<std::uint32_t> components(sets.size());
    set_join<Feature> join(sets, prefixes, bounds, options.run, sizes);
    component_classes classes(components);
    join.leave_out(classes);
    join.visit([](std::size_t, std::span<const similar_ranks>) { return true; });
    std::vector<std::uint32_t> first(first_place);
    for (std::size_t rank = 0; rank < sets.size(); ++rank) {
      std::uint32_t& of = first[components.find(rank)];
      of = (std::min)(of, first_place[rank]);
    }
    for (std::size_t rank = 0; rank < sets.size(); ++rank) {
      const std::uint32_t label = set_at[first[components.find(rank)]];
      for (const std::uint32_t member : sets.members(rank)) labels[member] = static_cast<Index>(label);
    }
    return labels;
  }

  // The decider numbers the distinct sets in the order of their first places; a document is such a number.
  std::vector<std::uint32_t> rank_of;
  {
    std::vector<std::uint32_t> rank_at(source.size, static_cast<std::uint32_t>(sets.size()));
    for (std::size_t rank = 0; rank < sets.size(); ++rank) {
      rank_at[first_place[rank]] = static_cast<std::uint32_t>(rank);
    }
    rank_of.reserve(sets.size());
    std::copy_if(rank_at.begin(), rank_at.end(), std::back_inserter(rank_of),
                 [&](std::uint32_t rank) { return rank != sets.size(); });
  }
  const auto place_at = [&](std::uint32_t document) { return first_place[rank_of[document]]; };
  const auto known =
      static_cast<std::size_t>(std::partition_point(rank_of.begin(), rank_of.end(),
                                                    [&](std::uint32_t rank) { return first_place[rank] < earlier; }) -
                               rank_of.begin());
  set_matcher<Feature> matcher(sets, prefixes, bounds, rank_of, options.run, sizes);
  ordered_decider<std::uint32_t> decider(matcher, known, rank_of.size(), options.originals,
                                         (std::max)(min_pairs, 4 * rank_of.size()), options.run);
  decider.decide(options.among_themselves);

  const auto visit_members = [&](std::uint32_t document, const auto& use) {
    for (const std::uint32_t member : sets.members(rank_of[document])) use(member, place_of[member]);
  };
  label_decided(decider, known, rank_of.size(), earlier, set_at, options, place_at, visit_members, labels);
  return labels;
}

inline constexpr std::size_t min_kept_pairs = std::size_t{1} << 20;

}  // namespace detail

/// Groups sets that are similar enough: like the group() of fingerprints with an exact check and a distance that excludes
/// nothing. `least`: jaccard{0.8}, cosine{0.8}, containment{0.8}, or a set_threshold. No pair is missed. A set that is not
/// kept joins the most similar of the sets kept before it, and the earliest among equally similar ones. A set without
/// features is alone in its group. For containment without preferences the largest sets come first, so that the sets
/// that contain others are kept.
/// Returns: one label per set, the position of the representative of its group, which is its most preferred member. So
/// set i is kept if label[i] == i.
/// Throws: std::length_error if Index cannot number the sets; std::invalid_argument if `preference` has a wrong number
/// of scores or one is NaN; as visit_pairs of sets.
/// Complexity: that of visit_pairs of sets without the visits. Of n sets that are all similar, not all pairs are
/// examined: it stays near-linear. Equal sets are joined as one.
/// Memory: that of visit_pairs of sets, about 60 bytes more per set, and 12 bytes per pair for at most four pairs per
/// set.
/// Example: `auto label = group(sets, jaccard{0.8}, {.by = grouping::components, .run = threads{8}});`
template <std::integral Index = std::uint32_t, set_range Sets, class Threshold>
[[nodiscard]] std::vector<Index> group(const Sets& sets, const Threshold& least, const group_options& options = {}) {
  detail::check_index_type<Index>(sets.size(), "group");
  return detail::label_similar<Index>(detail::source_of_sets(sets), 0, detail::set_threshold_of(least), options, {},
                                      detail::min_kept_pairs);
}

/// Groups further sets around the representatives of earlier calls, which do not change: one batch after the other,
/// with the results that group() would give for all batches concatenated.
/// Returns: one position per set; positions count the representatives first, then the sets. It is the position of the
/// representative that the set joins. It is the set's own position if it becomes a representative, or, without
/// `options.among_themselves`, if it joins no representative.
/// Throws: as group() of sets; also std::invalid_argument if `options.by` is not grouping::representatives.
/// Complexity, memory: a join of the batch and all representatives, so batches should not be much smaller than the
/// number of representatives.
template <std::integral Index = std::uint32_t, set_range Kept, set_range Sets, class Threshold>
  requires std::same_as<set_feature_t<Kept>, set_feature_t<Sets>>
[[nodiscard]] std::vector<Index> extend_groups(const Kept& representatives, const Sets& sets, const Threshold& least,
                                               const group_options& options = {}) {
  detail::check_index_type<Index>(representatives.size() + sets.size(), "extend_groups");
  if (options.by != grouping::representatives) {
    detail::fail<std::invalid_argument>("extend_groups: only groups around representatives can be extended");
  }
  return detail::label_similar<Index>(detail::source_of_sets(representatives, sets), representatives.size(),
                                      detail::set_threshold_of(least), options, {}, detail::min_kept_pairs);
}

}  // namespace neardup::inline v0
