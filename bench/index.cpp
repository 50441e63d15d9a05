// Measures the speed of the index, and of four baselines: scans, the hash map of four blocks that articles describe,
// FAISS, and the memory bandwidth of the machine. bench/indexes.md explains the names of the benchmarks, --help the
// options.
//
// The data are U, uniform with 1 % near-duplicates, and S2, skewed and clustered (suffix /s2); see synthetic.hpp. Real
// texts are read by --documents and --fingerprints. Before a measurement, answers are compared with a scan. A wrong
// answer ends the program.
#include <algorithm>
#include <array>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <limits>
#include <list>
#include <memory>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>
#include <neardup/dedup.hpp>
#include <neardup/index.hpp>
#include <neardup/threads.hpp>

#include "index_baselines.hpp"
#include "index_cases.hpp"
#include "index_data.hpp"
#include "index_joins.hpp"
#include "index_large.hpp"
#include "index_machine.hpp"
#include "measure.hpp"

#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
#include <malloc.h>
#define NEARDUP_BENCH_HEAP 1
#else
#define NEARDUP_BENCH_HEAP 0
#endif

namespace {

using namespace neardup_bench;

using growing_type = neardup::pigeonhole_index<64, neardup::dynamic_layout>;
using frozen_type = neardup::frozen_index<64>;

// There are so many queries that their data do not stay in the cache until the next round. With 4,096 queries, results
// were up to twice as fast.
constexpr std::size_t query_count = 65536;

// --- queries, for any index ----------------------------------------------------------------------

/// Returns the number of allocated bytes, or 0 if the C library does not provide it.
std::size_t heap_bytes() {
#if NEARDUP_BENCH_HEAP
  const auto info = mallinfo2();
  return info.uordblks + info.hblkhd;
#else
  return 0;
#endif
}

/// Makes an index of all fingerprints in the fastest way that the type offers. The ids are the positions.
template <class Index>
std::unique_ptr<Index> build(const fingerprints& stored, int k, int blocks, std::size_t threads = 1) {
  using values = std::span<const fingerprint>;
  if constexpr (std::is_constructible_v<Index, int, int, values, neardup::threads>) {
    return std::make_unique<Index>(k, blocks, values(stored), neardup::threads{threads});
  } else if constexpr (std::is_constructible_v<Index, std::span<const std::uint64_t>, int, int>) {
    return std::make_unique<Index>(words_of(stored), k, blocks);
  } else if constexpr (std::is_constructible_v<Index, std::span<const std::uint64_t>, int>) {
    return std::make_unique<Index>(words_of(stored), k);
  } else {
    auto index = [&] {
      if constexpr (std::is_constructible_v<Index, int, int>) {
        return std::make_unique<Index>(k, blocks);
      } else {
        return std::make_unique<Index>();
      }
    }();
    index->reserve(stored.size());
    for (std::size_t i = 0; i < stored.size(); ++i) index->insert(stored[i], static_cast<std::uint32_t>(i));
    return index;
  }
}

/// Compares the answers to some queries with a scan. Each match must occur once, and in order.
template <class Index>
void check(const Index& index, const data_set& data, int k, const std::string& name) {
  const fingerprints queries = queries_in(data, query_count, k);
  const auto& expected = right_answers(data, k, queries);
  const std::span<const fingerprint> asked(queries.data(), expected.size());
  for (std::size_t q = 0; q < asked.size(); ++q) {
    if constexpr (requires { index.search(std::uint64_t{}, k); }) {
      compare(index.search(asked[q].to_uint64(), k), expected[q], true, name);
    } else {
      std::vector<found> matches;
      for (const auto& match : index.search(asked[q], k)) {
        if (match.fingerprint != stored_in(data)[match.id]) throw std::logic_error(name + " has an id wrong");
        matches.push_back({match.id, match.distance});
      }
      compare(matches, expected[q], true, name + ".search");
      matches.clear();
      index.for_each_match(asked[q], k, [&](const auto& match) { matches.push_back({match.id, match.distance}); });
      compare(matches, expected[q], false, name + ".for_each_match");
    }
  }
  if constexpr (requires { index.search_batch(asked, k); }) {
    const auto batch = index.search_batch(asked, k);
    if (batch.size() != asked.size()) throw std::logic_error(name + ".search_batch lost queries");
    for (std::size_t q = 0; q < asked.size(); ++q) {
      std::vector<found> matches;
      for (const auto& match : batch[q]) matches.push_back({match.id, match.distance});
      compare(matches, expected[q], true, name + ".search_batch");
    }
  }
}

/// An index, and the time and memory that building it took. Only the last index is kept, for consecutive benchmarks of
/// the same index.
template <class Index>
struct kept {
  std::unique_ptr<Index> index;
  double heap_bytes = 0;
};

template <class Index>
const kept<Index>& built(const std::string& type, const data_set& data, int k, int blocks) {
  const std::string name = type + "/k" + std::to_string(k) + "/b" + std::to_string(blocks) + data.suffix();
  if (last().name != name) {
    last() = {};
    const fingerprints& stored = stored_in(data);
    auto made = std::make_shared<kept<Index>>();
    const std::size_t before = heap_bytes();
    made->index = build<Index>(stored, k, blocks);
    made->heap_bytes = static_cast<double>(heap_bytes()) - static_cast<double>(before);
    check(*made->index, data, k, name);
    last() = {name, made};
  }
  return *static_cast<const kept<Index>*>(last().index.get());
}

// --- benchmarks ----------------------------------------------------------------------------------

/// Reports the memory of an index: the index's own count, and that of the C library.
template <class Index>
void count_memory(benchmark::State& state, const kept<Index>& made, std::size_t size) {
  if constexpr (requires { made.index->memory_usage(); }) {
    state.counters["bytes_an_entry"] = static_cast<double>(made.index->memory_usage()) / static_cast<double>(size);
  }
  if (made.heap_bytes > 0) state.counters["heap_an_entry"] = made.heap_bytes / static_cast<double>(size);
}

/// Reports the time of a query that the cost model predicts. Also reports the memory that a query reads in this layout:
/// the number of cache lines at random addresses, and the bytes that follow them. Reports 0 if the tables fit the
/// cache, as with a million fingerprints.
void count_fetches(benchmark::State& state, const data_set& data, int k, int blocks) {
  const double n = static_cast<double>(data.size);
  state.counters["planned_us"] = 1e6 * neardup::costs_of(neardup::layout(64, k, blocks), n).seconds;
  if (data.kind != data_set::uniform) return;
  neardup::detail::cost_model lines;
  lines.query_seconds = 0;
  lines.cached_line_seconds = 0;
  lines.bandwidth = lines.cached_bandwidth = std::numeric_limits<double>::infinity();
  lines.line_seconds = 1;
  neardup::detail::cost_model bytes = lines;
  bytes.line_seconds = 0;
  bytes.bandwidth = 1;
  state.counters["lines"] = neardup::detail::modelled_costs(neardup::layout(64, k, blocks), n, k, lines).seconds;
  state.counters["line_bytes"] = neardup::detail::modelled_costs(neardup::layout(64, k, blocks), n, k, bytes).seconds;
}

/// Returns the name of a benchmark. `form` is "" for an index that can change, and "/frozen" for one that cannot.
std::string case_name(const std::string& operation, const std::string& form, const data_set& data, int k, int blocks) {
  return "index/" + operation + form + "/k" + std::to_string(k) + "/b" + std::to_string(blocks) + data.suffix();
}

template <class Index>
void add_searches(const std::string& form, const data_set& data, int k, int blocks, bool singles) {
  if (singles) {
    add(case_name("search", form, data, k, blocks), [=](benchmark::State& state) {
      const auto& made = built<Index>("index" + form, data, k, blocks);
      const fingerprints queries = queries_in(data, query_count, k);
      std::size_t next = 0;
      for (auto _ : state) benchmark::DoNotOptimize(made.index->search(queries[next++ % queries.size()], k));
      count_items(state, 1);
      count_fetches(state, data, k, blocks);
      count_memory(state, made, data.size);
    });
    add(case_name("visit", form, data, k, blocks), [=](benchmark::State& state) {
      const auto& made = built<Index>("index" + form, data, k, blocks);
      const fingerprints queries = queries_in(data, query_count, k);
      std::size_t next = 0;
      std::uint64_t sum = 0;
      for (auto _ : state) {
        made.index->for_each_match(queries[next++ % queries.size()], k, [&](const auto& match) { sum += match.id; });
      }
      benchmark::DoNotOptimize(sum);
      count_items(state, 1);
      count_fetches(state, data, k, blocks);
    });
  }
  add(case_name("batch", form, data, k, blocks), [=](benchmark::State& state) {
    const auto& made = built<Index>("index" + form, data, k, blocks);
    const fingerprints queries = queries_in(data, query_count, k);
    for (auto _ : state) {
      benchmark::DoNotOptimize(made.index->search_batch(std::span<const fingerprint>(queries), k));
    }
    count_items(state, queries.size());
    count_fetches(state, data, k, blocks);
    count_memory(state, made, data.size);
  });
}

template <class Index>
void add_build(const std::string& form, const data_set& data, int k, int blocks, std::size_t threads = 1) {
  const std::string tail = threads == 1 ? "" : "/threads" + std::to_string(threads);
  add(case_name("build", form, data, k, blocks) + tail, [=](benchmark::State& state) {
    last() = {};
    const fingerprints& stored = stored_in(data);
    std::unique_ptr<Index> index;
    measure_seconds(
        state, data.size, [&] { index.reset(); }, [&] { index = build<Index>(stored, k, blocks, threads); });
    check(*index, data, k, "index/build" + form);
  });
}

/// Inserts one by one, without reserve().
void add_insert(const data_set& data, int k, int blocks) {
  add(case_name("insert", "", data, k, blocks), [=](benchmark::State& state) {
    last() = {};
    const fingerprints& stored = stored_in(data);
    for (auto _ : state) {
      growing_type index(k, blocks);
      for (std::size_t i = 0; i < stored.size(); ++i) index.insert(stored[i], static_cast<std::uint32_t>(i));
      benchmark::DoNotOptimize(index.size());
    }
    count_items(state, data.size);
  });
}

/// Measures the longest single insertion. Other work on the machine can only make it longer, so the least over all runs
/// counts.
void add_pause(const data_set& data, int k, int blocks) {
  add(case_name("pause", "", data, k, blocks), [=](benchmark::State& state) {
    using clock = std::chrono::steady_clock;
    last() = {};
    const fingerprints& stored = stored_in(data);
    double longest_ms = std::numeric_limits<double>::infinity();
    std::size_t longest_at = 0;
    for (auto _ : state) {
      for (int run = 0; run < 3; ++run) {
        growing_type index(k, blocks);
        clock::duration longest{0};
        std::size_t at = 0;
        clock::time_point before = clock::now();
        for (std::size_t i = 0; i < stored.size(); ++i) {
          index.insert(stored[i], static_cast<std::uint32_t>(i));
          const clock::time_point after = clock::now();
          if (after - before > longest) {
            longest = after - before;
            at = i;
          }
          before = after;
        }
        const double ms = std::chrono::duration<double, std::milli>(longest).count();
        if (ms < longest_ms) {
          longest_ms = ms;
          longest_at = at;
        }
      }
    }
    state.counters["longest_ms"] = longest_ms;
    state.counters["longest_at"] = static_cast<double>(longest_at);
  });
}

void add_index(const data_set& data, int k, int blocks, bool is_huge = false) {
  const bool is_main = k == 3 || data.kind == data_set::real;
  const bool is_rebuilt = is_main && data.kind != data_set::real;
  add_searches<frozen_type>("/frozen", data, k, blocks, is_main);
  if (is_rebuilt) {
    add_build<frozen_type>("/frozen", data, k, blocks);
    add_build<frozen_type>("/frozen", data, k, blocks, 2);
  }
  // An index that can change takes twice the bytes. For 10^8 fingerprints in five blocks these are 18 GB, and more
  // while the index grows.
  if (is_huge && blocks > 4) return;
  add_searches<growing_type>("", data, k, blocks, is_main);
  if (!is_rebuilt) return;
  add_build<growing_type>("", data, k, blocks);
  if (data.kind != data_set::uniform || is_huge) return;
  add_insert(data, k, blocks);
  if (data.size == 1'000'000) add_pause(data, k, blocks);
}

// --- baselines -----------------------------------------------------------------------------------

std::string baseline_name(const std::string& name, const data_set& data, int k) {
  return "baseline/" + name + "/k" + std::to_string(k) + data.suffix();
}

template <class Baseline>
void add_baseline(const std::string& name, const data_set& data, int k, int blocks) {
  add(baseline_name(name, data, k), [=](benchmark::State& state) {
    const auto& made = built<Baseline>(name, data, k, blocks);
    const fingerprints queries = queries_in(data, query_count, k);
    std::size_t next = 0;
    for (auto _ : state) {
      const fingerprint query = queries[next++ % queries.size()];
      if constexpr (requires { made.index->search(std::uint64_t{}, k); }) {
        benchmark::DoNotOptimize(made.index->search(query.to_uint64(), k));
      } else {
        benchmark::DoNotOptimize(made.index->search(query, k));
      }
    }
    count_items(state, 1);
    count_memory(state, made, data.size);
  });
}

void add_scans(const data_set& data, int k) {
  add_baseline<neardup::flat_index<64>>("flat", data, k, 0);
  if (!has_avx512_popcount()) return;
  add(baseline_name("flat_avx512", data, k), [=](benchmark::State& state) {
    const std::span<const std::uint64_t> words = words_of(stored_in(data));
    const fingerprints queries = queries_in(data, query_count, k);
    right_answers(data, k, queries);
    std::size_t next = 0;
    std::vector<found> matches;
    for (auto _ : state) {
      matches.clear();
      scan_avx512(words, queries[next++ % queries.size()].to_uint64(), k, matches);
      benchmark::DoNotOptimize(matches.data());
    }
    count_items(state, 1);
  });
  add(baseline_name("flat_avx512_by_8", data, k), [=](benchmark::State& state) {
    const std::span<const std::uint64_t> words = words_of(stored_in(data));
    const fingerprints queries = queries_in(data, query_count, k);
    const auto& expected = right_answers(data, k, queries);
    std::array<std::vector<found>, 8> matches;
    std::size_t next = 0;
    for (auto _ : state) {
      std::array<std::uint64_t, 8> asked;
      for (std::size_t q = 0; q < 8; ++q) {
        asked[q] = queries[(next + q) % queries.size()].to_uint64();
        matches[q].clear();
      }
      scan_avx512_by_8(words, asked, k, matches);
      if (next == 0) {
        for (std::size_t q = 0; q < 8; ++q) compare(matches[q], expected[q], false, "flat_avx512_by_8");
      }
      next += 8;
    }
    count_items(state, 8);
  });
}

void add_baselines(const data_set& data, int k) {
  add_scans(data, k);
  add_baseline<four_block_map>("unordered_map/b4", data, k, 4);
#if defined(NEARDUP_BENCH_FAISS)
  if (data.kind == data_set::real || k != 3) return;
  for (const int blocks : {2, 4}) {
    const std::string name = "faiss_multi_hash/b" + std::to_string(blocks);
    add_baseline<faiss_multi_hash>(name, data, k, blocks);
    add(baseline_name(name + "/batch", data, k), [=](benchmark::State& state) {
      const auto& made = built<faiss_multi_hash>(name, data, k, blocks);
      const fingerprints queries = queries_in(data, query_count, k);
      for (auto _ : state) benchmark::DoNotOptimize(made.index->search_batch(words_of(queries), k));
      count_items(state, queries.size());
    });
  }
#endif
}

void add_machine() {
  for (const bool huge : {false, true}) {
    if (huge && !large_area::has_advice()) continue;
    const std::string suffix = huge ? "/2MiB_pages" : "";
    const auto area = [=]() -> const large_area& {
      static std::unique_ptr<large_area> kept_one;
      static bool kept_huge = false;
      if (!kept_one || kept_huge != huge) {
        last() = {};
        kept_one.reset();
        kept_one = std::make_unique<large_area>(huge);
        kept_huge = huge;
      }
      return *kept_one;
    };
    for (const std::size_t in_flight : {std::size_t{1}, std::size_t{8}, std::size_t{16}, std::size_t{64}}) {
      add("baseline/random_lines/f" + std::to_string(in_flight) + suffix, [=](benchmark::State& state) {
        constexpr std::size_t steps = 1 << 18;
        const large_area& memory = area();
        for (auto _ : state) benchmark::DoNotOptimize(memory.read_lines(in_flight, steps));
        count_items(state, steps);
      });
    }
    for (const std::size_t length : {std::size_t{19}, std::size_t{190}}) {
      add("baseline/random_runs/lines" + std::to_string(length) + suffix, [=](benchmark::State& state) {
        constexpr std::size_t runs = 1 << 14;
        const large_area& memory = area();
        for (auto _ : state) benchmark::DoNotOptimize(memory.read_runs(length, runs));
        count_items(state, runs);
      });
    }
    add("baseline/sequential" + suffix, [=](benchmark::State& state) {
      const large_area& memory = area();
      for (auto _ : state) benchmark::DoNotOptimize(memory.read_all());
      state.counters["bytes"] =
          benchmark::Counter(static_cast<double>(large_area::bytes), benchmark::Counter::kIsIterationInvariantRate);
    });
  }
}

// --- choice of the benchmarks --------------------------------------------------------------------

struct options {
  std::vector<std::size_t> sizes;
  std::size_t large = 0;
  std::list<real_texts> texts;  // a list, because data sets keep pointers to its elements
};

std::size_t parse_count(std::string_view name, const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !(value >= 1 && value <= 1e12)) {
    throw std::invalid_argument(std::string(name) + ": not a number of fingerprints: " + text);
  }
  return static_cast<std::size_t>(value);
}

