// group() against the oracle: both ways of grouping, preferences, checks, threads, crowds.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include <neardup/dedup/group.hpp>
#include <neardup/threads.hpp>

#include "catch.hpp"
#include "oracle/components.hpp"
#include "oracle/decision.hpp"
#include "oracle/effort.hpp"
#include "oracle/hamming.hpp"
#include "support/widths.hpp"

namespace {

using neardup::at_least;
using neardup::bits;
using neardup::group;
using neardup::group_options;
using neardup::grouping;
using neardup::simhash;
using neardup::threads;
using labels_type = std::vector<std::uint32_t>;

/// A symmetric relation that is independent of the fingerprints: documents of one kind match, and so do some of
/// different kinds.
struct kinds {
  std::vector<std::size_t> of;

  bool operator()(std::size_t i, std::size_t j) const { return of[i] == of[j] || (of[i] + of[j]) % 5 == 0; }
};

/// Calls a check and counts the calls.
template <class Check>
struct counted_check {
  const Check& check;
  std::atomic<std::size_t>& calls;

  bool operator()(std::size_t i, std::size_t j) const {
    calls.fetch_add(1, std::memory_order_relaxed);
    return check(i, j);
  }
};

struct expectation {
  labels_type labels;
  std::size_t checks = 0;
};

/// Returns the labels by the rule, and the number of pairs that the check gets. Representatives: the pairs of a
/// representative and a later document within k bits. Components: all pairs within k bits. The check returns a bool, so
/// the closest document is the one with the nearest fingerprint.
template <std::size_t Bits, class Check>
expectation expected_labels(const std::vector<simhash<Bits>>& fingerprints, int k, const Check& check,
                            const std::vector<double>& preference, grouping by = grouping::representatives) {
  expectation result;
  const auto order = oracle::order_of(fingerprints.size(), 0, preference);
  const auto match = [&](std::size_t i, std::size_t j) -> std::optional<oracle::closeness> {
    const int distance = oracle::distance(fingerprints[i], fingerprints[j]);
    if (distance > k) return std::nullopt;
    ++result.checks;
    return check(i, j) ? std::optional(oracle::closeness::of_bits(distance)) : std::nullopt;
  };
  const auto labels =
      by == grouping::components ? oracle::connected(order, match) : oracle::originals(order, 0, true, match);
  if (by == grouping::components) result.checks = oracle::all_pairs(fingerprints, k).size();
  result.labels.assign(labels.begin(), labels.end());
  return result;
}

template <std::size_t Bits>
void check_corpora() {
  std::size_t checks = 0, representatives = 0, components = 0;
  for (const int k : {0, 1, 3, 6, 10, 13}) {
    if (!oracle::is_thorough() && k % 3 != 0) continue;
    oracle::random_engine random(Bits * 100 + static_cast<std::size_t>(k));
    const std::size_t size = oracle::effort(400, 100);
    const auto fingerprints = oracle::clustered_fingerprints<Bits>(size, static_cast<std::size_t>(k) + 3, random);
    kinds check;
    std::vector<double> preference;
    for (std::size_t i = 0; i < size; ++i) {
      check.of.push_back(oracle::random_below(random, 4));
      preference.push_back(static_cast<double>(oracle::random_below(random, size / 4)));
    }
    for (const auto& scores : {std::vector<double>(), preference}) {
      const expectation first = expected_labels(fingerprints, k, check, scores);
      const expectation connected = expected_labels(fingerprints, k, check, scores, grouping::components);
      for (const std::size_t count : {1U, 2U, 5U}) {
        if (!oracle::is_thorough() && count == 2) continue;
        CAPTURE(Bits, k, count, scores.empty());
        std::atomic<std::size_t> calls = 0;
        const counted_check<kinds> counting{check, calls};
        group_options how{.preference = scores, .run = threads{count}};
        REQUIRE(group(fingerprints, bits{k}, counting, how) == first.labels);
        REQUIRE(calls == first.checks);
        calls = 0;
        how.by = grouping::components;
        REQUIRE(group(fingerprints, bits{k}, counting, how) == connected.labels);
        REQUIRE(calls <= 2 * connected.checks);
      }
      const group_options unverified{.preference = scores};
      REQUIRE(group(fingerprints, bits{k}, unverified) ==
              expected_labels(fingerprints, k, neardup::no_check{}, scores).labels);
      checks += first.checks;
      for (std::size_t i = 0; i < size; ++i) {
        representatives += first.labels[i] == i ? 1U : 0U;
        components += connected.labels[i] == i ? 1U : 0U;
      }
    }
  }
  // In these corpora, the check gets many pairs, and there are more representatives than components.
  REQUIRE(checks > oracle::effort(1000, 250));
  REQUIRE(representatives > components);
}

/// Thousands of documents within 4 bits of each other, few of them equal.
std::vector<simhash<64>> crowd(std::size_t count) {
  oracle::random_engine random(count);
  std::vector<simhash<64>> result;
  for (std::size_t i = 0; i < count; ++i) result.push_back(oracle::with_flips(simhash<64>(), i % 3, random));
  return result;
}

}  // namespace

