// What other libraries of this kind got wrong about searching and grouping: a test for each, named after the mistake.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include <neardup/dedup.hpp>
#include <neardup/index.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "oracle/hamming.hpp"
#include "oracle/stopwatch.hpp"

namespace {

using neardup::pigeonhole_index;
using neardup::simhash;

/// Calls check(index) with an empty index of each kind.
template <class Check>
void for_each_index(const Check& check) {
  check(neardup::pigeonhole_index<64, neardup::dynamic_layout>(3, 6));
  check(neardup::flat_index<64>());
  oracle::unless_sample([&](auto) {
    check(pigeonhole_index<64>());
    check(pigeonhole_index<64, 3, 5>());
    check(pigeonhole_index<64, 3, 2>());
  });
}

/// More fingerprints than probes, so that searches go through the tables.
template <class Index>
void add_non_matches(Index& index) {
  oracle::random_engine random(17);
  for (std::uint32_t i = 0; i < 500; ++i) index.insert(oracle::random_fingerprint<64>(random), 1000 + i);
}

constexpr std::uint64_t stored_bits = 0x0123456789abcdefU;

}  // namespace

// gaoya: k was exclusive although documented inclusive.
TEST_CASE("trap: a distance of exactly k is a match", "[traps]") {
  for_each_index([](auto index) {
    add_non_matches(index);
    index.insert(simhash<64>(stored_bits), 1);
    std::uint64_t query = stored_bits;
    for (int k = 1; k <= 3; ++k) {
      query ^= std::uint64_t{1} << (k * 17);
      REQUIRE(index.search(simhash<64>(query), k).size() == 1);
      REQUIRE(index.search(simhash<64>(query), k)[0].distance == k);
      REQUIRE(index.search(simhash<64>(query), k - 1).empty());
    }
  });
  const std::vector<simhash<64>> two{simhash<64>(0), simhash<64>(0b10101)};
  REQUIRE(neardup::pairs(two, neardup::bits{3}).size() == 1);
  REQUIRE(neardup::cluster(two, neardup::bits{3}) == std::vector<std::uint32_t>{0, 0});
}

// gaoya: k = 0 found nothing.
TEST_CASE("trap: k = 0 finds equals", "[traps]") {
  for_each_index([](auto index) {
    add_non_matches(index);
    index.insert(simhash<64>(stored_bits), 1);
    REQUIRE(index.search(simhash<64>(stored_bits), 0).size() == 1);
    REQUIRE(index.any_within(simhash<64>(stored_bits), 0));
    REQUIRE(index.search(simhash<64>(stored_bits ^ 1), 0).empty());
  });
  pigeonhole_index<64, 0> exact;
  add_non_matches(exact);
  exact.insert(simhash<64>(stored_bits), 1);
  REQUIRE(exact.search(simhash<64>(stored_bits)).size() == 1);
}

// gaoya: size() was always 0.
TEST_CASE("trap: size() counts", "[traps]") {
  for_each_index([](auto index) {
    REQUIRE(index.empty());
    for (std::uint32_t i = 1; i <= 100; ++i) {
      index.insert(simhash<64>(i / 2), i);
      REQUIRE(index.size() == i);
    }
    REQUIRE(index.distinct_size() == 51);
    index.erase(simhash<64>(50));
    REQUIRE(index.size() == 99);
  });
}

// gaoya, 1e0ng: an id inserted again stayed in its old buckets, too.
TEST_CASE("trap: an id stands where it was put, and nowhere else", "[traps]") {
  for_each_index([](auto index) {
    add_non_matches(index);
    const simhash<64> before(stored_bits);
    const simhash<64> after(~stored_bits);
    REQUIRE(index.insert(before, 7));
    REQUIRE_FALSE(index.insert(before, 7));
    REQUIRE(index.search(before).size() == 1);
    // To move an id: erase and insert. Nothing of the old place is left.
    REQUIRE(index.erase(before, 7));
    REQUIRE(index.insert(after, 7));
    REQUIRE(index.search(before).empty());
    REQUIRE(index.search(after).size() == 1);
    REQUIRE_FALSE(index.erase(before, 7));
    // Without the erase it stands under both, as documented: the pairs are the set.
    REQUIRE(index.insert(before, 7));
    REQUIRE(index.search(before)[0].id == 7);
    REQUIRE(index.search(after)[0].id == 7);
    REQUIRE(index.size() == 502);
  });
}

// text-dedup: permutations instead of combinations, 120 tables instead of 20.
TEST_CASE("trap: the tables are combinations", "[traps]") {
  REQUIRE(neardup::layout(64, 3, 6).table_count() == 20);
  REQUIRE(neardup::layout(64, 3, 5).table_count() == 10);
  REQUIRE(neardup::layout(64, 2, 5).table_count() == 10);
}

