// Takes passages that stood before out of texts: --passages of unique.
#pragma once

#include "passage_finding.hpp"

namespace command {

/// Writes the input without passages that stood before, in the input or in --against.
void run_without_repeated(context& c, const passage_settings& how);

}  // namespace command
