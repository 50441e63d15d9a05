// SPDX-License-Identifier: MIT
// Sorts words of 64 bits. Whatever fits into such words is sorted by this function, so a program compiles one sort for all.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "../version.hpp"

namespace neardup::inline v0::detail {

/// Sorts words by their bits from bit `low` on. Words that are equal in these bits keep their order.
/// Precondition: `scratch` has the size of `words`; low < 64.
/// Complexity: one pass for each byte that is not the same in all words; quadratic for less than 32 words.
inline void sort_words(std::span<std::uint64_t> words, std::span<std::uint64_t> scratch, int low = 0) noexcept {
  const std::size_t count = words.size();
  if (count < 32) {
    for (std::size_t i = 1; i < count; ++i) {
      for (std::size_t j = i; j > 0 && words[j - 1] >> low > words[j] >> low; --j) std::swap(words[j - 1], words[j]);
    }
    return;
  }
  std::uint64_t differing = 0;
  for (const std::uint64_t word : words) differing |= word ^ words.front();
  std::uint64_t *from = words.data(), *to = scratch.data();
  for (int shift = low; shift < 64; shift += 8) {
    if ((differing >> shift & 0xffU) == 0) continue;
    std::array<std::size_t, 256> next{};
    for (std::size_t i = 0; i < count; ++i) ++next[from[i] >> shift & 0xffU];
    std::size_t sum = 0;
    for (std::size_t& place : next) sum += std::exchange(place, sum);
    for (std::size_t i = 0; i < count; ++i) to[next[from[i] >> shift & 0xffU]++] = from[i];
    std::swap(from, to);
  }
  if (from == words.data()) return;
  for (std::size_t i = 0; i < count; ++i) words[i] = from[i];
}

}  // namespace neardup::inline v0::detail