TEST_CASE("groups beside the oracle", "[dedup][oracle]") {
  support::for_each_width([](auto bits) { check_corpora<bits>(); });
}

TEST_CASE("groups across values beside the oracle", "[dedup][oracle]") {
  // A search of the crowd ends early if the documents have few values, because most pairs are then excluded.
  oracle::random_engine random(8);
  for (const std::size_t size : {std::size_t{300}, oracle::effort(1500, 700)}) {
    const auto fingerprints = crowd(size);
    for (const std::uint32_t kind : {1U, 2U, 5U, 1000U}) {
      kinds check;
      std::vector<std::uint32_t> values;
      for (std::size_t i = 0; i < size; ++i) {
        check.of.push_back(oracle::random_below(random, 7));
        values.push_back(static_cast<std::uint32_t>(oracle::random_below(random, kind)));
      }
      const auto differ = [&](std::size_t i, std::size_t j) { return values[i] != values[j]; };
      const auto both = [&](std::size_t i, std::size_t j) { return differ(i, j) && check(i, j); };
      for (const int k : {2, 4}) {
        for (const grouping by : {grouping::representatives, grouping::components}) {
          CAPTURE(size, kind, k, static_cast<int>(by));
          const group_options how{.by = by, .across = values, .run = threads{1 + oracle::random_below(random, 3)}};
          REQUIRE(group(fingerprints, bits{k}, how) == expected_labels(fingerprints, k, differ, {}, by).labels);
          REQUIRE(group(fingerprints, bits{k}, check, how) == expected_labels(fingerprints, k, both, {}, by).labels);
        }
      }
    }
  }
}

TEST_CASE("groups by every layout, and by none", "[dedup][oracle]") {
  oracle::random_engine random(5);
  const auto fingerprints = oracle::clustered_fingerprints<32>(300, 8, random);
  kinds check;
  for (std::size_t i = 0; i < fingerprints.size(); ++i) check.of.push_back(oracle::random_below(random, 3));
  for (const int k : {2, 5, 31, 32}) {
    const labels_type first = expected_labels(fingerprints, k, check, {}).labels;
    const labels_type connected = expected_labels(fingerprints, k, check, {}, grouping::components).labels;
    for (int blocks = 0; blocks <= 6; ++blocks) {
      if (blocks > 0 && k < 32 && !neardup::layout::is_valid(32, k, blocks)) continue;
      CAPTURE(k, blocks);
      REQUIRE(group(fingerprints, bits{k}.in_blocks(blocks), check) == first);
      REQUIRE(group(fingerprints, bits{k}.in_blocks(blocks), check, {.by = grouping::components}) == connected);
    }
  }
}

TEST_CASE("a corpus of many batches", "[dedup][oracle]") {
  oracle::random_engine random(6);
  const auto fingerprints = oracle::clustered_fingerprints<64>(oracle::effort(6000, 2500), 6, random);
  kinds check;
  for (std::size_t i = 0; i < fingerprints.size(); ++i) check.of.push_back(oracle::random_below(random, 7));
  const expectation expected = expected_labels(fingerprints, 5, check, {});
  for (const std::size_t count : {1U, 3U}) {
    std::atomic<std::size_t> calls = 0;
    REQUIRE(group(fingerprints, bits{5}, counted_check<kinds>{check, calls}, {.run = threads{count}}) ==
            expected.labels);
    REQUIRE(calls == expected.checks);
  }
}

