// MinHash, to compare with: what 512 bytes a text find where a fingerprint has 8.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "documents.hpp"
#include "retrieval.hpp"

namespace accuracy {

inline constexpr std::size_t minhash_permutations = 128;

/// Of each permutation the least value that a feature of the text has.
using minhash_signature = std::array<std::uint32_t, minhash_permutations>;

/// The signatures of sets of hashed features; that of an empty set has the largest value everywhere.
///
/// A permutation is the upper half of a * x + b modulo 2^64, a odd: pairwise independent, and its features are hashed
/// already. Source: Dietzfelbinger, "Universal Hashing and k-Wise Independent Random Variables via Integer Arithmetic
/// without Primes", STACS 1996.
std::vector<minhash_signature> minhash_signatures(const std::vector<std::vector<std::uint64_t>>& features,
                                                  unsigned threads);

struct minhash_report {
  /// Pairs of documents by the number of permutations that agree, which over 128 is the estimate of their similarity:
  /// `[m]` of those with m, for all m from `least_agreeing` on.
  distance_counts agreeing{minhash_permutations + 1};

  /// Pairs that agree in all rows of a band: what locality-sensitive hashing looks at.
  std::uint64_t candidates = 0;
  std::uint64_t true_candidates = 0;

  double signature_seconds = 0;
  double candidate_seconds = 0;  ///< one thread

  static constexpr std::size_t least_agreeing = minhash_permutations / 2;
  static constexpr std::size_t bands = 25;  ///< of the first 125 permutations
  static constexpr std::size_t rows = 5;
};

/// How good MinHash of the features that define the truth is. Documents without features are in no pair.
minhash_report measure_minhash(const documents& input, const std::vector<std::vector<std::uint64_t>>& features,
                               const pair_check& truth, unsigned threads);

}  // namespace accuracy
