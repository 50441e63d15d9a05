// The options that several verbs share, in groups, and their help texts.
#pragma once

#include <vector>

#include "verb.hpp"

namespace command {

std::span<const option_row> shared_options();

/// Returns the options of a verb: its own options, and the options of its groups. They have the order of the help.
std::vector<option_row> options_of(const verb& chosen);

}  // namespace command
