// The chunks of a text have the tokens of the whole text, wherever the text is cut.
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <neardup/text.hpp>

#include "catch.hpp"
#include "oracle/random_text.hpp"
#include "oracle/text.hpp"
#include "support/tokens.hpp"

namespace {

using neardup::byte_ngrams;
using neardup::code_point_ngrams;
using neardup::folded;
using neardup::normalised;
using neardup::shingles;
using neardup::words;
using support::cut_at;
using support::cut_every;
using support::printable;
using support::token_stream;
using support::tokens;

/// Requires that one stream gives `expected` for each cut: at each byte, every 1 to 7 bytes, and with empty chunks
/// between.
template <class Tokenizer>
void require_streamed(const Tokenizer& tokenize, std::string_view text, const tokens& expected) {
  token_stream<Tokenizer> stream(tokenize);
  const auto require_same = [&](const std::vector<std::string_view>& chunks) {
    const tokens found = support::tokens_of_chunks(stream, chunks);
    if (found == expected) return;
    CAPTURE(printable(text), chunks.size(), chunks.front().size());
    REQUIRE(printable(found) == printable(expected));
  };
  for (std::size_t position = 0; position <= text.size(); ++position) require_same(cut_at(text, position));
  for (std::size_t size = 1; size <= 7; ++size) require_same(cut_every(text, size));
  std::vector<std::string_view> sparse = {""};
  for (const std::string_view chunk : cut_every(text, 1)) {
    sparse.push_back(chunk);
    sparse.emplace_back();
  }
  require_same(sparse);
}

/// Compares the tokens of whole texts with the oracle, and a stream with both.
template <class Tokenizer, class Oracle>
void require_as_oracle(const Tokenizer& tokenize, const Oracle& reference) {
  oracle::random_texts texts(5);
  for (int i = 0; i < 60; ++i) {
    const std::string text = texts.next(texts.below(25));
    const tokens expected = reference(text);
    const tokens whole = support::tokens_of(tokenize, text);
    if (whole != expected) {
      CAPTURE(printable(text));
      REQUIRE(printable(whole) == printable(expected));
    }
    require_streamed(tokenize, text, expected);
  }
  SUCCEED();
}

}  // namespace

TEST_CASE("words do not depend on where the text was cut", "[streaming]") { require_as_oracle(words{}, oracle::words); }

TEST_CASE("byte n-grams do not depend on where the text was cut", "[streaming]") {
  for (const std::size_t n : {std::size_t{1}, std::size_t{2}, std::size_t{5}, std::size_t{1000}}) {
    require_as_oracle(byte_ngrams{n}, [=](std::string_view text) { return oracle::byte_ngrams(text, n); });
  }
}

TEST_CASE("code-point n-grams do not depend on where the text was cut", "[streaming]") {
  for (const std::size_t n : {std::size_t{1}, std::size_t{2}, std::size_t{5}, std::size_t{1000}}) {
    require_as_oracle(code_point_ngrams{n}, [=](std::string_view text) { return oracle::code_point_ngrams(text, n); });
  }
}

TEST_CASE("shingles do not depend on where the text was cut", "[streaming]") {
  for (const std::size_t n : {std::size_t{1}, std::size_t{2}, std::size_t{4}}) {
    require_as_oracle(shingles{n, words{}},
                      [=](std::string_view text) { return oracle::shingles(oracle::words(text), n); });
    require_as_oracle(shingles{n, code_point_ngrams{3}},
                      [=](std::string_view text) { return oracle::shingles(oracle::code_point_ngrams(text, 3), n); });
  }
}

TEST_CASE("folded and normalised text does not depend on where it was cut", "[streaming]") {
  require_as_oracle(folded{words{}}, [](std::string_view text) { return oracle::words(oracle::fold(text)); });
  require_as_oracle(folded{byte_ngrams{3}},
                    [](std::string_view text) { return oracle::byte_ngrams(oracle::fold(text), 3); });
  require_as_oracle(normalised{words{}}, [](std::string_view text) { return oracle::words(oracle::normalise(text)); });
  require_as_oracle(normalised{code_point_ngrams{2}},
                    [](std::string_view text) { return oracle::code_point_ngrams(oracle::normalise(text), 2); });
  require_as_oracle(normalised{byte_ngrams{4}},
                    [](std::string_view text) { return oracle::byte_ngrams(oracle::normalise(text), 4); });
}

TEST_CASE("text without its white space does not depend on where it was cut", "[streaming]") {
  const auto unspaced = [](std::string_view text) {
    std::string result;
    neardup::for_each_code_point(text, [&](char32_t c, std::string_view bytes) {
      // The property White_Space of Unicode 15.
      static constexpr std::u32string_view spaces =
          U"\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029"
          U"\u202f\u205f\u3000";
      if (spaces.find(c) == spaces.npos) result += bytes;
    });
    return result;
  };
  require_as_oracle(neardup::unspaced{byte_ngrams{3}},
                    [&](std::string_view text) { return oracle::byte_ngrams(unspaced(text), 3); });
  require_as_oracle(normalised{neardup::unspaced{code_point_ngrams{4}}}, [&](std::string_view text) {
    return oracle::code_point_ngrams(unspaced(oracle::normalise(text)), 4);
  });
  std::string all = "x";
  for (const char* space :
       {"\t", "\r\n", " ", "\u0085", "\u00a0", "\u1680", "\u2003", "\u2028", "\u2029", "\u202f", "\u205f", "\u3000"}) {
    all += space;
    all += "\u200bx";  // not white space
  }
  require_streamed(neardup::unspaced{byte_ngrams{1000}}, all, {unspaced(all)});
  REQUIRE(unspaced(all).size() == 1 + 12 * 4);
  REQUIRE(support::tokens_of(neardup::unspaced{byte_ngrams{1000}}, all) == tokens{unspaced(all)});
}

