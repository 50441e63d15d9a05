// neardup_bench_guarded [SECONDS]: measures how long a write to a guarded value takes while readers never pause, and
// how many reads finish during the measurement. Prints a line for each number of readers.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <thread>
#include <vector>

#include <neardup/guarded.hpp>

namespace {

using clock_type = std::chrono::steady_clock;

double seconds_since(clock_type::time_point begin) {
  return std::chrono::duration<double>(clock_type::now() - begin).count();
}

void measure(std::size_t readers, double seconds) {
  // Reading this large value takes about as long as a search.
  neardup::guarded<std::vector<unsigned>> value(std::vector<unsigned>(1000));
  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> reads{0};
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < readers; ++i) {
    threads.emplace_back([&] {
      std::uint64_t own = 0;
      std::atomic<unsigned> sum{0};
      for (; !stop; ++own) {
        value.read([&](const auto& all) {
          sum.store(std::accumulate(all.begin(), all.end(), 0U), std::memory_order_relaxed);
        });
      }
      reads += own;
    });
  }
  std::vector<double> took;
  const auto begin = clock_type::now();
  while (seconds_since(begin) < seconds) {
    const auto before = clock_type::now();
    value.write([](auto& all) { ++all[0]; });
    took.push_back(1e6 * seconds_since(before));
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  std::sort(took.begin(), took.end());
  const double mean = std::accumulate(took.begin(), took.end(), 0.0) / static_cast<double>(took.size());
  std::printf("%zu readers: %zu writes of %.1f us in the mean, %.1f in the median, %.1f at the 99th percentile; ",
              readers, took.size(), mean, took[took.size() / 2], took[took.size() * 99 / 100]);
  std::printf("%.0f reads per second\n", static_cast<double>(reads) / seconds);
}

}  // namespace

int main(int count, char** arguments) {
  for (const std::size_t readers : {0U, 1U, 2U, 8U}) measure(readers, count > 1 ? std::atof(arguments[1]) : 2);
}