// text-dedup: B = 9 built 8 blocks and missed matches. Every single bit of every block must matter.
TEST_CASE("trap: block counts that do not divide the width", "[traps]") {
  for (const int blocks : {3, 5, 6, 7, 9}) {
    const neardup::layout shape(64, 3, blocks);
    REQUIRE(shape.blocks() == blocks);
    std::size_t bits = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(blocks); ++i) bits += shape.block_width(i);
    REQUIRE(bits == 64);
    neardup::pigeonhole_index<64, neardup::dynamic_layout> index(3, blocks);
    add_non_matches(index);
    index.insert(simhash<64>(stored_bits), 1);
    for (int a = 0; a < 64; ++a) {
      for (int b = 0; b <= a; ++b) {
        for (int c = 0; c <= b; ++c) {
          std::uint64_t query = stored_bits ^ std::uint64_t{1} << a;
          if (b < a) query ^= std::uint64_t{1} << b;
          if (c < b) query ^= std::uint64_t{1} << c;
          if (index.search(simhash<64>(query)).size() != 1) FAIL("missed: blocks " << blocks << ", " << a << ' ' << b);
        }
      }
    }
  }
}

// seomoz: two identical documents gave no pair (seomoz/simhash-py#44).
TEST_CASE("trap: two identical documents are a pair", "[traps]") {
  const std::vector<simhash<64>> stored{simhash<64>(5), simhash<64>(1000), simhash<64>(5)};
  for (int k = 0; k <= 3; ++k) {
    REQUIRE(neardup::pairs(stored, neardup::bits{k}) == std::vector<neardup::near_pair<std::uint32_t>>{{0, 2, 0}});
    REQUIRE(neardup::cluster(stored, neardup::bits{k}) == std::vector<std::uint32_t>{0, 1, 0});
  }
  for_each_index([](auto index) {
    index.insert(simhash<64>(5), 1);
    index.insert(simhash<64>(5), 2);
    REQUIRE(index.search(simhash<64>(5)).size() == 2);
  });
}

// 1e0ng: a query made an empty bucket in a defaultdict.
TEST_CASE("trap: a query does not change the index", "[traps]") {
  for_each_index([](auto index) {
    add_non_matches(index);
    const auto before = index;
    const auto& constant = index;
    oracle::random_engine random(3);
    for (int i = 0; i < 2000; ++i) {
      const auto query = oracle::random_fingerprint<64>(random);
      REQUIRE(constant.search(query).empty());
      REQUIRE_FALSE(constant.nearest(query).has_value());
      REQUIRE_FALSE(constant.contains(query));
    }
    REQUIRE(index == before);
    REQUIRE(index.size() == 500);
  });
}

// simhash-py#22: a match came once a table.
TEST_CASE("trap: a match comes once, not once a table", "[traps]") {
  for_each_index([](auto index) {
    add_non_matches(index);
    index.insert(simhash<64>(stored_bits), 1);
    index.insert(simhash<64>(stored_bits ^ 1), 2);
    for (const int k : {1, 2, 3}) {
      REQUIRE(index.search(simhash<64>(stored_bits), k).size() == 2);
      std::size_t seen = 0;
      index.for_each_match(simhash<64>(stored_bits), k, [&](const auto&) { ++seen; });
      REQUIRE(seen == 2);
      REQUIRE(index.search_batch(std::vector(3, simhash<64>(stored_bits)), k).matches.size() == 6);
    }
  });
}

// seomoz: 20,000 fingerprints that share a block took 12 s. They are compared in pairs: that part cannot be helped, but
// a comparison is a nanosecond; and filling and emptying the bucket must not cost comparisons at all.
TEST_CASE("trap: many fingerprints that share a block", "[traps]") {
  const std::size_t count = oracle::effort(20000, 2000);
  oracle::random_engine random(5);
  std::vector<simhash<64>> stored;
  for (std::size_t i = 0; i < count; ++i) stored.emplace_back((random() & 0xffffffffffff0000U) | 0xabcdU);
  const oracle::stopwatch watch;
  REQUIRE(neardup::pairs(stored, neardup::bits{3}).empty());
  for_each_index([&](auto index) {
    for (std::size_t i = 0; i < count; ++i) index.insert(stored[i], static_cast<std::uint32_t>(i));
    for (std::size_t i = 0; i < count; ++i) REQUIRE(index.erase(stored[i], static_cast<std::uint32_t>(i)));
  });
  CHECK(watch.seconds() < 8);
}

// dgryski/go-simstore#22: only k = 3 and 6 worked.
TEST_CASE("trap: any k", "[traps]") {
  for (int k = 0; k <= 16; ++k) {
    neardup::pigeonhole_index<64, neardup::dynamic_layout> index(k);
    add_non_matches(index);
    index.insert(simhash<64>(stored_bits), 1);
    const simhash<64> edge(stored_bits ^ ((std::uint64_t{1} << k) - 1) << 20);
    REQUIRE(index.search(edge, k).size() == 1);
    if (k > 0) REQUIRE(index.search(edge, k - 1).empty());
  }
}

// datatrove#370: which earlier document matched.
TEST_CASE("trap: a match says which document it is", "[traps]") {
  for_each_index([](auto index) {
    add_non_matches(index);
    index.insert(simhash<64>(stored_bits), 41);
    const auto found = index.nearest(simhash<64>(stored_bits ^ 0b101), 3);
    REQUIRE(found);
    REQUIRE(found->id == 41);
    REQUIRE(found->distance == 2);
    REQUIRE(found->fingerprint == simhash<64>(stored_bits));
  });
}
