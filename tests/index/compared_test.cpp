// count_compared(), against a count of the fingerprints that share a key with the query.
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include <neardup/index.hpp>

#include "catch.hpp"
#include "oracle/hamming.hpp"

namespace {

/// The sum over probed tables of the stored fingerprints whose key is within the radius.
std::size_t sharing_a_key(const neardup::layout& shape, const std::vector<neardup::simhash<16>>& stored,
                          const neardup::simhash<16>& query, int k) {
  std::size_t count = 0;
  for (const auto& [table, radius] : shape.plan(k)) {
    const std::uint64_t mask = shape.table_mask(table)[0];
    for (const auto& fingerprint : stored) {
      count += std::popcount((fingerprint.to_uint64() ^ query.to_uint64()) & mask) <= radius ? 1 : 0;
    }
  }
  return count;
}

}  // namespace

TEST_CASE("a search compares what shares a key with the query, in each table that it looks into", "[index]") {
  // Keys of 8 bits: each has a bucket of its own.
  oracle::random_engine random(3);
  std::vector<neardup::simhash<16>> stored;
  for (std::size_t i = 0; i < 30'000; ++i) stored.emplace_back(random() % 4 == 0 ? random() & 0xff : random() & 0xffff);
  std::sort(stored.begin(), stored.end());
  stored.erase(std::unique(stored.begin(), stored.end()), stored.end());
  for (const int blocks_and_k : {1, 3}) {
    const neardup::layout shape(16, blocks_and_k, 2);
    const neardup::frozen_index<16> index(shape.k(), shape.blocks(), stored);
    for (int i = 0; i < 20; ++i) {
      const neardup::simhash<16> query(random() & 0xffff);
      for (int k = 0; k <= shape.k(); ++k)
        CHECK(index.count_compared(query, k) == sharing_a_key(shape, stored, query, k));
      CHECK(index.count_compared(query) == index.count_compared(query, shape.k()));
    }
  }
}

TEST_CASE("a search that scans compares everything, and one in tables at least what is found", "[index]") {
  oracle::random_engine random(5);
  neardup::flat_index<64> flat;
  neardup::pigeonhole_index<64> tables;
  CHECK(tables.count_compared(neardup::simhash<64>(1)) == 0);
  for (std::uint32_t id = 0; id < 20'000; ++id) {
    const neardup::simhash<64> fingerprint((random() & 0xffff) << (16 * (id % 4)));
    flat.insert(fingerprint, id);
    tables.insert(fingerprint, id);
  }
  const neardup::simhash<64> query(0x1234);
  CHECK(flat.count_compared(query, 1) == flat.distinct_size());
  const std::size_t compared = tables.count_compared(query, 3);
  CHECK(compared >=
        tables.distinct_size() * 3 / 4);  // three of four tables have most fingerprints in the bucket of key
                                          // 0
  CHECK(compared < 4 * tables.distinct_size());
  CHECK(tables.count_compared(query, 0) >= tables.search(query, 0).size());
  CHECK_THROWS_AS(tables.count_compared(query, 4), std::invalid_argument);
}
