// The kernels that compare filters, on every instruction set, against a plain loop.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <neardup/detail/filter_join.hpp>

#include "catch.hpp"
#include "oracle/hamming.hpp"
#include "support/instruction_sets.hpp"

namespace {

using neardup::detail::filter_join;
using neardup::detail::filter_pair;
using pair_list = std::vector<std::pair<std::size_t, std::size_t>>;

/// Flips of a base, so that some are near, and strangers.
template <class Filter>
std::vector<Filter> random_filters(std::size_t count, oracle::random_engine& random) {
  std::vector<Filter> result;
  const auto base = static_cast<Filter>(random());
  while (result.size() < count) {
    Filter filter = random() % 3 == 0 ? base : static_cast<Filter>(random());
    for (auto flips = random() % 5; flips > 0; --flips) {
      filter = static_cast<Filter>(filter ^ Filter{1} << random() % (8 * sizeof(Filter)));
    }
    result.push_back(filter);
  }
  return result;
}

template <class Filter>
pair_list by_loop(const std::vector<Filter>& filters, filter_join job, int k) {
  pair_list result;
  for (std::size_t x = job.x; x < job.x_end; ++x) {
    for (std::size_t y = job.is_behind ? x + 1 : job.y_begin; y < job.y_end; ++y) {
      if (std::popcount(static_cast<Filter>(filters[x] ^ filters[y])) <= k) result.emplace_back(x, y);
    }
  }
  return result;
}

template <class Filter>
pair_list by_kernel(const std::vector<Filter>& filters, filter_join job, int k, std::size_t room,
                    neardup::instruction_set level) {
  pair_list result;
  std::vector<filter_pair> found(room);
  while (!job.is_done()) {
    const std::size_t count = join_filters(filters.data(), job, k, std::span(found), level);
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
    const std::size_t end = oracle::random_below(random, size + 1);
    const std::size_t stop = oracle::random_below(random, end + 1);
    const std::size_t begin = oracle::random_below(random, stop + 1);
    const int k = static_cast<int>(oracle::random_below(random, round % 3 == 0 ? bits + 1 : 9));
    const std::size_t room = 64 + oracle::random_below(random, 200);
    for (const auto level : support::instruction_sets()) {
      CAPTURE(sizeof(Filter), begin, stop, end, size, k, room, to_string(level));
      const auto within = filter_join::within(begin, stop, end);
      if (by_kernel(filters, within, k, room, level) != by_loop(filters, within, k)) FAIL("within differs");
      const auto across = filter_join::across(begin, stop, end, size);
      if (by_kernel(filters, across, k, room, level) != by_loop(filters, across, k)) FAIL("across differs");
      const auto backwards = filter_join::across(end, size, begin, stop);
      if (by_kernel(filters, backwards, k, room, level) != by_loop(filters, backwards, k)) FAIL("backwards differs");
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
