// Keywords, against a plain count and sort.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <neardup/fingerprint/idf.hpp>
#include <neardup/fingerprint/keywords.hpp>
#include <neardup/fingerprint/simhasher.hpp>
#include <neardup/fingerprint/weighters.hpp>
#include <neardup/text/words.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "oracle/random_text.hpp"
#include "support/tokens.hpp"

namespace {

using neardup::idf_table;
using neardup::keywords;
using neardup::words;
using support::tokens_of;

/// "word count score" for each keyword, best first.
support::tokens ranked_plainly(std::size_t n, const idf_table& table, std::string_view text) {
  std::map<std::string, std::uint64_t> counts;
  for (const std::string& token : tokens_of(words{}, text)) ++counts[token];
  std::vector<std::pair<std::uint64_t, std::string>> ranked;
  for (const auto& [word, count] : counts) ranked.emplace_back(~(count * table.lookup_exact(word)), word);
  std::sort(ranked.begin(), ranked.end());
  support::tokens result;
  for (const auto& [score, word] : ranked) {
    if (result.size() < n) result.push_back(word + " " + std::to_string(counts[word]) + " " + std::to_string(~score));
  }
  return result;
}

template <class Tokenizer>
support::tokens ranked(std::size_t n, const Tokenizer& tokenize, const idf_table& table, std::string_view text) {
  support::tokens result;
  for (const auto& [word, count, score, idf] : keywords(n, tokenize, table).rank(text)) {
    CHECK(idf == table.lookup(word));
    result.push_back(word + " " + std::to_string(count) + " " + std::to_string(score));
  }
  return result;
}

/// A tokenizer whose tokens are invalid after the call.
const auto copied_words = [](std::string_view text, auto&& sink) {
  words{}(text, [&](std::string_view token) {
    const std::string copy(token);
    sink(std::string_view(copy));
  });
};

}  // namespace

TEST_CASE("keywords have the highest count times idf, ties in the order of bytes", "[keywords]") {
  const idf_table table = idf_table::parse("a 1.5\nb 3\nc 0\nrare 9.00000000001\nmiddle 9\n");
  const auto show = [&](std::size_t n, std::string_view text) { return tokens_of(keywords{n, words{}, table}, text); };
  CHECK(show(9, "") == support::tokens{});
  CHECK(show(1, "middle rare") == support::tokens{"rare"});
  CHECK(show(2, "b a x a") == support::tokens{"a", "a", "b"});  // 3 each; x is unknown and has the median, 3, too
  CHECK(show(3, "b a x a") == support::tokens{"a", "a", "b", "x"});
  CHECK(show(9, "c b") == support::tokens{"b", "c"});
  CHECK_THROWS_AS(keywords(0, words{}, table), std::invalid_argument);
  CHECK_THROWS_AS(keywords(1, words{}, std::shared_ptr<const idf_table>()), std::invalid_argument);
  // Scores above 2^64 saturate.
  const idf_table heavy = idf_table::parse("a 16777215\nb 16777214\n");
  std::string text;
  for (int i = 0; i < 20; ++i) text += "a b ";
  const auto ranked = keywords{2, words{}, heavy}.rank(text);
  CHECK(ranked[0].text == "a");
  CHECK(ranked[0].score == (std::numeric_limits<std::uint64_t>::max)());
}

TEST_CASE("keywords are those of a plain count and sort", "[keywords]") {
  oracle::random_texts texts(3);
  idf_table table;
  {
    std::vector<idf_table::term> terms;
    for (char c = 'a'; c <= 'z'; ++c) terms.push_back({std::string(1, c), neardup::weight(1 + c % 5)});
    table = idf_table(terms);
  }
  for (int round = 0; round < 300; ++round) {
    std::string text;
    for (std::size_t i = texts.below(60); i > 0; --i)
      text += std::string(1, static_cast<char>('a' + texts.below(26))) + " ";
    text += texts.next(texts.below(30));
    const std::size_t n = 1 + texts.below(12);
    CAPTURE(support::printable(text), n);
    REQUIRE(ranked(n, words{}, table, text) == ranked_plainly(n, table, text));
    REQUIRE(ranked(n, copied_words, table, text) == ranked_plainly(n, table, text));
  }
}

