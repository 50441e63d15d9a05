// Compares an index of sets with a comparison of the query with each stored set, after random operations.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <span>
#include <stdexcept>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <neardup/guarded.hpp>
#include <neardup/sets/set_index.hpp>
#include <neardup/threads.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "oracle/random_engine.hpp"
#include "oracle/slow_set_index.hpp"

namespace {

using neardup::jaccard;
using neardup::set_index;
using neardup::set_similarity;

using oracle::ordered_set_id;
using oracle::set_id;
using oracle::set_maker;
using oracle::set_stream;
using oracle::slow_set_index;

template <class Feature, class Id>
void check_searches(const set_index<Feature, Id>& index, const slow_set_index<Feature, Id>& slow,
                    const std::vector<Feature>& query, typename set_index<Feature, Id>::workspace& scratch,
                    std::size_t& matches) {
  const double built = index.threshold().similarity;
  for (const double least : {built, built + (1 - built) / 2, 1.0}) {
    const auto expected = slow.search(query, least);
    REQUIRE(index.search(query, least) == expected);
    std::vector<typename set_index<Feature, Id>::match_type> visited;
    index.for_each_match(query, least, scratch, [&](const auto& match) { visited.push_back(match); });
    std::sort(visited.begin(), visited.end());
    REQUIRE(visited == expected);
    REQUIRE(index.any_within(query, least, scratch) == !expected.empty());
    const auto nearest = index.nearest(query, least, scratch);
    REQUIRE(nearest.has_value() == !expected.empty());
    if (nearest) REQUIRE(*nearest == expected.front());
    matches += expected.size();
  }
  REQUIRE(index.search(query) == slow.search(query));
}

/// Does random operations. If `window` is not 0, also erases the oldest ids, so that only the last `window` ids stay.
template <class Feature, class Id>
void compare_with_oracle(set_stream form, double least, set_similarity measure, std::size_t min_common,
                         std::size_t window, std::size_t steps, std::uint64_t seed) {
  INFO(static_cast<int>(form) << " " << least << " " << static_cast<int>(measure) << " " << min_common << " "
                              << window);
  set_index<Feature, Id> index({measure, least, min_common});
  slow_set_index<Feature, Id> slow(least, measure, min_common);
  typename set_index<Feature, Id>::workspace scratch;
  set_maker<Feature> maker(form, seed);
  std::size_t matches = 0;
  std::uint64_t added = 0;
  for (std::size_t step = 0; step < steps; ++step) {
    const std::vector<Feature> set = maker.next();
    const Id id = set_id<Id>(added);
    REQUIRE(index.insert(set, id));
    REQUIRE_FALSE(index.insert(maker.next(), id));
    slow.sets[id] = set;
    ++added;
    const Id some = set_id<Id>(maker.below(added));
    switch (maker.below(6)) {
      case 0:
        REQUIRE(index.erase(some) == (slow.sets.erase(some) == 1));
        REQUIRE_FALSE(index.erase(some));
        break;
      case 1: {
        const std::vector<Feature> other = maker.next();
        REQUIRE(index.insert_or_assign(other, some) == !slow.sets.contains(some));
        slow.sets[some] = other;
        break;
      }
      case 2:  // a view of the set of another id in this index
        if (const auto own = index.find(id)) {
          REQUIRE(index.insert_or_assign(*own, some) == !slow.sets.contains(some));
          slow.sets[some] = set;
        }
        break;
      default: break;
    }
    if (window != 0 && added > window) {
      const Id oldest = set_id<Id>(added - window - 1);
      index.erase(oldest);
      slow.sets.erase(oldest);
    }
    if (maker.below(steps / 2) == 0) index.compact();
    if (maker.below(steps) == 0) {
      index.clear();
      slow.sets.clear();
    }
    REQUIRE(index.size() == slow.sets.size());
    const auto found = index.find(some);
    REQUIRE(found.has_value() == slow.sets.contains(some));
    if (found) REQUIRE(std::vector<Feature>(found->begin(), found->end()) == slow.sets[some]);
    if (step % 4 == 0) check_searches(index, slow, step % 8 == 0 ? set : maker.next(), scratch, matches);
  }
  std::vector<std::vector<Feature>> distinct, queries;
  std::map<Id, std::vector<Feature>> visited;
  index.for_each([&](const Id& id, std::span<const Feature> set) { visited[id].assign(set.begin(), set.end()); });
  REQUIRE(visited == slow.sets);
  for (const auto& [id, set] : slow.sets) distinct.push_back(set);
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  REQUIRE(index.distinct_size() == distinct.size());
  while (queries.size() < oracle::effort(200, 200, 60)) queries.push_back(maker.next());
  const auto batch = index.search_batch(queries, {}, neardup::threads{3});
  REQUIRE(batch.size() == queries.size());
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const auto one = batch[i];
    REQUIRE(std::vector(one.begin(), one.end()) == slow.search(queries[i]));
  }
  CHECK(matches > 0);
}

}  // namespace

