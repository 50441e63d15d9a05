// feature_bag, against a std::map from hash to count, with exact merging and subtracting.
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <neardup/fingerprint/feature_bag.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "oracle/random_engine.hpp"

namespace {

using neardup::feature_bag;

constexpr std::uint64_t largest_count = ~std::uint64_t{0};

template <std::size_t Words>
using model = std::map<std::array<std::uint64_t, Words>, std::uint64_t>;

/// The text of the token with this hash, in these tests.
template <std::size_t Words>
std::string text_of(const std::array<std::uint64_t, Words>& hash) {
  return std::string(hash[0] % 40, 'x') + std::to_string(hash[0]);
}

template <std::size_t Words, bool KeepsText>
model<Words> contents(const feature_bag<Words, KeepsText>& bag) {
  model<Words> result;
  std::uint64_t total = 0;
  bag.for_each([&](const auto& hash, std::string_view token, std::uint64_t count) {
    REQUIRE(token == (KeepsText ? text_of(hash) : ""));
    REQUIRE(bag.count(hash) == count);
    REQUIRE(result.emplace(hash, count).second);
    total += count;
  });
  REQUIRE(bag.size() == result.size());
  REQUIRE(bag.empty() == result.empty());
  REQUIRE(bag.total_count() == total);
  return result;
}

template <std::size_t Words, bool KeepsText>
struct bag_and_model {
  feature_bag<Words, KeepsText> bag;
  model<Words> expected;

  void add(std::array<std::uint64_t, Words> hash, std::uint64_t count) {
    REQUIRE(bag.add(hash, text_of(hash), count) == (count > 0 && expected.count(hash) == 0));
    if (count > 0) expected[hash] += count;
  }
};

}  // namespace

TEMPLATE_TEST_CASE_SIG("a bag counts as std::map does, through any merges and subtractions", "[feature_bag]",
                       ((std::size_t Words, bool KeepsText), Words, KeepsText), (1, false),
                       (2, true)NEARDUP_UNLESS_SAMPLE((1, true), (2, false), (4, true))) {
  oracle::random_engine random(Words);
  using pair = bag_and_model<Words, KeepsText>;
  for (int round = 0; round < 30; ++round) {
    std::vector<pair> pairs(4);
    // Few hashes, so that they collide; and hashes that differ in one bit, or in the last word only.
    const std::uint64_t kinds = std::uint64_t{1} << (random() % 10);
    for (pair& p : pairs) {
      for (std::uint64_t i = random() % 200; i > 0; --i) {
        std::array<std::uint64_t, Words> hash{};
        hash[0] = random() % kinds;
        hash[Words - 1] += random() % 2 << 32;
        p.add(hash, random() % 4);
      }
      REQUIRE(contents(p.bag) == p.expected);
    }
    for (int step = 0; step < 10; ++step) {
      pair& to = pairs[random() % pairs.size()];
      const pair& from = pairs[random() % pairs.size()];
      bool contained = true;
      for (const auto& [hash, count] : from.expected) {
        const auto found = to.expected.find(hash);
        contained = contained && found != to.expected.end() && found->second >= count;
      }
      if (random() % 2 == 0) {
        const model<Words> added = from.expected;
        to.bag.merge(from.bag);
        for (const auto& [hash, count] : added) to.expected[hash] += count;
      } else if (contained) {
        const model<Words> removed = from.expected;
        to.bag.subtract(from.bag);
        for (const auto& [hash, count] : removed) {
          if ((to.expected[hash] -= count) == 0) to.expected.erase(hash);
        }
      } else {
        REQUIRE_THROWS_AS(to.bag.subtract(from.bag), std::invalid_argument);
      }
      REQUIRE(contents(to.bag) == to.expected);
      REQUIRE((to.bag == from.bag) == (to.expected == from.expected));
    }
  }
}

