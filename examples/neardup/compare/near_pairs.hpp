// Finds the pairs of near-duplicates of a corpus.
#pragma once

#include <vector>

#include "context.hpp"
#include "corpus.hpp"
#include "sorted_pairs.hpp"

namespace command {

/// Finds the pairs of near-duplicates that --within and --across allow, for any kind of comparison. `copies_once`: if
/// true, only the first of equal documents is paired with other documents. `left_out`: left_out[i] is true if document
/// i must have no pairs. `left_out` is empty if all documents may have pairs.
void find_near_pairs(context& c, const corpus& all, sorted_pairs& found, bool copies_once = false,
                     const std::vector<bool>& left_out = {});

}  // namespace command
