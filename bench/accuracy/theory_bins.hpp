// Distances of fingerprints against theory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "fingerprints.hpp"
#include "set_join.hpp"

namespace accuracy {

/// The pairs whose features have a Jaccard similarity from `low` to below `high`, or to 1 in the last bin.
struct theory_bin {
  double low = 0;
  double high = 0;
  bool sampled = false;  ///< random pairs, not all
  std::uint64_t pairs = 0;
  double distance = 0;       ///< mean, bits
  double theory = 0;         ///< mean of bits * acos(cosine) / pi
  double exact = 0;          ///< mean of bits * exact_chance
  double spread = 0;         ///< standard deviation of distance - theory, over pairs and seeds
  double theory_spread = 0;  ///< sqrt(bits * p * (1 - p)), p = theory / bits

  std::vector<double> at;         ///< [d]: share of the pairs at distance d, over all seeds
  std::vector<double> theory_at;  ///< the same by theory: binomial, for the cosine of each pair

  /// Of the mean distance, if all pairs had nothing to do with each other.
  double error_by_pairs = 0;

  /// Of the mean distance with other hashes of the words: from how unequally often the bits, which are independent,
  /// differ. Larger, as pairs share documents, and all documents words.
  double error_by_bits = 0;

  [[nodiscard]] double difference() const { return distance - theory; }
  [[nodiscard]] double exact_difference() const { return distance - exact; }
  [[nodiscard]] double standard_error() const;

  /// Whether a difference is within 0.7 bit or three standard errors, whichever is more; the second: errors by pairs.
  [[nodiscard]] bool allows(double difference) const;
  [[nodiscard]] bool allows_narrowly(double difference) const;
};

struct theory_comparison {
  std::vector<theory_bin> bins;
  theory_bin unequal;  ///< the last bin without the pairs of equal sets, whose distance is 0 whatever the theory
};

struct theory_choice {
  double complete_from = 0.3;            ///< all pairs of at least this similarity, a multiple of the width
  double width = 0.05;                   ///< of a bin
  std::uint64_t random_pairs = 1000000;  ///< for the bins below
  std::uint64_t seeds = 16;
};

/// Distances against theory, for fingerprints of unit weights, whose features `sets` are. Theory is about random
/// hashes:
/// `prints` are the same documents' under several seeds.
theory_comparison measure_theory(const feature_sets& sets, const std::vector<std::unique_ptr<fingerprints>>& prints,
                                 std::size_t bits, const theory_choice& choice, unsigned threads);

}  // namespace accuracy
