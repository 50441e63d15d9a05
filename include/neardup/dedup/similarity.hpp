// Similarities: the exact one of two feature sets, and the one that a distance of fingerprints stands for.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <numbers>
#include <stdexcept>
#include <string>

#include "../detail/error.hpp"

namespace neardup::inline v0 {

/// The Jaccard similarity of two sets: the share of their common elements in all of their elements, from 0 to 1.
/// Two empty sets have similarity 0: texts without features are not evidence of duplication, and 1 would make all of
/// them duplicates of each other.
/// Precondition: both are sorted ascending and without duplicates, as simhasher::features() gives them.
/// Complexity: O(|a| + |b|).
template <class A, class B>
[[nodiscard]] double jaccard(const A& a, const B& b) {
  std::size_t common = 0, all = 0;
  auto i = std::begin(a);
  auto j = std::begin(b);
  while (i != std::end(a) && j != std::end(b)) {
    const bool in_a = !(*j < *i), in_b = !(*i < *j);
    if (in_a) ++i;
    if (in_b) ++j;
    if (in_a && in_b) ++common;
    ++all;
  }
  all += static_cast<std::size_t>(std::distance(i, std::end(a)) + std::distance(j, std::end(b)));
  return all == 0 ? 0.0 : static_cast<double>(common) / static_cast<double>(all);
}

/// The cosine similarity of two weighted texts that the distance of their fingerprints stands for, from 1 to -1.
/// Throws: std::invalid_argument if the distance is not in 0..Bits.
/// Source: Charikar, Similarity Estimation Techniques from Rounding Algorithms, STOC 2002, section 3: a bit differs
/// with probability angle / pi.
template <std::size_t Bits>
[[nodiscard]] double estimated_cosine(int distance) {
  if (distance < 0 || static_cast<std::size_t>(distance) > Bits) {
    detail::fail<std::invalid_argument>("distance " + std::to_string(distance) + " of fingerprints of " +
                                        std::to_string(Bits) + " bits");
  }
  return std::cos(std::numbers::pi * distance / static_cast<double>(Bits));
}

/// The mean distance, in bits, of the fingerprints of two texts with this cosine similarity.
/// Throws: std::invalid_argument if the cosine is not in -1..1 (what rounding adds is forgiven).
[[nodiscard]] inline double expected_distance(std::size_t bits, double cosine) {
  constexpr double rounding = 1e-9;
  if (!(cosine >= -1 - rounding && cosine <= 1 + rounding)) {  // NaN fails both.
    detail::fail<std::invalid_argument>("cosine similarity " + std::to_string(cosine) + " is outside -1..1");
  }
  return static_cast<double>(bits) * std::acos(std::clamp(cosine, -1.0, 1.0)) / std::numbers::pi;
}

}  // namespace neardup::inline v0
