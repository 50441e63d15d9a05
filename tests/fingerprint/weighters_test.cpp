// The weights that each weighter of the library gives.
#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <vector>

#include <neardup/fingerprint/idf.hpp>
#include <neardup/fingerprint/simhasher.hpp>
#include <neardup/fingerprint/weighters.hpp>
#include <neardup/text/words.hpp>

#include "catch.hpp"

namespace {

using neardup::idf_table;
using neardup::levels;
using neardup::log_tf;
using neardup::simhasher;
using neardup::top;
using neardup::weight;
using neardup::words;

using token_list = std::vector<neardup::weighted_token<1>>;

/// Tokens with these weights in units, and hashes 0, 1, 2, ...
token_list tokens_of(std::initializer_list<std::uint64_t> units) {
  token_list tokens;
  for (const std::uint64_t u : units) tokens.push_back({{tokens.size()}, u});
  return tokens;
}

template <class Weighter>
std::vector<std::uint64_t> adjusted(const Weighter& weigh, std::initializer_list<std::uint64_t> units) {
  token_list tokens = tokens_of(units);
  weigh.adjust(tokens);
  std::vector<std::uint64_t> result;
  for (const auto& token : tokens) result.push_back(token.units);
  return result;
}

using unit_list = std::vector<std::uint64_t>;

const idf_table table({{"the", weight(0.5)}, {"rare", weight(9.25)}, {"word", weight(3)}});

/// Derived from idf, but weighs differently.
struct by_length : neardup::idf {
  using idf::idf;
  weight operator()(std::string_view token, std::uint64_t /*count*/) const {
    return weight(token.size() > 3 ? 9.0 : 0.5);
  }
};

}  // namespace

TEST_CASE("a weighter derived from idf weighs as it says itself") {
  const simhasher hash{words{}, by_length{table}};
  const std::string_view text = "the word was rare, but not as rare as the others were";
  CHECK(hash(text) == hash(hash.bag(text)));
  CHECK(hash(text) != simhasher{words{}, neardup::idf{table}}(text));
}

TEST_CASE("unit is 1 for any count", "[weighters]") {
  for (const std::uint64_t count : {std::uint64_t{1}, std::uint64_t{2}, ~std::uint64_t{0}}) {
    CHECK(neardup::unit{}(count) == weight(1));
  }
}

TEST_CASE("tf and tf_idf weigh each occurrence", "[weighters]") {
  CHECK(neardup::tf{}.per_occurrence() == weight(1));
  CHECK(neardup::tf_idf(table).per_occurrence("rare") == weight(9.25));
  CHECK(neardup::tf_idf(table).per_occurrence("unknown") == weight(3));
  CHECK(neardup::detail::token_units(neardup::tf_idf(table), "rare", 3) == 3 * weight(9.25).raw());
}

TEST_CASE("idf is the weight of the table, the median for what it lacks", "[weighters]") {
  const neardup::idf weigh(table);
  CHECK(weigh("the", 1) == weight(0.5));
  CHECK(weigh("the", 1000) == weight(0.5));
  CHECK(weigh("unknown", 1) == weight(3));
  CHECK(neardup::idf(idf_table{})("any", 1) == weight(1));
}

TEST_CASE("a table may be shared, but not missing", "[weighters]") {
  const auto shared = std::make_shared<const idf_table>(table);
  CHECK(&neardup::idf(shared).table() == shared.get());
  CHECK_THROWS_AS(neardup::idf(std::shared_ptr<const idf_table>{}), std::invalid_argument);
  CHECK_THROWS_AS(neardup::tf_idf(std::shared_ptr<const idf_table>{}), std::invalid_argument);
}

TEST_CASE("log_tf is 1 + ln(count) within 1/256 of a unit", "[weighters]") {
  double worst = 0;
  for (std::uint64_t count = 1; count <= 1000000; count += 1 + count / 500) {
    const double expected = 1 + std::log(static_cast<double>(count));
    worst = std::fmax(worst, std::fabs(static_cast<double>(log_tf{}(count)) - expected));
  }
  CHECK(worst < 1.0 / 256);
  CHECK(worst <= 0.51 / 256);  // the nearest weight
}

// A failure here means that stored fingerprints change.
TEST_CASE("log_tf has these values", "[weighters][golden]") {
  const std::vector<std::array<std::uint64_t, 2>> golden = {
      {1, 256},      {2, 433},        {3, 537},           {4, 611},
      {5, 668},      {7, 754},        {10, 845},          {16, 966},
      {100, 1435},   {255, 1675},     {256, 1676},        {1000, 2024},
      {65536, 3095}, {1000000, 3793}, {4294967296, 5934}, {~std::uint64_t{0}, 11613},
  };
  for (const auto& [count, raw] : golden) {
    CHECK(log_tf{}(count).raw() == raw);
    CHECK(std::llround(256 * (1 + std::log(static_cast<long double>(count)))) == static_cast<long long>(raw));
  }
}

