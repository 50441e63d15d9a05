// frozen_index, however it is built, against the plain loop.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include <neardup/index/engine/frozen_builder.hpp>
#include <neardup/index/flat_index.hpp>
#include <neardup/index/frozen_index.hpp>
#include <neardup/index/pigeonhole_index.hpp>
#include <neardup/instruction_set.hpp>
#include <neardup/threads.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "oracle/index_check.hpp"
#include "oracle/probing.hpp"
#include "support/instruction_sets.hpp"

namespace {

using neardup::frozen_index;
using neardup::simhash;

/// Cycles through the instruction sets of the machine.
class levels_in_turn {
 public:
  ~levels_in_turn() { neardup::set_instruction_set(neardup::detail::best_instruction_set()); }

  void next() {
    neardup::set_instruction_set(levels_[level_]);
    level_ = (level_ + 1) % levels_.size();
  }

 private:
  std::vector<neardup::instruction_set> levels_ = support::instruction_sets();
  std::size_t level_ = 0;
};

template <std::size_t Bits>
oracle::tally check_layouts() {
  oracle::tally counts;
  levels_in_turn levels;
  for (int k = 0; k <= 16; ++k) {
    for (int blocks = 1; blocks <= 8; ++blocks) {
      if (!neardup::layout::is_valid(Bits, k, blocks)) continue;
      CAPTURE(Bits, k, blocks);
      levels.next();
      oracle::random_engine random(Bits * 1000 + static_cast<std::size_t>(k * 10 + blocks));
      const std::uint64_t probes = neardup::layout(Bits, k, blocks).probe_count(k);
      const auto size =
          static_cast<std::size_t>(std::clamp<std::uint64_t>(probes + probes / 2, 300, oracle::effort(4000, 400)));
      const oracle::corpus<Bits> data(size, oracle::effort(16, 4), k, random);
      const frozen_index<Bits> index(k, blocks, data.pairs.size(), [&](std::size_t i) { return data.pairs[i]; });
      REQUIRE(index.size() == data.pairs.size());
      ++counts.layouts;
      counts.plans += static_cast<std::size_t>(k) + 1;
      for (int near = 0; near <= k; ++near) {
        if (index.shape().probe_count(near) < index.distinct_size()) ++counts.plans_by_tables;
      }
      oracle::check_searches(index, std::span<const neardup::entry<Bits, std::uint32_t>>(data.pairs),
                             std::span<const simhash<Bits>>(data.queries), k, counts);
    }
  }
  return counts;
}

template <class Index>
auto sorted_pairs(const Index& index) {
  std::vector<std::pair<simhash<Index::bits>, typename Index::id_type>> result;
  for (const auto& [fingerprint, id] : index) result.emplace_back(fingerprint, id);
  std::sort(result.begin(), result.end());
  return result;
}

/// Random fingerprints, a tenth of them copies, and a crowd that is equal in its lower half.
std::vector<simhash<64>> mixed_fingerprints(std::size_t count, std::uint64_t seed) {
  oracle::random_engine random(seed);
  std::vector<simhash<64>> result;
  for (std::size_t i = 0; i < count; ++i) {
    if (i % 10 == 9) {
      result.push_back(result[oracle::random_below(random, i)]);
    } else if (i % 10 == 8) {
      result.emplace_back(random() << 32 | 0x12345678U);
    } else {
      result.emplace_back(random());
    }
  }
  return result;
}

}  // namespace

#if !defined(NEARDUP_TEST_SAMPLE)
TEST_CASE("frozen: all layouts equal the plain loop, 16 bits", "[index][frozen][oracle]") {
  const oracle::tally counts = check_layouts<16>();
  counts.print("frozen oracle, 16 bits");
  REQUIRE(counts.layouts == 16 * 8);
}
#endif
TEST_CASE("frozen: all layouts equal the plain loop, 64 bits", "[index][frozen][oracle]") {
  const oracle::tally counts = check_layouts<64>();
  counts.print("frozen oracle, 64 bits");
  REQUIRE(counts.plans_by_tables > counts.plans * 3 / 4);
  REQUIRE(counts.layouts == 17 * 8);
}
#if !defined(NEARDUP_TEST_SAMPLE)
TEST_CASE("frozen: all layouts equal the plain loop, 96 bits", "[index][frozen][oracle]") {
  const oracle::tally counts = check_layouts<96>();
  counts.print("frozen oracle, 96 bits");
  REQUIRE(counts.layouts == 17 * 8);
}
TEST_CASE("frozen: all layouts equal the plain loop, 256 bits", "[index][frozen][oracle]") {
  const oracle::tally counts = check_layouts<256>();
  counts.print("frozen oracle, 256 bits");
  REQUIRE(counts.layouts == 17 * 8);
}
#endif

