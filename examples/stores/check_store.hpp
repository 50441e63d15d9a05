// Near-duplicates in an ordered key-value store: the rows of band_key, and a search that scans these rows. Each example
// beside this file has only the functions of one store, such as put() and scan().
#pragma once

#include <neardup/index.hpp>
#include <neardup/storage/band_key.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "published_rows.hpp"

/// An index with its rows in a store. `Store` has put(key, value), get(key), erase(key), and scan(begin, end, visit),
/// which calls visit(key, value) for each key in [begin, end). If `end` is empty, there is no upper bound.
template <class Store>
class stored_index {
 public:
  using keys_type = neardup::band_key<64, std::uint64_t>;

  stored_index(Store& store, const neardup::layout& shape) : store_(store), keys_(shape) {}

  void insert(const neardup::simhash<64>& fingerprint, std::uint64_t id) {
    keys_.for_each_row(fingerprint, id, [&](std::string_view key) { store_.put(key, ""); });
  }
  void erase(const neardup::simhash<64>& fingerprint, std::uint64_t id) {
    keys_.for_each_row(fingerprint, id, [&](std::string_view key) { store_.erase(key); });
  }

  /// Returns all stored pairs within k bits, sorted by (distance, id), like pigeonhole_index::search().
  std::vector<keys_type::match_type> search(const neardup::simhash<64>& query, int k) {
    std::vector<keys_type::match_type> found;
    keys_.for_each_range(query, k, [&](const neardup::band_range& range, std::size_t step) {
      store_.scan(range.begin, range.end, [&](std::string_view key, std::string_view) {
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

/// Returns sorted pairs (distance, id).
template <class Matches>
std::vector<std::pair<int, std::uint64_t>> pairs_in(const Matches& matches) {
  std::vector<std::pair<int, std::uint64_t>> result;
  for (const auto& match : matches) result.emplace_back(match.distance, match.id);
  std::sort(result.begin(), result.end());
  return result;
}

inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Returns the number of fingerprints to test: the argument of the program, or 500.
inline std::uint64_t count_of(int argc, char** argv, int place = 1) {
  return argc > place ? std::strtoull(argv[place], nullptr, 10) : 500;
}

/// Compares searches of `stored` with searches of an index in memory with `blocks` blocks, for `count` fingerprints.
/// `stored` has insert(fingerprint, id), erase(fingerprint, id) and search(query, k), and flush() if it collects
/// insertions. Returns: true if all results are equal, and enough matches were found.
template <class Stored>
bool check_stored(const char* name, Stored&& stored, int k, int blocks, std::uint64_t count) {
  using index_type = neardup::pigeonhole_index<64, neardup::dynamic_layout, neardup::dynamic_layout, std::uint64_t>;
  index_type in_memory(k, blocks);
  std::mt19937_64 random(7);
  std::vector<std::pair<neardup::simhash<64>, std::uint64_t>> pairs;
  for (std::uint64_t id = 0; id < count; ++id) {
    // Three of four fingerprints are near an earlier fingerprint.
    neardup::simhash<64> fingerprint(random());
    if (id % 4 != 0) {
      fingerprint = pairs[random() % pairs.size()].first;
      for (std::uint64_t flips = random() % 5; flips > 0; --flips) fingerprint.flip(random() % 64);
    }
    pairs.emplace_back(fingerprint, id);
  }
  // All segments of this fingerprint have their highest value. No key is above these segments, so the range of a scan
  // has no upper end.
  pairs.emplace_back(neardup::simhash<64>(~std::uint64_t{0}), ~std::uint64_t{0});
  const auto start = std::chrono::steady_clock::now();
  for (const auto& [fingerprint, id] : pairs) stored.insert(fingerprint, id);
  if constexpr (requires { stored.flush(); }) stored.flush();
  const double insert_seconds = seconds_since(start);
  for (const auto& [fingerprint, id] : pairs) in_memory.insert(fingerprint, id);
  for (std::size_t i = 0; i < pairs.size(); i += 3) {
    in_memory.erase(pairs[i].first, pairs[i].second);
    stored.erase(pairs[i].first, pairs[i].second);
  }
  std::size_t matches = 0;
  std::size_t searches = 0;
  double search_seconds = 0;
  for (std::size_t i = 0; i < pairs.size(); i += 5) {
    neardup::simhash<64> query = pairs[i].first;
    query.flip(i % 64);
    const auto expected = pairs_in(in_memory.search(query, k));
    matches += expected.size();
    const auto asked = std::chrono::steady_clock::now();
    const auto found = stored.search(query, k);
    search_seconds += seconds_since(asked);
    ++searches;
    if (pairs_in(found) != expected) return false;
  }
  for (const auto& [fingerprint, id] : pairs) stored.erase(fingerprint, id);
  std::printf("%s, k = %d, %d blocks: the same %zu matches; %.0f inserts and %.0f searches a second\n", name, k, blocks,
              matches, static_cast<double>(pairs.size()) / insert_seconds,
              static_cast<double>(searches) / search_seconds);
  return matches > count / 5;
}

/// Compares searches as check_stored() does, in a store of rows with keys and values. Tests the rows of band_key with
/// ten times `count` fingerprints, and the rows of both published designs with `count` fingerprints. Also checks the
/// bytes of some keys, and that the store is empty after all fingerprints were erased.
/// Returns: true if all checks succeed.
template <class Store>
bool check_store(Store& store, std::uint64_t count) {
  const auto is_empty = [&] {
    bool result = true;
    store.scan("", "", [&](std::string_view, std::string_view) { result = false; });
    return result;
  };
  // Checks the bytes of rows: of the leftmost and the rightmost segment, and of the first and the last pair.
  const neardup::simhash<64> print(0x1234567890abcdefU);
  const std::string bytes = "\x12\x34\x56\x78\x90\xab\xcd\xef";
  const published::hbase_rows<Store> four(store, 4);
  const published::hbase_rows<Store> ten(store, 5);
  if (four.key_of(print, 1) != std::string("\0\0\x12\x34\1", 5) + bytes ||
      four.key_of(print, 4) != std::string("\0\0\xcd\xef\4", 5) + bytes ||
      ten.key_of(print, 1) != std::string("\0\x48\xd1\x59\1", 5) + bytes ||
      ten.key_of(print, 10) != std::string("\0\xab\xcd\xef\12", 5) + bytes)
    return false;
  for (const int blocks : {4, 5}) {
    if (!check_stored("band_key", stored_index<Store>(store, neardup::layout(64, 3, blocks)), 3, blocks, 10 * count) ||
        !is_empty() || !check_stored("HBase's rows", published::hbase_rows<Store>(store, blocks), 3, blocks, count) ||
        !is_empty())
      return false;
  }
  return check_stored("four copies", published::four_copies<Store>(store), 3, 4, count) && is_empty();
}
