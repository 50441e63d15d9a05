// SPDX-License-Identifier: MIT
// A checksum of bytes, which finds damage to what one machine hands another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "../../detail/bits.hpp"

namespace neardup::inline v0::detail {

/// Returns a checksum of bytes. It detects damage, not forgery. Machines of the same byte order compute the same
/// checksum. It has four sums of products, so that several words are in progress at once.
/// Complexity: linear, about 8 bytes a cycle.
inline std::uint64_t checksum_of(std::span<const std::byte> bytes, std::uint64_t seed) noexcept {
  constexpr std::size_t lanes = 4;
  std::uint64_t sums[lanes] = {seed + 1, seed + 2, seed + 3, seed + 4};
  const auto take = [&](std::size_t lane, std::uint64_t word) {
    sums[lane] = (sums[lane] ^ word) * golden_ratio;
    sums[lane] ^= sums[lane] >> 29;
  };
  std::size_t at = 0;
  for (; bytes.size() - at >= lanes * sizeof(std::uint64_t); at += lanes * sizeof(std::uint64_t)) {
    std::uint64_t words[lanes];
    std::memcpy(words, bytes.data() + at, sizeof words);
    for (std::size_t lane = 0; lane < lanes; ++lane) take(lane, words[lane]);
  }
  for (std::size_t lane = 0; at < bytes.size(); lane = (lane + 1) % lanes) {
    std::uint64_t word = 0;
    const std::size_t size = bytes.size() - at < sizeof word ? bytes.size() - at : sizeof word;
    std::memcpy(&word, bytes.data() + at, size);
    take(lane, word);
    at += size;
  }
  std::uint64_t result = bytes.size();
  for (const std::uint64_t sum : sums) result = mix(result + golden_ratio + sum);
  return result;
}

}  // namespace neardup::inline v0::detail
