// The strong guarantee: each allocation fails in turn, and visitors throw; the index must be unchanged.
#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include <neardup/index/flat_index.hpp>
#include <neardup/index/frozen_index.hpp>
#include <neardup/index/pigeonhole_index.hpp>
#include <neardup/threads.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "oracle/hamming.hpp"
#include "oracle/index_model.hpp"
#include "oracle/probing.hpp"
#include "support/failing_allocations.hpp"

namespace {

using neardup::simhash;
using support::fails_at;
using support::living_allocations;

/// The observable state of an index.
template <class Index>
struct snapshot {
  decltype(oracle::pairs_of(std::declval<Index>())) pairs;
  std::vector<std::vector<typename Index::match_type>> answers;
  std::size_t size, distinct_size;

  snapshot(const Index& index, const std::vector<typename Index::fingerprint_type>& queries)
      : pairs(oracle::pairs_of(index)), size(index.size()), distinct_size(index.distinct_size()) {
    for (const auto& query : queries) {
      for (int k = 0; k <= std::min(index.max_distance(), 10); ++k) answers.push_back(index.search(query, k));
    }
  }
  friend bool operator==(const snapshot&, const snapshot&) = default;
};

template <class Index>
std::vector<typename Index::fingerprint_type> some_fingerprints(std::size_t count, std::uint64_t seed) {
  oracle::random_engine random(seed);
  return oracle::clustered_fingerprints<Index::bits>(count, 4, random);
}

/// Erases the pairs of an index one by one, with a search at half, to check that its internal state is sound.
template <class Index, class Pairs>
void drain(Index index, const Pairs& pairs, const typename Index::fingerprint_type& query) {
  oracle::index_model<Index::bits, typename Index::id_type> model;
  for (const auto& [words, id] : pairs) model.insert(typename Index::fingerprint_type(words), id);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const typename Index::fingerprint_type fingerprint(pairs[i].first);
    REQUIRE(index.erase(fingerprint, pairs[i].second));
    model.erase(fingerprint, pairs[i].second);
    if (i == pairs.size() / 2) {
      const int k = index.default_distance();
      REQUIRE(index.search(query, k) == model.search(query, k));
      for (const auto& [words, id] : model.pairs()) {
        REQUIRE(index.search(typename Index::fingerprint_type(words), 0).size() > 0);
      }
    }
  }
  REQUIRE(index.empty());
  REQUIRE_FALSE(index.any_within(query));
}

/// Inserts pair after pair; before each success, each of its allocations has failed once.
template <class Index>
std::size_t fail_every_insert(Index index, std::size_t count) {
  const auto fingerprints = some_fingerprints<Index>(count, 1);
  const std::vector<typename Index::fingerprint_type> queries{fingerprints[0], fingerprints[count / 2]};
  std::size_t failures = 0;
  for (std::size_t i = 0; i < fingerprints.size(); ++i) {
    // Every fourth fingerprint gets a second and third id, which allocate, too.
    for (std::uint32_t id = 0; id < (i % 4 == 0 ? 3U : 1U); ++id) {
      CAPTURE(i, id);
      std::optional<snapshot<Index>> before;
      bool is_new = false;
      for (std::size_t n = 1; fails_at(n, [&] { is_new = index.insert(fingerprints[i], 7 - id); }); ++n) {
        ++failures;
        if (!before) before.emplace(index, queries);  // So far only failed inserts: this is still the initial state.
        REQUIRE((snapshot<Index>(index, queries) == *before));
        if (!before->pairs.empty()) {
          REQUIRE(index.contains(simhash<Index::bits>(before->pairs[0].first), before->pairs[0].second));
          drain(index, before->pairs, queries[0]);
        }
      }
      REQUIRE(index.contains(fingerprints[i], 7 - id));
      if (is_new && i % 5 == 0) {
        REQUIRE(index.erase(fingerprints[i], 7 - id));  // leaves holes, free chunks and empty buckets
        REQUIRE(index.insert(fingerprints[i], 7 - id));
      }
    }
  }
  // No pair is missing or duplicated.
  oracle::index_model<Index::bits, typename Index::id_type> model;
  for (const auto& [fingerprint, id] : index) REQUIRE(model.insert(fingerprint, id));
  for (std::size_t i = 0; i < fingerprints.size(); ++i) REQUIRE(index.contains(fingerprints[i], 7));
  for (const auto& query : queries) REQUIRE(index.search(query) == model.search(query, index.default_distance()));
  return failures;
}