TEST_CASE("an index of sets finds what comparing with each set finds", "[sets][set_index]") {
  using oracle::sample_or;
  using wide_id = sample_or<ordered_set_id, std::uint64_t>;
  const std::size_t steps = oracle::effort(1200, 500, 100);
  std::uint64_t seed = 1;
  for (const set_stream form : {set_stream::mixed, set_stream::few_features, set_stream::of_a_template,
                                set_stream::drifting, set_stream::copies, set_stream::sizes_apart}) {
    for (const std::size_t window : {std::size_t{0}, std::size_t{60}}) {
      for (const double least : {0.5, 0.8, 0.95}) {
        compare_with_oracle<std::uint32_t, std::uint32_t>(form, least, set_similarity::jaccard, 0, window, steps,
                                                          ++seed);
      }
      compare_with_oracle<std::uint32_t, sample_or<std::uint32_t, std::uint64_t>>(form, 0.7, set_similarity::cosine, 0,
                                                                                  window, steps, ++seed);
      compare_with_oracle<std::uint64_t, sample_or<ordered_set_id, std::uint32_t>>(form, 0.6, set_similarity::jaccard,
                                                                                   3, window, steps, ++seed);
      for (const std::size_t min_common : {std::size_t{0}, std::size_t{1}, std::size_t{5}}) {
        compare_with_oracle<std::uint32_t, sample_or<std::uint32_t, ordered_set_id>>(
            form, 0.8, set_similarity::containment, min_common, window, steps, ++seed);
        compare_with_oracle<std::uint64_t, wide_id>(form, 0.6, set_similarity::containment, min_common, window, steps,
                                                    ++seed);
      }
    }
  }
}

TEST_CASE("equal sets are stored once, under any number of ids", "[sets][set_index]") {
  set_index<> index(jaccard{0.8});
  std::vector<std::uint32_t> set(100);
  for (std::uint32_t i = 0; i < 100; ++i) set[i] = 7 * i;
  REQUIRE(index.insert(set, 0));
  const std::size_t before = index.memory_usage();
  for (std::uint32_t id = 1; id < 1000; ++id) REQUIRE(index.insert(set, id));
  CHECK(index.distinct_size() == 1);
  CHECK(index.size() == 1000);
  CHECK(index.memory_usage() < before + 40 * 1000);
  CHECK(index.search(set).size() == 1000);
  CHECK(index.nearest(set)->id == 0);
  for (std::uint32_t id = 0; id < 999; ++id) REQUIRE(index.erase(id));
  CHECK(index.search(set) == std::vector<set_index<>::match_type>{{999, 100, 1.0}});
  REQUIRE(index.erase(999));
  CHECK(index.distinct_size() == 0);
  CHECK(index.search(set).empty());
}

