// SPDX-License-Identifier: MIT
// Groups the near-duplicates of a whole corpus. Each member of a group is verified against the representative of the
// group.
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

#include "../ids.hpp"
#include "../index/join/components.hpp"
#include "../index/join/join_input.hpp"
#include "../index/match.hpp"
#include "../runner.hpp"
#include "../threshold.hpp"
#include "checks.hpp"
#include "engine/fingerprint_matcher.hpp"
#include "engine/label_documents.hpp"
#include "rule.hpp"

namespace neardup::inline v0 {

namespace detail {

/// The check of group(), converted to functions, so that this class does not depend on the type of the check.
struct group_check {
  /// Returns the closeness of the documents at two positions, or nullopt if they do not match. The third argument is
  /// the distance of their fingerprints. The function is empty for no_check.
  /// Thread safety: several threads call the function at once.
  std::function<std::optional<double>(std::size_t, std::size_t, int)> closeness = {};

  /// The function `features` of at_least. Documents with a Jaccard similarity below `least` do not match.
  std::function<std::span<const std::uint32_t>(std::size_t)> features = {};
  double least = 0;
};

/// Matches documents by their fingerprints, and then by a check, which gets the positions.
template <std::size_t Words, class Number>
class group_matcher final : public fingerprint_matcher<Words, Number> {
  using base = fingerprint_matcher<Words, Number>;

 public:
  using typename base::left_out;
  using typename base::take_type;

  /// Makes a matcher. A document's number is its place in the order of decision, `order`.
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

/// Returns the labels of `fingerprints`. `representatives`: the representatives of earlier calls.
template <class Index, class Fingerprint>
[[nodiscard]] std::vector<Index> label_fingerprints(std::span<const Fingerprint> representatives,
                                                    std::span<const Fingerprint> fingerprints, const bits& within,
                                                    group_check check, const group_options& options) {
  constexpr std::size_t words = words_for(Fingerprint::bits);
  check_distance(Fingerprint::bits, within.count);
  const std::size_t earlier = representatives.size(), size = earlier + fingerprints.size();
  if (!options.across.empty() && options.by == grouping::components) {
    check.closeness = [of = std::move(check.closeness), values = options.across](
                          std::size_t i, std::size_t j, int distance) -> std::optional<double> {
      if (values[i] == values[j]) return std::nullopt;
      return of ? of(i, j, distance) : closeness_of({true, std::nullopt}, distance);
    };
  }
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

/// Groups the near-duplicates of a corpus. Two documents match if their fingerprints differ in at most k bits, and
/// `check` accepts them. `within`: bits{k}.
///
/// `check(i, j)` returns a bool or a check_result: whether the documents at the positions i and j match. If you have a
/// function that returns similarities, such as the Jaccard similarity of features, wrap it into at_least. The threads
/// of `options.run` call the check concurrently.
/// Returns: one label per fingerprint: the position of the representative of its group, which is the most preferred
/// member. The label of a document without near-duplicates is its own position.
/// Throws: std::length_error if Index cannot number the fingerprints; std::invalid_argument if k is not in 0..Bits, if
/// no layout exists for k and the number of blocks (none exists for k = Bits), if `preference` has a wrong number of
/// scores, or if a similarity or a score is NaN; std::bad_alloc.
/// Complexity with representatives: the complexity of visit_pairs, and a check of each document with each earlier
/// representative within k bits. For n texts that are all similar, there are n - 1 checks. If n texts are within k bits
/// of each other, and the check rejects all pairs, there are n^2 / 2 checks.
/// Complexity with components: the complexity of visit_pairs without the visits, and at most two checks for each pair
/// of documents within k bits that are not connected yet. For n texts that are all similar, there are about n checks,
/// although there are n^2 / 2 pairs. For texts within k bits that the check rejects, there is a check for each pair.
/// Memory with representatives: about 60 bytes per 64-bit fingerprint, whatever the number of pairs, and 12 bytes more
/// if `options.preference` is set. If features find the candidates, the memory of visit_pairs of sets is added: about
/// 90 bytes for a text of 38 features.
/// Memory with components: the memory of cluster, and two numbers of type Index per fingerprint.
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

/// Groups the near-duplicates of a corpus by their fingerprints alone. Leave out short texts first (see
/// default_min_tokens).
/// The result and the exceptions are the same as for group() with a check that accepts all pairs.
/// Example: `auto label = group(fingerprints, bits{3});`
template <std::integral Index = std::uint32_t, fingerprint_range Range, class Threshold>
[[nodiscard]] std::vector<Index> group(const Range& fingerprints, const Threshold& within,
                                       const group_options& options = {}) {
  return group<Index>(fingerprints, within, no_check{}, options);
}

/// Groups further documents around the representatives of earlier calls. These representatives do not change. You can
/// pass a corpus in batches, one batch per call. If `options.preference` is empty, the results then equal those of one
/// group() of the whole corpus.
///
/// In the check and in the result, the representatives have the first positions, and `fingerprints` have the next
/// positions.
/// Returns: for each fingerprint the position of its representative. If a fingerprint becomes a representative, the
/// result is its own position. If `options.among_themselves` is false, a fingerprint that matches no representative
/// gets its own position, but does not become a representative.
/// Throws: the exceptions of group(); also std::invalid_argument if `options.by` is not grouping::representatives.
/// Complexity, memory: the same as a join of the batch and all representatives. So a batch should not be much smaller
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

/// Groups further documents by their fingerprints alone. All else is the same as in extend_groups() with a check.
/// Example: `auto label = extend_groups(kept, batch, bits{3});  // label[i] == kept.size() + i: batch[i] is new`
template <std::integral Index = std::uint32_t, fingerprint_range Kept, fingerprint_range Range, class Threshold>
[[nodiscard]] std::vector<Index> extend_groups(const Kept& representatives, const Range& fingerprints,
                                               const Threshold& within, const group_options& options = {}) {
  return extend_groups<Index>(representatives, fingerprints, within, no_check{}, options);
}

}  // namespace neardup::inline v0
