// The verbs of the command.
#pragma once

#include "../line/verb.hpp"

namespace command {

verb_table all_verbs();

}  // namespace command
