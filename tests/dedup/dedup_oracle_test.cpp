// pairs() and cluster() against a comparison of each fingerprint with each.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

#include <neardup/dedup/cluster.hpp>
#include <neardup/index/layout.hpp>
#include <neardup/index/pairs.hpp>

#include "catch.hpp"
#include "oracle/components.hpp"
#include "oracle/effort.hpp"
#include "oracle/hamming.hpp"

namespace {

using neardup::simhash;

struct tally {
  std::size_t corpora = 0;
  std::size_t layouts = 0;
  std::size_t pairs = 0;
  std::size_t copies = 0;
  std::size_t groups = 0;
};

template <std::size_t Bits>
oracle::pair_list pairs_of(const std::vector<simhash<Bits>>& fingerprints, int k, int blocks) {
  oracle::pair_list result;
  for (const auto& [i, j, distance] : neardup::pairs(fingerprints, neardup::bits{k}.in_blocks(blocks))) {
    result.emplace_back(i, j, distance);
  }
  return result;
}

template <std::size_t Bits>
void check_corpora(const char* name) {
  tally counts;
  for (int k = 0; k <= 12; ++k) {
    oracle::random_engine random(Bits * 100 + static_cast<std::size_t>(k));
    const std::size_t size = oracle::effort(700, 250);
    const auto most = static_cast<std::size_t>(k) + 3;
    const auto fingerprints = oracle::clustered_fingerprints<Bits>(size, most, random);
    const oracle::pair_list expected = oracle::all_pairs(fingerprints, k);
    const auto labels = oracle::components(size, expected);
    ++counts.corpora;
    counts.pairs += expected.size();
    counts.copies += static_cast<std::size_t>(
        std::count_if(expected.begin(), expected.end(), [](auto& p) { return get<2>(p) == 0; }));
    for (std::size_t i = 0; i < size; ++i) counts.groups += labels[i] == i ? 1U : 0U;
    for (int blocks = 0; blocks <= 9; ++blocks) {
      CAPTURE(Bits, k, blocks);
      if (blocks > 0 && !neardup::layout::is_valid(Bits, k, blocks)) continue;
      ++counts.layouts;
      // The order is compared, too: by i, then j.
      if (pairs_of(fingerprints, k, blocks) != expected) FAIL("pairs differs");
      const std::vector<std::uint32_t> found = neardup::cluster(fingerprints, neardup::bits{k}.in_blocks(blocks));
      if (!std::equal(found.begin(), found.end(), labels.begin(), labels.end())) FAIL("cluster differs");
    }
  }
  std::printf("dedup oracle, %s: %zu corpora, %zu (k, blocks), %zu pairs, %zu of them copies, %zu groups\n", name,
              counts.corpora, counts.layouts, counts.pairs, counts.copies, counts.groups);
  REQUIRE(counts.pairs > 1000);
  REQUIRE(counts.copies > 100);
}

}  // namespace

TEST_CASE("all pairs and groups, 64 bits", "[dedup][oracle]") { check_corpora<64>("64 bits"); }
TEST_CASE("all pairs and groups, 128 bits", "[dedup][oracle]") { check_corpora<128>("128 bits"); }
#if !defined(NEARDUP_TEST_SAMPLE)
TEST_CASE("all pairs and groups, 16 bits", "[dedup][oracle]") { check_corpora<16>("16 bits"); }
TEST_CASE("all pairs and groups, 24 bits", "[dedup][oracle]") { check_corpora<24>("24 bits"); }
TEST_CASE("all pairs and groups, 32 bits", "[dedup][oracle]") { check_corpora<32>("32 bits"); }
TEST_CASE("all pairs and groups, 96 bits", "[dedup][oracle]") { check_corpora<96>("96 bits"); }
TEST_CASE("all pairs and groups, 256 bits", "[dedup][oracle]") { check_corpora<256>("256 bits"); }
#endif
