// Parses the command line: finds the verb, and reads the options of the verb.
#pragma once

#include <string>
#include <variant>

#include "words.hpp"

namespace command {

/// The result of parsing the command line: either the options of a verb, or a text to print (help or version).
using command_line = std::variant<typed_options, std::string>;

/// Parses the command line.
/// Throws: usage_error if an option is unknown, or a value is missing or invalid.
command_line parse_command_line(int count, char** arguments, verb_table verbs);

}  // namespace command
