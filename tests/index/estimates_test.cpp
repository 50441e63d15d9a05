// Similarity estimated from the distance of fingerprints, and vice versa.

#include <cmath>
#include <limits>
#include <stdexcept>

#include <neardup/index/recall.hpp>

#include "catch.hpp"

using neardup::estimated_similarity;
using neardup::detail::expected_distance;

namespace {

bool is_near(double a, double b) { return std::abs(a - b) < 1e-9; }

}  // namespace

TEST_CASE("the cosine that a distance stands for", "[similarity]") {
  REQUIRE(estimated_similarity(64, 0) == 1.0);
  REQUIRE(is_near(estimated_similarity(64, 32), 0.0));
  REQUIRE(is_near(estimated_similarity(64, 64), -1.0));
  REQUIRE(is_near(estimated_similarity(64, 16), std::sqrt(0.5)));
  REQUIRE(is_near(estimated_similarity(128, 64), 0.0));
  REQUIRE(is_near(estimated_similarity(256, 64), std::sqrt(0.5)));
  const double pi = std::acos(-1.0);
  for (int distance = 0; distance <= 64; ++distance) {
    REQUIRE(is_near(estimated_similarity(64, distance), std::cos(pi * distance / 64)));
    if (distance > 0) REQUIRE(estimated_similarity(64, distance) < estimated_similarity(64, distance - 1));
    REQUIRE(is_near(expected_distance(64, estimated_similarity(64, distance)), distance));
  }
  REQUIRE_THROWS_AS(estimated_similarity(64, -1), std::invalid_argument);
  REQUIRE_THROWS_AS(estimated_similarity(64, 65), std::invalid_argument);
}

TEST_CASE("the distance that a cosine stands for", "[similarity]") {
  REQUIRE(expected_distance(64, 1.0) == 0.0);
  REQUIRE(is_near(expected_distance(64, 0.0), 32));
  REQUIRE(is_near(expected_distance(64, -1.0), 64));
  REQUIRE(is_near(expected_distance(64, 0.5), 64.0 / 3));
  REQUIRE(is_near(expected_distance(128, 0.0), 64));
  REQUIRE(expected_distance(64, std::nextafter(1.0, 2.0)) == 0.0);  // 1 plus a rounding error
  REQUIRE_THROWS_AS(expected_distance(64, 1.001), std::invalid_argument);
  REQUIRE_THROWS_AS(expected_distance(64, -1.001), std::invalid_argument);
  REQUIRE_THROWS_AS(expected_distance(64, std::numeric_limits<double>::quiet_NaN()), std::invalid_argument);
  REQUIRE_THROWS_AS(expected_distance(64, std::numeric_limits<double>::infinity()), std::invalid_argument);
}
