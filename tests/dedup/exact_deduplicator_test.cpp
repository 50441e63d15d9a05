// The exact deduplicator against a model that compares each document with all kept ones.
#include <algorithm>
#include <cstddef>
#include <cstdint>
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
#include <neardup/sets/similarity.hpp>
#include <neardup/storage.hpp>
#include <neardup/text.hpp>
#include <neardup/threads.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "oracle/random_engine.hpp"
#include "oracle/sets.hpp"
#include "oracle/stopwatch.hpp"
#include "support/temporary_folder.hpp"

namespace {

using neardup::deduplicator;
using neardup::normalised;
using neardup::simhasher;
using neardup::verdict;
using neardup::words;

using neardup::set_similarity;

/// The model: compares each set with all kept sets; the original is the most similar, then the earliest.
class slow_deduplicator {
 public:
  explicit slow_deduplicator(double similarity, set_similarity measure = set_similarity::jaccard)
      : similarity_(similarity), measure_(measure) {}

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
      const std::vector<std::uint64_t> own(document.features.begin(), document.features.end());
      const double similarity = oracle::similarity_of(measure_, kept.features, own);
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
    std::vector<std::uint64_t> features;
  };
  double similarity_;
  set_similarity measure_;
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

/// Adds, asks for and erases documents, and compares with the model.
template <class Extractor, class Threshold>
void compare(const Extractor& extract, const Threshold& least, corpus_shape form) {
  oracle::random_engine random(static_cast<std::uint64_t>(form) + 7);
  deduplicator fast{extract, least};
  slow_deduplicator slow(least.similarity, fast.threshold().measure);
  typename decltype(fast)::workspace scratch;
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
  INFO(static_cast<int>(form) << " " << least.similarity);
  CHECK(duplicates > 0);
}

constexpr std::uint32_t count_of_ids = 1U << 20;

}  // namespace

TEST_CASE("an exact deduplicator decides as one that compares everything", "[exact]") {
  for (const corpus_shape form :
       {corpus_shape::mixed, corpus_shape::few_words, corpus_shape::long_texts, corpus_shape::copies,
        corpus_shape::of_a_template, corpus_shape::phrase_comes_late, corpus_shape::tiny}) {
    for (const double similarity : {0.3, 0.8, 0.95, 1.0}) {
      compare(neardup::feature_extractor{normalised{words{}}}, neardup::jaccard{similarity}, form);
    }
    using wide = neardup::feature_extractor<normalised<words>, neardup::xxh3<64>, std::uint64_t>;
    compare(wide(), neardup::jaccard{0.8}, form);
    compare(wide(), neardup::cosine{0.8}, form);
    compare(neardup::feature_extractor{normalised{words{}}}, neardup::cosine{0.6}, form);
  }
}

