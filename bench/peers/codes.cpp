// neardup_peers_codes CODES QUERIES BITS K OUTPUT [one-by-one | join]: searches or joins codes with neardup. The other
// programs for codes in this folder use other libraries.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <neardup/index.hpp>
#include <string_view>
#include <utility>
#include <vector>

namespace {

template <std::size_t Bits>
std::vector<neardup::simhash<Bits>> read(const char* path) {
  std::ifstream input(path, std::ios::binary | std::ios::ate);
  std::vector<neardup::simhash<Bits>> codes(static_cast<std::size_t>(input.tellg()) / sizeof(neardup::simhash<Bits>));
  input.seekg(0);
  input.read(reinterpret_cast<char*>(codes.data()), static_cast<std::streamsize>(codes.size() * sizeof codes[0]));
  return codes;
}

double cpu() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

template <std::size_t Bits>
void run(char** arguments, std::string_view mode) {
  const auto codes = read<Bits>(arguments[1]), queries = read<Bits>(arguments[2]);
  const int k = std::atoi(arguments[4]);
  std::FILE* const output = std::fopen(arguments[5], "w");
  const double begin = cpu();
  const auto print = [&](std::size_t a, std::size_t b) { std::fprintf(output, "%zu\t%zu\n", a, b); };
  if (mode == "join") {
    std::vector<std::pair<std::size_t, std::size_t>> found;
    neardup::visit_pairs(codes, neardup::bits{k}, [&](std::size_t i, std::size_t j, int) { found.emplace_back(i, j); });
    std::printf("0 %f\n", cpu() - begin);
    for (const auto& [i, j] : found) print(i, j);
  } else {
    const neardup::frozen_index<Bits> index(k, neardup::default_blocks(Bits, k), codes);
    const double built = cpu();
    if (mode == "one-by-one") {
      std::vector<decltype(index.search(queries.front(), k))> found;
      for (const auto& query : queries) found.push_back(index.search(query, k));
      std::printf("%f %f\n", built - begin, cpu() - built);
      for (std::size_t i = 0; i < queries.size(); ++i) {
        for (const auto& match : found[i]) print(i, match.id);
      }
    } else {
      const auto found = index.search_batch(queries, k);
      std::printf("%f %f\n", built - begin, cpu() - built);
      for (std::size_t i = 0; i < queries.size(); ++i) {
        for (const auto& match : found[i]) print(i, match.id);
      }
    }
  }
  std::fclose(output);
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 6) return 2;
  const std::string_view mode = count > 6 ? arguments[6] : "";
  std::string_view(arguments[3]) == "64" ? run<64>(arguments, mode) : run<256>(arguments, mode);
}
