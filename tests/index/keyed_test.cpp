// keyed_index: random operations against a std::map, and its other promises.
#include <algorithm>
#include <array>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include <neardup/index/flat_index.hpp>
#include <neardup/index/frozen_index.hpp>
#include <neardup/index/keyed_index.hpp>
#include <neardup/index/pigeonhole_index.hpp>
#include <neardup/threads.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "oracle/hamming.hpp"
#include "oracle/index_model.hpp"

namespace {

using neardup::keyed_index;
using neardup::simhash;

/// An id that has an order and no hash.
struct two_part_id {
  std::uint32_t site = 0;
  std::uint32_t page = 0;
  friend constexpr auto operator<=>(const two_part_id&, const two_part_id&) = default;
};

/// An id whose hash has three values only.
struct crowded_id {
  std::uint16_t number = 0;
  friend constexpr auto operator<=>(const crowded_id&, const crowded_id&) = default;
};

}  // namespace

template <>
struct std::hash<crowded_id> {
  std::size_t operator()(const crowded_id& id) const { return id.number % 3U; }
};

namespace {

template <class Id>
Id nth_id(std::size_t number) {
  if constexpr (std::is_same_v<Id, two_part_id>) {
    return {static_cast<std::uint32_t>(number % 3), ~static_cast<std::uint32_t>(number)};
  } else if constexpr (std::is_same_v<Id, crowded_id>) {
    return {static_cast<std::uint16_t>(number)};
  } else {
    return static_cast<Id>(number * 37);
  }
}

/// The model of a keyed_index: a std::map, searched by a loop.
template <class Index>
struct keyed_model {
  using fingerprint_type = typename Index::fingerprint_type;
  using id_type = typename Index::id_type;
  using match_type = typename Index::match_type;

  std::map<id_type, fingerprint_type> map;

