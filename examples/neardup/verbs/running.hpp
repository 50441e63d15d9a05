// Prepares the run of a verb: opens the necessary files, and learns the document frequencies of features if necessary.
#pragma once

#include <functional>

#include "../compare/context.hpp"

namespace command {

/// Runs a verb that reads documents. First loads the dictionary and the IDF table that the features need. If there is
/// no file for the IDF table, learns it from the documents.
/// Returns: true if the verb found something.
bool run_on_documents(run_settings& settings, const std::function<void(context&)>& run);

}  // namespace command
