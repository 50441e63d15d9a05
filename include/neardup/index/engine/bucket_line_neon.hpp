// SPDX-License-Identifier: MIT
// Scans of bucket lines by NEON.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "../../detail/filters_neon.hpp"
#include "../../detail/instructions.hpp"
#include "bucket_line_portable.hpp"

#if NEARDUP_NEON_KERNELS

namespace neardup::inline v0::detail {

template <std::size_t Most>
void scan_lines_neon(const line_probe* probes, std::size_t count, int k, line_findings<Most>& findings) noexcept {
  static_assert(bucket_line::capacity < lanes_neon<std::uint16_t>);
  auto* hit = findings.hits.data();
  std::uint32_t* overflow = findings.overflows.data();
  for (std::size_t i = 0; i < count; ++i) {
    const bucket_line& line = *probes[i].line;
    const std::uint64_t near = near_bits_neon(line.filters(), query_neon<std::uint16_t>(probes[i].filter, k));
    *overflow = static_cast<std::uint32_t>(i);
    overflow += line.overflows() ? 1 : 0;
    constexpr std::size_t bits = lane_bits_neon<std::uint16_t>;
    const std::uint64_t filled = ~(~std::uint64_t{0} << bits * line.inline_count());
    for (std::uint64_t left = near & filled & lane_ones_neon<std::uint16_t>; left != 0; left &= left - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(left)) / bits;
      *hit++ = {static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(lane)};
    }
  }
  findings.hit_count = static_cast<std::size_t>(hit - findings.hits.data());
  findings.overflow_count = static_cast<std::size_t>(overflow - findings.overflows.data());
}

template <std::size_t Most>
constexpr auto scan_lines_of(neon_form) noexcept {
  return scan_lines_neon<Most>;
}

}  // namespace neardup::inline v0::detail

#endif  // NEARDUP_NEON_KERNELS
