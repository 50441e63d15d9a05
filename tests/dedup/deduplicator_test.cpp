// The deduplicators beyond the law (law_test.cpp): batches, ties, distances, what is refused, ids and memory.
#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <neardup/dedup/fingerprint_deduplicator.hpp>
#include <neardup/edits/edit_distance.hpp>
#include <neardup/fingerprint.hpp>
#include <neardup/sets/similarity.hpp>
#include <neardup/text.hpp>
#include <neardup/threads.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "oracle/random_engine.hpp"

namespace {

using namespace neardup;

// Types of checks that a user gives. Tests share them, so that deduplicators with such checks are compiled once.
using number_check = std::function<double(const std::uint32_t&, std::string_view)>;
using yes_check = std::function<bool(const std::uint32_t&, std::string_view)>;

/// Texts of any number of words, zero included, that repeat and vary each other.
class text_source {
 public:
  explicit text_source(std::uint64_t seed) : random_(seed) {}

  std::string next() {
    std::string text;
    if (earlier_.empty() || random_() % 3 == 0) {
      for (auto n = random_() % 5 == 0 ? random_() % 4 : random_() % 30; n > 0; --n) text += word();
    } else {
      text = earlier_[random_() % earlier_.size()];
      for (auto edits = random_() % 2 * (random_() % 5); edits > 0; --edits) {
        const std::size_t at = text.find(' ', random_() % (text.size() + 1));
        if (at == std::string::npos) {
          text += word();
        } else {
          text.replace(at, random_() % 2 == 0 ? 1 : text.find(' ', at + 1) - at, word());
        }
      }
    }
    if (random_() % 16 == 0) std::reverse(text.begin(), text.end());
    earlier_.push_back(text);
    return text;
  }

 private:
  std::string word() {
    return std::string(1, static_cast<char>('a' + random_() % 26)) + (random_() % 8 == 0 ? "x " : " ");
  }

  oracle::random_engine random_;
  std::vector<std::string> earlier_;
};

std::vector<std::string_view> views_of(const std::vector<std::string>& texts) { return {texts.begin(), texts.end()}; }

}  // namespace

TEST_CASE("equal sets are duplicates, however far apart their counts put them", "[deduplicator]") {
  fingerprint_deduplicator far{simhasher{words{}, tf{}}, jaccard{0.7}, {.distance = 2}};
  REQUIRE(far.add("a a a a b", 0).is_new());
  const auto found = far.add("a b b b b", 1);
  REQUIRE(found.original == 0U);
  REQUIRE(found.similarity == 1.0);
  REQUIRE(found.distance > 2);
}

TEST_CASE("the deduplicator with the features of another tokenizer", "[deduplicator]") {
  const auto check = [](const auto& hash, const auto& extract, std::uint64_t seed) {
    fingerprint_deduplicator dedup{hash, extract, jaccard{0.6}, {.distance = 14}};
    text_source source(seed);
    std::vector<std::string> kept;
    std::size_t duplicates = 0;
    for (std::uint32_t id = 0; id < 300; ++id) {
      const std::string text = source.next();
      if (!hash(text)) continue;
      verdict<std::uint32_t> expected;
      for (std::uint32_t i = 0; i < kept.size(); ++i) {
        const int distance = hamming_distance(*hash(kept[i]), *hash(text));
        const double similarity = jaccard_similarity(extract(kept[i]), extract(text));
        if (distance > 14 || similarity < 0.6 || similarity <= expected.similarity.value_or(0)) continue;
        expected.original = i;
        expected.distance = distance;
        expected.similarity = similarity;
      }
      REQUIRE(dedup.add(text, static_cast<std::uint32_t>(kept.size())) == expected);
      if (expected.is_new()) kept.push_back(text);
      duplicates += expected.is_new() ? 0 : 1;
    }
    REQUIRE(duplicates > 20);
  };
  check(simhasher{words{}}, feature_extractor{code_point_ngrams{3}}, 200);
  // The tokenizers of the fingerprint and of the features have one type, but another n. The deduplicator must not use
  // the tokens of the fingerprint as features.
  oracle::unless_sample(
      [&](auto) { check(simhasher{code_point_ngrams{3}}, feature_extractor{code_point_ngrams{2}}, 201); });
}

