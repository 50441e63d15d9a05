// The options that verbs share, by groups, and their help texts.
#pragma once

#include <vector>

#include "verb.hpp"

namespace command {

std::span<const option_row> shared_options();

/// Returns the verb's own options and the options of its groups, in the order of the help.
std::vector<option_row> options_of(const verb& chosen);

}  // namespace command
