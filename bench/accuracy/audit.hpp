// Counts documents that deduplication removes wrongly, when fingerprints decide without an exact check.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "documents.hpp"
#include "features.hpp"
#include "retrieval.hpp"

namespace accuracy {

/// The result of one method of deduplication, which removes a document if the method finds it similar to an earlier
/// kept document.
struct removal {
  std::string method;
  std::uint64_t removed = 0;
  std::uint64_t wrongly = 0;  ///< removed documents that no kept document is similar to, by the truth
  std::uint64_t missed = 0;   ///< kept documents that are similar to an earlier kept one, by the truth
};

/// Compares these ways: MinHash of 128 permutations with 25 bands of 5 rows, alone and with the similarity that its
/// signatures estimate; 64-bit SimHash alone, at distance 3 and at the distance that the library derives from the
/// similarity; and min-wise codes with an exact check of the truth's features, as the command does it.
///
/// `features` are the truth's, one set for each document; the fingerprints are made of the features `choice`.
std::vector<removal> audit_removals(const documents& input, const std::vector<std::vector<std::uint64_t>>& features,
                                    const feature_choice& choice, const pair_check& truth, double similarity,
                                    std::uint64_t seed, unsigned threads);

}  // namespace accuracy
