// Documents in a file, as `neardup index` writes it.
#pragma once

#include "context.hpp"

namespace command {

/// What an index was made with; a later run takes what is not given from there.
struct index_settings {
  std::string path;
  std::size_t bits = 0;
  int distance = 0, blocks = 0;
  std::string features, weights, kind;
  std::string check_features;  ///< empty: no features were kept
};

/// Throws: input_error.
index_settings read_index_settings(const std::string& path);

/// Calls `visit` for each document of an index file. Throws: input_error.
void for_each_indexed(context& c, const std::string& path, const document_visitor& visit);

}  // namespace command
