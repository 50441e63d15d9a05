// pairs(), visit_pairs() and cluster() of fingerprints give the same on every instruction set, any number of threads
// and any input.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include <neardup/dedup/cluster.hpp>
#include <neardup/index/pairs.hpp>
#include <neardup/threads.hpp>

#include "catch.hpp"
#include "oracle/components.hpp"
#include "oracle/effort.hpp"
#include "oracle/hamming.hpp"
#include "oracle/stopwatch.hpp"
#include "support/instruction_sets.hpp"

namespace {

using neardup::bits;
using neardup::simhash;
using neardup::threads;

template <std::size_t Bits>
using fingerprints_of = std::vector<simhash<Bits>>;

/// A caller's own runner: more parts than threads, run from the last to the first.
struct backwards {
  static std::size_t parts() { return 5; }
  template <class Work>
  void operator()(std::size_t parts, const Work& work) const {
    for (std::size_t part = parts; part-- > 0;) work(part);
  }
};

template <std::size_t Bits, class Run = threads>
oracle::pair_list found_pairs(const fingerprints_of<Bits>& stored, int k, int blocks = 0, const Run& run = Run{1}) {
  oracle::pair_list result;
  for (const auto& [i, j, distance] : neardup::pairs(stored, bits{k}.in_blocks(blocks), {.run = run}))
    result.emplace_back(i, j, distance);
  return result;
}

template <std::size_t Bits, class Run>
oracle::pair_list visited_pairs(const fingerprints_of<Bits>& stored, int k, int blocks, const Run& run) {
  oracle::pair_list result;
  std::atomic<int> at_a_time = 0;
  neardup::visit_pairs(stored, bits{k}.in_blocks(blocks),
                       [&](std::size_t i, std::size_t j, int distance) {
                         if (++at_a_time != 1) throw std::logic_error("two calls at a time");
                         result.emplace_back(i, j, distance);
                         --at_a_time;
                       },
                       {.run = run});
  std::sort(result.begin(), result.end());
  return result;
}

template <std::size_t Bits>
std::vector<std::size_t> labels_of(const fingerprints_of<Bits>& stored, const oracle::pair_list& pairs) {
  return oracle::components(stored.size(), pairs);
}

template <std::size_t Bits, class Run = threads>
bool has_labels(const fingerprints_of<Bits>& stored, int k, int blocks, const std::vector<std::size_t>& expected,
                const Run& run = Run{1}) {
  const std::vector<std::uint32_t> found = neardup::cluster(stored, bits{k}.in_blocks(blocks), run);
  return std::equal(found.begin(), found.end(), expected.begin(), expected.end());
}

/// Fingerprints whose 16-bit blocks come from a few templates, so that non-matches crowd some buckets; with
/// near-duplicates and copies.
fingerprints_of<64> skewed_fingerprints(std::size_t count, oracle::random_engine& random) {
  std::uint64_t templates[4][3];
  for (auto& block : templates) {
    for (std::uint64_t& t : block) t = random();
  }
  fingerprints_of<64> result;
  while (result.size() < count) {
    std::uint64_t value = random();
    for (std::size_t block = 0; block < 4; ++block) {
      const std::uint64_t mask = std::uint64_t{0xffff} << (16 * block);
      if (random() % 2 == 0) value = (value & ~mask) | (templates[block][random() % 3] & mask);
    }
    for (auto members = random() % 8; members > 0; --members) {
      result.push_back(oracle::with_flips(simhash<64>(value), random() % 4, random));
      if (random() % 2 == 0) result.push_back(result[oracle::random_below(random, result.size())]);
    }
  }
  result.resize(count);
  std::shuffle(result.begin(), result.end(), random);
  return result;
}

/// Fingerprints within `flips` flips of one centre: all are connected, and many share each key.
fingerprints_of<64> ball(int flips, std::size_t count, oracle::random_engine& random) {
  std::vector<std::uint64_t> values{random()};
  for (std::size_t begin = 0; flips > 0; --flips) {
    const std::size_t end = values.size();
    for (std::size_t i = begin; i < end && values.size() < 2 * count; ++i) {
      const std::uint64_t changed = values[i] ^ values[0];
      for (int bit = 0; bit < 64; ++bit) {
        if (changed >> bit == 0) values.push_back(values[i] ^ std::uint64_t{1} << bit);
      }
    }
    begin = end;
  }
  std::shuffle(values.begin(), values.end(), random);
  if (values.size() > count) values.resize(count);
  fingerprints_of<64> result;
  for (const std::uint64_t value : values) result.emplace_back(value);
  return result;
}

}  // namespace

