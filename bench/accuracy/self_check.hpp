// Checks that the measurements themselves are right.
#pragma once

#include <string>
#include <vector>

#include "fingerprints.hpp"

namespace accuracy {

/// Compares with a comparison of all pairs: the join of sets, the pairs that the library finds, the pairs of MinHash,
/// the pairs that each check accepts, and the skew of tables. Uses random sets and the given texts. Checks truth_text()
/// by examples. Prints what was compared.
/// Returns: a line for each disagreement; empty if there is none.
std::vector<std::string> self_check(const std::vector<std::string>& texts, const feature_choice& truth,
                                    const fingerprint_choice& prints, unsigned threads);

}  // namespace accuracy