template <class Index>
std::size_t fail_everything_else(const Index& empty) {
  Index index = empty;
  const auto fingerprints = some_fingerprints<Index>(300, 2);
  for (std::size_t i = 0; i < fingerprints.size(); ++i) index.insert(fingerprints[i], static_cast<std::uint32_t>(i));
  for (std::uint32_t id = 0; id < 5; ++id) index.insert(fingerprints[0], 1000 + id);
  const std::vector<typename Index::fingerprint_type> queries(fingerprints.begin(), fingerprints.begin() + 4);
  const snapshot<Index> before(index, queries);
  std::size_t failures = 0;
  const auto fail_each = [&](auto&& operation, bool is_unchanged = true) {
    const auto check = [&] { REQUIRE((snapshot<Index>(index, queries) == before)); };
    const std::size_t failed = support::fail_each_allocation(operation, check);
    if (is_unchanged) check();
    failures += failed;
    return failed;
  };

  REQUIRE(fail_each([&] { index.reserve(5000); }) > 0);
  REQUIRE(fail_each([&] { const Index copy(index); }) > 0);
  Index other = empty;
  other.insert(fingerprints[1], 77);
  const snapshot<Index> other_before(other, queries);
  REQUIRE(fail_each([&] {
            try {
              other = index;
            } catch (const std::bad_alloc&) {
              REQUIRE((snapshot<Index>(other, queries) == other_before));
              throw;
            }
          }) > 0);
  REQUIRE(other == index);
  REQUIRE(fail_each([&] { static_cast<void>(index.search(fingerprints[0])); }) > 0);
  REQUIRE(fail_each([&] { static_cast<void>(index.search_batch(queries)); }) > 0);

  // These members promise not to allocate.
  std::size_t seen = 0;
  const auto none = [&](auto&& operation) { REQUIRE(fail_each(operation) == 0); };
  none([&] { index.for_each_match(fingerprints[0], 3, [&](const auto&) { ++seen; }); });
  none([&] { static_cast<void>(index.any_within(fingerprints[0])); });
  none([&] { static_cast<void>(index.nearest(fingerprints[0])); });
  none([&] { static_cast<void>(index.contains(fingerprints[0], 0)); });
  none([&] {
    Index moved(std::move(index)), again = empty;
    again = std::move(moved);
    index.swap(again);
  });
  REQUIRE(seen > 0);
  // Erasing cannot fail: a document must be removable when memory is exhausted.
  for (std::size_t i = 0; i < fingerprints.size(); ++i) {
    REQUIRE_FALSE(fails_at(1, [&] {
      index.erase(fingerprints[i], static_cast<std::uint32_t>(i));
      if (i % 3 == 0) index.erase(fingerprints[i]);
    }));
  }
  REQUIRE_FALSE(fails_at(1, [&] { index.clear(); }));
  REQUIRE(index.empty());
  return failures;
}

template <class Index>
void check_failures(const Index& empty) {
  // Allocations that live on, as those of Catch2, happen in the first run.
  for (int run = 0; run < 2; ++run) {
    const std::ptrdiff_t before = living_allocations;
    REQUIRE(fail_every_insert(empty, oracle::effort(300, 100)) > 20);
    REQUIRE(fail_everything_else(empty) > 5);
    if (run > 0) REQUIRE(living_allocations == before);
  }
}

struct stop_here {};