TEST_CASE("tokens come in the order in which they were first counted", "[feature_bag]") {
  feature_bag<1, true> bag;
  for (const std::uint64_t hash : {9U, 2U, 7U, 2U, 9U, 4U}) bag.add({hash}, std::to_string(hash));
  feature_bag<1, true> other;
  for (const std::uint64_t hash : {5U, 7U}) other.add({hash}, std::to_string(hash));
  bag.merge(other);
  std::string order;
  bag.for_each([&](const auto&, std::string_view token, std::uint64_t) { order += token; });
  CHECK(order == "92745");
  bag.subtract(other);
  order.clear();
  bag.for_each([&](const auto&, std::string_view token, std::uint64_t) { order += token; });
  CHECK(order == "9274");
}

TEST_CASE("a token counted 0 times is not there", "[feature_bag]") {
  feature_bag<> bag;
  CHECK_FALSE(bag.add({1}, "", 0));
  CHECK(bag.empty());
  CHECK(bag == feature_bag<>{});
  CHECK(bag.count({1}) == 0);
}

TEST_CASE("equal bags have the same counts, in whatever order", "[feature_bag]") {
  feature_bag<> a;
  feature_bag<> b;
  a.add({1}, "");
  a.add({2}, "", 2);
  b.add({2}, "", 2);
  CHECK_FALSE(a == b);
  b.add({1}, "");
  CHECK(a == b);
  b.add({1}, "");
  CHECK_FALSE(a == b);
  a.add({2}, "");  // equal numbers of distinct and of all tokens
  CHECK_FALSE(a == b);
}

TEST_CASE("a bag merges with itself, and takes itself away", "[feature_bag]") {
  feature_bag<1, true> bag;
  bag.add({1}, "one", 3);
  bag.add({2}, "two");
  bag.merge(bag);
  CHECK(bag.count({1}) == 6);
  CHECK(bag.total_count() == 8);
  bag.subtract(bag);
  CHECK(bag.empty());
  CHECK(bag.total_count() == 0);
  CHECK(bag.add({1}, "one"));
}

TEST_CASE("counts beyond 64 bits throw and change nothing", "[feature_bag]") {
  feature_bag<> bag;
  bag.add({1}, "", largest_count - 1);
  const feature_bag<> before = bag;
  CHECK_THROWS_AS(bag.add({1}, "", 2), std::overflow_error);
  CHECK_THROWS_AS(bag.add({2}, "", 2), std::overflow_error);
  CHECK_THROWS_AS(bag.merge(before), std::overflow_error);
  CHECK_THROWS_AS(bag.merge(bag), std::overflow_error);
  CHECK(bag == before);
  CHECK(bag.size() == 1);
  bag.add({2}, "", 1);
  CHECK(bag.total_count() == largest_count);
}

TEST_CASE("clear, and being moved from, leave an empty bag that works", "[feature_bag]") {
  feature_bag<1, true> bag;
  const auto fill = [&] {
    for (std::uint64_t i = 0; i < 100; ++i) bag.add({i}, std::to_string(i), 2);
  };
  const auto require_empty_and_usable = [&] {
    REQUIRE(bag.empty());
    REQUIRE(bag.total_count() == 0);
    REQUIRE(bag.count({1}) == 0);
    REQUIRE(bag == feature_bag<1, true>{});
    fill();
    REQUIRE(bag.total_count() == 200);
  };
  fill();
  bag.clear();
  require_empty_and_usable();
  feature_bag<1, true> moved(std::move(bag));
  CHECK(moved.total_count() == 200);
  require_empty_and_usable();
  moved = std::move(bag);
  CHECK(moved.total_count() == 200);
  require_empty_and_usable();
  feature_bag<1, true>& self = bag;
  bag = self;
  CHECK(bag.size() == 100);
  bag = std::move(self);
  CHECK(bag.size() == 100);
}

// Copying such a member may throw for lack of memory; that must not end the program.
struct holder {
  feature_bag<> bag;
};
static_assert(!std::is_nothrow_copy_assignable_v<holder> && std::is_nothrow_move_assignable_v<holder>);
static_assert(std::is_nothrow_move_constructible_v<feature_bag<>> && std::is_nothrow_move_assignable_v<feature_bag<>>);
