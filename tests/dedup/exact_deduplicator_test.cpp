// The exact deduplicator against a model that compares each document with all kept ones.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <neardup/dedup.hpp>
#include <neardup/fingerprint.hpp>
#include <neardup/storage.hpp>
#include <neardup/text.hpp>
#include <neardup/threads.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "oracle/random_engine.hpp"
#include "oracle/stopwatch.hpp"
#include "support/temporary_folder.hpp"

namespace {

using neardup::deduplicator;
using neardup::normalised;
using neardup::simhasher;
using neardup::verdict;
using neardup::words;

/// The model: compares each set with all kept sets; the original is the most similar, then the earliest.
class slow_deduplicator {
 public:
  explicit slow_deduplicator(double similarity) : similarity_(similarity) {}

  template <class Description>
  verdict<std::uint32_t> add(const Description& document, std::uint32_t id) {
    verdict<std::uint32_t> result = find(document);
    if (result.is_new() && !document.features.empty()) {
      kept_.emplace(added_, entry{id, {document.features.begin(), document.features.end()}});
    }
    ++added_;
    return result;
  }
  template <class Description>
  [[nodiscard]] verdict<std::uint32_t> find(const Description& document) const {
    verdict<std::uint32_t> result;
    result.is_comparable = !document.features.empty();
    if (!result.is_comparable) return result;
    std::optional<double> best;
    for (const auto& [serial, kept] : kept_) {
      const double similarity = neardup::jaccard_similarity(kept.features, document.features);
      if (similarity < similarity_) continue;
      if (best && similarity <= *best) continue;
      best = similarity;
      result.original = kept.id;
      result.similarity = similarity;
    }
    return result;
  }
  void erase(std::uint32_t id) {
    std::erase_if(kept_, [=](const auto& one) { return one.second.id == id; });
  }
  [[nodiscard]] std::size_t size() const { return kept_.size(); }

 private:
  struct entry {
    std::uint32_t id;
    std::vector<std::uint32_t> features;
  };
  double similarity_;
  std::uint64_t added_ = 0;
  std::map<std::uint64_t, entry> kept_;  // by serial number
};

enum class corpus_shape { mixed, few_words, long_texts, copies, of_a_template, phrase_comes_late, tiny };

std::string drawn_text(corpus_shape form, std::size_t i, std::mt19937_64& random, std::vector<std::string>& made) {
  const auto word = [&](std::size_t vocabulary) { return "w" + std::to_string(random() % vocabulary) + " "; };
  std::string text;
  const auto add_words = [&](std::size_t count, std::size_t vocabulary) {
    for (; count > 0; --count) text += word(vocabulary);
  };
  switch (form) {
    case corpus_shape::mixed: add_words(5 + random() % 60, 3000); break;
    case corpus_shape::few_words: add_words(10 + random() % 30, 60); break;
    case corpus_shape::long_texts: add_words(300 + random() % 500, 20000); break;
    case corpus_shape::copies: add_words(20, 500); break;
    case corpus_shape::of_a_template:
      for (int part = 0; part < 45; ++part) text += "t" + std::to_string(part) + " ";
      add_words(4, 100000);
      break;
    case corpus_shape::phrase_comes_late:
      if (i > 150) text = "from now on this stands in front of every text ";
      add_words(20, 3000);
      break;
    case corpus_shape::tiny: add_words(random() % 4, 12); break;
  }
  if (!made.empty() && random() % 3 == 0) {
    text = made[random() % made.size()];
    for (std::uint64_t edits = random() % 6; edits > 0; --edits) {
      const std::size_t at = text.find(' ', random() % (text.size() + 1));
      if (at != std::string::npos) text.insert(at, " " + word(100000));
    }
  }
  made.push_back(text);
  return text;
}

constexpr std::uint32_t count_of_ids = 1U << 20;

}  // namespace

