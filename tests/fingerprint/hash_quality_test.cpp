// The bits of hashes, hence of fingerprints, are as random as the theory of SimHash assumes.
//
// All bounds follow from the number of observations: random bits would exceed them once in a million such tests. The
// texts are the same in every run, so a test that passes once always passes. Weak hashes show that each test can fail.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numbers>
#include <random>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include <neardup/fingerprint.hpp>
#include <neardup/index/recall.hpp>
#include <neardup/sets/similarity.hpp>
#include <neardup/text.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "oracle/random_engine.hpp"
#include "oracle/text.hpp"

namespace {

/// The z that the largest of `count` standard normal variables exceeds with probability 10^-6, by the union bound count
/// * P(|Z| > z) = 10^-6. For the 2016 pairs of 64 bits z is 6.2; the expected maximum is 4.
double noise(std::size_t count) {
  double z = 0;
  while (static_cast<double>(count) * std::erfc(z / std::numbers::sqrt2) > 1e-6) z += 0.01;
  return z;
}

// --- texts ---------------------------------------------------------------------------------------

class text_maker {
 public:
  explicit text_maker(std::uint64_t seed) : random_(seed) {
    constexpr std::string_view onsets[] = {"",  "b", "d", "f", "g",  "h", "k",  "l",  "m",
                                           "n", "p", "r", "s", "st", "t", "th", "tr", "w"};
    constexpr std::string_view vowels[] = {"a", "e", "i", "o", "u", "ea", "ou"};
    constexpr std::string_view codas[] = {"", "", "l", "n", "nd", "r", "s", "t", "ng"};
    for (std::size_t i = 0; i < vocabulary; ++i) {
      std::string& word = words_.emplace_back();
      for (std::size_t syllables = 1 + below(3); syllables > 0; --syllables) {
        word.append(onsets[below(std::size(onsets))]).append(vowels[below(std::size(vowels))]);
        word.append(codas[below(std::size(codas))]);
      }
    }
  }

  /// Prose with Zipf's distribution: the word of rank r is 1 / r times as frequent as the first one.
  std::string prose(std::size_t bytes) {
    std::string text;
    while (text.size() < bytes) {
      for (std::size_t left = 4 + below(12); left > 0; --left)
        text += words_[by_rank(vocabulary)] + (left > 1 ? " " : ". ");
    }
    return text;
  }

  /// The same distribution over Han characters.
  std::string han(std::size_t characters) {
    std::string text;
    for (; characters > 0; --characters) text += oracle::encode(static_cast<std::uint32_t>(0x4e00 + by_rank(6000)));
    return text;
  }

  /// Equally frequent words, so that texts have hardly any common pairs of words.
  std::string any_words(std::size_t count) {
    std::string text;
    for (; count > 0; --count) text += words_[below(vocabulary)] + " ";
    return text;
  }

 private:
  static constexpr std::size_t vocabulary = 20000;

  std::size_t below(std::size_t end) { return random_() % end; }
  std::size_t by_rank(std::size_t end) {
    return static_cast<std::size_t>(
               std::pow(static_cast<double>(end), static_cast<double>(random_() >> 11) * 0x1p-53)) -
           1;
  }

