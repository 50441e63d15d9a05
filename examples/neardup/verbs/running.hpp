// What comes before the work of a verb: files that are named are opened, and what has to be learnt is learnt.
#pragma once

#include <functional>

#include "../compare/context.hpp"

namespace command {

/// Loads the dictionary and the rarities of features, learns the latter if they are not in a file, and runs a verb that
/// reads documents. Returns: whether something was found.
bool run_on_documents(run_settings& settings, const std::function<void(context&)>& run);

/// Throws: usage_error where numbers in files would not be those in memory.
void need_little_endian();

}  // namespace command
