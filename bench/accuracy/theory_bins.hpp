// Compares the distances of fingerprints with theory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "fingerprints.hpp"
#include "set_join.hpp"

namespace accuracy {

/// The pairs with a Jaccard similarity in [low, high), or in the last bin in [low, 1].
struct theory_bin {
  double low = 0;
  double high = 0;
  bool sampled = false;  ///< true if the bin has random pairs instead of all pairs
  std::uint64_t pairs = 0;
  double distance = 0;       ///< mean, in bits
  double theory = 0;         ///< mean of bits * acos(cosine) / pi
  double exact = 0;          ///< mean of bits * exact_chance
  double spread = 0;         ///< standard deviation of distance - theory, over pairs and seeds
  double theory_spread = 0;  ///< sqrt(bits * p * (1 - p)), p = theory / bits

  std::vector<double> at;         ///< [d]: share of the pairs at distance d, over all seeds
  std::vector<double> theory_at;  ///< the same by theory: binomial, for the cosine of each pair

  /// Standard error of the mean distance for independent pairs.
  double error_by_pairs = 0;

  /// Standard error of the mean distance over the choice of hash functions. It is estimated from the differences of the
  /// frequencies of the bits, which are independent. It is larger than error_by_pairs, because pairs share documents,
  /// and documents share words.
  double error_by_bits = 0;

  [[nodiscard]] double difference() const { return distance - theory; }
  [[nodiscard]] double exact_difference() const { return distance - exact; }
  [[nodiscard]] double standard_error() const;

  /// Returns true if a difference is at most 0.7 bits, or at most three standard errors. allows_narrowly() uses
  /// error_by_pairs only.
  [[nodiscard]] bool allows(double difference) const;
  [[nodiscard]] bool allows_narrowly(double difference) const;
};

struct theory_comparison {
  std::vector<theory_bin> bins;
  theory_bin unequal;  ///< the last bin without the pairs of equal sets, whose distance is always 0
};

struct theory_choice {
  double complete_from = 0.3;            ///< all pairs of at least this similarity are measured; a multiple of `width`
  double width = 0.05;                   ///< of a bin
  std::uint64_t random_pairs = 1000000;  ///< drawn for the bins below `complete_from`
  std::uint64_t seeds = 16;
};

/// Compares distances with the theory. `sets` has the features of the fingerprints, which have unit weights. The theory
/// assumes random hash functions, so there are several seeds: each element of `prints` has the fingerprints of the same
/// documents under another seed.
theory_comparison measure_theory(const feature_sets& sets, const std::vector<std::unique_ptr<fingerprints>>& prints,
                                 std::size_t bits, const theory_choice& choice, unsigned threads);

}  // namespace accuracy
