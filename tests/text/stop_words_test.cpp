// Stop words, and tokenizers without them.
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include <neardup/text/stop_words.hpp>
#include <neardup/text/words.hpp>

#include "catch.hpp"
#include "support/tokens.hpp"

namespace {

using neardup::stop_words;
using neardup::without;
using neardup::words;
using support::tokens;
using support::tokens_of;

}  // namespace

TEST_CASE("a list of stop words has one a line", "[stop words]") {
  const stop_words list = stop_words::parse("\xef\xbb\xbfThe\r\n\n  of course \n\u7684\nthe\n");
  CHECK(list.size() == 3);
  CHECK(list.contains("the"));
  CHECK(list.contains("THE"));
  CHECK(list.contains("of course"));
  CHECK(list.contains("\u7684"));
  CHECK_FALSE(list.contains("of"));
  CHECK_FALSE(list.contains(""));
  CHECK_THROWS_WITH(stop_words::parse("a\nb\xff\n", "stop.txt"), "stop.txt:2: not UTF-8");
  CHECK_THROWS_WITH(stop_words::load("no/such/file"), "cannot open no/such/file");
  stop_words both = list;
  both.merge(stop_words({"A", "the"}));
  both.merge(stop_words({""}));  // not a word
  CHECK(both.size() == 4);
  CHECK(both.contains("a"));
}

TEST_CASE("stop words and short tokens are left out", "[stop words]") {
  const std::string_view text = "The end of\u4e2d\u6587 THE a bc";
  CHECK(tokens_of(without{stop_words({"the", "of"}), words{}}, text) == tokens{"end", "\u4e2d", "\u6587", "a", "bc"});
  CHECK(tokens_of(without{stop_words({"the"}), words{}, 2}, text) == tokens{"end", "of", "bc"});
  const auto none = std::shared_ptr<const stop_words>();
  CHECK(tokens_of(without{none, words{}, 3}, text) == tokens{"The", "end", "THE"});
  CHECK(tokens_of(without{none, words{}}, text) == tokens_of(words{}, text));
  const auto blank = [](std::string_view whole, auto&& sink) { sink(whole); };
  CHECK(tokens_of(without{none, blank, 2}, " a\t").empty());
  CHECK(tokens_of(without{none, blank, 2}, "a\r\n").empty());
  CHECK(tokens_of(without{none, blank, 2}, "\u4e2d\u6587").size() == 1);
  // The two bytes after \xe4 do not continue a sequence, so there are three characters, none of them Chinese.
  CHECK(tokens_of(without{none, blank, 3}, "\xe4xy").size() == 1);
  CHECK(tokens_of(without{none, blank, 3}, "\xe4\xb8y").empty());
  CHECK(tokens_of(without{none, blank, 0}, "").size() == 1);
  const std::string long_word(100, 'x');
  CHECK(tokens_of(without{stop_words({long_word}), blank}, long_word).empty());
}
