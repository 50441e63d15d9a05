// Parses the command line.
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
  /// The reason why the service may miss similar contents, for a warning. Empty if the service misses none.
  std::string may_miss;
};

/// Parses the options. Prints the help and ends the program if an option asks for help.
/// Throws: std::runtime_error if an option is wrong; the message names the option.
settings settings_of(int count, char** words);

}  // namespace docid
