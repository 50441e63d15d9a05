// Which documents of an index are similar to those of a batch: by all features that it keeps, so that none is missed.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "../../common/postings.hpp"
#include "../describe/readers.hpp"
#include "context.hpp"

namespace command {

/// The sets of features that an index keeps, by the numbers of its documents; empty of those that were removed. They are
/// read from any thread.
struct indexed_sets {
  std::size_t numbers = 0;
  std::function<feature_set(std::size_t number)> of;
  common::posting_lists postings = {};       ///< of all of these sets, where the index keeps any
  std::function<void()> check_file = [] {};  ///< throws if the file was changed in place
};

struct indexed_match {
  std::uint32_t number;
  double similarity;
};

/// Calls `visit(i, matches)` for each set of a batch in order, with all indexed sets that are similar to it, by their
/// numbers. Precondition: the check compares sets, and is exact.
/// Complexity: one look at all indexed sets, which of most ends at its first features; then a join of the batch with what
/// shares enough features with the batch as a whole. With postings, and for few sets: that of posting_lists::holding() of
/// each. Throws: input_error if the postings are damaged. Memory: that of the join; for a time 16 bytes per match, of as many
/// as one set has, or some millions.
void visit_similar_in_index(const run_settings& settings, const indexed_sets& indexed,
                            std::span<const feature_set> batch,
                            const std::function<void(std::size_t i, std::span<const indexed_match> matches)>& visit);

/// For each set of a batch the most similar indexed one, of equally similar ones that of the smallest number. As above,
/// but for the matches.
std::vector<std::optional<std::uint32_t>> closest_in_index(const run_settings& settings, const indexed_sets& indexed,
                                                           std::span<const feature_set> batch);

}  // namespace command
