// Numbers that look random, but are the same on every machine.
#pragma once

#include <cstdint>

namespace neardup_bench {

/// 2^64 divided by the golden ratio: the step of SplitMix64.
inline constexpr std::uint64_t golden_ratio = 0x9e3779b97f4a7c15U;

/// Mixes a word so that each bit of the result depends on each bit of the input.
/// Source: the finaliser of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014; constants of D. Stafford's variant 13).
constexpr std::uint64_t mix(std::uint64_t x) noexcept {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

}  // namespace neardup_bench
