// The store of feature sets against a vector of vectors.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <stdexcept>
#include <vector>

#include <neardup/sets/feature_sets.hpp>
#include <neardup/sets/similarity.hpp>

#include "catch.hpp"
#include "oracle/random_engine.hpp"

using neardup::feature_sets;

TEMPLATE_TEST_CASE("feature_sets gives back what was added", "[feature_sets]", std::uint16_t, std::uint32_t,
                   std::uint64_t) {
  oracle::random_engine random(1);
  feature_sets<TestType> sets;
  std::vector<std::vector<TestType>> model;
  std::size_t features = 0;
  REQUIRE(sets.empty());
  for (int round = 0; round < 500; ++round) {
    std::set<TestType> set;
    for (auto n = random() % 20; n > 0; --n) set.insert(static_cast<TestType>(random()));
    model.emplace_back(set.begin(), set.end());
    features += set.size();
    REQUIRE(sets.add(model.back()) == model.size() - 1);
  }
  REQUIRE(sets.size() == model.size());
  REQUIRE(sets.feature_count() == features);
  REQUIRE(sets.memory_usage() >= features * sizeof(TestType) + model.size() * sizeof(std::size_t));
  for (std::size_t i = 0; i < model.size(); ++i) {
    REQUIRE(std::equal(sets[i].begin(), sets[i].end(), model[i].begin(), model[i].end()));
    REQUIRE(neardup::jaccard_similarity(sets[i], model[0]) == neardup::jaccard_similarity(model[i], model[0]));
  }
  sets.clear();
  REQUIRE(sets.empty());
  REQUIRE(sets.add(std::vector<TestType>{5}) == 0);
  REQUIRE(sets[0].size() == 1);
}

TEST_CASE("feature_sets refuses what is no ascending set, and stays as it was", "[feature_sets]") {
  feature_sets<> sets;
  sets.add(std::vector<std::uint32_t>{1, 2});
  REQUIRE_THROWS_AS(sets.add(std::vector<std::uint32_t>{1, 1}), std::invalid_argument);
  REQUIRE_THROWS_AS(sets.add(std::vector<std::uint32_t>{1, 3, 2}), std::invalid_argument);
  REQUIRE(sets.size() == 1);
  REQUIRE(sets.feature_count() == 2);
  REQUIRE(sets.add(std::vector<std::uint32_t>{}) == 1);
  REQUIRE(sets[1].empty());
}

TEST_CASE("feature_sets appends copies of its own sets", "[feature_sets]") {
  const std::vector<std::uint32_t> numbers{3, 5, 8, 13};
  neardup::feature_sets sets;
  sets.add(numbers);
  for (std::size_t i = 0; i < 100; ++i) REQUIRE(sets.add(sets[i].subspan(0, 4 - i / 26)) == i + 1);
  for (std::size_t i = 0; i <= 100; ++i) {
    const auto set = sets[i];
    REQUIRE(std::vector<std::uint32_t>(set.begin(), set.end()) ==
            std::vector<std::uint32_t>(numbers.begin(),
                                       numbers.begin() + static_cast<std::ptrdiff_t>(i == 0 ? 4 : 4 - (i - 1) / 26)));
  }
}