TEST_CASE("batch after batch gives the groups of all at once", "[dedup][oracle]") {
  oracle::random_engine random(7);
  const auto fingerprints = oracle::clustered_fingerprints<64>(oracle::effort(5000, 2500), 6, random);
  kinds check;
  for (std::size_t i = 0; i < fingerprints.size(); ++i) check.of.push_back(oracle::random_below(random, 7));
  // Every two fingerprints are within 64 bits, so without a check there is one group.
  for (const int k : {0, 5, 64}) {
    const labels_type at_once = group(fingerprints, bits{k}, check);
    const labels_type unchecked = group(fingerprints, bits{k});
    // Up to 256 documents are compared one by one; more are joined.
    for (const std::size_t most : {1U, 300U, 2000U}) {
      if (most == 1 && k == 64) continue;
      labels_type labels, labels_unchecked;
      std::vector<simhash<64>> kept, kept_unchecked;
      std::vector<std::size_t> of, of_unchecked;  // the positions of the kept documents
      for (std::size_t first = 0; first < fingerprints.size();) {
        const std::size_t size = std::min(fingerprints.size() - first, 1 + oracle::random_below(random, most));
        const std::vector batch(fingerprints.begin() + static_cast<std::ptrdiff_t>(first),
                                fingerprints.begin() + static_cast<std::ptrdiff_t>(first + size));
        const auto extend = [&](auto& representatives, auto& documents, labels_type& result, const auto& accepts) {
          const std::size_t before = representatives.size();
          const auto document = [&](std::size_t i) { return i < before ? documents[i] : first + (i - before); };
          const auto check_documents = [&](std::size_t i, std::size_t j) { return accepts(document(i), document(j)); };
          const labels_type found =
              neardup::extend_groups(representatives, batch, bits{k}, check_documents, {.run = threads{most % 3 + 1}});
          for (std::size_t i = 0; i < size; ++i) result.push_back(static_cast<std::uint32_t>(document(found[i])));
          for (std::size_t i = 0; i < size; ++i) {
            if (found[i] != before + i) continue;
            representatives.push_back(batch[i]);
            documents.push_back(first + i);
          }
        };
        extend(kept, of, labels, check);
        extend(kept_unchecked, of_unchecked, labels_unchecked, neardup::no_check{});
        first += size;
      }
      CAPTURE(k, most);
      REQUIRE(labels == at_once);
      REQUIRE(labels_unchecked == unchecked);
    }
  }
}

TEST_CASE("a crowd in batches takes a check each", "[dedup][hostile]") {
  const std::size_t count = oracle::effort(30000, 20000);
  const auto fingerprints = crowd(2 * count);
  const std::span<const simhash<64>> all(fingerprints);
  const std::vector<simhash<64>> kept{fingerprints[0]};
  const neardup::no_check accepts;
  std::atomic<std::size_t> calls = 0;
  const counted_check<neardup::no_check> counting{accepts, calls};
  const labels_type labels =
      neardup::extend_groups(kept, all.subspan(1, count), bits{4}, counting, {.run = threads{2}});
  REQUIRE(std::all_of(labels.begin(), labels.end(), [](std::uint32_t label) { return label == 0; }));
  REQUIRE(calls == count);
}

TEST_CASE("grouping nothing, and one", "[dedup]") {
  REQUIRE(neardup::extend_groups(std::vector<simhash<64>>(3), std::vector<simhash<64>>{}, bits{3}).empty());
  REQUIRE(neardup::extend_groups(std::vector<simhash<64>>{}, std::vector<simhash<64>>(2), bits{3}) ==
          labels_type{0, 0});

  for (const grouping by : {grouping::representatives, grouping::components}) {
    REQUIRE(group(std::vector<simhash<64>>{}, bits{3}, {.by = by}).empty());
    REQUIRE(group(std::vector<simhash<64>>(1), bits{3}, {.by = by}) == labels_type{0});
    REQUIRE(group(std::vector<simhash<64>>(1), bits{64}, {.by = by, .run = threads{8}}) == labels_type{0});
  }
}

