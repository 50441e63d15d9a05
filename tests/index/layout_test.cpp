// A layout must find all fingerprints within K bits. The tests try every choice of differing blocks.
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <stdexcept>
#include <utility>
#include <vector>

#include <neardup/index/layout.hpp>
#include <neardup/index/pigeonhole_index.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"

namespace {

using neardup::layout;
using table_probe = neardup::layout::table_probe;

constexpr int most_blocks = 12;
constexpr int largest_k = 16;
constexpr std::size_t bits = 64;

/// The blocks of a table's key as a bit set, derived from its mask.
std::uint32_t key_blocks(const layout& shape, std::size_t table) {
  const std::vector<std::uint64_t> mask = shape.table_mask(table);
  std::uint32_t blocks = 0;
  for (std::size_t block = 0; block < static_cast<std::size_t>(shape.blocks()); ++block) {
    std::size_t set = 0;
    for (std::size_t bit = shape.block_begin(block); bit < shape.block_begin(block + 1); ++bit) {
      set += mask[bit / 64] >> (bit % 64) & 1;
    }
    REQUIRE((set == 0 || set == shape.block_width(block)));
    if (set != 0) blocks |= std::uint32_t{1} << block;
  }
  return blocks;
}

/// Calls try_it(flips of each block) for every way to spread `flips` over `blocks` blocks.
template <class Try>
void spread(std::size_t blocks, int flips, std::vector<int>& so_far, const Try& try_it) {
  if (so_far.size() + 1 == blocks) {
    so_far.push_back(flips);
    try_it(so_far);
    so_far.pop_back();
    return;
  }
  for (int here = 0; here <= flips; ++here) {
    so_far.push_back(here);
    spread(blocks, flips - here, so_far, try_it);
    so_far.pop_back();
  }
}

std::vector<int> radii(const layout& shape, int k) {
  std::vector<int> result;
  for (const table_probe& probe : shape.plan(k)) result.push_back(probe.radius);
  return result;
}

std::size_t probed_tables(const layout& shape, int k) { return shape.plan(k).size(); }

}  // namespace

TEST_CASE("exact regime: whichever k blocks differ, a probed table is spared", "[index][layout]") {
  std::size_t tried = 0;
  std::size_t plans = 0;
  for (int blocks = 1; blocks <= most_blocks; ++blocks) {
    for (int largest = 0; largest < blocks && largest <= largest_k; ++largest) {
      CAPTURE(blocks, largest);
      if (!layout::is_valid(bits, largest, blocks)) continue;
      const layout shape(bits, largest, blocks);
      REQUIRE(shape.is_exact());
      std::vector<std::uint32_t> keys;
      for (std::size_t table = 0; table < shape.table_count(); ++table) keys.push_back(key_blocks(shape, table));
      for (int k = 0; k <= largest; ++k) {
        CAPTURE(k);
        ++plans;
        std::vector<std::uint32_t> probed;
        for (const table_probe& probe : shape.plan(k)) {
          REQUIRE(probe.radius == 0);
          probed.push_back(keys.at(probe.table));
        }
        REQUIRE(shape.probe_count(k) == probed.size());
        bool covered = true;
        for (std::uint32_t differing = 0; differing < std::uint32_t{1} << blocks; ++differing) {
          if (std::popcount(differing) != k) continue;
          ++tried;
          covered = covered && std::any_of(probed.begin(), probed.end(),
                                           [&](std::uint32_t key) { return (key & differing) == 0; });
        }
        REQUIRE(covered);
      }
    }
  }
  std::printf("layout: %zu exact plans, %zu sets of differing blocks\n", plans, tried);
}

TEST_CASE("radius regime: however k flips spread, a probed table is within its radius", "[index][layout]") {
  std::size_t tried = 0;
  std::size_t plans = 0;
  for (int blocks = 1; blocks <= most_blocks; ++blocks) {
    for (int largest = blocks; largest <= static_cast<int>(oracle::effort(largest_k, 13)); ++largest) {
      const layout shape(bits, largest, blocks);
      REQUIRE_FALSE(shape.is_exact());
      REQUIRE(shape.table_count() == static_cast<std::size_t>(blocks));
      for (int k = 0; k <= largest; ++k) {
        CAPTURE(blocks, largest, k);
        ++plans;
        const std::vector<table_probe> plan = shape.plan(k);
        int sum = 0;
        for (const table_probe& probe : plan) {
          REQUIRE(key_blocks(shape, probe.table) == std::uint32_t{1} << probe.table);
          sum += probe.radius + 1;
        }
        REQUIRE(sum == k + 1);
        if (largest > std::max(blocks, k)) {  // a smaller K had the same plan, and was tested before
          REQUIRE(plan == layout(bits, largest - 1, blocks).plan(k));
          continue;
        }
        // Blocks without a probe may have any number of flips, so all of them count as one block.
        std::vector<int> so_far;
        bool covered = true;
        spread(plan.size() + 1, k, so_far, [&](const std::vector<int>& flips) {
          ++tried;
          bool found = false;
          for (std::size_t i = 0; i < plan.size(); ++i) found = found || flips[i] <= plan[i].radius;
          covered = covered && found;
        });
        REQUIRE(covered);
      }
    }
  }
  std::printf("layout: %zu plans with radii, %zu ways to spread the flips\n", plans, tried);
}