TEST_CASE("pairs and groups are the same on every instruction set", "[dedup][kernels]") {
  oracle::random_engine random(21);
  const auto check = [](const auto& stored, int k) {
    const oracle::pair_list expected = oracle::all_pairs(stored, k);
    const auto labels = labels_of(stored, expected);
    for (const auto level : support::instruction_sets()) {
      const support::forced_instruction_set forced(level);
      for (const int blocks : {0, 1, 2, k, k + 1, k + 2}) {
        CAPTURE(k, blocks, to_string(level));
        if (found_pairs(stored, k, blocks) != expected) FAIL("pairs differs");
        if (!has_labels(stored, k, blocks, labels)) FAIL("cluster differs");
      }
    }
  };
  const std::size_t count = oracle::effort(2000, 400);
  for (const int k : {1, 3, 8, 9}) {
    check(oracle::clustered_fingerprints<64>(count, static_cast<std::size_t>(k) + 3, random), k);
    check(oracle::clustered_fingerprints<128>(count, static_cast<std::size_t>(k) + 3, random), k);
  }
  check(skewed_fingerprints(count, random), 3);
  check(ball(2, count, random), 3);
}

TEST_CASE("wide fingerprints have the pairs and groups of a plain loop at every k", "[dedup][kernels]") {
  oracle::random_engine random(22);
  const auto check = [&]<std::size_t Bits>() {
    const std::size_t count = oracle::effort(700, 100);
    // These values of k are on both sides of the limit above which whole fingerprints are compared instead of filters.
    // The last k is Bits, so all fingerprints match.
    for (const int k : {0, 22, 23, 28, 40, static_cast<int>(Bits) / 2, static_cast<int>(Bits) - 1, int{Bits}}) {
      auto stored = oracle::clustered_fingerprints<Bits>(count, static_cast<std::size_t>(k) + 6, random);
      if (k > static_cast<int>(Bits) / 3) stored.resize(count / 8);
      const oracle::pair_list expected = oracle::all_pairs(stored, k);
      const auto labels = labels_of(stored, expected);
      for (const auto level : support::instruction_sets()) {
        const support::forced_instruction_set forced(level);
        for (const int blocks : {0, 1, 3, 8}) {
          if (blocks != 0 && !neardup::layout::is_valid(Bits, k, blocks)) continue;
          CAPTURE(Bits, k, blocks, to_string(level));
          if (found_pairs(stored, k, blocks, threads{2}) != expected) FAIL("pairs differs");
          if (visited_pairs(stored, k, blocks, threads{1}) != expected) FAIL("visit_pairs differs");
          if (!has_labels(stored, k, blocks, labels, threads{2})) FAIL("cluster differs");
        }
      }
    }
  };
  check.template operator()<128>();
  oracle::unless_sample([&](auto) {
    check.template operator()<72>();
    check.template operator()<96>();
    check.template operator()<136>();
    check.template operator()<256>();
    check.template operator()<576>();
  });
}

