// Folding and normalising, as strings.
#include <string>
#include <string_view>

#include <neardup/text/ngrams.hpp>
#include <neardup/text/normalise.hpp>
#include <neardup/text/utf8.hpp>
#include <neardup/text/words.hpp>

#include "catch.hpp"
#include "oracle/random_text.hpp"
#include "oracle/text.hpp"
#include "support/tokens.hpp"

namespace {

using namespace std::string_view_literals;
using neardup::fold;
using neardup::normalise;
using support::exact_copy;
using support::printable;
using support::tokens;
using support::tokens_of;

}  // namespace

TEST_CASE("fold lower-cases A to Z and keeps every other byte", "[normalise]") {
  CHECK(fold("") == "");
  CHECK(fold("AZ az @[`{ 09") == "az az @[`{ 09");
  CHECK(fold("\u00c4\u0416\u4e2d") == "\u00c4\u0416\u4e2d");
  std::string all_bytes;
  for (int i = 0; i < 256; ++i) all_bytes.push_back(static_cast<char>(i));
  CHECK(fold(all_bytes) == oracle::fold(all_bytes));
}

TEST_CASE("normalise lower-cases letters of all scripts", "[normalise]") {
  CHECK(normalise("ABC xyz") == "abc xyz");
  CHECK(normalise("\u00c4\u00d6\u00dc \u1e9e") == "\u00e4\u00f6\u00fc \u00df");
  CHECK(normalise("\u041f\u0420\u0418 \u03a3\u03a3") == "\u043f\u0440\u0438 \u03c3\u03c3");
  CHECK(normalise("\u0130\u212a\u023a") == "ik\u2c65");  // shorter and longer than before
}

TEST_CASE("normalise reduces what is between words to one space", "[normalise]") {
  CHECK(normalise("") == "");
  CHECK(normalise(" .,!\n") == "");
  CHECK(normalise("a b") == "a b");
  CHECK(normalise("a \t\r\n b") == "a b");
  CHECK(normalise("Hello, world!") == "hello world");
  CHECK(normalise("--a--b--") == "a b");
  CHECK(normalise("  a  ") == "a");
  CHECK(normalise("snake_case don't 3.14") == "snake case don t 3 14");
  CHECK(normalise("a\U0001f600\u200db\0c"sv) == "a b c");
}

TEST_CASE("normalise leaves no space beside a Han character", "[normalise]") {
  CHECK(normalise("\u4e2d \u6587") == "\u4e2d\u6587");
  CHECK(normalise("\u4e2d\uff0c\u6587\u3002") == "\u4e2d\u6587");
  CHECK(normalise("\u4e2d a \u6587") == "\u4e2da\u6587");
  CHECK(normalise("a \u4e2d") == "a\u4e2d");
  CHECK(normalise(" \u4e2d ") == "\u4e2d");
  CHECK(normalise("\u4e2d 2024 \u5e74") == "\u4e2d2024\u5e74");
  // Only Han: other scripts without spaces keep those that someone put there.
  CHECK(normalise("\u3042 \u30ab \u0e01 \ud55c") == "\u3042 \u30ab \u0e01 \ud55c");
  CHECK(normalise("\u3042 \u4e2d \u3042") == "\u3042\u4e2d\u3042");
}

TEST_CASE("a mark after a Han character belongs to it", "[normalise]") {
  CHECK(normalise("\u4e2d\ufe00 a") ==
        "\u4e2d\ufe00"
        "a");
  CHECK(normalise("\u4e2d \u0301 a") ==
        "\u4e2d\u0301"
        "a");
  CHECK(normalise("a\u0301 b") == "a\u0301 b");
  CHECK(normalise("\u0301 a") == "\u0301 a");
}

TEST_CASE("normalise agrees with the oracle, and changes nothing the second time", "[normalise]") {
  oracle::random_texts texts(4);
  for (int i = 0; i < 3000; ++i) {
    const std::string text = texts.next(texts.below(40));
    const std::string found = normalise(exact_copy(text));
    const std::string expected = oracle::normalise(text);
    if (found == expected && normalise(found) == found && neardup::count_invalid(found) == 0) continue;
    CAPTURE(printable(text));
    REQUIRE(printable(found) == printable(expected));
    REQUIRE(printable(normalise(found)) == printable(found));
    REQUIRE(neardup::count_invalid(found) == 0);
  }
}

TEST_CASE("folded and normalised hand the rewritten text to the inner tokenizer", "[normalise]") {
  const std::string_view text = "The \u00c9t\u00e9,  \u4e2d \u6587!";
  CHECK(tokens_of(neardup::folded{neardup::words{}}, text) == tokens{"the", "\u00c9t\u00e9", "\u4e2d", "\u6587"});
  CHECK(tokens_of(neardup::normalised{neardup::words{}}, text) == tokens{"the", "\u00e9t\u00e9", "\u4e2d", "\u6587"});
  CHECK(tokens_of(neardup::normalised{neardup::code_point_ngrams{20}}, text) ==
        tokens{"the \u00e9t\u00e9\u4e2d\u6587"});
  CHECK(tokens_of(neardup::folded{neardup::byte_ngrams{40}}, text) == tokens{"the \u00c9t\u00e9,  \u4e2d \u6587!"});
  // Which is done first matters to neither.
  CHECK(tokens_of(neardup::folded{neardup::normalised{neardup::byte_ngrams{40}}}, text) ==
        tokens_of(neardup::normalised{neardup::byte_ngrams{40}}, text));
}
