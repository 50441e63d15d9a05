// Exact joins of sets of features, by similarity and by containment.
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

#include "exact_sets.hpp"

namespace {

using neardup_bench::sets_type;
using neardup_bench::spliced_sets;

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
