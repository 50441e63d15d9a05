// What share of the similar pairs lies within k bits: the theory of distances, turned into a choice of k.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>

#include "../error.hpp"
#include "../simhash.hpp"
#include "estimates.hpp"

namespace neardup::inline v0 {

/// The share of the near-duplicates that a distance finds, unless another is given: 0.99 by min-wise codes, 0.97 by
/// SimHash, where the two bits more that 0.99 needs cost several times the candidates (docs/accuracy.md).
[[nodiscard]] constexpr double default_recall(fingerprint_kind kind) noexcept {
  return kind == fingerprint_kind::minwise ? 0.99 : 0.97;
}

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

/// The probability that a bit of the fingerprints of two sets of equal sizes with this Jaccard similarity differs. The
/// cosine similarity of such sets is 2 * jaccard / (1 + jaccard); for min-wise codes their sizes do not matter.
inline double difference_probability(fingerprint_kind kind, double jaccard) {
  if (kind == fingerprint_kind::minwise) return (1 - jaccard) / 2;
  return expected_distance(1, 2 * jaccard / (1 + jaccard));
}

/// The probability of at most k of `bits` bits, each on its own with probability p.
inline double binomial_sum(std::size_t bits, int k, double p) {
  const double n = static_cast<double>(bits);
  if (p <= 0 || static_cast<std::size_t>(k) == bits) return 1;
  if (p >= 1) return 0;
  // Logarithms are needed because the first terms of wide fingerprints are smaller than a double can be.
  const double odds = std::log(p) - std::log1p(-p);
  double term = n * std::log1p(-p);
  double sum = std::exp(term);
  for (int d = 1; d <= k; ++d) {
    term += std::log((n - d + 1) / d) + odds;
    sum += std::exp(term);
  }
  return (std::min)(sum, 1.0);
}

}  // namespace detail

/// The least number of features of a text that bears a change: if `changed` of them are replaced by others, the Jaccard
/// similarity is still at least `similarity`. A word that is changed replaces up to n features of n words, and a
/// character up to n of n characters.
/// Throws: std::invalid_argument unless 0 < similarity <= 1.
/// Example: `features_to_bear(2, 0.8)`: 18, which are the pairs of 19 words.
[[nodiscard]] inline std::size_t features_to_bear(std::size_t changed, double similarity) {
  detail::check_jaccard(similarity);
  if (changed == 0) return 0;
  if (similarity == 1) return (std::numeric_limits<std::size_t>::max)();
  const auto bears = [=](std::size_t features) {
    return static_cast<double>(features - changed) / static_cast<double>(features + changed) >= similarity;
  };
  const double exact = static_cast<double>(changed) * (1 + similarity) / (1 - similarity);
  if (exact >= 0x1p53) return (std::numeric_limits<std::size_t>::max)();
  // Rounding may have moved it by one.
  std::size_t features = (std::max)(changed, static_cast<std::size_t>(exact) - (exact >= 1 ? 1 : 0));
  while (!bears(features)) ++features;
  return features;
}

/// The probability that the SimHash fingerprints, of `bits` bits, of two texts with this cosine similarity differ in at
/// most k bits: each bit differs on its own, with probability acos(cosine) / pi.
/// That is a limit for many features: texts of ten or fewer are off by some hundredths.
/// Throws: std::invalid_argument if k is not in 0..bits, or the cosine not in -1..1.
/// Complexity: O(k).
[[nodiscard]] inline double match_probability(std::size_t bits, int k, double cosine) {
  detail::check_distance(bits, k);
  return detail::binomial_sum(bits, k, expected_distance(bits, cosine) / static_cast<double>(bits));
}

/// The share of the pairs with a Jaccard similarity of at least `similarity` whose fingerprints differ in at most k
/// bits, if the number of pairs falls evenly from there to none at 1: half of them lie in the lower 0.3 of the
/// interval. Of the corpora in docs/accuracy.md one is like that, and the others have more pairs near 1: so they have
/// more recall. For min-wise codes their number falls evenly to three tenths at 1, and bits count as independent: the
/// distances of texts of about a hundred features spread less than that, which makes up for more pairs near the limit.
/// Throws: std::invalid_argument if k is not in 0..bits, or unless 0 < similarity <= 1.
/// Complexity: O(k).
[[nodiscard]] inline double expected_recall(std::size_t bits, int k, double similarity,
                                            fingerprint_kind kind = fingerprint_kind::simhash) {
  detail::check_distance(bits, k);
  detail::check_jaccard(similarity);
  constexpr int steps = 64;
  const double fall = kind == fingerprint_kind::minwise ? 0.7 : 1;
  double sum = 0;
  double pairs = 0;
  for (int i = 0; i < steps; ++i) {
    const double height = (i + 0.5) / steps;  // 0 at the limit, 1 at equality
    const double of_these = 1 - fall * height;
    const double jaccard = similarity + (1 - similarity) * height;
    sum += of_these * detail::binomial_sum(bits, k, detail::difference_probability(kind, jaccard));
    pairs += of_these;
  }
  return sum / pairs;
}

/// Which share of the similar pairs distance_for() is to find, and by which fingerprints.
struct recall_options {
  std::optional<double> min_recall = std::nullopt;  ///< default_recall(kind) if it is not given
  fingerprint_kind kind = fingerprint_kind::simhash;
};

/// The smallest k at which expected_recall(bits, k, similarity, kind) is at least `min_recall`.
/// Throws: std::invalid_argument unless 0 < similarity <= 1 and 0 <= min_recall <= 1.
/// Complexity: O(bits * log(bits)).
/// Example: `distance_for(64, 0.8)` is 14, `distance_for(64, 0.8, {.min_recall = 0.99})` is 15.
[[nodiscard]] inline int distance_for(std::size_t bits, double similarity, const recall_options& options = {}) {
  const double min_recall = options.min_recall.value_or(default_recall(options.kind));
  detail::check_jaccard(similarity);
  detail::check_recall(min_recall);
  int low = 0;
  int high = static_cast<int>(bits);  // here recall is 1
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (expected_recall(bits, middle, similarity, options.kind) >= min_recall) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/// The same for fingerprints of this kind, and default_recall(kind).
/// Example: `distance_for(64, 0.8, fingerprint_kind::minwise)` is 10.
[[nodiscard]] inline int distance_for(std::size_t bits, double similarity, fingerprint_kind kind) {
  return distance_for(bits, similarity, recall_options{.kind = kind});
}

}  // namespace neardup::inline v0
