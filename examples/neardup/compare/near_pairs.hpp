// Finds the pairs of near-duplicates of a corpus.
#pragma once

#include <vector>

#include "context.hpp"
#include "corpus.hpp"
#include "sorted_pairs.hpp"

namespace command {

/// Adds to `found` the pairs of near-duplicates that --within and --across allow, for any kind of comparison. If
/// `copies_once` is true, only the first of equal documents is paired with other documents. If left_out[i] is true,
/// document i has no pairs. If `left_out` is empty, all documents may have pairs.
void find_near_pairs(context& c, const corpus& all, sorted_pairs& found, bool copies_once = false,
                     const std::vector<bool>& left_out = {});

}  // namespace command
