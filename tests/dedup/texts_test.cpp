// Joins and groups of texts give the same as joins and groups of the texts' features.
#include <neardup/dedup/texts.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <stdexcept>
#include <string>
#include <vector>

#include <neardup/edits/pairs.hpp>
#include <neardup/fingerprint/defaults.hpp>
#include <neardup/sets/similarity.hpp>
#include <neardup/text/ngrams.hpp>
#include <neardup/threads.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "oracle/random_engine.hpp"

namespace {

using namespace neardup;
using pair_type = similar_pair<std::uint32_t>;

/// Random texts of words; many are earlier texts with some words replaced, some are equal, empty or of one word.
std::vector<std::string> draw_texts(std::size_t count, oracle::random_engine& random) {
  std::vector<std::vector<std::size_t>> words;
  std::vector<std::string> texts;
  while (texts.size() < count) {
    std::vector<std::size_t> text(random() % 9 == 0 ? random() % 2 : 10 + random() % 30);
    for (std::size_t& word : text) word = random() % 500;
    if (!words.empty() && random() % 2 == 0) {
      text = words[random() % words.size()];
      for (std::size_t& word : text) word = random() % 30 == 0 ? random() % 500 : word;
    }
    std::string joined;
    for (const std::size_t word : text) joined += 'w' + std::to_string(word) + ' ';
    words.push_back(text);
    texts.push_back(joined);
  }
  return texts;
}

/// The features of each text.
template <class Extractor>
auto sets_of(const Extractor& extract, const std::vector<std::string>& texts) {
  std::vector<std::vector<typename Extractor::feature_type>> sets;
  for (const std::string& text : texts) sets.push_back(extract(text));
  return sets;
}

const std::vector<set_threshold> thresholds{jaccard{0.6}, cosine{0.8}, containment{0.8, 3}};

}  // namespace

TEST_CASE("texts that differ in capitals of any script have the same default features", "[dedup][texts]") {
  const std::vector<std::string> texts{"L'\u00c9T\u00c9 \u00c0 N\u00ceMES EST D\u00c9J\u00c0 L\u00c0",
                                       "l'\u00e9t\u00e9 \u00e0 n\u00eemes est d\u00e9j\u00e0 l\u00e0",
                                       "\u0412\u0421\u0415 \u0421\u0427\u0410\u0421\u0422\u041b\u0418\u0412\u042b",
                                       "\u0432\u0441\u0435 \u0441\u0447\u0430\u0441\u0442\u043b\u0438\u0432\u044b"};
  CHECK(near_duplicates(texts[0], texts[1], jaccard{1}));
  CHECK(group(texts, jaccard{1}) == std::vector<std::uint32_t>{0, 0, 2, 2});
}

TEST_CASE("pairs and groups of texts are those of the sets of their features", "[dedup][texts]") {
  oracle::random_engine random(31);
  const std::vector<std::string> texts = draw_texts(oracle::effort(900, 300), random);
  const std::vector<std::string> first(texts.begin(), texts.begin() + 100), rest(texts.begin() + 100, texts.end());
  const feature_extractor<default_tokenizer> words;
  const feature_extractor<code_point_ngrams, xxh3<64>, std::uint64_t> letters{code_point_ngrams{4}};
  const auto by_words = sets_of(words, texts);
  const auto by_letters = sets_of(letters, texts);
  std::size_t found = 0;
  for (const set_threshold& least : thresholds) {
    for (const std::size_t parts : {1U, 3U}) {
      const join_options how{.run = threads{parts}};
      const group_options groups{.run = threads{parts}};
      CAPTURE(static_cast<int>(least.measure), parts);
      const std::vector<pair_type> expected = pairs(by_words, least);
      found += expected.size();
      REQUIRE(pairs(texts, least, how) == expected);
      REQUIRE(pairs(texts, least, words, how) == expected);
      REQUIRE(pairs(texts, least, letters, how) == pairs(by_letters, least));
      REQUIRE(pairs(first, rest, least, how) == pairs(sets_of(words, first), sets_of(words, rest), least));
      REQUIRE(pairs(first, rest, least, letters, how) == pairs(sets_of(letters, first), sets_of(letters, rest), least));
      REQUIRE(group(texts, least, groups) == group(by_words, least));
      REQUIRE(group(texts, least, letters, groups) == group(by_letters, least));
      REQUIRE(extend_groups(first, rest, least, groups) ==
              extend_groups(sets_of(words, first), sets_of(words, rest), least));
      REQUIRE(extend_groups(first, rest, least, letters, groups) ==
              extend_groups(sets_of(letters, first), sets_of(letters, rest), least));
      std::size_t visits = 0, across = 0;
      visit_pairs(
          texts, least, [&](const similar_pair<std::size_t>&) { ++visits; }, how);
      visit_pairs(
          first, rest, least, words, [&](const similar_pair<std::size_t>&) { ++across; }, how);
      REQUIRE(visits == expected.size());
      REQUIRE(across == pairs(first, rest, least).size());
    }
  }
  REQUIRE(found > 100);
}

