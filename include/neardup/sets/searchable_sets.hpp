// SPDX-License-Identifier: MIT
// The search functions that all indexes of feature sets inherit.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "../detail/visits.hpp"
#include "../error.hpp"
#include "../ids.hpp"
#include "../runner.hpp"
#include "../threshold.hpp"
#include "engine/candidate_search.hpp"
#include "engine/overlap_bounds.hpp"
#include "feature_sets.hpp"

namespace neardup::inline v0 {

/// The least similarity of a search: a number, by the measure of the index; or a threshold, such as jaccard{0.9}. If
/// min_common is 0, the search uses the min_common of the index.
struct search_threshold {
  double similarity;
  std::optional<set_similarity> measure = std::nullopt;
  std::size_t min_common = 0;

  constexpr search_threshold(double least) noexcept : similarity(least) {}  // NOLINT(google-explicit-constructor)
  template <threshold_of_sets Threshold>
  constexpr search_threshold(const Threshold& least) noexcept  // NOLINT(google-explicit-constructor)
      : similarity(least.similarity), min_common(least.min_common) {
    measure = set_threshold(least).measure;
  }
  // A threshold of something else does not compile. The message is the message of set_threshold.
  template <class Other>
    requires(std::same_as<Other, bits> || std::same_as<Other, edit>)
  constexpr search_threshold(const Other& least)  // NOLINT(google-explicit-constructor)
      : search_threshold(set_threshold(least)) {}
};

/// A stored set that is similar enough to a query.
template <class Id>
struct set_match {
  Id id;
  std::uint32_t common;  ///< the number of common features
  double similarity;

  friend bool operator==(const set_match&, const set_match&) = default;
  /// The order of search results: by descending similarity, then by id.
  friend bool operator<(const set_match& a, const set_match& b) {
    if (a.similarity != b.similarity) return a.similarity > b.similarity;
    return a.id < b.id;
  }
};

/// The common const members of set_index, set_index_view and layered_set_index: settings and searches. It is their base
/// class, and has no public constructor. `Index` is the derived class, which finds sets.
/// Thread safety: all members may be called from many threads while no thread writes.
template <class Index, class Feature, class Id>
class searchable_sets {
  static_assert(sizeof(Feature) == 4 || sizeof(Feature) == 8,
                "neardup: the features of a set_index have 32 or 64 bits, as feature_extractor makes them");
  static_assert(index_id<Id>,
                "neardup: the Id of a set_index is regular, totally ordered and trivially copyable, and no "
                "floating-point number");

 public:
  using feature_type = Feature;
  using id_type = Id;
  using set_type = std::span<const Feature>;
  using match_type = set_match<Id>;
  /// The matches of a batch of queries: batch[i] is a span of the matches of query i, and batch.size() is the number of
  /// queries. The members `matches` and `offsets` are the flat array: query i has matches[offsets[i]] to
  /// matches[offsets[i + 1] - 1].
  using batch_type = detail::match_batch<match_type>;

  /// Scratch memory of a search, reused from query to query. Each thread needs its own object.
  class workspace {
    friend searchable_sets;
    detail::candidate_search finding_;
  };

  /// Returns the threshold of the index, which is the default of each search. Its min_common is above 0.
  [[nodiscard]] set_threshold threshold() const noexcept { return index().search_bounds().least_similar(); }

  // ---- Searches -----------------------------------------------------------------------------------------------------
  // `least` is a similarity by the measure of the index, or a threshold with this measure. Each search throws
  // std::invalid_argument if `least` is below the threshold() of the index, above 1, not a number or of another measure,
  // or the features are not ascending and distinct; and std::bad_alloc.

  /// Returns the matches of a set: all ids whose sets have at least the similarity `least`, sorted by descending
  /// similarity, then by id.
  [[nodiscard]] std::vector<match_type> search(set_type query, std::optional<search_threshold> least = {}) const {
    workspace scratch;
    std::vector<match_type> matches;
    append_matches(query, bounds_for(least), scratch, matches);
    return matches;
  }

