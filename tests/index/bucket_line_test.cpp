// Buckets of one cache line each, against plain loops.
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include <neardup/index/engine/bucket_line.hpp>
#include <neardup/index/engine/frozen_engine.hpp>
#include <neardup/index/flat_index.hpp>
#include <neardup/index/frozen_index.hpp>
#include <neardup/instruction_set.hpp>
#include <neardup/threads.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "oracle/hamming.hpp"
#include "support/instruction_sets.hpp"

namespace {

using neardup::simhash;
using neardup::detail::bucket_line;

struct level_restored {
  ~level_restored() { neardup::set_instruction_set(neardup::detail::best_instruction_set()); }
};

/// Random fingerprints, `percent` % of which differ only in their lowest 16 bits, so that they share most keys.
std::vector<simhash<64>> crowded(std::size_t count, unsigned percent) {
  oracle::random_engine random(percent + 1);
  std::vector<simhash<64>> result;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t x = random();
    result.emplace_back(i % 100 < percent ? x >> 48 | 0x123456789abc0000U : x);
  }
  return result;
}

}  // namespace

TEST_CASE("bucket_line: keeps what fits, and tells how much does not", "[index][frozen]") {
  std::array<std::uint32_t, 100> filters, slots;
  oracle::random_engine random(5);
  for (std::size_t i = 0; i < filters.size(); ++i) {
    filters[i] = static_cast<std::uint32_t>(random());
    slots[i] = static_cast<std::uint32_t>(random());
  }
  for (const std::size_t overflow : {std::size_t{0}, std::size_t{77}, bucket_line::overflow_limit - 1}) {
    for (std::size_t count = 0; count <= 90; ++count) {
      CAPTURE(count, overflow);
      const bucket_line line(count, filters.data(), slots.data(), overflow);
      const std::size_t expected = count <= 10 ? count : count < 15 ? 10 : 9;
      REQUIRE(line.inline_count() == expected);
      REQUIRE(bucket_line::inline_count(count) == expected);
      REQUIRE(line.overflows() == (expected < count));
      REQUIRE(line.overflow_count() == count - expected);
      REQUIRE(line.overflow() == (expected < count ? overflow : 0));
      for (std::size_t i = 0; i < expected; ++i) {
        REQUIRE(line.filters()[i] == ((filters[i] ^ filters[i] >> 16) & 0xffff));
        REQUIRE(line.slot(i) == slots[i]);
      }
    }
  }
}

