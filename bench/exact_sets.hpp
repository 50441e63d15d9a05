// Feature sets for the benchmarks of exact joins and indexes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "mixing.hpp"
#include "synthetic.hpp"

namespace neardup_bench {

using sets_type = std::vector<std::vector<std::uint32_t>>;

/// Returns sets of about 100 features, which are consecutive in a long text. The features of this text are distinct,
/// and each of them is in about 12 sets. A fifth of the sets are copies of earlier sets with up to 20 features changed.
inline sets_type spliced_sets(std::size_t count) {
  random_source random(1);
  const std::uint64_t kinds = 8 * count;
  sets_type sets;
  while (sets.size() < count) {
    std::vector<std::uint32_t> set;
    if (!sets.empty() && random.below(5) == 0) {
      set = sets[random.below(sets.size())];
      for (std::uint64_t changes = random.below(21); changes > 0; --changes) {
        set[random.below(set.size())] = static_cast<std::uint32_t>(random.next());
      }
    } else {
      const std::uint64_t size = 80 + random.below(41), begin = random.below(kinds);
      for (std::uint64_t i = 0; i < size; ++i) {
        set.push_back(static_cast<std::uint32_t>(mix((begin + i) % kinds)));
      }
    }
    std::sort(set.begin(), set.end());
    set.erase(std::unique(set.begin(), set.end()), set.end());
    sets.push_back(std::move(set));
  }
  return sets;
}

/// Returns sets of one template. Each has 49 common features and 10 of its own, so any two have a Jaccard similarity of
/// 49 / 69 = .71. This is below the limit of .8 that the benchmarks use.
inline sets_type template_sets(std::size_t count) {
  random_source random(2);
  sets_type sets;
  while (sets.size() < count) {
    std::vector<std::uint32_t> set;
    for (std::uint64_t i = 0; i < 49; ++i) set.push_back(static_cast<std::uint32_t>(mix(i)));
    for (int own = 0; own < 10; ++own) set.push_back(static_cast<std::uint32_t>(random.next()));
    std::sort(set.begin(), set.end());
    set.erase(std::unique(set.begin(), set.end()), set.end());
    sets.push_back(std::move(set));
  }
  return sets;
}

}  // namespace neardup_bench
