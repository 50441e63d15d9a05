// Functions that the benchmarks of fingerprints share. Texts are measured in bytes per second, kernels in cycles per
// token.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include <benchmark/benchmark.h>

#include "corpus.hpp"

namespace neardup_bench {

/// Returns the compiler of this file, such as "g++ 12.2".
inline std::string compiler() {
#if defined(__clang__)
  return "clang++ " + std::to_string(__clang_major__) + "." + std::to_string(__clang_minor__);
#elif defined(__GNUC__)
  return "g++ " + std::to_string(__GNUC__) + "." + std::to_string(__GNUC_MINOR__);
#else
  return "another";
#endif
}

/// Reports how many bytes of text an iteration has read. The counter `bytes` is a rate in units of 10^9.
/// SetBytesProcessed would print units of 1024^3.
inline void count_texts(benchmark::State& state, const corpus& texts) {
  state.counters["bytes"] = benchmark::Counter(
      static_cast<double>(texts.bytes), benchmark::Counter::kIsIterationInvariantRate, benchmark::Counter::kIs1000);
  state.SetLabel(texts.name + ", " + std::to_string(texts.documents.size()) + " documents, " +
                 std::to_string(texts.bytes / 1'000'000) + " MB");
}

/// Measures a function that is called for each document.
template <class Function>
void measure_texts(benchmark::State& state, const corpus& texts, Function&& function) {
  for (auto _ : state) {
    for (const std::string& text : texts.documents) benchmark::DoNotOptimize(function(std::string_view(text)));
  }
  count_texts(state, texts);
}

/// Measures a function that takes all documents at once.
template <class Function>
void measure_batch(benchmark::State& state, const corpus& texts, Function&& function) {
  for (auto _ : state) benchmark::DoNotOptimize(function());
  count_texts(state, texts);
}

/// Returns the present clock rate of this core in Hz, or 0 on machines with an unknown latency. Measures a chain of
/// dependent 64-bit multiplications. Each takes 3 cycles on all x86-64 cores with AVX2. This also works on virtual
/// machines, on which programs usually cannot read a cycle counter.
inline double clock_rate() {
#if defined(__x86_64__) && defined(__GNUC__)
  constexpr int steps = 100'000;
  constexpr double cycles_a_step = 3;
  std::uint64_t product = 1;
  double seconds = std::numeric_limits<double>::infinity();
  // The fastest of a few attempts counts, because interrupts only slow one down.
  for (int attempt = 0; attempt < 10; ++attempt) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < steps; ++i) {
      product *= 0x9e3779b97f4a7c15U;    // any odd number
      asm volatile("" : "+r"(product));  // prevents the compiler from merging steps
    }
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    seconds = (std::min)(seconds, taken.count());
  }
  return steps * cycles_a_step / seconds;
#else
  return 0;
#endif
}

/// Measures a function that processes `tokens` hashes, in cycles per token at the clock rate measured right after it.
template <class Function>
void measure_tokens(benchmark::State& state, std::size_t tokens, Function&& function) {
  const auto start = std::chrono::steady_clock::now();
  for (auto _ : state) benchmark::DoNotOptimize(function());
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  const double all_tokens = static_cast<double>(tokens) * static_cast<double>(state.iterations());
  state.counters["tokens"] = benchmark::Counter(all_tokens, benchmark::Counter::kIsRate);
  const double clock = clock_rate();
  if (clock == 0) return;
  state.counters["GHz"] = clock / 1e9;
  state.counters["cycles"] = taken.count() * clock / all_tokens;
}

}  // namespace neardup_bench
