// All searches of an index, against a plain loop over its content.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <optional>
#include <set>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <neardup/index/layout.hpp>
#include <neardup/index/match.hpp>
#include <neardup/simhash.hpp>

#include "hamming.hpp"
#include "index_model.hpp"

namespace oracle {

/// Counts the comparisons. Tests print the counts, so that people notice a test that compares nothing.
struct tally {
  std::size_t layouts = 0;
  std::size_t plans = 0;            // (layout, k)
  std::size_t plans_by_tables = 0;  // those that probed tables; the others had few fingerprints and scanned
  std::size_t queries = 0;          // (layout, k, query), each answered by five functions
  std::size_t matches = 0;          // expected, summed over the queries
  std::size_t matches_at_k = 0;     // matches at distance exactly k
  std::size_t near_misses = 0;      // fingerprints at distance k + 1, which must not be found

  void print(const char* name) const {
    std::printf(
        "%s: %zu layouts, %zu (layout, k) of which %zu through tables, %zu queries, %zu matches, "
        "%zu of them at distance k; %zu near misses at k + 1\n",
        name, layouts, plans, plans_by_tables, queries, matches, matches_at_k, near_misses);
  }
};

class mismatch : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// Compares all searches of `index`, for every k up to `largest`, with `model`, its expected pairs.
/// Throws: mismatch that names the first difference.
template <class Index>
void check_searches(const Index& index, std::span<const neardup::entry<Index::bits, typename Index::id_type>> model,
                    std::span<const neardup::simhash<Index::bits>> queries, int largest, tally& counts) {
  using match_type = neardup::match<Index::bits, typename Index::id_type>;

  // Compares each query with the model once, for all k.
  std::vector<std::vector<match_type>> near(queries.size());
  for (std::size_t i = 0; i < queries.size(); ++i) {
    for (const auto& [fingerprint, id] : model) {
      const int bits = distance(queries[i], fingerprint);
      if (bits <= largest + 1) near[i].push_back({id, bits, fingerprint});
    }
    std::sort(near[i].begin(), near[i].end(), comes_before<Index::bits, typename Index::id_type>);
  }

  for (int k = 0; k <= largest; ++k) {
    const auto differs = [&](const char* what, std::size_t i) {
      std::ostringstream text;
      text << what << " differs: k " << k << ", query " << i << " " << queries[i].to_hex();
      throw mismatch(text.str());
    };
    std::vector<match_type> of_all_queries;
    std::vector<std::size_t> offsets{0};
    for (std::size_t i = 0; i < queries.size(); ++i) {
      const auto first_beyond = [&](int bits) {
        return std::find_if(near[i].begin(), near[i].end(), [&](const match_type& m) { return m.distance > bits; });
      };
      const std::vector<match_type> expected(near[i].begin(), first_beyond(k));
      ++counts.queries;
      counts.matches += expected.size();
      counts.matches_at_k += static_cast<std::size_t>(first_beyond(k) - first_beyond(k - 1));
      counts.near_misses += static_cast<std::size_t>(first_beyond(k + 1) - first_beyond(k));

      if (index.search(queries[i], k) != expected) differs("search", i);
      std::vector<match_type> visited;
      index.for_each_match(queries[i], k, [&](const match_type& found) { visited.push_back(found); });
      std::sort(visited.begin(), visited.end(), comes_before<Index::bits, typename Index::id_type>);
      if (visited != expected) differs("for_each_match", i);
      if (index.any_within(queries[i], k) != !expected.empty()) differs("any_within", i);
      const std::optional<match_type> nearest = index.nearest(queries[i], k);
      if (nearest.has_value() != !expected.empty()) differs("nearest", i);
      if (nearest && !(*nearest == expected.front())) differs("nearest", i);
      if (k == index.default_distance()) {
        if (index.search(queries[i]) != expected) differs("search without k", i);
        if (index.any_within(queries[i]) != !expected.empty()) differs("any_within without k", i);
        if (index.nearest(queries[i]) != nearest) differs("nearest without k", i);
      }
      of_all_queries.insert(of_all_queries.end(), expected.begin(), expected.end());
      offsets.push_back(of_all_queries.size());
    }
    const auto batch = index.search_batch(queries, k);
    if (batch.offsets != offsets || batch.matches != of_all_queries) differs("search_batch", 0);
    if (batch.size() != queries.size()) differs("search_batch, size", 0);
    if (k == index.default_distance() && index.search_batch(queries).matches != of_all_queries) {
      differs("search_batch without k", 0);
    }
  }
}

/// Draws clustered random pairs. A query is a stored fingerprint, a fingerprint near one, or one without a match.
template <std::size_t Bits>
struct corpus {
  std::vector<neardup::entry<Bits, std::uint32_t>> pairs;  // distinct
  std::vector<neardup::simhash<Bits>> queries;

