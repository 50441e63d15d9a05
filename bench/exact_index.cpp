// Measures an index of feature sets, the candidates of a deduplicator, and a scan of all sets.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <optional>
#include <span>
#include <vector>

#include <benchmark/benchmark.h>
#include <neardup/dedup/feature_candidates.hpp>
#include <neardup/sets/set_index.hpp>
#include <neardup/sets/similarity.hpp>
#include <neardup/storage/set_index_file.hpp>

#include "exact_sets.hpp"

namespace {

using neardup::set_index;
using neardup_bench::sets_type;
using neardup_bench::spliced_sets;
using neardup_bench::template_sets;

constexpr double least = 0.8;

set_index<> index_of(const sets_type& sets) {
  set_index<> index(neardup::jaccard{least});
  for (std::size_t i = 0; i < sets.size(); ++i) index.insert(sets[i], static_cast<std::uint32_t>(i));
  return index;
}

/// Returns an index that stands on a mapped file, which has `sets`. If `is_changed` is true, the first tenth of the ids
/// is inserted again with other sets. So the index also has sets that are not in the file.
set_index<> mapped_index_of(const sets_type& sets, bool is_changed) {
  const char* const path = "exact_index.sets";
  save(path, index_of(sets), {});
  set_index<> index = neardup::set_index_file<>(neardup::mapped_file(path)).index();
  std::remove(path);
  for (std::size_t i = 0; is_changed && i < sets.size() / 10; ++i) index.insert_or_assign(sets[i + 1], i);
  return index;
}

struct described {
  std::span<const std::uint32_t> features;
};

/// Finds candidates as a deduplicator does, but does not check them. `sets` has the features, which a deduplicator
/// would keep.
struct candidates {
  const sets_type& sets;
  neardup::feature_candidates source{neardup::jaccard{least}};

  void insert(std::size_t i) {
    source.insert(described{sets[i]}, static_cast<std::uint32_t>(i),
                  [this](std::uint32_t number) { return std::span<const std::uint32_t>(sets[number]); });
  }
};

void report(benchmark::State& state, std::size_t operations, std::size_t bytes, std::size_t sets) {
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(operations));
  if (sets != 0) state.counters["bytes"] = static_cast<double>(bytes) / static_cast<double>(sets);
}

void insert(benchmark::State& state) {
  const auto sets = spliced_sets(static_cast<std::size_t>(state.range(0)));
  std::size_t bytes = 0, distinct = 0;
  for (auto _ : state) {
    const auto index = index_of(sets);
    bytes = index.memory_usage();
    distinct = index.distinct_size();
  }
  report(state, sets.size(), bytes, distinct);
}

void insert_all(benchmark::State& state) {
  const auto sets = spliced_sets(static_cast<std::size_t>(state.range(0)));
  std::vector<std::uint32_t> ids(sets.size());
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<std::uint32_t>(i);
  for (auto _ : state) {
    set_index<> index(neardup::jaccard{least});
    benchmark::DoNotOptimize(index.insert_all(sets, ids));
  }
  report(state, sets.size(), 0, 0);
}

void insert_candidates(benchmark::State& state) {
  const auto sets = spliced_sets(static_cast<std::size_t>(state.range(0)));
  std::size_t bytes = 0;
  for (auto _ : state) {
    candidates all{sets};
    for (std::size_t i = 0; i < sets.size(); ++i) all.insert(i);
    bytes = all.source.memory_usage();
  }
  report(state, sets.size(), bytes, sets.size());
}

template <class MakeIndex>
void search_in(benchmark::State& state, const MakeIndex& make_index) {
  const auto sets = spliced_sets(static_cast<std::size_t>(state.range(0)));
  const set_index<> index = make_index(sets);
  set_index<>::workspace scratch;
  std::size_t i = 0, found = 0;
  for (auto _ : state) {
    index.for_each_match(sets[i], {}, scratch, [&](const auto&) { ++found; });
    i = (i + 7919) % sets.size();
  }
  report(state, 1, 0, 0);
  state.counters["matches"] = static_cast<double>(found) / static_cast<double>(state.iterations());
}

void search(benchmark::State& state) { search_in(state, index_of); }
void search_mapped(benchmark::State& state) {
  search_in(state, [](const auto& sets) { return mapped_index_of(sets, false); });
}
void search_changed(benchmark::State& state) {
  search_in(state, [](const auto& sets) { return mapped_index_of(sets, true); });
}

