// accumulator: the vote on each bit, by exact sums in any order, which merge and subtract.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <vector>

#include <neardup/fingerprint/accumulator.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "oracle/random_engine.hpp"
#include "support/widths.hpp"

namespace {

using neardup::accumulator;
using neardup::simhash;
using neardup::weight;

constexpr std::uint64_t most = ~std::uint64_t{0};

template <std::size_t Bits>
struct feature {
  typename accumulator<Bits>::hash_type hash;
  std::uint64_t units;
};

template <std::size_t Bits>
std::vector<feature<Bits>> random_features(std::size_t count, std::uint64_t most_units) {
  oracle::random_engine random(Bits + count);
  std::vector<feature<Bits>> features(count);
  for (auto& f : features) {
    for (std::uint64_t& word : f.hash) word = random();
    f.units = random() % (most_units + 1);
  }
  return features;
}

/// Sets each bit that features with more than half of the total weight have.
template <std::size_t Bits>
simhash<Bits> majority(const std::vector<feature<Bits>>& features) {
  simhash<Bits> result;
  for (std::size_t i = 0; i < Bits; ++i) {
    std::uint64_t set = 0;
    std::uint64_t total = 0;
    for (const auto& f : features) {
      total += f.units;
      if ((f.hash[i / 64] >> (i % 64)) % 2 == 1) set += f.units;
    }
    if (2 * set > total) result.set(i);
  }
  return result;
}

template <std::size_t Bits>
accumulator<Bits> sum_of(const std::vector<feature<Bits>>& features) {
  accumulator<Bits> sums;
  for (const auto& f : features) sums.add_units(f.hash, f.units);
  return sums;
}

// Also usable in a constant expression.
static_assert([] {
  accumulator<32> sums;
  sums.add(0b110);
  sums.add(0b011, weight(2));
  return sums.result();
}() == simhash<32>(0b011));

}  // namespace

TEMPLATE_TEST_CASE_SIG("a bit is 1 if more than half of the weight sets it", "[accumulator]",
                       ((std::size_t Bits), Bits), NEARDUP_TEST_WIDTHS) {
  for (std::size_t count = 1; count < 12; ++count) {
    for (const std::uint64_t most_units : {1U, 3U, 256U, 0xffffffffU}) {
      const auto features = random_features<Bits>(count, most_units);
      const accumulator<Bits> sums = sum_of(features);
      std::uint64_t total = 0;
      for (const auto& f : features) total += f.units;
      REQUIRE(sums.total() == total);
      REQUIRE(sums.result().has_value() == (total > 0));
      if (total > 0) REQUIRE(sums.result() == majority(features));
    }
  }
}

TEST_CASE("a tie gives 0, and one unit more than half gives 1", "[accumulator]") {
  accumulator<64> sums;
  sums.add_units({1}, 1000);
  sums.add_units({2}, 1000);
  CHECK(sums.result() == simhash<64>(0));
  sums.add_units({2}, 1);
  CHECK(sums.result() == simhash<64>(2));
}

TEST_CASE("without weight there is no fingerprint", "[accumulator]") {
  accumulator<64> sums;
  CHECK_FALSE(sums.result());
  sums.add(5, weight(0));
  sums.add(5, weight(1), 0);
  sums.add_units({5}, 0);
  CHECK_FALSE(sums.result());
  CHECK(sums == accumulator<64>{});
  sums.add(5);
  CHECK(sums.result() == simhash<64>(5));
  sums.clear();
  CHECK(sums == accumulator<64>{});
}

TEST_CASE("a token added n times is n tokens", "[accumulator]") {
  accumulator<64> once;
  once.add(0x55, weight(1.5), 3);
  accumulator<64> thrice;
  for (int i = 0; i < 3; ++i) thrice.add(0x55, weight(1.5));
  CHECK(once == thrice);
  CHECK(once.total() == 3 * 384);
}

TEST_CASE("bits of a hash beyond the width do not count", "[accumulator]") {
  accumulator<40> sums;
  sums.add(~std::uint64_t{0});
  CHECK(sums.result()->to_uint64() == 0xffffffffff);
  accumulator<80> wide;
  wide.add({0, ~std::uint64_t{0}});
  CHECK(wide.result()->to_words()[1] == 0xffff);
}

