// Bit access: bit i is bit i % 64 of word i / 64.
#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include <neardup/simhash.hpp>

#include "catch.hpp"
#include "support/widths.hpp"

using neardup::simhash;

TEMPLATE_TEST_CASE_SIG("each bit is set, tested, flipped and cleared alone", "[simhash]", ((std::size_t Bits), Bits),
                       NEARDUP_TEST_WIDTHS) {
  bool alone = true;
  for (std::size_t i = 0; i < Bits; ++i) {
    simhash<Bits> value;
    value.set(i);
    for (std::size_t j = 0; j < Bits; ++j) alone = alone && value.test(j) == (i == j) && value[j] == (i == j);
    for (std::size_t w = 0; w < value.words; ++w) {
      alone = alone && value.to_words()[w] == (w == i / 64 ? std::uint64_t{1} << (i % 64) : 0);
    }
    alone = alone && value.flip(i) == simhash<Bits>{};
    alone = alone && value.flip(i).test(i);
    alone = alone && value.set(i, true).test(i);
    alone = alone && value.set(i, false) == simhash<Bits>{};
  }
  CHECK(alone);
}

TEMPLATE_TEST_CASE_SIG("a bit beyond the width is out of range, and changes nothing", "[simhash]",
                       ((std::size_t Bits), Bits), NEARDUP_TEST_WIDTHS) {
  simhash<Bits> value;
  for (const std::size_t i : {Bits, Bits + 1, 64 * value.words, static_cast<std::size_t>(-1)}) {
    CAPTURE(i);
    CHECK_THROWS_AS(value.test(i), std::out_of_range);
    CHECK_THROWS_AS(value[i], std::out_of_range);
    CHECK_THROWS_AS(value.set(i), std::out_of_range);
    CHECK_THROWS_AS(value.set(i, false), std::out_of_range);
    CHECK_THROWS_AS(value.flip(i), std::out_of_range);
  }
  CHECK(value == simhash<Bits>{});
}
