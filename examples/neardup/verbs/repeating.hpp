// Removes from texts the passages that occurred before, for `unique --passages`.
#pragma once

#include "passage_finding.hpp"

namespace command {

/// Writes the input without passages that occurred before, in the input or in --against.
void run_without_repeated(context& c, const passage_settings& how);

}  // namespace command
