#include "index_large.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <neardup/index.hpp>
#include <neardup/simhash.hpp>
#include <neardup/threads.hpp>

#include "index_baselines.hpp"
#include "index_cases.hpp"
#include "mixing.hpp"
#include "synthetic.hpp"

#if defined(__unix__)
#include <sys/resource.h>
#endif

namespace neardup_bench {

namespace {

constexpr std::size_t planted = 1000;
constexpr int k = 3;

/// The stored fingerprints. Their random bits are computed from the position, so they need no memory, and each pass
/// gives the same ones. At 1,000 positions, which are multiples of a power of two, the fingerprint is an earlier one
/// with 0 to 3 bits flipped.
class made_up_fingerprints {
 public:
  explicit made_up_fingerprints(std::size_t count) : count_(count) {
    if (count < 4 * planted) throw std::invalid_argument("--large: less than 4000 are no large index");
    log_distance_ = static_cast<int>(std::bit_width(count / (planted + 1))) - 1;
  }

  [[nodiscard]] std::size_t size() const { return count_; }

  [[nodiscard]] std::uint64_t operator[](std::size_t i) const {
    const std::size_t number = i >> log_distance_;
    if (number << log_distance_ != i || number == 0 || number > planted) return random(i);
    random_source flips(number);
    return with_flips(random(original(number)), distance(number), flips);
  }

  /// Near-duplicate `number` (1 to 1,000): its position, the position of its original, and their distance.
  [[nodiscard]] std::size_t position(std::size_t number) const { return number << log_distance_; }
  [[nodiscard]] std::size_t original(std::size_t number) const {
    // The position is odd, so it is not that of another near-duplicate.
    return static_cast<std::size_t>(random(number) % position(number)) | 1U;
  }
  [[nodiscard]] static int distance(std::size_t number) { return static_cast<int>(number % 4); }

 private:
  static std::uint64_t random(std::size_t i) {
    return mix((std::uint64_t{i} + 1) * golden_ratio);  // SplitMix64
  }

  std::size_t count_;
  int log_distance_;
};

/// Returns the peak memory of this process in bytes, or 0 if the system does not provide it.
double peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return 1024.0 * std::stod(line.substr(6));
  }
#if defined(__unix__)
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) == 0) return 1024.0 * static_cast<double>(usage.ru_maxrss);
#endif
  return 0;
}

/// Returns the matches of some queries, by a scan that computes all fingerprints again.
std::vector<std::vector<found>> scan_again(const made_up_fingerprints& stored,
                                           std::span<const neardup::simhash<64>> queries) {
  constexpr std::size_t block = 2048;  // fits the L1 cache
  std::vector<std::vector<found>> answers(queries.size());
  std::array<std::uint64_t, block> some;
  std::array<std::vector<found>, 8> matches;
  for (std::size_t begin = 0; begin < stored.size(); begin += block) {
    const std::size_t count = (std::min)(block, stored.size() - begin);
    for (std::size_t i = 0; i < count; ++i) some[i] = stored[begin + i];
    for (std::size_t first = 0; first < queries.size(); first += 8) {
      std::array<std::uint64_t, 8> asked;
      for (std::size_t q = 0; q < 8; ++q) asked[q] = queries[(std::min)(first + q, queries.size() - 1)].to_uint64();
      if (has_avx512_popcount()) {
        scan_avx512_by_8(std::span(some).first(count), asked, k, matches);
      } else {
        for (std::size_t q = 0; q < 8; ++q) scan_plainly(std::span(some).first(count), asked[q], k, matches[q]);
      }
      for (std::size_t q = 0; q < 8; ++q) {
        for (const found& match : matches[q]) {
          if (first + q >= queries.size()) break;
          answers[first + q].push_back({static_cast<std::uint32_t>(begin + match.id), match.distance});
        }
        matches[q].clear();
      }
    }
  }
  for (auto& answer : answers) std::sort(answer.begin(), answer.end());
  return answers;
}

using large_index = neardup::frozen_index<64>;