TEST_CASE("components chain, representatives do not", "[dedup]") {
  const std::vector<simhash<64>> chain{simhash<64>(0b1), simhash<64>(0b11), simhash<64>(0b111), simhash<64>(0b1111)};
  REQUIRE(group(chain, bits{1}, {.by = grouping::components}) == labels_type{0, 0, 0, 0});
  REQUIRE(group(chain, bits{1}) == labels_type{0, 0, 2, 2});
  // The second document is preferred, so both its neighbours go to it.
  const std::vector<double> scores{0, 7, 0, 0};
  REQUIRE(group(chain, bits{1}, {.preference = scores}) == labels_type{1, 1, 1, 3});
  REQUIRE(group(chain, bits{1}, {.by = grouping::components, .preference = scores}) == labels_type{1, 1, 1, 1});
}

TEST_CASE("the nearest representative takes a document, of equally near ones the first", "[dedup]") {
  const std::vector<simhash<64>> stored{simhash<64>(0), simhash<64>(0b11111), simhash<64>(0b111)};
  REQUIRE(group(stored, bits{3}) == labels_type{0, 1, 1});
  REQUIRE(group(std::vector<simhash<64>>{simhash<64>(0), simhash<64>(0b1111), simhash<64>(0b11)}, bits{3}) ==
          labels_type{0, 1, 0});
}

TEST_CASE("copies that the check tells apart", "[dedup]") {
  const std::vector<simhash<64>> copies(6, simhash<64>(9));
  const auto same_parity = [](std::size_t i, std::size_t j) { return i % 2 == j % 2; };
  for (const grouping by : {grouping::representatives, grouping::components}) {
    for (const int k : {0, 3})
      REQUIRE(group(copies, bits{k}, same_parity, {.by = by}) == labels_type{0, 1, 0, 1, 0, 1});
  }
}

TEST_CASE("a crowd of near-duplicates takes a check each", "[dedup][hostile]") {
  const std::size_t count = oracle::effort(100000, 20000);
  const auto fingerprints = crowd(count);
  const neardup::no_check accepts;
  for (const std::size_t parts : {1U, 3U}) {
    for (const grouping by : {grouping::representatives, grouping::components}) {
      std::atomic<std::size_t> calls = 0;
      const counted_check<neardup::no_check> counting{accepts, calls};
      const labels_type labels = group(fingerprints, bits{4}, counting, {.by = by, .run = threads{parts}});
      REQUIRE(std::all_of(labels.begin(), labels.end(), [](std::uint32_t label) { return label == 0; }));
      if (by == grouping::representatives) REQUIRE(calls == count - 1);
      // Two threads may each check a pair at once although the first pair already connects the second.
      if (by == grouping::components) REQUIRE(calls <= 2 * count);
    }
  }
}

TEST_CASE("a crowd of a few kinds", "[dedup][hostile]") {
  const std::size_t count = oracle::effort(100000, 20000);
  constexpr std::size_t kinds_count = 16;
  const auto fingerprints = crowd(count);
  const auto same_kind = [](std::size_t i, std::size_t j) { return i % kinds_count == j % kinds_count; };
  std::atomic<std::size_t> calls = 0;
  const counted_check<decltype(same_kind)> counting{same_kind, calls};
  const labels_type labels = group(fingerprints, bits{4}, counting, {.run = threads{2}});
  for (std::size_t i = 0; i < count; ++i) {
    if (labels[i] != i % kinds_count) FAIL("document " << i << " has label " << labels[i]);
  }
  REQUIRE(calls <= kinds_count * count);
}

TEST_CASE("what a check throws passes through", "[dedup][errors]") {
  const auto fingerprints = crowd(3000);
  for (const grouping by : {grouping::representatives, grouping::components}) {
    for (const std::size_t count : {1U, 4U}) {
      const auto throwing = [](std::size_t, std::size_t j) {
        if (j % 1000 == 999) throw std::runtime_error("unreadable");
        return false;
      };
      REQUIRE_THROWS_WITH(group(fingerprints, bits{4}, throwing, {.by = by, .run = threads{count}}), "unreadable");
    }
  }
}

