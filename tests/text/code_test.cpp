// Compares tokens of source code, and words that another program has separated, with regular expressions.
#include <cstddef>
#include <random>
#include <regex>
#include <string>
#include <string_view>

#include <neardup/text/code.hpp>
#include <neardup/text/words.hpp>

#include "catch.hpp"
#include "oracle/random_engine.hpp"
#include "oracle/random_text.hpp"
#include "oracle/text.hpp"
#include "support/tokens.hpp"

namespace {

using neardup::code_tokens;
using neardup::spaced_words;
using support::printable;
using support::tokens;
using support::tokens_of;

void require_code(std::string_view text, const tokens& expected) {
  CAPTURE(printable(text));
  CHECK(printable(tokens_of(code_tokens{}, text)) == printable(expected));
}

/// The tokens of ASCII text, by one regular expression.
tokens plain_code_tokens(const std::string& text) {
  static const std::regex token(
      "0[xX](?:[pP][+-](?=[0-9])|['.](?=[0-9])|[0-9A-Za-z_])*|\\.?[0-9](?:[eE][+-](?=[0-9])|['.](?=[0-9])|[0-9A-Za-z_])"
      "*|"
      "[A-Za-z_][A-Za-z_0-9]*|>>>=|<<=|>>=|>>>|===|!==|<=>|\\.\\.\\.|\\.\\.=|->\\*|\\*\\*=|//"
      "=|&&=|\\|\\|=|\\?\\?=|==|!=|"
      "<=|>=|&&|\\|\\||<<|>>|\\+=|-=|\\*=|/=|%=|&=|\\|=|\\^=|->|=>|::|\\+\\+|--|\\*\\*|//|/\\*|\\*/|:=|<-|\\?\\.|"
      "\\?\\?|\\.\\.|\\|>|=~|!~|<>|~=|[^ \\t\\n\\v\\f\\r]");
  tokens found;
  for (std::sregex_iterator i(text.begin(), text.end(), token), end; i != end; ++i) found.push_back(i->str());
  return found;
}

template <class Tokenizer>
void require_streamed(const Tokenizer& tokenizer, const std::string& text) {
  const tokens expected = tokens_of(tokenizer, text);
  support::token_stream<Tokenizer> stream(tokenizer);
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    const tokens found = support::tokens_of_chunks(stream, support::cut_at(text, cut));
    if (found == expected) continue;
    CAPTURE(printable(text), cut);
    REQUIRE(printable(found) == printable(expected));
  }
}

}  // namespace

TEST_CASE("symbols, numbers and names of code are tokens", "[code]") {
  require_code("", {});
  require_code(" \t\r\n\u00a0", {});
  require_code("a < b", {"a", "<", "b"});
  require_code("a>b", {"a", ">", "b"});
  require_code("x+y-1;", {"x", "+", "y", "-", "1", ";"});
  require_code("-2", {"-", "2"});
  require_code("#include <vector>", {"#", "include", "<", "vector", ">"});
  require_code("int main() { return 0; } // done",
               {"int", "main", "(", ")", "{", "return", "0", ";", "}", "//", "done"});
  require_code("p->q <<= r<=>s", {"p", "->", "q", "<<=", "r", "<=>", "s"});
  require_code("Case_Kept snake_case _x1", {"Case_Kept", "snake_case", "_x1"});
  require_code("\"it's\"", {"\"", "it", "'", "s", "\""});
  require_code("\u03b1 \u2260 \u03b2\u0301 + \u4e2d\u6587", {"\u03b1", "\u2260", "\u03b2\u0301", "+", "\u4e2d\u6587"});
  require_code("a\xff\xe4\xb8z", {"a", "\xff", "\xe4\xb8", "z"});
}

TEST_CASE("numbers of code are whole", "[code]") {
  require_code("3.14 .5 1e-9 1E+5f 0x1F 0xe+1 0x1p-3 1'000'000 1_000u",
               {"3.14", ".5", "1e-9", "1E+5f", "0x1F", "0xe", "+", "1", "0x1p-3", "1'000'000", "1_000u"});
  require_code("1..9 1.abs 1. e-1 2e-x", {"1", "..", "9", "1", ".", "abs", "1", ".", "e", "-", "1", "2e", "-", "x"});
}

TEST_CASE("code is cut as by a regular expression", "[code]") {
  const std::string_view pieces[] = {"a", "e", "E", "x", "p", "_", "0", "1", "9", ".", "'", "+", "-",  "*",  "/", "<",
                                     ">", "=", "!", "&", "|", "?", ":", "~", "^", "%", "(", " ", "\n", "0x", "1e"};
  std::mt19937 random(3 + oracle::seed_shift());
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (std::size_t left = random() % 20; left > 0; --left) text += pieces[random() % std::size(pieces)];
    const tokens found = tokens_of(code_tokens{}, text);
    if (found == plain_code_tokens(text)) continue;
    CAPTURE(text);
    REQUIRE(printable(found) == printable(plain_code_tokens(text)));
  }
}

TEST_CASE("words between white space are as they were", "[spaced_words]") {
  CHECK(tokens_of(spaced_words{}, "") == tokens{});
  CHECK(tokens_of(spaced_words{}, " \n\u3000\u2009") == tokens{});
  CHECK(tokens_of(spaced_words{}, "It's  ONE,\ttwo\u00a0x\xff\u2028.") == tokens{"It's", "ONE,", "two", "x\xff", "."});
  CHECK(tokens_of(spaced_words{}, "\u5206\u8bcd\u3001 \u200b\ufe0f") == tokens{"\u5206\u8bcd\u3001", "\u200b\ufe0f"});
  // Tokens of random text have all its characters except white space.
  oracle::random_texts random(9);
  for (int round = 0; round < 2000; ++round) {
    const std::string text = random.next(random.below(40));
    tokens expected(1);
    for (std::size_t i = 0; i < text.size();) {
      const neardup::decoded next = neardup::decode_one(std::string_view(text).substr(i));
      const std::string character = text.substr(i, next.length);
      i += next.length;
      if (character == " " || character == "\n" || character == "\u3000") {
        expected.emplace_back();
      } else {
        expected.back() += character;
      }
    }
    std::erase(expected, "");
    CHECK(tokens_of(spaced_words{}, text) == expected);
  }
}

TEST_CASE("code and spaced words have the same tokens in a stream", "[code][spaced_words]") {
  oracle::random_texts random(10);
  for (int round = 0; round < 300; ++round) {
    const std::string text = random.next(random.below(30));
    require_streamed(code_tokens{}, text);
    require_streamed(spaced_words{}, text);
  }
  require_streamed(code_tokens{}, "x <<= 1e-9 // ok\n\ty->z()");
}
