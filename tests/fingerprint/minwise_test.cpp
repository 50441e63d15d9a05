// Min-wise codes against their definition; their distances against theory; sketches, streams and features.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_set>
#include <vector>

#include <neardup/fingerprint.hpp>
#include <neardup/text.hpp>
#include <neardup/threads.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "oracle/random_engine.hpp"
#include "support/instruction_sets.hpp"

namespace {

using neardup::instruction_set;
using neardup::minwise;

/// The definition in docs/fingerprint.md, section 6, literally.
template <std::size_t Bits>
std::optional<minwise<Bits>> code_by_definition(const std::set<std::uint64_t>& hashes) {
  if (hashes.empty()) return std::nullopt;
  const auto splitmix = [](std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
  };
  minwise<Bits> code;
  for (std::uint64_t bin = 0; bin < Bits; ++bin) {
    std::set<std::uint64_t> chose, all;
    const std::uint64_t mixed = splitmix((bin + 1) * 0x9e3779b97f4a7c15U);
    const std::uint64_t a = (mixed % 65536) | 1U;
    const std::uint64_t b = (mixed / 65536 % 65536) | 1U;
    for (const std::uint64_t hash : hashes) {
      const std::uint64_t x = hash % 4294967296;
      if (x * Bits / 4294967296 == bin) chose.insert(x * Bits % 4294967296 / 2);
      all.insert(2147483648 + (a * (x % 65536) + b * (x / 65536) + 32768) % 65536);
    }
    const std::uint64_t least = chose.empty() ? *all.begin() : *chose.begin();
    if (least * 0x9e3779b1U % 4294967296 >= 2147483648) code.set(bin);
  }
  return code;
}

std::set<std::uint64_t> random_set(std::mt19937_64& random, std::size_t size) {
  std::set<std::uint64_t> result;
  while (result.size() < size) result.insert(random());
  return result;
}

template <std::size_t Bits>
std::optional<minwise<Bits>> code_of(const std::vector<std::uint64_t>& hashes) {
  neardup::minwise_sketch<Bits> sketch;
  sketch.add(std::span<const std::uint64_t>(hashes));
  return sketch.result();
}

template <std::size_t Bits>
using width = std::integral_constant<std::size_t, Bits>;

}  // namespace

TEMPLATE_TEST_CASE("a min-wise code is what its definition says", "[minwise]", width<64>,
                   width<72> NEARDUP_UNLESS_SAMPLE(width<16>, width<24>, width<256>, width<640>)) {
  constexpr std::size_t bits = TestType::value;
  oracle::random_engine random(bits);
  for (const instruction_set level : support::instruction_sets()) {
    const support::forced_instruction_set forced(level);
    INFO(neardup::to_string(level));
    for (std::size_t size : {0U, 1U, 2U, 3U, 7U, 8U, 9U, 31U, 32U, 33U, 37U, 63U, 64U, 65U, 100U, 257U, 1024U, 1500U}) {
      const std::set<std::uint64_t> set = random_set(random, size);
      std::vector<std::uint64_t> hashes(set.begin(), set.end());
      const auto expected = code_by_definition<bits>(set);
      INFO(size);
      CHECK(code_of<bits>(hashes) == expected);
      // Neither order nor repetition matters.
      for (std::size_t i = 0; i < size; ++i) hashes.push_back(hashes[random() % size]);
      std::shuffle(hashes.begin(), hashes.end(), random);
      CHECK(code_of<bits>(hashes) == expected);
    }
    // Few tokens with high counts.
    const std::set<std::uint64_t> set = random_set(random, 3);
    std::vector<std::uint64_t> hashes;
    for (std::size_t i = 0; i < 5000; ++i) hashes.push_back(*std::next(set.begin(), static_cast<int>(random() % 3)));
    CHECK(code_of<bits>(hashes) == code_by_definition<bits>(set));
    // Extreme hashes, which give extreme products.
    const std::set<std::uint64_t> extreme{0, 1, 0x7fffU, 0x8000U, 0xffffU, 0x10000U, 0x80008000U, 0xffffffffU, ~0ULL};
    CHECK(code_of<bits>({extreme.begin(), extreme.end()}) == code_by_definition<bits>(extreme));
  }
}

