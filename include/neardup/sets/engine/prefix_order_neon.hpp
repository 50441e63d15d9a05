// SPDX-License-Identifier: MIT
// The steps by which prefixes of sets are found, by NEON. Keys are sorted portably: with two keys in a vector, comparing
// each with each takes more instructions than sorting.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "../../detail/instructions.hpp"
#include "prefix_order_portable.hpp"

#if NEARDUP_NEON_KERNELS

namespace neardup::inline v0::detail {

inline std::size_t count_below_neon(std::span<const std::uint16_t> counts, std::uint32_t limit) noexcept {
  constexpr std::size_t lanes = 8;
  constexpr std::size_t most = lanes * 0xffff;  // a lane counts up to 2^16 - 1
  const uint16x8_t limits = vdupq_n_u16(static_cast<std::uint16_t>(limit));
  std::size_t result = 0;
  std::size_t i = 0;
  while (i + lanes <= counts.size()) {
    const std::size_t end = i + (std::min)(counts.size() - i, most) / lanes * lanes;
    uint16x8_t below = vdupq_n_u16(0);
    for (; i < end; i += lanes) below = vsubq_u16(below, vcltq_u16(vld1q_u16(counts.data() + i), limits));
    result += vaddlvq_u16(below);
  }
  return result + count_below_portable(counts.subspan(i), limit);
}

constexpr auto count_below_of(neon_form) noexcept { return count_below_neon; }

}  // namespace neardup::inline v0::detail

#endif  // NEARDUP_NEON_KERNELS