TEST_CASE("an exact deduplicator decides as one that compares everything", "[exact]") {
  for (const corpus_shape form :
       {corpus_shape::mixed, corpus_shape::few_words, corpus_shape::long_texts, corpus_shape::copies,
        corpus_shape::of_a_template, corpus_shape::phrase_comes_late, corpus_shape::tiny}) {
    for (const double similarity : {0.3, 0.8, 0.95, 1.0}) {
      oracle::random_engine random(static_cast<std::uint64_t>(form) + 7);
      const simhasher hash{normalised{words{}}};
      deduplicator fast{hash, {.similarity = similarity, .min_tokens = 0, .exact = true}};
      slow_deduplicator slow(similarity);
      decltype(fast)::workspace scratch;
      std::vector<std::string> made;
      std::size_t duplicates = 0;
      const auto count =
          static_cast<std::uint32_t>(oracle::effort(form == corpus_shape::long_texts ? 300U : 900U, 400U, 100U));
      for (std::uint32_t i = 0; i < count; ++i) {
        const auto document = fast.describe(drawn_text(form, i, random, made), scratch);
        REQUIRE(fast.find(document, scratch) == slow.find(document));
        const auto found = fast.add(document, i);
        REQUIRE(found == slow.add(document, i));
        duplicates += found.is_new() ? 0 : 1;
        if (random() % 8 == 0) {
          const auto gone = static_cast<std::uint32_t>(random() % (i + 1));
          fast.erase(gone);
          slow.erase(gone);
        }
        if (i % 200 == 199) fast.shrink_to_fit();
        REQUIRE(fast.size() == slow.size());
      }
      INFO(static_cast<int>(form) << " " << similarity);
      CHECK(duplicates > 0);
    }
  }
}

TEST_CASE("candidates by features hold all similar sets, however postings lie", "[exact]") {
  struct document {
    std::vector<std::uint32_t> features;
  };
  using neardup::set_similarity;
  const auto cosine = [](const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
    std::vector<std::uint32_t> common;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common));
    return static_cast<double>(common.size()) /
           std::sqrt(static_cast<double>(a.size()) * static_cast<double>(b.size()));
  };
  const std::vector<std::pair<std::size_t, set_similarity>> settings{{1, set_similarity::jaccard},
                                                                     {4, set_similarity::jaccard},
                                                                     {2048, set_similarity::jaccard},
                                                                     {4, set_similarity::cosine},
                                                                     {2048, set_similarity::cosine}};
  for (const auto& [max_in_row, by] : settings) {
    for (const std::uint32_t vocabulary : {40U, 300U, 100000U}) {
      oracle::random_engine random(max_in_row + vocabulary);
      neardup::feature_candidates source(0.6, max_in_row, by);
      decltype(source)::workspace scratch;
      std::map<std::uint32_t, document> kept;
      // `features_of` also answers for documents that were erased or never kept.
      std::vector<document> all;
      const auto features_of = [&](std::uint32_t number) {
        return std::span<const std::uint32_t>(all[number].features);
      };
      std::size_t candidates = 0, similar = 0;
      const auto count = static_cast<std::uint32_t>(oracle::effort(1500U, 500U, 150U));
      for (std::uint32_t i = 0; i < count; ++i) {
        document next;
        if (!kept.empty() && random() % 2 == 0)
          next = std::next(kept.begin(), static_cast<std::ptrdiff_t>(random() % kept.size()))->second;
        for (std::uint64_t more = random() % (next.features.empty() ? 40 : 5); more > 0; --more) {
          next.features.push_back(static_cast<std::uint32_t>(random() % vocabulary * 2654435761U));
        }
        std::sort(next.features.begin(), next.features.end());
        next.features.erase(std::unique(next.features.begin(), next.features.end()), next.features.end());
        std::vector<std::uint32_t> met;
        source.for_each(next, scratch, [&](std::uint32_t number) { met.push_back(number); });
        REQUIRE(std::adjacent_find(met.begin(), met.end(), std::greater_equal<>()) == met.end());
        candidates += met.size();
        for (const auto& [number, other] : kept) {
          if (next.features.empty()) continue;
          const double similarity = by == set_similarity::jaccard
                                        ? neardup::jaccard_similarity(next.features, other.features)
                                        : cosine(next.features, other.features);
          if (similarity < 0.6) continue;
          ++similar;
          REQUIRE(std::binary_search(met.begin(), met.end(), number));
        }
        for (const std::uint32_t number : met) REQUIRE(kept.contains(number));
        all.push_back(next);
        if (random() % 8 != 0) {
          source.insert(next, i, features_of);
          if (!next.features.empty()) kept.emplace(i, next);
        }
        if (random() % 4 == 0 && !kept.empty()) {
          const auto gone = std::next(kept.begin(), static_cast<std::ptrdiff_t>(random() % kept.size()));
          source.erase(gone->second, gone->first);
          kept.erase(gone);
        }
      }
      CHECK(similar > 50);
      CHECK(candidates >= similar);
      CHECK(source.memory_usage() > 0);
    }
  }
}

