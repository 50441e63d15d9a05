// SPDX-License-Identifier: MIT
// Estimates similarities from distances of fingerprints, and distances from similarities. Computes the theoretical
// recall, which is the share of the similar pairs whose fingerprints are within k bits, and the least k for a recall.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <optional>
#include <stdexcept>

#include "../error.hpp"
#include "../simhash.hpp"
#include "../threshold.hpp"

namespace neardup::inline v0 {

/// Estimates a similarity from the distance of two fingerprints.
/// Returns: for SimHash the cosine similarity of two weighted texts, from 1 (distance 0) to -1 (distance `bits`); for
/// min-wise codes the Jaccard similarity of two sets, from 1 to 0.
/// Throws: std::invalid_argument if the distance is not in 0..bits.
/// Source: Charikar, Similarity Estimation Techniques from Rounding Algorithms, STOC 2002, section 3: a bit differs
/// with probability (angle between the two texts as vectors) / pi.
[[nodiscard]] inline double estimated_similarity(std::size_t bits, int distance,
                                                 fingerprint_kind kind = fingerprint_kind::simhash) {
  detail::check_distance(bits, distance);
  const double share = distance / static_cast<double>(bits);
  return kind == fingerprint_kind::minwise ? (std::max)(0.0, 1 - 2 * share) : std::cos(std::numbers::pi * share);
}

/// Returns the default recall of distance_for(): 0.99 for min-wise codes, 0.97 for SimHash. With SimHash of 64 bits, a
/// recall of 0.99 needs a k that is larger by one or two, and several times as many candidates (docs/accuracy.md).
[[nodiscard]] constexpr double default_recall(fingerprint_kind kind) noexcept {
  return kind == fingerprint_kind::minwise ? 0.99 : 0.97;
}

namespace detail {

/// Returns the mean distance, in bits, between the SimHash fingerprints of two texts with this cosine similarity.
/// Throws: std::invalid_argument if the cosine is outside -1..1 by more than 1e-9, which rounding may cause.
[[nodiscard]] inline double expected_distance(std::size_t bits, double cosine) {
  constexpr double rounding = 1e-9;
  if (!(cosine >= -1 - rounding && cosine <= 1 + rounding)) {  // NaN fails both comparisons, so it is refused, too
    fail<std::invalid_argument>({"cosine similarity ", cosine, " is outside -1..1"});
  }
  return static_cast<double>(bits) * std::acos(std::clamp(cosine, -1.0, 1.0)) / std::numbers::pi;
}

inline void check_recall(double recall) {
  if (!(recall >= 0 && recall <= 1)) {
    fail<std::invalid_argument>({"recall ", recall, " is not in 0..1"});
  }
}

/// Returns the probability that one bit differs between the fingerprints of two sets with this Jaccard similarity. For
/// SimHash, the two sets are assumed to have equal size, so that their cosine similarity is 2 * jaccard / (1 +
/// jaccard). For min-wise codes, the sizes of the sets do not matter.
inline double difference_probability(fingerprint_kind kind, double jaccard) {
  if (kind == fingerprint_kind::minwise) return (1 - jaccard) / 2;
  return expected_distance(1, 2 * jaccard / (1 + jaccard));
}

/// Returns the probability that at most k of `bits` independent bits differ, if each bit differs with probability p
/// (binomial distribution).
inline double binomial_sum(std::size_t bits, int k, double p) {
  const double n = static_cast<double>(bits);
  if (p <= 0 || static_cast<std::size_t>(k) == bits) return 1;
  if (p >= 1) return 0;
  const double first = n * std::log1p(-p);  // the logarithm of the first term
  if (first > -700) {
    const double odds = p / (1 - p);
    double term = std::exp(first);
    double sum = term;
    for (int d = 1; d <= k; ++d) {
      term *= (n - d + 1) / d * odds;
      sum += term;
    }
    return (std::min)(sum, 1.0);
  }
  // For wide fingerprints, the first terms of the sum are too small for a double. So this code adds logarithms of
  // factors, which takes six times as long.
  const double odds = std::log(p) - std::log1p(-p);
  double term = first;
  double sum = std::exp(term);
  for (int d = 1; d <= k; ++d) {
    term += std::log((n - d + 1) / d) + odds;
    sum += std::exp(term);
  }
  return (std::min)(sum, 1.0);
}

}  // namespace detail

/// Returns the least number of features that a text must have, so that its Jaccard similarity to the original is at
/// least `similarity` after `changed` features are replaced. If a feature is n words, changing one word replaces up to
/// n features. If a feature is n characters, changing one character does the same.
/// Throws: std::invalid_argument unless 0 < similarity <= 1.
/// Example: `features_to_bear(2, 0.8)` is 18, the number of word pairs in 19 words.
[[nodiscard]] inline std::size_t features_to_bear(std::size_t changed, double similarity) {
  detail::check_similarity(similarity);
  if (changed == 0) return 0;
  if (similarity == 1) return (std::numeric_limits<std::size_t>::max)();
  const auto bears = [=](std::size_t features) {
    return static_cast<double>(features - changed) / static_cast<double>(features + changed) >= similarity;
  };
  const double exact = static_cast<double>(changed) * (1 + similarity) / (1 - similarity);
  if (exact >= 0x1p53) return (std::numeric_limits<std::size_t>::max)();
  // Rounding may have made `exact` too large by one, so the search starts one below `exact`.
  std::size_t features = (std::max)(changed, static_cast<std::size_t>(exact) - (exact >= 1 ? 1 : 0));
  while (!bears(features)) ++features;
  return features;
}

/// Returns the probability that the SimHash fingerprints of two texts with this cosine similarity differ in at most k
/// of `bits` bits. It is assumed that each bit differs independently, with probability acos(cosine) / pi. The result is
/// exact in the limit of many features. For texts of at most ten features, the result is wrong by some hundredths.
/// Throws: std::invalid_argument if k is not in 0..bits, or if the cosine is not in -1..1.
/// Complexity: O(k).
[[nodiscard]] inline double match_probability(std::size_t bits, int k, double cosine) {
  detail::check_distance(bits, k);
  return detail::binomial_sum(bits, k, detail::expected_distance(bits, cosine) / static_cast<double>(bits));
}

/// Returns the expected recall. Recall is the share of the pairs with a Jaccard similarity of at least `similarity`
/// whose fingerprints differ in at most k bits.
///
/// For SimHash, it is assumed that the number of pairs falls linearly with the similarity, from the greatest number at
/// `similarity` to 0 at 1. Half of the pairs are then in the lowest 0.3 of the interval. One corpus of docs/accuracy.md
/// is like this. The other corpora have more pairs near 1, so their recall is higher.
///
/// For min-wise codes, it is assumed that bits are independent, and that the number of pairs at similarity 1 has fallen
/// linearly to three tenths of the number at `similarity`. Real corpora have more pairs near `similarity`, but the
/// distances of texts of about a hundred features vary less. The two errors cancel each other.
/// Throws: std::invalid_argument if k is not in 0..bits, or unless 0 < similarity <= 1.
/// Complexity: O(k).
[[nodiscard]] inline double expected_recall(std::size_t bits, int k, double similarity,
                                            fingerprint_kind kind = fingerprint_kind::simhash) {
  detail::check_distance(bits, k);
  detail::check_similarity(similarity);
  constexpr int steps = 64;
  const double fall = kind == fingerprint_kind::minwise ? 0.7 : 1;
  double sum = 0;
  double pairs = 0;
  for (int i = 0; i < steps; ++i) {
    const double height = (i + 0.5) / steps;  // from 0 at `similarity` to 1 at equality
    const double of_these = 1 - fall * height;
    const double jaccard = similarity + (1 - similarity) * height;
    sum += of_these * detail::binomial_sum(bits, k, detail::difference_probability(kind, jaccard));
    pairs += of_these;
  }
  return sum / pairs;
}

/// Returns the smallest k with expected_recall(bits, k, similarity, kind) >= min_recall. `min_recall`: if absent,
/// default_recall(kind).
/// Throws: std::invalid_argument unless 0 < similarity <= 1 and 0 <= min_recall <= 1.
/// Complexity: O(bits * log(bits)).
/// Example: `distance_for(64, 0.8)` is 14, `distance_for(64, 0.8, fingerprint_kind::minwise)` is 10.
[[nodiscard]] inline int distance_for(std::size_t bits, double similarity,
                                      fingerprint_kind kind = fingerprint_kind::simhash,
                                      std::optional<double> min_recall = std::nullopt) {
  const double least = min_recall.value_or(default_recall(kind));
  detail::check_similarity(similarity);
  detail::check_recall(least);
  int low = 0;
  int high = static_cast<int>(bits);  // with k = bits, recall is 1
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (expected_recall(bits, middle, similarity, kind) >= least) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

}  // namespace neardup::inline v0
