// Counting subsets, with results that saturate instead of wrapping.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace neardup::inline v0::detail {

inline constexpr std::uint64_t saturated = (std::numeric_limits<std::uint64_t>::max)();

/// a + b, or `saturated` if that does not fit.
constexpr std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b) noexcept {
  return a > saturated - b ? saturated : a + b;
}

/// The number of ways to choose `chosen` out of `total` things; `saturated` from about 2^64 / total upwards.
constexpr std::uint64_t choose(std::size_t total, std::size_t chosen) noexcept {
  if (chosen > total) return 0;
  if (chosen > total - chosen) chosen = total - chosen;
  std::uint64_t result = 1;
  for (std::size_t i = 1; i <= chosen; ++i) {
    const std::uint64_t factor = total - chosen + i;
    if (result > saturated / factor) return saturated;
    result = result * factor / i;  // Exact: a product of i consecutive numbers is divisible by i!.
  }
  return result;
}

/// The number of ways to choose at most `max` out of `total` things: the keys within `max` flips of a key.
constexpr std::uint64_t choose_at_most(std::size_t total, std::size_t max) noexcept {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i <= max && i <= total; ++i) {
    sum = saturating_add(sum, choose(total, i));
    if (sum == saturated) break;
  }
  return sum;
}

}  // namespace neardup::inline v0::detail