TEST_CASE("levels are ceil(n w / heaviest), from 1 to n", "[weighters]") {
  const levels<neardup::tf> five{5, {}};
  CHECK(adjusted(five, {1, 2, 3, 4, 5}) == unit_list{256, 512, 768, 1024, 1280});
  CHECK(adjusted(five, {100, 20, 21, 1, 0}) == unit_list{1280, 256, 512, 256, 0});
  CHECK(adjusted(five, {7}) == unit_list{1280});
  CHECK(adjusted(five, {0, 0}) == unit_list{0, 0});
  CHECK(adjusted(five, {}).empty());
  CHECK(adjusted(levels<neardup::tf>{1, {}}, {3, 900}) == unit_list{256, 256});
  CHECK(adjusted(levels<neardup::tf>{65535, {}}, {1, 65535}) == unit_list{256, 65535 * 256});
}

TEST_CASE("levels of huge weights do not overflow", "[weighters]") {
  const std::uint64_t huge = ~std::uint64_t{0};
  CHECK(adjusted(levels<neardup::tf>{65535, {}}, {huge, 1}) == unit_list{65535 * 256, 256});
  CHECK(adjusted(levels<neardup::tf>{4, {}}, {huge, huge / 2, huge / 4, 256, 0}) == unit_list{1024, 512, 256, 256, 0});
}

TEST_CASE("quantile levels are 1 + floor(n * lighter / all), of what has a weight", "[weighters]") {
  using neardup::quantile_levels;
  const quantile_levels<neardup::tf> five{5, {}};
  CHECK(adjusted(five, {10, 8, 6, 4, 2}) == unit_list{5 * 256, 4 * 256, 3 * 256, 2 * 256, 256});
  CHECK(adjusted(five, {2000, 2, 1, 1}) == unit_list{4 * 256, 3 * 256, 256, 256});
  CHECK(adjusted(five, {7, 0, 7, 7}) == unit_list{256, 0, 256, 256});
  CHECK(adjusted(five, {0, 0}) == unit_list{0, 0});
  CHECK(adjusted(five, {}) == unit_list{});
  CHECK(adjusted(quantile_levels<neardup::tf>{65535, {}}, {1, ~std::uint64_t{0}}) == unit_list{256, 32768 * 256});
  CHECK_THROWS_AS(adjusted(quantile_levels<neardup::tf>{0, {}}, {1}), std::invalid_argument);
  CHECK_THROWS_AS(adjusted(quantile_levels<neardup::tf>{65536, {}}, {1}), std::invalid_argument);
  // Compares with a plain count of the lighter tokens.
  std::uint64_t state = 7;
  for (int round = 0; round < 200; ++round) {
    std::vector<neardup::weighted_token<1>> tokens;
    for (std::size_t i = 0; i < static_cast<std::size_t>(round); ++i) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      tokens.push_back({{i}, state >> 60});
    }
    const auto before = tokens;
    const std::size_t n = static_cast<std::size_t>(round) % 9 + 1;
    quantile_levels<neardup::tf>{n, {}}.adjust(tokens);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      std::uint64_t lighter = 0, all = 0;
      for (const auto& other : before) {
        if (other.units == 0) continue;
        ++all;
        lighter += other.units < before[i].units ? 1U : 0U;
      }
      CHECK(tokens[i].units == (before[i].units == 0 ? 0 : 256 * (1 + n * lighter / all)));
    }
  }
}

TEST_CASE("levels take 1 to 65535, top 1 and more", "[weighters]") {
  CHECK_THROWS_AS(adjusted(levels<neardup::tf>{0, {}}, {1}), std::invalid_argument);
  CHECK_THROWS_AS(adjusted(levels<neardup::tf>{65536, {}}, {1}), std::invalid_argument);
  CHECK_THROWS_AS(adjusted(top<neardup::tf>{0, {}}, {1}), std::invalid_argument);
  CHECK_THROWS_AS((simhasher{words{}, levels{0, neardup::tf{}}}("a")), std::invalid_argument);
  CHECK_THROWS_AS((simhasher{words{}, top{0, neardup::tf{}}}("a")), std::invalid_argument);
}

