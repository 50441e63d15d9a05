// neardup_peers_truth: finds the right answers by a scan of all pairs, without code of neardup.
//
//   neardup_peers_truth texts FILE              the pairs of records whose Jaccard similarity is at least .8, by their lines
//   neardup_peers_truth codes BITS CODES QUERIES K     each query with each code within K bits
//   neardup_peers_truth join CODES K            the pairs of codes of 64 bits within K bits
//
// A text is words with one space between them, and its features are the distinct pairs of adjacent words, or its only
// word. Two sets are compared unless their sizes, or the parities of parts of them, prove that they are too far apart.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <numeric>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace {

using pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
using feature_set = std::vector<std::uint64_t>;

constexpr std::size_t chunk = 4096;  // so many codes fit into the first level of the cache

void print(pairs found) {
  std::sort(found.begin(), found.end());
  for (const auto& [a, b] : found) std::printf("%u\t%u\n", a, b);
}

/// Returns the value of "text" with its escapes. Equal texts have equal escapes.
std::string_view text_of(std::string_view line) {
  const std::string_view name = "\"text\": \"";
  const std::size_t begin = line.find(name) + name.size();
  return line.substr(begin, line.rfind('"') - begin);
}

std::vector<feature_set> read_sets(const char* path) {
  std::ifstream input(path);
  std::unordered_map<std::string, std::uint32_t> number_of;
  std::vector<feature_set> sets;
  for (std::string line; std::getline(input, line);) {
    std::string_view text = text_of(line);
    std::vector<std::uint64_t> words;
    for (bool last = false; !last;) {
      const std::size_t end = text.find(' ');
      last = end == std::string_view::npos;
      const auto next = static_cast<std::uint32_t>(number_of.size());
      words.push_back(number_of.try_emplace(std::string(text.substr(0, end)), next).first->second);
      if (!last) text.remove_prefix(end + 1);
    }
    feature_set features;
    for (std::size_t i = 1; i < words.size(); ++i) features.push_back(words[i - 1] << 32 | words[i]);
    if (words.size() == 1) features = words;
    std::sort(features.begin(), features.end());
    features.erase(std::unique(features.begin(), features.end()), features.end());
    sets.push_back(std::move(features));
  }
  return sets;
}

bool similar(const feature_set& a, const feature_set& b) {
  std::size_t common = 0;
  for (auto x = a.begin(), y = b.begin(); x != a.end() && y != b.end();) {
    if (*x < *y) {
      ++x;
    } else if (*y < *x) {
      ++y;
    } else {
      ++common, ++x, ++y;
    }
  }
  return 5 * common >= 4 * (a.size() + b.size() - common);
}

using parities = std::array<std::uint64_t, 16>;

/// Returns 1,024 bits. A hash maps each feature to one of them, and a bit is 1 if an odd number of features map to it.
/// If d features are in only one of two sets, the results for the two sets differ in at most d bits. If the 16 words of
/// each result are combined by exclusive or, the two combined words also differ in at most d bits.
parities parities_of(const feature_set& features) {
  parities result{};
  for (std::uint64_t x : features) {
    x *= 0x9E3779B97F4A7C15u;
    x ^= x >> 32;
    x *= 0xD6E8FEB86659FD93u;
    result[x >> 60] ^= std::uint64_t{1} << (x >> 54 & 63);
  }
  return result;
}

int distance(const parities& a, const parities& b) {
  int bits = 0;
  for (std::size_t i = 0; i < a.size(); ++i) bits += std::popcount(a[i] ^ b[i]);
  return bits;
}

/// Returns true if any of `count` codes is within `limit` bits of `code`.
bool any_within(const std::uint64_t* codes, std::size_t count, std::uint64_t code, int limit) {
  int least = 64;
  for (std::size_t i = 0; i < count; ++i) least = (std::min)(least, std::popcount(codes[i] ^ code));
  return least <= limit;
}

