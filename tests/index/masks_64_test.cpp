// 64 bits, K = 3: around each of 100 random bases (1,000 if there is time), all 43,745 masks of at most 3 bits and a
// thousand of 4 bits.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <neardup/index/pigeonhole_index.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "oracle/hamming.hpp"
#include "oracle/probing.hpp"

namespace {

using neardup::simhash;

std::vector<std::uint64_t> masks_of_at_most_3_bits() {
  std::vector<std::uint64_t> masks{0};
  for (int a = 0; a < 64; ++a) {
    const std::uint64_t one = std::uint64_t{1} << a;
    masks.push_back(one);
    for (int b = 0; b < a; ++b) {
      const std::uint64_t two = one | std::uint64_t{1} << b;
      masks.push_back(two);
      for (int c = 0; c < b; ++c) masks.push_back(two | std::uint64_t{1} << c);
    }
  }
  return masks;
}

std::uint64_t random_mask_of_4_bits(oracle::random_engine& random) {
  std::uint64_t mask = 0;
  while (std::popcount(mask) < 4) mask |= std::uint64_t{1} << (random() % 64);
  return mask;
}

/// Checks the balls around `bases` random fingerprints; with seed 1, the first two bases are 0 and all ones.
template <int Blocks>
void check_balls(std::size_t bases, std::uint64_t seed = 1) {
  const std::vector<std::uint64_t> masks = masks_of_at_most_3_bits();
  REQUIRE(masks.size() == 43745);
  constexpr std::size_t non_matches = 1000;

  oracle::random_engine random(seed);
  neardup::pigeonhole_index<64, 3, Blocks> index;
  std::vector<std::size_t> seen(masks.size(), 0);
  std::size_t found_in_all = 0;
  std::size_t non_matches_in_all = 0;
  for (std::size_t turn = 1; turn <= bases; ++turn) {
    CAPTURE(turn);
    std::uint64_t base = random();
    if (seed == 1 && turn == 1) base = 0;
    if (seed == 1 && turn == 2) base = ~std::uint64_t{0};
    for (std::size_t i = 0; i < masks.size(); ++i) {
      index.insert(simhash<64>(base ^ masks[i]), static_cast<std::uint32_t>(i));
    }
    // Fingerprints at distance 4 are stored, too, and must not be found.
    std::vector<std::uint64_t> far(non_matches);
    std::generate(far.begin(), far.end(), [&] { return base ^ random_mask_of_4_bits(random); });
    std::size_t stored = 0;
    for (const std::uint64_t fingerprint : far) {
      stored += index.insert(simhash<64>(fingerprint), static_cast<std::uint32_t>(masks.size())) ? 1U : 0U;
    }
    non_matches_in_all += non_matches;
    REQUIRE(index.size() == masks.size() + stored);

    bool right = true;
    std::size_t found = 0;
    index.for_each_match(simhash<64>(base), 3, [&](const auto& match) {
      ++found;
      if (match.id >= masks.size() || seen[match.id] == turn) {
        right = false;
        return;
      }
      seen[match.id] = turn;
      const std::uint64_t mask = masks[match.id];
      right = right && match.distance == std::popcount(mask) && match.fingerprint.to_uint64() == (base ^ mask);
    });
    REQUIRE(right);
    REQUIRE(found == masks.size());
    found_in_all += found;

    // Occasionally erases one by one instead of clearing.
    if (turn % 50 == 7) {
      for (const std::uint64_t mask : masks) right = right && index.erase(simhash<64>(base ^ mask)) == 1;
      for (const std::uint64_t fingerprint : far) index.erase(simhash<64>(fingerprint));
      REQUIRE(right);
      REQUIRE_FALSE(index.any_within(simhash<64>(base), 3));
      REQUIRE(index.empty());
    }
    index.clear();
  }
  REQUIRE(found_in_all == bases * 43745);
  std::printf("64 bits, K = 3, %d blocks: %zu bases, %zu masks of at most 3 bits each found once, %zu of 4 bits not\n",
              Blocks, bases, found_in_all, non_matches_in_all);
}

}  // namespace

TEST_CASE("64 bits, K = 3, 2 blocks: all masks around random bases", "[index][exhaustive]") {
  check_balls<2>(oracle::effort(1000, 40, 3));
}
TEST_CASE("64 bits, K = 3, 3 blocks: all masks around random bases", "[index][exhaustive]") {
  check_balls<3>(oracle::effort(1000, 40, 3));
}
TEST_CASE("64 bits, K = 3, 4 blocks: all masks around random bases", "[index][exhaustive]") {
  check_balls<4>(oracle::effort(1000, 40, 10));
}
TEST_CASE("64 bits, K = 3, 5 blocks: all masks around random bases", "[index][exhaustive]") {
  check_balls<5>(oracle::effort(1000, 40, 3));
}
// In two halves, because 20 tables take long and tests run in parallel.
TEST_CASE("64 bits, K = 3, 6 blocks: all masks around half of the bases", "[index][exhaustive]") {
  check_balls<6>(oracle::effort(500, 20, 2), 1);
}
TEST_CASE("64 bits, K = 3, 6 blocks: all masks around the other half", "[index][exhaustive]") {
  check_balls<6>(oracle::effort(500, 20, 2), 2);
}
