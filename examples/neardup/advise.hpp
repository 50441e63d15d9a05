// What `neardup advise` prints.
#pragma once

#include <neardup/dedup/advice/advice.hpp>

#include "options.hpp"
#include "output.hpp"

namespace command {

/// For readers: what the corpus is like, the setups in a table, the recommended command.
void print_advice_text(output& out, const options& settings, const neardup::advice& found);

/// All of it as one JSON object in a line.
void print_advice_json(output& out, const options& settings, const neardup::advice& found);

}  // namespace command
