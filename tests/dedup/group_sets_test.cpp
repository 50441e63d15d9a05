// Groups of similar sets against the rule, applied set by set.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <span>
#include <stdexcept>
#include <vector>

#include <neardup/dedup/group_sets.hpp>
#include <neardup/dedup/partitioned_groups.hpp>
#include <neardup/sets/similarity.hpp>
#include <neardup/threads.hpp>

#include "catch.hpp"
#include "oracle/decision.hpp"
#include "oracle/effort.hpp"
#include "oracle/random_engine.hpp"
#include "oracle/sets.hpp"
#include "support/partitions_in_memory.hpp"
#include "support/set_corpora.hpp"

namespace {

using neardup::group_options;
using neardup::grouping;
using neardup::jaccard;
using neardup::set_similarity;
using neardup::set_threshold;
using neardup::threads;
using sets_type = std::vector<std::vector<std::uint32_t>>;
using labels_type = std::vector<std::uint32_t>;

set_similarity measure_of(std::size_t number) {
  return number == 3 ? set_similarity::cosine : number == 4 ? set_similarity::containment : set_similarity::jaccard;
}

/// The similarity of two sets, or nothing if they do not match.
std::optional<oracle::closeness> closeness(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b,
                                           const set_threshold& least) {
  const bool is_default = least.min_common == 0 && least.measure == set_similarity::containment;
  const std::size_t common = oracle::common_of(a, b);
  if (common == 0 || common < (is_default ? neardup::default_min_contained : least.min_common)) return std::nullopt;
  const double similarity = oracle::similarity_of(least.measure, a.size(), b.size(), common);
  if (similarity < least.similarity) return std::nullopt;
  return oracle::closeness::of_number(similarity);
}

/// Returns the labels that the rule of tests/oracle/decision.hpp gives. The first `earlier` sets are representatives.
labels_type expected_labels(const sets_type& sets, std::size_t earlier, const set_threshold& least,
                            const group_options& how) {
  std::vector<double> scores(how.preference.begin(), how.preference.end());
  for (std::size_t i = earlier; how.preference.empty() && i < sets.size(); ++i) {
    scores.push_back(least.measure == set_similarity::containment ? static_cast<double>(sets[i].size()) : 0);
  }
  const auto order = oracle::order_of(sets.size(), earlier, scores);
  const auto match = [&](std::size_t i, std::size_t j) {
    const bool is_excluded = !how.across.empty() && how.across[i] == how.across[j];
    return is_excluded ? std::nullopt : closeness(sets[i], sets[j], least);
  };
  const auto labels = how.by == grouping::components ? oracle::connected(order, match)
                                                     : oracle::originals(order, earlier, how.among_themselves, match);
  return {labels.begin() + static_cast<std::ptrdiff_t>(earlier), labels.end()};
}

labels_type found(const sets_type& sets, std::size_t earlier, const set_threshold& least, const group_options& how,
                  const neardup::detail::set_join_sizes& sizes, std::size_t min_pairs) {
  return neardup::detail::label_similar<std::uint32_t, std::uint32_t>(
      {sets.size(), [&](std::size_t i) { return std::span<const std::uint32_t>(sets[i]); }}, earlier, least, how, sizes,
      min_pairs);
}

/// Returns the labels that the join in partitions finds.
labels_type found_by_partitions(const sets_type& sets, std::size_t earlier, const set_threshold& least,
                                const group_options& how, const neardup::detail::row_join_sizes& sizes,
                                std::size_t max_pairs) {
  oracle::partitions_in_memory store;
  return neardup::detail::label_by_partitions<std::uint32_t, std::uint32_t>(
      {sets.size(), [&](std::size_t i) { return std::span<const std::uint32_t>(sets[i]); }}, earlier, least, how,
      neardup::detail::any_store_of(store), sizes, max_pairs);
}

/// Draws one of a few values, or of many, for each set. Half of the results are empty.
std::vector<std::uint32_t> random_values(std::size_t count, std::mt19937_64& random) {
  const std::uint32_t kinds[] = {1, 2, 3, 30, 1000};
  const std::uint32_t kind = kinds[random() % 5];
  std::vector<std::uint32_t> values(random() % 2 == 0 ? count : 0);
  for (std::uint32_t& value : values) value = static_cast<std::uint32_t>(random()) % kind;
  return values;
}

neardup::detail::failure_limits random_limits(std::mt19937_64& random) {
  return {random() % 400, random() % 3, random() % 2 == 0 ? 1000U : 4U};
}

neardup::detail::row_join_sizes random_sizes(std::mt19937_64& random) {
  const std::uint64_t memory[] = {1, 20'000, 1'000'000'000};
  const std::size_t large[] = {2, 7, 50, 4096};
  const std::uint32_t cached[] = {1, 7, 1U << 14};
  return {.memory = memory[random() % 3],
          .max_partitions = 40,
          .large = large[random() % 4],
          .cached_prefixes = cached[random() % 3],
          .part_cost = random() % 3 == 0 ? 800U : 0U,
          .failures = random_limits(random)};
}

/// Distinct sets of one template: each two have a similarity of at least .8.
sets_type draw_template(std::size_t count, std::mt19937_64& random) {
  sets_type sets;
  std::vector<std::uint32_t> base(40);
  for (std::uint32_t& feature : base) feature = static_cast<std::uint32_t>(random());
  for (std::uint32_t i = 0; i < count; ++i) {
    std::vector<std::uint32_t> set(base);
    set.insert(set.end(), {i * 2654435761U, i % 100 * 97, static_cast<std::uint32_t>(random())});
    std::sort(set.begin(), set.end());
    set.erase(std::unique(set.begin(), set.end()), set.end());
    sets.push_back(set);
  }
  return sets;
}

}  // namespace