TEST_CASE("empty sets are kept, and match nothing", "[sets][set_index]") {
  set_index<> index(jaccard{0.5});
  const std::vector<std::uint32_t> empty, some{1, 2, 3};
  CHECK(index.insert(empty, 1));
  CHECK(index.insert(empty, 2));
  CHECK(index.insert(some, 3));
  CHECK(index.size() == 3);
  CHECK(index.distinct_size() == 2);
  REQUIRE(index.find(1));
  CHECK(index.find(1)->empty());
  CHECK(index.search(empty).empty());
  CHECK_FALSE(index.any_within(empty));
  CHECK(index.search(some).size() == 1);
  CHECK_FALSE(index.insert_or_assign(some, 1));
  CHECK(index.search(some).size() == 2);
  CHECK(index.erase(2));
  CHECK_FALSE(index.find(2));
}

TEST_CASE("an index of sets refuses what it could only answer wrongly", "[sets][set_index]") {
  CHECK_THROWS_AS(set_index<>(jaccard{0.0}), std::invalid_argument);
  CHECK_THROWS_WITH(set_index<>(jaccard{1.5}), "a least similarity is above 0 and at most 1, not 1.5");
  CHECK_THROWS_AS(set_index<>(jaccard{std::numeric_limits<double>::quiet_NaN()}), std::invalid_argument);
  set_index<> index(jaccard{0.5});
  const std::vector<std::uint32_t> set{1, 2, 3}, twice{1, 1, 2}, unsorted{2, 1};
  index.insert(set, 1);
  CHECK_THROWS_AS(index.insert(twice, 2), std::invalid_argument);
  CHECK_THROWS_AS(index.insert_or_assign(unsorted, 1), std::invalid_argument);
  CHECK_THROWS_AS(index.search(unsorted), std::invalid_argument);
  CHECK_THROWS_AS(index.search(set, 0.49), std::invalid_argument);
  CHECK_THROWS_AS(index.search(set, 80), std::invalid_argument);
  CHECK_THROWS_AS(index.nearest(set, std::numeric_limits<double>::quiet_NaN()), std::invalid_argument);
  const std::vector<std::vector<std::uint32_t>> sets{set, unsorted};
  const std::vector<std::uint32_t> ids{4, 5}, fewer{4};
  CHECK_THROWS_AS(index.insert_all(sets, ids), std::invalid_argument);
  CHECK_THROWS_AS(index.insert_all(sets, fewer), std::invalid_argument);
  CHECK_THROWS_AS(index.search_batch(sets), std::invalid_argument);
  CHECK(index.size() == 1);
  CHECK(index.search(set).size() == 1);
}

TEST_CASE("a search takes a threshold that is at least that of the index, of the same measure", "[sets][set_index]") {
  set_index<> index{jaccard{0.5, 2}};
  index.insert(std::vector<std::uint32_t>{1, 2, 3, 4, 5}, 1);
  index.insert(std::vector<std::uint32_t>{1, 2, 3, 4}, 2);
  const std::vector<std::uint32_t> query{1, 2, 3, 4};
  CHECK(index.search(query).size() == 2);
  CHECK(index.search(query, jaccard{0.9}).size() == 1);
  CHECK(index.search(query, 1).size() == 1);
  CHECK(index.search(query, jaccard{0.5}) == index.search(query, 0.5));
  CHECK(index.search(query, jaccard{0.5, 4}).size() == 2);
  CHECK(index.search(query, jaccard{0.5, 5}).empty());
  CHECK(index.nearest(query, neardup::set_threshold{set_similarity::jaccard, 1})->id == 2);
  CHECK_FALSE(index.any_within(query, jaccard{0.5, 5}));
  CHECK_THROWS_AS(index.search(query, jaccard{0.4}), std::invalid_argument);
  CHECK_THROWS_AS(index.search(query, jaccard{0.5, 1}), std::invalid_argument);
  CHECK_THROWS_AS(index.search(query, neardup::cosine{0.9}), std::invalid_argument);
  CHECK_THROWS_AS(index.search(query, 80), std::invalid_argument);
}

