// Worst-case input: millions of copies, buckets that hold everything. The time limits are more than ten times the usual
// time. (Erasing scans a bucket by vectors; one entry at a time would exceed the limits.)
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include <neardup/index/pigeonhole_index.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "oracle/hamming.hpp"
#include "oracle/probing.hpp"
#include "oracle/stopwatch.hpp"

namespace {

using neardup::simhash;
using oracle::stopwatch;

enum class order { first_to_last, last_to_first, shuffled };

std::vector<std::uint32_t> numbers(std::size_t count, order wanted) {
  std::vector<std::uint32_t> result(count);
  std::iota(result.begin(), result.end(), 0U);
  if (wanted == order::last_to_first) std::reverse(result.begin(), result.end());
  if (wanted == order::shuffled) std::shuffle(result.begin(), result.end(), oracle::random_engine(1));
  return result;
}

/// Fingerprints with equal keys in one table, and random other bits.
std::vector<simhash<64>> with_one_key(const neardup::layout& shape, std::size_t table, std::size_t count) {
  const std::uint64_t mask = shape.table_mask(table)[0];
  oracle::random_engine random(table);
  const std::uint64_t key = random() & mask;
  std::vector<simhash<64>> result;
  for (std::size_t i = 0; i < count; ++i) result.emplace_back((random() & ~mask) | key);
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  std::shuffle(result.begin(), result.end(), random);
  return result;
}

constexpr std::array<order, 3> all_orders{order::first_to_last, order::last_to_first, order::shuffled};

/// Returns all orders, or only one: another one for each `turn`.
std::span<const order> orders(std::size_t turn) {
  const std::size_t count = oracle::effort(3, 1, 1);
  return std::span(all_orders).subspan(count == 1 ? turn % all_orders.size() : 0, count);
}

void fill_and_drain(int k, int blocks, const std::vector<simhash<64>>& fingerprints,
                    std::span<const order> orders_to_try) {
  neardup::pigeonhole_index<64, neardup::dynamic_layout> index(k, blocks);
  for (const order wanted : orders_to_try) {
    CAPTURE(k, blocks, static_cast<int>(wanted));
    const stopwatch watch;
    bool right = true;
    for (std::size_t i = 0; i < fingerprints.size(); ++i) {
      right = index.insert(fingerprints[i], static_cast<std::uint32_t>(i)) && right;
    }
    REQUIRE(right);
    REQUIRE(index.distinct_size() == fingerprints.size());
    REQUIRE(index.contains(fingerprints.front(), 0));
    REQUIRE(index.search(fingerprints.back(), 0).size() == 1);
    for (const std::uint32_t i : numbers(fingerprints.size(), wanted)) right = index.erase(fingerprints[i], i) && right;
    REQUIRE(right);
    REQUIRE(index.empty());
    REQUIRE_FALSE(index.any_within(fingerprints.front(), k));
    CHECK(watch.seconds() < 4);
  }
}

}  // namespace

TEST_CASE("very many copies of one fingerprint", "[index][hostile]") {
  const std::size_t count = oracle::effort(1000000, 300000, 50000);
  neardup::pigeonhole_index<64> index;
  const simhash<64> copy(0xfeedU);
  for (const order wanted : all_orders) {
    CAPTURE(static_cast<int>(wanted));
    const auto ids = numbers(count, wanted);
    const stopwatch watch;
    bool right = true;
    for (const std::uint32_t id : ids) right = index.insert(copy, id) && right;
    REQUIRE(right);
    REQUIRE(index.size() == count);
    REQUIRE(index.distinct_size() == 1);
    for (const std::uint32_t id : ids) right = index.contains(copy, id) && !index.insert(copy, id) && right;
    REQUIRE(right);
    // Members that need only one id must not visit all ids.
    for (int i = 0; i < 1000; ++i) right = index.any_within(copy) && index.nearest(copy)->id == 0 && right;
    REQUIRE(right);
    const auto matches = index.search(copy);
    REQUIRE(matches.size() == count);
    REQUIRE(matches.back().id == count - 1);
    for (const std::uint32_t id : ids) right = index.erase(copy, id) && !index.contains(copy, id) && right;
    REQUIRE(right);
    REQUIRE(index.empty());
    REQUIRE(index.distinct_size() == 0);
    CHECK(watch.seconds() < 20);
  }
}

TEST_CASE("a crowd with one key in a table, 2 blocks", "[index][hostile]") {
  for (std::size_t table = 0; table < 2; ++table) {
    fill_and_drain(3, 2, with_one_key(neardup::layout(64, 3, 2), table, oracle::effort(50000, 5000)), orders(table));
  }
}
TEST_CASE("a crowd with one key in a table, 4 blocks", "[index][hostile]") {
  for (std::size_t table = 0; table < 4; ++table) {
    fill_and_drain(3, 4, with_one_key(neardup::layout(64, 3, 4), table, oracle::effort(50000, 5000)), orders(table));
  }
}
TEST_CASE("a crowd with one key in a table, 5 blocks", "[index][hostile]") {
  for (std::size_t table = 0; table < 10; ++table) {
    const auto fingerprints = with_one_key(neardup::layout(64, 3, 5), table, oracle::effort(50000, 2000));
    fill_and_drain(3, 5, fingerprints, orders(table));
  }
}

TEST_CASE("a crowd with regular fingerprints", "[index][hostile]") {
  const std::size_t count = oracle::effort(50000, 5000);
  // Counts up in the lowest bits, in the highest, and in multiples of a large odd number and of its inverse.
  constexpr std::uint64_t golden = 0x9e3779b97f4a7c15U;
  std::uint64_t inverse = golden;
  for (int i = 0; i < 5; ++i) inverse *= 2 - golden * inverse;
  REQUIRE(golden * inverse == 1);
  for (const std::uint64_t factor : {std::uint64_t{1}, std::uint64_t{1} << 46, golden, inverse}) {
    std::vector<simhash<64>> fingerprints;
    for (std::size_t i = 0; i < count; ++i) fingerprints.emplace_back(i * factor);
    fill_and_drain(3, 4, fingerprints, orders(0));
    fill_and_drain(3, 2, fingerprints, orders(1));
    fill_and_drain(3, 1, fingerprints, orders(2));
  }
}

TEST_CASE("growth and decline do not add up", "[index][hostile]") {
  // A sliding window over a stream. The last tenth takes as long as the first.
  const std::size_t window = 2000;
  const std::size_t count = oracle::effort(1000000, 30000);
  neardup::pigeonhole_index<64> index;
  oracle::random_engine in(1);
  oracle::random_engine out(1);
  const stopwatch watch;
  bool right = true;
  for (std::size_t i = 0; i < count; ++i) {
    right = index.insert(simhash<64>(in() & 0xffffff0000ffffffU), 1) && right;
    if (i >= window) right = index.erase(simhash<64>(out() & 0xffffff0000ffffffU), 1) && right;
  }
  REQUIRE(right);
  REQUIRE(index.size() == window);
  CHECK(watch.seconds() < 10);
}
