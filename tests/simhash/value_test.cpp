// simhash<Bits> is a regular value: constant expressions, copies, equality, order, hashes.
#include <algorithm>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <stdexcept>
#include <type_traits>
#include <unordered_set>
#include <vector>

#include <neardup/simhash.hpp>

#include "catch.hpp"
#include "oracle/hamming.hpp"
#include "support/widths.hpp"

namespace {

using neardup::simhash;

template <std::size_t Bits>
constexpr bool is_regular_value() {
  using value = simhash<Bits>;
  static_assert(value::bits == Bits);
  static_assert(value::words == (Bits + 63) / 64);
  static_assert(std::regular<value> && std::totally_ordered<value>);
  static_assert(std::three_way_comparable<value, std::strong_ordering>);
  static_assert(std::is_trivially_copyable_v<value> && std::is_standard_layout_v<value>);
  static_assert(std::is_nothrow_default_constructible_v<value>);
  static_assert(sizeof(value) == 8 * value::words);
  static_assert(!std::convertible_to<std::uint64_t, value> && !std::convertible_to<value, std::uint64_t>);
  static_assert(std::constructible_from<value, std::uint64_t> == (Bits <= 64));
  return true;
}
static_assert(is_regular_value<16>() && is_regular_value<24>() && is_regular_value<32>() && is_regular_value<40>());
static_assert(is_regular_value<64>() && is_regular_value<80>() && is_regular_value<96>());
static_assert(is_regular_value<128>() && is_regular_value<256>() && is_regular_value<1024>());

// Calls all members except to_hex() in a constant expression.
constexpr simhash<80> made = [] {
  simhash<80> value;
  value.set(0).set(79).flip(64).set(0, false);
  return value;
}();
static_assert(made == simhash<80>({0, 0x8001}) && made != simhash<80>{} && made > simhash<80>{});
static_assert(made.test(79) && made[64] && !made[0]);
static_assert(made.to_words()[1] == 0x8001);
static_assert(simhash<64>(5).to_uint64() == 5);
static_assert(simhash<80>::from_hex("80010000000000000000") == made);
static_assert(hamming_distance(made, simhash<80>{}) == 2);

/// Compares two fingerprints as numbers, bit by bit from the highest bit.
template <std::size_t Bits>
int compare_bits(const simhash<Bits>& a, const simhash<Bits>& b) {
  for (std::size_t i = Bits; i-- > 0;) {
    if (a.test(i) != b.test(i)) return a.test(i) ? 1 : -1;
  }
  return 0;
}

}  // namespace

TEMPLATE_TEST_CASE_SIG("a fingerprint begins as zero", "[simhash]", ((std::size_t Bits), Bits), NEARDUP_TEST_WIDTHS) {
  const simhash<Bits> zero;
  for (const std::uint64_t word : zero.to_words()) CHECK(word == 0);
  CHECK(zero == simhash<Bits>(typename simhash<Bits>::words_type{}));
}

TEMPLATE_TEST_CASE_SIG("fingerprints are ordered as numbers", "[simhash]", ((std::size_t Bits), Bits),
                       NEARDUP_TEST_WIDTHS) {
  oracle::random_engine random(Bits);
  std::vector<simhash<Bits>> values = {simhash<Bits>{}, simhash<Bits>{}.set(0), simhash<Bits>{}.set(Bits - 1)};
  for (int i = 0; i < 20; ++i) {
    values.push_back(oracle::random_fingerprint<Bits>(random));
    values.push_back(oracle::with_flips(values.back(), 1, random));
  }
  bool agrees = true;
  for (const auto& a : values) {
    for (const auto& b : values) {
      const int order = compare_bits(a, b);
      agrees = agrees && (a == b) == (order == 0) && (a != b) == (order != 0) && (a < b) == (order < 0) &&
               (a <= b) == (order <= 0) && (a > b) == (order > 0) && (a >= b) == (order >= 0);
      agrees = agrees && (a <=> b == std::strong_ordering::less) == (order < 0);
    }
  }
  CHECK(agrees);
}

TEMPLATE_TEST_CASE_SIG("fingerprints are keys of maps and of hash tables", "[simhash]", ((std::size_t Bits), Bits),
                       NEARDUP_TEST_WIDTHS) {
  oracle::random_engine random(Bits);
  std::set<simhash<Bits>> ordered;
  std::unordered_set<simhash<Bits>> hashed;
  for (int i = 0; i < 200; ++i) {
    const auto value = oracle::random_fingerprint<Bits>(random);
    CHECK(ordered.insert(value).second == hashed.insert(value).second);
  }
  // Also inserts the fingerprints with exactly one bit.
  std::set<std::size_t> hashes;
  for (std::size_t i = 0; i < Bits; ++i) {
    const auto value = simhash<Bits>{}.set(i);
    ordered.insert(value);
    hashed.insert(value);
    hashes.insert(std::hash<simhash<Bits>>{}(value));
  }
  CHECK(ordered.size() == hashed.size());
  CHECK(std::all_of(ordered.begin(), ordered.end(), [&](const auto& value) { return hashed.count(value) == 1; }));
  CHECK(hashes.size() == Bits);
}

TEST_CASE("a value with bits beyond the width is refused", "[simhash]") {
  CHECK(simhash<16>(0xffff).to_uint64() == 0xffff);
  CHECK(simhash<40>(0xffffffffff).to_uint64() == 0xffffffffff);
  CHECK(simhash<64>(~std::uint64_t{0}).to_uint64() == ~std::uint64_t{0});
  CHECK_THROWS_AS(simhash<16>(0x10000), std::invalid_argument);
  CHECK_THROWS_AS(simhash<16>(std::uint64_t{1} << 63), std::invalid_argument);
  CHECK_THROWS_AS(simhash<24>(0x1000000), std::invalid_argument);
  CHECK_THROWS_AS(simhash<32>(std::uint64_t{1} << 32), std::invalid_argument);
  CHECK_THROWS_AS(simhash<40>(std::uint64_t{1} << 40), std::invalid_argument);
  CHECK_THROWS_AS(simhash<80>({0, 0x10000}), std::invalid_argument);
  CHECK_THROWS_AS(simhash<96>({0, std::uint64_t{1} << 32}), std::invalid_argument);
  CHECK(simhash<96>({1, 0xffffffff}).to_words()[1] == 0xffffffff);
  CHECK(simhash<128>({~std::uint64_t{0}, ~std::uint64_t{0}}).test(127));
}