TEST_CASE("candidates by features that are added again with others are found by these", "[exact]") {
  struct of_features {
    std::vector<std::uint32_t> features;
  };
  for (const std::size_t max_in_row : {std::size_t{1}, std::size_t{4}, std::size_t{2048}}) {
    for (const std::size_t expected : {std::size_t{0}, std::size_t{100}}) {
      oracle::random_engine random(max_in_row + expected);
      std::vector<of_features> now(100);  // by number; empty once erased
      const auto features_of = [&](std::uint32_t number) {
        return std::span<const std::uint32_t>(now[number].features);
      };
      const auto drawn = [&] {
        std::vector<std::uint32_t> features = now[random() % now.size()].features;
        while (features.size() < 5 || random() % 4 != 0) features.push_back(static_cast<std::uint32_t>(random() % 50));
        std::sort(features.begin(), features.end());
        features.erase(std::unique(features.begin(), features.end()), features.end());
        if (features.size() > 30) features.resize(30);
        return features;
      };
      neardup::feature_candidates source(0.6, max_in_row);
      decltype(source)::workspace scratch;
      std::vector<std::uint32_t> numbers(expected);
      for (std::uint32_t i = 0; i < expected; ++i) {
        numbers[i] = i;
        now[i].features = drawn();
      }
      source.learn_from(numbers, features_of);
      for (const std::uint32_t number : numbers) source.insert(now[number], number, features_of);
      const std::size_t memory = source.memory_usage();
      std::size_t similar = 0, candidates = 0;
      for (int step = 0; step < 3000; ++step) {
        const auto number = static_cast<std::uint32_t>(random() % now.size());
        switch (random() % 4) {
          case 0:  // somebody else took it away
            now[number].features.clear();
            break;
          case 1:
            source.erase(now[number], number);
            now[number].features.clear();
            break;
          default: now[number].features = drawn(); source.insert(now[number], number, features_of);
        }
        const of_features asked{drawn()};
        std::vector<std::uint32_t> met;
        source.for_each(asked, scratch, [&](std::uint32_t one) { met.push_back(one); });
        REQUIRE(std::adjacent_find(met.begin(), met.end(), std::greater_equal<>()) == met.end());
        candidates += met.size();
        for (std::uint32_t i = 0; i < now.size(); ++i) {
          if (now[i].features.empty() || neardup::jaccard_similarity(asked.features, now[i].features) < 0.6) continue;
          ++similar;
          REQUIRE(std::binary_search(met.begin(), met.end(), i));
        }
      }
      CHECK(similar > 100);
      CHECK(candidates < 3000 * now.size() / 2);
      // Learning the order drops features that no kept document has.
      CHECK(source.memory_usage() < 20 * (memory + 10000));
    }
  }
}

TEST_CASE("batches of an exact deduplicator give the verdicts of one after the other", "[exact]") {
  for (const corpus_shape form : {corpus_shape::mixed, corpus_shape::few_words, corpus_shape::copies,
                                  corpus_shape::of_a_template, corpus_shape::tiny}) {
    oracle::random_engine random(3);
    const simhasher hash{normalised{words{}}};
    const neardup::dedup_options options{.similarity = 0.7, .exact = true};
    deduplicator singly{hash, options}, in_batches{hash, options};
    std::vector<std::string> made;
    for (std::size_t batch = 0; batch < 5; ++batch) {
      std::vector<std::string> texts;
      for (std::size_t i = 0; i < 120; ++i) texts.push_back(drawn_text(form, i, random, made));
      const auto verdicts = in_batches.add_batch(texts, neardup::threads{2});
      for (std::size_t i = 0; i < texts.size(); ++i) REQUIRE(verdicts[i] == singly.add(texts[i]));
      // Erasures make slots and numbers by age differ.
      for (int i = 0; i < 30; ++i) {
        const auto id = static_cast<std::uint32_t>(random() % (120 * (batch + 1)));
        REQUIRE(in_batches.erase(id) == singly.erase(id));
      }
      if (batch == 2) in_batches.shrink_to_fit();
    }
    REQUIRE(in_batches.size() == singly.size());
  }
}

TEST_CASE("a document that is replaced is no original any more, exactly", "[exact]") {
  deduplicator dedup{simhasher{words{}}, {.similarity = 0.8, .exact = true}};
  const std::string text = "one two three four five six seven eight nine ten eleven twelve";
  CHECK(dedup.add(text, 5).is_new());
  CHECK(dedup.find(text + " more").original == std::optional<std::uint32_t>(5));
  CHECK(dedup.replace("quite another text of some other words that nobody has", 5).is_new());
  CHECK(dedup.find(text + " more").is_new());
  CHECK(dedup.is_exact());
  CHECK(!dedup.distance());
  CHECK(dedup.options().exact == std::optional(true));
  CHECK(!dedup.options().distance);
}

