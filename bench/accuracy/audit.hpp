// Counts documents that deduplication removes wrongly, when fingerprints decide without an exact check.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "documents.hpp"
#include "features.hpp"
#include "retrieval.hpp"

namespace accuracy {

/// The result of one method of deduplication. The method removes a document that it finds similar to an earlier kept
/// document.
struct removal {
  std::string method;
  std::uint64_t removed = 0;
  std::uint64_t wrongly = 0;  ///< removed, but not similar to a kept document, by the truth
  std::uint64_t missed = 0;   ///< kept documents that are similar to an earlier kept one, by the truth
};

/// Compares five methods: MinHash of 128 permutations with 25 bands of 5 rows, alone, and with the similarity that the
/// signatures estimate; 64-bit SimHash alone, at distance 3, and at the distance that the library derives from the
/// similarity; min-wise codes with an exact check of the truth's features, as the command does it.
///
/// `features` has the truth's features of each document. `choice` has the features of the fingerprints.
std::vector<removal> audit_removals(const documents& input, const std::vector<std::vector<std::uint64_t>>& features,
                                    const feature_choice& choice, const pair_check& truth, double similarity,
                                    std::uint64_t seed, unsigned threads);

}  // namespace accuracy