TEST_CASE("the measures are types at the door, and any container of texts will do", "[dedup][texts]") {
  const std::deque<std::string> texts{"one two three four five", "something else entirely, at some length",
                                      "one two three four five", ""};
  CHECK(group(texts, jaccard{0.8}) == std::vector<std::uint32_t>{0, 1, 0, 3});
  CHECK(group<std::uint64_t>(texts, cosine{1}) == std::vector<std::uint64_t>{0, 1, 0, 3});
  CHECK(pairs(texts, jaccard{0.8}) == std::vector<pair_type>{{0, 2, 4, 1.0}});
  CHECK(pairs(texts, edit{0.8}).size() == 1);
  CHECK(pairs(std::deque<std::string>(), jaccard{0.8}).empty());
}

TEST_CASE("two texts are near-duplicates by the measure that is named", "[dedup][texts]") {
  const std::string a = "the quick brown fox jumps over the lazy dog in the garden",
                    b = "The quick brown fox jumps over the lazy cat in the garden",
                    part = "brown fox jumps over the lazy";
  const feature_extractor<default_tokenizer> words;
  const double similarity = jaccard_similarity(words(a), words(b));
  CHECK((similarity > 0.5 && similarity < 0.8));
  CHECK(near_duplicates(a, b, jaccard{similarity}));
  CHECK_FALSE(near_duplicates(a, b, jaccard{std::nextafter(similarity, 1.0)}));
  CHECK(near_duplicates(a, b, cosine{0.8}));
  CHECK(near_duplicates(a, part, containment{.similarity = 1, .min_common = 5}));
  CHECK_FALSE(near_duplicates(a, part, containment{1}));  // fewer than default_min_contained
  CHECK_FALSE(near_duplicates(a, b, set_threshold{set_similarity::jaccard, 0.1, 100}));
  CHECK_FALSE(near_duplicates("", "", jaccard{0.8}));
  CHECK(near_duplicates("abcdefgh", "abcdefg", jaccard{0.5}, feature_extractor{code_point_ngrams{3}}));
  CHECK(near_duplicates(a, a, bits{0}));
  for (const double wrong : {0.0, 1.5, std::nan("")}) {
    CHECK_THROWS_AS(near_duplicates(a, b, jaccard{wrong}), std::invalid_argument);
    CHECK_THROWS_AS(pairs(std::vector<std::string>{a, b}, cosine{wrong}), std::invalid_argument);
    CHECK_THROWS_AS(group(std::vector<std::string>{a, b}, jaccard{wrong}), std::invalid_argument);
    CHECK_THROWS_AS(visit_pairs(std::vector<std::string>(), jaccard{wrong}, [](const similar_pair<std::size_t>&) {}),
                    std::invalid_argument);
  }
}
