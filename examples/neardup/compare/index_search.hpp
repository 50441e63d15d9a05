// Finds the documents of an index that are similar to those of a batch, by all features that the index keeps, so that
// none is missed.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "../../common/postings.hpp"
#include "../describe/readers.hpp"
#include "context.hpp"

namespace command {

/// The sets of features that an index keeps, by document number; empty for removed documents. Thread safety: may be
/// read from any thread.
struct indexed_sets {
  std::size_t numbers = 0;
  std::function<feature_set(std::size_t number)> of;
  common::posting_lists postings = {};       ///< posting lists of all these sets, if the index has any
  std::function<void()> check_file = [] {};  ///< throws if the file was changed in place
};

struct indexed_match {
  std::uint32_t number;
  double similarity;
};

/// Calls `visit(i, matches)` for each set of a batch in order, with all indexed sets that are similar to it, sorted by
/// number. Precondition: the check compares sets, and is exact.
/// Complexity: one pass over all indexed sets, most of which are skipped after their first features; then a join of the
/// batch with the sets that share enough features with the batch as a whole. If there are posting lists and the batch
/// is small: that of posting_lists::holding() for each set. Throws: input_error if the posting lists are damaged.
/// Memory: that of the join; temporarily 16 bytes per match, for as many matches as one set has, or for some millions.
void visit_similar_in_index(const run_settings& settings, const indexed_sets& indexed,
                            std::span<const feature_set> batch,
                            const std::function<void(std::size_t i, std::span<const indexed_match> matches)>& visit);

/// For each set of a batch, the most similar indexed set; of equally similar sets the one with the smallest number. As
/// visit_similar_in_index(), without memory for matches.
std::vector<std::optional<std::uint32_t>> closest_in_index(const run_settings& settings, const indexed_sets& indexed,
                                                           std::span<const feature_set> batch);

}  // namespace command