TEST_CASE("groups of similar sets are those of the rule, set by set", "[dedup][similar]") {
  oracle::random_engine random(21);
  std::size_t joined = 0;
  for (const oracle::set_shape shape : oracle::all_set_shapes) {
    const auto sets = oracle::draw_sets<std::uint32_t>(shape, oracle::effort(500, 200, 60), random);
    std::vector<double> scores(sets.size());
    for (double& score : scores) score = static_cast<double>(random() % 9);
    for (const double similarity : {0.3, 0.5, 2.0 / 3.0, std::nextafter(2.0 / 3.0, 1.0), 0.8, 0.9, 1.0}) {
      for (int round = 0; round < 4; ++round) {
        const std::size_t parts[] = {1, 2, 7};
        const set_threshold least{measure_of(random() % 5), similarity, random() % 3 == 0 ? random() % 8 : 1};
        group_options how{.by = round % 2 == 0 ? grouping::representatives : grouping::components,
                          .run = threads{parts[random() % 3]}};
        if (round >= 2) how.preference = scores;
        const auto values = random_values(sets.size(), random);
        how.across = values;
        const neardup::detail::set_join_sizes tiny{1 + random() % 40, 1 + random() % 30, 1 + random() % 50,
                                                   neardup::detail::set_keys{static_cast<unsigned char>(random() % 4)},
                                                   random_limits(random)};
        CAPTURE(static_cast<int>(shape), similarity, round, values, least.min_common, static_cast<int>(least.measure));
        const labels_type expected = expected_labels(sets, 0, least, how);
        REQUIRE(found(sets, 0, least, how, tiny, random() % 20) == expected);
        REQUIRE(neardup::group(sets, least, how) == expected);
        REQUIRE(found_by_partitions(sets, 0, least, how, random_sizes(random), 1 + random() % 200) == expected);
        for (std::size_t i = 0; i < expected.size(); ++i) joined += expected[i] != i ? 1 : 0;
      }
    }
  }
  REQUIRE(joined > 1000);
}

TEST_CASE("groups of similar sets are extended by the rule, set by set", "[dedup][similar]") {
  oracle::random_engine random(22);
  for (const oracle::set_shape shape : oracle::all_set_shapes) {
    const auto sets = oracle::draw_sets<std::uint32_t>(shape, oracle::effort(500, 200, 60), random);
    for (const std::size_t earlier : {std::size_t{0}, sets.size() / 3, sets.size() - 1, sets.size()}) {
      std::vector<double> scores(sets.size() - earlier);
      for (double& score : scores) score = static_cast<double>(random() % 9);
      for (const double similarity : {0.5, 0.8, 1.0}) {
        for (const bool among_themselves : {true, false}) {
          const set_threshold least{measure_of(random() % 5), similarity};
          group_options how{.among_themselves = among_themselves, .run = threads{1 + random() % 3}};
          if (random() % 2 == 0) how.preference = scores;
          const auto values = random_values(sets.size(), random);
          how.across = values;
          const auto keys = neardup::detail::set_keys{static_cast<unsigned char>(random() % 4)};
          CAPTURE(static_cast<int>(shape), earlier, similarity, among_themselves, static_cast<int>(keys));
          const labels_type expected = expected_labels(sets, earlier, least, how);
          REQUIRE(found(sets, earlier, least, how, {3, 5, 7, keys, random_limits(random)}, random() % 20) == expected);
          const std::span all(sets);
          REQUIRE(neardup::extend_groups(all.first(earlier), all.subspan(earlier), least, how) == expected);
          REQUIRE(found_by_partitions(sets, earlier, least, how, random_sizes(random), 1 + random() % 200) == expected);
        }
      }
    }
  }
}