TEST_CASE("a large crowd of wide near-duplicates is one group, soon", "[dedup][hostile]") {
  oracle::random_engine random(32);
  const auto base = oracle::random_fingerprint<128>(random);
  fingerprints_of<128> stored;
  for (std::size_t i = 0; i < oracle::effort(50000, 10000); ++i) {
    stored.push_back(oracle::with_flips(base, 12, random));  // any two are within 24 flips
  }
  const oracle::stopwatch watch;
  REQUIRE(neardup::cluster(stored, bits{24}) == std::vector<std::uint32_t>(stored.size(), 0));
  CHECK(watch.seconds() < 5);
}

TEST_CASE("every fingerprint of 16 bits", "[dedup][exhaustive]") {
  // All 65,536 values: each has 16 neighbours at distance 1 and 120 at distance 2.
  fingerprints_of<16> all;
  for (std::uint64_t i = 0; i < 65536; ++i) all.emplace_back(i);
  for (const int blocks : {0, 1, 2, 3, 4}) {
    if (!oracle::is_thorough() && blocks % 3 != 0) continue;
    CAPTURE(blocks);
    const auto pairs = neardup::pairs(all, bits{2}.in_blocks(blocks), {.run = threads{2}});
    REQUIRE(pairs.size() == std::size_t{65536} * (16 + 120) / 2);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const auto& [a, b, distance] = pairs[i];
      if (a >= b || distance != std::popcount(a ^ b) || distance > 2) ++wrong;
      // Ascending pairs, so no pair comes twice.
      if (i > 0 && !(pairs[i - 1].first < a || (pairs[i - 1].first == a && pairs[i - 1].second < b))) ++wrong;
    }
    REQUIRE(wrong == 0);
    REQUIRE(neardup::cluster(all, bits{1}.in_blocks(blocks)) == std::vector<std::uint32_t>(65536, 0));
  }
}

TEST_CASE("pairs and groups do not depend on threads", "[dedup][threads]") {
  oracle::random_engine random(5);
  const std::size_t count = oracle::effort(12000, 2500);
  auto stored = skewed_fingerprints(count, random);
  const auto some = ball(3, count / 3, random);
  stored.insert(stored.end(), some.begin(), some.end());
  for (const int blocks : {0, 2, 4, 5}) {
    if (!oracle::is_thorough() && blocks % 5 != 0) continue;
    const oracle::pair_list expected = found_pairs(stored, 3, blocks);
    const std::vector<std::uint32_t> labels = neardup::cluster(stored, bits{3}.in_blocks(blocks));
    REQUIRE(expected.size() > 1000);
    const auto check = [&](const auto& run) {
      CAPTURE(blocks, run.parts());
      if (found_pairs(stored, 3, blocks, run) != expected) FAIL("pairs differs");
      if (visited_pairs(stored, 3, blocks, run) != expected) FAIL("visit_pairs differs");
      if (neardup::cluster(stored, bits{3}.in_blocks(blocks), run) != labels) FAIL("cluster differs");
    };
    check(threads{1});
    check(threads{2});
    check(threads{7});
    check(backwards{});
  }
}

TEST_CASE("skewed and copied fingerprints have the pairs of a plain loop", "[dedup][oracle]") {
  oracle::random_engine random(9);
  const std::size_t count = oracle::effort(12000, 2000);
  for (const int k : {0, 1, 3, 5}) {
    auto stored = skewed_fingerprints(count, random);
    for (std::size_t i = 0; i < count / 4; ++i) stored[i] = stored[oracle::random_below(random, 20)];
    const oracle::pair_list expected = oracle::all_pairs(stored, k);
    const auto labels = labels_of(stored, expected);
    for (const int blocks : {0, 3, k + 1, k + 2}) {
      CAPTURE(k, blocks);
      if (found_pairs(stored, k, blocks) != expected) FAIL("pairs differs");
      if (visited_pairs(stored, k, blocks, threads{2}) != expected) FAIL("visit_pairs differs");
      if (!has_labels(stored, k, blocks, labels, threads{2})) FAIL("cluster differs");
    }
  }
}