TEMPLATE_TEST_CASE("sketches of parts merge into that of the whole", "[minwise]",
                   width<72> NEARDUP_UNLESS_SAMPLE(width<16>, width<64>, width<200>)) {
  constexpr std::size_t bits = TestType::value;
  using sketch = neardup::minwise_sketch<bits>;
  oracle::random_engine random(bits + 1);
  for (std::size_t size : {1U, 2U, 5U, 20U, 60U, 200U, 1500U}) {
    const std::set<std::uint64_t> set = random_set(random, size);
    sketch whole;
    sketch one_by_one;
    std::vector<sketch> parts(3);
    for (const std::uint64_t hash : set) {
      one_by_one.add(hash);
      parts[random() % 3].add(hash);
      parts[random() % 3].add(hash);  // parts overlap
    }
    const std::vector<std::uint64_t> hashes(set.begin(), set.end());
    whole.add(std::span(hashes));
    CHECK(one_by_one == whole);
    sketch merged = parts[2];
    for (const std::size_t i : {0U, 1U}) merged.merge(parts[i]);
    // These hashes are in some part already, so nothing may change.
    for (const std::uint64_t hash : set) merged.add(hash);
    CHECK(merged == whole);
    sketch disjoint[2];
    for (std::size_t i = 0; i < hashes.size(); ++i) disjoint[i % 2].add(hashes[i]);
    disjoint[0].merge(disjoint[1]);
    CHECK(disjoint[0] == whole);
    disjoint[0].merge(sketch());
    CHECK(disjoint[0] == whole);
    CHECK(disjoint[0].result() == code_by_definition<bits>(set));
    disjoint[0].clear();
    CHECK(disjoint[0].empty());
    CHECK(disjoint[0].result() == std::nullopt);
  }
}

TEST_CASE("distances have the mean of theory, and spread less than independent bits", "[minwise]") {
  // Sets of n features with a known similarity. The mean of T pairs has a standard error of sqrt(p (1 - p) Bits / T).
  constexpr std::size_t pairs = 2000;
  oracle::random_engine random(99);
  double ratios = 0;
  int cases = 0;
  for (const std::size_t n : {1U, 2U, 5U, 12U, 37U, 110U, 400U}) {
    for (const double wanted : {0.2, 0.5, 0.7, 0.8, 0.95}) {
      const auto common = static_cast<std::size_t>(std::lround(2 * wanted / (1 + wanted) * static_cast<double>(n)));
      const double jaccard = static_cast<double>(common) / static_cast<double>(2 * n - common);
      double sum = 0, squares = 0;
      for (std::size_t i = 0; i < pairs; ++i) {
        std::vector<std::uint64_t> a(n), b(n);
        for (std::size_t f = 0; f < n; ++f) {
          a[f] = random();
          b[f] = f < common ? a[f] : random();
        }
        const double distance = hamming_distance(*code_of<64>(a), *code_of<64>(b));
        sum += distance;
        squares += distance * distance;
      }
      const double mean = sum / pairs;
      const double variance = squares / pairs - mean * mean;
      const double p = (1 - jaccard) / 2;
      const double binomial = 64 * p * (1 - p);
      INFO(n << " features, similarity " << jaccard);
      CHECK(std::abs(mean - 64 * p) <= 5 * std::sqrt(binomial / pairs));
      // The variance of a normal sample has a relative standard error of sqrt(2 / T).
      CHECK(variance <= binomial * (1 + 5 * std::sqrt(2.0 / pairs)));
      if (n >= 12 && n <= 110 && wanted >= 0.5 && common < n) {
        ratios += variance / binomial;
        ++cases;
      }
    }
  }
  // The mean of all cases is checked, because one case alone has a standard error of 3 %.
  INFO(ratios / cases << " of the variance of independent bits, in " << cases << " cases");
  CHECK(ratios < 0.97 * cases);
}

