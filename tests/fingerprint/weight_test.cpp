// weight: exact fixed point from numbers, and errors for invalid ones.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include <neardup/fingerprint/weighters.hpp>

#include "catch.hpp"

using neardup::weight;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

static_assert(weight{}.raw() == 256 && weight(1).raw() == 256);
static_assert(weight(2.5).raw() == 640 && static_cast<double>(weight(2.5)) == 2.5);
static_assert(weight::from_raw(7).raw() == 7 && weight::from_raw(7) < weight::from_raw(8));
static_assert(!std::is_convertible_v<double, weight> && !std::is_convertible_v<weight, double>);

}  // namespace

TEST_CASE("a weight is the nearest 1/256, halves upwards", "[weight]") {
  CHECK(weight(0.0).raw() == 0);
  CHECK(weight(-0.0).raw() == 0);
  CHECK(weight(1.0 / 256).raw() == 1);
  CHECK(weight(1.0 / 512).raw() == 1);
  CHECK(weight(std::nextafter(1.0 / 512, 0)).raw() == 0);
  CHECK(weight(3.0 / 512).raw() == 2);
  CHECK(weight(0.1).raw() == 26);
  CHECK(weight(1e-9).raw() == 0);
  CHECK(weight(std::numeric_limits<double>::denorm_min()).raw() == 0);
  CHECK(weight(std::numeric_limits<double>::min()).raw() == 0);
}

TEST_CASE("every weight comes back from its number", "[weight]") {
  bool same = true;
  for (std::uint64_t raw = 0; raw <= 0xffffffff; raw += 65521) {
    const weight w = weight::from_raw(static_cast<std::uint32_t>(raw));
    same = same && weight(static_cast<double>(w)) == w;
  }
  CHECK(same);
  CHECK(weight(16777215.99609375).raw() == 0xffffffff);
}

TEST_CASE("the largest weight is just below 2^24", "[weight]") {
  CHECK(weight(std::nextafter(16777216.0, 0)).raw() == 0xffffffff);
  CHECK_THROWS_AS(weight(16777216.0), std::invalid_argument);
  CHECK_THROWS_AS(weight(1e300), std::invalid_argument);
}

TEST_CASE("NaN, infinite and negative numbers are no weights", "[weight]") {
  for (const double value :
       {not_a_number, -not_a_number, infinity, -infinity, -1.0, -1e-300, -std::numeric_limits<double>::denorm_min()}) {
    CAPTURE(value);
    CHECK_THROWS_AS(weight(value), std::invalid_argument);
  }
}

TEST_CASE("the fixed-point logarithm is within 2^-28", "[weight]") {
  double worst = 0;
  const auto try_one = [&](std::uint64_t n) {
    const long double found = static_cast<long double>(neardup::detail::fixed_point_ln(n)) / 4294967296.0L;
    worst = std::max(worst, static_cast<double>(std::fabs(found - std::log(static_cast<long double>(n)))));
  };
  for (std::uint64_t n = 1; n < 3000; ++n) try_one(n);
  for (std::uint64_t n = 1; n < (std::uint64_t{1} << 62); n += n / 16 + 1) try_one(n);
  for (int i = 1; i < 64; ++i) {
    try_one(std::uint64_t{1} << i);
    try_one((std::uint64_t{1} << i) - 1);
  }
  try_one(~std::uint64_t{0});
  CHECK(worst < 1.0 / (1 << 28));
}