TEST_CASE("compositions do not depend on where the text was cut", "[streaming]") {
  require_as_oracle(shingles{2, folded{words{}}},
                    [](std::string_view text) { return oracle::shingles(oracle::words(oracle::fold(text)), 2); });
  require_as_oracle(normalised{shingles{2, words{}}},
                    [](std::string_view text) { return oracle::shingles(oracle::words(oracle::normalise(text)), 2); });
  require_as_oracle(folded{normalised{shingles{2, code_point_ngrams{2}}}}, [](std::string_view text) {
    return oracle::shingles(oracle::code_point_ngrams(oracle::normalise(oracle::fold(text)), 2), 2);
  });
}

TEST_CASE("a word of any length is one token, however it was cut", "[streaming]") {
  for (const std::string& letter : {std::string("x"), std::string("\u00e9"), std::string("\u0915\u094d")}) {
    std::string word;
    while (word.size() < 100000) word += letter;
    const std::string text = "a " + word + " b";
    const tokens expected = {"a", word, "b"};
    token_stream<words> stream(words{});
    CHECK((support::tokens_of(words{}, text) == expected));
    // A stream that read the whole word again for each chunk would take minutes here.
    CHECK((support::tokens_of_chunks(stream, cut_every(text, 1)) == expected));
    CHECK((support::tokens_of_chunks(stream, cut_every(text, 4096)) == expected));
  }
}

TEST_CASE("half a million chunks of one byte are a text like any other", "[streaming]") {
  token_stream<byte_ngrams> stream(byte_ngrams{4});
  std::size_t count = 0;
  auto sink = [&](std::string_view token) { count += token == "aaaa" ? 1U : 0U; };
  for (int i = 0; i < 500000; ++i) stream.feed("a", sink);
  stream.finish(sink);
  CHECK(count == 500000 - 3);
}

TEST_CASE("finish and reset leave a stream ready for the next text", "[streaming]") {
  const auto check = [](const auto& tokenize, std::string_view unfinished) {
    using stream_type = token_stream<std::remove_cvref_t<decltype(tokenize)>>;
    const std::string_view text = "Next \u4e2d text\xe4";
    const tokens expected = support::tokens_of(tokenize, text);
    stream_type stream(tokenize);
    const auto ignore = [](std::string_view) {};
    stream.feed(unfinished, ignore);
    stream.reset();
    CHECK(support::tokens_of_chunks(stream, {text}) == expected);
    stream.feed(unfinished, ignore);
    stream.finish(ignore);
    CHECK(support::tokens_of_chunks(stream, {text}) == expected);
    CHECK(support::tokens_of_chunks(stream, {}).empty());
    CHECK(support::tokens_of_chunks(stream, {"", ""}).empty());
    // A text shorter than a window must not get tokens of the text before it, which has windows.
    CHECK(support::tokens_of_chunks(stream, {text}) == expected);
    CHECK(support::tokens_of_chunks(stream, {"a"}) == tokens{"a"});
  };
  // The texts end within a word, after a space that normalised text holds back, and within a UTF-8 sequence.
  for (const std::string_view unfinished :
       {"some wo", "some ", "some \xf0\x9f", "a", "\u4e2d ", "one two three four "}) {
    CAPTURE(printable(unfinished));
    check(words{}, unfinished);
    check(byte_ngrams{3}, unfinished);
    check(code_point_ngrams{3}, unfinished);
    check(shingles{3, words{}}, unfinished);
    check(folded{words{}}, unfinished);
    check(normalised{code_point_ngrams{2}}, unfinished);
    check(shingles{2, normalised{words{}}}, unfinished);
  }
}

TEST_CASE("after a sink has thrown, reset makes a stream ready again", "[streaming]") {
  const std::string_view text = "one two \u4e2d\u6587 three\xff four";
  const auto check = [&](const auto& tokenize) {
    using stream_type = token_stream<std::remove_cvref_t<decltype(tokenize)>>;
    const tokens expected = support::tokens_of(tokenize, text);
    stream_type stream(tokenize);
    for (std::size_t call = 0; call < expected.size(); ++call) {
      std::size_t left = call;
      auto sink = [&](std::string_view) {
        if (left-- == 0) throw std::runtime_error("sink");
      };
      const auto feed_all = [&] {
        for (const std::string_view chunk : cut_every(text, 5)) stream.feed(chunk, sink);
        stream.finish(sink);
      };
      REQUIRE_THROWS_AS(feed_all(), std::runtime_error);
      stream.reset();
      REQUIRE(support::tokens_of_chunks(stream, cut_every(text, 3)) == expected);
    }
  };
  check(words{});
  check(byte_ngrams{3});
  check(code_point_ngrams{3});
  check(shingles{2, folded{words{}}});
  check(normalised{code_point_ngrams{2}});
}
