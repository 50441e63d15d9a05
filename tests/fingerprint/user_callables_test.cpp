// Weighters and hashers of users, in each form.
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <vector>

#include <neardup/fingerprint.hpp>
#include <neardup/text/words.hpp>

#include "catch.hpp"

namespace {

using neardup::accumulator;
using neardup::simhasher;
using neardup::weight;
using neardup::words;

constexpr std::string_view farm_text = "the cat and the dog and the bird";

/// A user's linear weighter, whose sums can be merged.
struct length_each_time {
  weight per_occurrence(std::string_view token) const { return weight(static_cast<double>(token.size())); }
};

/// A user's weighter around another one: drops tokens lighter than the average.
template <class Inner>
struct above_average {
  Inner inner;

  template <std::size_t Words>
  void adjust(std::vector<neardup::weighted_token<Words>>& tokens) const {
    std::uint64_t total = 0;
    for (const auto& token : tokens) total += token.units;
    std::erase_if(tokens, [&](const auto& token) { return token.units * tokens.size() < total; });
  }
};

// A user's hasher in three lines.
constexpr auto times33 = [](std::string_view token) {
  std::uint64_t hash = 5381;
  for (const char c : token) hash = hash * 33 + static_cast<unsigned char>(c);
  return hash;
};
constexpr auto fnv32 = [](std::string_view token) {
  std::uint32_t hash = 2166136261U;
  for (const char c : token) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return hash;
};
constexpr auto two_words = [](std::string_view token) {
  const std::uint64_t hash = times33(token);
  return std::array<std::uint64_t, 2>{hash, ~hash * 0x9e3779b97f4a7c15U};
};

/// A hasher with fewer significant bits than its result type.
struct forty {
  static constexpr std::size_t bits = 40;
  std::uint64_t operator()(std::string_view token) const { return times33(token); }
};

/// Counts the votes of each bit. Returns the fingerprint of these distinct tokens.
template <std::size_t Bits, class Hasher>
neardup::simhash<Bits> votes(const Hasher& hash, const std::vector<std::string_view>& tokens) {
  neardup::simhash<Bits> result;
  for (std::size_t i = 0; i < Bits; ++i) {
    std::size_t set = 0;
    for (const std::string_view token : tokens) set += (hash(token)[i / 64] >> (i % 64)) & 1U;
    if (2 * set > tokens.size()) result.set(i);
  }
  return result;
}

const std::vector<std::string_view> distinct = {"the", "cat", "and", "dog", "bird"};

}  // namespace

TEST_CASE("a weighter of counts may give a weight or any number", "[user]") {
  const auto expected =
      simhasher{words{}, [](std::uint64_t count) { return weight(static_cast<double>(count)); }}(farm_text);
  CHECK(expected == simhasher{words{}, neardup::tf{}}(farm_text));
  CHECK(simhasher{words{}, [](std::uint64_t count) { return count; }}(farm_text) == expected);
  CHECK(simhasher{words{}, [](std::uint64_t count) { return static_cast<int>(count); }}(farm_text) == expected);
  CHECK(simhasher{words{}, [](std::uint64_t count) { return static_cast<float>(count); }}(farm_text) == expected);
  CHECK(simhasher{words{}, [](std::uint64_t count) { return static_cast<long double>(count); }}(farm_text) == expected);
  CHECK(simhasher{words{}, [](auto count) { return static_cast<double>(count); }}(farm_text) == expected);
  CHECK(simhasher{words{}, std::function<double(std::uint64_t)>(
                               [](std::uint64_t count) { return static_cast<double>(count); })}(farm_text) == expected);
  CHECK(simhasher{words{}, [](std::uint64_t) { return true; }}(farm_text) == simhasher{words{}}(farm_text));
}

TEST_CASE("a weighter may see the token too", "[user]") {
  const auto no_stop_words = [](std::string_view token, std::uint64_t) { return token != "the" && token != "and"; };
  CHECK(simhasher{words{}, no_stop_words}(farm_text) == simhasher{words{}}("cat dog bird"));
  const auto by_length = [](std::string_view token, std::uint64_t count) { return token.size() * count; };
  CHECK(simhasher{words{}, by_length}(farm_text) == simhasher{words{}, length_each_time{}}(farm_text));
}

TEST_CASE("a linear weighter of one's own can be merged in an accumulator", "[user]") {
  static_assert(neardup::detail::linear_weighter<length_each_time>);
  const simhasher hash{words{}, length_each_time{}};
  accumulator<64> sums;
  hash.add_to(sums, "the cat and the dog");
  hash.add_to(sums, "and the bird");
  CHECK(sums.result() == hash(farm_text));
  CHECK(hash(hash.bag(farm_text)) == hash(farm_text));
}

TEST_CASE("a weighter of one's own may adjust those of another", "[user]") {
  // "the" weighs 3, "and" 2, the others 1: 8 / 5 on average.
  const simhasher hash{words{}, above_average<neardup::tf>{}};
  CHECK(hash(farm_text) == simhasher{words{}, neardup::tf{}}("the the the and and"));
  const neardup::levels nested{2, above_average<neardup::tf>{}};
  CHECK(simhasher{words{}, nested}(farm_text) == simhasher{words{}, neardup::tf{}}("the the and and"));
}

