// SPDX-License-Identifier: MIT
// Compares two sorted sets, and counts their common elements. Most of the cost of a check is here.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <span>

#include "../../detail/instructions.hpp"
#include "../../instruction_set.hpp"
#include "common_elements_avx2.hpp"
#include "common_elements_neon.hpp"
#include "common_elements_portable.hpp"

namespace neardup::inline v0::detail {

/// Returns the Jaccard similarity of sets of `a` and `b` elements with an overlap of `common`.
inline double jaccard_of_sizes(std::size_t a, std::size_t b, std::size_t common) noexcept {
  const std::size_t all = a + b - common;
  return all == 0 ? 0.0 : static_cast<double>(common) / static_cast<double>(all);
}

/// Compares sets by size, then by the first element that differs.
template <class Feature>
[[nodiscard]] std::strong_ordering compare_sets(std::span<const Feature> a, std::span<const Feature> b) noexcept {
  if (a.size() != b.size()) return a.size() <=> b.size();
  if (a.data() == b.data()) return std::strong_ordering::equal;
  const auto [x, y] = std::mismatch(a.begin(), a.end(), b.begin());
  return x != a.end() ? *x <=> *y : std::strong_ordering::equal;
}

/// Counts the common elements of a small set and a large set. For each element of the small set, it searches the large
/// set by steps of doubling length, then by bisection. If the count is less than `least`, it may return any number
/// below `least`.
/// Complexity: O(|few| * log(|many| / |few|)).
template <class A, class B>
std::size_t count_common_galloping(std::span<const A> few, std::span<const B> many, std::size_t least) noexcept {
  std::size_t j = 0, common = 0;  // invariant: many[j - 1] < few[i]
  for (std::size_t i = 0; i < few.size() && j < many.size(); ++i) {
    if (common + (few.size() - i) < least) return common;
    std::size_t step = 1;
    for (; step < many.size() - j && many[j + step] < few[i]; step *= 2) j += step;
    const auto begin = many.begin() + static_cast<std::ptrdiff_t>(j);
    const auto end = many.begin() + static_cast<std::ptrdiff_t>((std::min)(many.size(), j + step + 1));
    j = static_cast<std::size_t>(std::lower_bound(begin, end, few[i]) - many.begin());
    if (j == many.size() || few[i] < many[j]) continue;
    ++common;
    ++j;
  }
  return common;
}

/// Counts the common elements of two sorted sets. If the count is less than `least`, it may return any number below
/// `least`.
template <class A, class B>
std::size_t count_common(std::span<const A> a, std::span<const B> b, std::size_t least) noexcept {
  constexpr std::size_t much = 256;  // at this ratio of sizes and above, galloping search is faster
  if (a.size() / much > b.size()) return count_common_galloping(b, a, least);
  if (b.size() / much > a.size()) return count_common_galloping(a, b, least);
  return choose_form(active_instruction_set(), [&](auto form) { return count_common_of<A, B>(form)(a, b, least); });
}

}  // namespace neardup::inline v0::detail
