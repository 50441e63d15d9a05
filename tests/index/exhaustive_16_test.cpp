// Exhaustive for 16 bits: every value is stored, and 256 queries per layout are answered; each answer is known in full.
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <neardup/index/pigeonhole_index.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "oracle/hamming.hpp"
#include "oracle/probing.hpp"

namespace {

using neardup::simhash;

constexpr std::size_t values = 65536;
// at_distance[i] is C(16, i).
constexpr std::array<std::size_t, 17> at_distance{1,     16,   120,  560,  1820, 4368, 8008, 11440, 12870,
                                                  11440, 8008, 4368, 1820, 560,  120,  16,   1};

std::size_t within(int k) {
  std::size_t count = 0;
  for (int i = 0; i <= k; ++i) count += at_distance[static_cast<std::size_t>(i)];
  return count;
}

/// A permutation, so that ids differ from fingerprints.
std::uint32_t id_of(std::uint64_t value) { return static_cast<std::uint32_t>((value * 40503 + 7) % values); }

class checker {
 public:
  explicit checker(const neardup::pigeonhole_index<16, neardup::dynamic_layout>& index)
      : index_(index), seen_(values, 0) {}

  /// Returns: true if a search finds each value within k bits once, with its distance and id, and nothing else.
  bool answers(std::uint64_t query, int k) {
    ++stamp_;
    bool right = true;
    std::size_t count = 0;
    index_.for_each_match(simhash<16>(query), k, [&](const auto& found) {
      const std::uint64_t value = found.fingerprint.to_uint64();
      const int distance = std::popcount(value ^ query);
      right =
          right && distance <= k && distance == found.distance && found.id == id_of(value) && seen_[value] != stamp_;
      seen_[value] = stamp_;
      ++count;
    });
    matches_ += count;
    ++queries_;
    return right && count == within(k) && index_.any_within(simhash<16>(query), k) &&
           index_.nearest(simhash<16>(query), k)->id == id_of(query);
  }

  std::size_t queries() const { return queries_; }
  std::size_t matches() const { return matches_; }

 private:
  const neardup::pigeonhole_index<16, neardup::dynamic_layout>& index_;
  std::vector<std::uint32_t> seen_;
  std::uint32_t stamp_ = 0;
  std::size_t queries_ = 0;
  std::size_t matches_ = 0;
};

struct tally {
  std::size_t layouts = 0;
  std::size_t queries = 0;
  std::size_t matches = 0;

  void print(const char* name) const {
    std::printf("16 bits exhaustive, %s: %zu layouts of 65536 fingerprints, %zu queries, %zu matches\n", name, layouts,
                queries, matches);
  }
};

void check_layout(int k, int blocks, tally& counts) {
  CAPTURE(k, blocks);
  neardup::pigeonhole_index<16, neardup::dynamic_layout> index(k, blocks);
  for (std::uint64_t i = 0; i < values; ++i) {
    const std::uint64_t value = i * 25173 % values;
    index.insert(simhash<16>(value), id_of(value));
  }
  REQUIRE(index.size() == values);
  checker check(index);
  oracle::random_engine random(static_cast<std::uint64_t>(k * 16 + blocks));
  const std::size_t queries = oracle::effort(256, 24, 6);
  for (std::size_t i = 0; i < queries; ++i) REQUIRE(check.answers(random() % values, k));
  for (int smaller = 0; smaller < k; ++smaller) {
    for (std::size_t i = 0; i < oracle::effort(4, 1); ++i) REQUIRE(check.answers(random() % values, smaller));
  }
  ++counts.layouts;
  counts.queries += check.queries();
  counts.matches += check.matches();
}

}  // namespace

TEST_CASE("16 bits: all values stored, K 0 to 6", "[index][exhaustive]") {
  tally counts;
  for (int k = 0; k <= 6; ++k) {
    for (int blocks = 1; blocks <= 9; ++blocks) {
      if ((k + blocks) % static_cast<int>(oracle::effort(1, 8)) == 0) check_layout(k, blocks, counts);
    }
  }
  counts.print("K 0 to 6");
}

// Nearly everything matches, and a search costs as much as it finds, so there are fewer layouts.
TEST_CASE("16 bits: all values stored, K 7 to 15", "[index][exhaustive]") {
  tally counts;
  check_layout(8, 9, counts);
  check_layout(10, 3, counts);
  check_layout(15, 16, counts);
  if (oracle::is_thorough()) {
    for (const int blocks : {1, 4, 5, 8, 9}) check_layout(7, blocks, counts);
    for (const int blocks : {2, 7}) check_layout(8, blocks, counts);
    check_layout(10, 11, counts);
  }
  counts.print("K 7 to 15");
}