// Copying such a member may throw for lack of memory; that must not end the program.
struct holder {
  neardup::pigeonhole_index<64> index;
};
static_assert(!std::is_nothrow_copy_assignable_v<holder> && std::is_nothrow_move_assignable_v<holder>);

}  // namespace

TEST_CASE("every allocation may fail, 4 blocks", "[index][exceptions]") {
  check_failures(neardup::pigeonhole_index<64>());
}
#if !defined(NEARDUP_TEST_SAMPLE)
TEST_CASE("every allocation may fail, 5 blocks", "[index][exceptions]") {
  check_failures(neardup::pigeonhole_index<64, 3, 5>());
}
TEST_CASE("every allocation may fail, 2 blocks of 128 bits", "[index][exceptions]") {
  check_failures(neardup::pigeonhole_index<128, 3, 2>());
}
#endif
TEST_CASE("every allocation may fail, flat_index", "[index][exceptions]") { check_failures(neardup::flat_index<64>()); }

TEST_CASE("every allocation of a constructor may fail", "[index][exceptions]") {
  const std::ptrdiff_t before = living_allocations;
  REQUIRE(support::fail_each_allocation(
              [] { const neardup::pigeonhole_index<64, neardup::dynamic_layout> index(3, 5); }, [] {}) > 0);
  REQUIRE(living_allocations == before);
}

TEST_CASE("a visitor may throw", "[index][exceptions]") {
  const auto check = [](auto index) {
    using index_type = decltype(index);
    const auto fingerprints = some_fingerprints<index_type>(2000, 3);
    for (std::size_t i = 0; i < fingerprints.size(); ++i) index.insert(fingerprints[i], static_cast<std::uint32_t>(i));
    const std::vector<typename index_type::fingerprint_type> queries{fingerprints[0], fingerprints[1]};
    const snapshot<index_type> before(index, queries);
    const auto has_company = [&](const auto& fingerprint) { return index.search(fingerprint, 3).size() > 9; };
    const auto query = std::find_if(fingerprints.begin(), fingerprints.end(), has_company);
    REQUIRE(query != fingerprints.end());
    const std::size_t all = index.search(*query, 3).size();
    for (std::size_t n = 1; n <= all; ++n) {
      std::size_t seen = 0;
      const auto visit = [&](const auto&) {
        if (++seen == n) throw stop_here();
      };
      REQUIRE_THROWS_AS(index.for_each_match(*query, 3, visit), stop_here);
      REQUIRE(seen == n);
    }
    REQUIRE((snapshot<index_type>(index, queries) == before));
    REQUIRE(index.insert(fingerprints[0], 99999));
  };
  check(neardup::pigeonhole_index<64>());
  check(neardup::flat_index<64>());
  oracle::unless_sample([&](auto) { check(neardup::pigeonhole_index<64, 3, 2>()); });
}

TEST_CASE("a source of a frozen index may throw, on any thread", "[index][exceptions]") {
  constexpr std::size_t count = 50'000;  // more than one part for each of three threads
  std::mutex mutex;
  std::size_t calls = 0;
  std::size_t last = 0;
  const auto source = [&](std::size_t i) {
    const std::lock_guard<std::mutex> lock(mutex);
    if (++calls == last) throw stop_here();
    return neardup::entry<64, std::uint32_t>{simhash<64>(i * 0x9e3779b97f4a7c15), static_cast<std::uint32_t>(i)};
  };
  using frozen = neardup::frozen_index<64>;
  REQUIRE(frozen(3, 4, count, source, neardup::threads{3}).size() == count);
  const std::size_t all = calls;
  const auto before = living_allocations.load();
  for (const std::size_t n : {std::size_t{1}, std::size_t{20'000}, count, count + 1, count + 30'000, all}) {
    calls = 0;
    last = n;
    CHECK_THROWS_AS(frozen(3, 4, count, source, neardup::threads{3}), stop_here);
    CHECK(living_allocations == before);
  }
}
