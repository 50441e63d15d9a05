// Pairs of similar sets against a comparison of each set with each.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <random>
#include <set>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include <neardup/sets/feature_sets.hpp>
#include <neardup/sets/pairs.hpp>
#include <neardup/sets/similarity.hpp>
#include <neardup/threads.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "oracle/random_engine.hpp"
#include "oracle/sets.hpp"
#include "oracle/stopwatch.hpp"
#include "support/set_corpora.hpp"

namespace {

using neardup::jaccard;
using neardup::join_options;
using neardup::set_similarity;
using neardup::threads;
using oracle::common_of;
using oracle::similarity_of;
using pair_type = neardup::similar_pair<std::size_t>;

bool comes_before(const pair_type& a, const pair_type& b) {
  return std::pair(a.first, a.second) < std::pair(b.first, b.second);
}

/// Returns the overlap of each two sets i < j that share a feature. With two corpora, i < split <= j.
template <class Sets>
std::vector<pair_type> overlaps(const Sets& sets, std::size_t split) {
  std::vector<pair_type> result;
  for (std::size_t i = 0; i < std::min(split, sets.size()); ++i) {
    for (std::size_t j = std::max(i + 1, split < sets.size() ? split : 0); j < sets.size(); ++j) {
      const std::size_t common = common_of(sets[i], sets[j]);
      if (common > 0) result.push_back({i, j, common, 0});
    }
  }
  return result;
}

template <class Sets>
std::vector<pair_type> expected_pairs(const Sets& sets, const std::vector<pair_type>& overlaps, std::size_t split,
                                      double least, set_similarity by, std::size_t min_common) {
  std::vector<pair_type> result;
  for (pair_type pair : overlaps) {
    pair.similarity = similarity_of(by, sets[pair.first].size(), sets[pair.second].size(), pair.common);
    if (min_common == 0 && by == set_similarity::containment) min_common = neardup::default_min_contained;
    if (pair.similarity < least || pair.common < min_common) continue;
    if (split < sets.size()) pair.second -= split;
    result.push_back(pair);
  }
  return result;
}

template <class Set>
std::vector<pair_type> found_pairs(const std::vector<Set>& sets, std::size_t split, const neardup::set_threshold& least,
                                   const join_options& how, const neardup::detail::set_join_sizes& sizes) {
  using feature = typename Set::value_type;
  std::vector<pair_type> result;
  neardup::detail::visit_set_pairs<feature>(
      {sets.size(), [&](std::size_t i) { return std::span<const feature>(sets[i]); }}, split, least, how, sizes,
      [&](const pair_type& pair) {
        result.push_back(pair);
        return true;
      });
  std::sort(result.begin(), result.end(), comes_before);
  return result;
}

template <class Sets>
std::size_t check_against_brute_force(const Sets& sets, std::mt19937_64& random) {
  std::size_t found = 0;
  const double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> thresholds{0.3, 0.5, 2.0 / 3.0, 0.8, 0.9, 1.0};
  for (const double t : {0.5, 2.0 / 3.0, 0.75, 0.8}) {
    thresholds.push_back(std::nextafter(t, 0.0));
    thresholds.push_back(std::nextafter(t, infinity));
  }
  for (const std::size_t split : {sets.size(), sets.size() / 3}) {
    const auto all = overlaps(sets, split);
    for (const double least : thresholds) {
      for (const set_similarity by : {set_similarity::jaccard, set_similarity::cosine, set_similarity::containment}) {
        const std::size_t min_common = random() % 3 == 0 ? random() % 8 : 1;
        const neardup::detail::set_join_sizes tiny{1 + random() % 40, 1 + random() % 30, 1 + random() % 50,
                                                   neardup::detail::set_keys{static_cast<unsigned char>(random() % 4)}};
        const std::size_t parts[] = {1, 2, 7};
        const join_options how{.run = threads{parts[random() % 3]}};
        const neardup::set_threshold threshold{by, least, min_common};
        CAPTURE(split, least, static_cast<int>(by), min_common, tiny.min_postings, tiny.max_chunks, tiny.block);
        const auto expected = expected_pairs(sets, all, split, least, by, min_common);
        REQUIRE(found_pairs(sets, split, threshold, how, tiny) == expected);
        REQUIRE(found_pairs(sets, split, threshold, how, {}) == expected);
        found += expected.size();
      }
    }
  }
  return found;
}

// A text in UTF-32 is not a set of features.
static_assert(neardup::set_range<std::vector<std::vector<std::uint32_t>>>);
static_assert(!neardup::set_range<std::vector<std::u32string>> && !neardup::set_range<std::vector<std::wstring>>);

}  // namespace

