// SPDX-License-Identifier: MIT
// Finds all pairs of similar feature sets exactly, within one corpus or between two.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "../detail/equal_groups.hpp"
#include "../detail/visits.hpp"
#include "../ids.hpp"
#include "../runner.hpp"
#include "../threshold.hpp"
#include "engine/distinct_sets.hpp"
#include "engine/overlap_bounds.hpp"
#include "engine/set_join.hpp"
#include "engine/set_prefixes.hpp"
#include "feature_sets.hpp"

namespace neardup::inline v0 {

/// A pair of similar sets: their positions, their overlap, and their similarity.
template <class Index>
struct similar_pair {
  Index first, second, common;
  double similarity;

  friend constexpr bool operator==(const similar_pair&, const similar_pair&) = default;
};

namespace detail {

template <set_range Sets>
set_source<set_feature_t<Sets>> source_of_sets(const Sets& sets) {
  return {sets.size(), [&sets](std::size_t i) { return std::span<const set_feature_t<Sets>>(sets[i]); }};
}

/// Returns a source of the sets of `a`, followed by the sets of `b`.
template <set_range A, set_range B>
set_source<set_feature_t<A>> source_of_sets(const A& a, const B& b) {
  check_features<set_feature_t<A>, B>();
  using span = std::span<const set_feature_t<A>>;
  const std::size_t behind = a.size();
  return {behind + b.size(), [&a, &b, behind](std::size_t i) { return i < behind ? span(a[i]) : span(b[i - behind]); }};
}

/// Passes pairs of similar sets to a visitor. The join finds pairs of distinct sets. This class expands each pair to
/// the pairs of all copies of the two sets. This class also passes the pairs of equal sets.
class similar_pair_visits {
  [[nodiscard]] auto visit_with(std::size_t common, double similarity) const {
    return [this, common, similarity](std::size_t i, std::size_t j) {
      return visit_({i, j - (pairs_.is_across() ? pairs_.second_from : 0), common, similarity});
    };
  }

 public:
  using visit_type = std::function<bool(const similar_pair<std::size_t>&)>;

  /// Makes an object that passes pairs to `visit`. Sets numbered `first_count` and above are a second corpus.
  /// Precondition: `visit` and all arguments that are references outlive this object.
  similar_pair_visits(const equal_groups<std::uint32_t>& copies, std::size_t first_count, const overlap_bounds& bounds,
                      bool copies_once, const visit_type& visit)
      : copies_(copies), bounds_(bounds), visit_(visit), pairs_{copies_once} {
    if (first_count < copies.size()) pairs_.second_from = static_cast<std::uint32_t>(first_count);
  }

  /// Visits all pairs of equal sets. size_of(number) returns the number of features of a set.
  /// Returns: false if the visitor returned false.
  template <class SizeOf>
  bool visit_copies(const SizeOf& size_of) const {
    return copies_.visit_groups([&](std::span<const std::uint32_t> group) {
      const std::size_t size = size_of(group.front());
      return !bounds_.are_copies_similar(size) ||
             pairs_.within(group, visit_with(size, bounds_.similarity(size, size, size)));
    });
  }

  /// Visits all pairs of a copy of `a` and a copy of `b`. `a` and `b` are similar, and are not copies of each other.
  /// Returns: false if the visitor returned false.
  bool visit_found(const std::uint32_t& a, const std::uint32_t& b, std::size_t size_of_a, std::size_t size_of_b,
                   std::size_t common) const {
    return pairs_.between(copies_.members(a), copies_.members(b),
                          visit_with(common, bounds_.similarity(size_of_a, size_of_b, common)));
  }

