// SPDX-License-Identifier: MIT
// Groups the near-duplicates of a whole corpus in one pass. Each pair is verified, and each group has a representative.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "../detail/positions.hpp"
#include "../index/fingerprint_range.hpp"
#include "../index/join/components.hpp"
#include "../index/join/join_input.hpp"
#include "../runner.hpp"
#include "../threshold.hpp"
#include "checks.hpp"
#include "engine/fingerprint_matcher.hpp"
#include "engine/label_documents.hpp"
#include "rule.hpp"

namespace neardup::inline v0 {

namespace detail {

/// The check of a grouping in a form that does not depend on its type.
struct group_check {
  /// Returns the closeness of two positions whose fingerprints have the given distance, or nullopt if they do not
  /// match. It is empty for no_check.
  /// Thread safety: many threads call it at once.
  std::function<std::optional<double>(std::size_t, std::size_t, int)> closeness = {};

  /// The features of at_least. Documents with a Jaccard similarity below `least` do not match.
  std::function<std::span<const std::uint32_t>(std::size_t)> features = {};
  double least = 0;
};

/// Matches documents by their fingerprints and a check of positions.
template <std::size_t Words, class Number>
class group_matcher final : public fingerprint_matcher<Words, Number> {
  using base = fingerprint_matcher<Words, Number>;

 public:
  using typename base::left_out;
  using typename base::take_type;

  /// Makes a matcher that numbers documents by their places.
  /// Precondition: `order` and `check` outlive the object.
  group_matcher(const fingerprint_words<Words>& fingerprints, std::size_t width, const bits& within,
                const document_order<Number>& order, const group_check& check, const any_runner& run)
      : base(fingerprints, width, within.count, within.blocks, run, features_for(order, check)),
        fingerprints_(fingerprints),
        width_(width),
        within_(within),
        run_(run),
        order_(order),
        check_(check) {}

  bool find_candidates(std::span<const Number> documents, std::size_t kept, const take_type& take,
                       const left_out& left) override {
    if (left.classes == nullptr) return base::find_candidates(documents, kept, take, left);
    pair_check accepts;
    if (check_.closeness) {
      accepts = [&](std::size_t i, std::size_t j) {
        return check_.closeness(order_.position(i), order_.position(j), 0).has_value();
      };
    }
    auto components = find_components<Number>(fingerprints_, width_, within_.count, within_.blocks, run_, accepts);
    for (std::size_t i = 0; i < documents.size(); ++i) left.classes->add(components.find(i), i);
    return true;
  }

  [[nodiscard]] std::optional<double> closeness(Number earlier, Number later, int distance,
                                                std::optional<double> /*best*/) const override {
    if (!check_.closeness) return closeness_of({true, std::nullopt}, distance);
    return check_.closeness(order_.position(earlier), order_.position(later), distance);
  }

 private:
  static compared_features<Number> features_for(const document_order<Number>& order, const group_check& check) {
    compared_features<Number> result{{}, check.least};
    if (check.features) {
      result.of = [&order, &check](Number number) { return check.features(order.position(number)); };
    }
    return result;
  }

