// One pass over a whole corpus that gives groups of near-duplicates, each verified, with a representative.
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
#include "../index/join/components.hpp"
#include "../index/join/join_input.hpp"
#include "../index/join_options.hpp"
#include "../runner.hpp"
#include "../simhash.hpp"
#include "checks.hpp"
#include "engine/fingerprint_matcher.hpp"
#include "engine/ordered_decider.hpp"
#include "rule.hpp"

namespace neardup::inline v0 {

/// What makes a group. Two documents *match* if their fingerprints differ in at most k bits and the check accepts them.
enum class grouping {
  /// In the order of preference, each document joins the closest of the representatives before it that it matches, of
  /// equally close ones the first (see original_rank), or becomes a representative. So every member matches its
  /// representative, and no two representatives match.
  representatives,
  /// Documents that a chain of matches connects. Every match is within a group, but a chain may tie texts together that
  /// have little in common.
  components,
};

/// How group() groups.
struct group_options {
  grouping by = grouping::representatives;

  /// Which documents to prefer: a score for each, the highest first, equal ones in the order of their positions.
  /// None: the order of their positions. Longest first: `.preference = lengths`.
  std::span<const double> preference = {};

  /// The least similarity of near-duplicates, if the check gives similarities.
  double similarity = default_similarity;

  /// Whether documents of extend_groups join each other, too: false for two corpora of which only the second is asked
  /// about, and only about the first.
  bool among_themselves = true;

  /// Whether labels name originals. Without, only which documents are kept is decided, in less time: the label of any
  /// other document is the position of the most preferred document of all.
  bool originals = true;

  /// How fingerprints are cut, as in pigeonhole_index; 0 for what suits their number. Does not change the result.
  int blocks = 0;

  /// How the work is spread: `threads{8}`, or your own runner. Does not change the result.
  any_runner run = {};

  /// The features that the check compares, if it accepts no two documents of a Jaccard similarity below `similarity`:
  /// those of a position, as feature_extractor gives them. Candidates are found by the features that they share then,
  /// where that is faster. Called from several threads; does not change the result.
  std::function<std::span<const std::uint32_t>(std::size_t)> features = {};
};

namespace detail {

/// Positions by falling preference, equal ones ascending; an empty order if there are no preferences.
/// Throws: std::invalid_argument.
template <class Number>
std::vector<Number> order_of_preference(std::size_t count, std::span<const double> preference) {
  if (!preference.empty() && preference.size() != count) {
    fail<std::invalid_argument>("group: " + std::to_string(preference.size()) + " preferences for " +
                                std::to_string(count) + " fingerprints");
  }
  if (std::any_of(preference.begin(), preference.end(), [](double p) { return std::isnan(p); })) {
    fail<std::invalid_argument>("group: a preference is not a number");
  }
  std::vector<Number> order(preference.size());
  std::iota(order.begin(), order.end(), Number{0});
  std::stable_sort(order.begin(), order.end(), [&](Number a, Number b) { return preference[a] > preference[b]; });
  return order;
}

/// The closeness of two positions whose fingerprints have this distance, or nothing if they do not match. An empty
/// function stands for no_check. It is called from many threads.
using pair_closeness = std::function<std::optional<double>(std::size_t, std::size_t, int)>;

/// Matches documents by their fingerprints and a check of positions.
template <std::size_t Words, class Number>
class group_matcher final : public fingerprint_matcher<Words, Number> {
 public:
  /// Representatives of earlier calls are numbered by their positions. Documents follow them, by their ranks in `order`
  /// if there is one.
  group_matcher(const fingerprint_words<Words>& fingerprints, std::size_t bits, int k, std::size_t earlier,
                std::span<const Number> order, const pair_closeness& check, const group_options& how)
      : fingerprint_matcher<Words, Number>(fingerprints, bits, k, how.blocks, how.run, features_for(this, how, check)),
        earlier_(earlier),
        order_(order),
        check_(check) {}

  [[nodiscard]] std::optional<double> closeness(Number earlier, Number later, int distance,
                                                std::optional<double> /*best*/) const override {
    if (!check_) return closeness_of({true, std::nullopt}, distance);
    return check_(position(earlier), position(later), distance);
  }

  /// The position of a number: among the representatives of earlier calls, and behind them the documents.
  [[nodiscard]] std::size_t position(Number number) const {
    return number < earlier_ || order_.empty() ? number
                                               : earlier_ + static_cast<std::size_t>(order_[number - earlier_]);
  }

 private:
  static compared_features<Number> features_for(const group_matcher* matcher, const group_options& how,
                                                const pair_closeness& check) {
    compared_features<Number> result{{}, how.similarity};
    if (check && how.features) {
      result.of = [matcher, features = how.features](Number number) { return features(matcher->position(number)); };
    }
    return result;
  }

