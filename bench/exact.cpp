// Exact joins of sets of features: by similarity, and what stands in what.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <benchmark/benchmark.h>
#include <neardup/dedup/similar_groups.hpp>
#include <neardup/dedup/similar_pairs.hpp>

#include "synthetic.hpp"

namespace {

using sets_type = std::vector<std::vector<std::uint32_t>>;

/// Sets of some 100 features in a row of a long text, in which each feature stands some four times. A fifth are copies of
/// earlier sets with up to 20 features changed.
sets_type spliced_sets(std::size_t count) {
  neardup_bench::random_source random(1);
  const std::uint64_t kinds = 8 * count;
  sets_type sets;
  while (sets.size() < count) {
    std::vector<std::uint32_t> set;
    if (!sets.empty() && random.below(5) == 0) {
      set = sets[random.below(sets.size())];
      for (std::uint64_t changes = random.below(21); changes > 0; --changes) {
        set[random.below(set.size())] = static_cast<std::uint32_t>(random.next());
      }
    } else {
      const std::uint64_t size = 80 + random.below(41), begin = random.below(kinds);
      for (std::uint64_t i = 0; i < size; ++i) {
        set.push_back(static_cast<std::uint32_t>(neardup::detail::mix((begin + i) % kinds)));
      }
    }
    std::sort(set.begin(), set.end());
    set.erase(std::unique(set.begin(), set.end()), set.end());
    sets.push_back(std::move(set));
  }
  return sets;
}

void similar_pairs(benchmark::State& state, neardup::set_similarity measure) {
  const auto sets = spliced_sets(static_cast<std::size_t>(state.range(0)));
  std::size_t found = 0;
  for (auto _ : state) found = neardup::similar_pairs(sets, 0.8, {.measure = measure}).size();
  state.counters["pairs"] = static_cast<double>(found);
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void group_similar(benchmark::State& state) {
  const auto sets = spliced_sets(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(neardup::group_similar(sets, 0.8));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->Unit(benchmark::kMillisecond)->Arg(10'000)->Arg(100'000)->Arg(1'000'000);
}

BENCHMARK_CAPTURE(similar_pairs, jaccard, neardup::set_similarity::jaccard)->Apply(sizes);
BENCHMARK_CAPTURE(similar_pairs, containment, neardup::set_similarity::containment)->Apply(sizes);
BENCHMARK(group_similar)->Apply(sizes);

}  // namespace

BENCHMARK_MAIN();
