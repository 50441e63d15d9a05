// Kernels that compare filters or whole fingerprints, on every instruction set, against a plain loop.
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <neardup/simd/filters.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "oracle/hamming.hpp"
#include "support/instruction_sets.hpp"

namespace {

using neardup::detail::filter_join;
using neardup::detail::filter_pair;
using place_pairs = std::vector<std::pair<std::size_t, std::size_t>>;

template <std::size_t Words>
using whole = std::array<std::uint64_t, Words>;

std::uint32_t random_filter(std::uint32_t, oracle::random_engine& random) {
  return static_cast<std::uint32_t>(random());
}
std::uint64_t random_filter(std::uint64_t, oracle::random_engine& random) { return random(); }
template <std::size_t Words>
whole<Words> random_filter(whole<Words> filter, oracle::random_engine& random) {
  for (std::uint64_t& word : filter) word = random();
  return filter;
}

template <class Filter>
void flip(Filter& filter, std::size_t bit) {
  filter = static_cast<Filter>(filter ^ Filter{1} << bit);
}
template <std::size_t Words>
void flip(whole<Words>& filter, std::size_t bit) {
  filter[bit / 64] ^= std::uint64_t{1} << bit % 64;
}

template <class Filter>
int distance(Filter a, Filter b) {
  return std::popcount(static_cast<Filter>(a ^ b));
}
template <std::size_t Words>
int distance(const whole<Words>& a, const whole<Words>& b) {
  int count = 0;
  for (std::size_t i = 0; i < Words; ++i) count += std::popcount(a[i] ^ b[i]);
  return count;
}

/// Copies of a base with random flips, some near and some far, and unrelated values.
template <class Filter>
std::vector<Filter> random_filters(std::size_t count, oracle::random_engine& random) {
  std::vector<Filter> result;
  const Filter base = random_filter(Filter{}, random);
  while (result.size() < count) {
    Filter filter = random() % 3 == 0 ? base : random_filter(Filter{}, random);
    for (auto flips = random() % 5; flips > 0; --flips) flip(filter, random() % (8 * sizeof(Filter)));
    result.push_back(filter);
  }
  return result;
}

template <class Filter>
place_pairs by_loop(const std::vector<Filter>& xs, const std::vector<Filter>& ys, filter_join job, int k) {
  place_pairs result;
  for (std::size_t x = job.x; x < job.x_end; ++x) {
    for (std::size_t y = job.is_behind ? x + 1 : job.y_begin; y < job.y_end; ++y) {
      if (distance(xs[x], ys[y]) <= k) result.emplace_back(x, y);
    }
  }
  return result;
}

template <class Filter>
place_pairs by_kernel(const std::vector<Filter>& xs, const std::vector<Filter>& ys, filter_join job, int k,
                      std::size_t room, neardup::instruction_set level) {
  place_pairs result;
  std::vector<filter_pair> found(room);
  while (!job.is_done()) {
    const std::size_t count = join_filters(xs.data(), ys.data(), job, k, std::span(found), level);
    REQUIRE(count <= room);
    for (const filter_pair& pair : std::span(found).first(count)) result.emplace_back(pair.x, pair.y);
  }
  return result;
}

template <class Filter>
void check(std::size_t rounds) {
  oracle::random_engine random(sizeof(Filter));
  constexpr int bits = 8 * sizeof(Filter);
  for (std::size_t round = 0; round < rounds; ++round) {
    const std::size_t size = 1 + oracle::random_below(random, round % 4 == 0 ? 700 : 80);
    const auto filters = random_filters<Filter>(size, random);
    auto queries = random_filters<Filter>(round % 5, random);
    queries.push_back(filters[round % size]);
    const std::size_t end = oracle::random_below(random, size + 1);
    const std::size_t stop = oracle::random_below(random, end + 1);
    const std::size_t begin = oracle::random_below(random, stop + 1);
    const int k = static_cast<int>(oracle::random_below(random, round % 3 == 0 ? bits + 1 : 9));
    const std::size_t room = 64 + oracle::random_below(random, 200);
    for (const auto level : support::instruction_sets()) {
      CAPTURE(sizeof(Filter), begin, stop, end, size, k, room, to_string(level));
      const auto within = filter_join::within(begin, stop, end);
      if (by_kernel(filters, filters, within, k, room, level) != by_loop(filters, filters, within, k))
        FAIL("within differs");
      const auto across = filter_join::across(begin, stop, end, size);
      if (by_kernel(filters, filters, across, k, room, level) != by_loop(filters, filters, across, k))
        FAIL("across differs");
      const auto backwards = filter_join::across(end, size, begin, stop);
      if (by_kernel(filters, filters, backwards, k, room, level) != by_loop(filters, filters, backwards, k))
        FAIL("backwards differs");
      const auto between = filter_join::across(0, queries.size(), begin, end);
      if (by_kernel(queries, filters, between, k, room, level) != by_loop(queries, filters, between, k)) {
        FAIL("queries differ");
      }
    }
  }
}

/// Every distance against every k, for all places of the flipped bits.
template <std::size_t Words>
void check_borders() {
  constexpr std::size_t bits = 64 * Words;
  std::vector<whole<Words>> queries{{}};
  std::vector<whole<Words>> stored{{}};
  for (std::size_t i = 0; i < bits; ++i) {
    // Successive flips are far apart: 29 is odd, so i * 29 takes all positions.
    stored.push_back(stored.back());
    flip(stored.back(), i * 29 % bits);
  }
  for (const auto level : support::instruction_sets()) {
    for (std::size_t begin = 0; begin < 9; ++begin) {
      for (int k = 0; k <= static_cast<int>(bits); k += static_cast<int>(oracle::effort(1, 3))) {
        CAPTURE(Words, begin, k, to_string(level));
        const auto job = filter_join::across(0, 1, begin, stored.size());
        place_pairs expected;
        for (std::size_t i = begin; i <= static_cast<std::size_t>(k); ++i) expected.emplace_back(0, i);
        if (by_kernel(queries, stored, job, k, 64, level) != expected) FAIL("distances differ");
      }
    }
  }
}

}  // namespace

TEST_CASE("filters of 32 bits are compared as by a loop, on every instruction set", "[dedup][kernels]") {
  check<std::uint32_t>(600);
}
TEST_CASE("filters of 64 bits are compared as by a loop, on every instruction set", "[dedup][kernels]") {
  check<std::uint64_t>(600);
}

TEST_CASE("whole fingerprints are compared as by a loop, on every instruction set", "[dedup][kernels]") {
  check<whole<1>>(oracle::effort(200, 50));
  check<whole<2>>(oracle::effort(600, 150));
  check<whole<3>>(oracle::effort(400, 100));
  check<whole<9>>(oracle::effort(200, 50));  // too wide for vectors
  oracle::unless_sample([](auto) {
    check<whole<4>>(oracle::effort(400, 100));
    check<whole<5>>(oracle::effort(200, 50));
    check<whole<7>>(oracle::effort(200, 50));
    check<whole<8>>(oracle::effort(200, 50));
  });
}
TEST_CASE("whole fingerprints are told at every distance and k, on every instruction set", "[dedup][kernels]") {
  check_borders<1>();
  check_borders<2>();
  check_borders<3>();
  oracle::unless_sample([](auto) {
    check_borders<4>();
    check_borders<6>();
    check_borders<8>();
    check_borders<9>();
  });
}
