// Pairs and groups of near-duplicates, by a comparison of all pairs.
#pragma once

#include <cstddef>
#include <numeric>
#include <tuple>
#include <vector>

#include <neardup/simhash.hpp>

#include "hamming.hpp"

namespace oracle {

using pair_list = std::vector<std::tuple<std::size_t, std::size_t, int>>;

template <std::size_t Bits>
pair_list all_pairs(const std::vector<neardup::simhash<Bits>>& fingerprints, int k) {
  pair_list pairs;
  for (std::size_t i = 0; i < fingerprints.size(); ++i) {
    for (std::size_t j = i + 1; j < fingerprints.size(); ++j) {
      const int bits = distance(fingerprints[i], fingerprints[j]);
      if (bits <= k) pairs.emplace_back(i, j, bits);
    }
  }
  return pairs;
}

/// Returns the smallest member of each element's connected component. Labels decrease along edges until nothing
/// changes.
inline std::vector<std::size_t> components(std::size_t count, const pair_list& edges) {
  std::vector<std::size_t> labels(count);
  std::iota(labels.begin(), labels.end(), std::size_t{0});
  for (bool changes = true; changes;) {
    changes = false;
    for (const auto& [i, j, bits] : edges) {
      const std::size_t lower = labels[i] < labels[j] ? labels[i] : labels[j];
      changes = changes || labels[i] != lower || labels[j] != lower;
      labels[i] = labels[j] = lower;
    }
  }
  return labels;
}

}  // namespace oracle