TEST_CASE("large batches give the verdicts of one document after the other", "[deduplicator]") {
  text_source source(11);
  std::vector<std::string> texts;
  while (texts.size() < oracle::effort(5000, 2000)) {
    // Crowds of equal texts, some of them short.
    texts.insert(texts.end(), texts.size() % 500 == 0 ? 400 : 1, source.next());
  }
  const yes_check yes_or_no = [&](std::uint32_t id, std::string_view text) {
    return texts[id].size() % 3 == text.size() % 3 && edit_similarity(texts[id], text) > 0.8;
  };
  const auto check_all = [&](const auto& make) {
    auto one_by_one = make(1.0);
    std::vector<verdict<std::uint32_t>> expected;
    for (const std::string& text : texts) expected.push_back(one_by_one.add(text));
    constexpr double joined = 0, by_cost = 1, searched = std::numeric_limits<double>::infinity();
    for (const auto& [size, join_cost] : {std::pair{texts.size(), joined},
                                          {std::size_t{700}, joined},
                                          {std::size_t{700}, by_cost},
                                          {texts.size(), searched},
                                          {std::size_t{1}, by_cost}}) {
      auto batched = make(join_cost);
      std::vector<verdict<std::uint32_t>> verdicts;
      for (std::size_t first = 0; first < texts.size(); first += size) {
        const auto all = views_of(texts);
        const auto some = std::span(all).subspan(first, std::min(size, all.size() - first));
        const auto found = batched.add_batch(some, threads{3});
        verdicts.insert(verdicts.end(), found.begin(), found.end());
      }
      REQUIRE(verdicts == expected);
      REQUIRE(batched.size() == one_by_one.size());
      REQUIRE(batched.added() == one_by_one.added());
      const std::string another = texts[17] + " and more";
      REQUIRE(batched.add(another) == one_by_one.find(another));
    }
  };
  const auto check_by = [&](const auto& hash) {
    check_all([&](double join_cost) {
      return fingerprint_deduplicator{hash, jaccard{0.7}, {.distance = 9, .join_cost = join_cost}};
    });
    check_all([&](double join_cost) {
      return fingerprint_deduplicator{hash, yes_or_no, bits{9}, {.join_cost = join_cost}};
    });
    check_all([&](double join_cost) {
      return fingerprint_deduplicator{hash, bits{5}, {.min_tokens = 6, .join_cost = join_cost}};
    });
  };
  check_by(simhasher{words{}});
  oracle::unless_sample([&](auto) { check_by(simhasher{words{}, tf{}}); });
}

TEST_CASE("a batch that is refused leaves a deduplicator as it was", "[deduplicator]") {
  bool fails = false;
  const yes_check yes = [&](std::uint32_t, std::string_view) {
    if (fails) throw std::runtime_error("no text");
    return true;
  };
  fingerprint_deduplicator dedup{simhasher{words{}}, yes, bits{14}};
  const std::vector<std::string_view> texts{"a b c d e f g h", "a b c d e f g h", "i j k l m n o p q"};
  const std::vector<std::uint32_t> ids{3, 4, 5};
  fails = true;
  REQUIRE_THROWS_AS(dedup.add_batch(texts, ids), std::runtime_error);
  fails = false;
  REQUIRE_THROWS_AS(dedup.add_batch(texts, std::vector<std::uint32_t>{3, 4}), std::invalid_argument);
  REQUIRE_THROWS_AS(dedup.add_batch(texts, std::vector<std::uint32_t>{3, 4, 3}), std::invalid_argument);
  REQUIRE(dedup.empty());
  REQUIRE(dedup.added() == 0);
  REQUIRE(dedup.add_batch({}, ids.empty() ? ids : std::vector<std::uint32_t>{}).empty());
  const auto verdicts = dedup.add_batch(texts, ids);
  REQUIRE(verdicts[0].is_new());
  REQUIRE(verdicts[1].original == 3U);
  REQUIRE(verdicts[2].is_new());
  REQUIRE_THROWS_AS(dedup.add_batch(texts, std::vector<std::uint32_t>{7, 8, 5}), std::invalid_argument);
  REQUIRE(dedup.size() == 2);
  REQUIRE(dedup.added() == 3);
  fingerprint_deduplicator narrow{simhasher{words{}}, bits{3}};
  static_assert(std::is_same_v<decltype(narrow.add_batch(texts)), std::vector<verdict<std::uint32_t>>>);
}

