// The similarities against their formulas.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <random>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <neardup/dedup/similarity.hpp>

#include "catch.hpp"

namespace {

using neardup::estimated_cosine;
using neardup::expected_distance;
using neardup::jaccard;

bool is_near(double a, double b) { return std::abs(a - b) < 1e-9; }

}  // namespace

TEST_CASE("jaccard is the common part", "[similarity]") {
  const std::vector<int> a{1, 2, 3, 4};
  const std::vector<int> b{3, 4, 5, 6};
  REQUIRE(jaccard(a, a) == 1.0);
  REQUIRE(jaccard(a, b) == 2.0 / 6.0);
  REQUIRE(jaccard(b, a) == 2.0 / 6.0);
  REQUIRE(jaccard(a, std::vector<int>{7}) == 0.0);
  REQUIRE(jaccard(a, std::vector<int>{}) == 0.0);
  REQUIRE(jaccard(std::vector<int>{}, a) == 0.0);
  REQUIRE(jaccard(std::vector<int>{}, std::vector<int>{}) == 0.0);
  REQUIRE(jaccard(std::span<const int>(a), std::span<const int>(b).first(1)) == 1.0 / 4.0);
  REQUIRE(jaccard(std::vector<std::string>{"a", "b"}, std::set<std::string>{"b"}) == 0.5);
  using wide = std::array<std::uint64_t, 2>;
  REQUIRE(jaccard(std::vector<wide>{{0, 1}, {1, 0}}, std::vector<wide>{{1, 0}, {1, 1}}) == 1.0 / 3.0);
}

TEST_CASE("jaccard of random sets", "[similarity]") {
  std::mt19937_64 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::set<std::uint64_t> a;
    std::set<std::uint64_t> b;
    const auto draw = [&](std::set<std::uint64_t>& set) {
      for (auto i = random() % 40; i > 0; --i) set.insert(random() % 50);
    };
    draw(a);
    draw(b);
    std::size_t common = 0;
    for (const std::uint64_t x : a) common += b.count(x);
    const std::size_t all = a.size() + b.size() - common;
    const double expected = all == 0 ? 0.0 : static_cast<double>(common) / static_cast<double>(all);
    const std::vector<std::uint64_t> sorted_a(a.begin(), a.end());
    const std::vector<std::uint64_t> sorted_b(b.begin(), b.end());
    REQUIRE(jaccard(sorted_a, sorted_b) == expected);
  }
}

TEST_CASE("the cosine that a distance stands for", "[similarity]") {
  REQUIRE(estimated_cosine<64>(0) == 1.0);
  REQUIRE(is_near(estimated_cosine<64>(32), 0.0));
  REQUIRE(is_near(estimated_cosine<64>(64), -1.0));
  REQUIRE(is_near(estimated_cosine<64>(16), std::sqrt(0.5)));
  REQUIRE(is_near(estimated_cosine<128>(64), 0.0));
  REQUIRE(is_near(estimated_cosine<256>(64), std::sqrt(0.5)));
  const double pi = std::acos(-1.0);
  for (int distance = 0; distance <= 64; ++distance) {
    REQUIRE(is_near(estimated_cosine<64>(distance), std::cos(pi * distance / 64)));
    if (distance > 0) REQUIRE(estimated_cosine<64>(distance) < estimated_cosine<64>(distance - 1));
    REQUIRE(is_near(expected_distance(64, estimated_cosine<64>(distance)), distance));
  }
  REQUIRE_THROWS_AS(estimated_cosine<64>(-1), std::invalid_argument);
  REQUIRE_THROWS_AS(estimated_cosine<64>(65), std::invalid_argument);
}

TEST_CASE("the distance that a cosine stands for", "[similarity]") {
  REQUIRE(expected_distance(64, 1.0) == 0.0);
  REQUIRE(is_near(expected_distance(64, 0.0), 32));
  REQUIRE(is_near(expected_distance(64, -1.0), 64));
  REQUIRE(is_near(expected_distance(64, 0.5), 64.0 / 3));
  REQUIRE(is_near(expected_distance(128, 0.0), 64));
  REQUIRE(expected_distance(64, std::nextafter(1.0, 2.0)) == 0.0);  // what rounding makes of 1
  REQUIRE_THROWS_AS(expected_distance(64, 1.001), std::invalid_argument);
  REQUIRE_THROWS_AS(expected_distance(64, -1.001), std::invalid_argument);
  REQUIRE_THROWS_AS(expected_distance(64, std::numeric_limits<double>::quiet_NaN()), std::invalid_argument);
  REQUIRE_THROWS_AS(expected_distance(64, std::numeric_limits<double>::infinity()), std::invalid_argument);
}
