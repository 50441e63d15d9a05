// cluster() against the oracle: chains, copies, label types.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <set>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include <neardup/dedup/cluster.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "oracle/hamming.hpp"
#include "oracle/stopwatch.hpp"

namespace {

using neardup::bits;
using neardup::cluster;
using neardup::simhash;
using oracle::stopwatch;

/// A random walk of fingerprints: each differs from the one before in one bit, and no value comes twice.
std::vector<simhash<64>> chain(std::size_t length) {
  oracle::random_engine random(length);
  std::set<std::uint64_t> visited;
  std::vector<simhash<64>> result;
  std::uint64_t position = 0;
  while (result.size() < length) {
    if (visited.insert(position).second) result.emplace_back(position);
    const std::uint64_t next = position ^ std::uint64_t{1} << (random() % 64);
    if (!visited.contains(next)) position = next;
  }
  return result;
}

bool are_all(const std::vector<std::uint32_t>& labels, std::uint32_t label) {
  return std::all_of(labels.begin(), labels.end(), [label](std::uint32_t l) { return l == label; });
}

}  // namespace

TEST_CASE("groups of nothing and of one", "[dedup]") {
  REQUIRE(cluster(std::vector<simhash<64>>{}, bits{3}).empty());
  REQUIRE(cluster(std::vector<simhash<64>>(1), bits{3}) == std::vector<std::uint32_t>{0});
  REQUIRE(cluster(std::vector<simhash<64>>(1), bits{64}) == std::vector<std::uint32_t>{0});
}

TEST_CASE("the smallest member names the group", "[dedup]") {
  // Fingerprints 1 and 3 are connected only through 4, which comes last.
  const std::array<simhash<64>, 5> stored{simhash<64>(0xffff0000U), simhash<64>(0), simhash<64>(0xff00000000U),
                                          simhash<64>(0b111111), simhash<64>(0b111)};
  REQUIRE(cluster(stored, bits{3}) == std::vector<std::uint32_t>{0, 1, 2, 1, 1});
  REQUIRE(cluster(stored, bits{2}) == std::vector<std::uint32_t>{0, 1, 2, 3, 4});
  REQUIRE(cluster(std::span<const simhash<64>>(stored), bits{3}) == std::vector<std::uint32_t>{0, 1, 2, 1, 1});
  REQUIRE(cluster(stored, bits{64}) == std::vector<std::uint32_t>(5, 0));
}

TEST_CASE("two chains that meet late", "[dedup]") {
  // Two sequences in turns: one gains two bits a step, the other loses two; they meet in the middle.
  const auto ones = [](int count) { return simhash<64>((std::uint64_t{1} << count) - 1); };
  std::vector<simhash<64>> stored;
  for (int i = 0; i < 15; ++i) {
    stored.push_back(ones(2 * i));
    stored.push_back(ones(62 - 2 * i));
  }
  auto labels = cluster(stored, bits{2});
  for (std::size_t i = 0; i < stored.size(); ++i) REQUIRE(labels[i] == i % 2);
  stored.push_back(ones(32));  // on the second sequence
  labels = cluster(stored, bits{2});
  for (std::size_t i = 0; i < 30; ++i) REQUIRE(labels[i] == i % 2);
  REQUIRE(labels[30] == 1);
  stored.push_back(ones(30));  // between both sequences
  REQUIRE(are_all(cluster(stored, bits{2}), 0));
}

TEST_CASE("labels of other types", "[dedup]") {
  const std::vector<simhash<64>> copies(200, simhash<64>(9));
  static_assert(std::is_same_v<decltype(cluster<std::uint64_t>(copies, bits{3})), std::vector<std::uint64_t>>);
  REQUIRE(cluster<std::uint64_t>(copies, bits{3}) == std::vector<std::uint64_t>(200, 0));
  REQUIRE(cluster<int>(copies, bits{3}) == std::vector<int>(200, 0));
  REQUIRE(cluster<std::uint8_t>(copies, bits{3}) == std::vector<std::uint8_t>(200, 0));
}

TEST_CASE("labels that do not fit are refused", "[dedup][errors]") {
  std::vector<simhash<64>> stored;
  for (std::uint64_t i = 0; i < 256; ++i) stored.emplace_back(i << 40);
  REQUIRE(cluster<std::uint8_t>(stored, bits{0}).back() == 255);
  REQUIRE_THROWS_AS(cluster<std::int8_t>(stored, bits{0}), std::length_error);
  stored.emplace_back(1U);
  REQUIRE_THROWS_AS(cluster<std::uint8_t>(stored, bits{0}), std::length_error);
  REQUIRE_THROWS_AS(cluster<std::uint8_t>(stored, bits{64}), std::length_error);
  REQUIRE(cluster<std::uint16_t>(stored, bits{0}).back() == 256);
  stored.resize(128);
  REQUIRE(cluster<std::int8_t>(stored, bits{0}).back() == 127);
  stored.resize(65537, simhash<64>(3));
  REQUIRE_THROWS_AS(cluster<std::uint16_t>(stored, bits{0}), std::length_error);
  stored.pop_back();
  REQUIRE(cluster<std::uint16_t>(stored, bits{0}).size() == 65536);
}

TEST_CASE("groups: what cannot be answered", "[dedup][errors]") {
  const std::vector<simhash<64>> stored(3);
  REQUIRE_THROWS_AS(cluster(stored, bits{-1}), std::invalid_argument);
  REQUIRE_THROWS_AS(cluster(stored, bits{65}), std::invalid_argument);
  REQUIRE_THROWS_AS(cluster(stored, bits{3}.in_blocks(-1)), std::invalid_argument);
  REQUIRE_THROWS_AS(cluster(stored, bits{5}.in_blocks(20)), std::invalid_argument);
}

TEST_CASE("very many copies", "[dedup][hostile]") {
  const std::size_t count = oracle::effort(1000000, 100000);
  const stopwatch watch;
  REQUIRE(are_all(cluster(std::vector<simhash<64>>(count, simhash<64>(77)), bits{3}), 0));
  CHECK(watch.seconds() < 10);
}

TEST_CASE("a long chain of steps is one group", "[dedup][hostile]") {
  const std::size_t length = oracle::effort(100000, 20000);
  std::vector<simhash<64>> stored = chain(length);
  const stopwatch watch;
  REQUIRE(are_all(cluster(stored, bits{1}), 0));
  std::reverse(stored.begin(), stored.end());
  REQUIRE(are_all(cluster(stored, bits{1}), 0));
  std::shuffle(stored.begin(), stored.end(), oracle::random_engine(6));
  REQUIRE(are_all(cluster(stored, bits{1}), 0));
  CHECK(watch.seconds() < 30);
  // Within 0 bits each fingerprint is its own component.
  std::vector<std::uint32_t> own(stored.size());
  std::iota(own.begin(), own.end(), 0U);
  REQUIRE(cluster(stored, bits{0}) == own);
}

TEST_CASE("a chain, each link a hundred times", "[dedup][hostile]") {
  const std::size_t length = oracle::effort(100000, 20000);
  const auto links = chain(length / 100);
  std::vector<simhash<64>> stored;
  for (std::size_t i = 0; i < length; ++i) stored.push_back(links[i % links.size()]);
  const stopwatch watch;
  REQUIRE(are_all(cluster(stored, bits{1}), 0));
  CHECK(watch.seconds() < 10);
}
