// Compares joins by partitions with joins in memory, which have an oracle of their own.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <stdexcept>
#include <vector>

#include <neardup/sets/pairs.hpp>
#include <neardup/sets/partitioned_pairs.hpp>
#include <neardup/threads.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "oracle/random_engine.hpp"
#include "support/partitions_in_memory.hpp"
#include "support/set_corpora.hpp"

namespace {

using neardup::jaccard;
using neardup::join_options;
using neardup::set_similarity;
using neardup::set_threshold;
using oracle::partitions_in_memory;
using pair_type = neardup::similar_pair<std::size_t>;

template <class Feature>
using set_vector = std::vector<std::vector<Feature>>;

void sort_pairs(std::vector<pair_type>& pairs) {
  std::sort(pairs.begin(), pairs.end(), [](const pair_type& a, const pair_type& b) {
    return a.first != b.first ? a.first < b.first : a.second < b.second;
  });
}

/// Returns the pairs of a join in memory. Sets from number `split` on are the second corpus.
template <class Feature>
std::vector<pair_type> joined(const set_vector<Feature>& sets, std::size_t split, const set_threshold& least,
                              const join_options& options) {
  std::vector<pair_type> result;
  const auto add = [&](const pair_type& pair) { result.push_back(pair); };
  const join_options how{.copies_once = options.copies_once};
  if (split == sets.size()) {
    neardup::visit_pairs(sets, least, add, how);
  } else {
    const set_vector<Feature> a(sets.begin(), sets.begin() + static_cast<std::ptrdiff_t>(split));
    const set_vector<Feature> b(sets.begin() + static_cast<std::ptrdiff_t>(split), sets.end());
    neardup::visit_pairs(a, b, least, add, how);
  }
  sort_pairs(result);
  return result;
}

template <class Feature>
std::vector<pair_type> partitioned(const set_vector<Feature>& sets, std::size_t split, const set_threshold& least,
                                   const join_options& options, const neardup::detail::row_join_sizes& sizes) {
  std::vector<pair_type> result;
  partitions_in_memory store;
  neardup::detail::visit_partitioned_pairs<Feature>(
      {sets.size(), [&](std::size_t i) { return std::span<const Feature>(sets[i]); }}, split, least,
      neardup::detail::any_store_of(store), options, sizes, [&](const pair_type& pair) {
        result.push_back(pair);
        return true;
      });
  sort_pairs(result);
  return result;
}

template <class Feature>
std::size_t check_partitions_of(oracle::set_shape shape, std::size_t count, std::mt19937_64& random) {
  std::size_t found = 0;
  auto sets = oracle::draw_sets<Feature>(shape, count, random);
  sets.emplace_back();
  sets.emplace_back();
  for (const set_similarity measure : {set_similarity::jaccard, set_similarity::cosine, set_similarity::containment}) {
    for (const double similarity : {0.3, 0.5, 2.0 / 3.0, 0.8, 0.95, 1.0}) {
      const std::size_t parts[] = {1, 2, 7}, large[] = {2, 7, 4096};
      const std::uint64_t memory[] = {1, 20'000, 1'000'000'000};
      const set_threshold least{measure, similarity, random() % 3 == 0 ? random() % 8 : 0};
      const join_options options{.copies_once = random() % 3 == 0, .run = neardup::threads{parts[random() % 3]}};
      const neardup::detail::row_join_sizes sizes{.memory = memory[random() % 3],
                                                  .max_partitions = 40,
                                                  .large = large[random() % 3],
                                                  .cached_prefixes = random() % 2 == 0 ? 5U : 1U << 14,
                                                  .part_cost = random() % 3 == 0 ? 800U : 0U};
      const std::size_t split = random() % 4 == 0 ? 1 + random() % (sets.size() - 1) : sets.size();
      CAPTURE(static_cast<int>(shape), static_cast<int>(measure), similarity, least.min_common, options.copies_once,
              options.run.parts(), sizes.memory, sizes.large, sizes.part_cost, split);
      const auto expected = joined(sets, split, least, options);
      REQUIRE(partitioned(sets, split, least, options, sizes) == expected);
      found += expected.size();
    }
  }
  return found;
}

}  // namespace

TEST_CASE("a join by partitions finds the pairs of a join in memory", "[sets][partitions]") {
  oracle::random_engine random(571);
  for (const oracle::set_shape shape : oracle::all_set_shapes) {
    const std::size_t count = oracle::effort(200, 70, 40);
    REQUIRE(check_partitions_of<std::uint64_t>(shape, count, random) > 0);
    oracle::unless_sample([&](auto) { REQUIRE(check_partitions_of<std::uint32_t>(shape, count, random) > 0); });
  }
}

