// Near-duplicates in an ordered key-value store: the rows of band_key, and a search that scans them. The stores beside
// this file say how they put a row and walk a range; the rest is the same for every one.
#pragma once

#include <neardup/index.hpp>
#include <neardup/storage/band_key.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// An index whose rows are in a store: `Store` has put(key), erase(key), and scan(begin, end, visit), which calls
/// visit(key) for each key from `begin` on that is smaller than `end`, or for all if `end` is empty.
template <class Store>
class stored_index {
 public:
  using keys_type = neardup::band_key<64, std::uint64_t>;

  stored_index(Store& store, const neardup::layout& shape) : store_(store), keys_(shape) {}

  void insert(const neardup::simhash<64>& fingerprint, std::uint64_t id) {
    keys_.for_each_row(fingerprint, id, [&](std::string_view key) { store_.put(key); });
  }
  void erase(const neardup::simhash<64>& fingerprint, std::uint64_t id) {
    keys_.for_each_row(fingerprint, id, [&](std::string_view key) { store_.erase(key); });
  }

  /// All stored pairs within k bits, by distance, then id: what pigeonhole_index::search() gives.
  std::vector<keys_type::match_type> search(const neardup::simhash<64>& query, int k) {
    std::vector<keys_type::match_type> found;
    keys_.for_each_range(query, k, [&](const neardup::band_range& range, std::size_t step) {
      store_.scan(range.begin, range.end, [&](std::string_view key) {
        if (const auto match = keys_.match_of(key, query, k, step)) found.push_back(*match);
      });
    });
    std::sort(found.begin(), found.end());
    return found;
  }

 private:
  Store& store_;
  keys_type keys_;
};

/// Holds searches of a store against those of an index in memory, for a layout. Returns: whether all are the same.
template <class Store>
bool check_store(Store& store, int k, int blocks) {
  using index_type = neardup::pigeonhole_index<64, neardup::dynamic_layout, neardup::dynamic_layout, std::uint64_t>;
  index_type in_memory(k, blocks);
  stored_index<Store> stored(store, in_memory.shape());
  std::mt19937_64 random(7);
  std::vector<std::pair<neardup::simhash<64>, std::uint64_t>> pairs;
  for (std::uint64_t id = 0; id < 5000; ++id) {
    // Three of four are near an earlier one.
    neardup::simhash<64> fingerprint(random());
    if (id % 4 != 0) {
      fingerprint = pairs[random() % pairs.size()].first;
      for (std::uint64_t flips = random() % 5; flips > 0; --flips) fingerprint.flip(random() % 64);
    }
    pairs.emplace_back(fingerprint, id);
  }
  // The highest segments, whose ranges have no end.
  pairs.emplace_back(neardup::simhash<64>(~std::uint64_t{0}), ~std::uint64_t{0});
  for (const auto& [fingerprint, id] : pairs) {
    in_memory.insert(fingerprint, id);
    stored.insert(fingerprint, id);
  }
  for (std::size_t i = 0; i < pairs.size(); i += 3) {
    in_memory.erase(pairs[i].first, pairs[i].second);
    stored.erase(pairs[i].first, pairs[i].second);
  }
  std::size_t matches = 0;
  for (std::size_t i = 0; i < pairs.size(); i += 5) {
    neardup::simhash<64> query = pairs[i].first;
    query.flip(i % 64);
    const auto expected = in_memory.search(query, k);
    matches += expected.size();
    if (stored.search(query, k) != expected) return false;
  }
  for (const auto& [fingerprint, id] : pairs) stored.erase(fingerprint, id);
  std::printf("k = %d, %d blocks: the same %zu matches\n", k, blocks, matches);
  return matches > 1000;
}
