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
  /// Why similar contents can be missed; empty if none are.
  std::string may_miss;
};

/// Prints the options and ends the program if that is asked for.
/// Throws: std::runtime_error that names the option that is wrong.
settings settings_of(int count, char** words);

}  // namespace docid