TEST_CASE("of equally similar originals the earliest is taken, whatever its id, slot and distance", "[deduplicator]") {
  const simhasher hash{words{}};
  double similarity = 0.1;
  const number_check check = [&](std::uint32_t, std::string_view) { return similarity; };
  fingerprint_deduplicator dedup{hash, at_least{0.5, check}, bits{40}};
  const std::string text = "one two three four five six seven eight nine ten eleven twelve";
  REQUIRE(dedup.add(text + " thirteen fourteen", 9).is_new());
  REQUIRE(dedup.add(text, 8).is_new());
  REQUIRE(dedup.add(text, 7).is_new());
  similarity = 0.5;
  REQUIRE(dedup.find(text).original == 9U);
  REQUIRE(dedup.find(text).distance > 0);
  REQUIRE(dedup.find(text).similarity == 0.5);
  // Document 6 reuses the slot of the erased document 9. Its age is that of its addition, not that of the slot.
  REQUIRE(dedup.erase(9));
  similarity = 0.1;
  REQUIRE(dedup.add(text, 6).is_new());
  similarity = 0.5;
  REQUIRE(dedup.find(text).original == 8U);
  REQUIRE(dedup.erase(8));
  REQUIRE(dedup.find(text).original == 7U);
}

TEST_CASE("the distance of a fingerprint_deduplicator follows from the similarity", "[deduplicator]") {
  const simhasher hash{words{}};
  REQUIRE(fingerprint_deduplicator{hash, bits{3}}.distance() == 3);
  REQUIRE(fingerprint_deduplicator{hash, bits{5}.in_blocks(3)}.kept().source().blocks() == 3);
  REQUIRE(fingerprint_deduplicator{hash, jaccard{0.9}}.similarity() == 0.9);
  REQUIRE(fingerprint_deduplicator{hash, jaccard{0.8}}.distance() ==
          distance_for(64, 0.8, fingerprint_kind::simhash, 0.97));
  REQUIRE(fingerprint_deduplicator{hash, jaccard{0.9}}.distance() ==
          distance_for(64, 0.9, fingerprint_kind::simhash, 0.97));
  REQUIRE(fingerprint_deduplicator{hash, jaccard{0.9}, {.recall = 0.5}}.distance() ==
          distance_for(64, 0.9, fingerprint_kind::simhash, 0.5));
  REQUIRE(fingerprint_deduplicator{hash, jaccard{0.9}, {.distance = 5}}.distance() == 5);
  REQUIRE(fingerprint_deduplicator{hash, jaccard{0.9}, {.distance = bits{5}.in_blocks(3)}}.kept().source().blocks() ==
          3);
  REQUIRE(fingerprint_deduplicator{make_simhasher<16>(words{}), jaccard{0.01}, {.recall = 1}}.distance() == 15);
  const fingerprint_dedup_options options{.distance = 4};
  REQUIRE(fingerprint_deduplicator{hash, jaccard{0.9}, options}.distance() == 4);
  const number_check one = [](std::uint32_t, std::string_view) { return 1.0; };
  REQUIRE(fingerprint_deduplicator{hash, at_least{-7, one}, bits{3}}.similarity() == -7);

  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double wrong : {0.0, -0.5, 1.01, nan}) {
    REQUIRE_THROWS_AS((fingerprint_deduplicator{hash, jaccard{wrong}, {.distance = 5}}), std::invalid_argument);
    REQUIRE_THROWS_AS((fingerprint_deduplicator{hash, jaccard{wrong}}), std::invalid_argument);
    REQUIRE_THROWS_AS((fingerprint_deduplicator{hash, feature_extractor{words{}}, jaccard{wrong}, {.distance = 5}}),
                      std::invalid_argument);
    REQUIRE_THROWS_AS(deduplicator{jaccard{wrong}}, std::invalid_argument);
    REQUIRE_THROWS_AS(deduplicator{cosine{wrong}}, std::invalid_argument);
  }
  REQUIRE_THROWS_AS((fingerprint_deduplicator{hash, jaccard{0.8}, {.recall = nan}}), std::invalid_argument);
  REQUIRE_THROWS_AS((fingerprint_deduplicator{hash, jaccard{0.8}, {.distance = 5, .recall = nan}}),
                    std::invalid_argument);
  REQUIRE_THROWS_AS((fingerprint_deduplicator{hash, jaccard{0.8}, {.distance = 5, .recall = 1.5}}),
                    std::invalid_argument);
  REQUIRE_THROWS_AS((fingerprint_deduplicator{hash, jaccard{0.8, 3}}), std::invalid_argument);
  REQUIRE_THROWS_AS((fingerprint_deduplicator{hash, bits{3}, {.distance = 5}}), std::invalid_argument);
  REQUIRE_THROWS_AS((fingerprint_deduplicator{hash, bits{3}, {.recall = 0.9}}), std::invalid_argument);
  REQUIRE_THROWS_AS((fingerprint_deduplicator{hash, bits{-1}}), std::invalid_argument);
  REQUIRE_THROWS_AS((fingerprint_deduplicator{hash, bits{64}}), std::invalid_argument);
  REQUIRE_THROWS_AS((fingerprint_deduplicator{hash, bits{3}.in_blocks(65)}), std::invalid_argument);
  REQUIRE_THROWS_AS((fingerprint_deduplicator{hash, bits{3}, {.join_cost = nan}}), std::invalid_argument);
  REQUIRE_THROWS_AS((fingerprint_deduplicator{hash, bits{3}, {.join_cost = -1}}), std::invalid_argument);
}