TEST_CASE("bucket_line: scans equal the plain loop", "[index][frozen][oracle]") {
  const level_restored restored;
  constexpr std::size_t most = 64;
  oracle::random_engine random(6);
  std::vector<bucket_line> lines(most);
  std::size_t all_hits = 0, all_overflows = 0;
  for (std::size_t round = 0; round < oracle::effort(2000, 200); ++round) {
    const auto query = static_cast<std::uint32_t>(random() & 0xffff);
    const std::size_t probed = oracle::random_below(random, most + 1);
    std::vector<neardup::detail::line_probe> probes;
    for (std::size_t i = 0; i < probed; ++i) {
      std::array<std::uint32_t, bucket_line::capacity> filters, slots;
      for (std::size_t j = 0; j < filters.size(); ++j) {
        // Each filter differs from the query in a few bits. The upper half of the filter is random, and is cancelled
        // when the halves are combined by exclusive or.
        const auto high = static_cast<std::uint32_t>(random() & 0xffff);
        filters[j] = high << 16 | (high ^ query);
        for (std::size_t flips = oracle::random_below(random, 9); flips > 0; --flips) {
          filters[j] ^= std::uint32_t{1} << oracle::random_below(random, 32);
        }
        slots[j] = static_cast<std::uint32_t>(random());
      }
      lines[i] = bucket_line(oracle::random_below(random, 20), filters.data(), slots.data(), i);
      probes.push_back({&lines[i], static_cast<std::uint16_t>(query), static_cast<std::uint32_t>(i)});
    }
    for (int k = 0; k <= 4; ++k) {
      std::set<std::pair<std::size_t, std::size_t>> hits;
      std::vector<std::uint32_t> overflows;
      for (std::size_t i = 0; i < probed; ++i) {
        for (std::size_t j = 0; j < lines[i].inline_count(); ++j) {
          if (std::popcount(lines[i].filters()[j] ^ query) <= k) hits.emplace(i, j);
        }
        if (lines[i].overflows()) overflows.push_back(static_cast<std::uint32_t>(i));
      }
      all_hits += hits.size();
      all_overflows += overflows.size();
      for (const auto level : support::instruction_sets()) {
        neardup::set_instruction_set(level);
        CAPTURE(to_string(level), k, probed);
        neardup::detail::line_findings<most> findings;
        neardup::detail::line_scan<most>()(probes.data(), probed, k, findings);
        std::set<std::pair<std::size_t, std::size_t>> found;
        for (std::size_t i = 0; i < findings.hit_count; ++i) {
          REQUIRE(found.emplace(findings.hits[i].probe, findings.hits[i].position).second);
        }
        REQUIRE(found == hits);
        REQUIRE(findings.overflow_count == overflows.size());
        for (std::size_t i = 0; i < overflows.size(); ++i) REQUIRE(findings.overflows[i] == overflows[i]);
      }
    }
  }
  REQUIRE(all_hits > 1000);
  REQUIRE(all_overflows > 1000);
}

TEST_CASE("bucket_line: buckets are in the order of hashes, and none is left out", "[index][frozen]") {
  using neardup::detail::bucket_of;
  for (const std::uint64_t buckets : {1ULL, 2ULL, 3ULL, 7ULL, 64ULL, 1000003ULL, 0xffffffffULL}) {
    REQUIRE(bucket_of(0, buckets) == 0);
    REQUIRE(bucket_of(~0ULL, buckets) == buckets - 1);
  }
  for (std::uint64_t bits = 1; bits < 32; ++bits) {
    REQUIRE(bucket_of(0x123456789abcdef0U, 1ULL << bits) == 0x123456789abcdef0U >> (64 - bits));
  }
  std::size_t last = 0;
  for (std::uint64_t hash = 0; hash < 4096; ++hash) {
    const std::size_t bucket = bucket_of(hash << 52, 997);
    REQUIRE((bucket == last || bucket == last + 1));
    last = bucket;
  }
}

namespace {

/// Checks a layout with lines in all tables but the first, for each instruction set. A twentieth of the fingerprints
/// are copies of others, and half of the queries are near one.
template <std::size_t Bits>
void check_layout(int most, int blocks) {
  const level_restored restored;
  constexpr std::size_t count = 140000;
  oracle::random_engine random(Bits + static_cast<std::size_t>(most * 10 + blocks));
  std::vector<simhash<Bits>> fingerprints;
  for (std::size_t i = 0; i < count; ++i) {
    fingerprints.push_back(i % 20 == 19 ? fingerprints[oracle::random_below(random, i)]
                                        : oracle::random_fingerprint<Bits>(random));
  }
  const neardup::frozen_index<Bits> index(most, blocks, std::span(fingerprints));
  // Exceeds the size of tables with directories, whose filters and slots take 8 bytes per table.
  const std::size_t least = 8 * simhash<Bits>().to_words().size() + 9 * (index.shape().table_count() - 1);
  REQUIRE(index.memory_usage() > index.distinct_size() * least);
  neardup::flat_index<Bits> plain;
  for (std::uint32_t i = 0; i < count; ++i) plain.insert(fingerprints[i], i);
  std::vector<simhash<Bits>> queries;
  for (std::size_t i = 0; i < oracle::effort(200, 8); ++i) {
    queries.push_back(i % 2 == 0 ? oracle::random_fingerprint<Bits>(random)
                                 : oracle::with_flips(fingerprints[oracle::random_below(random, count)],
                                                      oracle::random_below(random, 5), random));
  }
  const auto levels = support::instruction_sets();
  for (std::size_t level = 0; level < levels.size(); ++level) {
    if (!oracle::is_thorough() && (level + static_cast<std::size_t>(most)) % 2 != 0) continue;
    neardup::set_instruction_set(levels[level]);
    for (int k = 0; k <= most; ++k) {
      CAPTURE(Bits, most, blocks, k, level);
      const auto found = index.search_batch(queries, k);
      const auto expected = plain.search_batch(queries, k);
      for (std::size_t i = 0; i < queries.size(); ++i) {
        REQUIRE(std::equal(found[i].begin(), found[i].end(), expected[i].begin(), expected[i].end()));
        REQUIRE(index.search(queries[i], k).size() == expected[i].size());
      }
    }
  }
}

}  // namespace

