// A class derived from a part of the library is used by its own functions everywhere.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <neardup/fingerprint.hpp>
#include <neardup/text.hpp>
#include <neardup/text/chinese/chinese_words.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "support/any_text_tokenizer.hpp"
#include "support/derived_parts.hpp"
#include "support/tokens.hpp"

namespace {

using namespace neardup;
using support::inverted_xxh3;
using support::long_tokens;
using support::weighs_length;
using support::weighs_length_each_time;

constexpr std::string_view ship = "The ship, the SHIP! is on the sea; it was seen on 2026-08-01. The sea is calm.";

/// A type-erased tokenizer without a kernel, which the library can only call.
struct unknown_tokenizer {
  std::function<void(std::string_view, const support::any_sink&)> tokenize;

  void operator()(std::string_view text, const support::any_sink& sink) const { tokenize(text, sink); }
};

using reference_type = simhasher<unknown_tokenizer, log_tf>;

void check_ways(const reference_type& reference, const std::optional<simhash<64>>& by_text,
                const std::optional<simhash<64>>& by_bag, const std::vector<reference_type::hash_type>& features) {
  CHECK(by_text == reference(ship));
  CHECK(by_bag == reference(ship));
  CHECK(features == reference.features(ship));
}

/// Checks fingerprint, features and bag of a tokenizer that yields tokens of at least four bytes.
template <class Tokenizer>
void check_tokenizer(const char* name, const Tokenizer& tokenize) {
  CAPTURE(name);
  const auto tokens = support::tokens_of(tokenize, ship);
  REQUIRE(tokens.size() > 1);
  REQUIRE(std::all_of(tokens.begin(), tokens.end(), [](const std::string& token) { return token.size() > 3; }));
  const simhasher hash{tokenize, log_tf{}};
  const simhasher reference{unknown_tokenizer{tokenize}, log_tf{}};
  check_ways(reference, hash(ship), hash(hash.bag(ship)), hash.features(ship));
  // A stream of the base class would yield the tokens of the base class.
  STATIC_REQUIRE_FALSE(detail::streaming_tokenizer<Tokenizer>);
  STATIC_REQUIRE_FALSE(detail::streaming_tokenizer<shingles<Tokenizer>>);
}

}  // namespace

TEST_CASE("tokenizers derived from those of the library go by their own operator()", "[derived]") {
  const stop_words list({"ship"});
  const idf_table table = idf_table::parse("ship 3\ncalm 2\n");
  check_tokenizer("words", long_tokens{words{}});
  check_tokenizer("normalised", long_tokens{normalised{words{}}});
  check_tokenizer("shingles", long_tokens{shingles{2, words{}}});
  check_tokenizer("byte_ngrams", long_tokens{byte_ngrams{5}});
  check_tokenizer("keywords", long_tokens{keywords{20, words{}, table}});
  oracle::unless_sample([&](auto) {
    check_tokenizer("folded", long_tokens{folded{words{}}});
    check_tokenizer("narrowed", long_tokens{narrowed{words{}}});
    check_tokenizer("canonical", long_tokens{canonical{words{}}});
    check_tokenizer("masked", long_tokens{masked{words{}}});
    check_tokenizer("sentences", long_tokens{sentences{}});
    check_tokenizer("code_point_ngrams", long_tokens{code_point_ngrams{5}});
    check_tokenizer("longest", long_tokens{longest{3, words{}}});
    check_tokenizer("without", long_tokens{without{list, words{}}});
  });
  check_tokenizer(
      "chinese_words",
      long_tokens{chinese_words(std::make_shared<const word_dictionary>(word_dictionary::parse("ab 1\n")))});
}

