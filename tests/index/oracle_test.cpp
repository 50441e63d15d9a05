// Compares searches with a plain loop: for many (Bits, K, Blocks), every k, and clustered data. These layouts are
// chosen at run time. A static pigeonhole_index uses the same code, and has a shorter list below.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <neardup/index/flat_index.hpp>
#include <neardup/index/pigeonhole_index.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "oracle/hamming.hpp"
#include "oracle/index_check.hpp"
#include "oracle/probing.hpp"
#include "support/instruction_sets.hpp"

namespace {

constexpr int oracle_k = 16;
constexpr int oracle_blocks = 9;

std::uint64_t choose(int total, int chosen) {
  return chosen == 0
             ? 1
             : choose(total - 1, chosen - 1) * static_cast<std::uint64_t>(total) / static_cast<std::uint64_t>(chosen);
}

bool is_allowed(std::size_t width, int k, int blocks) {
  const bool few_tables = blocks <= k || choose(blocks, k) <= 256;
  return static_cast<std::size_t>(k) < width && static_cast<std::size_t>(blocks) <= width && few_tables;
}

/// Enough fingerprints that searches probe tables instead of scanning, if possible at all.
std::size_t fitting_size(const neardup::layout& shape) {
  const std::uint64_t probes = shape.probe_count(shape.k());
  const std::size_t most = oracle::effort(6000, 500);
  return static_cast<std::size_t>(std::clamp<std::uint64_t>(probes + probes / 2, oracle::effort(400, 120), most));
}

template <std::size_t Bits>
oracle::tally check_all_layouts() {
  oracle::tally counts;
  for (int k = 0; k <= oracle_k; ++k) {
    for (int blocks = 1; blocks <= oracle_blocks; ++blocks) {
      CAPTURE(Bits, k, blocks);
      REQUIRE(neardup::layout::is_valid(Bits, k, blocks) == is_allowed(Bits, k, blocks));
      if (!is_allowed(Bits, k, blocks)) continue;
      neardup::pigeonhole_index<Bits, neardup::dynamic_layout> index(k, blocks);
      const auto seed = static_cast<std::uint64_t>((static_cast<int>(Bits) * 100 + k) * 100 + blocks);
      oracle::check_index(index, fitting_size(index.shape()), oracle::effort(16, 3), seed, counts);
    }
  }
  return counts;
}

template <class Index>
void check_one(oracle::tally& counts) {
  Index index;
  CAPTURE(Index::bits, index.max_distance(), index.shape().blocks());
  oracle::check_index(index, fitting_size(index.shape()), 24, 99 + Index::bits, counts);
}

template <class... Index>
void check_each(oracle::tally& counts) {
  (check_one<Index>(counts), ...);
}

}  // namespace

// The required numbers are those that is_allowed admits of 17 x 9 layouts. So no layout is skipped unnoticed.
#if !defined(NEARDUP_TEST_SAMPLE)
TEST_CASE("all layouts equal the plain loop, 16 bits", "[index][oracle]") {
  const oracle::tally counts = check_all_layouts<16>();
  counts.print("index oracle, 16 bits");
  REQUIRE(counts.layouts == 16 * 9);
}
TEST_CASE("all layouts equal the plain loop, 24 bits", "[index][oracle]") {
  const oracle::tally counts = check_all_layouts<24>();
  counts.print("index oracle, 24 bits");
  REQUIRE(counts.layouts == 17 * 9);
}
TEST_CASE("all layouts equal the plain loop, 32 bits", "[index][oracle]") {
  const oracle::tally counts = check_all_layouts<32>();
  counts.print("index oracle, 32 bits");
  REQUIRE(counts.layouts == 17 * 9);
}
#endif
TEST_CASE("all layouts equal the plain loop, 64 bits", "[index][oracle]") {
  const oracle::tally counts = check_all_layouts<64>();
  counts.print("index oracle, 64 bits");
  REQUIRE(counts.layouts == 17 * 9);
  REQUIRE(counts.plans_by_tables > counts.plans * 3 / 4);
}
#if !defined(NEARDUP_TEST_SAMPLE)
TEST_CASE("all layouts equal the plain loop, 96 bits", "[index][oracle]") {
  const oracle::tally counts = check_all_layouts<96>();
  counts.print("index oracle, 96 bits");
  REQUIRE(counts.layouts == 17 * 9);
}
TEST_CASE("all layouts equal the plain loop, 128 bits", "[index][oracle]") {
  const oracle::tally counts = check_all_layouts<128>();
  counts.print("index oracle, 128 bits");
  REQUIRE(counts.layouts == 17 * 9);
}
TEST_CASE("all layouts equal the plain loop, 256 bits", "[index][oracle]") {
  const oracle::tally counts = check_all_layouts<256>();
  counts.print("index oracle, 256 bits");
  REQUIRE(counts.layouts == 17 * 9);
}
#endif