  std::vector<match_type> search(const fingerprint_type& query, int k) const {
    std::vector<match_type> matches;
    for (const auto& [id, fingerprint] : map) {
      const int bits = oracle::distance(query, fingerprint);
      if (bits <= k) matches.push_back({id, bits, fingerprint});
    }
    std::sort(matches.begin(), matches.end(), oracle::comes_before<Index::bits, id_type>);
    return matches;
  }
};

/// Requires that an index and a model have equal content, by every member that shows it.
template <class Index>
void require_same(const Index& index, const keyed_model<Index>& model, std::size_t ids) {
  using id_type = typename Index::id_type;
  REQUIRE(index.size() == model.map.size());
  REQUIRE(index.empty() == model.map.empty());
  REQUIRE(index.index().size() == model.map.size());
  std::map<id_type, typename Index::fingerprint_type> walked;
  for (const auto& [fingerprint, id] : index) REQUIRE(walked.emplace(id, fingerprint).second);
  REQUIRE(walked == model.map);
  for (std::size_t i = 0; i < ids; ++i) {
    const auto id = nth_id<id_type>(i);
    const auto known = model.map.find(id);
    const auto found = index.find(id);
    REQUIRE(index.contains(id) == (known != model.map.end()));
    REQUIRE(found.has_value() == (known != model.map.end()));
    if (found) {
      REQUIRE(*found == known->second);
      REQUIRE(index.index().contains(*found, id));
    }
  }
}

template <class Index>
void require_same_search(const Index& index, const keyed_model<Index>& model,
                         const typename Index::fingerprint_type& query, int k) {
  const auto expected = model.search(query, k);
  REQUIRE(index.search(query, k) == expected);
  REQUIRE(index.any_within(query, k) == !expected.empty());
  REQUIRE(index.nearest(query, k) == (expected.empty() ? std::nullopt : std::optional(expected.front())));
  std::vector<typename Index::match_type> visited;
  index.for_each_match(query, k, [&](const auto& match) { visited.push_back(match); });
  std::sort(visited.begin(), visited.end());
  REQUIRE(visited == expected);
  const auto batch = index.search_batch(std::vector{query}, k);
  REQUIRE(batch.matches == expected);
}

/// Random operations on two indexes, with few fingerprints and `ids` ids, so that collisions are frequent.
template <class Index>
void exercise(const Index& empty, std::size_t ids, std::uint64_t seed) {
  using fingerprint_type = typename Index::fingerprint_type;
  using id_type = typename Index::id_type;
  oracle::random_engine random(seed);
  const auto keys = oracle::clustered_fingerprints<Index::bits>(30, 5, random);
  Index one = empty, other = empty;
  keyed_model<Index> model, other_model;
  std::array<std::size_t, 6> outcomes{};  // two of each of insert, insert_or_assign and erase
  const std::size_t operations = oracle::effort(20000, 3000);
  for (std::size_t i = 0; i < operations; ++i) {
    CAPTURE(seed, i);
    const fingerprint_type key = random() % 4 == 0 ? oracle::random_fingerprint<Index::bits>(random)
                                                   : keys[oracle::random_below(random, keys.size())];
    const auto id = nth_id<id_type>(oracle::random_below(random, ids));
    const std::size_t choice = oracle::random_below(random, 1000);
    if (choice < 200) {
      const bool is_new = model.map.emplace(id, key).second;
      REQUIRE(one.insert(key, id) == is_new);
      ++outcomes[is_new ? 0 : 1];
    } else if (choice < 450) {
      const bool is_new = model.map.insert_or_assign(id, key).second;
      REQUIRE(one.insert_or_assign(key, id) == is_new);
      ++outcomes[is_new ? 2 : 3];
    } else if (choice < 650) {
      const bool was_there = model.map.erase(id) == 1;
      REQUIRE(one.erase(id) == was_there);
      ++outcomes[was_there ? 4 : 5];
    } else if (choice < 850) {
      const auto ks = static_cast<std::size_t>(std::min(one.max_distance(), 10)) + 1;
      require_same_search(one, model, key, static_cast<int>(oracle::random_below(random, ks)));
    } else if (choice < 900) {
      one.swap(other);
      model.map.swap(other_model.map);
    } else if (choice < 930) {
      const Index copy(one);
      REQUIRE(copy == one);
      one.insert_or_assign(key, id);
      model.map[id] = key;
      REQUIRE((copy == one) == (copy.find(id) == key));
    } else if (choice < 950) {
      other = one;
      other_model = model;
      REQUIRE(one == other);
    } else if (choice < 955) {
      one = std::move(other);
      model.map = std::exchange(other_model.map, {});
      require_same(other, other_model, ids);  // NOLINT: the moved-from state is tested
    } else if (choice < 960) {
      one.clear();
      model.map.clear();
    } else if (choice < 980) {
      one.reserve(oracle::random_below(random, 200));
    } else {
      REQUIRE((one == other) == (model.map == other_model.map));
      require_same(one, model, ids);
      require_same(other, other_model, ids);
    }
  }
  for (const std::size_t count : outcomes) REQUIRE(count > 50);
  require_same(one, model, ids);
}

enum class form { fixed, dynamic, flat };

/// All forms of index; in a sample of the types only `Own`.
template <class Id, form Own>
void exercise_all() {
  constexpr auto is_tested = [](form one) { return !oracle::is_sample || one == Own; };
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    if constexpr (is_tested(form::fixed)) {
      exercise(keyed_index<neardup::pigeonhole_index<64, 3, 4, Id>>(), 100, seed);
    }
    if constexpr (is_tested(form::dynamic)) {
      exercise(keyed_index<neardup::pigeonhole_index<64, neardup::dynamic_layout, neardup::dynamic_layout, Id>>(8, 4),
               200, seed);
    }
    if constexpr (is_tested(form::flat)) exercise(keyed_index<neardup::flat_index<128, Id>>(), 20, seed);
  }
}

/// A runner that counts its parts.
struct counting_runner {
  std::size_t* done;
  [[nodiscard]] std::size_t parts() const { return 4; }
  void operator()(std::size_t parts, const auto& work) const {
    for (std::size_t part = 0; part < parts; ++part, ++*done) work(part);
  }
};

template <class T>
constexpr bool is_keyed_value = std::regular<T>&& std::is_nothrow_move_constructible_v<T>&&
    std::is_nothrow_move_assignable_v<T>&& std::is_nothrow_swappable_v<T>;
static_assert(is_keyed_value<keyed_index<>>);
static_assert(is_keyed_value<keyed_index<neardup::flat_index<128, two_part_id>>>);
using keyed_dynamic = keyed_index<neardup::pigeonhole_index<64, neardup::dynamic_layout>>;
static_assert(std::equality_comparable<keyed_dynamic> && std::copyable<keyed_dynamic> &&
              !std::default_initializable<keyed_dynamic>);
static_assert(!std::convertible_to<int, keyed_dynamic>);

// No member changes the index without its map.
template <class Index>
concept gives_itself_away = requires(Index& index, typename Index::fingerprint_type fingerprint) {
  index.erase(fingerprint);
}
|| requires(Index& index, typename Index::fingerprint_type fingerprint, typename Index::id_type id) {
  index.erase(fingerprint, id);
}
|| std::convertible_to<Index&, neardup::pigeonhole_index<64>&>;
static_assert(gives_itself_away<neardup::pigeonhole_index<64>> && !gives_itself_away<keyed_index<>>);

}  // namespace

