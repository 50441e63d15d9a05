// Numbers of records, compared as they are written: a double holds 53 bits of them, an id of a post has 64.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace command {

/// Whether a number in JSON has so many digits that another one may be rounded to the same double.
bool may_be_rounded(std::string_view json_number);

/// Replaces scores by their ranks, from 0 on, equal ones for equal numbers. A score is the nearest double of the number
/// that a record has; `exact` holds that number where it may have been rounded, with its position, ascending.
/// Complexity: O(n log n).
void rank_exactly(std::vector<double>& scores, const std::vector<std::pair<std::size_t, std::string>>& exact);

}  // namespace command
