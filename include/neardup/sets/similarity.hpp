// SPDX-License-Identifier: MIT
// Exact similarities of two feature sets.
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

namespace neardup::inline v0 {

namespace detail {

/// Returns a span of the elements of a set. Accepts arrays and spans of fixed size, too.
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

/// Returns the least overlap with which sets of `a` and `b` elements have a Jaccard similarity of at least `threshold`;
/// more than either size if no overlap suffices.
/// Precondition: 0 < threshold <= 1.
inline std::size_t min_common(std::size_t a, std::size_t b, double threshold) noexcept {
  const std::size_t most = (std::min)(a, b);
  const auto suffices = [&](std::size_t common) { return jaccard_of_sizes(a, b, common) >= threshold; };
  const double estimate = std::ceil(threshold / (1 + threshold) * (static_cast<double>(a) + static_cast<double>(b)));
  std::size_t common = (std::min)(static_cast<std::size_t>(estimate), most);
  // Rounding may make the estimate wrong by one. So the result is corrected by comparing similarities with `threshold`,
  // as a caller of jaccard_similarity() would.
  while (common > 0 && suffices(common - 1)) --common;
  while (common <= most && !suffices(common)) ++common;
  return common;
}

}  // namespace detail

/// Returns the Jaccard similarity of two sets, from 0 to 1: the number of common elements divided by the number of
/// distinct elements of both. Two empty sets have similarity 0, because texts without features are no evidence of
/// duplication. With similarity 1, all of them would be duplicates of each other.
/// Precondition: both sets are contiguous, ascending and without duplicates, as simhasher::features() and
/// feature_extractor return them.
/// Complexity: O(|a| + |b|); for numbers, without a branch for each element.
template <class A, class B>
[[nodiscard]] double jaccard_similarity(const A& a, const B& b) {
  const auto first = detail::elements_of(a);
  const auto second = detail::elements_of(b);
  return detail::jaccard_of_sizes(first.size(), second.size(), detail::count_common(first, second, 0));
}

/// Returns the Jaccard similarity of two sets if it is at least `threshold`, otherwise nullopt.
///
/// The result is the result of comparing jaccard_similarity(a, b) with the threshold, but this function stops as soon
/// as the threshold is out of reach. The sizes alone may decide that.
/// Precondition: the precondition of jaccard_similarity().
/// Throws: std::invalid_argument unless 0 < threshold <= 1.
/// Complexity: O(|a| + |b|); for sets that are not similar, usually a small part of it.
template <class A, class B>
[[nodiscard]] std::optional<double> jaccard_at_least(const A& a, const B& b, double threshold) {
  detail::check_similarity(threshold);
  const auto first = detail::elements_of(a);
  const auto second = detail::elements_of(b);
  const std::size_t least = detail::min_common(first.size(), second.size(), threshold);
  if (least > (std::min)(first.size(), second.size())) return std::nullopt;
  const std::size_t common = detail::count_common(first, second, least);
  if (common < least) return std::nullopt;
  return detail::jaccard_of_sizes(first.size(), second.size(), common);
}

/// Returns the cosine similarity of two weighted sets, from 0 to 1: the sum over common elements of the products of
/// their weights, divided by the product of the Euclidean norms of both sets' weights. 0 if either set has no weight.
///
/// Elements have a `hash` and a weight in `units` of any size: simhasher::weighted_features() returns such sets.
/// Precondition: both sets are ascending by hash and without duplicates.
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

}  // namespace neardup::inline v0