TEST_CASE("frozen: small sets", "[index][frozen]") {
  levels_in_turn levels;
  for (std::size_t count = 0; count < 70; ++count) {
    levels.next();
    const auto fingerprints = mixed_fingerprints(count, count);
    const frozen_index<64> index(3, 4, std::span(fingerprints));
    REQUIRE(index.size() == count);
    REQUIRE(index.empty() == (count == 0));
    for (std::size_t i = 0; i < count; ++i) {
      const auto id = static_cast<std::uint32_t>(i);
      REQUIRE(index.contains(fingerprints[i], id));
      REQUIRE(index.contains(fingerprints[i]));
      REQUIRE_FALSE(index.contains(fingerprints[i], id + 70));
      REQUIRE(index.nearest(fingerprints[i])->distance == 0);
    }
    REQUIRE_FALSE(index.contains(simhash<64>(0x5eed)));
  }
}

TEST_CASE("frozen: the same as the index it comes from", "[index][frozen]") {
  const auto fingerprints = mixed_fingerprints(oracle::effort(50000, 3000), 7);
  neardup::pigeonhole_index<64, 3, 5, std::uint64_t> index;
  for (std::size_t i = 0; i < fingerprints.size(); ++i) REQUIRE(index.insert(fingerprints[i], 3 * i));
  for (std::size_t i = 0; i < fingerprints.size(); i += 3) REQUIRE(index.erase(fingerprints[i], 3 * i));
  const auto frozen = freeze(index);
  static_assert(std::is_same_v<decltype(frozen), const frozen_index<64, std::uint64_t>>);
  REQUIRE(frozen.shape() == index.shape());
  REQUIRE(frozen.size() == index.size());
  REQUIRE(frozen.distinct_size() == index.distinct_size());
  REQUIRE(sorted_pairs(frozen) == sorted_pairs(index));
  const std::span queries(fingerprints);
  REQUIRE(frozen.search_batch(queries, 3).matches == index.search_batch(queries, 3).matches);
  REQUIRE(frozen.memory_usage() < index.memory_usage());
  REQUIRE(freeze(frozen) == frozen);
}

/// Checks that batches of several sizes find what single searches find.
template <class Index>
void check_batches(const Index& index, std::span<const simhash<64>> queries, int k) {
  std::vector<std::vector<typename Index::match_type>> expected;
  for (const simhash<64>& query : queries) expected.push_back(index.search(query, k));
  for (const std::size_t count : {std::size_t{15}, std::size_t{16}, std::size_t{17}, std::size_t{65}, queries.size()}) {
    const auto batch = index.search_batch(queries.first(count), k);
    REQUIRE(batch.size() == count);
    for (std::size_t i = 0; i < count; ++i) {
      CAPTURE(count, i);
      if (!std::equal(batch[i].begin(), batch[i].end(), expected[i].begin(), expected[i].end())) FAIL("batch differs");
    }
  }
}

TEST_CASE("frozen: a batch finds what single searches find", "[index][frozen]") {
  levels_in_turn levels;
  for (const auto& [k, blocks] : {std::pair(0, 1), std::pair(1, 4), std::pair(3, 2), std::pair(3, 4), std::pair(3, 5),
                                  std::pair(6, 4), std::pair(9, 5), std::pair(10, 12)}) {
    CAPTURE(k, blocks);
    levels.next();
    // The fingerprints are near each other, so most matches are in several tables. There are few buckets, so several
    // keys share one.
    oracle::random_engine random(static_cast<std::uint64_t>(100 * k + blocks));
    std::vector<simhash<64>> fingerprints = mixed_fingerprints(oracle::effort(3000, 1200), 11);
    for (std::size_t i = 1; i < fingerprints.size(); i += 2) {
      std::uint64_t near = fingerprints[i - 1].to_uint64();
      for (std::uint64_t flips = oracle::random_below(random, static_cast<std::size_t>(k) + 2); flips > 0; --flips) {
        near ^= std::uint64_t{1} << oracle::random_below(random, 64);
      }
      fingerprints[i] = simhash<64>(near);
    }
    const std::span queries = std::span(fingerprints).first(1100);
    const frozen_index<64> frozen(k, blocks, std::span(fingerprints));
    neardup::pigeonhole_index<64, neardup::dynamic_layout> dynamic(k, blocks);
    for (std::size_t i = 0; i < fingerprints.size(); ++i) {
      REQUIRE(dynamic.insert(fingerprints[i], static_cast<std::uint32_t>(i)));
    }
    for (const int near : {k, k / 2}) {
      check_batches(frozen, queries, near);
      check_batches(dynamic, queries, near);
    }
  }
}

