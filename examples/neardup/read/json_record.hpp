// A JSON object with its text fields and its id.
#pragma once

#include <functional>
#include <span>

#include "record.hpp"

namespace command {

/// Reads a line, behind which there must be `padding` readable bytes; an empty one is a blank record. JSON is checked
/// whole: also what is not asked for must be valid. Returns: what is wrong with it; nothing if all is well.
using json_reader = std::function<std::optional<std::string>(std::string_view line, record& out)>;
json_reader make_json_reader(const input_settings& settings);

/// Takes a number that --keep asks for: one of JSON, NaN or an infinity.
void take_number(std::string_view number, record& out);

/// Takes a text that --keep asks for.
void take_text(std::string_view text, record& out);

/// Moves places of a text, ascending, to where they stand in the JSON string that the text was read from, without its
/// quotes. Complexity: linear.
void move_into_quoted(std::string_view quoted, std::span<std::size_t> places);

/// Bytes with U+FFFD in place of what is not UTF-8.
std::string repaired(std::string_view bytes);

/// Whether text is a number by the grammar of JSON.
bool is_number(std::string_view text);

/// Whether text is what Python writes for a number that JSON has none for: NaN, Infinity, -Infinity.
bool is_beyond_numbers(std::string_view text);

/// Whether bytes are well-formed UTF-8.
bool is_utf8(std::string_view bytes);

}  // namespace command
