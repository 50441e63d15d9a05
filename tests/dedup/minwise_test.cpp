// Joins, groups and the deduplicator on min-wise codes; the theory of their distances.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <neardup/dedup.hpp>
#include <neardup/fingerprint.hpp>
#include <neardup/index/pairs.hpp>
#include <neardup/sets/similarity.hpp>
#include <neardup/text.hpp>
#include <neardup/threads.hpp>

#include "catch.hpp"
#include "oracle/decision.hpp"
#include "oracle/effort.hpp"
#include "oracle/random_engine.hpp"

namespace {

using neardup::fingerprint_kind;
using neardup::minwise;

std::vector<std::string> random_texts(std::size_t count, std::mt19937_64& random) {
  std::vector<std::string> texts;
  while (texts.size() < count) {
    std::vector<std::string> words;
    for (std::size_t i = 12 + random() % 30; i > 0; --i) words.push_back("w" + std::to_string(random() % 5000));
    for (std::size_t copies = random() % 4 + 1; copies > 0; --copies) {
      std::string text;
      for (const std::string& word : words) text += word + ' ';
      texts.push_back(text);
      for (std::size_t edits = 1 + random() % 3; edits > 0; --edits) {
        words[random() % words.size()] = "x" + std::to_string(random() % 5000);
      }
    }
  }
  texts.resize(count);
  return texts;
}

/// Sums of the binomial distribution, term by term.
double plain_recall(std::size_t bits, int k, double p) {
  double sum = 0, chosen = 1;  // `chosen`: the number of ways to choose the d bits that differ
  for (int d = 0; d <= k; ++d) {
    sum += chosen * std::pow(1 - p, static_cast<double>(bits) - d);
    chosen *= static_cast<double>(static_cast<int>(bits) - d) / (d + 1) * p;
  }
  return sum;
}

}  // namespace

TEST_CASE("joins of min-wise codes find what two loops find", "[minwise]") {
  oracle::random_engine random(3);
  const auto texts = random_texts(800, random);
  const neardup::minwise_hasher hash{neardup::default_tokenizer{}};
  std::vector<minwise<64>> codes;
  for (const std::string& text : texts) codes.push_back(*hash(text));
  std::vector<neardup::near_pair<std::uint32_t>> expected;
  for (std::uint32_t i = 0; i < codes.size(); ++i) {
    for (std::uint32_t j = i + 1; j < codes.size(); ++j) {
      const int distance = hamming_distance(codes[i], codes[j]);
      if (distance <= 9) expected.push_back({i, j, distance});
    }
  }
  REQUIRE(expected.size() > 100);
  CHECK(neardup::pairs(codes, neardup::bits{9}) == expected);
  std::size_t visited = 0;
  neardup::visit_pairs(codes, neardup::bits{9}, [&](std::size_t, std::size_t, int) { ++visited; });
  CHECK(visited == expected.size());

  const auto match = [&](std::size_t i, std::size_t j) -> std::optional<oracle::closeness> {
    const int distance = hamming_distance(codes[i], codes[j]);
    return distance <= 9 ? std::optional(oracle::closeness::of_bits(distance)) : std::nullopt;
  };
  const auto originals = oracle::originals(oracle::order_of(codes.size(), 0, {}), 0, true, match);
  const std::vector<std::uint32_t> labels(originals.begin(), originals.end());
  CHECK(neardup::group(codes, neardup::bits{9}) == labels);
  const auto components = neardup::cluster(codes, neardup::bits{9});
  for (const auto& pair : expected) CHECK(components[pair.first] == components[pair.second]);
}

TEST_CASE("a deduplicator of min-wise codes decides as its check does", "[minwise]") {
  oracle::random_engine random(9);
  const auto texts = random_texts(oracle::effort(600, 250), random);
  const neardup::minwise_hasher hash{neardup::default_tokenizer{}};
  neardup::fingerprint_deduplicator dedup{hash, neardup::jaccard{0.7}};
  CHECK(dedup.distance() == neardup::distance_for(64, 0.7, fingerprint_kind::minwise, 0.99));
  const neardup::feature_extractor features_of{neardup::default_tokenizer{}};
  const auto match = [&](std::size_t i, std::size_t j) -> std::optional<oracle::closeness> {
    if (hamming_distance(*hash(texts[i]), *hash(texts[j])) > dedup.distance()) return std::nullopt;
    const double similarity = neardup::jaccard_similarity(features_of(texts[i]), features_of(texts[j]));
    return similarity >= 0.7 ? std::optional(oracle::closeness::of_number(similarity)) : std::nullopt;
  };
  const auto originals = oracle::originals(oracle::order_of(texts.size(), 0, {}), 0, true, match);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    CHECK(dedup.add(texts[i]).original.value_or(static_cast<std::uint32_t>(i)) == originals[i]);
    kept += originals[i] == i ? 1 : 0;
  }
  CHECK(dedup.size() == kept);
  CHECK(dedup.size() < texts.size() * 3 / 4);
}