  corpus(std::size_t fingerprints, std::size_t query_count, int k, random_engine& random) {
    const auto most = static_cast<std::size_t>(k) + 2;
    const auto stored = clustered_fingerprints<Bits>(fingerprints, most, random);
    for (std::size_t i = 0; i < stored.size(); ++i) {
      pairs.push_back({stored[i], static_cast<std::uint32_t>(random())});
      if (i % 8 == 0) pairs.push_back({stored[i], static_cast<std::uint32_t>(i)});
      if (i % 64 == 0) pairs.push_back({stored[i], static_cast<std::uint32_t>(random() % 4)});
    }
    const auto before = [](const auto& a, const auto& b) {
      return std::pair(a.fingerprint.to_words(), a.id) < std::pair(b.fingerprint.to_words(), b.id);
    };
    std::sort(pairs.begin(), pairs.end(), before);
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    std::shuffle(pairs.begin(), pairs.end(), random);
    for (std::size_t i = 0; i < query_count; ++i) {
      const auto& near = stored[random_below(random, stored.size())];
      if (i % 8 == 7) {
        queries.push_back(random_fingerprint<Bits>(random));
      } else {
        queries.push_back(with_flips(near, random_below(random, std::min(most, Bits) + 1), random));
      }
    }
  }
};

/// Fills a new index, searches, erases a part, and searches again, each time against the plain loop.
template <class Index>
void check_index(Index& index, std::size_t fingerprints, std::size_t query_count, std::uint64_t seed, tally& counts) {
  constexpr std::size_t bits = Index::bits;
  const auto expect = [](bool holds, const char* what) {
    if (!holds) throw mismatch(what);
  };
  random_engine random(seed);
  const int largest = index.max_distance();
  corpus<bits> data(fingerprints, query_count, largest, random);

  for (const auto& [fingerprint, id] : data.pairs) expect(index.insert(fingerprint, id), "insert of a new pair");
  expect(!index.insert(data.pairs[0].fingerprint, data.pairs[0].id), "insert of a stored pair");
  expect(index.size() == data.pairs.size(), "size");
  ++counts.layouts;
  counts.plans += static_cast<std::size_t>(largest) + 1;
  if constexpr (requires { index.shape(); }) {
    for (int k = 0; k <= largest; ++k) {
      if (index.shape().probe_count(k) < index.distinct_size()) ++counts.plans_by_tables;
    }
  }
  check_searches(index, std::span<const neardup::entry<bits, std::uint32_t>>(data.pairs),
                 std::span<const neardup::simhash<bits>>(data.queries), largest, counts);

  const std::size_t kept = data.pairs.size() * 2 / 3;
  for (std::size_t i = kept; i < data.pairs.size(); ++i) {
    expect(index.erase(data.pairs[i].fingerprint, data.pairs[i].id), "erase of a stored pair");
    expect(!index.contains(data.pairs[i].fingerprint, data.pairs[i].id), "contains of an erased pair");
  }
  data.pairs.resize(kept);
  expect(index.size() == kept, "size after erasing");
  const std::size_t again = std::max<std::size_t>(1, data.queries.size() / 4);
  check_searches(index, std::span<const neardup::entry<bits, std::uint32_t>>(data.pairs),
                 std::span<const neardup::simhash<bits>>(data.queries).first(again), largest, counts);
}

}  // namespace oracle
