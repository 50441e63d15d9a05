// The join of sampled sets with further sets, against a comparison of each with each.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include <neardup/sets/similarity.hpp>

#include "catch.hpp"
#include "neardup/compare/sample_join.hpp"
#include "oracle/random_engine.hpp"

namespace {

using command::hash_set;
using command::sample_join;
using found_list = std::vector<std::pair<std::size_t, double>>;

/// A set of up to `most` of `kinds` elements, spread over 64 bits; small numbers are more frequent.
hash_set draw_set(std::mt19937_64& random, std::size_t most, std::uint64_t kinds) {
  std::set<std::uint64_t> elements;
  for (std::size_t i = random() % (most + 1); i > 0; --i) {
    const std::uint64_t element = (std::min)(random() % kinds, random() % kinds);
    elements.insert(element * 0x9E3779B97F4A7C15U);
  }
  return {elements.begin(), elements.end()};
}

found_list find(const sample_join& join, const hash_set& query, sample_join::workspace& memory) {
  found_list found;
  join.find(query, memory, [&](std::size_t i, double similarity) { found.emplace_back(i, similarity); });
  return found;
}

found_list find_plainly(const std::vector<hash_set>& sets, const hash_set& query, double threshold) {
  found_list found;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const double similarity = neardup::jaccard_similarity(sets[i], query);
    if (similarity >= threshold) found.emplace_back(i, similarity);
  }
  return found;
}

}  // namespace

TEST_CASE("a sample join finds what comparing each with each finds", "[sample_join]") {
  oracle::random_engine random(11);
  std::size_t matches = 0;
  for (const double threshold : {0.05, 0.3, 0.5, 2.0 / 3.0, 0.7, 0.8, 0.95, 1.0}) {
    for (const std::size_t most : {1U, 4U, 12U, 60U}) {
      std::vector<hash_set> sets;
      for (int i = 0; i < 150; ++i) sets.push_back(draw_set(random, most, 2 * most + 3));
      const sample_join join(sets, threshold);
      REQUIRE(join.size() == sets.size());
      sample_join::workspace memory;
      for (int i = 0; i < 200; ++i) {
        // Queries: half of them sets of the sample, half of these without one element; the others random.
        hash_set query =
            i % 2 == 0 ? sets[static_cast<std::size_t>(i) % sets.size()] : draw_set(random, most, 2 * most + 3);
        if (i % 4 == 0 && !query.empty()) query.pop_back();
        const found_list expected = find_plainly(sets, query, threshold);
        matches += expected.size();
        REQUIRE(find(join, query, memory) == expected);
      }
    }
  }
  REQUIRE(matches > 10000);
}

TEST_CASE("a sample join without sets or elements finds nothing", "[sample_join]") {
  sample_join::workspace memory;
  REQUIRE(find(sample_join(), {1, 2}, memory).empty());
  REQUIRE(find(sample_join({}, 0.5), {1, 2}, memory).empty());
  const sample_join join({{}, {7}, {}}, 0.1);
  REQUIRE(find(join, {}, memory).empty());
  REQUIRE(find(join, {7}, memory) == found_list{{1, 1.0}});
}
