// Codes: fingerprints in hexadecimal digits that other programs made of pictures, audio or video.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "record.hpp"

namespace command {

/// Splits a line at the first blanks into a code and the id behind them. The id may be missing, and may have blanks.
void read_code_line(std::string_view line, record& out);

inline constexpr std::size_t most_code_bits = 1024;

/// Checks the code in `out.fields`, and removes its 0x or 0X. A code has `bits` bits or, if `bits` is 0, any
/// number of whole bytes up to most_code_bits.
/// Returns: an error message; nullopt if the code is right.
std::optional<std::string> check_code(std::size_t bits, record& out);

}  // namespace command
