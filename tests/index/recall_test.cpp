// Match probabilities, against random draws and exact fractions.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include <neardup/fingerprint/accumulator.hpp>
#include <neardup/index/recall.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "oracle/random_engine.hpp"

namespace {

using neardup::distance_for;
using neardup::expected_recall;
using neardup::fingerprint_kind;
using neardup::match_probability;

/// The probability that at most k of n independent events of probability p happen, by adding one event at a time.
double at_most(std::size_t n, int k, double p) {
  std::vector<double> chance(n + 2, 0.0);  // chance[d]: d events have happened
  chance[0] = 1;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t d = i + 1; d > 0; --d) chance[d] = chance[d] * (1 - p) + chance[d - 1] * p;
    chance[0] *= 1 - p;
  }
  double sum = 0;
  for (std::size_t d = 0; d <= static_cast<std::size_t>(k); ++d) sum += chance[d];
  return sum;
}

}  // namespace

TEST_CASE("a bit differs by the angle of two sets of equal sizes", "[recall]") {
  for (int size = 1; size <= 40; ++size) {
    for (int common = 1; common <= size; ++common) {
      const double jaccard = static_cast<double>(common) / (2 * size - common);
      const double p = neardup::detail::difference_probability(neardup::fingerprint_kind::simhash, jaccard);
      REQUIRE(std::abs(std::cos(std::numbers::pi * p) - static_cast<double>(common) / size) < 1e-12);
    }
  }
  for (const double wrong : {0.0, -0.1, 1.001, std::nan("")}) {
    REQUIRE_THROWS_AS(expected_recall(64, 3, wrong), std::invalid_argument);
  }
}

TEST_CASE("the least number of features that bears a change is the first whose similarity suffices", "[recall]") {
  for (const double similarity : {0.01, 0.3, 0.5, 0.75, 0.8, 0.9, 0.99}) {
    for (std::size_t changed = 1; changed <= 12; ++changed) {
      std::size_t features = changed;
      while (static_cast<double>(features - changed) / static_cast<double>(features + changed) < similarity) ++features;
      REQUIRE(neardup::features_to_bear(changed, similarity) == features);
    }
    REQUIRE(neardup::features_to_bear(0, similarity) == 0);
  }
  REQUIRE(neardup::features_to_bear(2, 0.8) == 18);
  REQUIRE(neardup::features_to_bear(1, 1) == std::numeric_limits<std::size_t>::max());
  REQUIRE_THROWS_AS(neardup::features_to_bear(1, 0), std::invalid_argument);
  REQUIRE_THROWS_AS(neardup::features_to_bear(1, std::nan("")), std::invalid_argument);
}

TEST_CASE("match_probability is the binomial sum", "[recall]") {
  for (const std::size_t width : {16U, 64U, 72U, 256U}) {
    for (const double cosine : {-1.0, -0.3, 0.0, 0.2, 0.7, 0.8235, 0.95, 0.9999, 1.0}) {
      const double p = std::acos(cosine) / std::numbers::pi;
      for (int k = 0; k <= static_cast<int>(width); ++k) {
        REQUIRE(std::abs(match_probability(width, k, cosine) - at_most(width, k, p)) < 1e-9);
      }
    }
  }
}

TEST_CASE("match_probability of vectors drawn at an angle", "[recall]") {
  oracle::random_engine random(5);
  std::uniform_real_distribution<double> unit(0, 1);
  const double cosine = 0.85;
  const double p = std::acos(cosine) / std::numbers::pi;
  constexpr int rounds = 40000;
  std::vector<int> within(65, 0);
  for (int round = 0; round < rounds; ++round) {
    int distance = 0;
    for (int bit = 0; bit < 64; ++bit) distance += unit(random) < p ? 1 : 0;
    for (int k = distance; k <= 64; ++k) ++within[static_cast<std::size_t>(k)];
  }
  for (int k = 0; k <= 64; ++k) {
    const double share = static_cast<double>(within[static_cast<std::size_t>(k)]) / rounds;
    REQUIRE(std::abs(share - match_probability(64, k, cosine)) < 4 * 0.5 / std::sqrt(static_cast<double>(rounds)));
  }
}

TEST_CASE("match_probability of very wide and very different fingerprints stays a number", "[recall]") {
  REQUIRE(match_probability(65536, 12, 0) == 0.0);
  REQUIRE(match_probability(65536, 65536, 0) == 1.0);
  const double half = match_probability(65536, 32768, 0);
  REQUIRE((half > 0.5 && half < 0.51));
  REQUIRE(std::abs(match_probability(64, 12, 0) / 2.28331e-7 - 1) < 1e-4);
  REQUIRE_THROWS_AS(match_probability(64, 65, 0.5), std::invalid_argument);
  REQUIRE_THROWS_AS(match_probability(64, -1, 0.5), std::invalid_argument);
  REQUIRE_THROWS_AS(match_probability(64, 3, 1.5), std::invalid_argument);
}

