// Sentences, and the longest sentences of a text.
#include <cstdint>
#include <ios>
#include <iterator>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>

#include <neardup/text/sentences.hpp>
#include <neardup/text/words.hpp>

#include "catch.hpp"
#include "oracle/random_engine.hpp"
#include "support/tokens.hpp"

namespace {

using neardup::longest;
using neardup::sentences;
using support::tokens;
using support::tokens_of;

}  // namespace

TEST_CASE("sentences end where European and Chinese punctuation ends them", "[sentences]") {
  CHECK(tokens_of(sentences{}, "") == tokens{});
  CHECK(tokens_of(sentences{}, " ... !? \n") == tokens{});
  CHECK(tokens_of(sentences{}, "One.") == tokens{"One"});
  CHECK(tokens_of(sentences{}, "One, two. Three! (Four?) \"Five.\" Six") ==
        tokens{"One, two", "Three", "Four", "Five", "Six"});
  CHECK(tokens_of(sentences{}, "Pi is 3.14 at example.org.\r\nNext line") ==
        tokens{"Pi is 3.14 at example.org", "Next line"});
  // "It rains today. Do you come? I do not!" with full-width punctuation.
  CHECK(
      tokens_of(sentences{}, "\u4eca\u5929\u4e0b\u96e8\u3002\u4f60\u6765\u5417\uff1f\u6211\u4e0d\uff0c\u6765\uff01") ==
      tokens{"\u4eca\u5929\u4e0b\u96e8", "\u4f60\u6765\u5417", "\u6211\u4e0d\uff0c\u6765"});
  CHECK(tokens_of(sentences{}, "a\xff\u2026b") == tokens{"a", "b"});
}

TEST_CASE("every mark that ends a sentence ends one, and no other", "[sentences]") {
  const std::u32string_view marks =
      U"!?;\n\r\u3002\uff01\uff1f\uff1b\uff61\uff0e\u2026\u2028\u2029\u061f\u06d4\u0964\u0965\u0589";
  for (char32_t c = 1; c < 0x110000; ++c) {
    if (c >= 0xd800 && c < 0xe000) continue;
    const bool is_mark = marks.find(c) != marks.npos;
    if (neardup::detail::ends_sentence(c) != is_mark) FAIL_CHECK("U+" << std::hex << static_cast<std::uint32_t>(c));
  }
  for (const std::string_view after : {" ", "\t", "\n", "\r", "\"", ")"}) {
    CHECK(tokens_of(sentences{}, "One." + std::string(after) + "Two") == tokens{"One", "Two"});
  }
}

TEST_CASE("no letter of a text is lost between its sentences", "[sentences]") {
  std::mt19937 random(1 + oracle::seed_shift());
  const std::string_view pieces[] = {"a", "B", "7",      ".",      ". ",   "!",     "\n",
                                     " ", ",", "\u3002", "\u4e00", "\xff", "\u00e9"};
  for (int round = 0; round < 3000; ++round) {
    std::string text, letters, found;
    for (unsigned i = 0; i < random() % 20; ++i) text += pieces[random() % std::size(pieces)];
    neardup::words{}(text, [&](std::string_view word) { letters += word; });
    for (const std::string& sentence : tokens_of(sentences{}, text)) {
      REQUIRE(text.find(sentence) != text.npos);
      neardup::words{}(sentence, [&](std::string_view word) { found += word; });
    }
    REQUIRE(found == letters);
  }
}

TEST_CASE("the longest tokens come longest first, each once, whatever the order of the text", "[sentences]") {
  CHECK(tokens_of(longest{2, neardup::words{}}, "a bbb cc bbb") == tokens{"bbb", "cc"});
  CHECK(tokens_of(longest{3, neardup::words{}}, "dd a cc bb") == tokens{"bb", "cc", "dd"});
  CHECK(tokens_of(longest{9, neardup::words{}}, "x yy x") == tokens{"yy", "x"});
  CHECK(tokens_of(longest{1, neardup::words{}}, "bbb a cccc bb") == tokens{"cccc"});
  // The length of a sentence is in code points, not bytes.
  CHECK(tokens_of(longest{1, sentences{}}, "\u4e00\u4e01. abc") == tokens{"abc"});
  CHECK(tokens_of(longest{2, sentences{}}, "One two three. Four. Five six!") ==
        tokens_of(longest{2, sentences{}}, "Five six! Four? One two three"));
  CHECK_THROWS_AS(tokens_of(longest{0, sentences{}}, "a"), std::invalid_argument);
}
