// What is measured: fingerprints against the exact truth, and distances against theory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "documents.hpp"
#include "fingerprints.hpp"
#include "set_join.hpp"

namespace accuracy {

/// Pairs of documents by the distance of their fingerprints: `[d]` of those at distance d.
struct retrieval {
  std::uint64_t true_pairs = 0;               ///< all pairs of the truth
  std::uint64_t true_identical = 0;           ///< of these, pairs of identical texts
  std::uint64_t labelled_pairs = 0;           ///< all pairs with the same label
  std::vector<std::uint64_t> found;           ///< pairs at this distance
  std::vector<std::uint64_t> found_true;      ///< of these, in the truth
  std::vector<std::uint64_t> found_labelled;  ///< of these, with the same label
};

struct score {
  std::uint64_t found = 0;
  std::uint64_t found_true = 0;
  double precision = 0;  ///< 1 when nothing is found
  double recall = 0;     ///< 1 when there is nothing to find
  double f1 = 0;
};

/// Compares the pairs within `max_distance` bits with the pairs whose sets have a Jaccard similarity of `similarity`.
retrieval measure_retrieval(const documents& input, const feature_sets& truth, double similarity,
                            const fingerprints& prints, int max_distance, unsigned threads);

/// How good the pairs within k bits are, against `all` wanted ones, of which `[d]` are at distance d.
score score_within(int k, const std::vector<std::uint64_t>& found, const std::vector<std::uint64_t>& wanted,
                   std::uint64_t all);

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

/// Distances against theory, for fingerprints of unit weights, whose features `sets` are. Theory is about random hashes:
/// `prints` are the same documents' under several seeds.
theory_comparison measure_theory(const feature_sets& sets, const std::vector<std::unique_ptr<fingerprints>>& prints,
                                 std::size_t bits, const theory_choice& choice, unsigned threads);

}  // namespace accuracy
