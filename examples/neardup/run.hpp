// A run of the program, for fingerprints of a width that is known when it is compiled.
#pragma once

#include <cstddef>

#include "options.hpp"

namespace command {

/// Does what the command line asks for, other than advice. Defined for 32, 64, 128 and 256 bits.
/// Reads or learns settings.idf.
/// Returns: whether it found what it looks for: near-duplicates, or the clue.
/// Throws: usage_error, input_error, output_error.
template <std::size_t Bits>
bool run(options& settings);

/// Reads the input twice, and prints which features, bits and distance find the near-duplicates in it.
/// Throws: as run does.
void run_advise(const options& settings);

}  // namespace command
