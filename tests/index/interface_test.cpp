// The interface of indexes, except for the answers of searches: value semantics, order, early ends, types.
#include <algorithm>
#include <array>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <neardup/index.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "oracle/hamming.hpp"
#include "oracle/index_model.hpp"
#include "oracle/probing.hpp"

namespace {

using neardup::simhash;
using index_type = neardup::pigeonhole_index<64>;
using small_match = neardup::match<64, std::uint32_t>;

template <class T>
constexpr bool is_value = std::regular<T>&& std::is_nothrow_move_constructible_v<T>&&
    std::is_nothrow_move_assignable_v<T>&& std::is_swappable_v<T>;
static_assert(is_value<index_type>);
static_assert(is_value<neardup::pigeonhole_index<256, 10, 4, std::uint64_t, std::uint64_t>>);
static_assert(is_value<neardup::flat_index<128>>);
static_assert(std::equality_comparable<neardup::pigeonhole_index<64, neardup::dynamic_layout>> &&
              std::copyable<neardup::pigeonhole_index<64, neardup::dynamic_layout>>);
static_assert(!std::convertible_to<int, neardup::pigeonhole_index<64, neardup::dynamic_layout>>);
static_assert(!std::equality_comparable_with<index_type, neardup::pigeonhole_index<64, 3, 5>>);
static_assert(std::forward_iterator<index_type::const_iterator>);
static_assert(std::same_as<std::iter_value_t<index_type::const_iterator>, neardup::entry<64, std::uint32_t>>);

template <class Index, class Fingerprint>
concept takes = requires(Index& index, Fingerprint fingerprint) {
  index.insert(fingerprint, 1U);
};
static_assert(takes<index_type, simhash<64>> && !takes<index_type, simhash<128>> && !takes<index_type, std::uint64_t>);

template <class Index>
Index filled(Index index, std::size_t count = 500, std::uint64_t seed = 1) {
  oracle::random_engine random(seed);
  const auto stored = oracle::clustered_fingerprints<Index::bits>(count, 5, random);
  for (std::size_t i = 0; i < stored.size(); ++i) {
    index.insert(stored[i], static_cast<typename Index::id_type>(random() % 1000));
  }
  return index;
}

template <class Index>
void check_value_semantics(const Index& empty) {
  const Index full = filled(empty);
  const auto pairs = oracle::pairs_of(full);
  const auto some = full.begin();
  REQUIRE(pairs.size() == full.size());

  Index copy(full);
  REQUIRE(copy == full);
  REQUIRE(copy.erase((*some).fingerprint) > 0);
  REQUIRE(copy != full);
  REQUIRE(oracle::pairs_of(full) == pairs);
  REQUIRE(full.search((*some).fingerprint, 0).size() > 0);
  REQUIRE(copy.search((*some).fingerprint, 0).empty());

  Index moved(std::move(copy));
  REQUIRE(copy.empty());  // NOLINT: the moved-from state is tested
  REQUIRE(copy.begin() == copy.end());
  REQUIRE(copy == empty);
  REQUIRE(copy.search((*some).fingerprint).empty());
  REQUIRE_FALSE(copy.any_within((*some).fingerprint));
  REQUIRE_FALSE(copy.erase((*some).fingerprint, 1));
  REQUIRE(copy.insert((*some).fingerprint, 3));
  REQUIRE(copy.search((*some).fingerprint).size() == 1);
  copy.clear();

  copy = full;
  REQUIRE(copy == full);
  const Index& self = copy;
  copy = self;
  REQUIRE(oracle::pairs_of(copy) == pairs);
  Index& same = copy;
  copy = std::move(same);
  REQUIRE(oracle::pairs_of(copy) == pairs);
  REQUIRE(copy.search((*some).fingerprint, 3) == full.search((*some).fingerprint, 3));

  Index other = empty;
  using std::swap;
  swap(copy, other);
  REQUIRE(other == full);
  REQUIRE(copy.empty());
  other.swap(copy);
  REQUIRE(copy == full);
  REQUIRE(other.empty());

  other = std::move(copy);
  REQUIRE(other == full);
  REQUIRE(copy.empty());  // NOLINT
  copy.reserve(1000);
  REQUIRE(copy.empty());
  other.clear();
  REQUIRE(other == empty);
  REQUIRE(other.distinct_size() == 0);
  for (const auto& [fingerprint, id] : full) REQUIRE(other.insert(fingerprint, id));
  REQUIRE(other == full);
  REQUIRE(other.search((*some).fingerprint, 3) == full.search((*some).fingerprint, 3));
}

}  // namespace

TEST_CASE("an index is a value", "[index]") {
  check_value_semantics(neardup::pigeonhole_index<64, neardup::dynamic_layout>(3, 5));
  check_value_semantics(neardup::flat_index<64>());
  oracle::unless_sample([](auto) {
    check_value_semantics(neardup::pigeonhole_index<64>());
    check_value_semantics(neardup::pigeonhole_index<128, 6, 3, std::uint64_t>());
  });
}