TEST_CASE("one fingerprint an id: random operations agree with a map, ids of 1 byte", "[index][keyed]") {
  exercise_all<std::uint8_t, form::fixed>();
}
TEST_CASE("one fingerprint an id: random operations agree with a map, ids of 8 bytes", "[index][keyed]") {
  exercise_all<std::uint64_t, form::flat>();
}
TEST_CASE("one fingerprint an id: random operations agree with a map, ids without a hash", "[index][keyed]") {
  exercise_all<two_part_id, form::dynamic>();
}
TEST_CASE("one fingerprint an id: random operations agree with a map, ids whose hashes collide", "[index][keyed]") {
  exercise_all<crowded_id, form::fixed>();
}

TEST_CASE("a document is replaced and erased by its id alone", "[index][keyed]") {
  keyed_index<> index;
  const simhash<64> before(0), after(0xffff);
  REQUIRE(index.find(7) == std::nullopt);
  REQUIRE_FALSE(index.erase(7));
  REQUIRE(index.insert(before, 7));
  REQUIRE(index.insert(before, 8));       // a copy
  REQUIRE_FALSE(index.insert(after, 7));  // the fingerprint of 7 stays
  REQUIRE(index.find(7) == before);
  REQUIRE_FALSE(index.insert_or_assign(after, 7));
  REQUIRE(index.find(7) == after);
  REQUIRE(index.find(8) == before);
  REQUIRE(index.search(before, 3).size() == 1);
  REQUIRE(index.search(after, 3).size() == 1);
  REQUIRE(index.insert_or_assign(after, 9));
  REQUIRE(index.size() == 3);
  REQUIRE(index.distinct_size() == 2);
  REQUIRE(index.erase(7));
  REQUIRE_FALSE(index.contains(7));
  REQUIRE(index.nearest(after)->id == 9);
}

TEST_CASE("all ids of one byte, each with a fingerprint", "[index][keyed]") {
  keyed_index<neardup::pigeonhole_index<64, 3, 4, std::uint8_t>> index;
  for (int round = 0; round < 2; ++round) {
    for (unsigned i = 0; i < 256; ++i) REQUIRE(index.insert(simhash<64>(i % 8), static_cast<std::uint8_t>(i)));
    for (unsigned i = 0; i < 256; ++i) REQUIRE_FALSE(index.insert(simhash<64>(9), static_cast<std::uint8_t>(i)));
    REQUIRE(index.size() == 256);
    REQUIRE(index.distinct_size() == 8);
    for (unsigned i = 0; i < 256; ++i) REQUIRE(index.erase(static_cast<std::uint8_t>(i)));
    REQUIRE(index.empty());
  }
}

TEST_CASE("a full keyed_index says so and stays as it is", "[index][keyed][errors]") {
  keyed_index<neardup::pigeonhole_index<64, 3, 4, std::uint32_t, std::uint8_t>> index;
  const auto key = [](std::uint64_t i) { return simhash<64>(i * 0x9e3779b97f4a7c15U); };
  for (std::uint32_t i = 0; i < 255; ++i) REQUIRE(index.insert(key(i), i));
  REQUIRE(index.insert(key(0), 1000));  // a copy is not another fingerprint
  const auto full = index;
  REQUIRE_THROWS_AS(index.insert(key(255), 255), std::length_error);
  REQUIRE_THROWS_AS(index.insert_or_assign(key(255), 255), std::length_error);
  REQUIRE_THROWS_AS(index.insert_or_assign(key(255), 7), std::length_error);  // checked before the old fingerprint is
                                                                              // removed
  REQUIRE_THROWS_AS(index.reserve(256), std::length_error);
  REQUIRE(index == full);
  REQUIRE_FALSE(index.contains(255));
  REQUIRE(index.find(7) == key(7));
  REQUIRE_FALSE(index.insert_or_assign(key(8), 7));
  REQUIRE_FALSE(index.insert_or_assign(key(255), 7));
  REQUIRE(index.find(7) == key(255));
}

