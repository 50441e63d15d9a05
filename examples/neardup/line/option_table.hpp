// The options that verbs share, by groups, and what --help says of them.
#pragma once

#include <vector>

#include "verb.hpp"

namespace command {

std::span<const option_row> shared_options();

/// Its own ones and those of its groups, as the help lists them.
std::vector<option_row> options_of(const verb& chosen);

}  // namespace command
