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
  /// The option that makes the service miss similar contents; empty if it misses none.
  std::string may_miss;
};

/// Parses the options. If they ask for help, prints it and ends the program.
/// Throws: std::runtime_error, which names the wrong option.
settings settings_of(int count, char** words);

}  // namespace docid