TEST_CASE("groups with labels of other types", "[dedup]") {
  const std::vector<simhash<64>> copies(128, simhash<64>(9));
  for (const grouping by : {grouping::representatives, grouping::components}) {
    static_assert(std::is_same_v<decltype(group<std::int8_t>(copies, bits{3})), std::vector<std::int8_t>>);
    REQUIRE(group<std::int8_t>(copies, bits{3}, {.by = by}) == std::vector<std::int8_t>(128, 0));
    REQUIRE(group<std::uint64_t>(copies, bits{3}, {.by = by}) == std::vector<std::uint64_t>(128, 0));
  }
  REQUIRE_THROWS_AS(group<std::int8_t>(std::vector<simhash<64>>(129), bits{3}), std::length_error);
}

TEST_CASE("a check that gives similarities is held against the least one", "[dedup][group]") {
  const std::vector<simhash<64>> stored(3);
  const std::vector<std::vector<double>> similarity{{1, 0.85, 0.5}, {0.85, 1, 0.9}, {0.5, 0.9, 1}};
  const auto check = [&](std::size_t i, std::size_t j) { return similarity[i][j]; };
  REQUIRE(group(stored, bits{3}, at_least{0.8, check}) == labels_type{0, 0, 2});
  REQUIRE(group(stored, bits{3}, at_least{0.5, check}) == labels_type{0, 0, 0});
  REQUIRE(group(stored, bits{3}, at_least{0.8, check}, {.by = grouping::components}) == labels_type{0, 0, 0});
  REQUIRE(group(stored, bits{3}, at_least{0.9, check}, {.by = grouping::components}) == labels_type{0, 1, 1});
  const double nan = std::numeric_limits<double>::quiet_NaN();
  REQUIRE_THROWS_AS(group(stored, bits{3}, at_least{nan, check}), std::invalid_argument);
  REQUIRE_THROWS_AS(group(stored, bits{3}, at_least{0.8, [&](auto, auto) { return nan; }}), std::invalid_argument);
}

TEST_CASE("groups that cannot be answered", "[dedup][errors]") {
  const std::vector<simhash<64>> stored(3);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const std::array<double, 2> too_few{1, 2};
  const std::array<double, 3> not_a_number{1, nan, 2};
  const std::array<double, 3> infinite{-infinity, infinity, 0};
  REQUIRE_THROWS_AS(neardup::extend_groups(stored, stored, bits{3}, {.by = grouping::components}),
                    std::invalid_argument);
  REQUIRE_THROWS_AS(neardup::extend_groups(stored, stored, bits{-1}), std::invalid_argument);
  REQUIRE_THROWS_AS(neardup::extend_groups(stored, stored, bits{3}, {.preference = too_few}), std::invalid_argument);
  REQUIRE_THROWS_AS(
      neardup::extend_groups<std::int8_t>(std::vector<simhash<64>>(120), std::vector<simhash<64>>(9), bits{3}),
      std::length_error);
  for (const grouping by : {grouping::representatives, grouping::components}) {
    REQUIRE_THROWS_AS(group(stored, bits{-1}, {.by = by}), std::invalid_argument);
    REQUIRE_THROWS_AS(group(stored, bits{65}, {.by = by}), std::invalid_argument);
    REQUIRE_THROWS_AS(group(stored, bits{3}.in_blocks(-1), {.by = by}), std::invalid_argument);
    REQUIRE_THROWS_AS(group(stored, bits{5}.in_blocks(20), {.by = by}), std::invalid_argument);
    REQUIRE_THROWS_AS(group(stored, bits{3}, {.by = by, .preference = too_few}), std::invalid_argument);
    REQUIRE_THROWS_AS(group(stored, bits{3}, {.by = by, .preference = not_a_number}), std::invalid_argument);
    REQUIRE(group(stored, bits{3}, {.by = by, .preference = infinite}) == labels_type{1, 1, 1});
  }
}
