// Feature extraction, against a std::set of hashes.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <neardup/fingerprint/feature_extractor.hpp>
#include <neardup/fingerprint/kernels/hash_sort.hpp>
#include <neardup/fingerprint/simhasher.hpp>
#include <neardup/text.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "oracle/random_engine.hpp"

namespace {

using neardup::feature_extractor;

/// The features of a text by tokenizer and hasher only.
template <class Feature, class Tokenizer, class Hasher>
std::vector<Feature> plain_features(const Tokenizer& tokenize, const Hasher& hash, std::string_view text) {
  std::set<Feature> set;
  tokenize(text, [&](std::string_view token) {
    set.insert(static_cast<Feature>(neardup::detail::to_hash_words(hash(token))[0]));
  });
  return {set.begin(), set.end()};
}

std::string random_words(std::size_t count, std::size_t vocabulary, std::mt19937_64& random) {
  std::string text;
  for (; count > 0; --count) {
    text += random() % 9 == 0 ? "，天" : " ";
    text += "W" + std::to_string(random() % vocabulary);
  }
  return text;
}

template <class Features>
void check(const Features& features, std::mt19937_64& random) {
  using feature_type = typename Features::feature_type;
  typename Features::workspace scratch;
  for (const std::size_t words : {0U, 1U, 2U, 7U, 200U, 255U, 256U, 257U, 1000U, 3000U}) {
    const std::string text = random_words(words, 1 + random() % 2000, random);
    const auto expected = plain_features<feature_type>(features.tokenizer, features.hasher, text);
    REQUIRE(features(text) == expected);
    const std::span<const feature_type> found = features(text, scratch);
    REQUIRE(std::equal(found.begin(), found.end(), expected.begin(), expected.end()));
  }
}

}  // namespace

TEST_CASE("features are the distinct tokens, ascending", "[features]") {
  oracle::random_engine random(1);
  using namespace neardup;
  check(feature_extractor{words{}}, random);
  check(feature_extractor{shingles{2, folded{words{}}}, xxh3<64>{.seed = 7}}, random);
  check(feature_extractor{normalised{code_point_ngrams{3}}}, random);
  check(feature_extractor{byte_ngrams{8}}, random);
  check(feature_extractor<words, xxh3<64>, std::uint64_t>{words{}}, random);
  check(feature_extractor<words, xxh3<64>, std::uint16_t>{words{}}, random);
  check(feature_extractor<words, xxh3<128>>{words{}}, random);
  const auto letters = [](std::string_view text, auto&& sink) {
    for (std::size_t i = 0; i < text.size(); ++i) sink(text.substr(i, 1));
  };
  const auto narrow = [](std::string_view token) { return static_cast<std::uint16_t>(token[0] * 257); };
  check(feature_extractor{letters, narrow}, random);
}

TEST_CASE("a text without tokens has no features", "[features]") {
  REQUIRE(feature_extractor{neardup::words{}}("").empty());
  REQUIRE(feature_extractor{neardup::words{}}("?! ...").empty());
}

TEST_CASE("a workspace that was moved from works again", "[features]") {
  const feature_extractor features{neardup::words{}};
  decltype(features)::workspace scratch;
  REQUIRE(features("a b c", scratch).size() == 3);
  decltype(features)::workspace other = std::move(scratch);
  REQUIRE(features("a b", other).size() == 2);
  REQUIRE(features("a b c d", scratch).size() == 4);
}

TEMPLATE_TEST_CASE("hash_sort sorts, also what crowds or repeats", "[features]", std::uint32_t,
                   std::uint64_t NEARDUP_UNLESS_SAMPLE(std::uint8_t, std::uint16_t)) {
  oracle::random_engine random(2);
  neardup::detail::hash_sort_scratch<TestType> scratch;
  for (const std::size_t size : {0U, 1U, 2U, 15U, 16U, 17U, 32U, 33U, 38U, 48U, 49U, 64U, 65U, 100U, 1000U, 70000U}) {
    for (const int zero_bits : {0, 5, 40, 60}) {
      std::vector<TestType> values;
      while (values.size() < size) values.push_back(static_cast<TestType>(random() >> zero_bits));
      std::vector<TestType> expected = values;
      std::sort(expected.begin(), expected.end());
      neardup::detail::hash_sort(values, scratch);
      REQUIRE(values == expected);
    }
  }
}

TEST_CASE("simhasher gives features into memory of the caller's", "[features]") {
  const neardup::simhasher hash{neardup::words{}, neardup::unit{}, neardup::xxh3<128>{}};
  decltype(hash)::workspace scratch;
  std::vector<decltype(hash)::hash_type> features{{1, 2}};
  for (const char* text : {"b a c a", "", "one two"}) {
    hash.features(text, scratch, features);
    REQUIRE(features == hash.features(text));
  }
  REQUIRE(features.size() == 2);
}

TEST_CASE("weighted features are what the weighter says of each token", "[features]") {
  using namespace neardup;
  const std::string text = "b a c a d a b";
  const std::map<std::string, std::uint64_t> counts{{"a", 3}, {"b", 2}, {"c", 1}, {"d", 1}};
  const auto check_weights = [&](const auto& hash, const auto& units_of) {
    std::map<std::array<std::uint64_t, 1>, std::uint64_t> expected;
    for (const auto& [token, count] : counts) {
      if (units_of(token, count) > 0) expected[hash.hash(token)] = units_of(token, count);
    }
    const auto found = hash.weighted_features(text);
    REQUIRE(found.size() == expected.size());
    auto next = expected.begin();
    for (const auto& token : found) {
      REQUIRE(token.hash == next->first);
      REQUIRE(token.units == next->second);
      ++next;
    }
  };
  const auto rare = [](std::string_view token, std::uint64_t) { return token == "a" ? 0.0 : 1.5; };
  check_weights(simhasher{words{}, rare}, [](const auto& token, auto) { return token == "a" ? 0U : 384U; });
  check_weights(simhasher{words{}, top{2, tf{}}},
                [](const auto&, auto count) { return count > 1 ? 256U * count : 0U; });
  oracle::unless_sample([&](auto) {
    check_weights(simhasher{words{}}, [](const auto&, auto) { return 256U; });
    check_weights(simhasher{words{}, tf{}}, [](const auto&, auto count) { return 256U * count; });
    check_weights(simhasher{words{}, levels{3, tf{}}}, [](const auto&, auto count) { return 256U * count; });
  });
}
