// Measures exact joins of sets of features, by similarity and by containment.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <neardup/dedup/deduplicator.hpp>
#include <neardup/dedup/fingerprint_deduplicator.hpp>
#include <neardup/dedup/group_sets.hpp>
#include <neardup/fingerprint/defaults.hpp>
#include <neardup/fingerprint/feature_extractor.hpp>
#include <neardup/sets/feature_counts.hpp>
#include <neardup/sets/feature_sets.hpp>
#include <neardup/sets/pairs.hpp>
#include <neardup/sets/shuffle.hpp>

#include "exact_sets.hpp"

namespace {

using neardup_bench::sets_type;
using neardup_bench::spliced_sets;

void pairs_of_sets(benchmark::State& state, neardup::set_similarity measure) {
  const auto sets = spliced_sets(static_cast<std::size_t>(state.range(0)));
  std::size_t found = 0;
  for (auto _ : state) found = neardup::pairs(sets, neardup::set_threshold{measure, 0.8}).size();
  state.counters["pairs"] = static_cast<double>(found);
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void group_of_sets(benchmark::State& state) {
  const auto sets = spliced_sets(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(neardup::group(sets, neardup::jaccard{0.8}));
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

template <class Make>
void add_all(benchmark::State& state, const std::vector<std::string>& texts, const Make& make) {
  std::size_t kept = 0, bytes = 0;
  for (auto _ : state) {
    auto dedup = make();
    for (const std::string& text : texts) dedup.add(text);
    kept = dedup.size();
    bytes = dedup.memory_usage();
  }
  state.counters["kept"] = static_cast<double>(kept);
  state.counters["bytes"] = static_cast<double>(bytes) / static_cast<double>(kept);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(texts.size()));
}

template <class Tokenizer>
void add_all(benchmark::State& state, const std::vector<std::string>& texts, const Tokenizer& tokenizer, bool exact) {
  if (exact) {
    add_all(state, texts, [&] {
      return neardup::deduplicator{neardup::feature_extractor{tokenizer}, neardup::jaccard{0.8}};
    });
  } else {
    add_all(state, texts, [&] {
      return neardup::fingerprint_deduplicator{neardup::simhasher{tokenizer}, neardup::jaccard{0.8}};
    });
  }
}

void one_by_one(benchmark::State& state, bool exact) {
  add_all(state, texts_of(spliced_sets(static_cast<std::size_t>(state.range(0)))), neardup::words{}, exact);
}

/// Measures a deduplicator that gets the lines of the file that NEARDUP_BENCH_TEXTS names, one after the other. The
/// features are pairs of words.
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
/// Joins the lines of the file that NEARDUP_BENCH_TEXTS names, with pairs of words as features of 64 bits: in memory if
/// `partitions` is 0, and otherwise by a shuffle into that many partitions. Extracting the features is not measured.
void pairs_of_lines(benchmark::State& state) {
  using feature = std::uint64_t;
  const char* const path = std::getenv("NEARDUP_BENCH_TEXTS");
  if (path == nullptr) return state.SkipWithError("NEARDUP_BENCH_TEXTS names no file");
  neardup::feature_sets<feature> sets;
  const neardup::feature_extractor<neardup::default_tokenizer, neardup::xxh3<64>, feature> features_of{};
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) sets.add(features_of(line));
  const auto partitions = static_cast<std::uint32_t>(state.range(0));
  std::size_t found = 0, bytes = 0;
  const auto by_shuffle = [&] {
    std::vector<feature> features;
    std::vector<std::uint64_t> documents, offsets{0};
    neardup::feature_counts<feature> counts(sets.feature_count());
    for (std::size_t i = 0; i < sets.size(); ++i) counts.add(sets[i]);
    const neardup::shuffle_settings settings{.partitions = partitions, .all_counted = true};
    neardup::set_scatter<feature> scatter(settings, counts);
    constexpr std::size_t batch = 20'000;
    for (std::size_t i = 0; i < sets.size(); ++i) {
      documents.push_back(i);
      features.insert(features.end(), sets[i].begin(), sets[i].end());
      offsets.push_back(features.size());
      if (documents.size() < batch && i + 1 < sets.size()) continue;
      scatter.add(std::span<const std::uint64_t>(documents), std::span<const feature>(features),
                  std::span<const std::uint64_t>(offsets));
      documents.clear();
      features.clear();
      offsets.assign(1, 0);
    }
    for (std::uint32_t i = 0; i < partitions; ++i) {
      const std::vector<std::byte> blob = scatter.take(i);
      bytes += blob.size();
      const std::span<const std::byte> blobs[] = {blob};
      neardup::gather_pairs<feature>(blobs, settings, i,
                                     [&](const neardup::gathered_pairs& some) { found += some.size(); });
    }
  };
  for (auto _ : state) {
    found = bytes = 0;
    if (partitions > 0) {
      by_shuffle();
    } else {
      neardup::visit_pairs(sets, neardup::jaccard{0.8}, [&](const neardup::similar_pair<std::size_t>&) { ++found; });
    }
  }
  state.counters["pairs"] = static_cast<double>(found);
  state.counters["bytes"] = static_cast<double>(bytes) / static_cast<double>(sets.size());
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(sets.size()));
}

BENCHMARK(pairs_of_lines)->Arg(0)->Arg(1)->Arg(32)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(one_by_one_lines, fingerprints, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(one_by_one_lines, exact, true)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
