// Joins of sets for a check of fingerprints, against a comparison of each pair and joins of fingerprints alone.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <neardup/dedup/deduplicator.hpp>
#include <neardup/dedup/engine/fingerprint_matcher.hpp>
#include <neardup/dedup/engine/set_matcher.hpp>
#include <neardup/dedup/fingerprint_deduplicator.hpp>
#include <neardup/dedup/group.hpp>
#include <neardup/fingerprint/minwise_hasher.hpp>
#include <neardup/sets/pairs.hpp>
#include <neardup/sets/similarity.hpp>
#include <neardup/text/words.hpp>
#include <neardup/threads.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "oracle/hamming.hpp"

namespace {

using neardup::jaccard_similarity;
using neardup::simhash;
using neardup::threads;
using pair_set = std::set<std::tuple<std::size_t, std::size_t, int>>;

struct documents {
  std::vector<std::vector<std::uint32_t>> features;
  std::vector<simhash<64>> fingerprints;

  [[nodiscard]] std::size_t size() const { return features.size(); }
};

/// Draws `count` sets of at most `most` features. A feature is one of `kinds` numbers; small numbers are far more
/// frequent. One set in three is an earlier set with some features removed and added, and with a fingerprint some bits
/// away.
documents draw(std::size_t count, std::size_t most, std::uint64_t kinds, oracle::random_engine& random) {
  documents result;
  const auto feature = [&] {
    const auto a = random() % kinds + 1, b = random() % kinds + 1;
    return static_cast<std::uint32_t>(kinds / a * b % kinds * 7);
  };
  while (result.size() < count) {
    std::set<std::uint32_t> set;
    simhash<64> fingerprint = oracle::random_fingerprint<64>(random);
    std::size_t added = random() % (most + 1);
    if (result.size() > 0 && random() % 3 == 0) {
      const std::size_t of = oracle::random_below(random, result.size());
      set.insert(result.features[of].begin(), result.features[of].end());
      for (std::size_t i = random() % 3; i > 0 && !set.empty(); --i) set.erase(set.begin());
      fingerprint = oracle::with_flips(result.fingerprints[of], random() % 24, random);
      added = random() % 3;
    }
    for (; added > 0; --added) set.insert(feature());
    result.features.emplace_back(set.begin(), set.end());
    result.fingerprints.push_back(fingerprint);
  }
  return result;
}

/// The pairs of positions in a list of documents whose sets are similar enough, with their overlaps. If `kept` is not 0,
/// each pair has one of the first `kept` positions and one of the others.
pair_set pairs_of(const documents& of, std::span<const std::uint32_t> list, std::size_t kept, double similarity) {
  pair_set pairs;
  for (std::size_t j = kept; j < list.size(); ++j) {
    for (std::size_t i = 0; i < (kept > 0 ? kept : j); ++i) {
      const auto &a = of.features[list[i]], &b = of.features[list[j]];
      if (jaccard_similarity(a, b) < similarity) continue;
      std::vector<std::uint32_t> common;
      std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common));
      if (!common.empty()) pairs.emplace(i, j, static_cast<int>(common.size()));
    }
  }
  return pairs;
}

/// A runner that does 64 parts one after the other. It begins with the last part, when no part has taken a step.
struct many_parts {
  [[nodiscard]] std::size_t parts() const { return 64; }
  template <class Work>
  void operator()(std::size_t parts, const Work& work) const {
    while (parts > 0) work(--parts);
  }
};

/// A matcher that accepts each candidate.
class all_near final : public neardup::detail::fingerprint_matcher<1, std::uint32_t> {
 public:
  using fingerprint_matcher::fingerprint_matcher;
  [[nodiscard]] std::optional<double> closeness(std::uint32_t, std::uint32_t, int,
                                                std::optional<double>) const override {
    return 1;
  }
};

}  // namespace

TEST_CASE("a matcher that joins sets has as many parts as it says, and no pair beyond its distance", "[dedup]") {
  oracle::random_engine random(9);
  const documents of = draw(30000, 12, 50000, random);
  const std::span<const simhash<64>> fingerprints(of.fingerprints);
  std::size_t looks = 0, parts = 0;
  const auto features = [&](std::uint32_t i) {
    ++looks;
    return std::span<const std::uint32_t>(of.features[i]);
  };
  constexpr int k = 20;
  all_near matcher(neardup::detail::fingerprint_words<1>(fingerprints), 64, k, 0, many_parts{}, {features, 0.7});
  std::vector<std::uint32_t> all(of.size());
  std::iota(all.begin(), all.end(), std::uint32_t{0});
  pair_set found, expected;
  matcher.find_candidates(all, 0,
                          [&](std::size_t part, auto pairs) {
                            parts = (std::max)(parts, part + 1);
                            for (const auto& pair : pairs) found.emplace(pair.first, pair.second, pair.distance);
                            return true;
                          },
                          {});
  REQUIRE(looks > of.size());  // so the matcher joined the sets
  REQUIRE(parts > of.size() / 4096 + 1);
  REQUIRE(parts <= matcher.parts(all.size()));
  std::vector<std::span<const std::uint32_t>> sets(of.features.begin(), of.features.end());
  for (const auto& pair : neardup::pairs(sets, neardup::jaccard{0.7})) {
    const int distance = hamming_distance(fingerprints[pair.first], fingerprints[pair.second]);
    if (distance <= k) expected.emplace(pair.first, pair.second, distance);
  }
  REQUIRE(expected.size() > 1000);
  REQUIRE(found == expected);
}

