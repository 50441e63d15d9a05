// Scans of runs of filters, for every instruction set, against plain loops.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <neardup/instruction_set.hpp>
#include <neardup/simd/filters.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "oracle/hamming.hpp"
#include "support/instruction_sets.hpp"

namespace {

using neardup::detail::filter_run;
using hit_list = std::vector<std::pair<std::size_t, std::size_t>>;  // (run, position)

template <class Filter>
hit_list by_loop(const std::vector<filter_run>& runs, int k) {
  hit_list result;
  for (std::size_t run = 0; run < runs.size(); ++run) {
    const auto* const filters = static_cast<const Filter*>(runs[run].filters);
    for (std::size_t i = 0; i < runs[run].count; ++i) {
      if (std::popcount(static_cast<Filter>(filters[i] ^ static_cast<Filter>(runs[run].query))) <= k) {
        result.emplace_back(run, i);
      }
    }
  }
  return result;
}

template <class Filter>
hit_list by_scan(const std::vector<filter_run>& runs, int k, std::size_t& calls) {
  hit_list result;
  const auto scan = neardup::detail::filter_scan<Filter>();
  std::vector<neardup::detail::filter_hit> hits(neardup::detail::hit_capacity);
  for (neardup::detail::scan_position at; at.run < runs.size(); ++calls) {
    const std::size_t found = scan(runs.data(), runs.size(), at, k, hits.data());
    REQUIRE(found <= hits.size());
    for (std::size_t i = 0; i < found; ++i) result.emplace_back(hits[i].run, hits[i].position);
  }
  return result;
}

/// Checks runs of all lengths, mostly short, at any offset within a cache line; few or most filters match.
template <class Filter>
void check() {
  constexpr int bits = 8 * sizeof(Filter);
  oracle::random_engine random(bits);
  std::size_t calls = 0, rounds = 0;
  for (std::size_t round = 0; round < oracle::effort(600, 150); ++round, ++rounds) {
    // Arrays of exact size, so that a sanitizer detects reads beyond them.
    std::vector<std::vector<Filter>> memory;
    std::vector<filter_run> runs;
    for (std::size_t number = oracle::random_below(random, 65); number > 0; --number) {
      const std::size_t offset = oracle::random_below(random, 17);
      const std::size_t count = oracle::random_below(random, round % 10 == 0 ? 900 : 40);
      const std::uint64_t query = random();
      std::vector<Filter> filters(offset + count);
      for (Filter& filter : filters) {
        filter = static_cast<Filter>(query);
        for (std::size_t flips = oracle::random_below(random, 8); flips > 0; --flips) {
          filter ^= static_cast<Filter>(Filter{1} << oracle::random_below(random, bits));
        }
      }
      memory.push_back(std::move(filters));
      runs.push_back({memory.back().data() + offset, count, query});
    }
    for (const int k : {0, 3, 6, bits}) {
      const hit_list expected = by_loop<Filter>(runs, k);
      for (const auto level : support::instruction_sets()) {
        const support::forced_instruction_set forced(level);
        CAPTURE(bits, round, k, neardup::to_string(level));
        REQUIRE(by_scan<Filter>(runs, k, calls) == expected);
      }
    }
  }
  // The capacity for hits was exceeded, so scans resumed within a run.
  REQUIRE(calls > 20 * rounds);
}

}  // namespace

TEST_CASE("filter_scan: runs of 32 bits equal the plain loop", "[index][kernels][oracle]") { check<std::uint32_t>(); }
TEST_CASE("filter_scan: runs of 64 bits equal the plain loop", "[index][kernels][oracle]") { check<std::uint64_t>(); }
