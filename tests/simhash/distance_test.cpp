// The Hamming distance: the number of bits that differ.
#include <cstddef>
#include <cstdint>

#include <neardup/simhash.hpp>

#include "catch.hpp"
#include "oracle/hamming.hpp"
#include "support/widths.hpp"

using neardup::simhash;

TEMPLATE_TEST_CASE_SIG("hamming_distance counts the differing bits", "[simhash]", ((std::size_t Bits), Bits),
                       NEARDUP_TEST_WIDTHS) {
  oracle::random_engine random(Bits);
  bool right = true;
  for (int round = 0; round < 20; ++round) {
    const auto a = oracle::random_fingerprint<Bits>(random);
    const auto b = oracle::random_fingerprint<Bits>(random);
    int expected = 0;
    for (std::size_t i = 0; i < Bits; ++i) expected += a.test(i) != b.test(i) ? 1 : 0;
    right = right && hamming_distance(a, b) == expected && hamming_distance(b, a) == expected;
    right = right && hamming_distance(a, a) == 0;
    for (std::size_t flips = 0; flips <= Bits; flips += 1 + Bits / 16) {
      right = right && hamming_distance(a, oracle::with_flips(a, flips, random)) == static_cast<int>(flips);
    }
  }
  CHECK(right);
}

TEMPLATE_TEST_CASE_SIG("the distance of opposites is the width", "[simhash]", ((std::size_t Bits), Bits),
                       NEARDUP_TEST_WIDTHS) {
  simhash<Bits> all;
  for (std::size_t i = 0; i < Bits; ++i) all.set(i);
  CHECK(hamming_distance(all, simhash<Bits>{}) == static_cast<int>(Bits));
  static_assert(noexcept(hamming_distance(all, all)));
}
