// set_bounds against all sizes and overlaps, one by one.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <vector>

#include <neardup/sets/similarity.hpp>

#include "catch.hpp"

namespace {

using neardup::set_similarity;

double plain_similarity(set_similarity measure, std::size_t a, std::size_t b, std::size_t common) {
  const auto x = static_cast<double>(a), y = static_cast<double>(b), both = static_cast<double>(common);
  if (measure == set_similarity::jaccard) return both / (x + y - both);
  if (measure == set_similarity::cosine) return std::min(1.0, both / std::sqrt(x * y));
  return both / std::min(x, y);
}

}  // namespace

TEST_CASE("the bounds of sizes are those of trying all sizes and overlaps", "[sets]") {
  for (const set_similarity measure : {set_similarity::jaccard, set_similarity::cosine, set_similarity::containment}) {
    for (const double least : {0.01, 0.1, 1.0 / 3, 0.5, 0.6, 2.0 / 3, 0.8, 0.9, 0.95, 1.0}) {
      for (const std::size_t min_common : {1U, 3U, 8U}) {
        const neardup::set_bounds bounds({measure, least, min_common});
        for (std::size_t size = 1; size <= 40; ++size) {
          std::size_t least_size = size + 1, least_common = size + 1;
          for (std::size_t other = 1; other <= 200; ++other) {
            for (std::size_t common = min_common; common <= std::min(size, other); ++common) {
              if (plain_similarity(measure, size, other, common) < least) continue;
              least_size = std::min(least_size, other);
              least_common = std::min(least_common, common);
            }
          }
          CAPTURE(static_cast<int>(measure), least, min_common, size);
          if (least_common > size) {
            REQUIRE(bounds.least_partner(size) > size);
          } else {
            REQUIRE(bounds.least_partner(size) == least_common);
            REQUIRE(bounds.least_partner(size) == least_size);
          }
        }
      }
    }
  }
}

TEST_CASE("the similarity of sizes is that of sets", "[sets]") {
  const neardup::set_bounds bounds(neardup::jaccard{0.5});
  for (std::size_t a = 1; a <= 12; ++a) {
    for (std::size_t b = 1; b <= 12; ++b) {
      for (std::size_t common = 0; common <= std::min(a, b); ++common) {
        std::vector<unsigned> first(a), second(b);
        std::iota(first.begin(), first.end(), 0U);
        std::iota(second.begin(), second.end(), static_cast<unsigned>(a - common));
        REQUIRE(bounds.similarity(a, b, common) == neardup::jaccard_similarity(first, second));
        for (const set_similarity measure : {set_similarity::cosine, set_similarity::containment}) {
          REQUIRE(neardup::set_bounds({measure, 0.5}).similarity(a, b, common) ==
                  plain_similarity(measure, a, b, common));
        }
      }
    }
  }
}

TEST_CASE("bounds without a number that suits the measure, and of no similarity", "[sets][errors]") {
  REQUIRE(neardup::set_bounds(neardup::containment{0.1}).least_partner(100) == neardup::default_min_contained);
  REQUIRE(neardup::set_bounds(neardup::jaccard{0.001}).least_partner(100) == 1);
  for (const double wrong : {0.0, -1.0, 1.5, std::numeric_limits<double>::quiet_NaN()}) {
    REQUIRE_THROWS_AS(neardup::set_bounds(neardup::jaccard{wrong}), std::invalid_argument);
  }
}
