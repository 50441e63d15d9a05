// What share of the similar pairs lies within k bits: the theory of distances, turned into a choice of k.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <stdexcept>
#include <string>

#include "../error.hpp"
#include "join_options.hpp"
#include "similarity.hpp"

namespace neardup::inline v0 {

/// The share of the near-duplicates that a distance is to find where none is given.
inline constexpr double default_recall = 0.97;

namespace detail {

inline void check_jaccard(double similarity) {
  if (!(similarity > 0 && similarity <= 1)) {  // NaN fails, too.
    fail<std::invalid_argument>("Jaccard similarity " + std::to_string(similarity) + " is not above 0 and at most 1");
  }
}

inline void check_recall(double recall) {
  if (!(recall >= 0 && recall <= 1)) {
    fail<std::invalid_argument>("recall " + std::to_string(recall) + " is not in 0..1");
  }
}

}  // namespace detail

/// The cosine similarity of two sets of equal sizes with this Jaccard similarity: 2 * jaccard / (1 + jaccard). Sets of
/// unequal sizes have a larger one.
/// Throws: std::invalid_argument unless 0 < jaccard <= 1.
[[nodiscard]] inline double cosine_of_jaccard(double jaccard) {
  detail::check_jaccard(jaccard);
  return 2 * jaccard / (1 + jaccard);
}

/// The probability that the fingerprints, of `bits` bits, of two texts with this cosine similarity differ in at most k
/// bits: each bit differs on its own, with probability acos(cosine) / pi.
/// That is a limit for many features: texts of ten or fewer are off by some hundredths.
/// Throws: std::invalid_argument if k is not in 0..bits, or the cosine not in -1..1.
/// Complexity: O(k).
[[nodiscard]] inline double match_probability(std::size_t bits, int k, double cosine) {
  detail::check_distance(bits, k);
  const double n = static_cast<double>(bits);
  const double p = expected_distance(bits, cosine) / n;
  if (p <= 0 || static_cast<std::size_t>(k) == bits) return 1;
  if (p >= 1) return 0;
  // By logarithms: the first terms of wide fingerprints are smaller than a double can be.
  const double odds = std::log(p) - std::log1p(-p);
  double term = n * std::log1p(-p);
  double sum = std::exp(term);
  for (int d = 1; d <= k; ++d) {
    term += std::log((n - d + 1) / d) + odds;
    sum += std::exp(term);
  }
  return (std::min)(sum, 1.0);
}

/// The share of the pairs with a Jaccard similarity of at least `similarity` whose fingerprints differ in at most k
/// bits, if their similarities are spread evenly from there to 1. Real corpora have more pairs at one end or the other:
/// what they have tells more.
/// Throws: std::invalid_argument if k is not in 0..bits, or unless 0 < similarity <= 1.
[[nodiscard]] inline double expected_recall(std::size_t bits, int k, double similarity) {
  detail::check_jaccard(similarity);
  constexpr int steps = 64;
  double sum = 0;
  for (int i = 0; i < steps; ++i) {
    sum += match_probability(bits, k, cosine_of_jaccard(similarity + (1 - similarity) * (i + 0.5) / steps));
  }
  return sum / steps;
}

/// The smallest k at which expected_recall(bits, k, similarity) is at least `recall`.
/// Throws: std::invalid_argument unless 0 < similarity <= 1 and 0 <= recall <= 1.
/// Example: `distance_for(64, 0.8)` is 13.
[[nodiscard]] inline int distance_for(std::size_t bits, double similarity, double recall = default_recall) {
  detail::check_jaccard(similarity);
  detail::check_recall(recall);
  int low = 0;
  int high = static_cast<int>(bits);  // where recall is 1
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (expected_recall(bits, middle, similarity) >= recall) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

}  // namespace neardup::inline v0
