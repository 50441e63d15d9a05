// The index: finds the stored fingerprints near a query.
#include <compare>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <neardup/neardup.hpp>
#include <random>
#include <vector>

// Ids may have any regular, ordered, trivially copyable type.
struct article {
  std::uint32_t site = 0, number = 0;
  auto operator<=>(const article&) const = default;
};

using simhash64 = neardup::simhash<64>;

int main() {
  // This index searches within 3 bits. It has 5 blocks, and so 10 tables. The default is 4 blocks and 4 tables, which
  // take less memory.
  neardup::pigeonhole_index<64, 3, 5, article> index;
  index.reserve(100'000);
  std::mt19937_64 random(1);
  std::vector<simhash64> queries;
  for (std::uint32_t i = 0; i < 100'000; ++i) {
    const simhash64 value(random());
    index.insert(value, {.site = i % 10, .number = i});
    if (i % 10'000 == 0) queries.push_back(value);
  }

  // Inserts a near-duplicate of article 0, and a copy of this near-duplicate on another site.
  const simhash64 original = queries.front();
  const simhash64 near = simhash64(original).flip(7).flip(40);
  const bool added = index.insert(near, {.site = 3, .number = 100'000}) && index.insert(near, {.site = 4, .number = 7});
  const bool again = index.insert(near, {.site = 4, .number = 7});
  std::cout << index.size() << " pairs, " << index.distinct_size() << " fingerprints\n";

  for (const auto& match : index.search(original)) {
    std::cout << "site " << match.id.site << ", article " << match.id.number << ": distance " << match.distance << '\n';
  }
  const auto nearest = index.nearest(simhash64(near).flip(0)).value();
  std::cout << "nearest to a third version: site " << nearest.id.site << '\n';
  // Searches for many queries at once. batch[i] has the matches of query i.
  const auto batch = index.search_batch(queries);
  std::cout << batch.size() << " queries, " << batch.matches.size() << " matches\n";
  // Erases one pair, then all pairs of a fingerprint.
  const bool erased = index.erase(near, {.site = 3, .number = 100'000});
  const std::size_t copies = index.erase(near);
  std::cout << "erased 1 pair, then " << copies << "; still there: " << (index.contains(near) ? "yes\n" : "no\n");
  const bool ok = added && !again && nearest.distance == 1 && batch[0].size() == 3 && erased;
  return ok && copies == 1 && index.size() == 100'000 ? EXIT_SUCCESS : EXIT_FAILURE;
}

// prints: 100002 pairs, 100001 fingerprints
// prints: site 0, article 0: distance 0
// prints: site 3, article 100000: distance 2
// prints: site 4, article 7: distance 2
// prints: nearest to a third version: site 3
// prints: 10 queries, 12 matches
// prints: erased 1 pair, then 1; still there: no
