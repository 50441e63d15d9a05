// How fast the index answers, beside the flat scan and the hash map of four blocks that the articles describe.
//
// Data: U, uniform with 1 % near-duplicates, and S2, skewed and clustered (suffix /s2); see synthetic.hpp.
// Every second query is a stored fingerprint with 0 to k flips. Before anything is timed, answers are held against the
// flat scan, and a wrong one ends the program.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>
#include <neardup/dedup.hpp>
#include <neardup/index.hpp>

#include "synthetic.hpp"

namespace {

using fingerprint = neardup::simhash<64>;
using fingerprints = std::vector<fingerprint>;

enum class data_set { uniform, skewed };

/// The fingerprints last asked for; the benchmarks are registered so that equal ones follow each other.
const fingerprints& data(data_set kind, std::size_t n) {
  static data_set cached_kind{};
  static fingerprints cached;
  if (cached.size() != n || cached_kind != kind) {
    cached = {};
    cached = kind == data_set::uniform ? neardup_bench::uniform_fingerprints(n) : neardup_bench::skewed_fingerprints(n);
    cached_kind = kind;
  }
  return cached;
}

constexpr std::size_t query_count = 4096;

template <class Index>
void fill(Index& index, const fingerprints& stored) {
  index.reserve(stored.size());
  for (std::size_t i = 0; i < stored.size(); ++i) index.insert(stored[i], static_cast<std::uint32_t>(i));
}

/// Holds the matches of a few queries against a scan of all fingerprints.
template <class Index>
void check(const Index& index, const fingerprints& stored, const fingerprints& queries, int k) {
  for (std::size_t q = 0; q < 16; ++q) {
    std::vector<std::uint32_t> expected;
    for (std::size_t i = 0; i < stored.size(); ++i) {
      if (std::popcount(stored[i].to_uint64() ^ queries[q].to_uint64()) <= k) {
        expected.push_back(static_cast<std::uint32_t>(i));
      }
    }
    std::vector<std::uint32_t> found;
    for (const auto& match : index.search(queries[q], k)) found.push_back(match.id);
    std::sort(found.begin(), found.end());
    if (found != expected) throw std::logic_error("the index and the scan disagree");
  }
}

/// An index of the data; built once for the benchmarks that follow each other with the same one.
template <class Index>
const Index& built(data_set kind, std::size_t n, int k, int blocks) {
  static std::string cached_name;
  static std::unique_ptr<Index> cached;
  const std::string name = std::to_string(static_cast<int>(kind)) + "/" + std::to_string(n) + "/" + std::to_string(k) +
                           "/" + std::to_string(blocks);
  if (cached_name != name) {
    cached.reset();
    const fingerprints& stored = data(kind, n);
    if constexpr (std::is_default_constructible_v<Index>) {
      cached = std::make_unique<Index>();
    } else {
      cached = std::make_unique<Index>(k, blocks);
    }
    fill(*cached, stored);
    check(*cached, stored, neardup_bench::queries_for(stored, query_count, k), k);
    cached_name = name;
  }
  return *cached;
}

using index_type = neardup::dynamic_index<64>;

void add(const std::string& name, std::function<void(benchmark::State&)> run) {
  benchmark::RegisterBenchmark(name.c_str(), std::move(run))->Unit(benchmark::kMillisecond);
}

void count_items(benchmark::State& state, std::size_t items) {
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * static_cast<std::int64_t>(items));
}

void add_index(data_set kind, std::size_t n, int k, int blocks) {
  const std::string suffix = "/k" + std::to_string(k) + "/b" + std::to_string(blocks) + "/n" + std::to_string(n) +
                             (kind == data_set::skewed ? "/s2" : "");
  add("index/search" + suffix, [=](benchmark::State& state) {
    const auto& index = built<index_type>(kind, n, k, blocks);
    const fingerprints queries = neardup_bench::queries_for(data(kind, n), query_count, k);
    std::size_t next = 0;
    for (auto _ : state) benchmark::DoNotOptimize(index.search(queries[next++ % query_count], k));
    count_items(state, 1);
  });
  add("index/visit" + suffix, [=](benchmark::State& state) {
    const auto& index = built<index_type>(kind, n, k, blocks);
    const fingerprints queries = neardup_bench::queries_for(data(kind, n), query_count, k);
    std::size_t next = 0;
    std::uint64_t sum = 0;
    for (auto _ : state) {
      index.for_each_match(queries[next++ % query_count], k, [&](const auto& match) { sum += match.id; });
    }
    benchmark::DoNotOptimize(sum);
    count_items(state, 1);
  });
  add("index/batch" + suffix, [=](benchmark::State& state) {
    const auto& index = built<index_type>(kind, n, k, blocks);
    const fingerprints queries = neardup_bench::queries_for(data(kind, n), query_count, k);
    for (auto _ : state) benchmark::DoNotOptimize(index.search_batch(std::span<const fingerprint>(queries), k));
    count_items(state, query_count);
  });
  add("index/insert" + suffix, [=](benchmark::State& state) {
    const fingerprints& stored = data(kind, n);
    for (auto _ : state) {
      index_type index(k, blocks);
      for (std::size_t i = 0; i < n; ++i) index.insert(stored[i], static_cast<std::uint32_t>(i));
      benchmark::DoNotOptimize(index.size());
    }
    count_items(state, n);
  });
}

