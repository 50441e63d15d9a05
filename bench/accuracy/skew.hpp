// How unevenly the fingerprints of real texts spread over the buckets of an index.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fingerprints.hpp"

namespace accuracy {

struct table_skew {
  int blocks = 0;             ///< number of blocks that the 64 bits are cut into: 4 or 5
  std::vector<int> keyed_on;  ///< the blocks that form the key
  int key_bits = 0;
  std::uint64_t largest = 0;  ///< fingerprints in the largest bucket
  double scanned = 0;         ///< mean size of the bucket that a stored fingerprint falls into
  double uniform = 0;         ///< the same, if fingerprints were uniform
};

/// Measures the tables of 4 blocks keyed on one block, and of 5 blocks keyed on two, for k = 3 and the first 64 bits.
/// Of identical texts only the first is counted.
std::vector<table_skew> measure_skew(const fingerprints& prints, const std::vector<std::string>& texts);

}  // namespace accuracy