TEST_CASE("sets of features with the same token are joined exactly by partitions", "[sets][partitions]") {
  // A token is the upper half of a product with an odd constant. The inverse of the constant gives features of a wanted
  // token.
  std::uint64_t inverse = 1;
  for (int i = 0; i < 6; ++i) inverse *= 2 - neardup::detail::golden_ratio * inverse;
  const auto feature = [&](std::uint64_t token, std::uint64_t low) { return (token << 32 | low) * inverse; };
  REQUIRE(neardup::detail::feature_token(feature(3, 0)) == neardup::detail::feature_token(feature(3, 1)));
  oracle::random_engine random(572);
  set_vector<std::uint64_t> sets;
  while (sets.size() < 60) {
    std::vector<std::uint64_t> set;
    for (std::uint64_t token = 0; token < 6; ++token) {
      for (std::uint64_t low = 0; low < 2; ++low) {
        if (random() % 4 != 0) set.push_back(feature(token, low));
      }
    }
    std::sort(set.begin(), set.end());
    sets.push_back(set);
  }
  for (const std::size_t large : {2U, 4096U}) {
    for (const double similarity : {0.5, 0.7, 0.9}) {
      const jaccard least{similarity};
      CAPTURE(large, similarity);
      const auto found = partitioned(sets, sets.size(), least, {}, {.large = large});
      REQUIRE(!found.empty());
      REQUIRE(found == joined(sets, sets.size(), least, {}));
    }
  }
}

TEST_CASE("sets that share many frequent features are compared in few partitions", "[sets][partitions]") {
  // Texts of one template with 90 words, of which each text has one of two. Nearly all pairs share 20 prefix features.
  // Each bucket is large, but a pair belongs to the bucket of its first common feature only.
  oracle::random_engine random(574);
  set_vector<std::uint32_t> sets(200);
  for (std::vector<std::uint32_t>& set : sets) {
    for (std::uint32_t word = 0; word < 90; ++word) set.push_back(2 * word + (random() % 20 < 13 ? 0 : 1));
  }
  std::size_t reads = 0, found = 0;
  partitions_in_memory store;
  neardup::detail::visit_partitioned_pairs<std::uint32_t>(
      {sets.size(),
       [&](std::size_t i) {
         ++reads;
         return std::span<const std::uint32_t>(sets[i]);
       }},
      sets.size(), jaccard{.5}, neardup::detail::any_store_of(store), {}, {.large = 40}, [&](const pair_type&) {
        ++found;
        return true;
      });
  REQUIRE(found == joined(sets, sets.size(), jaccard{.5}, {}).size());
  CAPTURE(reads);
  REQUIRE(reads < 5 * sets.size() * sets.size() / 2);
}

TEST_CASE("a visitor ends a join by partitions, and exceptions of it and of the store are passed on",
          "[sets][partitions]") {
  oracle::random_engine random(573);
  const auto sets = oracle::draw_sets<std::uint32_t>(oracle::set_shape::clusters, 300, random);
  const auto all = joined(sets, sets.size(), jaccard{.5}, {});
  REQUIRE(all.size() > 20);
  const join_options options{.run = neardup::threads{2}};
  constexpr std::uint64_t memory = 4000;
  for (const std::size_t most : {std::size_t{1}, std::size_t{7}, all.size()}) {
    partitions_in_memory store;
    std::size_t seen = 0;
    neardup::visit_pairs(
        sets, jaccard{.5}, store, memory, [&](const pair_type&) { return ++seen < most; }, options);
    REQUIRE(seen == most);
  }
  partitions_in_memory store;
  const auto fail = [&](const pair_type&) { throw std::domain_error("no more"); };
  REQUIRE_THROWS_AS(neardup::visit_pairs(sets, jaccard{.5}, store, memory, fail, options), std::domain_error);
  partitions_in_memory whole;
  const auto ignore = [](const pair_type&) {};
  neardup::visit_pairs(sets, jaccard{.5}, whole, memory, ignore, options);
  REQUIRE(whole.bytes.size() > 1);
  for (std::size_t call = 1; call <= whole.calls; call += 1 + whole.calls / 10) {
    CAPTURE(call);
    partitions_in_memory failing;
    failing.failing_call = call;
    REQUIRE_THROWS_WITH(neardup::visit_pairs(sets, jaccard{.5}, failing, memory, ignore, options),
                        "no room for partitions");
  }
  REQUIRE_THROWS_AS(neardup::visit_pairs(sets, jaccard{0}, store, memory, ignore, options), std::invalid_argument);
  REQUIRE_THROWS_AS(neardup::visit_pairs(sets, sets, jaccard{1.1}, store, memory, ignore, options),
                    std::invalid_argument);
}

