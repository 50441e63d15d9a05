// Compares equal_groups with a map, and sort_words with std::stable_sort. Checks the pairs of two groups of equal sets.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include <neardup/detail/bits.hpp>
#include <neardup/detail/equal_groups.hpp>
#include <neardup/detail/radix_partition.hpp>
#include <neardup/threads.hpp>

#include "catch.hpp"
#include "oracle/hamming.hpp"

namespace {

using neardup::detail::equal_groups;
using neardup::detail::group_pairs;

/// Compares the groups of values with those of a map.
template <class Number>
void check_groups(const std::vector<std::uint64_t>& values, const std::vector<std::uint64_t>& hashes,
                  const neardup::any_runner& run) {
  const equal_groups<Number> groups(
      hashes.size(), [&](std::size_t i) { return hashes[i]; },
      [&](Number a, Number b) { return values[a] <=> values[b]; }, run);
  std::map<std::uint64_t, std::vector<Number>> expected;
  for (std::size_t i = 0; i < values.size(); ++i) expected[values[i]].push_back(static_cast<Number>(i));
  REQUIRE(groups.size() == values.size());
  REQUIRE(groups.distinct() == expected.size());
  std::vector<std::vector<Number>> large;
  std::size_t wrong = 0;
  for (const auto& [value, members] : expected) {
    const std::span<const Number> found = groups.members(members.front());
    const bool are_right = std::equal(found.begin(), found.end(), members.begin(), members.end()) &&
                           groups.has_copies(members.front()) == (members.size() > 1) &&
                           !groups.is_copy(members.front()) &&
                           std::all_of(members.begin() + 1, members.end(),
                                       [&](Number copy) { return groups.is_copy(copy) && !groups.has_copies(copy); });
    if (!are_right) ++wrong;
    if (members.size() > 1) large.push_back(members);
  }
  REQUIRE(wrong == 0);
  std::sort(large.begin(), large.end());
  std::vector<std::vector<Number>> visited;
  groups.visit_groups([&](std::span<const Number> members) {
    visited.emplace_back(members.begin(), members.end());
    return true;
  });
  REQUIRE(visited == large);
  std::vector<Number> firsts;
  for (const auto& [value, members] : expected) firsts.push_back(members.front());
  std::sort(firsts.begin(), firsts.end());
  REQUIRE(groups.firsts() == firsts);
}

}  // namespace

TEST_CASE("equal things are found, also if different things have the same hash", "[sets]") {
  oracle::random_engine random(7);
  for (const std::size_t count : {0U, 1U, 2U, 3U, 40U, 5000U, 70'000U}) {
    for (const std::uint64_t distinct : {std::uint64_t{1}, std::uint64_t{30}, count / 2 + 1, std::uint64_t{1} << 40}) {
      std::vector<std::uint64_t> values(count), hashes(count);
      for (std::uint64_t& value : values) value = random() % distinct;
      // The mask keeps all bits of the hash, the highest three, the lowest three, or none.
      for (const std::uint64_t mask : {~std::uint64_t{0}, std::uint64_t{7} << 61, std::uint64_t{7}, std::uint64_t{0}}) {
        if (mask == 0 && count > 5000) continue;
        for (std::size_t i = 0; i < count; ++i) hashes[i] = neardup::detail::mix(values[i]) & mask;
        check_groups<std::uint32_t>(values, hashes, {});
        check_groups<std::uint64_t>(values, hashes, neardup::threads{3});
      }
    }
  }
}

TEST_CASE("words are sorted from any bit on, and stay in order if they are equal there", "[sets]") {
  oracle::random_engine random(7);
  for (const std::size_t count : {0U, 1U, 2U, 31U, 32U, 33U, 3000U}) {
    for (const int low : {0, 5, 32, 40, 61, 63}) {
      for (const std::uint64_t mask : {~std::uint64_t{0}, std::uint64_t{0xff00} << 30, std::uint64_t{0}}) {
        std::vector<std::uint64_t> words(count), scratch(count);
        for (std::uint64_t& word : words) word = random() & mask;
        std::vector<std::uint64_t> expected = words;
        std::stable_sort(expected.begin(), expected.end(),
                         [&](std::uint64_t a, std::uint64_t b) { return a >> low < b >> low; });
        neardup::detail::sort_words(words, scratch, low);
        REQUIRE(words == expected);
      }
    }
  }
}

namespace {

using pair_list = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

pair_list pairs_of(const group_pairs<std::uint32_t>& rule, const std::vector<std::uint32_t>& a,
                   const std::vector<std::uint32_t>& b) {
  pair_list found;
  const auto visit = [&](std::uint32_t first, std::uint32_t second) {
    found.emplace_back(first, second);
    return true;
  };
  REQUIRE((b.empty() ? rule.within(a, visit) : rule.between(a, b, visit)));
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

TEST_CASE("a found pair stands for the pairs of all copies, of first ones, or of two corpora", "[sets]") {
  const std::vector<std::uint32_t> a{1, 4, 9}, b{2, 7};
  CHECK(pairs_of({}, a, {}) == pair_list{{1, 4}, {1, 9}, {4, 9}});
  CHECK(pairs_of({}, a, b) == pair_list{{1, 2}, {1, 7}, {2, 4}, {2, 9}, {4, 7}, {7, 9}});
  CHECK(pairs_of({.copies_once = true}, a, {}) == pair_list{{1, 4}, {1, 9}});
  CHECK(pairs_of({.copies_once = true}, b, a) == pair_list{{1, 2}});
  for (const bool once : {false, true}) {
    CHECK(pairs_of({.copies_once = once, .second_from = 7}, a, {}) == pair_list{{1, 9}, {4, 9}});
    CHECK(pairs_of({.copies_once = once, .second_from = 7}, a, b) == pair_list{{1, 7}, {2, 9}, {4, 7}});
    CHECK(pairs_of({.copies_once = once, .second_from = 10}, a, b).empty());
    CHECK(pairs_of({.copies_once = once, .second_from = 0}, a, b).empty());
  }
  // A visitor that returns false is not called again.
  for (const std::uint32_t second_from : {~std::uint32_t{0}, std::uint32_t{7}}) {
    const group_pairs<std::uint32_t> rule{.second_from = second_from};
    int calls = 0;
    const auto stop = [&](std::uint32_t, std::uint32_t) {
      ++calls;
      return false;
    };
    CHECK_FALSE(rule.within(std::span<const std::uint32_t>(a), stop));
    CHECK_FALSE(rule.between(std::span<const std::uint32_t>(a), std::span<const std::uint32_t>(b), stop));
    CHECK(calls == 2);
  }
}