TEST_CASE("keywords of long texts are those of a plain count and sort", "[keywords]") {
  oracle::random_texts texts(4);
  const idf_table table = idf_table::parse("w1 2\nw2 9.5\nw77 0.25\n");
  for (const std::size_t length : {255U, 256U, 257U, 5000U}) {
    std::string text;
    for (std::size_t i = 0; i < length; ++i) text += "w" + std::to_string(texts.below(length)) + " ";
    CAPTURE(length);
    for (const std::size_t n : {std::size_t{1}, std::size_t{20}, length}) {
      CHECK(ranked(n, words{}, table, text) == ranked_plainly(n, table, text));
      CHECK(ranked(n, copied_words, table, text) == ranked_plainly(n, table, text));
    }
  }
}

TEST_CASE("the fingerprint of keywords is that of their text alone", "[keywords]") {
  const idf_table table = idf_table::parse("one 1\ntwo 5\nthree 7\n");
  const neardup::simhasher hash{keywords{2, words{}, table}, neardup::tf_idf{table}};
  const neardup::simhasher all{words{}, neardup::tf_idf{table}};
  CHECK(hash("one two three one two") == all("three two two"));
  CHECK(hash("") == std::nullopt);
  // Another hash than the one that counts the words, and each weighter: the fingerprint is that of the bag of keywords.
  const auto expect_as_bag = [](const auto& by_keywords) {
    for (const char* text : {"one two three one two", "three", "one one four five", ""}) {
      CHECK(by_keywords(text) == by_keywords(by_keywords.bag(text)));
    }
  };
  expect_as_bag(hash);
  expect_as_bag(neardup::simhasher{keywords{2, words{}, table}, neardup::tf_idf{table}, neardup::xxh3<64>{.seed = 9}});
  oracle::unless_sample([&](auto) {
    expect_as_bag(neardup::simhasher{keywords{2, words{}, table}, neardup::tf_idf{table}, neardup::xxh3<128>{}});
    expect_as_bag(neardup::simhasher{keywords{2, words{}, table}, neardup::log_tf{}});
    expect_as_bag(neardup::simhasher{keywords{2, words{}, table}, neardup::unit{}});
  });
  expect_as_bag(neardup::simhasher{keywords{2, words{}, table}, neardup::levels{5, neardup::tf_idf{table}}});
}

TEST_CASE("keywords weigh by the table of the weighter, whether it ranks them or another one does", "[keywords]") {
  const auto ranks = std::make_shared<const idf_table>(idf_table::parse("one 1.0019\ntwo 5.00195\nthree 7\n"));
  const auto other = std::make_shared<const idf_table>(idf_table::parse("one 90\ntwo 1\n"));
  const auto expect_as_bag = [](const auto& by_keywords) {
    typename std::decay_t<decltype(by_keywords)>::workspace memory;
    for (const char* text : {"one two three one two", "three", "one one four five", "", "two one two"}) {
      CHECK(by_keywords(text, memory) == by_keywords(by_keywords.bag(text)));
    }
  };
  for (const auto& weighs : {ranks, other}) {
    const keywords best{2, words{}, ranks};
    expect_as_bag(neardup::simhasher{best, neardup::tf_idf{weighs}});
    expect_as_bag(neardup::simhasher{best, neardup::tf_idf{weighs}, neardup::xxh3<64>{.seed = 9}});
    oracle::unless_sample([&](auto) {
      expect_as_bag(neardup::simhasher{best, neardup::tf_idf{weighs}, neardup::xxh3<128>{}});
    });
    expect_as_bag(neardup::simhasher{best, neardup::levels{5, neardup::tf_idf{weighs}}});
    expect_as_bag(neardup::simhasher{keywords{2, words{}, *ranks}, neardup::tf_idf{weighs}});
  }
}
