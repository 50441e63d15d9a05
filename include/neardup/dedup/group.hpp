// SPDX-License-Identifier: MIT
// Groups the near-duplicates of a whole corpus in one pass. Each pair is verified, and each group has a representative.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "../detail/positions.hpp"
#include "../error.hpp"
#include "../index/fingerprint_range.hpp"
#include "../index/join/components.hpp"
#include "../index/join/join_input.hpp"
#include "../runner.hpp"
#include "../simhash.hpp"
#include "../threshold.hpp"
#include "checks.hpp"
#include "engine/fingerprint_matcher.hpp"
#include "engine/ordered_decider.hpp"
#include "rule.hpp"

namespace neardup::inline v0 {

/// How groups are formed. Two documents *match* if their fingerprints differ in at most k bits and the check accepts
/// them.
enum class grouping {
  /// In the order of preference, each document joins the closest of the earlier representatives that it matches, and
  /// the first among equally close representatives (see original_rank). A document that matches no representative
  /// becomes one. So every member matches its representative, and no two representatives match.
  representatives,
  /// Documents connected by a chain of matches. Every match is within a group, but a chain may connect texts that have
  /// little in common.
  components,
};

/// Options of group() and extend_groups().
struct group_options {
  grouping by = grouping::representatives;

  /// The preference of documents: a score for each document. Documents with higher scores come first; documents with
  /// equal scores are in the order of their positions. If empty, all are in the order of their positions. To prefer
  /// long documents: `.preference = lengths`.
  std::span<const double> preference = {};

  /// Whether documents passed to extend_groups join each other, too. Use false if the two calls are for two corpora,
  /// and only matches between the corpora are of interest.
  bool among_themselves = true;

  /// Whether labels name originals. If false, only which documents are kept is decided, in less time; the label of
  /// every other document is then the position of the most preferred document of all.
  bool originals = true;

  /// `run` spreads the work over threads: `threads{8}`, or a runner of yours. Does not change the result.
  any_runner run = {};
};

namespace detail {

/// Positions by descending preference; positions of equal preference ascend. Empty if there are no preferences.
/// Throws: std::invalid_argument if the number of preferences is wrong, or a preference is NaN.
template <class Number>
std::vector<Number> order_of_preference(std::size_t count, std::span<const double> preference) {
  if (!preference.empty() && preference.size() != count) {
    fail<std::invalid_argument>({"group: ", preference.size(), " preferences for ", count, " fingerprints"});
  }
  if (std::any_of(preference.begin(), preference.end(), [](double p) { return std::isnan(p); })) {
    fail<std::invalid_argument>("group: a preference is not a number");
  }
  std::vector<Number> order(preference.size());
  std::iota(order.begin(), order.end(), Number{0});
  std::stable_sort(order.begin(), order.end(), [&](Number a, Number b) { return preference[a] > preference[b]; });
  return order;
}

/// The check of a grouping, without its type.
struct group_check {
  /// Returns the closeness of two positions whose fingerprints have the given distance, or nullopt if they do not match.
  /// Empty for no_check. Many threads call it at once.
  std::function<std::optional<double>(std::size_t, std::size_t, int)> closeness = {};

  /// As in at_least. Documents with a Jaccard similarity below `least` do not match.
  std::function<std::span<const std::uint32_t>(std::size_t)> features = {};
  double least = 0;
};

/// Matches documents by their fingerprints and a check of positions.
template <std::size_t Words, class Number>
class group_matcher final : public fingerprint_matcher<Words, Number> {
 public:
  /// Representatives of earlier calls are numbered by their positions. The other documents follow, in the order of
  /// `order`, or of their positions if `order` is empty.
  group_matcher(const fingerprint_words<Words>& fingerprints, std::size_t width, const bits& within,
                std::size_t earlier, std::span<const Number> order, const group_check& check, const any_runner& run)
      : fingerprint_matcher<Words, Number>(fingerprints, width, within.count, within.blocks, run,
                                           features_for(this, check)),
        earlier_(earlier),
        order_(order),
        check_(check) {}

  [[nodiscard]] std::optional<double> closeness(Number earlier, Number later, int distance,
                                                std::optional<double> /*best*/) const override {
    if (!check_.closeness) return closeness_of({true, std::nullopt}, distance);
    return check_.closeness(position(earlier), position(later), distance);
  }

  /// The position of the document with this number. Representatives of earlier calls come first, then the other
  /// documents.
  [[nodiscard]] std::size_t position(Number number) const {
    return number < earlier_ || order_.empty() ? number
                                               : earlier_ + static_cast<std::size_t>(order_[number - earlier_]);
  }

 private:
  static compared_features<Number> features_for(const group_matcher* matcher, const group_check& check) {
    compared_features<Number> result{{}, check.least};
    if (check.features) {
      result.of = [matcher, &check](Number number) { return check.features(matcher->position(number)); };
    }
    return result;
  }