  oracle::random_engine random_;
  std::vector<std::string> words_;
};

template <class Tokenizer>
std::vector<std::string> distinct_tokens(const Tokenizer& tokenize, std::string_view text) {
  const std::size_t wanted = oracle::effort(100000, 20000);
  std::unordered_set<std::string> seen;
  tokenize(text, [&](std::string_view token) {
    if (seen.size() < wanted) seen.emplace(token);
  });
  return {seen.begin(), seen.end()};
}

struct token_set {
  std::string name;
  std::vector<std::string> tokens;
};

const std::vector<token_set>& token_sets() {
  static const std::vector<token_set> sets = [] {
    using namespace neardup;
    text_maker texts(1);
    const std::string prose = texts.prose(oracle::effort(3'000'000, 600'000));
    const std::string han = texts.han(oracle::effort(400'000, 80'000));
    return std::vector<token_set>{{"4 bytes", distinct_tokens(byte_ngrams{4}, prose)},
                                  {"5 bytes", distinct_tokens(byte_ngrams{5}, prose)},
                                  {"8 bytes", distinct_tokens(byte_ngrams{8}, prose)},
                                  {"pairs of words", distinct_tokens(shingles{2, folded{words{}}}, prose)},
                                  {"pairs of Han characters", distinct_tokens(code_point_ngrams{2}, han)}};
  }();
  return sets;
}

// --- bits ----------------------------------------------------------------------------------------

/// Deviations from the averages of random bits, in standard deviations.
struct deviations {
  double bias = 0;         // of the most biased bit
  double correlation = 0;  // of the most correlated two bits
  double spread = 0;       // of the sum of all squared correlations, which many small correlations make large
};

template <class Hasher>
deviations measure(const Hasher& hash, const std::vector<std::string>& tokens) {
  constexpr std::size_t words = neardup::detail::hasher_words<Hasher>;
  constexpr std::size_t bits = 64 * words;
  const std::size_t n = tokens.size();
  // columns[b] holds bit b of all tokens.
  std::vector<std::vector<std::uint64_t>> columns(bits, std::vector<std::uint64_t>((n + 63) / 64));
  for (std::size_t t = 0; t < n; ++t) {
    const std::array<std::uint64_t, words> value = neardup::detail::to_hash_words(hash(tokens[t]));
    for (std::size_t i = 0; i < bits; ++i) columns[i][t / 64] |= (value[i / 64] >> (i % 64) & 1U) << (t % 64);
  }
  // The number of zeros minus that of ones, in standard deviations: each has variance 1.
  const auto deviation = [n](std::size_t ones) {
    return (static_cast<double>(n) - 2 * static_cast<double>(ones)) / std::sqrt(static_cast<double>(n));
  };
  deviations result;
  double squares = 0;
  for (std::size_t i = 0; i < bits; ++i) {
    std::size_t set = 0;
    for (const std::uint64_t word : columns[i]) set += static_cast<std::size_t>(std::popcount(word));
    result.bias = std::max(result.bias, std::abs(deviation(set)));
    for (std::size_t j = 0; j < i; ++j) {
      std::size_t differing = 0;
      for (std::size_t w = 0; w < columns[i].size(); ++w) {
        differing += static_cast<std::size_t>(std::popcount(columns[i][w] ^ columns[j][w]));
      }
      const double z = deviation(differing);
      result.correlation = std::max(result.correlation, std::abs(z));
      squares += z * z;
    }
  }
  const double pairs = static_cast<double>(bits * (bits - 1) / 2);
  result.spread = std::abs(squares - pairs) / std::sqrt(2 * pairs);
  return result;
}

/// A weak hash that looks good: it takes eight bytes at a time, and multiplies only once.
std::uint64_t one_multiplication(std::string_view token) {
  std::uint64_t mixed = token.size();
  for (; !token.empty(); token.remove_prefix(std::min<std::size_t>(8, token.size()))) {
    for (std::size_t i = 0; i < 8 && i < token.size(); ++i) {
      mixed ^= std::uint64_t{static_cast<unsigned char>(token[i])} << (8 * i);
    }
  }
  return mixed * 0x9e3779b97f4a7c15U;
}

/// A weak hash of 128 bits: both words come from the same 64 bits.
std::array<std::uint64_t, 2> one_word_twice(std::string_view token) {
  const std::uint64_t hash = neardup::xxh3<64>{}(token);
  return {hash, std::rotl(hash, 13)};
}

// --- fingerprints --------------------------------------------------------------------------------

/// Returns texts with an odd number of distinct pairs of words. So no bit has as many votes for 0 as for 1.
std::vector<std::string> unrelated_texts(std::size_t count) {
  text_maker make(2);
  std::vector<std::string> texts;
  while (texts.size() < count) {
    std::string text = make.any_words(202);
    if (neardup::default_simhasher<>{}.features(text).size() == 201) texts.push_back(std::move(text));
  }
  return texts;
}

template <class Simhasher>
auto fingerprints_of(const Simhasher& hash, const std::vector<std::string>& texts) {
  std::vector<typename Simhasher::fingerprint_type> result;
  for (const std::string& text : texts) result.push_back(hash(text).value());
  return result;
}

/// The mean and the variance of each of two variables, and their correlation.
struct moments {
  explicit moments(const std::vector<std::pair<double, double>>& values) : n(static_cast<double>(values.size())) {
    for (const auto& [x, y] : values) {
      mean_x += x / n;
      mean_y += y / n;
    }
    double product = 0;
    for (const auto& [x, y] : values) {
      variance_x += (x - mean_x) * (x - mean_x) / n;
      variance_y += (y - mean_y) * (y - mean_y) / n;
      product += (x - mean_x) * (y - mean_y) / n;
    }
    correlation = product / std::sqrt(variance_x * variance_y);
  }
  double n;
  double mean_x = 0, mean_y = 0, variance_x = 0, variance_y = 0, correlation = 0;
};

/// Takes all pairs of fingerprints. One variable is the distance of their lower 64 bits, the other that of their upper
/// 64 bits.
moments distances_of_halves(const std::vector<neardup::simhash<128>>& fingerprints) {
  std::vector<std::pair<double, double>> distances;
  for (std::size_t i = 0; i < fingerprints.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const auto &a = fingerprints[i].to_words(), &b = fingerprints[j].to_words();
      distances.emplace_back(std::popcount(a[0] ^ b[0]), std::popcount(a[1] ^ b[1]));
    }
  }
  return moments(distances);
}

}  // namespace

TEST_CASE("no bit of a token's hash is biased, and no two of 64 are correlated", "[quality]") {
  for (const token_set& set : token_sets()) {
    for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{42}}) {
      const deviations found = measure(neardup::xxh3<64>{seed}, set.tokens);
      CAPTURE(set.name, set.tokens.size(), seed);
      CHECK(set.tokens.size() >= 10000);
      CHECK(found.bias < noise(64));
      CHECK(found.correlation < noise(64 * 63 / 2));
      CHECK(found.spread < noise(1));
    }
  }
}

