// `neardup verify --pairs`: pairs of ids that another program made.
#pragma once

#include <span>

#include "../line/taking.hpp"

namespace command {

/// The options of verify that need --pairs.
std::span<const option_row> verify_pairs_options();

/// Checks pairs of ids by the texts of the documents. Returns: whether any pair is near-duplicate. Precondition:
/// --pairs was given.
bool run_verify_pairs(typed_options& typed);

}  // namespace command
