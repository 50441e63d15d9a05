// Searches for one query within 3 bits among many fingerprints: by comparing the query with each fingerprint, by an
// index with 4 tables, and by one with 10 tables. Articles about SimHash count the bits one after the other, and claim
// that with an index "two hours become four seconds". Usage: one_query_among_many [NUMBER [BLOCKS…]]. 4 blocks have 4
// tables, which take 37 bytes for each fingerprint. 5 blocks have 10 tables, which take 97 bytes.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <neardup/neardup.hpp>
#include <string>
#include <vector>

namespace {

constexpr std::size_t many = 100'000;

double seconds_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Returns pseudo-random number i, which a step of SplitMix64 computes from i.
neardup::simhash<64> made_up(std::uint64_t i) {
  std::uint64_t x = (i + 1) * 0x9e3779b97f4a7c15U;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9U;
  x = (x ^ x >> 27) * 0x94d049bb133111ebU;
  return neardup::simhash<64>(x ^ x >> 31);
}

int count_bits_one_by_one(std::uint64_t x) {
  int bits = 0;
  for (int i = 0; i < 64; ++i) bits += static_cast<int>(x >> i & 1);
  return bits;
}

}  // namespace

int main(int count, char** arguments) {
  const std::size_t n = count > 1 ? static_cast<std::size_t>(std::strtod(arguments[1], nullptr)) : many;
  if (n == 0) return EXIT_FAILURE;
  std::vector<neardup::simhash<64>> fingerprints(n);
  for (std::size_t i = 0; i < n; ++i) fingerprints[i] = made_up(i);

  // Each query differs in two bits from a stored fingerprint.
  std::vector<neardup::simhash<64>> queries;
  for (std::size_t i = 0; i < 1000; ++i) {
    queries.emplace_back(fingerprints[i * 997 % n].to_uint64() ^ std::uint64_t{1} << i % 31 ^
                         std::uint64_t{1} << (40 + i % 7));
  }

  std::size_t expected = 0, by_popcount = 0;
  const double naive = seconds_of([&] {
    for (const auto& f : fingerprints) {
      expected += count_bits_one_by_one(f.to_uint64() ^ queries[0].to_uint64()) <= 3 ? 1 : 0;
    }
  });
  const double scan = seconds_of([&] {
    for (const auto& f : fingerprints) by_popcount += neardup::hamming_distance(f, queries[0]) <= 3 ? 1 : 0;
  });
  std::cout << n << " fingerprints, one query within 3 bits:\n"
            << "each bit of each: " << 1e3 * naive << " ms\n"
            << "hamming_distance to each: " << 1e3 * scan << " ms\n";
  bool all_equal = expected == by_popcount && expected > 0;

  std::vector<int> layouts;
  for (int i = 2; i < count; ++i) layouts.push_back(std::atoi(arguments[i]));
  if (layouts.empty()) layouts = {4, 5};  // 4 tables on 16 bits, 10 tables on the pairs of 5 blocks
  for (const int blocks : layouts) {
    const neardup::frozen_index<64> index(3, blocks, fingerprints);
    std::size_t found = 0;
    all_equal = all_equal && index.search(queries[0], 3).size() == expected;
    const double time = seconds_of([&] {
      for (const auto& query : queries) found += index.search(query, 3).size();
    });
    std::cout << index.shape().table_count() << " tables: " << 1e6 * time / static_cast<double>(queries.size())
              << " microseconds, " << index.memory_usage() / n << " bytes a fingerprint\n";
    all_equal = all_equal && found >= queries.size();
  }
  return all_equal ? EXIT_SUCCESS : EXIT_FAILURE;
}

// prints: each bit of each:
// prints: hamming_distance to each:
// prints: 4 tables:
// prints: 10 tables:
