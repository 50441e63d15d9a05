// SPDX-License-Identifier: MIT
// All pairs of similar feature sets, of one corpus or of two, exactly.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "../detail/mutex.hpp"
#include "../detail/positions.hpp"
#include "../detail/visits.hpp"
#include "../error.hpp"
#include "../runner.hpp"
#include "../threshold.hpp"
#include "engine/distinct_sets.hpp"
#include "engine/overlap_bounds.hpp"
#include "engine/set_join.hpp"
#include "engine/set_prefixes.hpp"
#include "feature_sets.hpp"

namespace neardup::inline v0 {

/// Two sets that are similar enough: their positions, their overlap, and their similarity.
template <class Index>
struct similar_pair {
  Index first, second, common;
  double similarity;

  friend constexpr bool operator==(const similar_pair&, const similar_pair&) = default;
};

/// Options of pairs and visit_pairs for sets.
struct set_join_options {
  /// The measure of similarity.
  set_similarity measure = set_similarity::jaccard;

  /// The least overlap of a pair, however similar its sets are. 0 stands for default_min_contained for containment, and
  /// for 1 otherwise.
  std::size_t min_common = 0;

  /// Reduces the pairs of copies within one corpus: of equal sets, only the first is paired with other sets, and each
  /// copy is paired with that first set only. So a thousand copies of a text give 999 pairs instead of 499,500.
  bool copies_once = false;

  /// `run` spreads the work over threads: `threads{8}`, or a runner of yours. Does not change the result.
  any_runner run = {};
};

namespace detail {

template <set_range Sets>
set_source<set_feature_t<Sets>> source_of_sets(const Sets& sets) {
  return {sets.size(), [&sets](std::size_t i) { return std::span<const set_feature_t<Sets>>(sets[i]); }};
}

/// The sets of `a`, followed by those of `b`.
template <set_range A, set_range B>
set_source<set_feature_t<A>> source_of_sets(const A& a, const B& b) {
  using span = std::span<const set_feature_t<A>>;
  const std::size_t behind = a.size();
  return {behind + b.size(), [&a, &b, behind](std::size_t i) { return i < behind ? span(a[i]) : span(b[i - behind]); }};
}

/// Translates pairs of distinct sets into pairs of all sets, and passes these to a visitor, one call at a time.
template <class Feature>
class similar_pair_visits {
 public:
  using visit_type = std::function<bool(const similar_pair<std::size_t>&)>;

  similar_pair_visits(const distinct_sets<Feature>& sets, const overlap_bounds& bounds, bool copies_once,
                      const visit_type& visit)
      : sets_(sets), bounds_(bounds), copies_once_(copies_once), visit_(visit) {}

  /// Visits the pairs of equal sets. Returns: false if the visitor returned false.
  bool visit_copies() {
    for (std::size_t rank = 0; rank < sets_.size(); ++rank) {
      const std::span<const std::uint32_t> members = sets_.members(rank);
      const std::size_t size = sets_.size_of(rank);
      if (members.size() < 2 || bounds_.least(size, size) > size) continue;
      for (std::size_t i = 0; i < (copies_once_ ? 1 : members.size()); ++i) {
        for (std::size_t j = i + 1; j < members.size(); ++j) {
          if (!visit(members[i], members[j], size, size, size)) return false;
        }
      }
    }
    return true;
  }

  /// Visits the pairs of sets that a pair of distinct sets stands for. Returns: false if the visitor returned false. An
  /// exception of the visitor also ends the visits.
  bool visit_found(std::span<const similar_ranks> pairs) {
    const std::lock_guard lock(mutex_);
    const bool went_on = std::exchange(goes_on_, false);
    if (!went_on) return false;
    for (const similar_ranks& pair : pairs) {
      const std::size_t a = sets_.size_of(pair.a), b = sets_.size_of(pair.b);
      if (copies_once_) {
        if (!visit(sets_.first_of(pair.a), sets_.first_of(pair.b), a, b, pair.common)) return false;
        continue;
      }
      for (const std::uint32_t i : sets_.members(pair.a)) {
        for (const std::uint32_t j : sets_.members(pair.b)) {
          if (!visit(i, j, a, b, pair.common)) return false;
        }
      }
    }
    goes_on_ = true;
    return true;
  }