TEST_CASE("similar pairs are those of a comparison of each set with each", "[dedup][similar]") {
  oracle::random_engine random(11);
  for (const oracle::set_shape shape : oracle::all_set_shapes) {
    CAPTURE(static_cast<int>(shape));
    const auto sets = oracle::draw_sets<std::uint32_t>(shape, oracle::effort(400, 150, 60), random);
    REQUIRE(check_against_brute_force(sets, random) > 0);
  }
}

TEST_CASE("similar pairs of 64-bit features do not depend on their low or high halves", "[dedup][similar]") {
  oracle::random_engine random(12);
  for (const oracle::set_shape shape : {oracle::set_shape::clusters, oracle::set_shape::small}) {
    const auto sets = oracle::draw_sets<std::uint64_t>(shape, oracle::effort(300, 120, 50), random);
    REQUIRE(check_against_brute_force(sets, random) > 0);
  }
}

TEST_CASE("sets of one corpus are no pair of two corpora, whatever their tokens", "[dedup][similar]") {
  // The tokens of features a and b differ only in the bits by which the join separates the two corpora.
  std::uint32_t inverse = 1;
  const auto factor = neardup::detail::feature_token(std::uint32_t{1});
  for (int i = 0; i < 5; ++i) inverse *= 2 - factor * inverse;
  const std::uint32_t a = inverse * 12345, b = inverse * (12345 ^ 0x85ebca6bU);
  std::vector<std::vector<std::uint32_t>> sets;
  for (const std::uint32_t other : {a, b}) {
    sets.push_back({other});
    for (std::uint32_t i = 1; i <= 20; ++i) sets.back().push_back(inverse * (0x90000000U + i));
    std::sort(sets.back().begin(), sets.back().end());
  }
  sets.push_back({std::min(a, b), std::max(a, b)});  // the other corpus, so that a and b are in its posting lists
  for (const auto keys : {neardup::detail::set_keys::prefixes, neardup::detail::set_keys::equal_parts}) {
    REQUIRE(found_pairs(sets, 2, jaccard{0.8}, {}, {.keys = keys}).empty());
    REQUIRE(found_pairs(sets, sets.size(), jaccard{0.8}, {}, {.keys = keys}).size() == 1);
  }
}