  std::size_t earlier_;
  std::span<const Number> order_;
  const group_check& check_;
};

template <class Index, class Number, class Fingerprint>
std::vector<Index> label_by_representative(std::span<const Fingerprint> representatives,
                                           std::span<const Fingerprint> fingerprints, const bits& within,
                                           const group_check& check, std::span<const Number> order,
                                           const group_options& options) {
  constexpr std::size_t words = words_for(Fingerprint::bits);
  const std::size_t earlier = representatives.size(), count = fingerprints.size();
  std::vector<Fingerprint> ordered(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) ordered[i] = fingerprints[order[i]];
  const fingerprint_words<words> kept(representatives);
  const fingerprint_words<words> others(order.empty() ? fingerprints : std::span<const Fingerprint>(ordered));
  group_matcher<words, Number> matcher({kept, others}, Fingerprint::bits, within, earlier, order, check, options.run);
  const std::size_t max_candidates = (std::max)(earlier + count, std::size_t{1} << 16) / 3 * 2;
  ordered_decider<Number> decider(matcher, earlier, earlier + count, options.originals, max_candidates, options.run);
  decider.decide(options.among_themselves);
  std::vector<Index> labels(count);
  for (std::size_t i = earlier; i < earlier + count; ++i) {
    const auto number = static_cast<Number>(i);
    const Number label = decider.is_kept(i) ? number : options.originals ? decider.original(i).age : Number{0};
    labels[matcher.position(number) - earlier] = static_cast<Index>(matcher.position(label));
  }
  return labels;
}

template <class Index, class Number, class Fingerprint>
std::vector<Index> label_by_component(std::span<const Fingerprint> fingerprints, const bits& within,
                                      const group_check& check, std::span<const Number> order,
                                      const group_options& options) {
  pair_check accepts;
  if (check.closeness) {
    accepts = [&](std::size_t i, std::size_t j) { return check.closeness(i, j, 0).has_value(); };
  }
  auto components = find_components<Number>(fingerprint_words(fingerprints), Fingerprint::bits, within.count,
                                            within.blocks, options.run, accepts);
  // 1 + the position of the most preferred member of each component; 0 while unknown.
  std::vector<Number> first(fingerprints.size(), Number{0});
  std::vector<Index> labels(fingerprints.size());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const Number document = order.empty() ? static_cast<Number>(i) : order[i];
    Number& best = first[components.find(document)];
    if (best == 0) best = static_cast<Number>(document + 1);
    labels[document] = static_cast<Index>(best - 1);
  }
  return labels;
}

template <class Check>
inline constexpr bool is_at_least = false;
template <class Function>
inline constexpr bool is_at_least<at_least<Function>> = true;

/// The check without its type. Precondition: `check` outlives the result.
template <class Check>
group_check group_check_of(const Check& check) {
  using result = std::remove_cvref_t<std::invoke_result_t<const Check&, std::size_t, std::size_t>>;
  static_assert(std::is_same_v<result, bool> || std::is_same_v<result, check_result>,
                "neardup: this check returns a number; say how much is enough: group(fingerprints, bits{3}, "
                "at_least{0.8, check})");
  if constexpr (std::is_same_v<Check, no_check>) {
    return {};
  } else {
    group_check made;
    made.closeness = [&check](std::size_t i, std::size_t j, int distance) -> std::optional<double> {
      const check_result found = result_of_check(check(i, j), 0);
      if (!found.accepts) return std::nullopt;
      return closeness_of(found, distance);
    };
    if constexpr (is_at_least<Check>) {
      made.features = check.features();
      made.least = check.least();
    }
    return made;
  }
}

template <class Index, class Fingerprint>
[[nodiscard]] std::vector<Index> group_fingerprints(std::span<const Fingerprint> all, const bits& within,
                                                    const group_check& check, const group_options& options) {
  check_distance(Fingerprint::bits, within.count);
  check_index_type<Index>(all.size(), "group");
  return with_position_type<Index>(all.size(), [&](auto number) {
    const auto order = order_of_preference<decltype(number)>(all.size(), options.preference);
    const std::span by(order);
    if (options.by == grouping::components) return label_by_component<Index>(all, within, check, by, options);
    return label_by_representative<Index>(all.first(0), all, within, check, by, options);
  });
}

template <class Index, class Fingerprint>
[[nodiscard]] std::vector<Index> extend_fingerprint_groups(std::span<const Fingerprint> kept,
                                                           std::span<const Fingerprint> all, const bits& within,
                                                           const group_check& check, const group_options& options) {
  check_distance(Fingerprint::bits, within.count);
  check_index_type<Index>(kept.size() + all.size(), "extend_groups");
  if (options.by != grouping::representatives) {
    fail<std::invalid_argument>("extend_groups: only groups around representatives can be extended");
  }
  return with_position_type<Index>(kept.size() + all.size(), [&](auto number) {
    const auto order = order_of_preference<decltype(number)>(all.size(), options.preference);
    return label_by_representative<Index>(kept, all, within, check, std::span(order), options);
  });
}

}  // namespace detail

