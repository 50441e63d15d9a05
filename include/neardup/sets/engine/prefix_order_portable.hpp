// SPDX-License-Identifier: MIT
// The steps by which prefixes of sets are found, in their form for every machine.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "../../detail/instructions.hpp"

namespace neardup::inline v0::detail {

/// The number of counts below `limit`; the reference implementation. Precondition: all counts are below 2^15.
inline std::size_t count_below_portable(std::span<const std::uint16_t> counts, std::uint32_t limit) noexcept {
  std::size_t result = 0;
  for (const std::uint16_t count : counts) result += count < limit ? 1 : 0;
  return result;
}

/// Writes the keys to `to` in ascending order. Precondition: the keys are below 2^63.
inline void sort_keys_portable(std::span<std::uint64_t> keys, std::uint64_t* to) {
  std::sort(keys.begin(), keys.end());
  std::copy(keys.begin(), keys.end(), to);
}

constexpr auto count_below_of(portable_form) noexcept { return count_below_portable; }
constexpr auto sort_keys_of(portable_form) noexcept { return sort_keys_portable; }

}  // namespace neardup::inline v0::detail