struct built_large {
  std::unique_ptr<large_index> index;
  double seconds;
};

/// Checks that a search for each planted near-duplicate finds its original, and the other way around.
void check_planted(const large_index& index, const made_up_fingerprints& stored) {
  const auto expect = [&](std::size_t query, std::size_t wanted, int distance) {
    const auto matches = index.search(neardup::simhash<64>(stored[query]), k);
    const auto times = std::count_if(matches.begin(), matches.end(), [&](const auto& match) {
      return match.id == wanted && match.distance == distance;
    });
    if (times == 1) return;
    throw std::logic_error("index/large: " + std::to_string(wanted) + " is found " + std::to_string(times) +
                           " times from " + std::to_string(query) + " instead of once");
  };
  for (std::size_t number = 1; number <= planted; ++number) {
    const std::size_t copy = stored.position(number), original = stored.original(number);
    expect(original, copy, stored.distance(number));
    expect(copy, original, stored.distance(number));
    expect(copy, copy, 0);
  }
}

/// Returns queries as in the other benchmarks. Every second query is 0 to 3 bits from a stored fingerprint, and the
/// others match nothing.
std::vector<neardup::simhash<64>> queries_for(const made_up_fingerprints& stored, std::size_t count) {
  random_source random(2);
  std::vector<neardup::simhash<64>> queries;
  for (std::size_t i = 0; i < count; ++i) {
    if (i % 2 == 0) {
      const std::uint64_t source = stored[static_cast<std::size_t>(random.below(stored.size()))];
      queries.emplace_back(with_flips(source, static_cast<int>(i / 2 % 4), random));
    } else {
      queries.emplace_back(random.next());
    }
  }
  return queries;
}

const built_large& built(const std::string& name, const made_up_fingerprints& stored, std::size_t threads,
                         const std::vector<neardup::simhash<64>>& queries) {
  if (last().name != name) {
    last() = {};
    const auto made = std::make_shared<built_large>();
    const auto start = std::chrono::steady_clock::now();
    made->index = std::make_unique<large_index>(
        k, 2, stored.size(),
        [&](std::size_t i) {
          return neardup::entry<64, std::uint32_t>{neardup::simhash<64>(stored[i]), static_cast<std::uint32_t>(i)};
        },
        neardup::threads{threads});
    made->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    check_planted(*made->index, stored);
    const std::span<const neardup::simhash<64>> sample = std::span(queries).first(32);
    const auto answers = scan_again(stored, sample);
    const auto batch = made->index->search_batch(sample, k);
    for (std::size_t q = 0; q < sample.size(); ++q) {
      std::vector<found> matches;
      for (const auto& match : batch[q]) {
        if (match.fingerprint.to_uint64() != stored[match.id]) throw std::logic_error(name + " has an id wrong");
        matches.push_back({match.id, match.distance});
      }
      compare(matches, answers[q], true, name);
    }
    last() = {name, made};
  }
  return *static_cast<const built_large*>(last().index.get());
}

}  // namespace

void add_large(std::size_t count, std::size_t threads) {
  const std::string tail = threads == 1 ? "" : "/threads" + std::to_string(threads);
  const std::string name = "index/large/k3/b2/n" + std::to_string(count) + tail;
  add(name, [=](benchmark::State& state) {
    const made_up_fingerprints stored(count);
    const auto queries = queries_for(stored, 65536);
    const built_large& made = built(name, stored, threads, queries);
    const std::span<const neardup::simhash<64>> asked(queries);
    for (auto _ : state) benchmark::DoNotOptimize(made.index->search_batch(asked, k));
    count_items(state, queries.size());
    state.counters["bytes_an_entry"] = static_cast<double>(made.index->memory_usage()) / static_cast<double>(count);
    state.counters["build_s"] = made.seconds;
    state.counters["planted_found"] = static_cast<double>(planted);
    state.counters["peak_GiB"] = peak_memory() / 0x1p30;
  });
}

}  // namespace neardup_bench