TEST_CASE("options that do not go with exact are refused", "[exact]") {
  const simhasher hash{words{}};
  const auto refused = [](const auto& make) { CHECK_THROWS_AS(make(), std::invalid_argument); };
  refused([&] { return deduplicator{hash, {.distance = 3, .exact = true}}; });
  refused([&] { return deduplicator{hash, {.recall = 0.9, .exact = true}}; });
  refused([&] { return deduplicator{hash, {.blocks = 4, .exact = true}}; });
  refused([&] { return deduplicator{hash, {.similarity = 0.0, .exact = true}}; });
  refused([&] { return deduplicator{hash, {.similarity = 1.1, .exact = true}}; });
  refused([&] { return deduplicator{hash, neardup::no_check{}, {.exact = true}}; });
  const neardup::feature_extractor<words, neardup::xxh3<64>, std::uint64_t> wide;
  refused([&] { return deduplicator{hash, wide, {.exact = true}}; });
  CHECK(deduplicator{hash, wide, {.similarity = 0.5}}.add("some words").is_new());
  const auto by_length = [](std::uint32_t, std::string_view text) { return text.size() > 3; };
  refused([&] { return deduplicator{hash, by_length, {.exact = true}}; });
}

TEST_CASE("a deduplicator is exact where it can be, and no option speaks against it", "[exact]") {
  const simhasher hash{words{}};
  const auto is_exact = [](const auto& dedup) {
    CHECK(dedup.options().exact == std::optional(dedup.is_exact()));
    CHECK(dedup.describer()->has_fingerprints() != dedup.is_exact());
    return dedup.is_exact();
  };
  CHECK(is_exact(deduplicator{hash}));
  CHECK(is_exact(deduplicator{hash, {.similarity = 0.3}}));
  CHECK(is_exact(deduplicator{neardup::minwise_hasher{words{}}, {.similarity = 0.9}}));
  CHECK(is_exact(deduplicator{hash, neardup::feature_extractor{normalised{words{}}}}));
  CHECK_FALSE(is_exact(deduplicator{hash, {.distance = 3}}));
  CHECK_FALSE(is_exact(deduplicator{hash, {.recall = 0.99}}));
  CHECK_FALSE(is_exact(deduplicator{hash, {.blocks = 5}}));
  CHECK_FALSE(is_exact(deduplicator{hash, {.exact = false}}));
  CHECK_FALSE(is_exact(deduplicator{hash, neardup::no_check{}}));
  CHECK_FALSE(is_exact(deduplicator{hash, [](std::uint32_t, std::string_view) { return true; }}));
  CHECK_FALSE(is_exact(deduplicator{hash, neardup::feature_extractor<words, neardup::xxh3<64>, std::uint64_t>{}}));
  // Options as a deduplicator reports them make an equal deduplicator.
  CHECK(deduplicator{hash, deduplicator{hash}.options()}.options().exact == std::optional(true));
  const neardup::dedup_options near = deduplicator{hash, {.distance = 9, .blocks = 5}}.options();
  CHECK(deduplicator{hash, near}.options().distance == std::optional(9));
  CHECK(deduplicator{hash, near}.options().blocks == 5);
}

TEST_CASE("a deduplicator that was saved with a distance is not opened as an exact one", "[exact]") {
  const support::temporary_folder folder;
  const simhasher hash{normalised{words{}}};
  const auto made_of = neardup::composition_of(hash);
  const neardup::dedup_options by_distance{.similarity = 0.7, .exact = false}, open{.similarity = 0.7};
  const auto refused = [&](const auto& make) {
    std::string said;
    try {
      make();
    } catch (const std::invalid_argument& e) {
      said = e.what();
    }
    CHECK(said.find("saved with a distance of") != std::string::npos);
    CHECK(said.find("not exact comparison") != std::string::npos);
  };
  deduplicator dedup{hash, by_distance};
  neardup::save(folder / "saved", dedup, made_of);
  refused([&] { return neardup::restore(folder / "saved", deduplicator{hash, open}, made_of); });
  { const neardup::durable_deduplicator durable(folder / "durable", deduplicator{hash, by_distance}, made_of); }
  refused([&] { return neardup::durable_deduplicator(folder / "durable", deduplicator{hash, open}, made_of); });
  CHECK_NOTHROW(neardup::durable_deduplicator(folder / "durable", deduplicator{hash, by_distance}, made_of));
}