 private:
  bool visit(std::size_t i, std::size_t j, std::size_t a, std::size_t b, std::size_t common) {
    const std::size_t behind = (std::max)(i, j) >= sets_.first_count() ? sets_.first_count() : 0;
    return visit_({(std::min)(i, j), (std::max)(i, j) - behind, common, bounds_.similarity(a, b, common)});
  }

  const distinct_sets<Feature>& sets_;
  const overlap_bounds& bounds_;
  bool copies_once_;
  const visit_type& visit_;
  detail::mutex_type mutex_;
  bool goes_on_ = true;
};

/// Sets from number `first_count` on are a second corpus.
template <class Feature>
void visit_set_pairs(const set_source<Feature>& source, std::size_t first_count, double similarity,
                     const set_join_options& options, const set_join_sizes& sizes,
                     const std::function<bool(const similar_pair<std::size_t>&)>& visit) {
  const overlap_bounds bounds(options.measure, similarity, options.min_common);
  const bool is_across = first_count < source.size;
  const distinct_sets<Feature> sets(source, first_count, bounds.min_common(), options.run);
  similar_pair_visits<Feature> visits(sets, bounds, options.copies_once && !is_across, visit);
  if (!is_across && !visits.visit_copies()) return;
  const set_prefixes prefixes(sets, bounds, options.run, sizes.block);
  set_join<Feature> join(sets, prefixes, bounds, options.run, sizes);
  std::vector<bool> is_of_second;
  if (is_across) {
    for (std::size_t rank = 0; rank < sets.size(); ++rank) is_of_second.push_back(sets.is_of_second(rank));
    join.join_across(is_of_second);
  }
  std::vector<std::vector<similar_ranks>> waiting(join.parts());
  constexpr std::size_t handed = 1024;  // pairs a part collects, so that parts seldom wait
  const auto hand_over = [&](std::vector<similar_ranks>& pairs) {
    const bool goes_on = visits.visit_found(pairs);
    pairs.clear();
    return goes_on;
  };
  const bool goes_on = join.visit([&](std::size_t part, std::span<const similar_ranks> pairs) {
    waiting[part].insert(waiting[part].end(), pairs.begin(), pairs.end());
    return waiting[part].size() < handed || hand_over(waiting[part]);
  });
  for (auto& pairs : waiting) {
    if (!goes_on || !hand_over(pairs)) return;
  }
}

template <class Index>
void sort_similar(std::vector<similar_pair<Index>>& pairs) {
  std::sort(pairs.begin(), pairs.end(), [](const similar_pair<Index>& a, const similar_pair<Index>& b) {
    return a.first != b.first ? a.first < b.first : a.second < b.second;
  });
}

}  // namespace detail

/// Calls `visit(pair)` with a similar_pair<std::size_t> for each two sets, at positions first < second, with a
/// similarity of at least `similarity`, exactly as jaccard_similarity(a, b) >= similarity decides. Each pair is visited once, in
/// unspecified order, one call at a time, but from any thread of `options.run`. If the visitor returns false or throws,
/// the visit ends, and its exception is passed on. A set without features is similar to no set.
///
/// No pair is missed: no fingerprints, distances or probabilities are involved. The result is exact for the sets of
/// features. If features are 32-bit hashes, hash collisions can merge two words of a text into one feature (in about
/// n^2 / 2^33 of texts with n distinct words; for n = 1,000, one in 8,600), and make a word of one text equal to
/// another word of the other text (in about n^2 / 2^32 of pairs). Either changes an overlap by one. With 64 bits,
/// neither happens in practice.
///
/// Throws: std::invalid_argument unless similarity > 0 (above 1 nothing is found); std::length_error from 2^32 - 1 sets
/// or features of a set on; std::bad_alloc.
/// Complexity: near-linear if few sets share their rare features. Copies, texts of a template just below the
/// similarity, features that all sets have, and sets of very different sizes do not change that. If all features are
/// common, it is near-linear (except for containment) if few sets are nearly equal in a part of their features; see
/// docs/how-to/miss-nothing.md. n sets that are all similar have n^2 / 2 pairs; see group() of sets, which need not
/// visit all of them.
/// Memory: for each set 28 bytes, and 4 bytes per feature for a share of about 1 - similarity of its features; posting
/// lists in portions of some 100 MB (250 MB if sets are joined by parts), or of an eighth of that memory if that is
/// more; temporarily 60 bytes per set; and two thirds of a byte for each feature, for document frequencies.
template <set_range Sets, class Visit>
  requires std::invocable < Visit&, const similar_pair<std::size_t>
& > void visit_pairs(const Sets& sets, double similarity, Visit&& visit, const set_join_options& options = {}) {
  detail::visit_set_pairs<set_feature_t<Sets>>(
      detail::source_of_sets(sets), sets.size(), similarity, options, {},
      [&](const similar_pair<std::size_t>& pair) { return detail::visit_goes_on(visit, pair); });
}

/// Calls `visit(pair)` for each set of `a` and each set of `b` that are similar enough. pair.second is a position in
/// `b`. Pairs within `a` and within `b` are not visited. Otherwise as visit_pairs of one corpus.
template <set_range A, set_range B, class Visit>
  requires(std::invocable<Visit&, const similar_pair<std::size_t>&>&& std::same_as<set_feature_t<A>, set_feature_t<B>>)
void visit_pairs(const A& a, const B& b, double similarity, Visit&& visit, const set_join_options& options = {}) {
  const detail::overlap_bounds checked(options.measure, similarity, options.min_common);
  if (a.size() == 0 || b.size() == 0) return;
  detail::visit_set_pairs<set_feature_t<A>>(
      detail::source_of_sets(a, b), a.size(), similarity, options, {},
      [&](const similar_pair<std::size_t>& pair) { return detail::visit_goes_on(visit, pair); });
}

/// The pairs of positions of sets whose similarity is at least `similarity`, sorted by (first, second).
/// Throws: as visit_pairs; std::length_error if Index cannot number the sets.
/// Complexity, memory: those of visit_pairs, plus O(p log p) for p pairs and 24 bytes per pair.
/// Example: `for (const auto& [i, j, common, similarity] : pairs(sets, 0.8, {.run = threads{8}})) …`
template <std::integral Index = std::uint32_t, set_range Sets>
[[nodiscard]] std::vector<similar_pair<Index>> pairs(const Sets& sets, double similarity,
                                                     const set_join_options& options = {}) {
  detail::check_index_type<Index>(sets.size(), "pairs");
  std::vector<similar_pair<Index>> result;
  visit_pairs(
      sets, similarity,
      [&](const similar_pair<std::size_t>& p) {
        result.push_back(
            {static_cast<Index>(p.first), static_cast<Index>(p.second), static_cast<Index>(p.common), p.similarity});
      },
      options);
  detail::sort_similar(result);
  return result;
}

/// The pairs of a position in `a` and a position in `b` whose sets are similar enough, sorted by the position in `a`,
/// then in `b`.
/// Example: `for (const auto& [i, j, common, similarity] : pairs(delivered, archived, 0.8)) …`
template <std::integral Index = std::uint32_t, set_range A, set_range B>
  requires std::same_as<set_feature_t<A>, set_feature_t<B>>
[[nodiscard]] std::vector<similar_pair<Index>> pairs(const A& a, const B& b, double similarity,
                                                     const set_join_options& options = {}) {
  detail::check_index_type<Index>(a.size() + b.size(), "pairs");
  std::vector<similar_pair<Index>> result;
  visit_pairs(
      a, b, similarity,
      [&](const similar_pair<std::size_t>& p) {
        result.push_back(
            {static_cast<Index>(p.first), static_cast<Index>(p.second), static_cast<Index>(p.common), p.similarity});
      },
      options);
  detail::sort_similar(result);
  return result;
}

}  // namespace neardup::inline v0