TEST_CASE("an index of sets refuses an id that its type cannot hold", "[sets][set_index]") {
  constexpr std::uint64_t too_large = (std::uint64_t{1} << 40) + 7;
  const std::vector<std::uint32_t> set{1, 2, 3};
  set_index<> index{jaccard{0.8}};
  CHECK(index.insert(set, std::size_t{7}));
  CHECK_THROWS_AS(index.insert(set, too_large), std::invalid_argument);
  CHECK_THROWS_AS(index.insert_or_assign(set, too_large), std::invalid_argument);
  CHECK_THROWS_AS(index.find(too_large), std::invalid_argument);
  CHECK_THROWS_AS(index.contains(too_large), std::invalid_argument);
  CHECK_THROWS_AS(index.erase(too_large), std::invalid_argument);
  CHECK_THROWS_AS(index.erase(-7), std::invalid_argument);
  CHECK(index.size() == 1);
}

TEST_CASE("a batch of sets is stored as one set after the other", "[sets][set_index]") {
  for (const set_similarity measure : {set_similarity::jaccard, set_similarity::cosine, set_similarity::containment}) {
    set_maker<std::uint32_t> maker(set_stream::mixed, 5);
    set_index<> together({measure, 0.6}), singly({measure, 0.6});
    for (int batch = 0; batch < 3; ++batch) {
      std::vector<std::vector<std::uint32_t>> sets;
      std::vector<std::uint32_t> ids;
      std::size_t added = 0;
      for (std::size_t i = 0; i < oracle::effort(3000, 300); ++i) {
        sets.push_back(maker.next());
        ids.push_back(static_cast<std::uint32_t>(maker.below(2000)));
        added += singly.insert(sets.back(), ids.back()) ? 1 : 0;
      }
      REQUIRE(together.insert_all(sets, ids, neardup::threads{2}) == added);
      REQUIRE(together.size() == singly.size());
      for (const auto& set : sets) REQUIRE(together.search(set) == singly.search(set));
      if (batch == 0) {  // the next batch goes into an index that was emptied
        for (const std::uint32_t id : ids) REQUIRE(together.erase(id) == singly.erase(id));
      }
    }
  }
}

TEST_CASE("many sets of a template lie in groups, and are found", "[sets][set_index]") {
  const std::size_t count = oracle::effort(6000, 3500, 2500);  // the index groups posting lists from 2,048 entries on
  oracle::random_engine random(3);
  const auto made = [&](std::size_t i) {
    std::vector<std::uint32_t> set;
    for (std::uint32_t f = 0; f < 40 + i % 9; ++f) set.push_back(f);
    for (int own = 0; own < 3; ++own) set.push_back(static_cast<std::uint32_t>(1000 + random() % 1000000));
    std::sort(set.begin(), set.end());
    set.erase(std::unique(set.begin(), set.end()), set.end());
    return set;
  };
  for (const set_similarity measure : {set_similarity::jaccard, set_similarity::cosine, set_similarity::containment}) {
    set_index<> index({measure, 0.85});
    slow_set_index<std::uint32_t, std::uint32_t> slow(0.85, measure, 0);
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto set = made(i);
      index.insert(set, i);
      slow.sets[i] = set;
    }
    for (std::size_t i = 0; i < 12; ++i) {
      const auto query = made(i);
      const auto expected = slow.search(query);
      CHECK(expected.size() > 100);
      REQUIRE(index.search(query) == expected);
    }
  }
}

TEST_CASE("a visit of matching sets ends when the visitor says so", "[sets][set_index]") {
  set_index<> index(jaccard{0.5});
  const std::vector<std::uint32_t> set{1, 2, 3, 4}, near{1, 2, 3, 5};
  for (std::uint32_t id = 0; id < 10; ++id) index.insert(id < 5 ? set : near, id);
  set_index<>::workspace scratch;
  std::size_t seen = 0;
  index.for_each_match(set, {}, scratch, [&](const auto&) { return ++seen < 3; });
  CHECK(seen == 3);
  seen = 0;
  index.for_each([&](std::uint32_t, std::span<const std::uint32_t>) { return ++seen < 7; });
  CHECK(seen == 7);
  const auto throwing = [](const auto&) { throw std::runtime_error("stop"); };
  CHECK_THROWS_AS(index.for_each_match(set, {}, scratch, throwing), std::runtime_error);
  CHECK(index.search(set).size() == 10);
}

