// pairs and visit_pairs of fingerprints: bounds, early ends, types of ranges. dedup_oracle_test.cpp checks their
// answers.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include <neardup/index/pairs.hpp>
#include <neardup/threads.hpp>

#include "catch.hpp"
#include "oracle/components.hpp"
#include "oracle/effort.hpp"
#include "oracle/hamming.hpp"

namespace {

using neardup::simhash;

template <class Range>
oracle::pair_list pairs_of(const Range& fingerprints, int k, int blocks = 0) {
  oracle::pair_list result;
  for (const auto& [i, j, distance] : neardup::pairs(fingerprints, neardup::bits{k}.in_blocks(blocks))) {
    result.emplace_back(i, j, distance);
  }
  return result;
}

}  // namespace

TEST_CASE("pairs of nothing and of one", "[dedup]") {
  REQUIRE(pairs_of(std::vector<simhash<64>>{}, 3).empty());
  REQUIRE(pairs_of(std::vector<simhash<64>>{simhash<64>(5)}, 3).empty());
  REQUIRE(pairs_of(std::vector<simhash<64>>{}, 64).empty());
}

TEST_CASE("pairs of copies, each once", "[dedup]") {
  const std::vector<simhash<64>> copies(4, simhash<64>(7));
  const oracle::pair_list expected{{0, 1, 0}, {0, 2, 0}, {0, 3, 0}, {1, 2, 0}, {1, 3, 0}, {2, 3, 0}};
  for (const int k : {0, 1, 3, 12, 63, 64}) REQUIRE(pairs_of(copies, k) == expected);
}

TEST_CASE("copies once: the first with others, the rest with the first", "[dedup]") {
  oracle::random_engine random(5);
  auto stored = oracle::clustered_fingerprints<64>(300, 4, random);
  for (std::size_t i = 0; i < 200; ++i) stored.push_back(stored[oracle::random_below(random, stored.size())]);
  std::shuffle(stored.begin(), stored.end(), random);
  const auto first_of = [&](std::size_t i) {
    return static_cast<std::size_t>(std::find(stored.begin(), stored.end(), stored[i]) - stored.begin());
  };
  for (const int k : {0, 3, 8}) {
    oracle::pair_list expected;
    for (const auto& pair : oracle::all_pairs(stored, k)) {
      const auto [i, j, distance] = pair;
      if (first_of(i) == i && (first_of(j) == j || first_of(j) == i)) expected.push_back(pair);
    }
    for (const std::size_t count : {1U, 3U}) {
      const neardup::join_options how{.copies_once = true, .run = neardup::threads{count}};
      oracle::pair_list in_order, as_found;
      for (const auto& [i, j, d] : neardup::pairs(stored, neardup::bits{k}, how)) in_order.emplace_back(i, j, d);
      neardup::visit_pairs(
          stored, neardup::bits{k}, [&](std::size_t i, std::size_t j, int d) { as_found.emplace_back(i, j, d); }, how);
      std::sort(as_found.begin(), as_found.end());
      REQUIRE(in_order == expected);
      REQUIRE(as_found == expected);
    }
  }
}

TEST_CASE("a span, an array and a constant vector are ranges", "[dedup]") {
  const std::array<simhash<64>, 3> stored{simhash<64>(0), simhash<64>(0b1111), simhash<64>(0b111)};
  const oracle::pair_list expected{{0, 2, 3}, {1, 2, 1}};
  REQUIRE(pairs_of(stored, 3) == expected);
  REQUIRE(pairs_of(std::span<const simhash<64>>(stored), 3) == expected);
  REQUIRE(pairs_of(std::vector<simhash<64>>(stored.begin(), stored.end()), 3) == expected);
  REQUIRE(pairs_of(stored, 4).size() == 3);
}

TEST_CASE("pairs at every distance up to the width", "[dedup]") {
  oracle::random_engine random(3);
  auto fingerprints = oracle::clustered_fingerprints<16>(120, 16, random);
  fingerprints.emplace_back(0U);
  fingerprints.emplace_back(0xffffU);
  for (int k = 0; k <= 16; ++k) {
    CAPTURE(k);
    REQUIRE(pairs_of(fingerprints, k) == oracle::all_pairs(fingerprints, k));
  }
}

TEST_CASE("pairs: what cannot be answered", "[dedup][errors]") {
  const std::vector<simhash<64>> stored(3);
  REQUIRE_THROWS_AS(pairs_of(stored, -1), std::invalid_argument);
  REQUIRE_THROWS_AS(pairs_of(stored, 65), std::invalid_argument);
  REQUIRE_THROWS_AS(pairs_of(stored, 3, -1), std::invalid_argument);
  REQUIRE_THROWS_AS(pairs_of(stored, 3, 65), std::invalid_argument);
  REQUIRE_THROWS_AS(pairs_of(stored, 5, 20), std::invalid_argument);  // too many tables
  REQUIRE_THROWS_AS(pairs_of(std::vector<simhash<64>>{}, -1), std::invalid_argument);
}

TEST_CASE("a visitor of pairs may end it or throw", "[dedup]") {
  oracle::random_engine random(8);
  const auto fingerprints = oracle::clustered_fingerprints<64>(400, 4, random);
  const oracle::pair_list all = oracle::all_pairs(fingerprints, 3);
  REQUIRE(all.size() > 100);
  for (std::size_t most = 1; most <= all.size() + 1; most += 17) {
    oracle::pair_list seen;
    neardup::visit_pairs(fingerprints, neardup::bits{3}, [&](std::size_t i, std::size_t j, int distance) {
      seen.emplace_back(i, j, distance);
      return seen.size() < most;
    });
    REQUIRE(seen.size() == std::min(most, all.size()));
    std::sort(seen.begin(), seen.end());
    REQUIRE(std::includes(all.begin(), all.end(), seen.begin(), seen.end()));
  }
  REQUIRE_THROWS_AS(
      neardup::visit_pairs(fingerprints, neardup::bits{3}, [](auto, auto, int) { throw std::runtime_error("enough"); }),
      std::runtime_error);
}

TEST_CASE("a large corpus, planted pairs", "[dedup]") {
  const std::size_t count = oracle::effort(200000, 20000);
  oracle::random_engine random(12);
  std::vector<simhash<64>> fingerprints;
  for (std::size_t i = 0; i < count; ++i) fingerprints.push_back(oracle::random_fingerprint<64>(random));
  // Each tenth fingerprint gets a partner at distance 0 to 5; others are never within 3 bits.
  std::size_t within = 0;
  for (std::size_t i = 0; i < count; i += 10) {
    fingerprints.push_back(oracle::with_flips(fingerprints[i], i / 10 % 6, random));
    within += i / 10 % 6 <= 3 ? 1U : 0U;
  }
  for (const int blocks : {2, 4, 5}) {
    const oracle::pair_list pairs = pairs_of(fingerprints, 3, blocks);
    REQUIRE(pairs.size() == within);
    for (const auto& [i, j, distance] : pairs) {
      REQUIRE(j == count + i / 10);
      REQUIRE(distance == oracle::distance(fingerprints[i], fingerprints[j]));
    }
  }
}
