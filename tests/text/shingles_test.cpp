// Shingles: every n consecutive tokens.
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

#include <neardup/text/ngrams.hpp>
#include <neardup/text/shingles.hpp>
#include <neardup/text/words.hpp>

#include "catch.hpp"
#include "oracle/random_text.hpp"
#include "oracle/text.hpp"
#include "support/tokens.hpp"

namespace {

using neardup::shingles;
using neardup::words;
using support::printable;
using support::tokens;
using support::tokens_of;

/// A tokenizer that the library does not have: lines, empty ones included.
struct lines {
  template <class Sink>
  void operator()(std::string_view text, Sink&& sink) const {
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      sink(text.substr(0, end));
      text.remove_prefix(end == text.npos ? text.size() : end + 1);
    }
  }
};

}  // namespace

TEST_CASE("shingles are all windows of n tokens, joined by the unit separator", "[shingles]") {
  CHECK(neardup::shingle_separator == '\x1f');
  CHECK(tokens_of(shingles{2, words{}}, "to be, or not") == tokens{"to\x1f"
                                                                   "be",
                                                                   "be\x1f"
                                                                   "or",
                                                                   "or\x1fnot"});
  CHECK(tokens_of(shingles{3, words{}}, "to be or not") == tokens{"to\x1f"
                                                                  "be\x1for",
                                                                  "be\x1for\x1fnot"});
  CHECK(tokens_of(shingles{1, words{}}, "to be or") == tokens{"to", "be", "or"});
}

TEST_CASE("words that join to the same letters are different shingles", "[shingles]") {
  CHECK(tokens_of(shingles{2, words{}}, "ab c") != tokens_of(shingles{2, words{}}, "a bc"));
}

TEST_CASE("fewer than n tokens are one shingle, none are none", "[shingles]") {
  CHECK(tokens_of(shingles{3, words{}}, "to be") == tokens{"to\x1f"
                                                           "be"});
  CHECK(tokens_of(shingles{3, words{}}, "to") == tokens{"to"});
  CHECK(tokens_of(shingles{static_cast<std::size_t>(-1), words{}}, "to be") == tokens{"to\x1f"
                                                                                      "be"});
  CHECK(tokens_of(shingles{2, words{}}, "").empty());
  CHECK(tokens_of(shingles{2, words{}}, "?!").empty());
}

TEST_CASE("shingles of 0 tokens throw, even of an empty text", "[shingles]") {
  for (const std::string_view text : {"", "to be"}) {
    CHECK_THROWS_AS(tokens_of(shingles{0, words{}}, text), std::invalid_argument);
  }
  CHECK_THROWS_AS(support::token_stream<shingles<words>>(shingles{0, words{}}), std::invalid_argument);
}

TEST_CASE("shingles take any tokenizer, shingles and one's own too", "[shingles]") {
  CHECK(tokens_of(shingles{2, neardup::byte_ngrams{2}}, "abcd") == tokens{"ab\x1f"
                                                                          "bc",
                                                                          "bc\x1f"
                                                                          "cd"});
  CHECK(tokens_of(shingles{2, shingles{2, words{}}}, "a b c d") == tokens{"a\x1f"
                                                                          "b\x1f"
                                                                          "b\x1f"
                                                                          "c",
                                                                          "b\x1f"
                                                                          "c\x1f"
                                                                          "c\x1f"
                                                                          "d"});
  CHECK(tokens_of(shingles{2, lines{}}, "a b\n\nc") == tokens{"a b\x1f",
                                                              "\x1f"
                                                              "c"});
  const auto halves = [](std::string_view text, auto&& sink) {
    sink(text.substr(0, text.size() / 2));
    sink(text.substr(text.size() / 2));
  };
  CHECK(tokens_of(shingles{2, halves}, "abcd") == tokens{"ab\x1f"
                                                         "cd"});
}

TEST_CASE("shingles agree with the oracle", "[shingles]") {
  oracle::random_texts texts(3);
  for (int i = 0; i < 1000; ++i) {
    const std::string text = texts.next(texts.below(60));
    const std::size_t n = 1 + texts.below(6);
    const tokens found = tokens_of(shingles{n, words{}}, text);
    const tokens expected = oracle::shingles(oracle::words(text), n);
    if (found == expected) continue;
    CAPTURE(printable(text), n);
    REQUIRE(printable(found) == printable(expected));
  }
}

TEST_CASE("shingles of a long text and of long tokens agree with the oracle", "[shingles]") {
  std::string text;
  for (std::size_t i = 0; i < 250; ++i)
    text += std::string(i % 7 == 0 ? 3000 : i % 19, static_cast<char>('a' + i % 26)) + " ";
  for (const std::size_t n : {std::size_t{1}, std::size_t{2}, std::size_t{5}}) {
    CAPTURE(n);
    CHECK((tokens_of(shingles{n, words{}}, text) == oracle::shingles(oracle::words(text), n)));
  }
}
