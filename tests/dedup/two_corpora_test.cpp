// pairs() and visit_pairs() of two corpora of fingerprints, and groups around the first corpus, against plain loops.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <tuple>
#include <vector>

#include <neardup/dedup/group.hpp>
#include <neardup/index/pairs.hpp>
#include <neardup/threads.hpp>

#include "catch.hpp"
#include "oracle/decision.hpp"
#include "oracle/effort.hpp"
#include "oracle/hamming.hpp"
#include "support/instruction_sets.hpp"

namespace {

using neardup::bits;
using neardup::simhash;
using neardup::threads;

using pair_list = std::vector<std::tuple<std::size_t, std::size_t, int>>;

template <class Fingerprints>
pair_list plain_pairs(const Fingerprints& a, const Fingerprints& b, int k) {
  pair_list result;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) {
      const int distance = neardup::hamming_distance(a[i], b[j]);
      if (distance <= k) result.emplace_back(i, j, distance);
    }
  }
  return result;
}

template <class Fingerprints>
void compare(const Fingerprints& a, const Fingerprints& b, int k, int blocks, std::size_t parts) {
  CAPTURE(a.size(), b.size(), k, blocks, parts);
  const pair_list expected = plain_pairs(a, b, k);
  const neardup::join_options how{.run = threads{parts}};
  pair_list found, visited;
  for (const auto& [i, j, distance] : neardup::pairs(a, b, bits{k}.in_blocks(blocks), how))
    found.emplace_back(i, j, distance);
  REQUIRE(found == expected);
  neardup::visit_pairs(
      a, b, bits{k}.in_blocks(blocks),
      [&](std::size_t i, std::size_t j, int distance) { visited.emplace_back(i, j, distance); }, how);
  std::sort(visited.begin(), visited.end());
  REQUIRE(visited == expected);
}

/// Near-duplicates and copies that are spread over both corpora.
template <std::size_t Bits>
void compare_parts(int k, oracle::random_engine& random) {
  const auto all =
      oracle::clustered_fingerprints<Bits>(oracle::effort(3000, 700), static_cast<std::size_t>(k) + 2, random);
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, all.size() / 4, all.size() - 5, all.size()}) {
    const auto middle = all.begin() + static_cast<std::ptrdiff_t>(size);
    std::vector a(all.begin(), middle), b(middle, all.end());
    if (!a.empty()) b.insert(b.end(), 3, a.front());
    for (const int blocks : {0, 1, k + 1}) compare(a, b, k, blocks, size % 3 + 1);
  }
}

}  // namespace

TEST_CASE("two corpora have the pairs of a plain loop", "[dedup][oracle]") {
  oracle::random_engine random(31);
  for (const int k : {0, 3, 9}) {
    compare_parts<64>(k, random);
    compare_parts<128>(k, random);
    oracle::unless_sample([&](auto) { compare_parts<32>(k, random); });
  }
  for (const auto level : support::instruction_sets()) {
    const support::forced_instruction_set forced(level);
    compare_parts<64>(8, random);
    oracle::unless_sample([&](auto) { compare_parts<256>(5, random); });
  }
  const auto few = oracle::clustered_fingerprints<64>(40, 4, random);
  compare(few, few, 64, 0, 2);
}

TEST_CASE("a visit of two corpora ends when its visitor says so", "[dedup]") {
  const std::vector<simhash<64>> a(100), b(50);
  std::size_t seen = 0;
  neardup::visit_pairs(a, b, bits{3}, [&](auto, auto, int) { return ++seen < 70; }, {.run = threads{3}});
  REQUIRE(seen == 70);
}

TEST_CASE("pairs of two corpora: what cannot be answered", "[dedup][errors]") {
  const std::vector<simhash<64>> a(200), b(56), c(57);
  REQUIRE(neardup::pairs<std::uint8_t>(a, b, bits{3}).size() == a.size() * b.size());
  REQUIRE_THROWS_AS(neardup::pairs<std::uint8_t>(a, c, bits{3}), std::length_error);
  std::size_t visited = 0;
  const auto count = [&](auto, auto, int) { ++visited; };
  neardup::visit_pairs<std::uint8_t>(a, b, bits{3}, count);
  REQUIRE(visited == a.size() * b.size());
  REQUIRE_THROWS_AS(neardup::visit_pairs<std::uint8_t>(a, c, bits{3}, count), std::length_error);
  REQUIRE_THROWS_AS(neardup::pairs(a, b, bits{65}), std::invalid_argument);
  REQUIRE_THROWS_AS(neardup::pairs(a, b, bits{3}.in_blocks(65)), std::invalid_argument);
}

TEST_CASE("only what was kept before takes documents that do not join each other", "[dedup][oracle]") {
  oracle::random_engine random(32);
  const auto all = oracle::clustered_fingerprints<64>(oracle::effort(4000, 1500), 6, random);
  const auto accepts = [](std::size_t i, std::size_t j) { return (i + j) % 3 != 0; };
  // Up to 256 fingerprints are compared one by one; more are joined.
  for (const std::size_t earlier : {std::size_t{0}, all.size() / 3, all.size() - 200}) {
    const auto middle = all.begin() + static_cast<std::ptrdiff_t>(earlier);
    const std::vector kept(all.begin(), middle), documents(middle, all.end());
    for (const int k : {0, 5, 64}) {
      const auto match = [&](std::size_t i, std::size_t j) -> std::optional<oracle::closeness> {
        const int distance = neardup::hamming_distance(all[i], all[j]);
        return distance <= k && accepts(i, j) ? std::optional(oracle::closeness::of_bits(distance)) : std::nullopt;
      };
      const auto labels = oracle::originals(oracle::order_of(all.size(), earlier, {}), earlier, false, match);
      const std::vector<std::uint32_t> expected(labels.begin() + static_cast<std::ptrdiff_t>(earlier), labels.end());
      CAPTURE(earlier, k);
      REQUIRE(neardup::extend_groups(kept, documents, bits{k}, accepts,
                                     {.among_themselves = false, .run = threads{2}}) == expected);
    }
  }
}
