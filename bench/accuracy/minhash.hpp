// MinHash signatures of 512 bytes for each text, compared with fingerprints of 8 bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "documents.hpp"
#include "retrieval.hpp"

namespace accuracy {

inline constexpr std::size_t minhash_permutations = 128;

/// For each permutation, the least value of the text's features.
using minhash_signature = std::array<std::uint32_t, minhash_permutations>;

/// Returns the signatures of sets of hashed features. In the signature of an empty set, each element is the largest
/// value.
///
/// A permutation is the upper half of a * x + b modulo 2^64, with odd a. For arbitrary x of 64 bits, this is not
/// pairwise independent. But the features x are hashes. self_check() measures the errors of the estimates.
/// Source: Dietzfelbinger, "Universal Hashing and k-Wise Independent Random Variables via Integer Arithmetic without
/// Primes", STACS 1996.
std::vector<minhash_signature> minhash_signatures(const std::vector<std::vector<std::uint64_t>>& features,
                                                  unsigned threads);

struct minhash_report {
  /// agreeing[m] is the number of pairs of documents that agree in m permutations, for each m from `least_agreeing` on.
  /// The estimated similarity of these pairs is m / 128.
  distance_counts agreeing{minhash_permutations + 1};

  /// The number of pairs that agree in all rows of a band. They are the candidates of locality-sensitive hashing.
  std::uint64_t candidates = 0;
  std::uint64_t true_candidates = 0;

  double signature_seconds = 0;
  double candidate_seconds = 0;  ///< on one thread

  static constexpr std::size_t least_agreeing = minhash_permutations / 2;
  static constexpr std::size_t bands = 25;  ///< 25 bands of 5 rows use the first 125 of the 128 permutations
  static constexpr std::size_t rows = 5;
};

/// Measures MinHash of the features that define the truth. A document without features is in no pair.
minhash_report measure_minhash(const documents& input, const std::vector<std::vector<std::uint64_t>>& features,
                               const pair_check& truth, unsigned threads);

}  // namespace accuracy
