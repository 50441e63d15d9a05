// Finds the documents of an index that are similar to the documents of a batch. It compares all features in the index,
// so that no similar document is missed.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "../describe/readers.hpp"
#include "../documents/index_file.hpp"
#include "context.hpp"

namespace command {

/// Calls `visit(i, matches)` for each set of a batch in order, with all indexed sets that are similar to it, sorted by
/// similarity, then by number.
/// Precondition: the check compares sets, and is exact.
/// Complexity: the same as set_index::search_batch() for a Jaccard similarity that the index finds. For another
/// similarity: one pass over all indexed sets, then a join. The pass skips most sets after their first features. The
/// join compares the batch with the sets that share enough features with the batch as a whole.
/// Memory: temporarily some 40 bytes per match, for as many matches as one set has, or for some millions.
void visit_similar_in_index(const run_settings& settings, const indexed_sets& indexed,
                            std::span<const feature_set> batch,
                            const std::function<void(std::size_t i, std::span<const indexed_match> matches)>& visit);

/// Returns for each set of a batch the most similar indexed set, and the smallest number among equally similar sets.
/// Without `is_allowed`, it is visit_similar_in_index() without memory for matches. `is_allowed(i, number)`: false if the
/// indexed set cannot be the result for set i of the batch; null if each one can.
std::vector<std::optional<std::uint32_t>> closest_in_index(
    const run_settings& settings, const indexed_sets& indexed, std::span<const feature_set> batch,
    const std::function<bool(std::size_t i, std::uint32_t number)>& is_allowed);

}  // namespace command