TEST_CASE("the similarities that half of the pairs are found at", "[recall]") {
  // The distance, and the similarity at which half of the pairs of real texts are found. The words of a text are
  // distinct.
  const std::vector<std::pair<int, double>> measured{{3, .979}, {6, .917}, {8, .859}, {10, .789}, {12, .712}};
  for (const auto& [k, jaccard] : measured) {
    const double found = match_probability(64, k, 2 * jaccard / (1 + jaccard));
    REQUIRE(found > 0.5);
    REQUIRE(found < 0.66);
  }
}

TEST_CASE("SimHash finds the promised share where most pairs lie near the limit", "[recall]") {
  // The worst case of real corpora: the number of pairs falls linearly from the limit to none at similarity 1.
  oracle::random_engine random(21);
  std::uniform_real_distribution<double> unit(0, 1);
  const std::size_t all = oracle::effort(8000, 2000);
  for (const std::size_t n : {40U, 120U}) {
    for (const double similarity : {0.6, 0.7, 0.8, 0.9}) {
      const int k = distance_for(64, similarity, fingerprint_kind::simhash, 0.97);
      std::size_t found = 0;
      for (std::size_t i = 0; i < all; ++i) {
        const double wanted = 1 - (1 - similarity) * std::sqrt(unit(random));
        const auto common = static_cast<std::size_t>(std::ceil(2 * wanted / (1 + wanted) * static_cast<double>(n)));
        neardup::accumulator<64> a, b;
        for (std::size_t feature = 0; feature < n; ++feature) {
          const std::uint64_t hash = random();
          a.add(hash);
          b.add(feature < common ? hash : random());
        }
        found += hamming_distance(*a.result(), *b.result()) <= k ? 1U : 0U;
      }
      INFO(n << " features, similarity " << similarity << ", " << k << " bits");
      const double share = static_cast<double>(found) / static_cast<double>(all);
      CHECK(share > 0.97 - 3 * std::sqrt(0.97 * 0.03 / static_cast<double>(all)));
      CHECK(expected_recall(64, k, similarity) < share + 0.01);
    }
  }
}

// Similarity and recall are both numbers from 0 to 1. The kind is the parameter between them, so a call cannot swap
// them.
template <class T>
concept takes_third = requires(T third) {
  distance_for(64, 0.8, third);
};
static_assert(takes_third<neardup::fingerprint_kind>);
static_assert(!takes_third<double>);

TEST_CASE("distance_for is the smallest k with this recall", "[recall]") {
  // Frozen values.
  REQUIRE(distance_for(64, 0.6, fingerprint_kind::simhash, 0.97) == 19);
  REQUIRE(distance_for(64, 0.7, fingerprint_kind::simhash, 0.97) == 16);
  REQUIRE(distance_for(64, 0.8, fingerprint_kind::simhash, 0.97) == 14);
  REQUIRE(distance_for(64, 0.9, fingerprint_kind::simhash, 0.97) == 10);
  REQUIRE(distance_for(64, 0.8, fingerprint_kind::simhash, 0.99) == 15);
  REQUIRE(distance_for(128, 0.7, fingerprint_kind::simhash, 0.97) == 30);
  for (const std::size_t width : {16U, 64U, 136U}) {
    for (const double similarity : {0.05, 0.5, 0.8, 0.99, 1.0}) {
      double before = 0;
      for (int k = 0; k <= static_cast<int>(width); ++k) {
        const double recall = expected_recall(width, k, similarity);
        REQUIRE(recall >= before);
        before = recall;
      }
      for (const double recall : {0.0, 0.5, 0.9, 0.999, 1.0}) {
        const int k = distance_for(width, similarity, fingerprint_kind::simhash, recall);
        REQUIRE(expected_recall(width, k, similarity) >= recall);
        REQUIRE((k == 0 || expected_recall(width, k - 1, similarity) < recall));
      }
    }
  }
  REQUIRE(distance_for(64, 1.0, fingerprint_kind::simhash, 1.0) == 0);
  REQUIRE_THROWS_AS(distance_for(64, 0.0, fingerprint_kind::simhash, 0.9), std::invalid_argument);
  REQUIRE_THROWS_AS(distance_for(64, 0.8, fingerprint_kind::simhash, 1.1), std::invalid_argument);
  REQUIRE_THROWS_AS(distance_for(64, 0.8, fingerprint_kind::simhash, std::numeric_limits<double>::quiet_NaN()),
                    std::invalid_argument);
}
