// Functions that the benchmarks of the index share: registration, timing, and the comparison with right answers.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "index_baselines.hpp"

namespace neardup_bench {

inline void add(const std::string& name, std::function<void(benchmark::State&)> run) {
  benchmark::RegisterBenchmark(name.c_str(), std::move(run))->Unit(benchmark::kMillisecond);
}

inline void count_items(benchmark::State& state, std::size_t items) {
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * static_cast<std::int64_t>(items));
}

/// Measures the wall-clock time of each iteration, for work on several threads. Reports the `seconds` of the fastest
/// iteration, and its items per second. `prepare` runs before each iteration, and its time does not count.
template <class Prepare, class Function>
void measure_seconds(benchmark::State& state, std::size_t items, const Prepare& prepare, const Function& function) {
  std::chrono::duration<double> best{std::numeric_limits<double>::infinity()};
  for (auto _ : state) {
    state.PauseTiming();
    prepare();
    state.ResumeTiming();
    const auto start = std::chrono::steady_clock::now();
    function();
    best = (std::min)(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start));
  }
  state.counters["seconds"] = best.count();
  state.counters["items_per_second"] = static_cast<double>(items) / best.count();
}

inline void compare(std::vector<found> matches, const std::vector<found>& expected, bool is_sorted,
                    const std::string& what) {
  if (!is_sorted) std::sort(matches.begin(), matches.end());
  if (matches == expected) return;
  throw std::logic_error(what + " and the scan disagree: " + std::to_string(matches.size()) + " matches instead of " +
                         std::to_string(expected.size()));
}

/// The index of the last benchmark. The next benchmark uses it again if it measures the same index. There is never more
/// than one index in memory.
struct last_index {
  std::string name;
  std::shared_ptr<void> index;
};

inline last_index& last() {
  static last_index kept_one;
  return kept_one;
}

}  // namespace neardup_bench