TEST_CASE("parts around a derived tokenizer ask it, and not its base", "[derived]") {
  const auto dictionary = std::make_shared<const word_dictionary>(word_dictionary::parse("ab 1\n"));
  const auto inner = long_tokens{chinese_words(dictionary)};
  const auto expected = support::tokens_of(inner, ship);
  CHECK(support::tokens_of(without{stop_words(), inner}, ship) == expected);
  CHECK(support::tokens_of(without{stop_words(), chinese_words(dictionary)}, ship).size() > expected.size());
  CHECK(support::tokens_of(masked{long_tokens{narrowed{words{}}}}, ship) ==
        support::tokens_of(long_tokens{narrowed{words{}}}, mask(ship)));
  CHECK(simhasher{masked{long_tokens{narrowed{words{}}}}}(ship) ==
        simhasher{long_tokens{narrowed{words{}}}}(mask(ship)));
  const auto pairs = shingles{2, long_tokens{folded{words{}}}};
  CHECK(minwise_hasher{pairs}(ship) == minwise_hasher{unknown_tokenizer{pairs}}(ship));
  CHECK(feature_extractor{pairs}(ship) == feature_extractor{unknown_tokenizer{pairs}}(ship));
}

TEST_CASE("hashers derived from XXH3 go by their own operator()", "[derived]") {
  const auto check = [](const auto& tokenize, const auto& weigh) {
    const simhasher hash{tokenize, weigh, inverted_xxh3<64>{}};
    const auto straight = [](std::string_view token) { return ~xxh3<64>{}(token); };
    const simhasher reference{tokenize, weigh, straight};
    CHECK(hash(ship) == reference(ship));
    CHECK(hash(hash.bag(ship)) == reference(ship));
    CHECK(hash.features(ship) == reference.features(ship));
    text_stream stream{hash};
    for (const std::string_view chunk : support::cut_every(ship, 3)) stream.feed(chunk);
    CHECK(stream.finish() == reference(ship));
  };
  check(code_point_ngrams{2}, tf{});
  check(words{}, idf{idf_table::parse("ship 3\n")});
  CHECK(simhasher{words{}, unit{}, inverted_xxh3<128>{}}.bits == 128);
  const idf_table table = idf_table::parse("ship 3\ncalm 2\n");
  CHECK(simhasher{keywords{3, words{}, table}, tf_idf{table}, inverted_xxh3<64>{}}(ship) ==
        simhasher{keywords{3, words{}, table}, tf_idf{table}, [](std::string_view t) { return ~xxh3<64>{}(t); }}(ship));
}

TEST_CASE("weighters derived from those of the library go by their own functions", "[derived]") {
  const auto length = [](std::string_view token, std::uint64_t) { return static_cast<double>(token.size()); };
  const idf_table table = idf_table::parse("ship 3\ncalm 2\n");
  const auto check = [&](const auto& weigh) {
    const simhasher hash{words{}, weigh};
    CHECK(hash(ship) == simhasher{words{}, length}(ship));
    CHECK(hash(hash.bag(ship)) == hash(ship));
  };
  check(weighs_length<unit>{});
  check(weighs_length<log_tf>{});
  check(weighs_length<idf>(table));
  const auto length_each_time = [](std::string_view token, std::uint64_t count) {
    return static_cast<double>(token.size() * count);
  };
  const simhasher each_time{words{}, weighs_length_each_time<tf_idf>(table)};
  CHECK(each_time(ship) == simhasher{words{}, length_each_time}(ship));
  CHECK(each_time(each_time.bag(ship)) == each_time(ship));
  CHECK(simhasher{words{}, weighs_length_each_time<tf>{}}(ship) == each_time(ship));
  // Two forms are ambiguous.
  STATIC_REQUIRE_FALSE(weighter<weighs_length<tf>>);
  STATIC_REQUIRE_FALSE(weighter<weighs_length<tf_idf>>);
  STATIC_REQUIRE_FALSE(weighter<weighs_length<levels<tf>>>);
  STATIC_REQUIRE_FALSE(weighter<weighs_length<top<idf>>>);
  STATIC_REQUIRE_FALSE(weighter<weighs_length_each_time<log_tf>>);
  STATIC_REQUIRE_FALSE(weighter<weighs_length_each_time<levels<tf>>>);
}