TEST_CASE("frozen: equal pairs count once", "[index][frozen]") {
  const std::vector<simhash<64>> fingerprints(1000, simhash<64>(5));
  std::vector<std::uint32_t> ids(1000);
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<std::uint32_t>(i * 7 % 10);
  const frozen_index<64> index(3, 4, fingerprints, ids);  // vectors are spans
  REQUIRE(index.size() == 10);
  REQUIRE(index.distinct_size() == 1);
  const auto found = index.search(simhash<64>(4));
  REQUIRE(found.size() == 10);
  for (std::uint32_t i = 0; i < 10; ++i) REQUIRE(found[i].id == i);
}

TEST_CASE("frozen: threads and passes do not change the result", "[index][frozen][threads]") {
  const auto fingerprints = mixed_fingerprints(oracle::effort(200000, 20000), 3);
  using builder = neardup::detail::frozen_builder<1, std::uint32_t, std::uint32_t>;
  const auto read = [&](std::size_t i) {
    return builder::pair{fingerprints[i].to_words(), static_cast<std::uint32_t>(i)};
  };
  for (const auto& [k, blocks] : {std::pair(3, 4), std::pair(3, 5), std::pair(3, 2), std::pair(10, 4)}) {
    CAPTURE(k, blocks);
    const frozen_index<64> index(k, blocks, std::span(fingerprints));
    const frozen_index<64> by_threads(k, blocks, std::span(fingerprints), neardup::threads{3});
    REQUIRE(std::equal(index.begin(), index.end(), by_threads.begin(), by_threads.end()));
    const auto queries = std::span(fingerprints).first(oracle::effort(2000, 300));
    const auto matches = index.search_batch(queries, k);
    REQUIRE(by_threads.search_batch(queries, k).matches == matches.matches);
    const auto batch_by_threads = index.search_batch(queries, k, neardup::threads{3});
    REQUIRE(batch_by_threads.matches == matches.matches);
    REQUIRE(batch_by_threads.offsets == matches.offsets);

    // The partition takes at most 1,000 pairs at once here.
    using engine = neardup::detail::frozen_engine<1, std::uint32_t, std::uint32_t>;
    const neardup::any_runner run;
    const engine in_passes = builder(neardup::layout(64, k, blocks), fingerprints.size(), run, 1000).build(read);
    REQUIRE(in_passes.store().slots() == index.distinct_size());
    std::set<std::tuple<std::size_t, std::uint32_t, int>> found, wanted;
    std::vector<std::array<std::uint64_t, 1>> words;
    for (const simhash<64>& query : queries) words.push_back(query.to_words());
    const auto note = [&](std::size_t query, std::size_t slot, int distance) {
      for (const std::uint32_t id : in_passes.store().ids(slot)) {
        REQUIRE(found.emplace(query, id, distance).second);
      }
      return true;
    };
    in_passes.visit_batch(words, k, note);
    for (std::size_t query = 0; query < matches.size(); ++query) {
      for (const auto& match : matches[query]) wanted.emplace(query, match.id, match.distance);
    }
    REQUIRE(found == wanted);
  }
}

TEST_CASE("scans and probes find the same", "[index][frozen]") {
  const auto fingerprints = mixed_fingerprints(2000, 23);
  levels_in_turn levels;
  for (std::size_t turn = 0; turn < oracle::effort(3, 1); ++turn) {
    levels.next();
    for (const int k : {0, 3, 8, 12, 20}) {
      CAPTURE(turn, k);
      const frozen_index<64> frozen(k, 4, std::span(fingerprints));
      neardup::pigeonhole_index<64, neardup::dynamic_layout> index(k, 4);
      for (std::size_t i = 0; i < fingerprints.size(); ++i)
        index.insert(fingerprints[i], static_cast<std::uint32_t>(i));
      const auto probed = frozen.search_batch(std::span(fingerprints), k).matches;
      neardup::detail::forced_scanned_a_probe().store(0);
      const bool right = frozen.search_batch(std::span(fingerprints), k).matches == probed &&
                         index.search_batch(std::span(fingerprints), k).matches == probed;
      neardup::detail::forced_scanned_a_probe().store(1000000);
      const bool scanned = frozen.search_batch(std::span(fingerprints), k).matches == probed &&
                           index.search_batch(std::span(fingerprints), k).matches == probed;
      neardup::detail::forced_scanned_a_probe().store(1);
      REQUIRE(right);
      REQUIRE(scanned);
    }
  }
}

