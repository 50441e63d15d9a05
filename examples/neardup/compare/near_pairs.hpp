// Finds the pairs of near-duplicates of a corpus.
#pragma once

#include <functional>
#include <vector>

#include "context.hpp"
#include "corpus.hpp"
#include "sorted_pairs.hpp"

namespace command {

using fingerprint_pair_visitor = std::function<void(std::size_t i, std::size_t j, int distance)>;

/// Finds all pairs of fingerprints within the distance of the run. Calls `visit(i, j, distance)` for each pair: the
/// fingerprint of `some` at position i, and the fingerprint of `others` at position j. If `others` is nullptr, both
/// fingerprints are in `some`, and i < j.
void visit_fingerprint_pairs(const context& c, const fingerprint_part& some, const fingerprint_part* others,
                             const fingerprint_pair_visitor& visit);

/// A value of --within with more documents is joined. The documents of a smaller value are compared with each other,
/// because a join of a few documents takes longer.
constexpr std::size_t most_compared = 16;

/// Tells the user that documents are compared.
void say_comparing(context& c, const corpus& all);

/// Compares two documents, as a join compares them.
neardup::check_result compare_two(const context& c, const corpus& all, std::uint32_t a, std::uint32_t b);

/// Adds to `found` the pairs of near-duplicates that --within and --across allow, for any kind of comparison. If
/// `copies_once` is true, only the first of equal documents is paired with other documents.
void find_near_pairs(context& c, const corpus& all, sorted_pairs& found, bool copies_once);

}  // namespace command
