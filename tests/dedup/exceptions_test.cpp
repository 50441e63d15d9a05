// The strong guarantee of classes that keep documents: when the 1st, 2nd, ... allocation fails, nothing has changed.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <neardup/dedup/deduplicator.hpp>
#include <neardup/dedup/fingerprint_deduplicator.hpp>
#include <neardup/dedup/stream_deduplicator.hpp>
#include <neardup/fingerprint.hpp>
#include <neardup/sets/feature_sets.hpp>
#include <neardup/text.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "support/failing_allocations.hpp"

namespace {

using namespace neardup;
using support::fail_each_allocation;

std::string numbered(std::uint32_t i, std::size_t words_in_text) {
  std::string text;
  for (std::size_t word = 0; word < words_in_text; ++word) text += "w" + std::to_string(i * 100 + word) + ' ';
  return text;
}

/// Adds texts, some of them short, some after erasures; each call with every one of its allocations failing once.
template <class Deduplicator>
void check_adding(Deduplicator dedup) {
  const auto id_of = [](std::uint32_t i) {
    if constexpr (std::is_same_v<typename Deduplicator::id_type, std::string>) {
      return "an id too long for the string object itself: " + std::to_string(i);
    } else {
      return i;
    }
  };
  std::size_t failures = 0;
  for (std::uint32_t i = 0; i < 60; ++i) {
    const std::string text = numbered(i, i % 3 == 0 ? 3 : 20);
    const std::size_t size = dedup.size();
    const std::uint64_t added = dedup.added();
    failures += fail_each_allocation([&] { dedup.add(text, id_of(i)); },
                                     [&] {
                                       REQUIRE(dedup.size() == size);
                                       REQUIRE(dedup.added() == added);
                                       REQUIRE(!dedup.contains(id_of(i)));
                                       REQUIRE(dedup.find(text).is_new());
                                     });
    REQUIRE(dedup.added() == added + 1);
    REQUIRE(dedup.find(text).original == id_of(i));
    if (i % 4 == 3) REQUIRE(dedup.erase(id_of(i - 2)));
    if (i == 40) {
      for (std::uint32_t j = 0; j < 38; ++j) dedup.erase(id_of(j));  // the check's kept features are compacted
    }
    for (std::uint32_t j = 0; j < i; ++j) {
      const auto found = dedup.find(numbered(j, j % 3 == 0 ? 3 : 20));
      REQUIRE(found.is_new() != dedup.contains(id_of(j)));
      if (!found.is_new()) REQUIRE(found.original == id_of(j));
    }
  }
  REQUIRE(failures > 60);
}

}  // namespace

TEST_CASE("a document that memory did not suffice for was never added", "[exceptions]") {
  const simhasher hash{words{}};
  check_adding(deduplicator{feature_extractor{words{}}, jaccard{0.8}});
  check_adding(deduplicator<feature_extractor<words>, std::string>{feature_extractor{words{}}, jaccard{0.8}});
  check_adding(fingerprint_deduplicator{hash, bits{3}});
  oracle::unless_sample([&](auto) {
    check_adding(
        fingerprint_deduplicator{hash, feature_extractor{code_point_ngrams{4}}, jaccard{0.5}, {.distance = 10}});
  });
}

TEST_CASE("a set that memory did not suffice for was never added", "[exceptions]") {
  feature_sets<> sets;
  std::size_t failures = 0;
  for (std::uint32_t i = 0; i < 100; ++i) {
    const std::vector<std::uint32_t> set{i, i + 1, i + 2};
    failures += fail_each_allocation([&] { sets.add(set); },
                                     [&] {
                                       REQUIRE(sets.size() == i);
                                       REQUIRE(sets.feature_count() == 3 * i);
                                     });
    REQUIRE(sets.size() == i + 1);
    REQUIRE(sets[i][0] == i);
  }
  REQUIRE(failures > 5);
}

TEST_CASE("a batch that memory did not suffice for was never added", "[exceptions]") {
  deduplicator dedup{feature_extractor{words{}}, jaccard{0.8}};
  std::size_t failures = 0;
  for (std::uint32_t first = 0; first < 90; first += 30) {
    std::vector<std::string> texts;
    for (std::uint32_t i = first; i < first + 30; ++i) {
      texts.push_back(numbered(i % 5 == 4 ? i - 3 : i, i % 3 == 0 ? 3 : 20));
    }
    const std::vector<std::string_view> views(texts.begin(), texts.end());
    const std::size_t size = dedup.size();
    failures += fail_each_allocation([&] { dedup.add_batch(views); },
                                     [&] {
                                       REQUIRE(dedup.size() == size);
                                       REQUIRE(dedup.added() == first);
                                       for (const std::string_view text : views) REQUIRE(dedup.find(text).is_new());
                                     });
    REQUIRE(dedup.size() == size + 24);
    REQUIRE(dedup.added() == first + 30);
  }
  REQUIRE(failures > 60);
}

