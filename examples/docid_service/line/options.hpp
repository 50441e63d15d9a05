// The command line.
#pragma once

#include <string>

#include "../decide/cascade.hpp"
#include "../http/http.hpp"
#include "../stores/open.hpp"

namespace docid {

struct settings {
  cascade_options cascade;
  http_options http;
  store_options stores;
  /// The option because of which similar contents can be missed; empty if none are missed.
  std::string may_miss;
};

/// Parses the options. If they ask for help, prints it and ends the program.
/// Throws: std::runtime_error that names the wrong option.
settings settings_of(int count, char** words);

}  // namespace docid
