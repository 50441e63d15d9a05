// Checks of the measuring itself.
#pragma once

#include <string>
#include <vector>

#include "fingerprints.hpp"

namespace accuracy {

/// Compares the join, and the pairs that the library finds, with comparing each with each: on random sets, and on the
/// texts given; so it does with what MinHash finds, what a check leaves, and the skew of tables. Checks the rule of the
/// truth's text by examples.
/// Returns: what disagrees, one line each; prints what was compared.
std::vector<std::string> self_check(const std::vector<std::string>& texts, const feature_choice& truth,
                                    const fingerprint_choice& prints, unsigned threads);

}  // namespace accuracy