TEST_CASE("two corpora are joined by partitions, by positions in each", "[sets][partitions]") {
  oracle::random_engine random(574);
  const auto a = oracle::draw_sets<std::uint64_t>(oracle::set_shape::copies, 40, random);
  const auto b = oracle::draw_sets<std::uint64_t>(oracle::set_shape::copies, 30, random);
  std::vector<pair_type> found, expected;
  partitions_in_memory store;
  neardup::visit_pairs(a, b, jaccard{.3}, store, 1 << 20, [&](const pair_type& pair) { found.push_back(pair); });
  neardup::visit_pairs(a, b, jaccard{.3}, [&](const pair_type& pair) { expected.push_back(pair); });
  sort_pairs(found);
  sort_pairs(expected);
  REQUIRE(found == expected);
  const set_vector<std::uint64_t> none;
  neardup::visit_pairs(a, none, jaccard{.3}, store, 1 << 20, [&](const pair_type&) { FAIL("a pair of nothing"); });
  neardup::visit_pairs(none, jaccard{.3}, store, 1 << 20, [&](const pair_type&) { FAIL("a pair of nothing"); });
}

TEST_CASE("each format of stored rows gives back the rows", "[sets][partitions]") {
  using neardup::detail::row_format;
  using neardup::detail::set_row;
  oracle::random_engine random(577);
  for (const std::size_t number_bytes : {1U, 2U, 4U}) {
    for (const bool short_bitmaps : {false, true}) {
      const row_format format{.number_bytes = number_bytes, .has_short_bitmaps = short_bitmaps};
      const std::uint32_t numbers = 0xffffffffU >> (32 - 8 * number_bytes);
      std::vector<set_row> rows(100);
      for (set_row& one : rows) {
        const auto word = [&] { return static_cast<std::uint32_t>(random()); };
        one = {word(), word(), word() & numbers, word() & numbers, {random(), random()}};
      }
      std::vector<set_row> copy = rows, restored(rows.size());
      const std::span<const std::byte> bytes = format.pack(copy);
      REQUIRE(bytes.size() == rows.size() * ((short_bitmaps ? 16U : 24U) + 2 * number_bytes));
      std::copy(bytes.begin(), bytes.end(), std::as_writable_bytes(std::span(restored)).begin());
      format.unpack(restored);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const set_row &from = rows[i], &to = restored[i];
        REQUIRE(std::array{to.key, to.set, to.size, to.position} ==
                std::array{from.key, from.set, from.size, from.position});
        if (short_bitmaps) {
          REQUIRE(to.bitmap == neardup::detail::set_bitmap{from.bitmap[0] ^ from.bitmap[1], 0});
        } else {
          REQUIRE(to.bitmap == from.bitmap);
        }
      }
    }
  }
}

TEST_CASE("sets whose sizes are about 2^8 are joined by partitions", "[sets][partitions]") {
  for (const std::uint32_t largest : {255U, 256U, 257U}) {
    set_vector<std::uint32_t> sets;
    for (std::uint32_t size = largest - 40; size <= largest; ++size) {
      for (const std::uint32_t first : {0U, 30U, 500U}) {
        sets.emplace_back();
        for (std::uint32_t i = 0; i < size; ++i) sets.back().push_back(first + i);
      }
    }
    const auto found = partitioned(sets, sets.size(), jaccard{.8}, {}, {});
    REQUIRE(found.size() > 1000);
    REQUIRE(found == joined(sets, sets.size(), jaccard{.8}, {}));
  }
}

TEST_CASE("a set whose size exceeds 16 bits is joined by partitions", "[sets][partitions]") {
  set_vector<std::uint32_t> sets(4);
  for (std::uint32_t i = 0; i < 70'000; ++i) {
    sets[0].push_back(i);
    if (i != 0 && i % 10 != 9) sets[1].push_back(i);
    if (i < 30) sets[2].push_back(i);
    if (i < 29) sets[3].push_back(i);
  }
  const auto found = partitioned(sets, sets.size(), jaccard{.8}, {}, {});
  REQUIRE(found.size() == 2);
  REQUIRE(found == joined(sets, sets.size(), jaccard{.8}, {}));
}

TEST_CASE("a bucket with many sets of many sizes is joined by partitions", "[sets][partitions]") {
  // Each set has feature 0, which many sets have, so buckets are sorted by counting sizes or, for large sizes, by
  // comparing.
  oracle::random_engine random(578);
  for (const std::uint32_t more : {0U, 400U}) {
    set_vector<std::uint32_t> sets;
    for (std::uint32_t i = 0; i < 300; ++i) {
      std::vector<std::uint32_t> set;
      const std::uint32_t size = 1 + static_cast<std::uint32_t>(random() % 8) + (i % 7 == 0 ? more : 0);
      for (std::uint32_t j = 0; j < size; ++j) set.push_back(j * (1 + i % 3));
      if (i % 2 == 0) set.push_back(100'000 + i);
      sets.push_back(set);
    }
    for (const double similarity : {0.4, 0.6, 0.8}) {
      CAPTURE(more, similarity);
      const auto found = partitioned(sets, sets.size(), jaccard{similarity}, {}, {});
      REQUIRE(found.size() > 100);
      REQUIRE(found == joined(sets, sets.size(), jaccard{similarity}, {}));
    }
  }
}