TEST_CASE("bucket_line: layouts with lines equal the plain loop", "[index][frozen][oracle]") {
  check_layout<64>(1, 2);
  check_layout<64>(3, 5);
  if (oracle::is_thorough()) {
    check_layout<64>(2, 3);
    check_layout<64>(2, 4);
    check_layout<64>(3, 6);
  }
  check_layout<128>(3, 4);
  oracle::unless_sample([](auto) { check_layout<192>(3, 5); });
}

TEST_CASE("bucket_line: searches in crowds of any share equal the plain loop", "[index][frozen][oracle]") {
  const level_restored restored;
  constexpr std::size_t count = 140000;
  std::size_t leanest = ~std::size_t{0}, largest = 0;
  const auto levels = support::instruction_sets();
  std::size_t level = 0;
  for (const unsigned percent : {0U, 5U, 20U, 40U, 60U, 100U}) {
    if (!oracle::is_thorough() && percent % 20 != 0) continue;
    const std::vector<simhash<64>> fingerprints = crowded(count, percent);
    const neardup::frozen_index<64> index(3, 5, std::span(fingerprints));
    const neardup::frozen_index<64> same(3, 5, std::span(fingerprints), neardup::threads{3});
    leanest = std::min(leanest, index.memory_usage());
    largest = std::max(largest, index.memory_usage());
    REQUIRE(index == same);
    REQUIRE(index.memory_usage() == same.memory_usage());
    neardup::flat_index<64> plain;
    for (std::uint32_t i = 0; i < count; ++i) plain.insert(fingerprints[i], i);
    std::vector<simhash<64>> queries;
    oracle::random_engine random(percent);
    for (std::size_t i = 0; i < oracle::effort(60, 6); ++i) {
      std::uint64_t x = fingerprints[oracle::random_below(random, count)].to_words()[0];
      for (std::size_t flips = oracle::random_below(random, 5); flips > 0; --flips) {
        x ^= std::uint64_t{1} << oracle::random_below(random, 64);
      }
      queries.emplace_back(x);
    }
    level = (level + 1) % levels.size();
    neardup::set_instruction_set(levels[level]);
    for (int k = 0; k <= 3; ++k) {
      CAPTURE(percent, k, level);
      const auto many = index.search_batch(queries, k);
      const auto threaded = same.search_batch(queries, k);
      for (std::size_t i = 0; i < queries.size(); ++i) {
        const auto expected = plain.search(queries[i], k);
        REQUIRE(index.search(queries[i], k) == expected);
        const auto found = many[i];
        REQUIRE(std::vector(found.begin(), found.end()) == expected);
        const auto found_again = threaded[i];
        REQUIRE(std::vector(found_again.begin(), found_again.end()) == expected);
      }
    }
  }
  // Lines where they suit; a directory where most lines would be empty.
  REQUIRE(leanest < 90 * count);
  REQUIRE(largest < 106 * count);
}