// An array that grows by doubling would copy all documents in one call, and the call would take long.
TEST_CASE("a deduplicator grows in small pieces", "[exceptions]") {
  deduplicator dedup{feature_extractor{words{}}, jaccard{0.8}};
  support::largest_allocation = 0;
  dedup.add(numbered(0, 10), 0);
  CHECK(dedup.memory_usage() <= 10'000);
  for (std::uint32_t i = 1; i < 30'000; ++i) dedup.add(numbered(i, 10), i);
  CHECK(support::largest_allocation <= 1 << 17);
}

TEST_CASE("an erased document takes the memory of its id along", "[exceptions]") {
  deduplicator<feature_extractor<words>, std::string> dedup{feature_extractor{words{}}, jaccard{0.8}};
  const auto id_of = [](std::uint32_t i) { return std::string(100, 'x') + std::to_string(i); };
  for (std::uint32_t i = 0; i < 100; ++i) dedup.add(numbered(i, 5), id_of(i));
  const auto full = support::living_allocations.load();
  for (std::uint32_t i = 0; i < 100; ++i) REQUIRE(dedup.erase(id_of(i)));
  CHECK(support::living_allocations <= full - 100);
}

TEST_CASE("a batch takes memory in proportion to itself, however many documents are kept", "[exceptions]") {
  const auto check = [](auto dedup) {
    std::uint32_t next = 0;
    for (; next < 5000; ++next) dedup.add(numbered(next, 20), next);
    for (const std::uint32_t size : {1U, 10U, 100U}) {
      std::size_t least = static_cast<std::size_t>(-1);  // of ten batches: in some of them, an array grows
      for (int round = 0; round < 10; ++round) {
        std::vector<std::string> texts;
        std::vector<std::uint32_t> ids;
        for (std::uint32_t i = 0; i < size; ++i) texts.push_back(numbered(next, 20)), ids.push_back(next++);
        const std::size_t before = support::allocated_bytes;
        dedup.add_batch(texts, ids);
        least = (std::min)(least, support::allocated_bytes - before);
      }
      INFO(size << " texts");
      CHECK(least < 20'000 + 1500 * size);
    }
  };
  check(deduplicator{feature_extractor{words{}}, jaccard{0.8}});
  check(fingerprint_deduplicator{simhasher{words{}}, jaccard{0.8}, {.distance = 3}});
  check(fingerprint_deduplicator{simhasher{words{}}, jaccard{0.8}, {.distance = 13}});
  check(stream_deduplicator(deduplicator{feature_extractor{words{}}, jaccard{0.8}}, {.max_documents = 5000}));
}

TEST_CASE("a document that memory did not suffice for never came to a stream", "[exceptions]") {
  for (const bool refuses : {false, true}) {
    stream_deduplicator seen(
        deduplicator{feature_extractor{words{}}, jaccard{0.8}},
        {.max_documents = refuses ? 100U : 40U, .max_age = 70, .duplicates_renew = true, .refuse_when_full = refuses});
    std::size_t failures = 0;
    for (std::uint32_t i = 0; i < 200; ++i) {
      const std::string text = numbered(i % 5 == 4 ? i - 3 : i, i % 3 == 0 ? 3 : 20);
      const std::uint64_t now = i < 120 ? i : i + 60;  // most documents are too old then, and memory is given back
      if (i != 120) seen.expire(now);
      const std::size_t size = seen.size();
      const bool is_new = seen.find(text).is_new();
      failures += fail_each_allocation([&] { seen.add(text, i, now); },
                                       [&] {
                                         REQUIRE((seen.size() == size || i == 120));
                                         REQUIRE(!seen.get().contains(i));
                                         REQUIRE(!seen.erase(i));
                                         REQUIRE((seen.find(text).is_new() == is_new || i == 120));
                                       });
      REQUIRE(!seen.find(text).is_new());
      REQUIRE(seen.size() <= 100);
    }
    REQUIRE(failures > 200);
    seen.expire(1000);
    REQUIRE(seen.empty());
  }
}

TEST_CASE("features and verdicts of a warm workspace allocate nothing", "[exceptions]") {
  const std::string text = numbered(7, 300), other = numbered(8, 200);
  const feature_extractor features{normalised{words{}}};
  decltype(features)::workspace scratch;
  deduplicator dedup{feature_extractor{oracle::sample_or<words, normalised<words>>{}}, jaccard{0.8}};
  dedup.add(text);
  decltype(dedup)::workspace finding;
  std::size_t count = 0, duplicates = 0;
  const auto use = [&] {
    count += features(text, scratch).size() + features(other, scratch).size();
    duplicates += dedup.find(text, finding).is_new() ? 0U : 1U;
    duplicates += dedup.find(other, finding).is_new() ? 0U : 1U;
  };
  use();
  use();
  REQUIRE(fail_each_allocation(use, [] {}) == 0);
  REQUIRE(count == 3 * 500);
  REQUIRE(duplicates == 3);
}
