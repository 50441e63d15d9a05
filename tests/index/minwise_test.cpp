// Every index over min-wise codes, against a plain scan.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <type_traits>
#include <vector>

#include <neardup/index.hpp>

#include "catch.hpp"
#include "oracle/random_engine.hpp"

namespace {

using neardup::minwise;

template <std::size_t Bits>
std::vector<minwise<Bits>> random_codes(std::size_t count, std::mt19937_64& random) {
  std::vector<minwise<Bits>> codes;
  while (codes.size() < count) {
    minwise<Bits> code;
    if (codes.empty() || random() % 3 == 0) {
      for (std::size_t bit = 0; bit < Bits; ++bit) code.set(bit, random() % 2 != 0);
    } else {
      code = codes[random() % codes.size()];
      for (std::size_t flips = random() % 12; flips > 0; --flips) code.flip(random() % Bits);
    }
    codes.push_back(code);
  }
  return codes;
}

template <std::size_t Bits, class Index>
void check_against_scan(const Index& index, const std::vector<minwise<Bits>>& codes,
                        const std::vector<minwise<Bits>>& queries, int k) {
  static_assert(std::is_same_v<typename Index::fingerprint_type, minwise<Bits>>);
  const auto batch = index.search_batch(queries, k);
  for (std::size_t q = 0; q < queries.size(); ++q) {
    std::vector<typename Index::match_type> expected;
    for (std::size_t i = 0; i < codes.size(); ++i) {
      const int distance = hamming_distance(queries[q], codes[i]);
      if (distance <= k) expected.push_back({static_cast<std::uint32_t>(i), distance, codes[i]});
    }
    std::sort(expected.begin(), expected.end());
    CHECK(index.search(queries[q], k) == expected);
    CHECK(std::ranges::equal(batch[q], expected));
    CHECK(index.any_within(queries[q], k) == !expected.empty());
    const auto nearest = index.nearest(queries[q], k);
    REQUIRE(nearest.has_value() == !expected.empty());
    if (nearest) CHECK(*nearest == expected.front());
  }
}

}  // namespace

TEST_CASE("every index of min-wise codes finds what a scan finds", "[minwise]") {
  oracle::random_engine random(4);
  const auto codes = random_codes<64>(600, random);
  const auto queries = random_codes<64>(40, random);
  auto all = codes;
  all.insert(all.end(), queries.begin(), queries.end());  // so that queries have near codes
  neardup::pigeonhole_index_of<minwise<64>, 9> fixed;
  neardup::pigeonhole_index_of<minwise<64>, neardup::dynamic_layout> chosen(9, 6);
  neardup::flat_index<64, std::uint32_t, std::uint32_t, minwise<64>> flat;
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    fixed.insert(all[i], i);
    chosen.insert(all[i], i);
    flat.insert(all[i], i);
  }
  const neardup::frozen_index<64, std::uint32_t, std::uint32_t, minwise<64>> frozen(9, 4, std::span(all));
  for (const int k : {0, 3, 9}) {
    check_against_scan<64>(fixed, all, queries, k);
    check_against_scan<64>(chosen, all, queries, k);
    check_against_scan<64>(flat, all, queries, k);
    check_against_scan<64>(frozen, all, queries, k);
    check_against_scan<64>(freeze(fixed), all, queries, k);
  }
  CHECK(std::vector(fixed.begin(), fixed.end()).size() == all.size());
}

TEST_CASE("wide min-wise codes are found, too", "[minwise]") {
  oracle::random_engine random(6);
  const auto codes = random_codes<200>(200, random);
  neardup::pigeonhole_index_of<minwise<200>, 12> index;
  for (std::uint32_t i = 0; i < codes.size(); ++i) index.insert(codes[i], i);
  check_against_scan<200>(index, codes, codes, 12);
}