TEST_CASE("texts have the code of their distinct tokens, whole, streamed and from kept features", "[minwise]") {
  const auto check = [](const auto& tokenizer, const auto& hasher, const std::string& text, std::mt19937_64& random) {
    const neardup::minwise_hasher hash{tokenizer, hasher};
    std::set<std::uint64_t> tokens;
    tokenizer(text, [&](std::string_view token) { tokens.insert(hash.hash(token)[0]); });
    const auto expected = code_by_definition<64>(tokens);
    CHECK(hash(text) == expected);
    typename std::remove_const_t<decltype(hash)>::workspace scratch;
    CHECK(hash("something else first", scratch) != std::nullopt);
    CHECK(hash(text, scratch) == expected);
    CHECK(hash.sketch(text, scratch).result() == expected);

    const auto features = hash.features(text);
    CHECK(features == neardup::simhasher{tokenizer, neardup::unit{}, hasher}.features(text));
    const auto kept = neardup::feature_extractor{tokenizer, hasher}(text);
    neardup::minwise_sketch<64> of_features;
    of_features.add(std::span(kept));
    CHECK(of_features.result() == expected);

    neardup::text_stream stream{hash};
    for (std::string_view rest = text; !rest.empty();) {
      const std::size_t size = (std::min)(rest.size(), static_cast<std::size_t>(1 + random() % 20));
      stream.feed(rest.substr(0, size));
      rest.remove_prefix(size);
    }
    CHECK(stream.finish() == expected);
  };
  oracle::random_engine random(5);
  for (const instruction_set level : support::instruction_sets()) {
    const support::forced_instruction_set forced(level);
    INFO(neardup::to_string(level));
    std::string text;
    for (int i = 0; i < 40; i += static_cast<int>(oracle::effort(1, 2, 8))) {
      check(neardup::default_tokenizer{}, neardup::xxh3<64>{}, text, random);
      check(neardup::byte_ngrams{5}, neardup::xxh3<64>{7}, text, random);
      check(neardup::normalised{neardup::code_point_ngrams{3}}, neardup::xxh3<128>{}, text, random);
      const auto fnv = [](std::string_view token) {
        std::uint32_t value = 2166136261U;
        for (const char c : token) value = (value ^ static_cast<unsigned char>(c)) * 16777619U;
        return value;
      };
      check(neardup::words{}, fnv, text, random);
      for (int word = 0; word < 1 + i * 3; ++word) text += "w" + std::to_string(random() % 500) + ' ';
    }
  }
}

TEST_CASE("batches and threads give the codes of one text after the other", "[minwise]") {
  oracle::random_engine random(8);
  std::vector<std::string> texts(200);
  for (std::string& text : texts) {
    for (std::size_t word = random() % 60; word > 0; --word) text += "w" + std::to_string(random() % 100) + ' ';
  }
  const auto hash = neardup::make_minwise_hasher<128>(neardup::words{});
  const auto codes = neardup::fingerprint_all(hash, texts, neardup::threads{3});
  for (std::size_t i = 0; i < texts.size(); ++i) CHECK(codes[i] == hash(texts[i]));
}

TEST_CASE("min-wise codes are values like SimHash fingerprints, and another type", "[minwise]") {
  using code = minwise<64>;
  using fingerprint = neardup::simhash<64>;
  static_assert(std::regular<code> && std::totally_ordered<code> && std::is_trivially_copyable_v<code>);
  static_assert(sizeof(code) == 8 && sizeof(minwise<200>) == 32);
  static_assert(!std::is_convertible_v<code, fingerprint> && !std::is_convertible_v<fingerprint, code>);
  static_assert(!std::equality_comparable_with<code, fingerprint>);
  static_assert(!std::is_constructible_v<code, fingerprint>);
  static_assert(code::kind == neardup::fingerprint_kind::minwise);
  static_assert(fingerprint::kind == neardup::fingerprint_kind::simhash);
  static_assert(code(5).test(0) && !code(5).test(1) && code(5).set(1) == code(7) && code(5) < code(6));
  CHECK(code(0xabc).to_hex() == "0000000000000abc");
  CHECK(code::from_hex("0000000000000ABC") == code(0xabc));
  CHECK(code::from_hex("abc") == std::nullopt);
  CHECK(hamming_distance(code(5), code(6)) == 2);
  CHECK(std::unordered_set<code>{code(1), code(1), code(2)}.size() == 2);
  CHECK_THROWS_AS(code().test(64), std::out_of_range);
  CHECK_THROWS_AS(minwise<16>(0x10000), std::invalid_argument);
}

// Frozen values, see golden_test.cpp.
TEST_CASE("golden min-wise codes", "[minwise]") {
  constexpr std::string_view fox = "The quick brown fox jumps over the lazy dog; the quick brown fox is quick.";
  const auto hex = [](const auto& hash, std::string_view text) { return hash(text)->to_hex(); };
  const neardup::default_tokenizer pairs;
  CHECK(hex(neardup::minwise_hasher{pairs}, "Hello!") == "5c0ce85836bfade2");
  CHECK(hex(neardup::minwise_hasher{pairs}, fox) == "79109514df1a770c");
  CHECK(hex(neardup::minwise_hasher{pairs, neardup::xxh3<64>{42}}, fox) == "56b8e28e5d37e31b");
  CHECK(hex(neardup::make_minwise_hasher<16>(pairs), fox) == "6f2c");
  CHECK(hex(neardup::make_minwise_hasher<128>(pairs), fox) == "e32f1475ce4a7a6ca9119710df9a7f0c");
  CHECK(hex(neardup::minwise_hasher{neardup::byte_ngrams{5}}, fox) == "32f83d03d6ea1bb4");
}