  /// Returns the matches of each query, as search() returns them. `run` spreads the work over threads: `threads{8}`, or
  /// a runner of yours. The result is the same for every runner.
  template <set_range Sets>
  [[nodiscard]] batch_type search_batch(const Sets& queries, std::optional<search_threshold> least = {},
                                        const any_runner& run = {}) const {
    detail::check_features<Feature, Sets>();
    constexpr std::size_t step = 64;
    const detail::overlap_bounds bounds = bounds_for(least);
    const std::size_t count = queries.size(), blocks = (count + step - 1) / step;
    std::vector<workspace> scratch(detail::parts_for(run, count, step));
    std::vector<std::vector<match_type>> found(blocks);
    batch_type result;
    result.offsets.resize(count + 1);
    detail::in_steps(run, scratch.size(), blocks, 1, [&](std::size_t part, std::size_t block, std::size_t) {
      for (std::size_t i = block * step; i < (std::min)((block + 1) * step, count); ++i) {
        append_matches(set_type(queries[i]), bounds, scratch[part], found[block]);
        result.offsets[i + 1] = found[block].size();
      }
      return true;
    });
    for (std::size_t block = 0; block < blocks; ++block) {
      const std::size_t before = result.matches.size();
      for (std::size_t i = block * step; i < (std::min)((block + 1) * step, count); ++i)
        result.offsets[i + 1] += before;
      result.matches.insert(result.matches.end(), found[block].begin(), found[block].end());
      found[block] = {};
    }
    return result;
  }

  /// Returns the first result of search(): the most similar set, with the smallest id among equally similar ones.
  [[nodiscard]] std::optional<match_type> nearest(set_type query, std::optional<search_threshold> least = {}) const {
    workspace scratch;
    return nearest(query, least, scratch);
  }
  [[nodiscard]] std::optional<match_type> nearest(set_type query, std::optional<search_threshold> least,
                                                  workspace& scratch) const {
    std::optional<match_type> best;
    visit_sets(query, bounds_for(least), scratch, [&](std::size_t slot, std::uint32_t common, double similarity) {
      if (best && similarity < best->similarity) return true;
      return visit_ids(slot, [&](const Id& id) {
        const match_type found{id, common, similarity};
        if (!best || found < *best) best = found;
        return true;
      });
    });
    return best;
  }

  /// Returns true if any stored set has at least the similarity `least`. Stops at the first match.
  [[nodiscard]] bool any_within(set_type query, std::optional<search_threshold> least = {}) const {
    workspace scratch;
    return any_within(query, least, scratch);
  }
  [[nodiscard]] bool any_within(set_type query, std::optional<search_threshold> least, workspace& scratch) const {
    return !visit_sets(query, bounds_for(least), scratch, [](std::size_t, std::uint32_t, double) { return false; });
  }

  /// Calls `visit(match)` once for each match, in unspecified order. The visit ends early if the visitor returns false
  /// or throws; its exception is passed on.
  /// Precondition: the visitor does not change the index.
  template <std::invocable<const match_type&> Visit>
  void for_each_match(set_type query, std::optional<search_threshold> least, workspace& scratch, Visit&& visit) const {
    visit_sets(query, bounds_for(least), scratch, [&](std::size_t slot, std::uint32_t common, double similarity) {
      return visit_ids(slot, [&](const Id& id) {
        return detail::visit_goes_on(visit, match_type{id, common, similarity});
      });
    });
  }

 private:
  friend Index;

  searchable_sets() = default;

  [[nodiscard]] const Index& index() const noexcept { return static_cast<const Index&>(*this); }

  [[nodiscard]] detail::overlap_bounds bounds_for(std::optional<search_threshold> least) const {
    if (!least) return index().search_bounds();
    const set_threshold own = threshold();
    const detail::overlap_bounds wanted({least->measure.value_or(own.measure), least->similarity,
                                         (std::max)(least->min_common, least->min_common == 0 ? own.min_common : 1)});
    if (wanted.measure() != own.measure) {
      detail::fail<std::invalid_argument>("a set_index of one measure cannot search by another one");
    }
    if (wanted.threshold() < own.similarity || wanted.min_common() < own.min_common) {
      detail::fail<std::invalid_argument>({"a set_index for similarities of at least ", own.similarity, " and ",
                                           own.min_common, " common features cannot search for ", wanted.threshold(),
                                           " and ", wanted.min_common()});
    }
    return wanted;
  }

  /// Calls `take(slot, common, similarity)` for each similar set, until `take` returns false.
  /// Returns: false if `take` returned false.
  template <class Take>
  bool visit_sets(set_type query, const detail::overlap_bounds& bounds, workspace& scratch, const Take& take) const {
    detail::check_ascending(query);
    return index().find_sets(query, bounds, scratch.finding_, take);
  }
  template <class Visit>
  bool visit_ids(std::size_t slot, const Visit& visit) const {
    return index().visit_ids(slot, visit);
  }

  void append_matches(set_type query, const detail::overlap_bounds& bounds, workspace& scratch,
                      std::vector<match_type>& to) const {
    const auto first = static_cast<std::ptrdiff_t>(to.size());
    visit_sets(query, bounds, scratch, [&](std::size_t slot, std::uint32_t common, double similarity) {
      return visit_ids(slot, [&](const Id& id) {
        to.push_back({id, common, similarity});
        return true;
      });
    });
    std::sort(to.begin() + first, to.end());
  }
};

}  // namespace neardup::inline v0
