// Reads the text fields and the id of a JSON object.
#pragma once

#include <functional>
#include <span>

#include "record.hpp"

namespace command {

/// Reads a line. `padding` readable bytes must follow the line. An empty line is a blank record. All of the JSON is
/// checked, including the fields that are not needed.
/// Returns: an error message, or nullopt if the line is valid.
using json_reader = std::function<std::optional<std::string>(std::string_view line, record& out)>;
json_reader make_json_reader(const input_settings& settings);

/// Stores a number for --keep in `out`: a JSON number, NaN or an infinity.
void take_number(std::string_view number, record& out);

/// Stores a text for --keep in `out`.
void take_text(std::string_view text, record& out);

/// Converts `places`, ascending positions in a text, to positions in `quoted`, the JSON string of the text without its
/// quotes.
/// Complexity: linear.
void move_into_quoted(std::string_view quoted, std::span<std::size_t> places);

/// Returns `bytes` with U+FFFD in place of each ill-formed subpart of UTF-8.
std::string repaired(std::string_view bytes);

/// Returns true if the text is a number in the grammar of JSON.
bool is_number(std::string_view text);

/// Returns true if the text is NaN, Infinity or -Infinity. Python writes these numbers, but JSON does not have them.
bool is_beyond_numbers(std::string_view text);

bool is_utf8(std::string_view bytes);

}  // namespace command