TEST_CASE("a description for fingerprints is one for an exact deduplicator, too", "[exact]") {
  const simhasher hash{words{}};
  deduplicator exact{hash};
  deduplicator by_distance{hash, {.distance = 3}};
  decltype(exact)::workspace scratch;
  const std::string text = "one two three four five six seven eight nine ten";
  const auto with_both = by_distance.describe(text, scratch);
  REQUIRE(with_both.fingerprint);
  CHECK(exact.add(with_both, 1).is_new());
  decltype(exact)::workspace other;
  const auto features = exact.describe(text, other);
  CHECK_FALSE(features.fingerprint);
  CHECK_FALSE(features.digest);
  CHECK(exact.add(features, 2).original == std::optional<std::uint32_t>(1));
  // A deduplicator by fingerprints cannot compare a document that has none.
  CHECK_FALSE(by_distance.add(features, 1).is_comparable);
  CHECK(by_distance.size() == 0);
  CHECK_THROWS_AS(by_distance.keep(1, features, 1), std::invalid_argument);
  CHECK_THROWS_AS(exact.keep(3, exact.describe("", other), 9), std::invalid_argument);
}

TEST_CASE("an exact deduplicator is saved as what it is", "[exact]") {
  const auto folder = std::filesystem::temp_directory_path() / "neardup_exact_deduplicator_test";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const std::string path = (folder / "kept.nd").string();
  const simhasher hash{normalised{words{}}};
  const auto made_of = neardup::composition_of(hash);
  deduplicator dedup{hash, {.similarity = 0.7, .exact = true}};
  oracle::random_engine random(11);
  std::vector<std::string> made;
  for (std::size_t i = 0; i < 300; ++i) dedup.add(drawn_text(corpus_shape::mixed, i, random, made));
  neardup::save(path, dedup, made_of);
  auto again = neardup::restore(path, deduplicator{hash, {.similarity = 0.7, .exact = true}}, made_of);
  REQUIRE(again.size() == dedup.size());
  for (std::size_t i = 0; i < 300; ++i) {
    const std::string text = drawn_text(corpus_shape::mixed, i, random, made);
    REQUIRE(again.add(text) == dedup.add(text));
  }
  std::string said;
  try {
    static_cast<void>(neardup::restore(path, deduplicator{hash, {.similarity = 0.7, .exact = false}}, made_of));
  } catch (const std::invalid_argument& error) {
    said = error.what();
  }
  CHECK(said.find("saved with exact comparison for a similarity of 0.7, not a distance of ") != std::string::npos);

  neardup::stream_deduplicator stream(deduplicator{hash, {.similarity = 0.7, .exact = true}}, {.max_documents = 50});
  for (std::uint32_t i = 0; i < 200; ++i)
    static_cast<void>(stream.add(drawn_text(corpus_shape::mixed, i, random, made), i));
  CHECK(stream.size() == 50);
  std::filesystem::remove_all(folder);
}

TEST_CASE("texts of a template, and a phrase that comes late, stay near-linear one by one", "[exact]") {
  const auto seconds = [](corpus_shape form, std::size_t count) {
    oracle::random_engine random(5);
    deduplicator dedup{simhasher{words{}}, {.similarity = 0.95, .exact = true}};
    const oracle::stopwatch watch;
    for (std::size_t i = 0; i < count; ++i) {
      std::string text;
      if (form == corpus_shape::of_a_template) {
        for (int part = 0; part < 45; ++part) text += "t" + std::to_string(part) + " ";
      }
      if (form == corpus_shape::phrase_comes_late && i > count / 2)
        text = "from now on this stands in front of every text ";
      for (int w = 0; w < 6; ++w) text += "w" + std::to_string(random() % count_of_ids) + " ";
      static_cast<void>(dedup.add(text, static_cast<std::uint32_t>(i)));
    }
    REQUIRE(dedup.size() > count / 10 * 9);
    return watch.seconds();
  };
  const std::size_t few = oracle::effort(8000U, 4000U, 1000U);
  for (const corpus_shape form : {corpus_shape::of_a_template, corpus_shape::phrase_comes_late}) {
    const double one = seconds(form, few), four = seconds(form, 4 * few);
    INFO(one << " s, then " << four << " s");
    CHECK(four < 10 * one + 0.5);  // a quadratic run would take sixteen times as long
  }
}
