// One rule for ill-formed UTF-8 on every path: each maximal ill-formed subpart is one U+FFFD, which is no letter.
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <neardup/text.hpp>

#include "catch.hpp"
#include "support/tokens.hpp"

namespace {

using namespace std::string_view_literals;
using support::printable;
using support::tokens;
using support::tokens_of;

struct ill_formed {
  std::string_view bytes;
  std::size_t subparts;
};

// The tables 3-8 to 3-11 of Unicode 15, section 3.9, and other usual errors.
const std::vector<ill_formed> ill_formed_cases = {
    {"\xc0\xaf"sv, 2},                          // overlong /
    {"\xe0\x80\xbf\xf0\x81\x82"sv, 6},          // overlong of three and four bytes
    {"\xed\xa0\x80\xed\xbf\xbf"sv, 6},          // surrogates
    {"\xed\xa0\x80\xed\xb0\x80"sv, 6},          // a pair of surrogates
    {"\xf4\x91\x92\x93\xff"sv, 5},              // beyond U+10FFFF
    {"\xe1\x80\xe2\xf0\x91\x92\xf1\xbf"sv, 4},  // truncated sequences, each directly before the next
    {"\x80"sv, 1},
    {"\xbf\xbf\xbf"sv, 3},
    {"\xc3"sv, 1},
    {"\xe4\xb8"sv, 1},
    {"\xf0\x9f\x98"sv, 1},
    {"\xf0\x9f\xf0\x9f\x98"sv, 2},
    {"\xf5\x80\x80\x80"sv, 4},
    {"\xfe\xff"sv, 2},
};

std::string replacements(std::size_t count) {
  std::string text;
  for (; count > 0; --count) text += "\xef\xbf\xbd";
  return text;
}

}  // namespace

TEST_CASE("each maximal ill-formed subpart is one U+FFFD", "[invalid]") {
  for (const ill_formed& c : ill_formed_cases) {
    CAPTURE(printable(c.bytes));
    CHECK(neardup::count_invalid(c.bytes) == c.subparts);
    CHECK(neardup::count_invalid("a" + std::string(c.bytes) + "b") == c.subparts);
    CHECK(tokens_of(neardup::code_point_ngrams{100}, c.bytes) == tokens{replacements(c.subparts)});
    CHECK(tokens_of(neardup::code_point_ngrams{1}, c.bytes).size() == c.subparts);
  }
}

TEST_CASE("an ill-formed text has the tokens of the repaired one on every path that reads characters", "[invalid]") {
  for (const ill_formed& c : ill_formed_cases) {
    for (const std::string_view around : {"", "a", "\u4e2d", " ", "\u0301", "\u0e01"}) {
      const std::string broken = "x " + std::string(around) + std::string(c.bytes) + std::string(around) + "b";
      const std::string repaired = "x " + std::string(around) + replacements(c.subparts) + std::string(around) + "b";
      CAPTURE(printable(broken));
      REQUIRE(neardup::count_invalid(repaired) == 0);
      CHECK(neardup::normalise(broken) == neardup::normalise(repaired));
      const auto check = [&](const auto& tokenize) {
        const tokens expected = tokens_of(tokenize, repaired);
        CHECK(tokens_of(tokenize, broken) == expected);
        support::token_stream<std::remove_cvref_t<decltype(tokenize)>> stream(tokenize);
        CHECK(support::tokens_of_chunks(stream, support::cut_every(broken, 1)) == expected);
      };
      check(neardup::words{});
      check(neardup::code_point_ngrams{2});
      check(neardup::shingles{2, neardup::words{}});
      check(neardup::folded{neardup::words{}});
      check(neardup::normalised{neardup::words{}});
      check(neardup::normalised{neardup::byte_ngrams{5}});
    }
  }
}

TEST_CASE("ill-formed bytes separate words and belong to none", "[invalid]") {
  for (const ill_formed& c : ill_formed_cases) {
    CAPTURE(printable(c.bytes));
    CHECK(tokens_of(neardup::words{}, c.bytes).empty());
    CHECK(tokens_of(neardup::words{}, "a" + std::string(c.bytes) + "b") == tokens{"a", "b"});
    CHECK(neardup::normalise(c.bytes).empty());
    CHECK(neardup::normalise("a" + std::string(c.bytes) + "b") == "a b");
    CHECK(neardup::normalise("\u4e2d" + std::string(c.bytes) + "b") ==
          "\u4e2d"
          "b");
  }
}

TEST_CASE("byte n-grams and folding keep ill-formed bytes as they are", "[invalid]") {
  for (const ill_formed& c : ill_formed_cases) {
    CAPTURE(printable(c.bytes));
    CHECK(tokens_of(neardup::byte_ngrams{100}, c.bytes) == tokens{std::string(c.bytes)});
    CHECK(neardup::fold(c.bytes) == c.bytes);
  }
}

TEST_CASE("U+FFFD and a byte order mark in the text are no letters either", "[invalid]") {
  CHECK(tokens_of(neardup::words{},
                  "\xef\xbb\xbf"
                  "a\ufffd"
                  "b") == tokens{"a", "b"});
  CHECK(tokens_of(neardup::code_point_ngrams{1}, "\ufffd") == tokens_of(neardup::code_point_ngrams{1}, "\xff"));
}