TEST_CASE("the theory of distances knows both kinds", "[minwise]") {
  using neardup::detail::difference_probability;
  CHECK(difference_probability(fingerprint_kind::minwise, 0.8) == Approx(0.1));
  CHECK(difference_probability(fingerprint_kind::minwise, 1) == 0);
  CHECK(difference_probability(fingerprint_kind::simhash, 1) == Approx(0).margin(1e-7));
  CHECK(difference_probability(fingerprint_kind::simhash, 0.8) == Approx(std::acos(1.6 / 1.8) / std::acos(-1.0)));
  CHECK_THROWS_AS(neardup::expected_recall(64, 3, 0, fingerprint_kind::minwise), std::invalid_argument);
  for (const auto kind : {fingerprint_kind::simhash, fingerprint_kind::minwise}) {
    for (const std::size_t bits : {16U, 64U, 128U}) {
      for (const double similarity : {0.3, 0.6, 0.8, 0.95}) {
        int least = -1;
        double before = 0;
        for (int k = 0; k <= static_cast<int>(bits); ++k) {
          double sum = 0, pairs = 0;
          for (int i = 0; i < 64; ++i) {
            const double jaccard = similarity + (1 - similarity) * (i + 0.5) / 64;
            // The library assumes that the number of pairs falls linearly from the wanted similarity to 1: to none
            // (SimHash), or to three tenths (min-wise codes).
            const double of_these = kind == fingerprint_kind::simhash ? 63.5 - i : 64 - 0.7 * (i + 0.5);
            sum += of_these * plain_recall(bits, k, difference_probability(kind, jaccard));
            pairs += of_these;
          }
          const double recall = neardup::expected_recall(bits, k, similarity, kind);
          CHECK(recall == Approx(sum / pairs).epsilon(1e-9));
          CHECK(recall >= before - 1e-12);
          before = recall;
          if (least < 0 && recall >= 0.97) least = k;
        }
        CHECK(neardup::distance_for(bits, similarity, kind, 0.97) == least);
      }
    }
  }
  // Frozen values of distance_for. The default recall is .99.
  const auto distance = [](std::size_t bits, double similarity, double recall) {
    return neardup::distance_for(bits, similarity, fingerprint_kind::minwise, recall);
  };
  CHECK(distance(64, 0.6, 0.97) == 16);
  CHECK(distance(64, 0.7, 0.97) == 13);
  CHECK(distance(64, 0.8, 0.97) == 9);
  CHECK(distance(64, 0.9, 0.97) == 5);
  CHECK(distance(64, 0.8, 0.99) == 10);
  CHECK(distance(128, 0.8, 0.97) == 16);
  CHECK(neardup::distance_for(64, 0.8) == 14);
  CHECK(neardup::distance_for(64, 0.6, fingerprint_kind::minwise) == 18);
  CHECK(neardup::distance_for(64, 0.7, fingerprint_kind::minwise) == 14);
  CHECK(neardup::distance_for(64, 0.8, fingerprint_kind::minwise) == 10);
  CHECK(neardup::distance_for(64, 0.9, fingerprint_kind::minwise) == 6);
  CHECK(neardup::estimated_similarity(64, 0, fingerprint_kind::minwise) == 1);
  CHECK(neardup::estimated_similarity(64, 8, fingerprint_kind::minwise) == 0.75);
  CHECK(neardup::estimated_similarity(64, 40, fingerprint_kind::minwise) == 0);
  CHECK_THROWS_AS(neardup::estimated_similarity(64, 65, fingerprint_kind::minwise), std::invalid_argument);
}

TEST_CASE("min-wise codes find the share of similar sets that theory promises", "[minwise]") {
  // Random pairs of sets, small and large, whose number falls to three tenths from the least similarity to 1.
  oracle::random_engine random(12);
  for (const std::size_t n : {20U, 40U, 120U, 500U}) {
    for (const double similarity : {0.6, 0.7, 0.8, 0.9}) {
      const int k = neardup::distance_for(64, similarity, fingerprint_kind::minwise, 0.97);
      std::size_t found = 0, all = 0;
      while (all < 4000) {
        // The next similarity at or above the wanted one that sets of this size can have.
        const double place = static_cast<double>(random() % 1000) / 1000;
        if (static_cast<double>(random() % 1000) / 1000 >= 1 - 0.7 * place) continue;
        const double wanted = similarity + (1 - similarity) * place;
        const auto common = static_cast<std::size_t>(std::ceil(2 * wanted / (1 + wanted) * static_cast<double>(n)));
        neardup::minwise_sketch<64> a, b;
        std::vector<std::uint64_t> first(n), second(n);
        for (std::size_t i = 0; i < n; ++i) {
          first[i] = random();
          second[i] = i < common ? first[i] : random();
        }
        a.add(std::span<const std::uint64_t>(first));
        b.add(std::span<const std::uint64_t>(second));
        found += hamming_distance(*a.result(), *b.result()) <= k ? 1 : 0;
        ++all;
      }
      INFO(n << " features, similarity " << similarity << ", " << k << " bits");
      CHECK(static_cast<double>(found) / static_cast<double>(all) > 0.97 - 3 * std::sqrt(0.97 * 0.03 / 4000));
    }
  }
}
