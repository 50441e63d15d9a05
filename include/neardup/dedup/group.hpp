// One pass over a whole corpus that gives groups of near-duplicates, each verified, with a representative.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "../error.hpp"
#include "../index/cost.hpp"
#include "../index/flat_index.hpp"
#include "../index/pigeonhole_index.hpp"
#include "../runner.hpp"
#include "../simhash.hpp"
#include "../threads.hpp"
#include "cluster.hpp"
#include "join/fingerprint_range.hpp"
#include "join/representatives.hpp"

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

  /// How fingerprints are cut, as in pigeonhole_index; 0 for what suits their number. Does not matter to the result.
  int blocks = 0;
};

/// The check that accepts all: fingerprints alone decide. Leave out short texts then: fingerprints of a few tokens are
/// near each other by chance.
struct unchecked {
  constexpr bool operator()(std::size_t, std::size_t) const noexcept { return true; }
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

template <std::size_t Bits, class Number, class Index>
void label_by_representative(std::span<const simhash<Bits>> fingerprints, int k, const pair_check& check,
                             std::span<const Number> order, int blocks, const any_runner& run,
                             std::vector<Index>& labels) {
  const auto with_index = [&](auto&& index) {
    representative_finder<Bits, std::remove_cvref_t<decltype(index)>> finder(fingerprints, order, k, check, index);
    finder.run(run,
               [&](Number document, Number representative) { labels[document] = static_cast<Index>(representative); });
  };
  // An index with tables is for k < Bits. Where all fingerprints are near each other there is little to search.
  if (static_cast<std::size_t>(k) == Bits) return with_index(flat_index<Bits, Number, Number>());
  // Half the speed of the fastest layout at most, in as little memory as that allows.
  if (blocks == 0) blocks = leanest_blocks(Bits, k, static_cast<double>(order.size()), 2).blocks;
  with_index(pigeonhole_index<Bits, dynamic_layout, dynamic_layout, Number, Number>(k, blocks));
}

template <std::size_t Bits, class Number, class Index>
void label_by_component(std::span<const simhash<Bits>> fingerprints, int k, const pair_check& check,
                        std::span<const Number> order, int blocks, const any_runner& run, std::vector<Index>& labels) {
  with_join_types<Bits>(fingerprints.size(), k, [&](auto offset, auto filter) {
    constexpr std::size_t words = words_for(Bits);
    auto components = find_components<words, decltype(offset), decltype(filter)>(fingerprint_words<words>(fingerprints),
                                                                                 Bits, k, blocks, run, check);
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
/// `check(i, j)`, for positions i and j, says whether two documents belong together, as by the Jaccard similarity of
/// their features. It is called as const from several threads at once (of `run`), and must answer the same for (i, j),
/// (j, i), and each time; what it throws ends all and passes through.
/// `run` is how the work is spread: neardup::threads, or a runner of the caller's (see threads). It does not matter to
/// the result.
/// Returns: one label a fingerprint, the position of the most preferred member of its group: the representative. A
/// document that has no near-duplicate has its own position.
/// Throws: std::length_error if Index cannot number the fingerprints; std::invalid_argument if k is not in 0..Bits,
/// there is no layout of `blocks` blocks (for k = Bits there is none to choose), or `preference` has another number of
/// scores, or one that is NaN; std::bad_alloc.
/// Complexity, representatives: a search for each document among the representatives, and a check with each one near it
/// until one accepts: n - 1 checks for n texts that are all alike, n^2 / 2 for n that are near each other and of which
/// no two are accepted. However many threads, exactly these checks are made.
/// Complexity, components: that of visit_pairs without its calls, and at most two checks for each two that are near
/// each other and not connected yet: about n for n texts that are all alike, whatever their number of pairs. Crowds
/// that are near and rejected cost each of their pairs a check.
/// Memory, representatives: an index of the representatives (see pigeonhole_index), and for each thread as many numbers as
/// there are representatives near one document. Components: that of cluster. Both: two Index a fingerprint.
/// Example: `auto label = group(fingerprints, 12, check, {.by = grouping::components}, threads{8});`
template <std::integral Index = std::uint32_t, std::size_t Bits, class Check = unchecked, class Run = threads>
  requires std::predicate<const Check&, std::size_t, std::size_t>
[[nodiscard]] std::vector<Index> group(std::span<const simhash<Bits>> fingerprints, int k, const Check& check = {},
                                       const group_options& how = {}, const Run& run = Run{1}) {
  detail::check_distance(Bits, k);
  detail::check_index_type<Index>(fingerprints.size(), "group");
  using number = std::conditional_t<sizeof(Index) <= 4, std::uint32_t, std::uint64_t>;
  const auto order = detail::order_of_preference<number>(fingerprints.size(), how.preference);
  detail::pair_check accepts;
  if constexpr (!std::is_same_v<Check, unchecked>) accepts = std::cref(check);
  std::vector<Index> labels(fingerprints.size());
  const any_runner runner(run);
  if (how.by == grouping::components) {
    detail::label_by_component<Bits, number>(fingerprints, k, accepts, order, how.blocks, runner, labels);
  } else {
    detail::label_by_representative<Bits, number>(fingerprints, k, accepts, order, how.blocks, runner, labels);
  }
  return labels;
}

/// The same for a vector or another contiguous range.
template <std::integral Index = std::uint32_t, fingerprint_range Range, class Check = unchecked, class Run = threads>
  requires std::predicate<const Check&, std::size_t, std::size_t>
[[nodiscard]] std::vector<Index> group(const Range& fingerprints, int k, const Check& check = {},
                                       const group_options& how = {}, const Run& run = Run{1}) {
  constexpr std::size_t bits = detail::range_bits<Range>;
  return group<Index, bits>(std::span<const simhash<bits>>(fingerprints), k, check, how, run);
}

}  // namespace neardup::inline v0