TEST_CASE("pigeonhole_index equals the plain loop", "[index][oracle]") {
  using neardup::pigeonhole_index;
  oracle::tally counts;
  check_each<pigeonhole_index<64>, pigeonhole_index<64, 3, 5>, pigeonhole_index<96, 4, 7>>(counts);
  REQUIRE(counts.layouts == 3);
  oracle::unless_sample([&](auto) {
    check_each<pigeonhole_index<16, 2, 3>, pigeonhole_index<24, 5, 7>, pigeonhole_index<32, 1>, pigeonhole_index<64, 0>,
               pigeonhole_index<64, 3, 2>, pigeonhole_index<64, 3, 7>, pigeonhole_index<64, 3, 9>,
               pigeonhole_index<64, 10, 4>, pigeonhole_index<64, 16, 9>, pigeonhole_index<128, 7, 5>,
               pigeonhole_index<128, 3>, pigeonhole_index<256, 6, 9>>(counts);
    REQUIRE(counts.layouts == 15);
  });
  counts.print("index oracle, pigeonhole_index");
}

TEST_CASE("flat_index equals the plain loop", "[index][oracle]") {
  oracle::tally counts;
  neardup::flat_index<96> wide;
  oracle::check_index(wide, 300, 4, 7, counts);
  oracle::unless_sample([&](auto) {
    neardup::flat_index<24> narrow;
    oracle::random_engine random(5);
    const oracle::corpus<24> data(600, 16, 6, random);
    for (const auto& [fingerprint, id] : data.pairs) REQUIRE(narrow.insert(fingerprint, id));
    oracle::check_searches(narrow, std::span<const neardup::entry<24, std::uint32_t>>(data.pairs),
                           std::span<const neardup::simhash<24>>(data.queries), 24, counts);
    neardup::flat_index<256> wider;
    oracle::check_index(wider, 300, 4, 7, counts);
  });
  counts.print("index oracle, flat_index");
}

#if !defined(NEARDUP_TEST_SAMPLE)
TEST_CASE("scans of wide fingerprints equal the plain loop, on every instruction set", "[index][oracle][kernels]") {
  oracle::random_engine random(5);
  std::size_t seen = 0;
  const auto check = [&]<std::size_t Bits>() {
    const auto all = oracle::clustered_fingerprints<Bits>(500, Bits / 4, random);
    for (const std::size_t size : {0U, 1U, 7U, 8U, 9U, 33U, 500U}) {
      const std::vector<neardup::simhash<Bits>> stored(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(size));
      neardup::flat_index<Bits> index;
      for (std::uint32_t i = 0; i < size; ++i) index.insert(stored[i], i);
      const std::vector<neardup::simhash<Bits>> queries(all.end() - 20, all.end());
      for (const auto level : support::instruction_sets()) {
        const support::forced_instruction_set forced(level);
        for (const int k : {0, 1, 22, 23, 28, 40, static_cast<int>(Bits) / 2, int{Bits}}) {
          CAPTURE(Bits, size, k, to_string(level));
          const auto batch = index.search_batch(queries, k);
          for (std::size_t q = 0; q < queries.size(); ++q) {
            std::vector<typename neardup::flat_index<Bits>::match_type> expected;
            for (std::uint32_t i = 0; i < size; ++i) {
              const int distance = oracle::distance(stored[i], queries[q]);
              if (distance <= k) expected.push_back({i, distance, stored[i]});
            }
            std::sort(expected.begin(), expected.end());
            seen += expected.size();
            if (index.search(queries[q], k) != expected) FAIL("search differs");
            if (!std::equal(batch.matches.begin() + static_cast<std::ptrdiff_t>(batch.offsets[q]),
                            batch.matches.begin() + static_cast<std::ptrdiff_t>(batch.offsets[q + 1]), expected.begin(),
                            expected.end())) {
              FAIL("search_batch differs");
            }
          }
        }
      }
    }
  };
  check.template operator()<64>();
  check.template operator()<72>();
  check.template operator()<96>();
  check.template operator()<128>();
  check.template operator()<136>();
  check.template operator()<256>();
  check.template operator()<576>();
  REQUIRE(seen > 10000);
}
#endif
