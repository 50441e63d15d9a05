// Invalid calls, and full indexes.
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include <neardup/index/flat_index.hpp>
#include <neardup/index/pigeonhole_index.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "oracle/hamming.hpp"
#include "oracle/index_model.hpp"
#include "oracle/probing.hpp"

namespace {

using neardup::simhash;

template <class Index>
void require_refused(const Index& index, int k) {
  CAPTURE(k);
  using fingerprint = typename Index::fingerprint_type;
  const fingerprint query{};
  const std::vector<fingerprint> queries{query};
  REQUIRE_THROWS_AS(index.search(query, k), std::invalid_argument);
  REQUIRE_THROWS_AS(index.search_batch(queries, k), std::invalid_argument);
  REQUIRE_THROWS_AS(index.search_batch(std::vector<fingerprint>{}, k), std::invalid_argument);
  REQUIRE_THROWS_AS(index.for_each_match(query, k, [](const auto&) {}), std::invalid_argument);
  REQUIRE_THROWS_AS(index.any_within(query, k), std::invalid_argument);
  REQUIRE_THROWS_AS(index.nearest(query, k), std::invalid_argument);
}

template <class Index>
void require_bounds(Index index, int largest) {
  for (const bool is_filled : {false, true}) {
    if (is_filled) index.insert(typename Index::fingerprint_type{}, 1);
    require_refused(index, -1);
    require_refused(index, -1000000);
    require_refused(index, largest + 1);
    require_refused(index, 1000000);
    REQUIRE(index.search({}, 0).size() == (is_filled ? 1 : 0));
    REQUIRE(index.search({}, largest).size() == (is_filled ? 1 : 0));
    REQUIRE(index.max_distance() == largest);
  }
}

/// Fills an index to its limit. Then another fingerprint must be refused without effect, and must fit after an erasure.
template <class Index>
void require_limit(Index index, std::size_t limit) {
  using fingerprint = typename Index::fingerprint_type;
  oracle::random_engine random(limit);
  REQUIRE(Index::max_distinct_size() == limit);
  const auto key = [](std::size_t i) { return fingerprint(i * 0x9e3779b97f4a7c15U); };
  for (std::size_t i = 0; i < limit; ++i) REQUIRE(index.insert(key(i), static_cast<std::uint32_t>(i)));
  REQUIRE(index.distinct_size() == limit);
  const auto before = oracle::pairs_of(index);
  const auto matches = index.search(key(7), 3);

  for (std::size_t i = limit; i < limit + 3; ++i) REQUIRE_THROWS_AS(index.insert(key(i), 1), std::length_error);
  REQUIRE_THROWS_AS(index.reserve(limit + 1), std::length_error);
  REQUIRE_NOTHROW(index.reserve(limit));
  REQUIRE(index.size() == limit);
  REQUIRE(oracle::pairs_of(index) == before);
  REQUIRE(index.search(key(7), 3) == matches);
  REQUIRE_FALSE(index.contains(key(limit)));
  REQUIRE(index.search(key(limit), 0).empty());

  // Further ids of a stored fingerprint are not limited.
  REQUIRE(index.insert(key(7), 1000000));
  REQUIRE_FALSE(index.insert(key(7), 1000000));
  REQUIRE(index.size() == limit + 1);

  REQUIRE(index.erase(key(7)) == 2);
  REQUIRE(index.insert(key(limit), 5));
  REQUIRE_THROWS_AS(index.insert(key(7), 7), std::length_error);
  REQUIRE(index.erase(key(limit), 5));
  REQUIRE(index.insert(key(7), 7));
  REQUIRE(oracle::pairs_of(index) == before);
  for (std::size_t i = 0; i < limit; ++i) {
    const auto found = index.search(key(i), 0);
    REQUIRE(found.size() == 1);
    REQUIRE(found[0].id == i);
  }
}

}  // namespace

