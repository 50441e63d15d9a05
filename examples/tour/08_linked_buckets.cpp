// Compares pigeonhole_index with the index of articles about SimHash: four segments of 16 bits, each with 65,536 linked
// lists. Both give the same answers.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <forward_list>
#include <iostream>
#include <neardup/neardup.hpp>
#include <random>
#include <utility>
#include <vector>

namespace {

class linked_buckets {
 public:
  struct entry {
    neardup::simhash<64> fingerprint;
    std::uint32_t id;
  };

  void insert(const neardup::simhash<64>& fingerprint, std::uint32_t id) {
    for (std::size_t s = 0; s < 4; ++s) bucket(s, fingerprint).push_front({fingerprint, id});
  }

  // Three bits that differ are in at most three of the four segments, so at least one segment is equal.
  std::vector<std::uint32_t> search(const neardup::simhash<64>& query, int k) {
    std::vector<std::uint32_t> ids;
    for (std::size_t s = 0; s < 4; ++s) {
      for (const entry& e : bucket(s, query)) {
        ++comparisons;
        if (hamming_distance(e.fingerprint, query) <= k) ids.push_back(e.id);
      }
    }
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());  // a match may be found in several segments
    return ids;
  }

  std::size_t comparisons = 0;

 private:
  std::forward_list<entry>& bucket(std::size_t segment, const neardup::simhash<64>& fingerprint) {
    return buckets_[segment << 16 | (fingerprint.to_uint64() >> (16 * segment) & 0xffff)];
  }

  std::vector<std::forward_list<entry>> buckets_{4 << 16};
};

}  // namespace

int main() {
  constexpr std::uint32_t count = 200'000;
  constexpr int k = 3;
  std::mt19937_64 random(1);
  linked_buckets plain;
  neardup::pigeonhole_index<64, k> index;
  std::vector<neardup::simhash<64>> queries;
  for (std::uint32_t id = 0; id < count; ++id) {
    const neardup::simhash<64> fingerprint(random());
    plain.insert(fingerprint, id);
    index.insert(fingerprint, id);
    if (id % 100 != 0) continue;
    neardup::simhash<64> near = fingerprint;
    for (int flips = 0; flips < 4; ++flips) near.flip(random() % 64);
    queries.push_back(id % 200 == 0 ? near : fingerprint);
  }
  std::size_t matches = 0, differences = 0;
  for (const auto& query : queries) {
    std::vector<std::uint32_t> ids;
    for (const auto& match : index.search(query)) ids.push_back(match.id);
    std::sort(ids.begin(), ids.end());
    matches += ids.size();
    differences += ids == plain.search(query, k) ? 0 : 1;
  }
  // If fingerprints are uniform, each of the four buckets of a query has about n / 65,536 of the n fingerprints. The
  // articles have 50 million fingerprints, and so 763 in a bucket.
  const double expected = 4.0 * count / 65536;
  const double measured = static_cast<double>(plain.comparisons) / static_cast<double>(queries.size());
  std::cout << queries.size() << " queries, " << matches << " matches, " << differences << " differences\n"
            << "comparisons per query: " << measured << "; " << expected
            << " are non-matches that share a segment by chance\n";
  return differences == 0 && measured > expected ? EXIT_SUCCESS : EXIT_FAILURE;
}

// prints: 2000 queries, 1090 matches, 0 differences
// prints: comparisons per query: 14.9485; 12.207 are non-matches that share a segment by chance
