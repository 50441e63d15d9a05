// Prints the estimated cost of searches in the tables of a store with very many documents, as JSON for run.py.
//
//   neardup_bench_many_machines model K DOCUMENTS    the tables of a store with DOCUMENTS, for searches within K bits
//   neardup_bench_many_machines index COUNT SEED     an index of COUNT random fingerprints: bytes and seconds
//   neardup_bench_many_machines prints COUNT SEED    these fingerprints, one on each line
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <neardup/index.hpp>
#include <neardup/neardup.hpp>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr std::size_t bits = 64;

void print_store(const char* name, int k, int blocks, double documents) {
  const auto costs = neardup::costs_of(neardup::layout(bits, k, blocks), documents);
  std::printf("\"%s\": {\"tables\": %zu, \"probes\": %.6g, \"candidates\": %.6g, \"bytes\": %.6g}", name, costs.tables,
              costs.probes, costs.candidates, costs.bytes);
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
  if (given.size() == 3 && given[0] == "model") {
    const int k = std::stoi(given[1]);
    std::printf("{");
    print_store("4 blocks", k, 4, std::stod(given[2]));
    std::printf(", ");
    print_store(k == 3 ? "10 tables" : "k+1 blocks", k, k == 3 ? 5 : k + 1, std::stod(given[2]));
    std::printf("}\n");
  } else if (given.size() == 3 && given[0] == "index") {
    print_index(std::stoul(given[1]), std::stoul(given[2]));
  } else if (given.size() == 3 && given[0] == "prints") {
    for (const auto& print : make_prints(std::stoul(given[1]), std::stoul(given[2]))) std::puts(print.to_hex().c_str());
  } else {
    std::fputs("model K DOCUMENTS | index COUNT SEED | prints COUNT SEED\n", stderr);
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