void scan_texts(const char* path) {
  std::vector<feature_set> sets = read_sets(path);
  std::vector<std::uint32_t> line(sets.size());
  std::iota(line.begin(), line.end(), 0u);
  std::stable_sort(line.begin(), line.end(), [&](auto a, auto b) { return sets[a].size() < sets[b].size(); });
  std::vector<parities> wide;
  std::vector<std::uint64_t> code;
  std::vector<std::size_t> size;
  for (const std::uint32_t i : line) {
    wide.push_back(parities_of(sets[i]));
    code.push_back(std::accumulate(wide.back().begin(), wide.back().end(), std::uint64_t{0}, std::bit_xor{}));
    size.push_back(sets[i].size());
  }
  pairs found;
  constexpr std::size_t block = 256;
  for (std::size_t j = 0; j < sets.size(); ++j) {
    // If J >= .8, the smaller set has at least .8 of the size of the larger one, and the sets differ in at most 1/9 of
    // the sum of their sizes.
    const auto first =
        static_cast<std::size_t>(std::lower_bound(size.begin(), size.end(), (4 * size[j] + 4) / 5) - size.begin());
    const int limit = static_cast<int>(2 * size[j] / 9);
    for (std::size_t begin = first; begin < j; begin += block) {
      const std::size_t end = (std::min)(begin + block, j);
      if (!any_within(code.data() + begin, end - begin, code[j], limit)) continue;
      for (std::size_t i = begin; i < end; ++i) {
        if (std::popcount(code[i] ^ code[j]) > limit || distance(wide[i], wide[j]) > limit) continue;
        if (!similar(sets[line[i]], sets[line[j]])) continue;
        found.emplace_back((std::min)(line[i], line[j]), (std::max)(line[i], line[j]));
      }
    }
  }
  print(std::move(found));
}

std::vector<std::uint64_t> read_codes(const char* path) {
  std::ifstream input(path, std::ios::binary | std::ios::ate);
  std::vector<std::uint64_t> codes(static_cast<std::size_t>(input.tellg()) / 8);
  input.seekg(0);
  input.read(reinterpret_cast<char*>(codes.data()), static_cast<std::streamsize>(codes.size() * 8));
  return codes;
}

template <std::size_t Words>
void scan_codes(const char* codes_path, const char* queries_path, int k) {
  const auto codes = read_codes(codes_path), queries = read_codes(queries_path);
  const std::size_t count = codes.size() / Words;
  pairs found;
  std::vector<int> distances(chunk);
  for (std::size_t begin = 0; begin < count; begin += chunk) {
    const std::size_t end = (std::min)(begin + chunk, count);
    for (std::size_t q = 0; q < queries.size() / Words; ++q) {
      int least = 64 * Words;
      for (std::size_t i = begin; i < end; ++i) {
        int bits = 0;
        for (std::size_t w = 0; w < Words; ++w) bits += std::popcount(codes[i * Words + w] ^ queries[q * Words + w]);
        distances[i - begin] = bits;
        least = (std::min)(least, bits);
      }
      for (std::size_t i = begin; least <= k && i < end; ++i) {
        if (distances[i - begin] <= k) found.emplace_back(static_cast<std::uint32_t>(q), static_cast<std::uint32_t>(i));
      }
    }
  }
  print(std::move(found));
}

void scan_pairs(const char* path, int k) {
  const auto codes = read_codes(path);
  pairs found;
  for (std::size_t begin = 0; begin < codes.size(); begin += chunk) {
    for (std::size_t j = begin + 1; j < codes.size(); ++j) {
      const std::size_t end = (std::min)(begin + chunk, j);
      if (!any_within(codes.data() + begin, end - begin, codes[j], k)) continue;
      for (std::size_t i = begin; i < end; ++i) {
        if (std::popcount(codes[i] ^ codes[j]) > k) continue;
        found.emplace_back(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j));
      }
    }
  }
  print(std::move(found));
}

}  // namespace

int main(int count, char** arguments) {
  const std::string what = count > 2 ? arguments[1] : "";
  if (what == "texts" && count == 3) {
    scan_texts(arguments[2]);
  } else if (what == "codes" && count == 6 && std::string_view(arguments[2]) == "64") {
    scan_codes<1>(arguments[3], arguments[4], std::atoi(arguments[5]));
  } else if (what == "codes" && count == 6 && std::string_view(arguments[2]) == "256") {
    scan_codes<4>(arguments[3], arguments[4], std::atoi(arguments[5]));
  } else if (what == "join" && count == 4) {
    scan_pairs(arguments[2], std::atoi(arguments[3]));
  } else {
    std::fprintf(stderr, "usage: neardup_peers_truth texts FILE | codes BITS CODES QUERIES K | join CODES K\n");
    return 2;
  }
}
