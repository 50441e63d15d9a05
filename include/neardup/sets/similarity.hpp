// SPDX-License-Identifier: MIT
// Computes exact similarities of two feature sets, and bounds on the overlap and the sizes of similar sets.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <optional>
#include <span>

#include "../threshold.hpp"
#include "engine/common_elements.hpp"
#include "engine/overlap_bounds.hpp"

namespace neardup::inline v0 {

namespace detail {

/// Returns a span of the elements of a set. The set may also be an array, or a span of fixed size.
template <class T>
auto elements_of(const T& set) noexcept {
  static_assert(
      requires { std::span(set); },
      "neardup: a set is a range in contiguous memory, such as a vector or a span, ascending and distinct");
  const std::span all(set);
  using element = typename decltype(all)::value_type;
  static_assert(!std::same_as<element, char> && !std::same_as<element, wchar_t> && !std::same_as<element, char8_t> &&
                    !std::same_as<element, char16_t> && !std::same_as<element, char32_t>,
                "neardup: a text is no set of characters: write near_duplicates(a, b, jaccard{0.8}), or compare its "
                "features: jaccard_similarity(extract(a), extract(b)) with a feature_extractor");
  return std::span<const typename decltype(all)::value_type>(all);
}

}  // namespace detail

/// Returns the Jaccard similarity of two sets, from 0 to 1: the size of their intersection divided by the size of their
/// union. Two empty sets have similarity 0. With similarity 1, all texts without features would be duplicates of each
/// other.
/// Precondition: each set is contiguous, ascending and without duplicates, as simhasher::features() and
/// feature_extractor return sets.
/// Complexity: O(|a| + |b|). Sets of numbers are compared without a branch per element.
/// Example: `jaccard_similarity(std::vector{1, 2, 3}, std::vector{2, 3, 4})` returns 0.5.
template <class A, class B>
[[nodiscard]] double jaccard_similarity(const A& a, const B& b) {
  const auto first = detail::elements_of(a);
  const auto second = detail::elements_of(b);
  return detail::jaccard_of_sizes(first.size(), second.size(), detail::count_common(first, second, 0));
}

/// Returns the Jaccard similarity of two sets if it is at least `threshold`, otherwise nullopt.
///
/// The result is exact, as if jaccard_similarity(a, b) was compared with `threshold`. But this function stops as soon
/// as the similarity cannot reach `threshold` any more. The sizes of the sets alone may be enough to stop.
/// Precondition: the precondition of jaccard_similarity().
/// Throws: std::invalid_argument unless 0 < threshold <= 1.
/// Complexity: O(|a| + |b|), and usually much less for sets that are not similar.
template <class A, class B>
[[nodiscard]] std::optional<double> jaccard_at_least(const A& a, const B& b, double threshold) {
  const detail::overlap_bounds bounds{jaccard{threshold}};
  const auto first = detail::elements_of(a);
  const auto second = detail::elements_of(b);
  const std::size_t common = bounds.common_if_similar(first, second);
  return common == 0 ? std::nullopt : std::optional(bounds.similarity(first.size(), second.size(), common));
}

/// Returns the cosine similarity of two weighted sets, from 0 to 1: the sum over the common elements of the products of
/// their two weights, divided by the product of the Euclidean norms of the two weight vectors. The result is 0 if all
/// weights of a set are 0.
///
/// An element has a `hash` and a weight in `units`. simhasher::weighted_features() returns such sets. The units cancel
/// out.
/// Precondition: each set is ascending by hash and without duplicates.
/// Complexity: O(|a| + |b|).
template <class A, class B>
[[nodiscard]] double weighted_cosine(const A& a, const B& b) {
  const auto square_sum = [](const auto& set) {
    double sum = 0;
    for (const auto& token : set) sum += static_cast<double>(token.units) * static_cast<double>(token.units);
    return sum;
  };
  double product = 0;
  auto i = std::begin(a);
  auto j = std::begin(b);
  while (i != std::end(a) && j != std::end(b)) {
    const bool in_a = !(j->hash < i->hash), in_b = !(i->hash < j->hash);
    if (in_a && in_b) product += static_cast<double>(i->units) * static_cast<double>(j->units);
    if (in_a) ++i;
    if (in_b) ++j;
  }
  if (!(product > 0)) return 0;
  return (std::min)(1.0, product / std::sqrt(square_sum(a) * square_sum(b)));
}

/// The bounds that follow from a threshold of sets. Use this class if your program finds candidate pairs itself. The
/// bounds use the floating-point comparison of pairs(), so rounding never makes a bound too strict.
class set_bounds {
 public:
  /// Makes the bounds for a threshold.
  /// Throws: std::invalid_argument unless 0 < least.similarity <= 1.
  /// Example: `const set_bounds bounds(jaccard{0.8});`
  explicit set_bounds(const set_threshold& least) : bounds_(least) {}

  /// Returns the least overlap of a set of `size` features with a set that is similar enough. The result is also the
  /// least size of a similar set. If no set is similar enough, the result exceeds `size`.
  /// Precondition: size > 0.
  [[nodiscard]] std::size_t least_partner(std::size_t size) const noexcept { return bounds_.least_partner(size); }

  /// Returns the similarity of two sets that have `a` and `b` features, and an overlap of `common` features.
  /// Precondition: a > 0, b > 0, common <= a, common <= b.
  [[nodiscard]] double similarity(std::size_t a, std::size_t b, std::size_t common) const noexcept {
    return bounds_.similarity(a, b, common);
  }

 private:
  detail::overlap_bounds bounds_;
};

}  // namespace neardup::inline v0
