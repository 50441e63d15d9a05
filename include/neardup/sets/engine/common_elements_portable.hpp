// SPDX-License-Identifier: MIT
// Counts the common elements of two sorted sets, in the form for every machine.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "../../detail/instructions.hpp"

namespace neardup::inline v0::detail {

/// A position in each of two sets, and the number of common elements before these positions.
struct common_count {
  std::size_t i = 0, j = 0, common = 0;
};

/// The number of common elements; the reference implementation. Continues from `at`. If the number is less than
/// `least`, may return any number below `least` instead.
template <class A, class B>
std::size_t count_common_portable(std::span<const A> a, std::span<const B> b, std::size_t least,
                                  common_count at = {}) noexcept {
  std::size_t i = at.i, j = at.j, common = at.common;
  // Which of two hashes is smaller cannot be predicted, so both positions are advanced without branches.
  const auto step = [&] {
    const bool in_a = !(b[j] < a[i]), in_b = !(a[i] < b[j]);
    common += static_cast<std::size_t>(in_a && in_b);
    i += static_cast<std::size_t>(in_a);
    j += static_cast<std::size_t>(in_b);
  };
  constexpr std::size_t stride = 32;  // steps between two tests of whether `least` is in reach
  while (a.size() - i >= stride && b.size() - j >= stride) {
    if (common + (std::min)(a.size() - i, b.size() - j) < least) return common;
    for (std::size_t steps = 0; steps < stride; ++steps) step();
  }
  while (i < a.size() && j < b.size()) step();
  return common;
}

/// Elements that the vector forms compare.
template <class A, class B>
concept vector_elements = std::is_same_v<A, std::uint32_t> && std::is_same_v<B, std::uint32_t>;

template <class A, class B>
constexpr auto count_common_of(portable_form) noexcept {
  return [](std::span<const A> a, std::span<const B> b, std::size_t least) noexcept {
    return count_common_portable(a, b, least);
  };
}

}  // namespace neardup::inline v0::detail