/// Removes this program's own options from the arguments. Google Benchmark parses the others.
options parse_options(int& argc, char** argv) {
  options result;
  int kept_arguments = 1;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const auto value_of = [&](std::string_view name) -> const char* {
      return argument.substr(0, name.size()) == name ? argv[i] + name.size() : nullptr;
    };
    if (const char* size = value_of("--size=")) {
      result.sizes.push_back(parse_count("--size", size));
    } else if (const char* large = value_of("--large=")) {
      result.large = parse_count("--large", large);
    } else if (const char* documents = value_of("--documents=")) {
      result.texts.push_back(read_real_texts(documents, false));
    } else if (const char* hexadecimal = value_of("--fingerprints=")) {
      result.texts.push_back(read_real_texts(hexadecimal, true));
    } else {
      argv[kept_arguments++] = argv[i];
    }
  }
  if (std::find_if(argv + 1, argv + kept_arguments, [](const char* a) { return std::string_view(a) == "--help"; }) !=
      argv + kept_arguments) {
    std::puts(
        "neardup_bench_index [--size=N]... [--large=N] [--documents=FILE]... [--fingerprints=FILE]...\n"
        "  --size=N             measures N fingerprints; several are possible (default: 1e5, 1e6 and 1e7)\n"
        "  --large=N            index/large: N made-up fingerprints, so many that they are made in passes (2^30)\n"
        "  --documents=FILE     real texts, one a line\n"
        "  --fingerprints=FILE  real fingerprints, 16 hexadecimal digits at the beginning of each line\n");
  }
  argc = kept_arguments;
  if (result.sizes.empty()) result.sizes = {100'000, 1'000'000, 10'000'000};
  return result;
}

