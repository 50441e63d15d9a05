// Prepares the run of a verb: opens the named files, and learns the rarity of features if necessary.
#pragma once

#include <functional>

#include "../compare/context.hpp"

namespace command {

/// Loads the dictionary and the table of rarities for features, learns that table if no file has it, and runs a verb
/// that reads documents.
/// Returns: true if something was found.
bool run_on_documents(run_settings& settings, const std::function<void(context&)>& run);

}  // namespace command