TEST_CASE("a template among other sets is grouped by the rule", "[dedup][similar]") {
  // So many sets are similar that the join leaves out pairs, and decides some sets late.
  oracle::random_engine random(24);
  for (std::size_t round = 0; round < oracle::effort(60, 30, 8); ++round) {
    sets_type sets = draw_template(50 + random() % 250, random);
    const auto others = oracle::draw_sets<std::uint32_t>(oracle::set_shape::clusters, random() % 100, random);
    sets.insert(sets.end(), others.begin(), others.end());
    if (random() % 2 == 0) std::shuffle(sets.begin(), sets.end(), random);
    for (int i = 0; i < 20; ++i) sets.push_back(sets[random() % sets.size()]);  // copies may have another original
    const std::size_t earlier = random() % 3 == 0 ? random() % sets.size() : 0;
    for (const double similarity : {0.8, 0.86, 0.9, 0.93}) {
      const jaccard least{similarity};
      const auto values = random_values(sets.size(), random);
      const group_options how{.across = values, .run = threads{1 + random() % 3}};
      CAPTURE(round, earlier, similarity, values);
      const labels_type expected = expected_labels(sets, earlier, least, how);
      REQUIRE(found(sets, earlier, least, how, {}, random() % 20) == expected);
      REQUIRE(found_by_partitions(sets, earlier, least, how, random_sizes(random), 1 + random() % 500) == expected);
      group_options without = how;
      without.originals = false;
      const labels_type kept = found_by_partitions(sets, earlier, least, without, random_sizes(random), 1);
      const labels_type also_kept = found(sets, earlier, least, without, {}, 1);
      for (std::size_t i = 0; i < expected.size(); ++i) {
        REQUIRE((kept[i] == i + earlier) == (expected[i] == i + earlier));
        REQUIRE((also_kept[i] == i + earlier) == (expected[i] == i + earlier));
      }
    }
  }
}

TEST_CASE("a set whose only candidate is decided late is grouped by the rule", "[dedup][similar]") {
  oracle::random_engine random(25);
  const auto ascending = [](std::vector<std::uint32_t> set) {
    std::sort(set.begin(), set.end());
    return set;
  };
  // There are three kinds of sets. A member of the crowd has the 30 features of a template, of which up to 4 are
  // changed, and 20 features of its own. So any two members match at .2.
  // An `other` set has 9 features of the template changed. So it matches the crowd, but hardly any of the other sets.
  // The first set is of this kind: it drops the crowd. The other sets are kept. To decide this, the join needs more
  // pairs than it looks at first.
  // Each `tail` matches one of the other sets only.
  std::vector<std::uint32_t> base(30);
  for (std::uint32_t& feature : base) feature = static_cast<std::uint32_t>(random());
  const auto member = [&](std::size_t changed) {
    std::vector<std::uint32_t> set(base);
    std::shuffle(set.begin(), set.end(), random);
    for (std::size_t i = 0; i < changed; ++i) set[i] = static_cast<std::uint32_t>(random());
    for (int i = 0; i < 20; ++i) set.push_back(static_cast<std::uint32_t>(random()));
    return set;
  };
  sets_type sets{ascending(member(9))}, tails;
  for (int i = 0; i < 60; ++i) sets.push_back(ascending(member(random() % 5)));
  for (int i = 0; i < 20; ++i) {
    const std::vector<std::uint32_t> other = member(9);
    std::vector<std::uint32_t> tail(other.end() - 20, other.end());
    for (int own = 0; own < 20; ++own) tail.push_back(static_cast<std::uint32_t>(random()));
    sets.push_back(ascending(other));
    tails.push_back(ascending(tail));
  }
  sets.insert(sets.end(), tails.begin(), tails.end());
  const set_threshold least{set_similarity::jaccard, 0.2};
  const labels_type expected = expected_labels(sets, 0, least, {});
  std::size_t late = 0;
  for (std::size_t i = 81; i < 101; ++i) late += expected[i] + 20 == i ? 1 : 0;
  REQUIRE(late > 10);
  for (const unsigned parts : {1U, 3U}) {
    const group_options how{.run = threads{parts}};
    REQUIRE(neardup::group(sets, least, how) == expected);
    for (std::size_t round = 0; round < oracle::effort(20, 10, 5); ++round) {
      const auto keys = neardup::detail::set_keys{static_cast<unsigned char>(round % 4)};
      REQUIRE(found(sets, 0, least, how, {3, 5, 7, keys, random_limits(random)}, random() % 20) == expected);
      REQUIRE(found_by_partitions(sets, 0, least, how, random_sizes(random), 1 + random() % 200) == expected);
    }
  }
}

