// The default composition, simhash_of and near_duplicates.
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

#include <neardup/fingerprint.hpp>
#include <neardup/text.hpp>

#include "catch.hpp"
#include "oracle/fingerprint.hpp"
#include "oracle/random_text.hpp"
#include "oracle/text.hpp"
#include "support/tokens.hpp"
#include "support/widths.hpp"

namespace {

using neardup::near_duplicates;
using neardup::simhash_of;

constexpr std::string_view original =
    "Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated "
    "documentation files, to deal in the Software without restriction, including without limitation the rights to "
    "use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software.";

}  // namespace

TEMPLATE_TEST_CASE_SIG("simhash_of is distinct pairs of words with ASCII case folded, XXH3 with seed 0", "[defaults]",
                       ((std::size_t Bits), Bits), NEARDUP_TEST_WIDTHS) {
  oracle::random_texts random(13);
  for (int i = 0; i < 30; ++i) {
    const std::string text = random.next(random.below(50));
    const auto pairs = oracle::shingles(oracle::words(oracle::fold(text)), 2);
    const auto expected = oracle::fingerprint(oracle::unit(oracle::count(pairs)), Bits, 0);
    CAPTURE(support::printable(text));
    REQUIRE(oracle::digits(simhash_of<Bits>(text)) == expected);
    REQUIRE(simhash_of<Bits>(text) == neardup::default_simhasher<Bits>{}(text));
  }
}

TEST_CASE("simhash_of has 64 bits unless told", "[defaults]") {
  static_assert(std::is_same_v<decltype(simhash_of("")), std::optional<neardup::simhash<64>>>);
  CHECK(simhash_of(original) == simhash_of<64>(original));
  CHECK_FALSE(simhash_of(""));
  CHECK_FALSE(simhash_of(" \n?!"));
  CHECK(simhash_of("one"));
}

TEST_CASE("near_duplicates is true within k bits, k inclusive", "[defaults]") {
  CHECK(near_duplicates(original, original));
  CHECK(near_duplicates(original, original, 0));
  std::string shouted(original);
  for (char& c : shouted) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  CHECK(near_duplicates(original, shouted, 0));
  CHECK(near_duplicates(original, "  " + std::string(original) + "\n", 0));
  CHECK_FALSE(near_duplicates(original, "It was the best of times, it was the worst of times."));
  const std::string changed = std::string(original) + " And so on and so forth.";
  const int distance = hamming_distance(*simhash_of(original), *simhash_of(changed));
  REQUIRE(distance > 0);
  CHECK(near_duplicates(original, changed, distance));
  CHECK_FALSE(near_duplicates(original, changed, distance - 1));
  CHECK(near_duplicates(original, "something else", 64));
}

TEST_CASE("texts without words are no near-duplicates, not even of themselves", "[defaults]") {
  CHECK_FALSE(near_duplicates("", ""));
  CHECK_FALSE(near_duplicates("", "", 64));
  CHECK_FALSE(near_duplicates("?!", "?!"));
  CHECK_FALSE(near_duplicates(original, ""));
  CHECK_FALSE(near_duplicates("", original, 64));
}

TEST_CASE("a distance outside 0 to 64 is an error", "[defaults]") {
  CHECK_THROWS_AS(near_duplicates("a", "b", -1), std::invalid_argument);
  CHECK_THROWS_AS(near_duplicates("a", "b", 65), std::invalid_argument);
  CHECK_THROWS_AS(near_duplicates("", "", 65), std::invalid_argument);
}
