// Thresholds: their members, and the numbers that they refuse.
#include <neardup/dedup.hpp>
#include <neardup/sets.hpp>
#include <neardup/threshold.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "catch.hpp"

namespace {

using namespace neardup;

static_assert(std::is_constructible_v<bits, int> && std::is_constructible_v<bits, std::size_t>);
static_assert(bits{3}.count == 3 && bits{3}.blocks == 0);
static_assert(bits{3}.in_blocks(5).blocks == 5 && bits{3}.in_blocks(5).count == 3);
static_assert(!threshold_of_sets<double> && !threshold_of_sets<bits> && !threshold_of_sets<edit>);

/// Returns the message with which a similarity is refused, or "" if it is accepted.
std::string refusal(double similarity) {
  try {
    neardup::detail::check_similarity(similarity);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a number of bits that an int cannot hold is refused, whatever its type") {
  CHECK(bits{std::int64_t{-1}}.count == -1);
  CHECK(bits{std::uint64_t{64}}.count == 64);
  CHECK(bits{std::uint8_t{255}}.count == 255);
  CHECK_THROWS_AS(bits{std::uint64_t{1} << 32}, std::invalid_argument);
  CHECK_THROWS_AS(bits{(std::uint64_t{1} << 32) + 3}, std::invalid_argument);
  CHECK_THROWS_AS(bits{-(std::int64_t{1} << 32)}, std::invalid_argument);
  CHECK_THROWS_AS(bits{std::uint32_t{0xffffffff}}, std::invalid_argument);
  CHECK_THROWS_AS(bits{static_cast<std::uint64_t>(-1)}, std::invalid_argument);
}

TEST_CASE("thresholds of sets are one value with their measure") {
  CHECK(set_threshold(jaccard{0.8}) == set_threshold{set_similarity::jaccard, 0.8, 0});
  CHECK(set_threshold(cosine{0.7, 3}) == set_threshold{set_similarity::cosine, 0.7, 3});
  CHECK(set_threshold(containment{0.8}) == set_threshold{set_similarity::containment, 0.8, default_min_contained});
  const set_threshold few = containment{.similarity = 0.8, .min_common = 2};
  CHECK(few == set_threshold{set_similarity::containment, 0.8, 2});
}

TEST_CASE("a threshold of a measure that does not exist is refused") {
  for (const int measure : {-1, 3, 7}) {
    const set_threshold least{static_cast<set_similarity>(measure), 0.8};
    CHECK_THROWS_AS(set_index<>(least), std::invalid_argument);
    CHECK_THROWS_AS(set_bounds(least), std::invalid_argument);
    CHECK_THROWS_AS(pairs(feature_sets<>(), least), std::invalid_argument);
    CHECK_THROWS_AS(pairs(feature_sets<>(), feature_sets<>(), least), std::invalid_argument);
    CHECK_THROWS_AS(group(std::vector<std::string>(), least), std::invalid_argument);
    CHECK_THROWS_AS(deduplicator(least), std::invalid_argument);
  }
}

TEST_CASE("a least similarity is above 0 and at most 1, and the message names any other number") {
  for (const double similarity : {1e-300, 0.5, 1.0}) CHECK(refusal(similarity).empty());
  CHECK(refusal(80) == "a least similarity is above 0 and at most 1, not 80");
  CHECK(refusal(1.5) == "a least similarity is above 0 and at most 1, not 1.5");
  CHECK(refusal(-0.1) == "a least similarity is above 0 and at most 1, not -0.1");
  CHECK(refusal(0) == "a least similarity is above 0 and at most 1, not 0");
  CHECK(refusal(std::nan("")).find("not nan") != std::string::npos);
  CHECK(refusal(std::nextafter(1.0, 2.0)).find("not 1.0000000000000002") != std::string::npos);
  CHECK(refusal(std::numeric_limits<double>::infinity()).find("not inf") != std::string::npos);
}
