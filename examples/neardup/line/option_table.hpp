// The options that several verbs share, in groups, and their help texts.
#pragma once

#include <vector>

#include "verb.hpp"

namespace command {

std::span<const option_row> shared_options();

/// Returns the own options of a verb and the options of its groups, in the order in which the help shows them.
std::vector<option_row> options_of(const verb& chosen);

}  // namespace command
