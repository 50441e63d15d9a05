// Parses the command line: finds the verb, and reads its options.
#pragma once

#include <string>
#include <variant>

#include "words.hpp"

namespace command {

/// The result of parsing: the options of a verb, or a text to print (help, version).
using command_line = std::variant<typed_options, std::string>;

/// Parses the command line.
/// Throws: usage_error.
command_line parse_command_line(int count, char** arguments, verb_table verbs);

}  // namespace command
