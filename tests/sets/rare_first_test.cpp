// The counts that order features, against a map.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <span>
#include <vector>

#include <neardup/sets/engine/distinct_sets.hpp>
#include <neardup/sets/engine/rare_first.hpp>
#include <neardup/threads.hpp>

#include "catch.hpp"
#include "oracle/random_engine.hpp"

namespace {

/// Tokens of which most occur once, in random order.
std::vector<std::uint32_t> random_tokens(std::size_t distinct, std::mt19937_64& random) {
  std::vector<std::uint32_t> tokens;
  for (std::size_t i = 0; i < distinct; ++i) {
    const auto token = static_cast<std::uint32_t>(random());
    const std::size_t times = random() % 8 != 0 ? 1 : 2 + random() % 30;
    tokens.insert(tokens.end(), times, token);
  }
  std::shuffle(tokens.begin(), tokens.end(), random);
  return tokens;
}

std::map<std::uint32_t, std::size_t> occurrences(const std::vector<std::uint32_t>& tokens) {
  std::map<std::uint32_t, std::size_t> result;
  for (const std::uint32_t token : tokens) ++result[token];
  return result;
}

}  // namespace

TEST_CASE("sampled counts are no lower than the occurrences in the sample, and tell frequent tokens", "[sets]") {
  using neardup::detail::sampled_counts;
  oracle::random_engine random(4);
  const std::vector<std::uint32_t> tokens = random_tokens(50'000, random);
  for (const std::size_t corpus : {std::size_t{0}, tokens.size(), std::size_t{1} << 24, std::size_t{1} << 40}) {
    sampled_counts counts(corpus);
    CHECK(counts.stride() == (corpus < std::size_t{1} << 24 ? 1U : corpus == std::size_t{1} << 24 ? 4U : 16U));
    for (const std::uint32_t token : tokens) counts.count(token);
    double once = 0, of_once = 0, often = 0, of_often = 0;
    for (const auto& [token, times] : occurrences(tokens)) {
      REQUIRE(counts[token] >= times);
      (times == 1 ? once : often) += 1;
      (times == 1 ? of_once : of_often) += counts[token];
    }
    CHECK(of_often / often > of_once / once + 10);
    CHECK(counts.estimate(7) == 7 * counts.stride());
  }
}

TEST_CASE("a sample has one number of each stride, and of all kinds that take turns", "[sets]") {
  for (const std::size_t size : {0U, 1U, 7U, 8U, 9U, 10'000U}) {
    for (const std::size_t stride : {1U, 2U, 8U, 16U}) {
      constexpr std::size_t first = 512;
      std::vector<std::size_t> sampled, of_kind(stride);
      neardup::detail::for_each_sampled(first, first + size, stride, [&](std::size_t number) {
        sampled.push_back((number - first) / stride);
        ++of_kind[number % stride];
      });
      REQUIRE(sampled.size() == (size + stride - 1) / stride);
      for (std::size_t i = 0; i < sampled.size(); ++i) CHECK(sampled[i] == i);
      if (size == 10'000) {
        const std::size_t fair = sampled.size() / stride;
        CHECK(*std::min_element(of_kind.begin(), of_kind.end()) > fair * 2 / 3);
      }
    }
  }
}

TEST_CASE("the sum over a sample of sets is about the sum over all sets", "[sets]") {
  for (const std::size_t size : {0U, 1U, 1023U, 1024U, 1025U, 10'000U}) {
    const std::uint32_t feature = 1;
    const neardup::detail::set_source<std::uint32_t> source{
        size, [&](std::size_t) { return std::span<const std::uint32_t>(&feature, 1); }};
    const std::size_t sum = neardup::detail::estimated_sum(source, [](std::span<const std::uint32_t>) { return 1U; });
    CHECK(sum >= size);
    CHECK(sum <= size + size / 1024 + 1);
  }
}

TEST_CASE("the counts of sets do not depend on threads, and count all tokens of few sets", "[sets]") {
  oracle::random_engine random(5);
  std::vector<std::vector<std::uint32_t>> sets(2000);
  std::vector<std::uint32_t> tokens;
  for (std::vector<std::uint32_t>& set : sets) {
    for (std::uint32_t feature = 0; feature < 400; feature += 1 + static_cast<std::uint32_t>(random() % 40)) {
      set.push_back(feature);
      tokens.push_back(neardup::detail::feature_token(feature));
    }
  }
  const neardup::detail::set_source<std::uint32_t> source{
      sets.size(), [&](std::size_t i) { return std::span<const std::uint32_t>(sets[i]); }};
  const auto count = [&](std::size_t threads) {
    return neardup::detail::check_sets(source, neardup::any_runner(neardup::threads{threads}),
                                       [](std::size_t, std::size_t, auto, const auto&) {});
  };
  const neardup::detail::sampled_counts one = count(1), several = count(3);
  for (const auto& [token, times] : occurrences(tokens)) {
    CHECK(one[token] >= times);
    CHECK(one[token] == several[token]);
  }
}

TEST_CASE("counts stay below 2^15, and above all others, if one token is in very many sets", "[sets]") {
  neardup::detail::sampled_counts counts(100);
  for (std::size_t i = 0; i < 200'000; ++i) counts.count(0x12345678U);
  CHECK(counts[0x12345678U] == 0x7000);
  CHECK(counts[0x87654321U] == 0);
  CHECK(neardup::detail::sampled_counts()[0x12345678U] == 0);
}

TEST_CASE("a prefix has the first tokens by frequency and token, whatever the sizes and the ties", "[sets]") {
  struct frequencies {
    std::uint32_t most;
    void prefetch(std::uint32_t) const {}
    std::uint16_t operator[](std::uint32_t token) const { return static_cast<std::uint16_t>(token % most); }
  };
  oracle::random_engine random(3);
  neardup::detail::prefix_finder finder;
  for (const std::size_t size : {1U, 2U, 15U, 16U, 17U, 40U, 64U, 65U, 200U, 1000U, 3U}) {
    for (const frequencies all : {frequencies{1}, frequencies{2}, frequencies{7}, frequencies{0x7fff}}) {
      std::vector<std::uint32_t> set(size);
      for (std::uint32_t& feature : set) feature = static_cast<std::uint32_t>(random());
      std::vector<std::uint64_t> keys;
      for (const std::uint32_t feature : set) {
        const std::uint32_t token = neardup::detail::feature_token(feature);
        keys.push_back(std::uint64_t{all[token]} << 32 | token);
      }
      std::sort(keys.begin(), keys.end());
      for (const std::size_t count : {std::size_t{1}, (size + 4) / 5, (size + 1) / 2, size}) {
        const std::span<const std::uint64_t> expected = std::span<const std::uint64_t>(keys).first(count);
        const std::span<const std::uint64_t> found = finder.find(std::span<const std::uint32_t>(set), count, all);
        CHECK(std::equal(found.begin(), found.end(), expected.begin(), expected.end()));
      }
    }
  }
}
