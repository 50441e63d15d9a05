// The values of records that --keep compares: texts, and numbers as they are written (a double has 53 bits, but ids may
// have 64).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace command {

/// The kind of value that a record has for --keep; the least preferred kind comes first.
enum class key_kind : std::uint8_t { nothing, text, number };

/// A value that its score does not represent exactly.
struct exact_key {
  std::size_t position;  ///< position of the record
  key_kind kind;
  std::string text;  ///< the text, or the number as written
};

/// Returns true if a JSON number has so many digits that another number may be rounded to the same double.
bool may_be_rounded(std::string_view json_number);

/// Returns the finite double nearest to a JSON number that overflows or underflows.
double double_nearest_to(std::string_view json_number);

/// Replaces scores by ranks from 0 on, equal for equal values. Numbers are above texts, which are compared byte by
/// byte, and texts are above a missing value. The highest value of each kind has the highest rank; with
/// `prefers_lowest` the lowest value has it. A score is the nearest double of a number. `exact` has all other values,
/// in ascending order of positions.
/// Complexity: O(n log n).
void rank_exactly(std::vector<double>& scores, const std::vector<exact_key>& exact, bool prefers_lowest);

}  // namespace command