TEST_CASE("a check that says yes or no takes the nearest that it accepts", "[deduplicator]") {
  const simhasher hash{words{}};
  std::set<std::uint32_t> refused;
  std::size_t calls = 0;
  const yes_check accepts = [&](std::uint32_t id, std::string_view) {
    ++calls;
    return !refused.contains(id);
  };
  fingerprint_deduplicator dedup{hash, accepts, bits{63}};
  const std::string text = "one two three four five six seven eight nine ten";
  REQUIRE(dedup.add(text + " eleven", 5).is_new());
  refused = {5};
  REQUIRE(dedup.add(text, 6).is_new());
  refused = {};
  calls = 0;
  const auto nearest = dedup.find(text);
  REQUIRE(nearest.original == 6U);
  REQUIRE(!nearest.similarity);
  REQUIRE(calls == 1);
  refused = {6};
  REQUIRE(dedup.find(text).original == 5U);
  refused = {5, 6};
  REQUIRE(dedup.find(text).is_new());
}

TEST_CASE("a text without tokens is new, counted, and kept nowhere", "[deduplicator]") {
  deduplicator dedup{feature_extractor{words{}}, jaccard{0.8}};
  for (std::uint64_t count = 1; count <= 3; ++count) {
    const auto result = dedup.add("...");
    REQUIRE(result.is_new());
    REQUIRE(!result.is_comparable);
    REQUIRE(dedup.added() == count);
  }
  REQUIRE(dedup.empty());
  REQUIRE(!dedup.contains(0));
  REQUIRE(dedup.add("a word", 0).is_new());
}

TEST_CASE("the smallest texts, without a check, are duplicates of nothing but their like", "[deduplicator]") {
  fingerprint_deduplicator dedup{simhasher{words{}}, bits{63}};
  REQUIRE(dedup.add("a").is_new());
  REQUIRE(dedup.add("b").is_new());
  REQUIRE(dedup.add("a b").is_new());
  REQUIRE(dedup.add("b a b").original == 2U);
  REQUIRE(dedup.add("a b c d e f g h").is_new());
  REQUIRE(dedup.add("a b c d e f g").is_new());
  REQUIRE(dedup.add("i j k l m n o p").original == 4U);  // 8 tokens: any fingerprint is within 63 bits
  REQUIRE(dedup.erase(2));
  REQUIRE(dedup.add("a b").is_new());
}