 private:
  const equal_groups<std::uint32_t>& copies_;
  const overlap_bounds& bounds_;
  const visit_type& visit_;
  group_pairs<std::uint32_t> pairs_;
};

/// Visits the similar pairs of a source. Sets numbered `first_count` and above are a second corpus.
template <class Feature>
void visit_set_pairs(const set_source<Feature>& source, std::size_t first_count, const set_threshold& least,
                     const join_options& options, const set_join_sizes& sizes,
                     const similar_pair_visits::visit_type& visit) {
  const overlap_bounds bounds(least);
  distinct_sets<Feature> sets(source, first_count, bounds.min_common(), options.run);
  const similar_pair_visits visits(sets.copies(), first_count, bounds, options.copies_once, visit);
  if (!visits.visit_copies([&](std::uint32_t number) { return source.of(number).size(); })) return;
  const set_prefixes prefixes(sets, bounds, options.run, sizes.block);
  set_join<Feature> join(sets, prefixes, bounds, options.run, sizes);
  std::vector<bool> is_of_second;
  if (first_count < source.size) {
    for (std::size_t rank = 0; rank < sets.size(); ++rank) is_of_second.push_back(sets.is_of_second(rank));
    join.join_across(is_of_second);
  }
  const std::function<bool(std::span<const similar_ranks>)> take = [&](std::span<const similar_ranks> pairs) {
    return std::all_of(pairs.begin(), pairs.end(), [&](const similar_ranks& pair) {
      return visits.visit_found(sets.first_of(pair.a), sets.first_of(pair.b), sets.size_of(pair.a),
                                sets.size_of(pair.b), pair.common);
    });
  };
  found_by_parts<similar_ranks> found(join.parts(), take);
  if (join.visit([&](std::size_t part, std::span<const similar_ranks> pairs) { return found.add(part, pairs); })) {
    found.finish();
  }
}

/// Visits the similar pairs that have one set of `a` and one set of `b`.
template <set_range A, set_range B>
void visit_set_pairs_across(const A& a, const B& b, const set_threshold& least, const join_options& options,
                            const similar_pair_visits::visit_type& visit) {
  check_threshold(least);
  if (a.size() == 0 || b.size() == 0) return;
  visit_set_pairs<set_feature_t<A>>(source_of_sets(a, b), a.size(), least, options, {}, visit);
}

/// Returns the pairs that visit_all(add) passes to `add`, sorted by (first, second).
template <class Index>
std::vector<similar_pair<Index>> sorted_similar_pairs(
    const std::function<void(const similar_pair_visits::visit_type&)>& visit_all) {
  std::vector<similar_pair<Index>> result;
  visit_all([&](const similar_pair<std::size_t>& p) {
    result.push_back(
        {static_cast<Index>(p.first), static_cast<Index>(p.second), static_cast<Index>(p.common), p.similarity});
    return true;
  });
  std::sort(result.begin(), result.end(), [](const similar_pair<Index>& a, const similar_pair<Index>& b) {
    return a.first != b.first ? a.first < b.first : a.second < b.second;
  });
  return result;
}

}  // namespace detail

/// Calls `visit(pair)` for each pair of similar sets. The pair is a similar_pair<std::size_t> with the positions first
/// < second. `least`: jaccard{0.8}, cosine{0.8}, containment{0.8}, or a set_threshold. For jaccard{0.8}, a pair is
/// visited if and only if jaccard_similarity(a, b) >= 0.8. A set without features is similar to no set. Each pair is
/// visited once, in unspecified order. Any thread of `options.run` may call `visit`, but calls do not overlap. The
/// visit ends when `visit` returns false or throws; an exception is passed on.
///
/// No pair is missed: no fingerprints, distances or probabilities are involved. The result is exact for the sets of
/// features. If features are 32-bit hashes, a collision of hashes may change an overlap by one. In a text of n distinct
/// words, two words become one feature with a probability of about n^2 / 2^33 (n = 1,000: one text in 8,600). In a pair
/// of such texts, the probability is about n^2 / 2^32. With 64-bit features, collisions practically never happen.
///
/// Throws: std::invalid_argument unless 0 < similarity <= 1; std::length_error if there are 2^32 - 1 sets or more, or a
/// set has as many features; std::bad_alloc.
/// Complexity: near-linear if few sets share their rare features. Copies, texts of a template just below the
/// similarity, features that all sets have, and sets of very different sizes do not change this. If all features are
/// frequent, the time is near-linear (except for containment) if few sets are nearly equal in a part of their features;
/// see docs/how-to/miss-nothing.md. n sets that are all similar have n^2 / 2 pairs; group() of sets need not visit all
/// pairs.
/// Memory: 24 bytes for each distinct set, and 6 bytes for each copy. Of all features, a share of about 1 - similarity
/// (1 - similarity^2 for cosine) takes 4 bytes each. The join makes the posting lists in portions. A portion takes some
/// 70 MB (340 MB if sets are joined by parts), or an eighth of the memory of all posting lists if that is more. For a
/// while, the join also takes 60 bytes per set, and two thirds of a byte for each of these features (for containment,
/// for each feature of the sets).
template <set_range Sets, class Threshold, class Visit>
  requires(std::invocable<Visit&, const similar_pair<std::size_t>&>)
void visit_pairs(const Sets& sets, const Threshold& least, Visit&& visit, const join_options& options = {}) {
  detail::visit_set_pairs<detail::set_feature_t<Sets>>(
      detail::source_of_sets(sets), sets.size(), detail::set_threshold_of(least), options, {},
      [&](const similar_pair<std::size_t>& pair) { return detail::visit_goes_on(visit, pair); });
}

/// Calls `visit(pair)` for each pair of similar sets, one of `a` and one of `b`. pair.first is a position in `a`, and
/// pair.second is a position in `b`. Pairs within `a` and pairs within `b` are not visited.
/// Throws, complexity, memory: the same as visit_pairs() of one corpus.
template <set_range A, set_range B, class Threshold, class Visit>
  requires(std::invocable<Visit&, const similar_pair<std::size_t>&>)
void visit_pairs(const A& a, const B& b, const Threshold& least, Visit&& visit, const join_options& options = {}) {
  detail::visit_set_pairs_across(
      a, b, detail::set_threshold_of(least), options,
      [&](const similar_pair<std::size_t>& pair) { return detail::visit_goes_on(visit, pair); });
}

/// Returns the pairs of similar sets by their positions, sorted by (first, second).
/// Throws: the exceptions of visit_pairs(); std::length_error if Index cannot number the sets.
/// Complexity, memory: the same as visit_pairs(), plus O(p log p) for p pairs and 24 bytes per pair.
/// Example: `for (const auto& [i, j, common, similarity] : pairs(sets, jaccard{0.8}, {.run = threads{8}})) …`
template <std::integral Index = std::uint32_t, set_range Sets, class Threshold>
[[nodiscard]] std::vector<similar_pair<Index>> pairs(const Sets& sets, const Threshold& least,
                                                     const join_options& options = {}) {
  detail::check_index_type<Index>(sets.size(), "pairs");
  return detail::sorted_similar_pairs<Index>([&](const auto& add) {
    detail::visit_set_pairs<detail::set_feature_t<Sets>>(detail::source_of_sets(sets), sets.size(),
                                                         detail::set_threshold_of(least), options, {}, add);
  });
}

/// Returns the pairs of similar sets, one of `a` and one of `b`, by their positions, sorted by (first, second).
/// Throws, complexity, memory: the same as pairs() of one corpus.
/// Example: `for (const auto& [i, j, common, similarity] : pairs(delivered, archived, jaccard{0.8})) …`
template <std::integral Index = std::uint32_t, set_range A, set_range B, class Threshold>
[[nodiscard]] std::vector<similar_pair<Index>> pairs(const A& a, const B& b, const Threshold& least,
                                                     const join_options& options = {}) {
  detail::check_index_type<Index>(a.size() + b.size(), "pairs");
  return detail::sorted_similar_pairs<Index>(
      [&](const auto& add) { detail::visit_set_pairs_across(a, b, detail::set_threshold_of(least), options, add); });
}

}  // namespace neardup::inline v0