TEST_CASE("what was moved from is empty and usable", "[index][keyed]") {
  const auto check = [](auto index) {
    const auto empty = index;
    for (std::uint32_t i = 0; i < 100; ++i) index.insert(simhash<64>(i * i), i);
    const auto full = index;
    const auto require_empty = [&] {
      REQUIRE(index.empty());
      REQUIRE(index == empty);
      REQUIRE(index.begin() == index.end());
      for (std::uint32_t i = 0; i < 100; ++i) REQUIRE(index.find(i) == std::nullopt);
      REQUIRE_FALSE(index.erase(1));
      REQUIRE_FALSE(index.any_within(simhash<64>(1)));
      REQUIRE(index.insert_or_assign(simhash<64>(5), 1));
      REQUIRE_FALSE(index.insert_or_assign(simhash<64>(6), 1));
      REQUIRE(index.search(simhash<64>(6), 0).size() == 1);
      index.reserve(1000);
      index.clear();
      REQUIRE(index.empty());
    };
    auto taken(std::move(index));
    REQUIRE(taken == full);
    require_empty();
    index = taken;
    REQUIRE(index == full);
    auto& same = index;
    index = std::move(same);
    REQUIRE(index == full);
    const auto& self = index;
    index = self;
    REQUIRE(index == full);
    REQUIRE(index.find(3) == simhash<64>(9));
    taken.clear();
    taken = std::move(index);
    REQUIRE(taken == full);
    REQUIRE(taken.find(3) == simhash<64>(9));
    require_empty();
    using std::swap;
    swap(index, taken);
    REQUIRE(index == full);
    REQUIRE(index.find(3) == simhash<64>(9));
    REQUIRE(taken == empty);
    REQUIRE_FALSE(taken.contains(3));
  };
  check(keyed_index<>());
  oracle::unless_sample([&](auto) {
    check(keyed_index<neardup::pigeonhole_index<64, neardup::dynamic_layout>>(5, 5));
    check(keyed_index<neardup::flat_index<64>>());
  });
}

TEST_CASE("assignment and swap of a keyed_index take the layout along", "[index][keyed]") {
  keyed_dynamic four(3, 4), wide(10);
  REQUIRE(four.max_distance() == 3);
  wide.insert(simhash<64>(1), 1);
  swap(four, wide);
  REQUIRE(four.max_distance() == 10);
  REQUIRE(four.default_distance() == 10);
  REQUIRE(wide.index().shape() == neardup::layout(64, 3, 4));
  wide = four;
  REQUIRE(wide.search(simhash<64>(0x7ff), 10).size() == 1);
  REQUIRE_THROWS_AS(keyed_dynamic(64, 4), std::invalid_argument);
}

TEST_CASE("batches of a keyed_index on several threads and on a runner of one's own", "[index][keyed]") {
  keyed_index<> index;
  oracle::random_engine random(3);
  const auto stored = oracle::clustered_fingerprints<64>(2000, 4, random);
  for (std::size_t i = 0; i < stored.size(); ++i) index.insert(stored[i], static_cast<std::uint32_t>(i));
  std::size_t done = 0;
  const auto one = index.search_batch(stored);
  const auto some = index.search_batch(stored, 3, neardup::threads{3});
  const auto own = index.search_batch(stored, 3, counting_runner{&done});
  REQUIRE(done == 4);
  REQUIRE(one.size() == stored.size());
  REQUIRE(some.offsets == one.offsets);
  REQUIRE(some.matches == one.matches);
  REQUIRE(own.offsets == one.offsets);
  REQUIRE(own.matches == one.matches);
  for (std::size_t i = 0; i < stored.size(); i += 10) {
    const auto matches = index.search(stored[i]);
    REQUIRE(std::equal(matches.begin(), matches.end(), one[i].begin(), one[i].end()));
  }
}

TEST_CASE("== of keyed indexes is about ids and fingerprints, not their history", "[index][keyed]") {
  keyed_index<> a, b;
  for (std::uint32_t i = 0; i < 100; ++i) a.insert(simhash<64>(i / 2), i);
  b.reserve(5000);
  for (std::uint32_t i = 100; i-- > 0;) {
    b.insert(simhash<64>(1000 + i), i);
    b.insert_or_assign(simhash<64>(i / 2), i);
  }
  REQUIRE(a == b);
  b.insert_or_assign(simhash<64>(7), 10);
  REQUIRE(a != b);
}

TEST_CASE("a keyed_index can be frozen", "[index][keyed]") {
  keyed_index<> index;
  for (std::uint32_t i = 0; i < 300; ++i) index.insert(simhash<64>(i * 77), i);
  index.insert_or_assign(simhash<64>(1), 5);
  const auto frozen = neardup::freeze(index.index());
  REQUIRE(frozen.size() == 300);
  REQUIRE(oracle::pairs_of(frozen) == oracle::pairs_of(index));
  REQUIRE(frozen.search(simhash<64>(1)) == index.search(simhash<64>(1)));
}

TEST_CASE("memory_usage has the map in it", "[index][keyed]") {
  const auto check = [](auto index, std::size_t least, std::size_t most) {
    using id_type = typename decltype(index)::id_type;
    constexpr std::size_t count = 10000;
    for (std::size_t i = 0; i < count; ++i) index.insert(simhash<64>(i), nth_id<id_type>(i));
    const std::size_t map = index.memory_usage() - index.index().memory_usage();
    REQUIRE(map >= least * count);
    REQUIRE(map <= most * count);
  };
  check(keyed_index<neardup::flat_index<64, std::uint64_t>>(), 32, 64);
  oracle::unless_sample([&](auto) { check(keyed_index<neardup::flat_index<64, two_part_id>>(), 48, 72); });
}