TEST_CASE("crowds of similar sets do not take the time of their pairs", "[dedup][similar]") {
  // With 20,000 sets, a plain loop would compare 2 * 10^8 pairs in each call, which takes a minute.
  oracle::random_engine random(23);
  const std::size_t count = oracle::effort(100000, 20000, 2000);
  for (const oracle::set_shape shape : {oracle::set_shape::family, oracle::set_shape::copies}) {
    const auto sets = oracle::draw_sets<std::uint32_t>(shape, count, random);
    for (const grouping by : {grouping::representatives, grouping::components}) {
      const auto labels = neardup::group(sets, jaccard{0.7}, {.by = by});
      std::size_t kept = 0;
      for (std::size_t i = 0; i < labels.size(); ++i) kept += labels[i] == i ? 1 : 0;
      REQUIRE(kept < 100);
    }
  }
  const auto sets = draw_template(count, random);
  for (const grouping by : {grouping::representatives, grouping::components}) {
    REQUIRE(neardup::group(sets, jaccard{0.8}, {.by = by}) == labels_type(count, 0));
    oracle::partitions_in_memory store;
    REQUIRE(neardup::group(sets, jaccard{0.8}, store, 1'000'000, {.by = by}) == labels_type(count, 0));
  }
}

#if NEARDUP_EXCEPTIONS
TEST_CASE("groups of similar sets refuse what has no answer", "[dedup][similar]") {
  oracle::random_engine random(25);
  const sets_type sets(200);
  const double scores[] = {1, 2};
  REQUIRE_THROWS_AS(neardup::group(sets, jaccard{0.8}, {.preference = scores}), std::invalid_argument);
  const std::vector<double> wrong(200, std::numeric_limits<double>::quiet_NaN());
  REQUIRE_THROWS_AS(neardup::group(sets, jaccard{0.8}, {.preference = wrong}), std::invalid_argument);
  const std::vector<std::uint32_t> few(199);
  REQUIRE_THROWS_AS(neardup::group(sets, jaccard{0.8}, {.across = few}), std::invalid_argument);
  for (const double least : {0.0, 1.1, std::nan("")}) {
    REQUIRE_THROWS_AS(neardup::group(sets, jaccard{least}), std::invalid_argument);
    REQUIRE_THROWS_AS(neardup::extend_groups(sets, sets, neardup::cosine{least}), std::invalid_argument);
  }
  REQUIRE_THROWS_AS(neardup::group<std::int8_t>(sets, jaccard{0.8}), std::length_error);
  REQUIRE_THROWS_AS(neardup::extend_groups(sets, sets, jaccard{0.8}, {.by = grouping::components}),
                    std::invalid_argument);
  oracle::partitions_in_memory store;
  REQUIRE_THROWS_AS(neardup::group(sets, jaccard{0.8}, store, 1, {.preference = scores}), std::invalid_argument);
  REQUIRE_THROWS_AS(neardup::group(sets, jaccard{0.0}, store, 1), std::invalid_argument);
  REQUIRE_THROWS_AS(neardup::group<std::int8_t>(sets, jaccard{0.8}, store, 1), std::length_error);
  REQUIRE_THROWS_AS(neardup::extend_groups(sets, sets, jaccard{0.8}, store, 1, {.by = grouping::components}),
                    std::invalid_argument);
  store.failing_call = 1;
  REQUIRE_THROWS_AS(neardup::group(draw_template(200, random), jaccard{0.8}, store, 1), std::runtime_error);
}
#endif