TEST_CASE("the tables are the choices of blocks, each once", "[index][layout]") {
  const auto choose = [](int total, int chosen) {
    std::size_t result = 1;
    for (int i = 1; i <= chosen; ++i) {
      result = result * static_cast<std::size_t>(total - chosen + i) / static_cast<std::size_t>(i);
    }
    return result;
  };
  for (int blocks = 1; blocks <= most_blocks; ++blocks) {
    for (int k = 0; k < blocks; ++k) {
      CAPTURE(blocks, k);
      const std::size_t expected = choose(blocks, k);
      REQUIRE(layout::count_tables(k, blocks) == expected);
      REQUIRE(layout::is_valid(bits, k, blocks) == (expected <= 256));
      if (expected > 256) continue;
      const layout shape(bits, k, blocks);
      REQUIRE(shape.table_count() == expected);
      std::vector<std::uint32_t> keys;
      for (std::size_t table = 0; table < expected; ++table) {
        keys.push_back(key_blocks(shape, table));
        REQUIRE(std::popcount(keys.back()) == blocks - k);
        std::size_t width = 0;
        for (const std::uint64_t word : shape.table_mask(table)) width += static_cast<std::size_t>(std::popcount(word));
        REQUIRE(shape.key_width(table) == width);
      }
      std::sort(keys.begin(), keys.end());
      REQUIRE(std::adjacent_find(keys.begin(), keys.end()) == keys.end());
    }
  }
}

TEST_CASE("how many tables a search probes", "[index][layout]") {
  const layout four(64, 3, 4);
  for (int k = 0; k <= 3; ++k) REQUIRE(probed_tables(four, k) == static_cast<std::size_t>(k) + 1);
  const layout five(64, 3, 5);
  REQUIRE(five.table_count() == 10);
  REQUIRE(probed_tables(five, 0) == 1);
  REQUIRE(probed_tables(five, 1) == 2);
  REQUIRE(probed_tables(five, 2) == 4);
  REQUIRE(probed_tables(five, 3) == 10);
  REQUIRE(layout(64, 3, 6).table_count() == 20);
  // A smaller k never costs more.
  for (int blocks = 1; blocks <= 9; ++blocks) {
    for (int largest = 0; largest <= 16; ++largest) {
      const layout shape(64, largest, blocks);
      for (int k = 1; k <= largest; ++k) REQUIRE(shape.probe_count(k - 1) <= shape.probe_count(k));
    }
  }
}

TEST_CASE("radii share k + 1 among the blocks", "[index][layout]") {
  REQUIRE(radii(layout(64, 10, 4), 10) == std::vector<int>{2, 2, 2, 1});
  REQUIRE(radii(layout(64, 10, 4), 6) == std::vector<int>{1, 1, 1, 0});
  REQUIRE(radii(layout(64, 10, 4), 2) == std::vector<int>{0, 0, 0});
  REQUIRE(radii(layout(64, 3, 2), 3) == std::vector<int>{1, 1});
  REQUIRE(radii(layout(64, 3, 2), 0) == std::vector<int>{0});
  REQUIRE(radii(layout(64, 3, 3), 3) == std::vector<int>{1, 0, 0});
  REQUIRE(radii(layout(64, 5, 1), 5) == std::vector<int>{5});
  REQUIRE(layout(64, 3, 2).probe_count(3) == 66);
  REQUIRE(layout(16, 2, 1).probe_count(2) == 137);
}

