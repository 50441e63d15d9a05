// Codes: fingerprints that other programs have made of pictures, audio or video, as hexadecimal digits.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "record.hpp"

namespace command {

/// Stores the code and the id of `line` in `out`. Blanks precede the id, which may be missing, and may contain blanks.
void read_code_line(std::string_view line, record& out);

inline constexpr std::size_t most_code_bits = 1024;

/// Checks the code in `out.fields`, and removes its prefix 0x or 0X. A code has `bits` bits. If `bits` is 0, it has any
/// number of whole bytes up to most_code_bits.
/// Returns: an error message, or nullopt if the code is right.
std::optional<std::string> check_code(std::size_t bits, record& out);

}  // namespace command
