// SPDX-License-Identifier: MIT
// Chooses how lines are scanned, and which tables have lines.
#pragma once

#include <bit>
#include <cstddef>

#include "../../detail/bits.hpp"
#include "../../detail/instructions.hpp"
#include "bucket_line_avx2.hpp"
#include "bucket_line_neon.hpp"
#include "bucket_line_portable.hpp"

namespace neardup::inline v0::detail {

/// The line scan for the active instruction set.
template <std::size_t Most>
[[nodiscard]] auto line_scan() noexcept {
  return choose_form(active_instruction_set(), [](auto form) { return scan_lines_of<Most>(form); });
}

/// The number of bucket_lines for a table of `count` fingerprints; 0 if the table should have a directory instead.
///
/// Reasons for 0: k > 3, where filters of 16 bits pass too many non-matches; keys of `key_width` bits with so few
/// distinct values that the lines would fill unevenly; fewer than 2^17 fingerprints; or more fingerprints than
/// overflow_limit, because a line has 28 bits for the position of its overflow, and because building lines takes 8
/// bytes more per fingerprint.
[[nodiscard]] constexpr std::size_t bucket_lines_for(std::size_t count, std::size_t key_width, int k) noexcept {
  constexpr std::size_t min_count = std::size_t{1} << 17;
  constexpr int max_k = 3;  // at k = 3, 1.1 % of non-matches pass; at k = 4, 3.8 %
  const std::size_t lines = count / bucket_line::mean_count + 1;
  const bool spreads = key_width >= to_size(std::bit_width(lines)) + 1;
  return k <= max_k && spreads && count >= min_count && count <= bucket_line::overflow_limit ? lines : 0;
}

}  // namespace neardup::inline v0::detail