TEST_CASE("top keeps the heaviest, of equal ones those with the smaller hash", "[weighters]") {
  const auto kept = [](std::size_t n, token_list tokens) {
    top<neardup::tf>{n, {}}.adjust(tokens);
    std::vector<std::uint64_t> hashes;
    for (const auto& token : tokens) hashes.push_back(token.hash[0]);
    std::sort(hashes.begin(), hashes.end());
    return hashes;
  };
  const token_list list = {{{50}, 5}, {{10}, 7}, {{40}, 5}, {{20}, 1}, {{30}, 5}, {{60}, 9}};
  CHECK(kept(1, list) == unit_list{60});
  CHECK(kept(2, list) == unit_list{10, 60});
  CHECK(kept(3, list) == unit_list{10, 30, 60});
  CHECK(kept(4, list) == unit_list{10, 30, 40, 60});
  CHECK(kept(6, list) == unit_list{10, 20, 30, 40, 50, 60});
  CHECK(kept(100, list).size() == 6);
  CHECK(kept(static_cast<std::size_t>(-1), list).size() == 6);
}

TEST_CASE("of equal wide hashes the lowest word decides first", "[weighters]") {
  std::vector<neardup::weighted_token<2>> tokens = {{{2, 1}, 5}, {{1, 9}, 5}, {{1, 8}, 5}};
  top<neardup::tf>{1, {}}.adjust(tokens);
  REQUIRE(tokens.size() == 1);
  CHECK(tokens[0].hash == std::array<std::uint64_t, 2>{1, 8});
}

TEST_CASE("weighters nest", "[weighters]") {
  // The three heaviest words in two levels: c weighs 2, b and d weigh 1, a weighs 0.
  const simhasher nested{words{}, levels{2, top{3, neardup::tf{}}}};
  const auto by_hand = [](std::string_view token, std::uint64_t) { return token == "a" ? 0 : token == "c" ? 2 : 1; };
  CHECK(nested("b b c c c c d d a") == simhasher{words{}, by_hand}("a b c d"));
  const simhasher outer_top{words{}, top{1, levels{2, neardup::tf{}}}};
  CHECK(outer_top("b c c c") == simhasher{words{}}("c"));
}

// Which weighters are linear, and which read the token, so that a bag must keep its text.
static_assert(neardup::detail::linear_weighter<neardup::tf> && neardup::detail::linear_weighter<neardup::tf_idf>);
static_assert(!neardup::detail::linear_weighter<neardup::unit> && !neardup::detail::linear_weighter<log_tf>);
static_assert(!neardup::detail::linear_weighter<neardup::idf> &&
              !neardup::detail::linear_weighter<levels<neardup::tf>>);
static_assert(!neardup::detail::linear_weighter<top<neardup::tf>>);
static_assert(std::same_as<simhasher<words>::bag_type, neardup::feature_bag<1, false>>);
static_assert(std::same_as<simhasher<words, top<levels<neardup::idf>>>::bag_type, neardup::feature_bag<1, true>>);
static_assert(
    std::same_as<simhasher<words, neardup::tf, neardup::xxh3<128>>::bag_type, neardup::feature_bag<2, false>>);

TEST_CASE("the name of weights is parsed, and written again", "[weighters]") {
  using neardup::any_weighter;
  const any_weighter::choice levels_of_tf{any_weighter::kinds::tf, 5, false};
  CHECK(any_weighter::parse("levels:5") == levels_of_tf);
  CHECK(levels_of_tf.name() == "levels:5:tf");
  for (const char* const name : {"unit", "tf", "logtf", "idf", "tfidf", "levels:65535:tfidf", "quantiles:1:logtf"}) {
    CHECK(any_weighter::parse(name).name() == name);
  }
  for (const char* const name : {"", "bm25", "levels", "levels:", "levels:0", "levels:65536", "levels:5x",
                                 "levels:5:", "levels:5:unit", "quantiles:-1:tf", "levels:5:levels:5:tf"}) {
    CAPTURE(name);
    CHECK_THROWS_AS(any_weighter::parse(name), std::invalid_argument);
  }
  CHECK_THROWS_AS(any_weighter(any_weighter::parse("levels:2:idf")), std::invalid_argument);
}

TEST_CASE("any_weighter applies the levels of its name", "[weighters]") {
  const auto named = [](std::string_view name) { return neardup::any_weighter(neardup::any_weighter::parse(name)); };
  CHECK(adjusted(named("tf"), {1, 0, 900}) == unit_list{1, 0, 900});
  CHECK(adjusted(named("levels:3"), {1, 0, 900}) == adjusted(levels{3, log_tf{}}, {1, 0, 900}));
  CHECK(adjusted(named("quantiles:3"), {1, 0, 900, 901}) ==
        adjusted(neardup::quantile_levels{3, log_tf{}}, {1, 0, 900, 901}));
}