TEST_CASE("the words of a wide hash are not correlated with each other", "[quality]") {
  for (const token_set& set : token_sets()) {
    CAPTURE(set.name, set.tokens.size());
    const deviations of_128 = measure(neardup::xxh3<128>{}, set.tokens);
    CHECK(of_128.bias < noise(128));
    CHECK(of_128.correlation < noise(128 * 127 / 2));
    CHECK(of_128.spread < noise(1));
    const deviations of_256 = measure(neardup::xxh3<256>{}, set.tokens);
    CHECK(of_256.bias < noise(256));
    CHECK(of_256.correlation < noise(256 * 255 / 2));
    CHECK(of_256.spread < noise(1));
  }
}

TEST_CASE("a hash of one multiplication is found out by its bias, its correlations and their spread", "[quality]") {
  for (const token_set& set : token_sets()) {
    const deviations found = measure(&one_multiplication, set.tokens);
    CAPTURE(set.name, set.tokens.size());
    CHECK(found.bias > 2 * noise(64));
    CHECK(found.correlation > 2 * noise(64 * 63 / 2));
    CHECK(found.spread > 2 * noise(1));
  }
}

TEST_CASE("a wide hash whose words are made of one is found out", "[quality]") {
  CHECK(measure(&one_word_twice, token_sets().front().tokens).correlation > 2 * noise(128 * 127 / 2));
}

// For independent uniform fingerprints, the distances of all pairs are pairwise independent, even if pairs share a
// fingerprint. So n distances have the moments of n independent ones: a distance of B bits has variance B / 4, their
// mean has variance B / 4 / n, and their sample variance has variance 2 (B / 4)^2 / n.

TEST_CASE("unrelated texts are half of the bits apart, and scatter as random fingerprints do", "[quality]") {
  const auto texts = unrelated_texts(oracle::effort(400, 60));
  const moments found = distances_of_halves(fingerprints_of(neardup::default_simhasher<128>{}, texts));
  CAPTURE(found.mean_x, found.mean_y, found.variance_x, found.variance_y);
  for (const double mean : {found.mean_x, found.mean_y}) {
    CHECK(std::abs(mean - neardup::detail::expected_distance(64, 0)) < noise(2) * std::sqrt(16 / found.n));
  }
  for (const double variance : {found.variance_x, found.variance_y}) {
    CHECK(std::abs(variance - 16) < noise(2) * 16 * std::sqrt(2 / found.n));
  }

  // This weak hash has each bit twice, so all distances are even.
  const neardup::simhasher weak{neardup::default_tokenizer{}, neardup::unit{}, [](std::string_view token) {
                                  return (neardup::xxh3<64>{}(token)&0xffffffffU) * 0x100000001U;
                                }};
  std::vector<neardup::simhash<128>> doubled;
  for (const auto& fingerprint : fingerprints_of(weak, texts)) {
    doubled.emplace_back(neardup::simhash<128>::words_type{fingerprint.to_uint64(), fingerprint.to_uint64()});
  }
  CHECK(distances_of_halves(doubled).variance_x > 24);
}

TEST_CASE("the two halves of 128 bits are independent of each other", "[quality]") {
  const auto texts = unrelated_texts(oracle::effort(400, 60));
  const moments found = distances_of_halves(fingerprints_of(neardup::default_simhasher<128>{}, texts));
  CAPTURE(found.correlation, found.n);
  CHECK(std::abs(found.correlation) < noise(1) / std::sqrt(found.n));

  const neardup::simhasher weak{neardup::default_tokenizer{}, neardup::unit{}, &one_word_twice};
  CHECK(distances_of_halves(fingerprints_of(weak, texts)).correlation > 0.99);
}

TEST_CASE("texts of a known similarity are as far apart as the theory says", "[quality]") {
  const auto texts = unrelated_texts(oracle::effort(400, 60));
  const neardup::simhasher hash{neardup::words{}};
  for (const std::size_t shared : {std::size_t{50}, std::size_t{100}, std::size_t{180}}) {
    // Each text has 201 tokens, of which `shared` are in both texts. All tokens weigh 1, so the cosine is shared / 201.
    const double expected = neardup::detail::expected_distance(64, static_cast<double>(shared) / 201);
    double sum = 0;
    const std::size_t pairs = texts.size();
    for (std::size_t p = 0; p < pairs; ++p) {
      std::string a, b;
      for (std::size_t i = 0; i < 201; ++i) {
        const std::string token = std::to_string(p) + "x" + std::to_string(i);
        a += token + " ";
        b += (i < shared ? token : token + "y") + " ";
      }
      sum += hamming_distance(hash(a).value(), hash(b).value());
    }
    const double mean = sum / static_cast<double>(pairs);
    const double share = expected / 64;
    CAPTURE(shared, mean, expected);
    CHECK(std::abs(mean - expected) < noise(3) * std::sqrt(64 * share * (1 - share) / static_cast<double>(pairs)));
  }
}
