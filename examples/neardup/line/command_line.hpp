// The command line: which verb it names, and what was typed for it.
#pragma once

#include <string>
#include <variant>

#include "words.hpp"

namespace command {

/// What the command line asks for: a verb, or a text to print (help, version).
using command_line = std::variant<typed_options, std::string>;

/// Throws: usage_error.
command_line parse_command_line(int count, char** arguments, verb_table verbs);

}  // namespace command
