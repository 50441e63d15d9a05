// neardup_bench_calls SIZE...: prints the nanoseconds of processor time for each small call, as rows of a Markdown table.
// A row has the mean, the 99.9th percentile and the worst of single insertions. Then it has the means of searches by 1, 2
// and 4 threads that share an index, the megabytes of the index, and the time to read a random cache line of as much
// memory, alone and with eight lines at a time.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <neardup/dedup/deduplicator.hpp>
#include <neardup/index/pigeonhole_index.hpp>
#include <neardup/sets/set_index.hpp>

#include "synthetic.hpp"

namespace {

using neardup_bench::random_source;

double thread_ns() {
  std::timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

/// Returns the numbers of the words of text `i`. A text is 8 to 30 consecutive words of a long random text. A fifth of
/// the texts are earlier texts with up to three other words.
std::vector<std::uint64_t> words_of(std::size_t i, std::size_t count) {
  random_source random(i);
  if (i > 0 && random.below(5) == 0) {
    std::vector<std::uint64_t> words = words_of(random.below(i), count);
    for (std::uint64_t changes = random.below(4); changes > 0; --changes)
      words[random.below(words.size())] = random.next();
    return words;
  }
  std::vector<std::uint64_t> words(8 + random.below(23));
  std::iota(words.begin(), words.end(), random.below(4 * count));
  return words;
}

std::string text_of(std::size_t i, std::size_t count) {
  std::string text;
  for (const std::uint64_t word : words_of(i, count)) text += std::to_string(neardup_bench::mix(word) % 100'000) + ' ';
  return text;
}

std::vector<std::uint32_t> set_of(std::size_t i, std::size_t count) {
  std::vector<std::uint32_t> set;
  for (const std::uint64_t word : words_of(i, count))
    set.push_back(static_cast<std::uint32_t>(neardup_bench::mix(word)));
  std::sort(set.begin(), set.end());
  set.erase(std::unique(set.begin(), set.end()), set.end());
  return set;
}

neardup::simhash<64> fingerprint_of(std::size_t i) {
  random_source random(i);
  if (i > 0 && random.below(5) == 0) {
    const std::uint64_t near = fingerprint_of(random.below(i)).to_uint64();
    return neardup::simhash<64>(neardup_bench::with_flips(near, static_cast<int>(random.below(4)), random));
  }
  return neardup::simhash<64>(random.next());
}

/// Prints the cells of insertions. `input(i)` makes the argument of `insert(i, input)`, and its time does not count.
void time_inserts(const char* name, std::size_t count, const auto& input, const auto& insert) {
  double clock = 1e9;  // the time of a call of thread_ns()
  for (int i = 0; i < 1000; ++i) {
    const double begin = thread_ns();
    clock = std::min(clock, thread_ns() - begin);
  }
  std::vector<float> taken;
  taken.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto made = input(i);
    const double begin = thread_ns();
    insert(i, made);
    taken.push_back(static_cast<float>(std::max(0.0, thread_ns() - begin - clock)));
  }
  const double mean = std::accumulate(taken.begin(), taken.end(), 0.0) / static_cast<double>(count);
  std::sort(taken.begin(), taken.end());
  std::printf("| %s | %zu | %.0f | %.0f | %.0f |", name, count, mean,
              static_cast<double>(taken[count - 1 - count / 1000]), static_cast<double>(taken.back()));
  std::fflush(stdout);
}

/// Prints the cells of searches. Each thread calls `search(input, matches)` for its own inputs.
void time_searches(std::size_t count, const auto& input, const auto& search) {
  constexpr std::size_t queries = 20'000;
  for (const std::size_t readers : {1U, 2U, 4U}) {
    std::vector<double> ns(readers);
    std::vector<std::thread> threads;
    for (std::size_t reader = 0; reader < readers; ++reader) {
      threads.emplace_back([&, reader] {
        std::vector<decltype(input(0))> inputs;
        for (std::size_t i = 0; i < queries; ++i) inputs.push_back(input((i * 7919 + reader * 104'729) % count));
        auto reads = search();
        std::size_t matches = 0;
        const double begin = thread_ns();
        for (const auto& one : inputs) reads(one, matches);
        ns[reader] = (thread_ns() - begin) / queries;
        if (matches < queries) std::abort();  // each input was inserted
      });
    }
    for (std::thread& thread : threads) thread.join();
    std::printf(" %.0f |", std::accumulate(ns.begin(), ns.end(), 0.0) / static_cast<double>(readers));
    std::fflush(stdout);
  }
}

/// Prints the cells of memory: the size in megabytes, and the time to read a random cache line of `bytes` bytes in a
/// chain, and of eight chains at once. Each line of a chain has the place of the next line.
void time_lines(std::size_t bytes) {
  constexpr std::size_t steps = 1 << 18;
  struct alignas(64) line {
    std::size_t next;
  };
  const std::size_t count = bytes / sizeof(line);
  std::vector<line> lines(count);
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  random_source random(1);
  for (std::size_t i = count - 1; i > 0; --i) std::swap(order[i], order[random.below(i)]);
  for (std::size_t i = 0; i < count; ++i) lines[order[i]].next = order[(i + 1) % count];
  std::printf(" %.0f |", static_cast<double>(bytes) / 1e6);
  std::size_t at[8];
  for (const std::size_t chains : {1U, 8U}) {
    double best = 1e9;
    for (int round = 0; round < 5; ++round) {
      for (std::size_t i = 0; i < chains; ++i) at[i] = order[(i * 5 + static_cast<std::size_t>(round)) * (count / 40)];
      const double begin = thread_ns();
      for (std::size_t step = 0; step < steps; ++step) {
        for (std::size_t i = 0; i < chains; ++i) at[i] = lines[at[i]].next;
      }
      best = std::min(best, (thread_ns() - begin) / static_cast<double>(steps * chains));
      if (std::accumulate(at, at + chains, std::size_t{0}) >= chains * count) std::abort();
    }
    std::printf(" %.0f |", best);
  }
  std::puts("");
}

void measure(std::size_t count) {
  {
    neardup::deduplicator dedup{neardup::jaccard{.8}};
    time_inserts(
        "`deduplicator`, `add`", count, [&](std::size_t i) { return text_of(i, count); },
        [&](std::size_t, const std::string& text) { dedup.add(text); });
    std::puts(" | | | | | |");
  }
  {
    neardup::set_index<> index{neardup::jaccard{.8}};
    const auto input = [&](std::size_t i) { return set_of(i, count); };
    time_inserts("`set_index`", count, input,
                 [&](std::size_t i, const auto& set) { index.insert(set, static_cast<std::uint32_t>(i)); });
    time_searches(count, input, [&] {
      return [&index, scratch = neardup::set_index<>::workspace()](const auto& set, std::size_t& matches) mutable {
        index.for_each_match(set, {}, scratch, [&](const auto&) { ++matches; });
      };
    });
    time_lines(index.memory_usage());
  }
  {
    neardup::pigeonhole_index<64, 3> index;
    time_inserts("`pigeonhole_index<64, 3>`", count, fingerprint_of,
                 [&](std::size_t i, const auto& f) { index.insert(f, static_cast<std::uint32_t>(i)); });
    time_searches(count, fingerprint_of, [&] {
      return [&index](const auto& f, std::size_t& matches) {
        index.for_each_match(f, 3, [&](const auto&) { ++matches; });
      };
    });
    time_lines(index.memory_usage());
  }
}

}  // namespace

int main(int count, char** sizes) {
  for (int i = 1; i < count; ++i) measure(static_cast<std::size_t>(std::strtod(sizes[i], nullptr)));
}
