// Exact joins of sets of features, by similarity and by containment.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <neardup/dedup/deduplicator.hpp>
#include <neardup/dedup/group_sets.hpp>
#include <neardup/sets/pairs.hpp>

#include "mixing.hpp"
#include "synthetic.hpp"

namespace {

using sets_type = std::vector<std::vector<std::uint32_t>>;

/// Sets of some 100 features, taken in a row from one long text in which each feature occurs some four times. A fifth
/// of them are copies of earlier sets with up to 20 features changed.
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
        set.push_back(static_cast<std::uint32_t>(neardup_bench::mix((begin + i) % kinds)));
      }
    }
    std::sort(set.begin(), set.end());
    set.erase(std::unique(set.begin(), set.end()), set.end());
    sets.push_back(std::move(set));
  }
  return sets;
}

void pairs_of_sets(benchmark::State& state, neardup::set_similarity measure) {
  const auto sets = spliced_sets(static_cast<std::size_t>(state.range(0)));
  std::size_t found = 0;
  for (auto _ : state) found = neardup::pairs(sets, 0.8, {.measure = measure}).size();
  state.counters["pairs"] = static_cast<double>(found);
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void group_of_sets(benchmark::State& state) {
  const auto sets = spliced_sets(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(neardup::group(sets, 0.8));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

/// Writes the features of each set as words, so that the set is a text.
std::vector<std::string> texts_of(const sets_type& sets) {
  std::vector<std::string> texts;
  for (const auto& set : sets) {
    std::string& text = texts.emplace_back();
    for (const std::uint32_t feature : set) text += std::to_string(feature) + ' ';
  }
  return texts;
}

template <class Tokenizer>
void add_all(benchmark::State& state, const std::vector<std::string>& texts, const Tokenizer& tokenizer, bool exact) {
  std::size_t kept = 0, bytes = 0;
  for (auto _ : state) {
    neardup::deduplicator dedup{neardup::simhasher{tokenizer}, {.similarity = 0.8, .exact = exact}};
    for (const std::string& text : texts) dedup.add(text);
    kept = dedup.size();
    bytes = dedup.memory_usage();
  }
  state.counters["kept"] = static_cast<double>(kept);
  state.counters["bytes"] = static_cast<double>(bytes) / static_cast<double>(kept);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(texts.size()));
}

void one_by_one(benchmark::State& state, bool exact) {
  add_all(state, texts_of(spliced_sets(static_cast<std::size_t>(state.range(0)))), neardup::words{}, exact);
}

/// Measures the lines of the file that NEARDUP_BENCH_TEXTS names, one after the other, with pairs of words as features.
void one_by_one_lines(benchmark::State& state, bool exact) {
  const char* const path = std::getenv("NEARDUP_BENCH_TEXTS");
  if (path == nullptr) return state.SkipWithError("NEARDUP_BENCH_TEXTS names no file");
  std::ifstream file(path);
  std::vector<std::string> texts;
  for (std::string line; std::getline(file, line);) texts.push_back(line);
  add_all(state, texts, neardup::default_tokenizer{}, exact);
}

void sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->Unit(benchmark::kMillisecond)->Arg(10'000)->Arg(100'000)->Arg(1'000'000);
}

BENCHMARK_CAPTURE(pairs_of_sets, jaccard, neardup::set_similarity::jaccard)->Apply(sizes);
BENCHMARK_CAPTURE(pairs_of_sets, containment, neardup::set_similarity::containment)->Apply(sizes);
BENCHMARK(group_of_sets)->Apply(sizes);
BENCHMARK_CAPTURE(one_by_one, fingerprints, false)->Apply(sizes);
BENCHMARK_CAPTURE(one_by_one, exact, true)->Apply(sizes);
BENCHMARK_CAPTURE(one_by_one_lines, fingerprints, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(one_by_one_lines, exact, true)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
