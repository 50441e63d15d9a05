// `neardup advise`: which features, bits and distance find the near-duplicates of the user's own documents.
#pragma once

#include <cstddef>

#include "documents.hpp"
#include "options.hpp"

namespace command {

/// Of a text that is longer only so many bytes, its first ones, are looked at: the advisor compares whole texts, and
/// what fingerprints and features make of the rest of so long a text is hardly different.
inline constexpr std::size_t advised_bytes = whole_file_limit;

/// Reads the input twice, and prints what is best done with it.
/// Throws: usage_error, input_error, output_error.
void run_advise(const options& settings);

}  // namespace command