void search_batch(benchmark::State& state) {
  const auto sets = spliced_sets(static_cast<std::size_t>(state.range(0)));
  const auto index = index_of(sets);
  const sets_type queries(sets.begin(), sets.begin() + 5000);
  for (auto _ : state) benchmark::DoNotOptimize(index.search_batch(queries).matches.size());
  report(state, queries.size(), 0, 0);
}

void scan(benchmark::State& state) {
  const auto sets = spliced_sets(static_cast<std::size_t>(state.range(0)));
  std::size_t i = 0, found = 0;
  for (auto _ : state) {
    for (const auto& set : sets) found += neardup::jaccard_at_least(sets[i], set, least).has_value() ? 1 : 0;
    i = (i + 7919) % sets.size();
  }
  report(state, 1, 0, 0);
  state.counters["matches"] = static_cast<double>(found) / static_cast<double>(state.iterations());
}

/// Erases all sets of an index, in the order of their insertion. template_sets() makes the sets.
void erase(benchmark::State& state) {
  const auto sets = template_sets(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    state.PauseTiming();
    std::optional<set_index<>> index(index_of(sets));
    state.ResumeTiming();
    for (std::size_t i = 0; i < sets.size(); ++i) benchmark::DoNotOptimize(index->erase(static_cast<std::uint32_t>(i)));
    state.PauseTiming();
    index.reset();
    state.ResumeTiming();
  }
  report(state, sets.size(), 0, 0);
}

/// Measures a window of 20,000 sets, which template_sets() makes. Each step searches for a set, stores the set, and
/// erases the oldest set.
void template_window(benchmark::State& state) {
  constexpr std::size_t window = 20000;
  const auto sets = template_sets(3 * window);
  auto index = index_of({sets.begin(), sets.begin() + window});
  set_index<>::workspace scratch;
  std::size_t next = window;
  for (auto _ : state) {
    const auto& set = sets[next % sets.size()];
    benchmark::DoNotOptimize(index.any_within(set, {}, scratch));
    index.insert(set, static_cast<std::uint32_t>(next));
    index.erase(static_cast<std::uint32_t>(next - window));
    ++next;
  }
  report(state, 1, index.memory_usage(), index.distinct_size());
}

/// Measures the longest single insertion, in milliseconds of processor time.
void worst_insert(benchmark::State& state) {
  const auto sets = spliced_sets(static_cast<std::size_t>(state.range(0)));
  double worst = 0, above = 0;
  for (auto _ : state) {
    set_index<> index(neardup::jaccard{least});
    for (std::size_t i = 0; i < sets.size(); ++i) {
      std::timespec begin{}, end{};
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
      index.insert(sets[i], static_cast<std::uint32_t>(i));
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
      const double taken = 1e3 * static_cast<double>(end.tv_sec - begin.tv_sec) +
                           1e-6 * static_cast<double>(end.tv_nsec - begin.tv_nsec);
      worst = (std::max)(worst, taken);
      above += taken > 1 ? 1 : 0;
    }
  }
  report(state, sets.size(), 0, 0);
  state.counters["worst_ms"] = worst;
  state.counters["above_1_ms"] = above;
}

void sizes(benchmark::internal::Benchmark* benchmark) { benchmark->Arg(10'000)->Arg(20'000)->Arg(40'000)->Arg(80'000); }
void many(benchmark::internal::Benchmark* benchmark) {
  benchmark->Unit(benchmark::kMillisecond)->Arg(10'000)->Arg(100'000)->Arg(1'000'000);
}

BENCHMARK(insert)->Name("set_index/insert")->Apply(many);
BENCHMARK(insert_all)->Name("set_index/insert_all")->Apply(many);
BENCHMARK(insert_candidates)->Name("feature_candidates/insert")->Apply(many);
BENCHMARK(search)->Name("set_index/search")->Apply(sizes);
BENCHMARK(search_mapped)->Name("set_index/search_mapped")->Apply(sizes);
BENCHMARK(search_changed)->Name("set_index/search_changed")->Apply(sizes);
BENCHMARK(search_batch)->Name("set_index/search_batch")->Apply(sizes);
BENCHMARK(scan)->Name("scan/search")->Apply(sizes);
BENCHMARK(erase)->Name("set_index/erase")->Apply(sizes);
BENCHMARK(template_window)->Name("set_index/template_window");
BENCHMARK(worst_insert)->Name("set_index/worst_insert")->Unit(benchmark::kMillisecond)->Arg(1'000'000)->Iterations(1);

}  // namespace
