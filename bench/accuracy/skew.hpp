// Measures how unevenly the fingerprints of real texts are distributed over the buckets of an index.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fingerprints.hpp"

namespace accuracy {

struct table_skew {
  int blocks = 0;             ///< number of blocks of the 64 bits: 4 or 5
  std::vector<int> keyed_on;  ///< the blocks that form the key
  int key_bits = 0;
  std::uint64_t largest = 0;  ///< fingerprints in the largest bucket
  double scanned = 0;         ///< mean size of the bucket of a stored fingerprint
  double uniform = 0;         ///< the same mean for uniform fingerprints
};

/// Measures tables for k = 3 over the first 64 bits: 4 blocks with one block as key, and 5 blocks with two blocks as
/// key. Of identical texts, only the first counts.
std::vector<table_skew> measure_skew(const fingerprints& prints, const std::vector<std::string>& texts);

}  // namespace accuracy
