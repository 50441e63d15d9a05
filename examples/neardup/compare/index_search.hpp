// Finds the documents of an index that are similar to the documents of a batch. No similar document is missed.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "../describe/readers.hpp"
#include "../documents/index_file.hpp"
#include "context.hpp"

namespace command {

/// Calls `visit(i, matches)` for each set i of a batch, in order. `matches` are all indexed sets that are similar to
/// set i, sorted by similarity, then by number.
/// Precondition: the check compares sets exactly.
/// Complexity: for a Jaccard similarity that the index supports, the same as set_index::search_batch(). For any other
/// similarity, there is a pass over all indexed sets, and then a join. The pass skips most sets after reading their
/// first features. The join compares the batch with the sets that share enough features with the whole batch.
/// Memory: during the call, about 40 bytes per match that is in memory. All matches of one set are in memory together,
/// however many. Sets are searched together only if they have at most some millions of matches, or if the sets that
/// were searched before them had few.
void visit_similar_in_index(const run_settings& settings, const indexed_sets& indexed,
                            std::span<const feature_set> batch,
                            const std::function<void(std::size_t i, std::span<const indexed_match> matches)>& visit);

/// Returns for each set of a batch the most similar indexed set; of equally similar sets, the set with the smallest
/// number. Unlike visit_similar_in_index(), the function needs no memory for matches. `is_allowed(i, number)`: false if
/// the indexed set cannot be the result for set i of the batch. If `is_allowed` is null, every indexed set is allowed.
std::vector<std::optional<std::uint32_t>> closest_in_index(
    const run_settings& settings, const indexed_sets& indexed, std::span<const feature_set> batch,
    const std::function<bool(std::size_t i, std::uint32_t number)>& is_allowed);

}  // namespace command