TEST_CASE("a search distance outside of 0..K is refused", "[index][errors]") {
  require_bounds(neardup::pigeonhole_index<64>(), 3);
  require_bounds(neardup::pigeonhole_index<64, 3, 5>(), 3);
  require_bounds(neardup::flat_index<64>(), 64);
  oracle::unless_sample([](auto) {
    require_bounds(neardup::pigeonhole_index<64, 0>(), 0);
    require_bounds(neardup::pigeonhole_index<64, 10, 4>(), 10);
    require_bounds(neardup::pigeonhole_index<128, neardup::dynamic_layout>(6, 3), 6);
  });
}

TEST_CASE("a full index says so, Offset of 8 bits", "[index][errors]") {
  require_limit(neardup::pigeonhole_index<64, 3, 4, std::uint32_t, std::uint8_t>(), 255);
  require_limit(neardup::flat_index<64, std::uint32_t, std::uint8_t>(), 255);
  oracle::unless_sample(
      [](auto) { require_limit(neardup::pigeonhole_index<64, 3, 2, std::uint32_t, std::uint8_t>(), 255); });
}

TEST_CASE("a full index says so, Offset of 16 bits", "[index][errors]") {
  require_limit(neardup::pigeonhole_index<64, 3, 4, std::uint32_t, std::uint16_t>(), 65535);
  require_limit(
      neardup::pigeonhole_index<64, neardup::dynamic_layout, neardup::dynamic_layout, std::uint32_t, std::uint16_t>(3,
                                                                                                                    5),
      65535);
}

TEST_CASE("more ids than Offset can count under one fingerprint", "[index]") {
  neardup::pigeonhole_index<64, 3, 4, std::uint32_t, std::uint8_t> index;
  const simhash<64> copy(0x123456789abcdefU);
  for (std::uint32_t id = 0; id < 70000; ++id) REQUIRE(index.insert(copy, id));
  REQUIRE(index.size() == 70000);
  REQUIRE(index.distinct_size() == 1);
  REQUIRE(index.search(copy, 0).size() == 70000);
  REQUIRE(index.erase(copy) == 70000);
  REQUIRE(index.empty());
}

TEST_CASE("all 256 ids of one byte under one fingerprint", "[index]") {
  neardup::pigeonhole_index<64, 3, 4, std::uint8_t> index;
  const simhash<64> copy(42);
  const auto id_at = [](unsigned i) { return static_cast<std::uint8_t>(i * 73); };
  for (unsigned i = 0; i < 256; ++i) REQUIRE(index.insert(copy, id_at(i)));
  for (unsigned i = 0; i < 256; ++i) REQUIRE_FALSE(index.insert(copy, id_at(i)));
  REQUIRE(index.size() == 256);
  const auto matches = index.search(simhash<64>(42 ^ 0b111), 3);
  REQUIRE(matches.size() == 256);
  for (unsigned i = 0; i < 256; ++i) REQUIRE(matches[i].id == i);
  for (unsigned i = 0; i < 256; ++i) {
    REQUIRE(index.erase(copy, id_at(i)));
    REQUIRE_FALSE(index.erase(copy, id_at(i)));
    REQUIRE(index.contains(copy) == (i != 255));
  }
  REQUIRE(index.empty());
  REQUIRE(index.distinct_size() == 0);
}

TEST_CASE("fingerprints with one block or one key in common at the limits of blocks", "[index]") {
  // As many blocks as bits: keys of one bit. One block: a key of all bits.
  for (const int blocks : {64, 1}) {
    neardup::pigeonhole_index<64, neardup::dynamic_layout> index(63, blocks);
    std::vector<neardup::entry<64, std::uint32_t>> stored;
    for (std::uint32_t i = 0; i < 100; ++i) {
      const simhash<64> fingerprint(i % 2 == 0 ? i : ~std::uint64_t{i});
      REQUIRE(index.insert(fingerprint, i));
      stored.push_back({fingerprint, i});
    }
    for (int k = 0; k <= 63; ++k) {
      std::size_t expected = 0;
      for (const auto& [fingerprint, id] : stored) expected += oracle::distance(fingerprint, simhash<64>(5)) <= k;
      REQUIRE(index.search(simhash<64>(5), k).size() == expected);
    }
  }
}
