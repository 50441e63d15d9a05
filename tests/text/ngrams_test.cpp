// N-grams of bytes and of code points.
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

#include <neardup/text/ngrams.hpp>

#include "catch.hpp"
#include "oracle/random_text.hpp"
#include "oracle/text.hpp"
#include "support/tokens.hpp"

namespace {

using neardup::byte_ngrams;
using neardup::code_point_ngrams;
using support::printable;
using support::tokens;
using support::tokens_of;

constexpr auto largest = static_cast<std::size_t>(-1);

}  // namespace

TEST_CASE("byte n-grams are all windows of n bytes", "[ngrams]") {
  CHECK(tokens_of(byte_ngrams{3}, "abcde") == tokens{"abc", "bcd", "cde"});
  CHECK(tokens_of(byte_ngrams{1}, "aba") == tokens{"a", "b", "a"});
  CHECK(tokens_of(byte_ngrams{2}, std::string_view("\0\xff\0", 3)) ==
        tokens{std::string("\0\xff", 2), std::string("\xff\0", 2)});
  CHECK(tokens_of(byte_ngrams{2}, "\u00e9") == tokens{"\u00e9"});
}

TEST_CASE("code-point n-grams are all windows of n code points", "[ngrams]") {
  CHECK(tokens_of(code_point_ngrams{2}, "a\u00e9\u4e2d\U0001f600") ==
        tokens{"a\u00e9", "\u00e9\u4e2d", "\u4e2d\U0001f600"});
  CHECK(tokens_of(code_point_ngrams{1}, "\u4e2d\u6587") == tokens{"\u4e2d", "\u6587"});
  CHECK(tokens_of(code_point_ngrams{3}, "a b\n") == tokens{"a b", " b\n"});
}

TEST_CASE("a text with fewer than n units is one token, an empty one none", "[ngrams]") {
  for (const std::size_t n : {std::size_t{4}, std::size_t{5}, largest}) {
    CAPTURE(n);
    CHECK(tokens_of(byte_ngrams{n}, "abc") == tokens{"abc"});
    CHECK(tokens_of(code_point_ngrams{n}, "a\u4e2d\u6587") == tokens{"a\u4e2d\u6587"});
    CHECK(tokens_of(byte_ngrams{n}, "").empty());
    CHECK(tokens_of(code_point_ngrams{n}, "").empty());
  }
  CHECK(tokens_of(byte_ngrams{3}, "abc") == tokens{"abc"});
  CHECK(tokens_of(code_point_ngrams{3}, "a\u4e2d\u6587") == tokens{"a\u4e2d\u6587"});
}

TEST_CASE("n-grams of 0 units throw, even of an empty text", "[ngrams]") {
  for (const std::string_view text : {"", "abc"}) {
    CHECK_THROWS_AS(tokens_of(byte_ngrams{0}, text), std::invalid_argument);
    CHECK_THROWS_AS(tokens_of(code_point_ngrams{0}, text), std::invalid_argument);
  }
  CHECK_THROWS_AS(support::token_stream<byte_ngrams>(byte_ngrams{0}), std::invalid_argument);
  CHECK_THROWS_AS(support::token_stream<code_point_ngrams>(code_point_ngrams{0}), std::invalid_argument);
}

TEST_CASE("n-grams agree with the oracle", "[ngrams]") {
  oracle::random_texts texts(2);
  for (int i = 0; i < 1500; ++i) {
    const std::string text = texts.next(texts.below(30));
    const std::size_t n = 1 + texts.below(9);
    const tokens bytes = tokens_of(byte_ngrams{n}, text);
    const tokens code_points = tokens_of(code_point_ngrams{n}, text);
    if (bytes == oracle::byte_ngrams(text, n) && code_points == oracle::code_point_ngrams(text, n)) continue;
    CAPTURE(printable(text), n);
    REQUIRE(printable(bytes) == printable(oracle::byte_ngrams(text, n)));
    REQUIRE(printable(code_points) == printable(oracle::code_point_ngrams(text, n)));
  }
}
