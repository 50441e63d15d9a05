// The traps that other SimHash libraries fell into on the way from a text to a fingerprint, one test each.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <neardup/fingerprint.hpp>
#include <neardup/text.hpp>

#include "catch.hpp"
#include "oracle/random_engine.hpp"

namespace {

using neardup::near_duplicates;
using neardup::simhash;
using neardup::simhash_of;
using neardup::simhasher;

using neardup::words;

const auto no_stop_words = [](std::string_view token, std::uint64_t) {
  return token == "the" || token == "and" || token == "of" ? 0.0 : 1.0;
};

}  // namespace

// yanyiwu/simhash, text-dedup: all of these had fingerprint 0, and were duplicates of each other.
TEST_CASE("trap: texts without tokens are duplicates of each other", "[traps]") {
  for (const std::string_view text : {"", " ", "\n\n", "?!", "\xff\xfe\xc3", "\u2192", "\ufe0f"}) {
    CHECK_FALSE(simhash_of(text));
    for (const std::string_view other : {"", "?!", "\xff", "word"}) CHECK_FALSE(near_duplicates(text, other, 64));
  }
}

TEST_CASE("trap: texts of few tokens have fingerprint 0", "[traps]") {
  for (const std::string_view text : {"a", "a b", "\u4e2d", "x\xff"}) {
    REQUIRE(simhash_of(text));
    CHECK(simhash_of(text) != simhash<64>{});
  }
  CHECK_FALSE(near_duplicates("yes", "no"));
  CHECK_FALSE(near_duplicates("yes please", "no thanks"));
  CHECK_FALSE(near_duplicates("x", "y", 8));
}

TEST_CASE("trap: texts of stop words only are duplicates of each other", "[traps]") {
  const simhasher hash{words{}, no_stop_words};
  CHECK_FALSE(hash("the and of the"));
  CHECK_FALSE(hash("of"));
  CHECK(hash("the cat"));
}

TEST_CASE("trap: ill-formed UTF-8 loses the text around it", "[traps]") {
  CHECK(simhash_of("caf\xe9 au lait"));
  CHECK(simhash_of("caf\xe9 au lait") == simhash_of("caf\ufffd au lait"));
  CHECK_FALSE(near_duplicates("one \xff two", "three \xff four"));
}

// seomoz/simhash-py#44: identical fingerprints gave no pair.
TEST_CASE("trap: two identical documents are no pair", "[traps]") {
  for (const std::string_view text : {"a", "to be or not to be", "\u4e2d\u6587"}) {
    CHECK(near_duplicates(text, text));
    CHECK(near_duplicates(text, text, 0));
  }
}

// `1UL << i` where long has 32 bits; ClickHouse#102699: only 32 of 64 bits were used.
TEST_CASE("trap: the upper bits are always the same", "[traps]") {
  simhash<256>::words_type ones{};
  simhash<256>::words_type zeros{};
  for (int i = 0; i < 64; ++i) {
    const auto words = simhash_of<256>("document" + std::to_string(i))->to_words();
    for (std::size_t w = 0; w < words.size(); ++w) {
      ones[w] |= words[w];
      zeros[w] |= ~words[w];
    }
  }
  for (std::size_t w = 0; w < ones.size(); ++w) {
    CHECK(ones[w] == ~std::uint64_t{0});
    CHECK(zeros[w] == ~std::uint64_t{0});
  }
  const auto alone = [](std::string_view token) { return std::uint64_t{1} << (token[0] - ' '); };
  for (int i = 0; i < 64; ++i) {
    const char letter = static_cast<char>(' ' + i);
    const auto hash = simhasher{neardup::byte_ngrams{1}, neardup::unit{}, alone};
    CHECK(hash(std::string_view(&letter, 1))->to_uint64() == std::uint64_t{1} << i);
  }
}

// 1e0ng/simhash: a 256-bit fingerprint from a 128-bit hash was silently wrong; compile_fail/narrow_hasher.cpp is the
// rest.
TEST_CASE("trap: the words of a wide fingerprint repeat each other", "[traps]") {
  const auto words = simhash_of<256>("to be or not to be, that is the question")->to_words();
  for (std::size_t i = 0; i < words.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const int distance = hamming_distance(simhash<64>(words[i]), simhash<64>(words[j]));
      CHECK(distance > 10);
      CHECK(distance < 54);
    }
  }
}

// Sums of doubles: 0.1 + 0.2 + 0.3 is not 0.3 + 0.2 + 0.1.
TEST_CASE("trap: the order of the features changes the fingerprint", "[traps]") {
  std::vector<std::string> tokens;
  for (int i = 0; i < 30; ++i) tokens.push_back("word" + std::to_string(i));
  const auto tenths = [](std::string_view token, std::uint64_t) {
    return 0.1 * static_cast<double>(token.size() + static_cast<unsigned char>(token.back()));
  };
  const simhasher hash{words{}, tenths};
  std::mt19937 random(1 + oracle::seed_shift());
  const auto text = [&] {
    std::string joined;
    for (const std::string& token : tokens) joined += token + " ";
    return joined;
  };
  const auto expected = hash(text());
  for (int i = 0; i < 200; ++i) {
    std::shuffle(tokens.begin(), tokens.end(), random);
    REQUIRE(hash(text()) == expected);
  }
}

// yanyiwu/simhash: a NaN weight gave 0, an infinite one decided alone.
TEST_CASE("trap: a NaN or infinite weight decides the fingerprint", "[traps]") {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    const auto weigh = [bad](std::string_view token, std::uint64_t) { return token == "bad" ? bad : 1.0; };
    CHECK_THROWS_AS((simhasher{words{}, weigh}("one bad apple")), std::invalid_argument);
    CHECK(simhasher{words{}, weigh}("one good apple") == simhasher{words{}}("one good apple"));
  }
}

// 1e0ng/simhash: a feature without a weight had that of the feature before it.
TEST_CASE("trap: a weight leaks to later features", "[traps]") {
  const auto heavy_first = [](std::string_view token, std::uint64_t) { return token == "heavy" ? 1000.0 : 1.0; };
  const simhasher hash{words{}, heavy_first};
  CHECK(hash("heavy a b c") == hash("a b c heavy"));
  decltype(hash)::workspace scratch;
  CHECK(hash("heavy a b c", scratch) == simhasher{words{}}("heavy"));
  CHECK(hash("a b c", scratch) == simhasher{words{}}("a b c"));
  neardup::text_stream stream{hash};
  stream.feed("heavy");
  CHECK(stream.finish() == simhasher{words{}}("heavy"));
  stream.feed("a b c");
  CHECK(stream.finish() == simhasher{words{}}("a b c"));
}

// To 0 here, as in seomoz, yanyiwu and gaoya; to 1 in find-simdoc; alternating by bit in hash4j.
TEST_CASE("trap: nobody says which way a tie goes", "[traps]") {
  const std::uint64_t a = simhasher{words{}}("a")->to_uint64();
  const std::uint64_t b = simhasher{words{}}("b")->to_uint64();
  REQUIRE((a & ~b) != 0);
  CHECK(simhasher{words{}}("a b")->to_uint64() == (a & b));
}

// Findings on accuracy: with raw term frequency, repeated boilerplate decides alone.
TEST_CASE("trap: a repeated word decides alone", "[traps]") {
  const std::string text = "one two three four five ";
  std::string repeated = text;
  for (int i = 0; i < 50; ++i) repeated += "one ";
  CHECK(simhasher{words{}}(repeated) == simhasher{words{}}(text));
  CHECK(simhasher{words{}, neardup::tf{}}(repeated) == simhasher{words{}}("one"));
}
