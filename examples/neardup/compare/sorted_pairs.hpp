// Sorted pairs of documents, in memory or in a temporary file.
#pragma once

#include <cstdint>
#include <span>

#include "sorted_records.hpp"

namespace command {

/// A pair of documents. The struct is small, because there may be as many pairs as documents.
struct checked_pair {
  std::uint32_t a, b;
  double similarity;  // 0 if no similarity is computed

  friend bool operator<(const checked_pair& x, const checked_pair& y) { return x.a != y.a ? x.a < y.a : x.b < y.b; }
};

/// A list of pairs that is read in ascending order of (a, b).
class sorted_pairs : public sorted_records<checked_pair> {
 public:
  /// Makes an empty list. `memory`: the bytes that the run may use. A quarter of them is for the pairs.
  explicit sorted_pairs(std::uint64_t memory) : sorted_records<checked_pair>(memory / 4) {}
};

}  // namespace command
