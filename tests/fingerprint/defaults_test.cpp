// The default composition, simhash_of and near_duplicates.
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <neardup/fingerprint.hpp>
#include <neardup/text.hpp>
#include <neardup/text/feature_choice.hpp>

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

TEMPLATE_TEST_CASE_SIG("simhash_of is distinct pairs of normalised words, XXH3 with seed 0", "[defaults]",
                       ((std::size_t Bits), Bits), NEARDUP_TEST_WIDTHS) {
  oracle::random_texts random(13);
  for (int i = 0; i < 30; ++i) {
    const std::string text = random.next(random.below(50));
    const auto pairs = oracle::shingles(oracle::words(oracle::normalise(text)), 2);
    const auto expected = oracle::fingerprint(oracle::unit(oracle::count(pairs)), Bits, 0);
    CAPTURE(support::printable(text));
    REQUIRE(oracle::digits(simhash_of<Bits>(text)) == expected);
    REQUIRE(simhash_of<Bits>(text) == neardup::default_simhasher<Bits>{}(text));
  }
}

TEST_CASE("the default features are the features words:2 of the command", "[defaults]") {
  using neardup::default_tokenizer;
  STATIC_REQUIRE(neardup::feature_choice{} == neardup::feature_choice{neardup::feature_kind::words, 2});
  const neardup::feature_choice by_name = neardup::parse_features("words:2");
  REQUIRE(by_name == neardup::feature_choice{});
  const bool same_type = neardup::with_tokenizer(by_name, [](const auto& tokenize) {
    return std::is_same_v<std::decay_t<decltype(tokenize)>, default_tokenizer>;
  });
  CHECK(same_type);

  struct example {
    std::string_view text;
    std::vector<std::string> words;
  };
  const std::vector<example> examples{
      {"L'\u00c9T\u00c9 \u00c0 N\u00ceMES, \u0152UVRES", {"l", "\u00e9t\u00e9", "\u00e0", "n\u00eemes", "\u0153uvres"}},
      {"\uff34\uff49\uff24\uff22\u3000\uff15\uff0e0", {"\uff54\uff49\uff44\uff42", "\uff15", "0"}},  // full width stays
      {"E\u0301TE\u0301 \u00c9 \u0301a", {"e\u0301te\u0301", "\u00e9", "a"}},         // nothing is composed
      {"exam-\nple, co\u00ad\nop, co\u00adop", {"exam", "ple", "co", "op", "coop"}},  // line ends part words
      {"\u4e2d\u6587 \u5206\u8bcd\uff0cA\u7b97", {"\u4e2d", "\u6587", "\u5206", "\u8bcd", "a", "\u7b97"}},
      {"\u039f\u0394\u039f\u03a3 \u0130I STRA\u1e9eE", {"\u03bf\u03b4\u03bf\u03c3", "ii", "stra\u00dfe"}},
      {"caf\xc3 \xff#\ufe0f\u20e3 \U0001f1e9\U0001f1ea", {"caf", "#\u20e3", "\U0001f1e9\U0001f1ea"}},
      {"One!", {"one"}},
      {"?! \n", {}},
  };
  for (const example& one : examples) {
    CAPTURE(support::printable(one.text));
    oracle::tokens pairs;
    for (std::size_t i = 1; i < one.words.size(); ++i) pairs.push_back(one.words[i - 1] + '\x1f' + one.words[i]);
    if (one.words.size() == 1) pairs = one.words;
    CHECK(support::tokens_of(default_tokenizer{}, one.text) == pairs);
    oracle::tokens named;
    auto add = [&](std::string_view token) { named.emplace_back(token); };
    neardup::with_tokenizer(by_name, [&](const auto& tokenize) { tokenize(one.text, add); });
    CHECK(named == pairs);
    CHECK(oracle::digits(simhash_of(one.text)) == oracle::fingerprint(oracle::unit(oracle::count(pairs)), 64, 0));
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