TEST_CASE("blocks are nearly equal and cover everything", "[index][layout]") {
  const layout five(64, 3, 5);
  constexpr std::array<std::size_t, 5> widths{13, 13, 13, 13, 12};
  for (std::size_t i = 0; i < 5; ++i) REQUIRE(five.block_width(i) == widths[i]);
  for (const std::size_t width : {16U, 24U, 32U, 64U, 96U, 128U, 256U}) {
    for (int blocks = 1; blocks <= 16; ++blocks) {
      CAPTURE(width, blocks);
      const layout shape(width, 0, blocks);
      REQUIRE(shape.block_begin(0) == 0);
      REQUIRE(shape.block_begin(static_cast<std::size_t>(blocks)) == width);
      std::size_t narrowest = width;
      std::size_t widest = 0;
      for (std::size_t i = 0; i < static_cast<std::size_t>(blocks); ++i) {
        narrowest = std::min(narrowest, shape.block_width(i));
        widest = std::max(widest, shape.block_width(i));
      }
      REQUIRE(narrowest >= 1);
      REQUIRE(widest <= narrowest + 1);
    }
  }
}

TEST_CASE("the default block count", "[index][layout]") {
  using neardup::default_blocks;
  STATIC_REQUIRE(default_blocks(64, 0) == 1);
  STATIC_REQUIRE(default_blocks(64, 1) == 2);
  STATIC_REQUIRE(default_blocks(64, 3) == 4);
  STATIC_REQUIRE(default_blocks(64, 4) == 4);  // 5 blocks would be narrower than 16 bits
  STATIC_REQUIRE(default_blocks(64, 10) == 4);
  STATIC_REQUIRE(default_blocks(128, 3) == 4);
  STATIC_REQUIRE(default_blocks(128, 7) == 8);
  STATIC_REQUIRE(default_blocks(128, 10) == 8);
  STATIC_REQUIRE(default_blocks(16, 3) == 1);
  STATIC_REQUIRE(default_blocks(24, 1) == 1);
  STATIC_REQUIRE(neardup::pigeonhole_index<64>::shape() == layout(64, 3, 4));
  STATIC_REQUIRE(neardup::pigeonhole_index<64, 10>::shape() == layout(64, 10, 4));
  REQUIRE(neardup::pigeonhole_index<64, neardup::dynamic_layout>(7).shape() == layout(64, 7, 4));
  for (std::size_t width = 16; width <= 512; width += 8) {
    for (int k = 0; k < static_cast<int>(width); ++k) {
      if (!layout::is_valid(width, k, default_blocks(width, k))) FAIL("no layout for " << width << " bits, k " << k);
    }
  }
  STATIC_REQUIRE(layout::is_valid(8192, 300, default_blocks(8192, 300)));
}

TEST_CASE("layouts that do not exist are refused", "[index][layout][errors]") {
  const auto refused = [](std::size_t width, int k, int blocks) {
    REQUIRE_FALSE(layout::is_valid(width, k, blocks));
    REQUIRE_THROWS_AS(layout(width, k, blocks), std::invalid_argument);
  };
  refused(64, -1, 4);
  refused(64, 64, 4);
  refused(64, 3, 0);
  refused(64, 3, -2);
  refused(64, 3, 65);
  refused(64, 5, 20);  // 15,504 tables
  refused(64, 4, 11);  // 330 tables
  refused(256, 0, 257);
  refused(64, 30, 60);  // more tables than 64 bits can count
  REQUIRE(layout::is_valid(64, 63, 64));
  REQUIRE(layout::is_valid(64, 63, 1));
  REQUIRE(layout::is_valid(64, 4, 10));  // 210 tables
  using dynamic = neardup::pigeonhole_index<64, neardup::dynamic_layout>;
  REQUIRE_THROWS_AS(dynamic(-1, 4), std::invalid_argument);
  REQUIRE_THROWS_AS(dynamic(5, 20), std::invalid_argument);
  REQUIRE_THROWS_AS(layout(64, 3, 4).plan(4), std::invalid_argument);
  REQUIRE_THROWS_AS(layout(64, 3, 4).plan(-1), std::invalid_argument);
}

TEST_CASE("layouts are for constant expressions", "[index][layout]") {
  STATIC_REQUIRE(layout(64, 3, 5).table_count() == 10);
  STATIC_REQUIRE(layout(64, 3, 5).probe_count(2) == 4);
  STATIC_REQUIRE(layout(64, 3, 5).key_width(1) == 26);
  REQUIRE(layout(64, 3, 5).plan(2).size() == 4);
  REQUIRE(layout(64, 10, 4).plan(10)[3] == table_probe{3, 1});
  REQUIRE(layout(64, 3, 4).table_mask(1)[0] == 0xffff0000U);
}
