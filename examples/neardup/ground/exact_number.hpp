// What --keep compares of records: numbers as they are written, for a double holds 53 bits of them and an id of a post has
// 64; and texts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace command {

/// What the value of a record is to --keep, the least preferred kind first.
enum class key_kind : std::uint8_t { nothing, text, number };

/// A value that its score alone does not tell.
struct exact_key {
  std::size_t position;  ///< of the record
  key_kind kind;
  std::string text;  ///< the text, or the number as it is written
};

/// Whether a number in JSON has so many digits that another one may be rounded to the same double.
bool may_be_rounded(std::string_view json_number);

/// The finite double that a number in JSON is nearest to which is beyond all doubles, or nearer to 0 than all but 0.
double double_nearest_to(std::string_view json_number);

/// Replaces scores by their ranks, from 0 on, equal ones for equal values: numbers stand above texts, which are compared
/// byte by byte, and these above nothing. Of both the highest one has the highest rank, or with `prefers_lowest` the lowest
/// one. A score is the nearest double of a number; `exact` holds all other values, by position, ascending.
/// Complexity: O(n log n).
void rank_exactly(std::vector<double>& scores, const std::vector<exact_key>& exact, bool prefers_lowest);

}  // namespace command
