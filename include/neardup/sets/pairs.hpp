// All pairs of feature sets of a similarity, of one corpus or of two, exactly.
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

#include "../detail/positions.hpp"
#include "../detail/visits.hpp"
#include "../error.hpp"
#include "../runner.hpp"
#include "engine/distinct_sets.hpp"
#include "engine/overlap_bounds.hpp"
#include "engine/set_join.hpp"
#include "engine/set_prefixes.hpp"
#include "set_similarity.hpp"

namespace neardup::inline v0 {

/// The type of the features of a range of sets.
template <class Sets>
using set_feature_t = std::remove_cvref_t<decltype(*std::data(std::declval<const Sets&>()[std::size_t{}]))>;

/// Sets by their positions: `sets.size()`, and for each position below it `sets[i]`, a contiguous range of ascending
/// unsigned numbers of 32 or 64 bits, each once, as feature_extractor gives them. feature_sets is one, and so is a
/// vector of vectors. It is read from several threads.
template <class Sets>
concept set_range = requires(const Sets& sets) {
  { sets.size() } -> std::convertible_to<std::size_t>;
  std::span<const set_feature_t<Sets>>(sets[std::size_t{}]);
  // What is no reference has to be one itself, as a span is.
  requires std::is_lvalue_reference_v<decltype(sets[std::size_t{}])> ||
      std::is_trivially_copyable_v<std::remove_cvref_t<decltype(sets[std::size_t{}])>>;
  requires std::unsigned_integral<set_feature_t<Sets>>;
  requires sizeof(set_feature_t<Sets>) == 4 || sizeof(set_feature_t<Sets>) == 8;
};

/// Two sets that are similar enough: their positions, how many features they have in common, and what follows from that.
template <class Index>
struct similar_pair {
  Index first, second, common;
  double similarity;

  friend constexpr bool operator==(const similar_pair&, const similar_pair&) = default;
};

/// How pairs and visit_pairs of sets work.
struct set_join_options {
  /// What is compared with the least similarity.
  set_similarity measure = set_similarity::jaccard;

  /// The least number of features in common, however similar sets are; 0: default_min_contained for containment, else 1.
  std::size_t min_common = 0;

  /// Within one corpus: of sets that are equal only the first is paired with others, and each of the rest with that
  /// first one alone. So a thousand copies of a text are 999 pairs, not 499,500.
  bool copies_once = false;

  /// How the work is spread: `threads{8}`, or your own runner. Does not change the result.
  any_runner run = {};
};

namespace detail {

template <set_range Sets>
set_source<set_feature_t<Sets>> source_of_sets(const Sets& sets) {
  return {sets.size(), [&sets](std::size_t i) { return std::span<const set_feature_t<Sets>>(sets[i]); }};
}

/// Those of `a`, and behind them those of `b`.
template <set_range A, set_range B>
set_source<set_feature_t<A>> source_of_sets(const A& a, const B& b) {
  using span = std::span<const set_feature_t<A>>;
  const std::size_t behind = a.size();
  return {behind + b.size(), [&a, &b, behind](std::size_t i) { return i < behind ? span(a[i]) : span(b[i - behind]); }};
}

/// What found pairs of distinct sets mean for all sets, handed to a visitor: never two calls at a time.
template <class Feature>
class similar_pair_visits {
 public:
  using visit_type = std::function<bool(const similar_pair<std::size_t>&)>;

  similar_pair_visits(const distinct_sets<Feature>& sets, const overlap_bounds& bounds, bool copies_once,
                      const visit_type& visit)
      : sets_(sets), bounds_(bounds), copies_once_(copies_once), visit_(visit) {}

  /// The pairs of sets that are equal. Returns: false if the visitor did.
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

  /// Returns: false if the visitor did. What it throws ends the visits, too.
  bool visit_found(std::span<const similar_ranks> pairs) {
    const std::lock_guard<std::mutex> lock(mutex_);
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
  std::mutex mutex_;
  bool goes_on_ = true;
};

/// Sets from number `first_count` on are another corpus.
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
  constexpr std::size_t handed = 1024;  // so that parts seldom wait for each other
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

/// Calls `visit(pair)` with the similar_pair<std::size_t> of each two sets, positions first < second, of a similarity of
/// at least `similarity`, exactly as jaccard(a, b) >= similarity decides: each pair once, in no order that means
/// anything, never two calls at a time, but from any thread of `options.run`. A visitor that returns false ends the visit;
/// what it throws ends it, too, and passes through. A set without features is similar to none.
///
/// No pair is missed, whatever the sets: there are no fingerprints, distances or probabilities in it. What is exact are
/// the sets: where features are hashes of 32 bits, two words of a text are taken for one feature if their hashes are
/// equal, of n distinct ones in about n^2 / 2^33 texts (of 1,000: one in 8,600), which changes the count of one feature;
/// and a word of one text for another one of the other, in about n^2 / 2^32 pairs. With 64 bits neither happens.
///
/// Throws: std::invalid_argument unless similarity > 0 (above 1 nothing is found); std::length_error from 2^32 - 1 sets
/// or features of a set on; std::bad_alloc.
/// Complexity: near-linear where few sets have their rare features in common. Copies, texts of a template just below the
/// similarity, features that all sets have, and sets of very different sizes do not change that. Where all features are
/// common, it is near-linear (but for containment) if few sets are nearly equal in a part of the features; see
/// docs/how-to/miss-nothing.md. n sets that are all similar are n^2 / 2 pairs, whatever finds them: see group() of sets,
/// which need not visit them.
/// Memory: for each set 28 bytes and 4 bytes per feature of a share of about 1 - similarity of them; what finds sets by
/// their features, in portions of some 100 MB (by parts 250), or an eighth of it if that is more; for a time 60 bytes per set; and 2
/// bytes for each fourth feature, at most 128 MiB, for how frequent features are.
template <set_range Sets, class Visit>
  requires std::invocable < Visit&, const similar_pair<std::size_t>
& > void visit_pairs(const Sets& sets, double similarity, Visit&& visit, const set_join_options& options = {}) {
  detail::visit_set_pairs<set_feature_t<Sets>>(
      detail::source_of_sets(sets), sets.size(), similarity, options, {},
      [&](const similar_pair<std::size_t>& pair) { return detail::visit_goes_on(visit, pair); });
}

/// The same of each set of `a` and each of `b`, pairs within either left out; the second position is one in `b`.
template <set_range A, set_range B, class Visit>
  requires(std::invocable<Visit&, const similar_pair<std::size_t>&>&& std::same_as<set_feature_t<A>, set_feature_t<B>>)
void visit_pairs(const A& a, const B& b, double similarity, Visit&& visit, const set_join_options& options = {}) {
  const detail::overlap_bounds checked(options.measure, similarity, options.min_common);
  if (a.size() == 0 || b.size() == 0) return;
  detail::visit_set_pairs<set_feature_t<A>>(
      detail::source_of_sets(a, b), a.size(), similarity, options, {},
      [&](const similar_pair<std::size_t>& pair) { return detail::visit_goes_on(visit, pair); });
}

/// The pairs of positions of sets whose similarity is at least `similarity`, sorted by the first, then the second.
/// Throws: std::length_error if Index cannot number the sets; what visit_pairs throws.
/// Complexity, memory: those of visit_pairs; O(p log p) for p pairs, and 24 bytes per pair.
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

/// The pairs of a position in `a` and one in `b`, as pairs of one corpus.
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
