// Codes: fingerprints in hexadecimal digits that other programs made, of pictures, audio or video.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "record.hpp"

namespace command {

/// Splits a line at the first blanks into a code and the id behind them; the id may be missing, and may have blanks.
void read_code_line(std::string_view line, record& out);

/// Removes 0x or 0X from the code in `out.fields`. Returns: what is wrong with the code; nullopt if it is one of `bits`
/// bits, or, if `bits` is 0, of any width that fingerprints may have.
std::optional<std::string> check_code(std::size_t bits, record& out);

}  // namespace command