  fingerprint_words<Words> fingerprints_;
  std::size_t width_;
  bits within_;
  any_runner run_;
  const document_order<Number>& order_;
  const group_check& check_;
};

/// Returns the labels of `fingerprints`, grouped around the representatives of earlier calls.
template <class Index, class Fingerprint>
[[nodiscard]] std::vector<Index> label_fingerprints(std::span<const Fingerprint> representatives,
                                                    std::span<const Fingerprint> fingerprints, const bits& within,
                                                    const group_check& check, const group_options& options) {
  constexpr std::size_t words = words_for(Fingerprint::bits);
  check_distance(Fingerprint::bits, within.count);
  const std::size_t earlier = representatives.size(), size = earlier + fingerprints.size();
  return with_position_type<Index>(size, [&](auto number) {
    using number_type = decltype(number);
    const document_order<number_type> order(size, earlier, options.preference);
    std::vector<Fingerprint> ordered;
    if (!order.is_by_position()) {
      ordered.resize(fingerprints.size());
      for (std::size_t i = earlier; i < size; ++i) ordered[i - earlier] = fingerprints[order.position(i) - earlier];
      fingerprints = ordered;
    }
    const fingerprint_words<words> all{fingerprint_words<words>(representatives),
                                       fingerprint_words<words>(fingerprints)};
    group_matcher<words, number_type> matcher(all, Fingerprint::bits, within, order, check, options.run);
    const std::size_t max_candidates = (std::max)(size, std::size_t{1} << 16) / 3 * 2;
    return label_documents<Index>(matcher, order, options, max_candidates);
  });
}

template <class Check>
inline constexpr bool is_at_least = false;
template <class Function>
inline constexpr bool is_at_least<at_least<Function>> = true;

/// Converts a check to a group_check.
/// Precondition: `check` outlives the result.
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

}  // namespace detail

/// Groups the near-duplicates of a corpus: two documents match if their fingerprints are within k bits and `check`
/// accepts them. `within`: bits{k}.
///
/// `check(i, j)` returns for positions i and j whether two documents match: a bool, or a check_result. Wrap a function
/// that returns similarities, such as the Jaccard similarity of features, into at_least. The threads of `options.run`
/// call the check concurrently.
/// Returns: one label per fingerprint, the position of the representative of its group, which is its most preferred
/// member. A document without near-duplicates has its own position.
/// Throws: std::length_error if Index cannot number the fingerprints; std::invalid_argument if k is not in 0..Bits, no
/// layout with its number of blocks exists (for k = Bits none exists), `preference` has a wrong number of scores, or a
/// similarity or a score is NaN; std::bad_alloc.
/// Complexity, representatives: the complexity of visit_pairs, and a check of each document with each earlier
/// representative within k bits. For n texts that are all similar, there are n - 1 checks. If the check rejects all
/// pairs of n texts within k bits of each other, there are n^2 / 2.
/// Complexity, components: the complexity of visit_pairs without its calls, and at most two checks for each two
/// documents within k bits that are not yet connected. For n texts that are all similar, there are about n checks,
/// whatever the number of pairs. Texts within k bits whose pairs the check rejects take a check for each pair.
/// Memory, representatives: about 60 bytes per 64-bit fingerprint, however many are near each other; 12 more with
/// preferences. If candidates are found by features, that of visit_pairs of sets is added: about 90 bytes for a text of
/// 38 features.
/// Memory, components: the memory of cluster, and two Index per fingerprint.
/// Example: `auto label = group(fingerprints, bits{12}, at_least{0.8, similarity}, {.run = threads{8}});`
template <std::integral Index = std::uint32_t, fingerprint_range Range, class Threshold, class Check>
  requires check_of<Check, std::size_t, std::size_t>
[[nodiscard]] std::vector<Index> group(const Range& fingerprints, const Threshold& within, const Check& check,
                                       const group_options& options = {}) {
  const std::span<const detail::range_fingerprint_t<Range>> all(fingerprints);
  detail::check_index_type<Index>(all.size(), "group");
  return detail::label_fingerprints<Index>(all.first(0), all, detail::bits_of(within), detail::group_check_of(check),
                                           options);
}

/// Groups the near-duplicates of a corpus by their fingerprints alone. Leave out short texts (see default_min_tokens).
/// The result and the errors are those of group() with a check that accepts all pairs.
/// Example: `auto label = group(fingerprints, bits{3});`
template <std::integral Index = std::uint32_t, fingerprint_range Range, class Threshold>
[[nodiscard]] std::vector<Index> group(const Range& fingerprints, const Threshold& within,
                                       const group_options& options = {}) {
  return group<Index>(fingerprints, within, no_check{}, options);
}

/// Groups further documents around the representatives of earlier calls. These representatives do not change. Call this
/// function for one batch after the other. Without preferences, the results equal the results of group() for all
/// batches concatenated.
///
/// In the check and in the result, positions count the representatives first, then `fingerprints`.
/// Returns: for each fingerprint the position of its representative. A fingerprint has its own position
/// if it becomes a representative, or, without `options.among_themselves`, if it matches no representative.
/// Throws: the exceptions of group(); also std::invalid_argument if `options.by` is not grouping::representatives.
/// Complexity, memory: the same as a join of the batch and all representatives, so batches should not be much smaller
/// than the number of representatives. A batch of up to 256 fingerprints is compared with all representatives, in about
/// 0.1 ns per pair with AVX-512.
template <std::integral Index = std::uint32_t, fingerprint_range Kept, fingerprint_range Range, class Threshold,
          class Check>
  requires check_of<Check, std::size_t, std::size_t>
[[nodiscard]] std::vector<Index> extend_groups(const Kept& representatives, const Range& fingerprints,
                                               const Threshold& within, const Check& check,
                                               const group_options& options = {}) {
  detail::check_extended<Index>(representatives.size() + fingerprints.size(), options);
  return detail::label_fingerprints<Index>(detail::fingerprints_beside<Range>(representatives),
                                           detail::fingerprints_beside<Kept>(fingerprints), detail::bits_of(within),
                                           detail::group_check_of(check), options);
}

/// Groups further documents by their fingerprints alone. Otherwise as extend_groups() with a check.
/// Example: `auto label = extend_groups(kept, batch, bits{3});  // label[i] == kept.size() + i: batch[i] is new`
template <std::integral Index = std::uint32_t, fingerprint_range Kept, fingerprint_range Range, class Threshold>
[[nodiscard]] std::vector<Index> extend_groups(const Kept& representatives, const Range& fingerprints,
                                               const Threshold& within, const group_options& options = {}) {
  return extend_groups<Index>(representatives, fingerprints, within, no_check{}, options);
}

}  // namespace neardup::inline v0