TEST_CASE("== is about the pairs, not their history", "[index]") {
  index_type a = filled(index_type(), 300, 9);
  index_type b;
  std::vector<neardup::entry<64, std::uint32_t>> entries(a.begin(), a.end());
  std::reverse(entries.begin(), entries.end());
  b.reserve(10000);
  for (const auto& [fingerprint, id] : entries) b.insert(fingerprint, id);
  REQUIRE(a == b);
  // Equal numbers of pairs and fingerprints, but one id differs.
  b.erase(entries[0].fingerprint, entries[0].id);
  b.insert(entries[0].fingerprint, 5000);
  REQUIRE(a.size() == b.size());
  REQUIRE(a.distinct_size() == b.distinct_size());
  REQUIRE(a != b);
}

TEST_CASE("assignment and swap take the layout along", "[index]") {
  neardup::pigeonhole_index<64, neardup::dynamic_layout> four(3, 4);
  neardup::pigeonhole_index<64, neardup::dynamic_layout> lean(10, 2);
  lean.insert(simhash<64>(1), 1);
  REQUIRE(four.max_distance() == 3);
  four = lean;
  REQUIRE(four.shape() == neardup::layout(64, 10, 2));
  REQUIRE(four.search(simhash<64>(0x7ff), 10).size() == 1);
  neardup::pigeonhole_index<64, neardup::dynamic_layout> wide(5, 5);
  wide.swap(four);
  REQUIRE(wide.shape() == neardup::layout(64, 10, 2));
  REQUIRE(four.shape() == neardup::layout(64, 5, 5));
  REQUIRE(four.empty());
  REQUIRE_THROWS_AS(four.search(simhash<64>(0), 6), std::invalid_argument);
  const neardup::pigeonhole_index<64, neardup::dynamic_layout> taken = std::move(wide);
  REQUIRE(taken.max_distance() == 10);
  REQUIRE(wide.max_distance() == 10);  // NOLINT: stays usable
}

TEST_CASE("matches come by distance, then id, then fingerprint", "[index]") {
  index_type index;
  const auto with = [](std::uint64_t bits) { return simhash<64>(bits); };
  index.insert(with(0b011), 1);
  index.insert(with(0b001), 9);
  index.insert(with(0b010), 9);
  index.insert(with(0b100), 2);
  index.insert(with(0b000), 8);
  index.insert(with(0b111), 0);
  index.insert(with(0b110), 1);
  index.insert(with(0b1111), 0);
  const std::vector<small_match> expected{{8, 0, with(0b000)}, {2, 1, with(0b100)}, {9, 1, with(0b001)},
                                          {9, 1, with(0b010)}, {1, 2, with(0b011)}, {1, 2, with(0b110)},
                                          {0, 3, with(0b111)}};
  REQUIRE(index.search(with(0)) == expected);
  REQUIRE(index.search(with(0), 1) == std::vector<small_match>(expected.begin(), expected.begin() + 4));
  REQUIRE(index.nearest(with(0)) == expected[0]);
  index.erase(with(0));
  REQUIRE(index.nearest(with(0)) == expected[1]);
  index.erase(with(0b100));
  REQUIRE(index.nearest(with(0)) == expected[2]);
  REQUIRE(index.nearest(with(0), 0) == std::nullopt);
  REQUIRE(std::is_sorted(expected.begin(), expected.end()));
}

TEST_CASE("a visitor may end the visit", "[index]") {
  index_type index;
  for (std::uint32_t id = 0; id < 10; ++id) index.insert(simhash<64>(7), id);
  for (std::uint64_t i = 0; i < 64; ++i) index.insert(simhash<64>(7 ^ std::uint64_t{1} << i), 100);
  for (std::uint64_t i = 0; i < 1000; ++i) index.insert(simhash<64>(i << 30), 100);  // so that searches probe tables
  const std::size_t all = index.search(simhash<64>(7)).size();
  REQUIRE(all >= 74);
  for (std::size_t most = 1; most <= all + 1; ++most) {
    std::size_t seen = 0;
    index.for_each_match(simhash<64>(7), 3, [&](const small_match&) { return ++seen < most; });
    REQUIRE(seen == std::min(most, all));
  }
  std::size_t seen = 0;
  const auto count = [&seen](small_match) { ++seen; };  // takes the match by value, and returns nothing
  index.for_each_match(simhash<64>(7), 3, count);
  REQUIRE(seen == all);
}

