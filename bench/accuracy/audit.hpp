// Documents that are removed: how many of them wrongly, when fingerprints decide alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "documents.hpp"
#include "features.hpp"
#include "retrieval.hpp"

namespace accuracy {

/// One way to remove near-duplicates: a document goes if it is like an earlier one that was kept.
struct removal {
  std::string method;
  std::uint64_t removed = 0;
  std::uint64_t wrongly = 0;  ///< of these, those that no kept document is truly alike
  std::uint64_t missed = 0;   ///< kept, though a document kept before is truly alike
};

/// MinHash of 128 permutations with 25 bands of 5 rows, alone and with the estimate of its signatures; 64-bit SimHash
/// alone, at distance 3 and at the one that the library takes for the similarity; and min-wise codes with an exact check
/// of the truth's features, as the command has them.
/// `features` are those of the truth, a set a document; `choice` the ones of the fingerprints.
std::vector<removal> audit_removals(const documents& input, const std::vector<std::vector<std::uint64_t>>& features,
                                    const feature_choice& choice, const pair_check& truth, double similarity,
                                    std::uint64_t seed, unsigned threads);

}  // namespace accuracy