TEST_CASE("a large crowd of near-duplicates is one group, soon", "[dedup][hostile]") {
  // Any two are within 8 flips, which is 5 * 10^9 pairs.
  oracle::random_engine random(31);
  const std::size_t count = oracle::effort(100000, 20000);
  const auto stored = ball(4, count, random);
  REQUIRE(stored.size() == count);
  for (const int blocks : {0, 1, 4, 9}) {
    CAPTURE(blocks);
    const oracle::stopwatch watch;
    REQUIRE(neardup::cluster(stored, bits{8}.in_blocks(blocks)) == std::vector<std::uint32_t>(count, 0));
    CHECK(watch.seconds() < 5);
  }
}

TEST_CASE("two crowds stay two groups, and a bridge joins them", "[dedup]") {
  oracle::random_engine random(13);
  // The two centres differ in 20 bits. A member differs from its centre in at most 3 bits, so members of different
  // crowds differ in at least 14.
  auto stored = ball(3, 3000, random);
  const std::uint64_t centre = stored[0].to_uint64();
  const std::size_t half = stored.size();
  for (std::size_t i = 0; i < half; ++i) {
    stored.emplace_back(stored[i].to_uint64() ^ 0xfffff00000000000U);
  }
  const auto labels = labels_of(stored, oracle::all_pairs(stored, 3));
  for (const int blocks : {0, 1, 2, 3, 4, 5}) REQUIRE(has_labels(stored, 3, blocks, labels));
  for (int bit = 44; bit < 64; bit += 2)
    stored.emplace_back(centre ^ ((std::uint64_t{1} << bit) - (std::uint64_t{1} << 44)));
  const auto bridged = labels_of(stored, oracle::all_pairs(stored, 3));
  REQUIRE(bridged[half] == bridged[0]);
  for (const int blocks : {0, 1, 2, 3, 4, 5}) REQUIRE(has_labels(stored, 3, blocks, bridged));
}

TEST_CASE("a sweep finds the components of one bucket and of two", "[dedup]") {
  // If few values are possible, most fingerprints have many neighbours. If many are possible, chains of neighbours
  // connect them.
  using join_type = neardup::detail::fingerprint_join<1, std::uint32_t>;
  oracle::random_engine random(3);
  const neardup::any_runner run(threads{1});
  std::size_t seen_components = 0;
  for (int round = 0; round < 400; ++round) {
    const int k = 1 + round % 3;
    const std::size_t size = 100 + oracle::random_below(random, 300);
    const std::size_t border = oracle::random_below(random, size + 1);
    const std::size_t values = std::size_t{1} << (8 + round % 7);
    std::set<std::uint64_t> drawn;
    while (drawn.size() < (std::min)(size, values / 2)) drawn.insert(oracle::random_below(random, values));
    fingerprints_of<64> stored;
    for (const std::uint64_t value : drawn) stored.emplace_back(value);
    std::shuffle(stored.begin(), stored.end(), random);
    const std::size_t middle = (std::min)(border, stored.size());

    const neardup::detail::fingerprint_words<1> words{std::span<const simhash<64>>(stored)};
    const join_type join(words, 64, k, 0, run);
    join_type::arrays records(join.filter());
    records.take(stored.size());
    for (std::size_t i = 0; i < stored.size(); ++i) records.set(i, words[i], static_cast<std::uint32_t>(i));
    for (const bool is_within : {true, false}) {
      oracle::pair_list edges;
      for (const auto& edge : oracle::all_pairs(stored, k)) {
        if (is_within || (std::get<0>(edge) < middle && std::get<1>(edge) >= middle)) edges.push_back(edge);
      }
      const auto expected = labels_of(stored, edges);
      neardup::detail::shared_components<std::uint32_t> components(stored.size());
      const neardup::detail::pair_check all_belong_together;
      neardup::detail::component_finder<1, std::uint32_t> finder(join, all_belong_together, components);
      finder.unite(0, records,
                   is_within ? neardup::detail::filter_join::within(0, stored.size(), stored.size())
                             : neardup::detail::filter_join::across(0, middle, middle, stored.size()));
      for (std::size_t i = 0; i < stored.size(); ++i) {
        if (components.find(i) != expected[i]) FAIL("round " << round << ": " << i << " is in another component");
        seen_components += expected[i] == i ? 1U : 0U;
      }
    }
  }
  REQUIRE(seen_components > 10000);
}

