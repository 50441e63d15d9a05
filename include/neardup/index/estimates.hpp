// SPDX-License-Identifier: MIT
// Estimates the similarity of two texts from the distance of their fingerprints.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <stdexcept>

#include "../error.hpp"
#include "../simhash.hpp"

namespace neardup::inline v0 {

/// Estimates the cosine similarity of two weighted texts from the distance of their SimHash fingerprints.
/// Returns: a value from 1 (distance 0) to -1 (distance Bits).
/// Throws: std::invalid_argument if the distance is not in 0..Bits.
/// Source: Charikar, Similarity Estimation Techniques from Rounding Algorithms, STOC 2002, section 3: a bit differs
/// with probability (angle between the two texts as vectors) / pi.
template <std::size_t Bits>
[[nodiscard]] double estimated_cosine(int distance) {
  detail::check_distance(Bits, distance);
  return std::cos(std::numbers::pi * distance / static_cast<double>(Bits));
}

/// Estimates the Jaccard similarity of two sets from the distance of their min-wise codes.
/// Returns: a value from 1 (distance 0) to 0.
/// Throws: std::invalid_argument if the distance is not in 0..Bits.
template <std::size_t Bits>
[[nodiscard]] double estimated_jaccard(int distance) {
  detail::check_distance(Bits, distance);
  return (std::max)(0.0, 1 - 2 * distance / static_cast<double>(Bits));
}

/// Returns the mean distance, in bits, between the SimHash fingerprints of two texts with this cosine similarity.
/// Throws: std::invalid_argument if the cosine is outside -1..1 by more than 1e-9, which rounding may cause.
[[nodiscard]] inline double expected_distance(std::size_t bits, double cosine) {
  constexpr double rounding = 1e-9;
  if (!(cosine >= -1 - rounding && cosine <= 1 + rounding)) {  // NaN fails both comparisons, so it is refused, too
    detail::fail<std::invalid_argument>({"cosine similarity ", cosine, " is outside -1..1"});
  }
  return static_cast<double>(bits) * std::acos(std::clamp(cosine, -1.0, 1.0)) / std::numbers::pi;
}

}  // namespace neardup::inline v0