TEST_CASE("an index of sets is moved and swapped", "[sets][set_index]") {
  static_assert(std::is_nothrow_move_constructible_v<set_index<>> && std::is_nothrow_swappable_v<set_index<>>);
  const std::vector<std::uint32_t> a{1, 2, 3}, b{4, 5, 6};
  set_index<> one(jaccard{0.5}), other(neardup::cosine{0.9});
  one.insert(a, 1);
  other.insert(b, 2);
  swap(one, other);
  CHECK(one.search(b).size() == 1);
  CHECK(one.threshold().measure == set_similarity::cosine);
  CHECK(other.search(a).size() == 1);
  set_index<> moved(std::move(one));
  CHECK(moved.search(b).size() == 1);
  moved = std::move(other);
  CHECK(moved.search(a).size() == 1);
  CHECK(moved.threshold().similarity == 0.5);
}

TEST_CASE("memory of a window of sets does not grow", "[sets][set_index]") {
  set_index<> index(jaccard{0.8});
  set_maker<std::uint32_t> maker(set_stream::drifting, 9);
  const std::uint32_t window = 500;
  std::size_t early = 0, most = 0;
  for (std::uint32_t i = 0; i < 40 * window; ++i) {
    index.insert(maker.next(), i);
    if (i >= window) REQUIRE(index.erase(i - window));
    if (i < 5 * window) early = std::max(early, index.memory_usage());
    most = std::max(most, index.memory_usage());
  }
  CHECK(most < early + early / 2);
  for (std::uint32_t i = 39 * window; i < 40 * window; ++i) REQUIRE(index.erase(i));
  REQUIRE(index.empty());
  index.compact();
  CHECK(index.memory_usage() < 20000);
}

TEST_CASE("many threads search an index of sets", "[sets][set_index][threads]") {
  neardup::guarded<set_index<>> shared(jaccard{0.6});
  set_maker<std::uint32_t> maker(set_stream::mixed, 4);
  std::vector<std::vector<std::uint32_t>> sets;
  for (std::uint32_t i = 0; i < oracle::effort(5000, 800); ++i) {
    sets.push_back(maker.next());
    shared.write([&](auto& index) { index.insert(sets.back(), i); });
  }
  const std::vector<std::vector<std::uint32_t>> queries(sets.begin(), sets.begin() + 200);
  const auto expected = shared.read([&](const auto& index) { return index.search_batch(queries); });
  std::atomic<std::size_t> errors = 0;
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      set_index<>::workspace scratch;
      for (std::size_t n = 0; n < queries.size(); ++n) {
        const std::size_t i = (n + t * 50) % queries.size();
        const auto wanted = expected[i];
        shared.read([&](const auto& index) {
          const auto found = index.search(queries[i]);
          if (!std::equal(found.begin(), found.end(), wanted.begin(), wanted.end())) ++errors;
          std::size_t visited = 0;
          index.for_each_match(queries[i], {}, scratch, [&](const auto&) { ++visited; });
          if (visited != wanted.size()) ++errors;
        });
        // Between the searches, a thread writes sets that match no query.
        if (n % 20 == t) {
          const std::vector<std::uint32_t> strange{static_cast<std::uint32_t>(n),
                                                   4000000000U + static_cast<std::uint32_t>(t)};
          const auto id = static_cast<std::uint32_t>(1000000 + t);
          shared.write([&](auto& index) { index.insert(strange, id); });
          shared.write([&](auto& index) { index.erase(id); });
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(errors == 0);
}