TEST_CASE("visit_pairs ends when its visitor says so or throws", "[dedup]") {
  oracle::random_engine random(8);
  const auto stored = ball(3, 20000, random);
  auto copies = stored;
  copies.insert(copies.end(), 3, stored[7]);
  for (const auto& fingerprints : {stored, copies}) {
    for (const std::size_t count : {std::size_t{1}, std::size_t{3}}) {
      for (const std::size_t most : {std::size_t{1}, std::size_t{5}, std::size_t{100}, std::size_t{5000}}) {
        std::size_t seen = 0;
        neardup::visit_pairs(fingerprints, bits{3}, [&](auto, auto, int) { return ++seen < most; },
                             {.run = threads{count}});
        REQUIRE(seen == most);
        seen = 0;
        REQUIRE_THROWS_AS(neardup::visit_pairs(fingerprints, bits{3}.in_blocks(4),
                                               [&](auto, auto, int) {
                                                 if (++seen == most) throw std::runtime_error("enough");
                                               },
                                               {.run = threads{count}}),
                          std::runtime_error);
        REQUIRE(seen == most);
      }
    }
  }
}

TEST_CASE("pairs: what cannot be answered", "[dedup][errors]") {
  std::vector<simhash<64>> stored(256);
  REQUIRE(neardup::pairs<std::uint8_t>(stored, bits{3}).size() == 256 * 255 / 2);
  std::size_t visited = 0;
  const auto count = [&](auto, auto, int) { ++visited; };
  neardup::visit_pairs<std::uint8_t>(stored, bits{3}, count);
  REQUIRE(visited == 256 * 255 / 2);
  REQUIRE_THROWS_AS(neardup::pairs<std::int8_t>(stored, bits{3}), std::length_error);
  stored.emplace_back(1U);
  REQUIRE_THROWS_AS(neardup::pairs<std::uint8_t>(stored, bits{3}), std::length_error);
  REQUIRE_THROWS_AS(neardup::visit_pairs<std::uint8_t>(stored, bits{3}, count), std::length_error);
  REQUIRE_THROWS_AS(neardup::pairs(stored, bits{65}), std::invalid_argument);
  REQUIRE_THROWS_AS(neardup::pairs(stored, bits{3}.in_blocks(65)), std::invalid_argument);
  REQUIRE_THROWS_AS(neardup::visit_pairs(stored, bits{-1}, [](auto, auto, int) {}), std::invalid_argument);
}

TEST_CASE("positions beyond 32 bits have the same joins", "[dedup]") {
  oracle::random_engine random(77);
  const auto stored = oracle::clustered_fingerprints<64>(600, 5, random);
  const oracle::pair_list expected = oracle::all_pairs(stored, 3);
  const neardup::detail::fingerprint_words<1> words{std::span<const simhash<64>>(stored)};
  const neardup::any_runner run(threads{1});
  for (const int blocks : {0, 2, 4}) {
    neardup::detail::fingerprint_join<1, std::uint64_t> join(words, 64, 3, blocks, run);
    auto pairs = neardup::detail::distinct_pairs(join, run);
    oracle::pair_list found;
    neardup::detail::visit_in_order(join.copies(), std::move(pairs), run,
                                    [&](std::size_t i, std::size_t j, int distance) {
                                      found.emplace_back(i, j, distance);
                                      return true;
                                    });
    REQUIRE(found == expected);
  }
}