  std::size_t earlier_;
  std::span<const Number> order_;
  const pair_closeness& check_;
};

template <class Index, class Number, class Fingerprint>
std::vector<Index> label_by_representative(std::span<const Fingerprint> representatives,
                                           std::span<const Fingerprint> fingerprints, int k,
                                           const pair_closeness& check, std::span<const Number> order,
                                           const group_options& how) {
  constexpr std::size_t bits = Fingerprint::bits, words = words_for(bits);
  const std::size_t earlier = representatives.size(), count = fingerprints.size();
  std::vector<Fingerprint> ordered(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) ordered[i] = fingerprints[order[i]];
  const fingerprint_words<words> kept(representatives);
  const fingerprint_words<words> others(order.empty() ? fingerprints : std::span<const Fingerprint>(ordered));
  group_matcher<words, Number> matcher({kept, others}, bits, k, earlier, order, check, how);
  const std::size_t max_candidates = (std::max)(earlier + count, std::size_t{1} << 16) / 3 * 2;
  ordered_decider<Number> decider(matcher, earlier, earlier + count, how.originals, max_candidates, how.run);
  decider.decide(how.among_themselves);
  std::vector<Index> labels(count);
  for (std::size_t i = earlier; i < earlier + count; ++i) {
    const auto number = static_cast<Number>(i);
    const Number label = decider.is_kept(i) ? number : how.originals ? decider.original(i).age : Number{0};
    labels[matcher.position(number) - earlier] = static_cast<Index>(matcher.position(label));
  }
  return labels;
}

template <class Index, class Number, class Fingerprint>
std::vector<Index> label_by_component(std::span<const Fingerprint> fingerprints, int k, const pair_closeness& check,
                                      std::span<const Number> order, const group_options& how) {
  pair_check accepts;
  if (check) accepts = [&](std::size_t i, std::size_t j) { return check(i, j, 0).has_value(); };
  auto components =
      find_components<Number>(fingerprint_words(fingerprints), Fingerprint::bits, k, how.blocks, how.run, accepts);
  // The first of each component in the order of preference, counted from 1.
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

/// A check of two positions as a function.
template <class Check>
pair_closeness closeness_by(const Check& check, double similarity) {
  if (std::isnan(similarity)) fail<std::invalid_argument>("group: the similarity is not a number");
  if constexpr (std::is_same_v<Check, no_check>) {
    return {};
  } else {
    return [&check, similarity](std::size_t i, std::size_t j, int distance) -> std::optional<double> {
      const check_result found = result_of_check(check(i, j), similarity);
      if (!found.accepts) return std::nullopt;
      return closeness_of(found, distance);
    };
  }
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
/// Complexity, representatives: that of visit_pairs, and a check of each document with each representative before it that
/// is near it: n - 1 checks for n texts that are all alike, n^2 / 2 for n that are near each other and of which no two
/// are accepted.
/// Complexity, components: that of visit_pairs without its calls, and at most two checks for each two that are near
/// each other and not connected yet: about n for n texts that are all alike, whatever their number of pairs. Texts that
/// are near each other and rejected take a check for each of their pairs.
/// Memory, representatives: about 60 bytes per fingerprint of 64 bits, however many are near each other; 12 more with
/// preferences. Components: that of cluster, and two Index per fingerprint.
/// Example: `auto label = group(fingerprints, 12, check, {.by = grouping::components, .run = threads{8}});`
template <std::integral Index = std::uint32_t, fingerprint_range Range, class Check = no_check>
  requires check_of<Check, std::size_t, std::size_t>
[[nodiscard]] std::vector<Index> group(const Range& fingerprints, int k, const Check& check = {},
                                       const group_options& how = {}) {
  constexpr std::size_t bits = detail::range_bits<Range>;
  const std::span<const range_fingerprint_t<Range>> all(fingerprints);
  detail::check_distance(bits, k);
  detail::check_index_type<Index>(all.size(), "group");
  const detail::pair_closeness closeness = detail::closeness_by(check, how.similarity);
  return detail::with_position_type<Index>(all.size(), [&](auto number) {
    const auto order = detail::order_of_preference<decltype(number)>(all.size(), how.preference);
    const std::span by(order);
    if (how.by == grouping::components) return detail::label_by_component<Index>(all, k, closeness, by, how);
    return detail::label_by_representative<Index>(all.first(0), all, k, closeness, by, how);
  });
}

/// Groups further documents around representatives, those of earlier calls, which stay what they are: one batch after
/// the other, with the answers that group() would give for all of them in this order.
///
/// Positions, in the check and in what is returned, are those of the representatives, and of `fingerprints` behind
/// them.
/// Returns: one position per fingerprint, of the representative that takes it; its own if it is a new one, or, without
/// `how.among_themselves`, if no representative of an earlier call takes it.
/// Throws: as group(); std::invalid_argument also if `how.by` is not grouping::representatives.
/// Complexity, memory: a join of all of them, so batches should not be much smaller than what they are joined with;
/// a batch of up to 256 is compared with everything, in about 0.1 ns for each two on AVX-512.
/// Example: `auto label = extend_groups(kept, batch, 3);  // label[i] == kept.size() + i: batch[i] is new`
template <std::integral Index = std::uint32_t, fingerprint_range Kept, fingerprint_range Range, class Check = no_check>
  requires(
      check_of<Check, std::size_t, std::size_t>&& std::is_same_v<range_fingerprint_t<Kept>, range_fingerprint_t<Range>>)
[[nodiscard]] std::vector<Index> extend_groups(const Kept& representatives, const Range& fingerprints, int k,
                                               const Check& check = {}, const group_options& how = {}) {
  constexpr std::size_t bits = detail::range_bits<Range>;
  const std::span<const range_fingerprint_t<Kept>> kept(representatives);
  const std::span<const range_fingerprint_t<Range>> all(fingerprints);
  detail::check_distance(bits, k);
  detail::check_index_type<Index>(kept.size() + all.size(), "extend_groups");
  if (how.by != grouping::representatives) {
    detail::fail<std::invalid_argument>("extend_groups: only groups around representatives can be extended");
  }
  const detail::pair_closeness closeness = detail::closeness_by(check, how.similarity);
  return detail::with_position_type<Index>(kept.size() + all.size(), [&](auto number) {
    const auto order = detail::order_of_preference<decltype(number)>(all.size(), how.preference);
    return detail::label_by_representative<Index>(kept, all, k, closeness, std::span(order), how);
  });
}

}  // namespace neardup::inline v0
