// SPDX-License-Identifier: MIT
// Counts the common elements of two sorted sets by NEON.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "../../detail/bytes.hpp"
#include "../../detail/instructions.hpp"
#include "common_elements_portable.hpp"

#if NEARDUP_NEON_KERNELS

namespace neardup::inline v0::detail {

/// The number of common elements by NEON. Compares four elements of one set with four of the other, each with each. Then
/// advances in the set whose four elements have the smaller last one.
inline std::size_t count_common_neon(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                                     std::size_t least) noexcept {
  constexpr std::size_t lanes = 4;
  constexpr std::size_t stride = 8;  // steps between two tests of whether `least` is in reach
  const std::uint32_t* i = a.data();
  const std::uint32_t* j = b.data();
  const std::uint32_t* const a_end = i + a.size();
  const std::uint32_t* const b_end = j + b.size();
  std::size_t common = 0;
  uint32x4_t found = vdupq_n_u32(0);
  const auto step = [&] {
    const uint32x4_t x = vld1q_u32(i), y = vld1q_u32(j);
    const uint32x4_t even = vorrq_u32(vceqq_u32(x, y), vceqq_u32(x, vextq_u32(y, y, 2)));
    const uint32x4_t odd = vorrq_u32(vceqq_u32(x, vextq_u32(y, y, 1)), vceqq_u32(x, vextq_u32(y, y, 3)));
    found = vsubq_u32(found, vorrq_u32(even, odd));
    const std::uint32_t last_a = i[lanes - 1], last_b = j[lanes - 1];
    const bool in_a = !(last_b < last_a), in_b = !(last_a < last_b);
    std::size_t steps_a{in_a}, steps_b{in_b};
    NEARDUP_SCALAR(steps_a);  // prevents a branch, which could not be predicted
    NEARDUP_SCALAR(steps_b);
    i += lanes * steps_a;
    j += lanes * steps_b;
  };
  const auto left = [&] {
    return (std::min)(static_cast<std::size_t>(a_end - i), static_cast<std::size_t>(b_end - j));
  };
  while (left() >= stride * lanes) {
    if (common + left() < least) return common;
    for (std::size_t steps = 0; steps < stride; ++steps) step();
    common += vaddvq_u32(found);
    found = vdupq_n_u32(0);
  }
  while (a_end - i >= static_cast<std::ptrdiff_t>(lanes) && b_end - j >= static_cast<std::ptrdiff_t>(lanes)) step();
  common += vaddvq_u32(found);
  return count_common_portable(
      a, b, least, {static_cast<std::size_t>(i - a.data()), static_cast<std::size_t>(j - b.data()), common});
}

template <class A, class B>
  requires vector_elements<A, B>
constexpr auto count_common_of(neon_form) noexcept { return count_common_neon; }

}  // namespace neardup::inline v0::detail

#endif  // NEARDUP_NEON_KERNELS