TEST_CASE("listed documents are joined by their sets, copies as others", "[dedup]") {
  oracle::random_engine random(5);
  std::size_t wanted = 0;
  for (const double similarity : {0.05, 0.5, 2.0 / 3.0, 0.8, 1.0}) {
    for (const std::size_t most : {1U, 9U, 60U}) {
      const documents of = draw(oracle::effort(3000, 2000, 600), most, 12 * most, random);
      const neardup::detail::set_source<std::uint32_t> source{
          of.size(), [&](std::size_t i) { return std::span<const std::uint32_t>(of.features[i]); }};
      const std::size_t parts = most % 4 + 1;
      neardup::detail::document_sets<std::uint32_t> sets(source, neardup::jaccard{similarity}, threads{parts});
      // One object joins all documents, many and few of them, with and without kept ones.
      for (const std::uint64_t share : {1U, 2U, 200U}) {
        std::vector<std::uint32_t> list;
        for (std::uint32_t i = 0; i < of.size(); ++i) {
          if (random() % share == 0) list.push_back(i);
        }
        for (const std::size_t kept : {std::size_t{0}, list.size() / 3, list.size() - list.size() / 9}) {
          CAPTURE(similarity, most, share, kept);
          std::vector<pair_set> found(parts);
          std::atomic<std::size_t> calls = 0;
          const bool is_complete = sets.listed().find(
              list, kept,
              [&](std::size_t part, auto pairs) {
                for (const auto& pair : pairs) found[part].emplace(pair.first, pair.second, pair.distance);
                calls += pairs.size();
                return true;
              },
              nullptr, nullptr);
          for (std::size_t part = 1; part < parts; ++part) found[0].merge(found[part]);
          REQUIRE(is_complete);
          REQUIRE(found[0] == pairs_of(of, list, kept, similarity));
          REQUIRE(calls == found[0].size());
          wanted += calls;
        }
      }
    }
  }
  REQUIRE(wanted > 1000);
}

TEST_CASE("features change what groups cost, not what they are", "[dedup]") {
  oracle::random_engine random(6);
  const documents of = draw(oracle::effort(140000, 70000, 6000), 40, 50000, random);
  const std::span<const simhash<64>> fingerprints(of.fingerprints);
  constexpr int k = 18;  // a join of fingerprints within 18 bits is expensive, so features are chosen
  const auto check = [&](std::size_t i, std::size_t j) { return jaccard_similarity(of.features[i], of.features[j]); };
  std::atomic<std::size_t> looks = 0;
  const auto features = [&](std::size_t i) {
    looks.fetch_add(1, std::memory_order_relaxed);
    return std::span<const std::uint32_t>(of.features[i]);
  };
  const neardup::at_least without{0.7, check}, with{0.7, check, features};
  std::vector<double> scores(of.size());
  for (double& score : scores) score = static_cast<double>(random() % 9);
  for (const bool by_score : {false, true}) {
    neardup::group_options how{.run = threads{2}};
    if (by_score) how.preference = scores;
    const auto expected = neardup::group(fingerprints, neardup::bits{k}, without, how);
    REQUIRE(neardup::group(fingerprints, neardup::bits{k}, with, how) == expected);

    // The same comparison for the second half of the documents, with the first half as representatives.
    const std::size_t half = of.size() / 2;
    if (by_score) how.preference = how.preference.subspan(half);
    const auto extended =
        neardup::extend_groups(fingerprints.first(half), fingerprints.subspan(half), neardup::bits{k}, without, how);
    REQUIRE(neardup::extend_groups(fingerprints.first(half), fingerprints.subspan(half), neardup::bits{k}, with, how) ==
            extended);
  }
  if (of.size() >= 70000) REQUIRE(looks > of.size());  // fewer documents are joined by fingerprints
}

TEST_CASE("a deduplicator joins large batches by features with the verdicts of small ones", "[deduplicator]") {
  oracle::random_engine random(7);
  std::vector<std::string> texts;
  const std::size_t count = oracle::effort(240000, 120000, 6000);
  while (texts.size() < count) {
    std::string text;
    if (!texts.empty() && random() % 4 == 0) text = texts[oracle::random_below(random, texts.size())];
    for (std::size_t i = text.empty() ? 12 + random() % 20 : random() % 9; i > 0; --i) {
      text += " w" + std::to_string(random() % (random() % 8 == 0 ? 200 : 20000));
    }
    texts.push_back(text);
  }
  const neardup::minwise_hasher hash{neardup::words{}};
  neardup::fingerprint_deduplicator large{hash, neardup::jaccard{0.7}, {.distance = 18}};  // fingerprints are slow here
  neardup::fingerprint_deduplicator small{hash, neardup::jaccard{0.7}, {.distance = 18}};
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  const auto add_all = [&](auto& to, std::size_t batch) {
    std::vector<neardup::verdict<std::uint32_t>> verdicts;
    for (std::size_t first = 0; first < count; first += batch) {
      const auto added = to.add_batch(std::span(views).subspan(first, std::min(batch, count - first)), threads{2});
      verdicts.insert(verdicts.end(), added.begin(), added.end());
    }
    return verdicts;
  };
  REQUIRE(add_all(large, count / 2) == add_all(small, 5000));
  REQUIRE(large.size() < count);
}
