// An index of so many fingerprints that they are never all in memory beside it: 2^30 in 24 GiB.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <neardup/simhash.hpp>

#include "synthetic.hpp"

#if defined(__unix__)
#include <sys/resource.h>
#endif

namespace neardup_bench {

/// Fingerprint number i of those that index/large stores; the same in each pass.
inline neardup::simhash<64> large_fingerprint(std::size_t i) {
  return neardup::simhash<64>(neardup::detail::mix((i + 1) * 0x9e3779b97f4a7c15U));
}

/// The most memory that this program has had, in bytes; 0 where the system does not say.
inline double peak_memory() {
#if defined(__unix__)
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) == 0) return 1024.0 * static_cast<double>(usage.ru_maxrss);
#endif
  return 0;
}

/// Builds an index of `count` fingerprints in 2 blocks for k = 3, finds 1,000 planted near-duplicates, and times batches.
template <class Index>
void run_large(benchmark::State& state, std::size_t count) {
  using clock = std::chrono::steady_clock;
  constexpr std::size_t planted = 1000, query_count = 65536;
  constexpr int k = 3;
  const auto start = clock::now();
  Index index(k, 2);
  index.reserve(count);
  for (std::size_t i = 0; i < count; ++i) index.insert(large_fingerprint(i), static_cast<std::uint32_t>(i));
  const std::chrono::duration<double> built = clock::now() - start;

  random_source random(2);
  std::vector<neardup::simhash<64>> queries;
  std::vector<std::uint32_t> sources;
  for (std::size_t i = 0; i < query_count; ++i) {
    const std::uint64_t source = random.below(count);
    const std::uint64_t shifted = with_flips(large_fingerprint(source).to_uint64(), static_cast<int>(i % 4), random);
    sources.push_back(static_cast<std::uint32_t>(source));
    // Every second one is a stranger, as in the other benchmarks.
    queries.emplace_back(i < planted || i % 2 == 0 ? shifted : random.next());
  }
  for (std::size_t i = 0; i < planted; ++i) {
    const auto matches = index.search(queries[i], k);
    const auto same = std::count_if(matches.begin(), matches.end(), [&](const auto& match) {
      return match.id == sources[i] && match.distance == static_cast<int>(i % 4);
    });
    if (same != 1) throw std::logic_error("index/large: planted match " + std::to_string(i) + " was not found once");
  }
  for (auto _ : state) benchmark::DoNotOptimize(index.search_batch(queries, k));
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * static_cast<std::int64_t>(query_count));
  state.counters["planted_found"] = planted;
  state.counters["build_s"] = built.count();
  state.counters["peak_GiB"] = peak_memory() / 0x1p30;
}

}  // namespace neardup_bench