TEST_CASE("sets of few features, all of them common, are joined by parts in less time", "[dedup][similar]") {
  oracle::random_engine random(13);
  std::vector<std::vector<std::uint32_t>> sets(oracle::effort(40'000, 20'000, 8'000));
  for (auto& set : sets) {
    for (std::uint32_t feature = 0; feature < 100; ++feature) {
      if (random() % 100 < 18) set.push_back(feature);
    }
  }
  const auto seconds = [&](neardup::detail::set_keys keys, std::size_t& found) {
    const oracle::stopwatch clock;
    found = found_pairs(sets, sets.size(), jaccard{0.8}, {}, {.keys = keys}).size();
    return clock.seconds();
  };
  std::size_t by_prefixes = 0, by_choice = 0;
  double slow = 1e9, fast = 1e9;  // the least of three, since another test may run at the same time
  for (int i = 0; i < 3; ++i) {
    slow = std::min(slow, seconds(neardup::detail::set_keys::prefixes, by_prefixes));
    fast = std::min(fast, seconds(neardup::detail::set_keys::cheapest, by_choice));
  }
  CAPTURE(slow, fast);
  REQUIRE(by_choice == by_prefixes);
  REQUIRE(2 * fast < slow);
}

TEST_CASE("features of one token make sets meet, and no more", "[dedup][similar]") {
  // The factor golden_ratio spreads features. All multiples of its inverse below get equal upper halves, so their
  // tokens are equal.
  constexpr std::uint64_t inverse = 0xf1de83e19937733dU;  // of the golden ratio in 64 bits
  static_assert(inverse * neardup::detail::golden_ratio == 1);
  oracle::random_engine random(13);
  auto sets = oracle::draw_sets<std::uint64_t>(oracle::set_shape::clusters, 60, random);
  for (auto& set : sets) {
    for (auto& feature : set) feature = feature % 1000 * inverse;
    std::sort(set.begin(), set.end());
    set.erase(std::unique(set.begin(), set.end()), set.end());
  }
  std::set<std::uint32_t> tokens;
  for (const auto& set : sets) {
    for (const std::uint64_t feature : set) tokens.insert(neardup::detail::feature_token(feature));
  }
  REQUIRE(tokens.size() == 1);
  REQUIRE(check_against_brute_force(sets, random) > 0);
}

TEST_CASE("the public calls sort, number and end as they say", "[dedup][similar]") {
  using list_of_sets = std::vector<std::vector<std::uint32_t>>;
  const list_of_sets sets{{1, 2, 3, 4}, {}, {1, 2, 3, 5}, {9}, {1, 2, 3, 4}, {9}, {}};
  const auto pairs = neardup::pairs(sets, jaccard{0.6});
  REQUIRE(pairs == std::vector<neardup::similar_pair<std::uint32_t>>{
                       {0, 2, 3, 0.6}, {0, 4, 4, 1.0}, {2, 4, 3, 0.6}, {3, 5, 1, 1.0}});
  REQUIRE(neardup::pairs(sets, jaccard{0.6}, {.copies_once = true}).size() == 3);  // (2, 4) follows from (0, 2)
  REQUIRE(neardup::pairs<std::uint64_t>(sets, jaccard{0.7}).size() == 2);
  neardup::feature_sets<> other;
  for (const auto& set : list_of_sets{{9}, {1, 2, 3, 4, 5}}) other.add(set);
  const auto across = neardup::pairs(sets, other, jaccard{0.8});
  REQUIRE(across == std::vector<neardup::similar_pair<std::uint32_t>>{
                        {0, 1, 4, 0.8}, {2, 1, 4, 0.8}, {3, 0, 1, 1.0}, {4, 1, 4, 0.8}, {5, 0, 1, 1.0}});
  REQUIRE(neardup::pairs(sets, neardup::feature_sets<>(), jaccard{0.1}).empty());
  REQUIRE(neardup::pairs(list_of_sets(), jaccard{0.1}).empty());

  std::size_t calls = 0;
  neardup::visit_pairs(sets, jaccard{0.6}, [&](const pair_type&) { return ++calls < 2; });
  REQUIRE(calls == 2);
#if NEARDUP_EXCEPTIONS
  for (const double wrong : {0.0, -1.0, 1.5, 80.0, std::numeric_limits<double>::quiet_NaN()}) {
    REQUIRE_THROWS_AS(neardup::pairs(sets, jaccard{wrong}), std::invalid_argument);
    REQUIRE_THROWS_AS(neardup::pairs(sets, neardup::feature_sets<>(), jaccard{wrong}), std::invalid_argument);
  }
  REQUIRE_THROWS_AS(neardup::pairs<std::int8_t>(list_of_sets(200), jaccard{0.5}), std::length_error);
  calls = 0;
  const auto throws_soon = [&](const pair_type&) {
    if (++calls == 2) throw std::runtime_error("enough");
  };
  REQUIRE_THROWS_AS(neardup::visit_pairs(sets, jaccard{0.6}, throws_soon), std::runtime_error);
  REQUIRE(calls == 2);
#endif
}

TEST_CASE("a join refuses a set that is not ascending, or has a feature twice, and names it", "[dedup][similar]") {
  using sets_type = std::vector<std::vector<std::uint64_t>>;
  const sets_type good{{1, 2, 3}, {}, {7}};
  for (const std::vector<std::uint64_t>& bad : {std::vector<std::uint64_t>{1, 3, 2}, {1, 1, 2}, {1, 2, 2}}) {
    sets_type sets(good);
    sets.push_back(bad);
    sets.push_back({4, 5});
    for (const join_options& options : {join_options{}, join_options{.run = threads{2}}}) {
      CHECK_THROWS_WITH(neardup::pairs(sets, jaccard{0.8}, options),
                        "the features of set 3 are not in ascending order, each once");
    }
    // Set numbers go through both corpora, so set 3 of the second corpus is set 6.
    CHECK_THROWS_WITH(neardup::pairs(good, sets, neardup::containment{0.8}),
                      "the features of set 6 are not in ascending order, each once");
  }
  CHECK(neardup::pairs(good, jaccard{0.8}).empty());
}

TEST_CASE("the bounds of an overlap are those of the comparison itself", "[dedup][similar]") {
  for (const set_similarity by : {set_similarity::jaccard, set_similarity::cosine, set_similarity::containment}) {
    for (const double t : {0.3, 0.5, 2.0 / 3.0, 0.7, 0.8, std::nextafter(0.8, 1.0), std::nextafter(0.8, 0.0), 1.0}) {
      const neardup::detail::overlap_bounds bounds({by, t, 1});
      for (std::size_t a = 1; a <= 40; ++a) {
        std::size_t least_partner = a + 1, least_with_any = a + 1;
        for (std::size_t b = 1; b <= 200; ++b) {
          std::size_t least = std::min(a, b) + 1;
          for (std::size_t c = std::min(a, b); c > 0 && similarity_of(by, a, b, c) >= t; --c) least = c;
          CAPTURE(static_cast<int>(by), t, a, b);
          REQUIRE(bounds.least(a, b) == least);
          if (least > std::min(a, b)) continue;
          least_partner = std::min(least_partner, b);
          least_with_any = std::min(least_with_any, least);
        }
        REQUIRE(bounds.least_partner(a) == least_partner);
        REQUIRE(bounds.least_partner(a) == least_with_any);
      }
    }
  }
}