TEST_CASE("what a deduplicator refuses leaves it as it was", "[deduplicator]") {
  const std::string text = "one two three four five six seven eight nine ten";
  double similarity = 0;
  bool fails = false;
  const number_check check = [&](std::uint32_t, std::string_view) {
    if (fails) throw std::runtime_error("no text");
    return similarity;
  };
  fingerprint_deduplicator dedup{simhasher{words{}}, at_least{0.8, check}, bits{14}};
  dedup.add(text, 5);
  REQUIRE_THROWS_AS(dedup.add("something else", 5), std::invalid_argument);
  similarity = std::numeric_limits<double>::quiet_NaN();
  REQUIRE_THROWS_AS(dedup.add(text, 6), std::invalid_argument);
  fails = true;
  REQUIRE_THROWS_AS(dedup.add(text, 6), std::runtime_error);
  REQUIRE(dedup.size() == 1);
  REQUIRE(dedup.added() == 1);
  fails = false;
  similarity = 0.9;
  REQUIRE(dedup.add(text, 6).original == 5U);
  REQUIRE(!dedup.erase(6));
  REQUIRE(dedup.erase(5));
  REQUIRE(!dedup.erase(5));
  REQUIRE(dedup.add(text, 5).is_new());
}

namespace {

struct page {
  std::uint32_t site = 0, number = 0;
  auto operator<=>(const page&) const = default;
};

}  // namespace

TEST_CASE("ids of a deduplicator are the user's, and numbers have an end", "[deduplicator]") {
  using simhasher_type = simhasher<words>;
  fingerprint_deduplicator<simhasher_type, no_check, page> dedup{simhasher_type{}, bits{3}};
  REQUIRE(dedup.add("a b c d e f g h i", {.site = 2, .number = 7}).is_new());
  REQUIRE(dedup.add("a b c d e f g h i", {.site = 1, .number = 3}).original == page{.site = 2, .number = 7});
  REQUIRE(dedup.erase({.site = 2, .number = 7}));

  oracle::unless_sample([](auto) {
    fingerprint_deduplicator<simhasher_type, no_check, std::uint8_t> few{simhasher_type{}, bits{3}};
    for (int i = 0; i < 256; ++i) REQUIRE(few.add("word" + std::to_string(i)).is_new());
    REQUIRE_THROWS_AS(few.add("word"), std::length_error);
    const std::vector<std::string_view> one_more{"word"};
    REQUIRE_THROWS_AS(few.add_batch(one_more), std::length_error);
    REQUIRE(few.add_batch({}).empty());
    REQUIRE(few.added() == 256);
    REQUIRE(few.find("word255").original == 255);
  });
}

TEST_CASE("a deduplicator can be moved, and tells its memory", "[deduplicator]") {
  const feature_extractor extract{words{}};
  deduplicator first{extract, jaccard{0.8}};
  const std::size_t empty = first.memory_usage();
  first.add("one two three four five six seven eight nine ten");
  REQUIRE(first.memory_usage() >= empty + 10 * sizeof(std::uint32_t));
  deduplicator second = std::move(first);
  REQUIRE(second.add("one two three four five six seven eight nine ten").original == 0U);
  first = deduplicator{extract, jaccard{0.8}};
  REQUIRE(first.add("one two three four five six seven eight nine ten").is_new());
}

TEST_CASE("memory of erased documents is used again", "[deduplicator]") {
  deduplicator dedup{feature_extractor{words{}}, jaccard{0.8}};
  text_source texts(9);
  std::size_t largest = 0;
  for (std::uint32_t id = 0; id < 20000; ++id) {
    dedup.add(texts.next(), id);
    if (id >= 100) dedup.erase(id - 100);
    if (id == 2000) largest = dedup.memory_usage();
    if (id > 2000) REQUIRE(dedup.memory_usage() < 2 * largest);
  }
}
