// `neardup diff`: what differs between two texts.
#pragma once

#include "options.hpp"

namespace command {

/// Prints the lines in which the texts of two files differ, the words that differ marked.
/// Throws: input_error, output_error.
void run_diff(const options& settings);

}  // namespace command
