// How unevenly fingerprints of real texts fall into the buckets of an index.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fingerprints.hpp"

namespace accuracy {

struct table_skew {
  int blocks = 0;             ///< that the 64 bits are cut into: 4 or 5
  std::vector<int> keyed_on;  ///< blocks of the key
  int key_bits = 0;
  std::uint64_t largest = 0;  ///< fingerprints in the largest bucket
  double scanned = 0;         ///< in the bucket of a fingerprint of the set, on average
  double uniform = 0;         ///< the same for uniform fingerprints
};

/// The tables of 4 blocks, keyed on one of them, and of 5 blocks, keyed on two, for k = 3 and the first 64 bits. Of
/// identical texts only the first counts.
std::vector<table_skew> measure_skew(const fingerprints& prints, const std::vector<std::string>& texts);

}  // namespace accuracy
