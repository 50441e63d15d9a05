// One pass over a whole corpus that gives groups of near-duplicates, each verified, with a representative.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "../error.hpp"
#include "../index/cost.hpp"
#include "../index/pigeonhole_index.hpp"
#include "../runner.hpp"
#include "../simhash.hpp"
#include "checks.hpp"
#include "join/components.hpp"
#include "join/join_input.hpp"
#include "join/representatives.hpp"
#include "join_options.hpp"

namespace neardup::inline v0 {

/// What makes a group. Two documents *match* if their fingerprints differ in at most k bits and the check accepts them.
enum class grouping {
  /// In the order of preference, each document joins the first representative before it that it matches, or becomes a
  /// representative. So every member matches its representative, and no two representatives match.
  representatives,
  /// Documents that a chain of matches connects. Every match is within a group, but a chain may tie texts together that
  /// have little in common.
  components,
};

/// How group() groups.
struct group_options {
  grouping by = grouping::representatives;

  /// Which documents are rather kept: a score for each, the highest first, equal ones in the order of their positions.
  /// None: the order of their positions. Longest first: `.preference = lengths`.
  std::span<const double> preference = {};

  /// The least similarity of near-duplicates, if the check gives similarities.
  double similarity = default_similarity;

  /// How fingerprints are cut, as in pigeonhole_index; 0 for what suits their number. Does not change the result.
  int blocks = 0;

  /// How the work is spread: `threads{8}`, or a runner of the caller's. Does not change the result.
  any_runner run = {};
};

namespace detail {

/// Positions by falling preference, then ascending. Throws: std::invalid_argument.
template <class Number>
std::vector<Number> order_of_preference(std::size_t count, std::span<const double> preference) {
  if (!preference.empty() && preference.size() != count) {
    fail<std::invalid_argument>("group: " + std::to_string(preference.size()) + " preferences for " +
                                std::to_string(count) + " fingerprints");
  }
  if (std::any_of(preference.begin(), preference.end(), [](double p) { return std::isnan(p); })) {
    fail<std::invalid_argument>("group: a preference is not a number");
  }
  std::vector<Number> order(count);
  std::iota(order.begin(), order.end(), Number{0});
  if (!preference.empty()) {
    std::stable_sort(order.begin(), order.end(), [&](Number a, Number b) { return preference[a] > preference[b]; });
  }
  return order;
}

template <class Number, std::size_t Bits, class Index>
void label_by_representative(std::span<const simhash<Bits>> fingerprints, int k, const pair_check& check,
                             std::span<const Number> order, const group_options& how, std::vector<Index>& labels) {
  using index_type = pigeonhole_index<Bits, dynamic_layout, dynamic_layout, Number, Number>;
  std::optional<index_type> index;  // one for k = Bits there is not, and would spare nothing
  if (static_cast<std::size_t>(k) < Bits) {
    // Half the speed of the fastest layout at most, in as little memory as that allows.
    const double count = static_cast<double>(order.size());
    index.emplace(k, how.blocks != 0 ? how.blocks : leanest_blocks(Bits, k, count, 2).blocks);
  }
  representative_finder<Bits, index_type> finder(fingerprints, order, k, check, index ? &*index : nullptr);
  finder.run(how.run, [&](std::size_t document, std::size_t representative) {
    labels[document] = static_cast<Index>(representative);
  });
}

template <class Number, std::size_t Bits, class Index>
void label_by_component(std::span<const simhash<Bits>> fingerprints, int k, const pair_check& check,
                        std::span<const Number> order, const group_options& how, std::vector<Index>& labels) {
  with_position_type<Index>(fingerprints.size(), [&](auto position) {
    auto components =
        find_components<decltype(position)>(fingerprint_words(fingerprints), Bits, k, how.blocks, how.run, check);
    // The first of each component in the order of preference, counted from 1.
    std::vector<Number> first(fingerprints.size(), Number{0});
    for (const Number document : order) {
      Number& best = first[components.find(document)];
      if (best == 0) best = static_cast<Number>(document + 1);
      labels[document] = static_cast<Index>(best - 1);
    }
  });
}

}  // namespace detail

/// Groups the near-duplicates of a corpus: those within k bits, accepted by `check`.
///
/// `check(i, j)`, for positions i and j, says whether two documents belong together, or how similar they are, as the
/// Jaccard similarity of their features: see check_of. It is called from several threads at once (of `how.run`).
/// Returns: one label per fingerprint, the position of the most preferred member of its group: the representative. A
/// document that has no near-duplicate has its own position.
/// Throws: std::length_error if Index cannot number the fingerprints; std::invalid_argument if k is not in 0..Bits,
/// there is no layout of `blocks` blocks (for k = Bits there is none to choose), `preference` has another number of
/// scores, or a similarity or a score is NaN; std::bad_alloc.
/// Complexity, representatives: a search for each document among the representatives, and a check with each one near it
/// until one accepts: n - 1 checks for n texts that are all alike, n^2 / 2 for n that are near each other and of which
/// no two are accepted. However many threads, exactly these checks are made.
/// Complexity, components: that of visit_pairs without its calls, and at most two checks for each two that are near
/// each other and not connected yet: about n for n texts that are all alike, whatever their number of pairs. Crowds
/// that are near and rejected cost each of their pairs a check.
/// Memory, representatives: an index of the representatives (see pigeonhole_index), and for each thread as many numbers
/// as there are representatives near one document. Components: that of cluster. Both: two Index per fingerprint.
/// Example: `auto label = group(fingerprints, 12, check, {.by = grouping::components, .run = threads{8}});`
template <std::integral Index = std::uint32_t, fingerprint_range Range, class Check = no_check>
  requires check_of<Check, std::size_t, std::size_t>
[[nodiscard]] std::vector<Index> group(const Range& fingerprints, int k, const Check& check = {},
                                       const group_options& how = {}) {
  constexpr std::size_t bits = detail::range_bits<Range>;
  const std::span<const simhash<bits>> all(fingerprints);
  detail::check_distance(bits, k);
  detail::check_index_type<Index>(all.size(), "group");
  if (std::isnan(how.similarity)) detail::fail<std::invalid_argument>("group: the similarity is not a number");
  using number = std::conditional_t<sizeof(Index) <= 4, std::uint32_t, std::uint64_t>;
  const auto order = detail::order_of_preference<number>(all.size(), how.preference);
  detail::pair_check accepts;  // nothing: everything is accepted
  if constexpr (!std::is_same_v<Check, no_check>) {
    accepts = [&](std::size_t i, std::size_t j) {
      return detail::result_of_check(check(i, j), how.similarity).accepts;
    };
  }
  std::vector<Index> labels(all.size());
  if (how.by == grouping::components) {
    detail::label_by_component<number>(all, k, accepts, std::span<const number>(order), how, labels);
  } else {
    detail::label_by_representative<number>(all, k, accepts, std::span<const number>(order), how, labels);
  }
  return labels;
}

}  // namespace neardup::inline v0