TEST_CASE("a million shuffles of the features give one result", "[accumulator]") {
  std::vector<feature<16>> features = random_features<16>(8, 0xffffffff);
  // Sums in double or float would depend on the order of these weights.
  features[0].units = 1;
  features[1].units = std::uint64_t{1} << 62;
  const accumulator<16> expected = sum_of(features);
  std::mt19937 random(1 + oracle::seed_shift());
  const std::size_t shuffles = oracle::effort(1000000, 100000);
  std::size_t same = 0;
  for (std::size_t i = 0; i < shuffles; ++i) {
    std::shuffle(features.begin(), features.end(), random);
    same += sum_of(features) == expected;
  }
  CHECK(same == shuffles);
}

TEMPLATE_TEST_CASE_SIG("merging is adding all, in any order and grouping", "[accumulator]", ((std::size_t Bits), Bits),
                       NEARDUP_TEST_WIDTHS) {
  const auto features = random_features<Bits>(30, 0xffffffff);
  const accumulator<Bits> all = sum_of(features);
  for (std::size_t cut = 0; cut <= features.size(); cut += 7) {
    const auto middle = features.begin() + static_cast<std::ptrdiff_t>(cut);
    const accumulator<Bits> left = sum_of(std::vector<feature<Bits>>(features.begin(), middle));
    const accumulator<Bits> right = sum_of(std::vector<feature<Bits>>(middle, features.end()));
    accumulator<Bits> merged = left;
    merged.merge(right);
    REQUIRE(merged == all);
    merged.subtract(left);
    REQUIRE(merged == right);
    merged.merge(left);
    merged.subtract(right);
    REQUIRE(merged == left);
  }
  accumulator<Bits> twice = all;
  twice.merge(twice);
  CHECK(twice.total() == 2 * all.total());
  CHECK(twice.result() == all.result());
  twice.subtract(twice);
  CHECK(twice == accumulator<Bits>{});
}

TEST_CASE("subtracting what cannot have been added throws and changes nothing", "[accumulator]") {
  accumulator<64> sums;
  sums.add(0b0011, weight(2));
  sums.add(0b0101, weight(1));
  const accumulator<64> before = sums;
  const auto refused = [&](std::uint64_t hash, weight w) {
    accumulator<64> other;
    other.add(hash, w);
    CHECK_THROWS_AS(sums.subtract(other), std::invalid_argument);
    CHECK_THROWS_AS(sums.subtract(other), std::invalid_argument);
    CHECK(sums == before);
  };
  refused(0b0011, weight(4));    // more than the total
  refused(0b1000, weight(1));    // a bit that no token set
  refused(0b0100, weight(1.5));  // a bit that was set with less weight
  refused(0b0010, weight(2.5));
  refused(0b0000, weight(1));  // all tokens have bit 0, this hash does not
  accumulator<64> part;
  part.add(0b0101, weight(1));
  sums.subtract(part);
  CHECK(sums.total() == 512);
}

TEST_CASE("weights beyond 64 bits throw and change nothing", "[accumulator]") {
  accumulator<64> sums;
  sums.add_units({1}, most - 10);
  const accumulator<64> before = sums;
  CHECK_THROWS_AS(sums.add_units({1}, 11), std::overflow_error);
  CHECK_THROWS_AS(sums.add(1), std::overflow_error);
  CHECK_THROWS_AS(sums.add(1, weight(1), most), std::overflow_error);
  CHECK_THROWS_AS(sums.add(1, weight::from_raw(0xffffffff), std::uint64_t{1} << 33), std::overflow_error);
  CHECK_THROWS_AS(sums.merge(before), std::overflow_error);
  CHECK_THROWS_AS(sums.merge(sums), std::overflow_error);
  CHECK(sums == before);
  sums.add_units({2}, 10);
  CHECK(sums.total() == most);
  CHECK(sums.result() == simhash<64>(1));  // doubling a sum would overflow
  CHECK_NOTHROW(sums.add(1, weight(0), most));
}

TEST_CASE("half of the largest total and less is no majority", "[accumulator]") {
  accumulator<16> sums;
  sums.add_units({1}, std::uint64_t{1} << 62);
  sums.add_units({2}, std::uint64_t{1} << 62);
  CHECK(sums.result() == simhash<16>(0));
  sums.add_units({4}, (std::uint64_t{1} << 63) - 1);
  CHECK(sums.result() == simhash<16>(0));
  accumulator<16> more;
  more.add_units({4}, (std::uint64_t{1} << 63));
  more.add_units({3}, (std::uint64_t{1} << 63) - 1);
  CHECK(more.result() == simhash<16>(4));
}