/// Groups the near-duplicates of a corpus: the pairs within k bits that `check` accepts. `within`: bits{k}.
///
/// `check(i, j)` returns for positions i and j whether two documents belong together: a bool, or a check_result. A check
/// that returns similarities, such as the Jaccard similarity of features, is wrapped into at_least. It is called from
/// several threads at once (those of `options.run`).
/// Returns: one label per fingerprint, the position of the representative of its group, which is its most preferred
/// member. A document without near-duplicates has its own position.
/// Throws: std::length_error if Index cannot number the fingerprints; std::invalid_argument if k is not in 0..Bits,
/// there is no layout of its blocks (for k = Bits no layout exists), `preference` has a wrong number of scores, or a
/// similarity or a score is NaN; std::bad_alloc.
/// Complexity, representatives: that of visit_pairs, and a check of each document with each earlier representative
/// within k bits: n - 1 checks for n texts that are all similar, n^2 / 2 for n texts that are within k bits of each
/// other if the check rejects all pairs.
/// Complexity, components: that of visit_pairs without its calls, and at most two checks for each two documents within
/// k bits that are not yet connected: about n checks for n texts that are all similar, whatever their number of pairs.
/// Texts within k bits whose pairs the check rejects take a check for each pair.
/// Memory, representatives: about 60 bytes per 64-bit fingerprint, however many are near each other; 12 more with
/// preferences. Components: that of cluster, and two Index per fingerprint.
/// Example: `auto label = group(fingerprints, bits{12}, at_least{0.8, similarity}, {.run = threads{8}});`
template <std::integral Index = std::uint32_t, fingerprint_range Range, class Threshold, class Check>
  requires check_of<Check, std::size_t, std::size_t>
[[nodiscard]] std::vector<Index> group(const Range& fingerprints, const Threshold& within, const Check& check,
                                       const group_options& options = {}) {
  return detail::group_fingerprints<Index>(std::span<const range_fingerprint_t<Range>>(fingerprints),
                                           detail::bits_of(within), detail::group_check_of(check), options);
}

/// Groups the near-duplicates of a corpus by their fingerprints alone. Leave out short texts (see default_min_tokens).
/// Otherwise as group() with a check.
/// Example: `auto label = group(fingerprints, bits{3});`
template <std::integral Index = std::uint32_t, fingerprint_range Range, class Threshold>
[[nodiscard]] std::vector<Index> group(const Range& fingerprints, const Threshold& within,
                                       const group_options& options = {}) {
  return group<Index>(fingerprints, within, no_check{}, options);
}

/// Groups further documents around the representatives of earlier calls, which do not change: one batch after the
/// other, with the results that group() would give for all batches concatenated.
///
/// Positions, in the check and in the result, count the representatives first, then `fingerprints`.
/// Returns: one position per fingerprint: the position of the representative that it joins. It is its own position if
/// it becomes a representative, or, without `options.among_themselves`, if it joins no representative.
/// Throws: as group(); also std::invalid_argument if `options.by` is not grouping::representatives.
/// Complexity, memory: a join of the batch and all representatives, so batches should not be much smaller than the
/// number of representatives. A batch of up to 256 fingerprints is compared with all representatives, in about 0.1 ns
/// per pair with AVX-512.
template <std::integral Index = std::uint32_t, fingerprint_range Kept, fingerprint_range Range, class Threshold,
          class Check>
  requires(
      check_of<Check, std::size_t, std::size_t>&& std::is_same_v<range_fingerprint_t<Kept>, range_fingerprint_t<Range>>)
[[nodiscard]] std::vector<Index> extend_groups(const Kept& representatives, const Range& fingerprints,
                                               const Threshold& within, const Check& check,
                                               const group_options& options = {}) {
  using fingerprint = range_fingerprint_t<Range>;
  return detail::extend_fingerprint_groups<Index>(std::span<const fingerprint>(representatives),
                                                  std::span<const fingerprint>(fingerprints), detail::bits_of(within),
                                                  detail::group_check_of(check), options);
}

/// Groups further documents by their fingerprints alone. Otherwise as extend_groups() with a check.
/// Example: `auto label = extend_groups(kept, batch, bits{3});  // label[i] == kept.size() + i: batch[i] is new`
template <std::integral Index = std::uint32_t, fingerprint_range Kept, fingerprint_range Range, class Threshold>
  requires std::is_same_v<range_fingerprint_t<Kept>, range_fingerprint_t<Range>>
[[nodiscard]] std::vector<Index> extend_groups(const Kept& representatives, const Range& fingerprints,
                                               const Threshold& within, const group_options& options = {}) {
  return extend_groups<Index>(representatives, fingerprints, within, no_check{}, options);
}

}  // namespace neardup::inline v0
