// What comparing very many documents costs by the library's own estimates: joins of shards, and searches in the tables
// of a store. Prints JSON for run.py.
//
//   neardup_bench_many_machines model K SHARD DOCUMENTS   a join of two shards of SHARD documents within K bits, and
//                                                         tables of a store that has DOCUMENTS
//   neardup_bench_many_machines distance SIMILARITY       the distance that finds this similarity, min-wise
//   neardup_bench_many_machines index COUNT SEED          an index of COUNT random fingerprints: bytes and seconds
//   neardup_bench_many_machines prints COUNT SEED         these fingerprints, one a line
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <neardup/index.hpp>
#include <neardup/index/recall.hpp>
#include <neardup/neardup.hpp>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr std::size_t bits = 64;

/// Prints the estimated cost of joining two shards of `shard` documents: comparisons, and core-seconds on the machine
/// that the estimates were fitted on.
void print_join(int k, double shard) {
  const auto level = neardup::best_instruction_set();
  const auto costs = neardup::detail::join_costs::of(k, 1, level);
  const auto count = static_cast<std::size_t>(shard);
  const neardup::detail::join_plan<1> plan(bits, k, 0, 2 * count, count, {}, level);
  double compared = 0, seconds = 0;
  for (const auto& table : plan.tables()) {
    const double buckets = static_cast<double>(std::uint64_t{1} << table.address_bits);
    const auto joined = static_cast<double>(neardup::detail::choose_at_most(
        static_cast<std::size_t>(table.address_bits), static_cast<std::size_t>(table.radius)));
    const double met = shard * shard * joined / buckets;
    compared += met;
    seconds += 1e-9 * (2 * shard * costs.record + met * costs.pair +
                       (1 + joined) / 2 * (2 * shard * costs.few + buckets * costs.bucket));
  }
  std::printf("\"join\": {\"tables\": %zu, \"compared\": %.6g, \"seconds\": %.6g}", plan.tables().size(), compared,
              seconds);
}

void print_store(const char* name, int k, int blocks, double documents) {
  const auto costs = neardup::costs_of(neardup::layout(bits, k, blocks), documents);
  std::printf(", \"%s\": {\"tables\": %zu, \"probes\": %.6g, \"candidates\": %.6g, \"bytes\": %.6g}", name,
              costs.tables, costs.probes, costs.candidates, costs.bytes);
}

std::vector<neardup::simhash<bits>> make_prints(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<neardup::simhash<bits>> prints;
  for (std::size_t i = 0; i < count; ++i) prints.emplace_back(random());
  return prints;
}

void print_index(std::size_t count, std::uint64_t seed) {
  const auto prints = make_prints(count, seed);
  const auto queries = make_prints(100'000, seed + 1);
  neardup::pigeonhole_index<bits, 3> index;
  for (std::size_t i = 0; i < count; ++i) index.insert(prints[i], static_cast<std::uint32_t>(i));
  const auto start = std::chrono::steady_clock::now();
  std::size_t found = 0;
  for (const auto& query : queries) found += index.search(query).size();
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  std::printf("{\"bytes\": %.6g, \"queries_per_second\": %.6g, \"found\": %zu}\n",
              static_cast<double>(index.memory_usage()) / static_cast<double>(count),
              static_cast<double>(queries.size()) / time.count(), found);
}

}  // namespace

int main(int count, char** words) {
  const std::vector<std::string> given(words + 1, words + count);
  if (given.size() == 4 && given[0] == "model") {
    const int k = std::stoi(given[1]);
    std::printf("{");
    print_join(k, std::stod(given[2]));
    print_store("4 blocks", k, 4, std::stod(given[3]));
    print_store(k == 3 ? "10 tables" : "k+1 blocks", k, k == 3 ? 5 : k + 1, std::stod(given[3]));
    std::printf("}\n");
  } else if (given.size() == 2 && given[0] == "distance") {
    const double similarity = std::stod(given[1]);
    std::printf("%d\n", neardup::distance_for(bits, similarity, neardup::fingerprint_kind::minwise));
  } else if (given.size() == 3 && given[0] == "index") {
    print_index(std::stoul(given[1]), std::stoul(given[2]));
  } else if (given.size() == 3 && given[0] == "prints") {
    for (const auto& print : make_prints(std::stoul(given[1]), std::stoul(given[2]))) std::puts(print.to_hex().c_str());
  } else {
    std::fputs("model K SHARD DOCUMENTS | distance SIMILARITY | index COUNT SEED | prints COUNT SEED\n", stderr);
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