TEST_CASE("batches", "[index]") {
  const index_type index = filled(index_type(), 2000);
  oracle::random_engine random(4);
  std::vector<simhash<64>> queries;
  for (const auto& [fingerprint, id] : index) {
    if (id % 8 == 0) queries.push_back(oracle::with_flips(fingerprint, id % 5, random));
  }
  const auto batch = index.search_batch(queries, 2);
  REQUIRE(batch.size() == queries.size());
  REQUIRE(batch.offsets.front() == 0);
  REQUIRE(batch.offsets.back() == batch.matches.size());
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const auto one = index.search(queries[i], 2);
    REQUIRE(std::equal(one.begin(), one.end(), batch[i].begin(), batch[i].end()));
  }
  const auto none = index.search_batch(std::vector<simhash<64>>{});
  REQUIRE(none.size() == 0);
  REQUIRE(none.offsets == std::vector<std::size_t>{0});
  REQUIRE(neardup::pigeonhole_index<64>::batch_type{}.size() == 0);
  const index_type empty;
  REQUIRE(empty.search_batch(queries).offsets == std::vector<std::size_t>(queries.size() + 1, 0));
}

TEST_CASE("iteration gives each pair once", "[index]") {
  index_type index = filled(index_type(), 3000, 3);
  for (std::uint32_t id = 0; id < 50; ++id) index.insert(simhash<64>(99), id);
  auto pairs = oracle::pairs_of(index);
  REQUIRE(pairs.size() == index.size());
  REQUIRE(std::adjacent_find(pairs.begin(), pairs.end()) == pairs.end());
  for (const auto& [words, id] : pairs) REQUIRE(index.contains(simhash<64>(words), id));
  REQUIRE(static_cast<std::size_t>(std::distance(index.begin(), index.end())) == index.size());
  auto it = index.begin();
  const auto first = *it;
  REQUIRE(*it++ == first);
  REQUIRE(it == std::next(index.begin()));
  const index_type empty;
  REQUIRE(empty.begin() == empty.end());
}

TEST_CASE("ids of other kinds", "[index]") {
  enum class colour : std::uint16_t { red, green };
  neardup::pigeonhole_index<64, 3, 4, colour> coloured;
  coloured.insert(simhash<64>(1), colour::green);
  coloured.insert(simhash<64>(1), colour::red);
  REQUIRE(coloured.search(simhash<64>(1))[0].id == colour::red);
  neardup::pigeonhole_index<64, 3, 4, std::int64_t> negative;
  negative.insert(simhash<64>(1), 5);
  negative.insert(simhash<64>(1), -5);
  REQUIRE(negative.nearest(simhash<64>(1))->id == -5);
  neardup::pigeonhole_index<64, 3, 4, std::array<char, 16>> named;
  named.insert(simhash<64>(1), {'b'});
  named.insert(simhash<64>(1), {'a'});
  REQUIRE(named.nearest(simhash<64>(1))->id == std::array<char, 16>{'a'});
  static_assert(neardup::index_id<std::array<char, 16>> && neardup::index_id<colour> && neardup::index_id<void*>);
  static_assert(!neardup::index_id<std::string> && !neardup::index_id<double> && !neardup::index_id<float>);
}

TEST_CASE("an id that its type cannot hold is refused, and every other integer is taken", "[index]") {
  constexpr std::uint64_t too_large = (std::uint64_t{1} << 40) + 7;
  const auto check = [&](auto index) {
    const simhash<64> fingerprint(1);
    index.insert(fingerprint, 7);
    CHECK_THROWS_AS(index.insert(fingerprint, too_large), std::invalid_argument);
    CHECK_THROWS_AS(index.insert(fingerprint, -1), std::invalid_argument);
    CHECK_THROWS_AS(index.contains(fingerprint, too_large), std::invalid_argument);
    CHECK_THROWS_AS(index.erase(fingerprint, too_large), std::invalid_argument);
    CHECK(index.size() == 1);
    CHECK(index.insert(fingerprint, std::size_t{8}));
    CHECK(index.insert(fingerprint, (std::int64_t{1} << 32) - 1));
    CHECK(index.contains(fingerprint, 0xffff'ffffU));
  };
  check(neardup::pigeonhole_index<64>());
  check(neardup::flat_index<64>());
  neardup::flat_index<64, std::int8_t> narrow;
  CHECK(narrow.insert(simhash<64>(1), -128));
  CHECK_THROWS_WITH(narrow.insert(simhash<64>(1), 128), "the id 128 is outside -128..127, the range of its type");
}

TEST_CASE("flat_index answers every distance", "[index]") {
  neardup::flat_index<64> index;
  index.insert(simhash<64>(0), 1);
  index.insert(simhash<64>(~std::uint64_t{0}), 2);
  REQUIRE(index.search(simhash<64>(0), 64).size() == 2);
  REQUIRE(index.search(simhash<64>(0), 63).size() == 1);
  REQUIRE(index.search(simhash<64>(0b111)).size() == 1);  // 3, the default
  REQUIRE(index.search(simhash<64>(0b1111)).empty());
}