void add_all_pairs(data_set kind, std::size_t n, int k) {
  const std::string suffix =
      "/k" + std::to_string(k) + "/n" + std::to_string(n) + (kind == data_set::skewed ? "/s2" : "");
  add("index/all_pairs" + suffix, [=](benchmark::State& state) {
    const fingerprints& stored = data(kind, n);
    for (auto _ : state) {
      std::size_t pairs = 0;
      neardup::all_pairs(std::span<const fingerprint>(stored), k, [&](auto, auto, int) { ++pairs; });
      benchmark::DoNotOptimize(pairs);
    }
    count_items(state, n);
  });
  add("index/cluster" + suffix, [=](benchmark::State& state) {
    const fingerprints& stored = data(kind, n);
    for (auto _ : state) benchmark::DoNotOptimize(neardup::cluster(std::span<const fingerprint>(stored), k));
    count_items(state, n);
  });
}

/// What a reader of the articles writes: a hash map from each 16-bit block to the fingerprints that have it.
class four_block_map {
 public:
  void reserve(std::size_t /*n*/) {}

  void insert(fingerprint value, std::uint32_t id) {
    for (std::size_t block = 0; block < 4; ++block) maps_[block][key(value, block)].push_back({value.to_uint64(), id});
  }

  struct match {
    std::uint32_t id;
    int distance;
  };

  /// At most 3 bits: any two such fingerprints agree on a block.
  [[nodiscard]] std::vector<match> search(fingerprint query, int k) const {
    std::vector<match> matches;
    for (std::size_t block = 0; block < 4; ++block) {
      const auto found = maps_[block].find(key(query, block));
      if (found == maps_[block].end()) continue;
      for (const auto& [value, id] : found->second) {
        const int distance = std::popcount(value ^ query.to_uint64());
        if (distance <= k) matches.push_back({id, distance});
      }
    }
    std::sort(matches.begin(), matches.end(), [](const match& a, const match& b) {
      return a.distance != b.distance ? a.distance < b.distance : a.id < b.id;
    });
    matches.erase(std::unique(matches.begin(), matches.end(), [](auto& a, auto& b) { return a.id == b.id; }),
                  matches.end());
    return matches;
  }

 private:
  static std::uint16_t key(fingerprint value, std::size_t block) {
    return static_cast<std::uint16_t>(value.to_uint64() >> (16 * block));
  }

  std::array<std::unordered_map<std::uint16_t, std::vector<std::pair<std::uint64_t, std::uint32_t>>>, 4> maps_;
};

template <class Baseline>
void add_baseline(const std::string& name, data_set kind, std::size_t n, int k) {
  add("baseline/" + name + "/k" + std::to_string(k) + "/n" + std::to_string(n) +
          (kind == data_set::skewed ? "/s2" : ""),
      [=](benchmark::State& state) {
        const auto& index = built<Baseline>(kind, n, k, 0);
        const fingerprints queries = neardup_bench::queries_for(data(kind, n), query_count, k);
        std::size_t next = 0;
        for (auto _ : state) benchmark::DoNotOptimize(index.search(queries[next++ % query_count], k));
        count_items(state, 1);
      });
}

}  // namespace

int main(int argc, char** argv) try {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  for (const std::size_t n : {std::size_t{100'000}, std::size_t{1'000'000}, std::size_t{10'000'000}}) {
    for (const data_set kind : {data_set::uniform, data_set::skewed}) {
      add_baseline<neardup::flat_index<64>>("flat", kind, n, 3);
      add_baseline<four_block_map>("unordered_map/b4", kind, n, 3);
      for (const int blocks : {2, 4, 5}) add_index(kind, n, 3, blocks);
      if (n <= 1'000'000) {
        for (const int k : {6, 8, 10, 12}) add_index(kind, n, k, 4);
      }
      add_all_pairs(kind, n, 3);
    }
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "neardup_bench_index: %s\n", error.what());
  return 2;
}