void register_all(const options& wanted) {
  add_machine();
  for (const std::size_t n : wanted.sizes) {
    for (const auto kind : {data_set::uniform, data_set::skewed}) {
      const data_set data{kind, n, nullptr};
      const bool is_huge = n > 10'000'000;  // k = 6 and more would take hours, and the baselines do not fit in memory.
      if (kind == data_set::skewed && is_huge) continue;
      if (!is_huge) {
        add_baselines(data, 3);
      } else {
        add_scans(data, 3);
      }
      for (const int blocks : {2, 3, 4, 5}) add_index(data, 3, blocks, is_huge);
      if (kind == data_set::uniform && !is_huge) {
        for (const int k : {6, 8, 10, 12}) {
          add_scans(data, k);
          for (const int blocks : {3, 4, 5, 6}) add_index(data, k, blocks);
        }
      }
      add_joins(data, 3);
    }
  }
  for (const real_texts& texts : wanted.texts) {
    const data_set data{data_set::real, texts.stored.size(), &texts};
    for (const int k : {3, 8, 12}) {
      add_baselines(data, k);
      for (const int blocks : {2, 3, 4, 5}) add_index(data, k, blocks);
    }
  }
  if (wanted.large == 0) return;
  for (const std::size_t threads : {std::size_t{1}, std::size_t{2}}) add_large(wanted.large, threads);
}

}  // namespace

int main(int argc, char** argv) try {
  const options wanted = parse_options(argc, argv);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
#if defined(NEARDUP_BENCH_FAISS)
  benchmark::AddCustomContext("faiss", NEARDUP_BENCH_FAISS);
#else
  benchmark::AddCustomContext("faiss", "none");
#endif
  benchmark::AddCustomContext("compiler", compiler());
  register_all(wanted);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "neardup_bench_index: %s\n", error.what());
  return 2;
}
