// Documents in a file, as `neardup index` writes it.
#pragma once

#include <cstddef>
#include <string>

#include "context.hpp"
#include "stored_documents.hpp"

namespace command {

/// What an index was made with, of which a later run takes what is not given: bits, distance, blocks, features, weights,
/// kind, and check, the features that were kept, or nothing; and its path. Throws: input_error.
named_values read_index_settings(const std::string& path);

/// Calls `visit` for each document of an index file. Throws: input_error.
void for_each_indexed(context& c, const std::string& path, const document_visitor& visit);

}  // namespace command