TEST_CASE("candidates by features hold all similar sets, however postings lie", "[exact]") {
  struct document {
    std::vector<std::uint32_t> features;
  };
  const std::vector<std::pair<std::size_t, set_similarity>> settings{{1, set_similarity::jaccard},
                                                                     {4, set_similarity::jaccard},
                                                                     {2048, set_similarity::jaccard},
                                                                     {4, set_similarity::cosine},
                                                                     {2048, set_similarity::cosine}};
  for (const auto& [max_in_row, by] : settings) {
    for (const std::uint32_t vocabulary : {40U, 300U, 100000U}) {
      oracle::random_engine random(max_in_row + vocabulary);
      neardup::feature_candidates source(neardup::set_threshold{by, 0.6}, max_in_row);
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
          const double similarity = oracle::similarity_of(by, next.features, other.features);
          if (similarity < 0.6) continue;
          ++similar;
          REQUIRE(std::binary_search(met.begin(), met.end(), number));
        }
        for (const std::uint32_t number : met) REQUIRE(kept.contains(number));
        all.push_back(next);
        if (random() % 8 != 0) {
          source.insert(next, i, features_of, random() % 2 == 0 ? &scratch : nullptr);
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
      neardup::feature_candidates source(neardup::jaccard{0.6}, max_in_row);
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
          case 0:  // the document is gone, but erase() was not called
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
    const neardup::feature_extractor extract{normalised{words{}}};
    deduplicator singly{extract, neardup::jaccard{0.7}}, in_batches{extract, neardup::jaccard{0.7}};
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
  deduplicator dedup{neardup::feature_extractor{words{}}, neardup::jaccard{0.8}};
  const std::string text = "one two three four five six seven eight nine ten eleven twelve";
  CHECK(dedup.add(text, 5).is_new());
  CHECK(dedup.find(text + " more").original == std::optional<std::uint32_t>(5));
  CHECK(dedup.replace("quite another text of some other words that nobody has", 5).is_new());
  CHECK(dedup.find(text + " more").is_new());
}

TEST_CASE("a threshold of a deduplicator is one of sets that come in any order", "[exact]") {
  using neardup::set_similarity;
  const neardup::set_threshold contained{set_similarity::containment, 0.8};
  CHECK_THROWS_WITH(deduplicator{contained}, Catch::Matchers::ContainsSubstring("group()"));
  CHECK_THROWS_AS(deduplicator{neardup::set_threshold{}}, std::invalid_argument);
  deduplicator visited{neardup::jaccard{0.7}};
  visited.add("one two three");
  visited.for_each_kept(
      [](auto& kept) { CHECK(kept.id == 0); });  // a reference that is not const takes a const document
  CHECK(deduplicator{neardup::jaccard{0.7}}.threshold() == neardup::set_threshold{set_similarity::jaccard, 0.7});
  // A threshold that is chosen at run time.
  for (const auto measure : {set_similarity::jaccard, set_similarity::cosine}) {
    const neardup::set_threshold least{measure, 0.75};
    deduplicator dedup{neardup::feature_extractor{words{}}, least};
    CHECK(dedup.threshold() == least);
    CHECK(dedup.add("a b c d").is_new());
    // 3 of 4 words are common: the Jaccard similarity is 3 / 5, the cosine 3 / 4.
    CHECK(dedup.add("a b c e").is_new() == (measure == set_similarity::jaccard));
  }
  deduplicator dedup{neardup::feature_extractor{words{}}, neardup::jaccard{0.5, 3}};
  CHECK(dedup.add("a b").is_new());
  CHECK(dedup.add("a b").is_new());  // two words in common, and three are needed
  CHECK(dedup.add("a b c").is_new());
  CHECK(dedup.add("a b c").original == std::optional<std::uint32_t>(2));
}

TEST_CASE("a deduplicator that was saved with a distance is not opened as an exact one", "[exact]") {
  const support::temporary_folder folder;
  const simhasher hash{normalised{words{}}};
  const auto by_distance = [&] { return neardup::fingerprint_deduplicator{hash, neardup::jaccard{0.7}}; };
  const auto exact = [&] {
    return deduplicator{neardup::feature_extractor{normalised{words{}}}, neardup::jaccard{0.7}};
  };
  const auto refused = [&](const auto& make) {
    CHECK_THROWS_WITH(make(), Catch::Matchers::ContainsSubstring("saved with a distance of") &&
                                  Catch::Matchers::ContainsSubstring("not sets of a Jaccard similarity of 0.7"));
  };
  neardup::save(folder / "saved", by_distance());
  refused([&] { return neardup::restore(folder / "saved", exact()); });
  { const neardup::durable_deduplicator durable(folder / "durable", by_distance()); }
  refused([&] { return neardup::durable_deduplicator(folder / "durable", exact()); });
  CHECK_NOTHROW(neardup::durable_deduplicator(folder / "durable", by_distance()));
}

TEST_CASE("a document without what is compared is not kept", "[exact]") {
  deduplicator exact{neardup::feature_extractor{words{}}, neardup::jaccard{0.8}};
  neardup::fingerprint_deduplicator by_distance{simhasher{words{}}, neardup::jaccard{0.8}, {.distance = 3}};
  decltype(exact)::workspace scratch;
  decltype(by_distance)::workspace other;
  auto without_fingerprint = by_distance.describe("one two three four five six seven eight nine ten", other);
  REQUIRE(without_fingerprint.fingerprint);
  without_fingerprint.fingerprint.reset();
  CHECK_FALSE(by_distance.add(without_fingerprint, 1).is_comparable);
  CHECK(by_distance.size() == 0);
  CHECK_THROWS_AS(by_distance.keep(1, without_fingerprint, 1), std::invalid_argument);
  CHECK_THROWS_AS(exact.keep(3, exact.describe("", scratch), 9), std::invalid_argument);
}

TEST_CASE("a document of several texts has the features of each", "[exact]") {
  deduplicator dedup{neardup::feature_extractor{neardup::shingles{2, words{}}}, neardup::jaccard{1}};
  decltype(dedup)::describer_type::workspace scratch;
  const std::vector<std::string_view> fields{"a title", "and a body"};
  CHECK(dedup.add((*dedup.describer())(fields, scratch), 1).is_new());
  const std::vector<std::string_view> turned{"and a body", "a title"}, whole{"a title and a body"};
  CHECK(dedup.add((*dedup.describer())(turned, scratch), 2).original == std::optional<std::uint32_t>(1));
  CHECK(dedup.add((*dedup.describer())(whole, scratch), 3).is_new());  // the pair "title and" is in no field
}

TEST_CASE("an exact deduplicator is saved as what it is", "[exact]") {
  const support::temporary_folder folder;
  const std::string path = folder / "kept.nd";
  const neardup::feature_extractor extract{normalised{words{}}};
  const auto make = [&] { return deduplicator{extract, neardup::jaccard{0.7}}; };
  auto dedup = make();
  oracle::random_engine random(11);
  std::vector<std::string> made;
  for (std::size_t i = 0; i < 300; ++i) dedup.add(drawn_text(corpus_shape::mixed, i, random, made));
  neardup::save(path, dedup);
  auto again = neardup::restore(path, make());
  REQUIRE(again.size() == dedup.size());
  for (std::size_t i = 0; i < 300; ++i) {
    const std::string text = drawn_text(corpus_shape::mixed, i, random, made);
    REQUIRE(again.add(text) == dedup.add(text));
  }
  const auto refused = [&](auto other, const std::string& why) {
    CHECK_THROWS_WITH(neardup::restore(path, std::move(other)),
                      path + ": saved with sets of a Jaccard similarity of 0.7" + why);
  };
  refused(deduplicator{extract, neardup::jaccard{0.8}}, ", not sets of a Jaccard similarity of 0.8");
  refused(deduplicator{extract, neardup::cosine{0.7}}, ", not sets of a cosine of 0.7");
  refused(neardup::fingerprint_deduplicator{simhasher{normalised{words{}}}, neardup::bits{3}},
          ", not a distance of 3 bits for a similarity of 0.8");
  CHECK_THROWS_WITH(neardup::restore(path, deduplicator{extract, neardup::jaccard{0.7, 2}}),
                    path + ": saved with min_common 0, not min_common 2");
  CHECK_THROWS_AS(neardup::restore(path, deduplicator{neardup::feature_extractor{words{}}, neardup::jaccard{0.7}}),
                  std::invalid_argument);
  using wide = neardup::feature_extractor<normalised<words>, neardup::xxh3<64>, std::uint64_t>;
  CHECK_THROWS_WITH(neardup::restore(path, deduplicator{wide(), neardup::jaccard{0.7}}),
                    path + ": saved with features of another size");

  deduplicator by_cosine{wide(), neardup::cosine{0.7}};
  by_cosine.add("one two three four");
  neardup::save(path, by_cosine);
  CHECK_FALSE(neardup::restore(path, deduplicator{wide(), neardup::cosine{0.7}}).add("one two three five").is_new());

  neardup::stream_deduplicator stream(make(), {.max_documents = 50});
  for (std::uint32_t i = 0; i < 200; ++i)
    static_cast<void>(stream.add(drawn_text(corpus_shape::mixed, i, random, made), i));
  CHECK(stream.size() == 50);
}

TEST_CASE("texts of a template, and a phrase that comes late, stay near-linear one by one", "[exact]") {
  const auto seconds = [](corpus_shape form, std::size_t count) {
    oracle::random_engine random(5);
    deduplicator dedup{neardup::feature_extractor{words{}}, neardup::jaccard{0.95}};
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