TEST_CASE("frozen: a value", "[index][frozen]") {
  const auto fingerprints = mixed_fingerprints(3000, 11);
  frozen_index<64> index(3, 5, std::span(fingerprints));
  const auto matches = index.search_batch(std::span(fingerprints)).matches;
  frozen_index<64> copy(index);
  REQUIRE(copy == index);
  frozen_index<64> other(2, 3, std::span(fingerprints).first(10));
  REQUIRE_FALSE(copy == other);
  swap(copy, other);
  REQUIRE(copy.size() == 10);
  REQUIRE(copy.max_distance() == 2);
  REQUIRE(other.search_batch(std::span(fingerprints)).matches == matches);
  copy = other;
  const frozen_index<64> moved(std::move(other));
  REQUIRE(other.empty());  // NOLINT(bugprone-use-after-move): it is empty and usable
  REQUIRE(other.max_distance() == 3);
  REQUIRE(other.search(fingerprints[0]).empty());
  REQUIRE(other.search_batch(std::span(fingerprints)).matches.empty());
  REQUIRE(moved.search_batch(std::span(fingerprints)).matches == matches);
  REQUIRE(copy.search_batch(std::span(fingerprints)).matches == matches);
}

TEST_CASE("frozen: more pairs than Offset counts fingerprints", "[index][frozen]") {
  neardup::pigeonhole_index<64, neardup::dynamic_layout, neardup::dynamic_layout, std::uint32_t, std::uint8_t> index(3);
  for (std::uint32_t id = 0; id < 300; ++id) index.insert(simhash<64>(5 + id % 2), id);
  const auto frozen = freeze(index);
  REQUIRE(frozen.size() == 300);
  REQUIRE(frozen.distinct_size() == 2);
  REQUIRE(frozen.search(simhash<64>(5)).size() == 300);
}

TEST_CASE("frozen: an index without a layout is frozen in a given one", "[index][frozen]") {
  neardup::flat_index<64> flat;
  neardup::pigeonhole_index<64, 3, 5> index;
  for (const simhash<64>& fingerprint : mixed_fingerprints(500, 3)) {
    for (const std::uint32_t id : {3U, 1U}) {
      flat.insert(fingerprint, id);
      index.insert(fingerprint, id);
    }
  }
  const auto frozen = freeze(flat, 3, 5);
  REQUIRE(frozen.shape() == neardup::layout(64, 3, 5));
  REQUIRE(frozen == freeze(index));
  for (const auto& [fingerprint, id] : flat) {
    REQUIRE(frozen.search(fingerprint, 3) == flat.search(fingerprint, 3));
    REQUIRE(frozen.contains(fingerprint, id));
  }
  REQUIRE(freeze(index, 2, 4, neardup::threads{2}).shape() == neardup::layout(64, 2, 4));
  REQUIRE_THROWS_AS(freeze(flat, 64, 5), std::invalid_argument);
}

TEST_CASE("frozen: what cannot be built is refused", "[index][frozen][errors]") {
  const auto fingerprints = mixed_fingerprints(300, 1);
  const std::vector<std::uint32_t> ids(299);
  CHECK_THROWS_WITH(frozen_index<64>(3, 4, std::span(fingerprints), std::span<const std::uint32_t>(ids)),
                    Catch::Matchers::ContainsSubstring("300 fingerprints, but 299 ids"));
  CHECK_THROWS_AS((frozen_index<64, std::uint8_t>(3, 4, std::span(fingerprints))), std::length_error);
  CHECK_THROWS_AS((frozen_index<64, std::uint32_t, std::uint8_t>(3, 4, std::span(fingerprints))), std::length_error);
  CHECK_THROWS_AS(frozen_index<64>(64, 4, std::span(fingerprints)), std::invalid_argument);
  CHECK_THROWS_AS(frozen_index<64>(3, 0, std::span(fingerprints)), std::invalid_argument);
  const frozen_index<64> index(3, 4, std::span(fingerprints));
  CHECK_THROWS_AS(index.search(fingerprints[0], 4), std::invalid_argument);
}
