// SPDX-License-Identifier: MIT
// Chooses the type of positions in the input of a join: the smallest integer type that can number all documents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <utility>

#include "../error.hpp"
#include "../ids.hpp"

namespace neardup::inline v0::detail {

/// A join of this many fingerprints or more needs 64-bit positions.
inline constexpr std::size_t many_positions = (std::numeric_limits<std::uint32_t>::max)();

/// Throws std::length_error if Index cannot number `count` fingerprints, sets or texts. `what`: the name of the
/// function that the caller should call with a wider Index.
template <class Index>
void check_index_type(std::size_t count, const char* what) {
  static_assert(
      counting_id<Index>,
      "neardup: positions are numbered with an integer type such as std::uint32_t, not with bool nor with a type "
      "of characters");
  if constexpr (counting_id<Index>) {
    const bool is_small = sizeof(Index) <= sizeof(std::uint32_t);
    if (count > 0 &&
        (std::cmp_greater(count - 1, (std::numeric_limits<Index>::max)()) || (is_small && count >= many_positions))) {
      fail<std::length_error>(
          {what, ": the index type cannot number ", count, " positions; write ", what, "<std::uint64_t>"});
    }
  }
}

/// Calls `use(position)`. `position` is a zero of the smallest type that can number `count` fingerprints.
/// `use` is instantiated for 64 bits only if Index has 64 bits. So a join with a 32-bit Index is compiled only once.
/// Precondition: Index can number `count` fingerprints.
template <class Index, class Use>
auto with_position_type(std::size_t count, const Use& use) {
  if constexpr (sizeof(Index) > sizeof(std::uint32_t)) {
    if (count >= many_positions) return use(std::uint64_t{0});
  }
  return use(std::uint32_t{0});
}

}  // namespace neardup::inline v0::detail
