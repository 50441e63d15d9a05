// Ranks records by the exact values that --keep compares: texts, and numbers as they are written. Scores that
// are doubles could not represent all numbers of 64 bits.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace command {

/// The kind of the value that a record has for --keep. The least preferred kind comes first.
enum class key_kind : std::uint8_t { nothing, text, number };

/// A value that a score, which is a double, does not represent exactly.
struct exact_key {
  std::size_t position;  ///< position of the record
  key_kind kind;
  std::string text;  ///< the text, or the number as written
};

/// Returns true if a JSON number has so many digits that another number may be rounded to the same double.
bool may_be_rounded(std::string_view json_number);

/// Returns the nearest finite double to a JSON number that is too large or too small for a double.
double double_nearest_to(std::string_view json_number);

/// Replaces `scores` by ranks, which begin at 0. Equal values get equal ranks. Numbers rank above texts, and texts,
/// compared byte by byte, rank above missing values. Among numbers, and among texts, higher values rank higher, or
/// lower if `prefers_lowest` is true. The score of a number is the nearest double. `exact` has all values that scores
/// do not represent exactly, in ascending order of positions.
/// Complexity: O(n log n).
void rank_exactly(std::vector<double>& scores, const std::vector<exact_key>& exact, bool prefers_lowest);

}  // namespace command