TEST_CASE("a number that is no weight is an error, and nothing has changed", "[user]") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), infinity, -infinity, -1.0, 16777216.0, 1e308}) {
    CAPTURE(bad);
    const auto weigh = [bad](std::string_view token, std::uint64_t) { return token == "dog" ? bad : 1.0; };
    const simhasher hash{words{}, weigh};
    decltype(hash)::workspace scratch;
    CHECK_THROWS_AS(hash(farm_text), std::invalid_argument);
    CHECK_THROWS_AS(hash(farm_text, scratch), std::invalid_argument);
    CHECK_THROWS_AS(hash(hash.bag(farm_text), scratch), std::invalid_argument);
    CHECK_THROWS_AS((simhasher{words{}, neardup::top{1, weigh}}(farm_text)), std::invalid_argument);
    CHECK(hash("cat bird", scratch) == simhasher{words{}}("cat bird"));
    neardup::text_stream stream{hash};
    stream.feed(farm_text);
    CHECK_THROWS_AS(stream.finish(), std::invalid_argument);
    stream.feed("cat bird");
    CHECK(stream.finish() == simhasher{words{}}("cat bird"));
  }
  const auto denormal = [](std::uint64_t) { return std::numeric_limits<double>::denorm_min(); };
  CHECK_FALSE(simhasher{words{}, denormal}(farm_text));
  CHECK_THROWS_AS((simhasher{words{}, [](std::uint64_t) { return -1; }}(farm_text)), std::invalid_argument);
  CHECK_THROWS_AS((simhasher{words{}, [](std::uint64_t) { return ~std::uint64_t{0}; }}(farm_text)),
                  std::invalid_argument);
}

TEST_CASE("a hasher is three lines, of 64 bits", "[user]") {
  const simhasher hash{words{}, neardup::unit{}, times33};
  static_assert(decltype(hash)::bits == 64);
  CHECK(hash("cat")->to_uint64() == times33("cat"));
  CHECK(hash(farm_text) == votes<64>([](std::string_view t) { return std::array{times33(t)}; }, distinct));
  const auto narrow = neardup::make_simhasher<24>(words{}, neardup::unit{}, times33);
  CHECK(narrow("cat")->to_uint64() == (times33("cat") & 0xffffffU));
}

TEST_CASE("a hasher of 32 bits makes fingerprints of 32 bits and less", "[user]") {
  const simhasher hash{words{}, neardup::unit{}, fnv32};
  static_assert(decltype(hash)::bits == 32);
  CHECK(hash("cat")->to_uint64() == fnv32("cat"));
  CHECK(hash(farm_text) == votes<32>([](std::string_view t) { return std::array{std::uint64_t{fnv32(t)}}; }, distinct));
  CHECK(neardup::make_simhasher<16>(words{}, neardup::tf{}, fnv32)("cat")->to_uint64() == (fnv32("cat") & 0xffffU));
  const auto sixteen = [](std::string_view token) { return static_cast<std::uint16_t>(times33(token)); };
  static_assert(simhasher<words, neardup::unit, decltype(sixteen)>::bits == 16);
  CHECK(simhasher{words{}, neardup::unit{}, sixteen}("cat")->to_uint64() == sixteen("cat"));
}

TEST_CASE("a hasher of two words makes fingerprints of up to 128 bits", "[user]") {
  const simhasher hash{words{}, neardup::unit{}, two_words};
  static_assert(decltype(hash)::bits == 128);
  CHECK(hash("cat")->to_words() == two_words("cat"));
  CHECK(hash(farm_text) == votes<128>(two_words, distinct));
  CHECK(neardup::make_simhasher<80>(words{}, neardup::tf{}, two_words)("cat")->to_words()[1] ==
        (two_words("cat")[1] & 0xffffU));
}

TEST_CASE("a hasher's member bits names its width", "[user]") {
  static_assert(neardup::detail::hasher_width<forty>() == 40 && neardup::detail::hasher_words<forty> == 1);
  CHECK(simhasher<words, neardup::unit, forty>{words{}}("cat")->to_uint64() == (times33("cat") & 0xffffffffffU));
}

TEST_CASE("tokens whose full hashes are equal are one token", "[user]") {
  // Two of the four words have equal hashes. The hash also has an upper half, which is not in the fingerprint.
  const auto by_first = [](std::string_view token) {
    return static_cast<std::uint64_t>(token[0]) << 32 | token.size();
  };
  const auto hash = neardup::make_simhasher<32>(words{}, neardup::unit{}, by_first);
  CHECK(hash.bag("ax ay b c").size() == 3);
  CHECK(hash.bag("ax bx").size() == 2);
  CHECK(hash.features("ax ay b c").size() == 3);
}

static_assert(neardup::token_hasher<decltype(times33)> && neardup::token_hasher<decltype(two_words)>);
static_assert(!neardup::token_hasher<decltype([](std::string_view) { return 1; })>);  // signed
static_assert(!neardup::token_hasher<decltype([](std::string_view) { return true; })>);
static_assert(!neardup::token_hasher<decltype([](std::string_view) { return 1.0; })>);
static_assert(!neardup::token_hasher<decltype([](int) { return 1U; })>);
static_assert(!neardup::weighter<decltype([](std::uint64_t) { return "heavy"; })>);
static_assert(!neardup::weighter<decltype([](std::string_view) { return 1; })>);
