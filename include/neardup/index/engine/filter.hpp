// What the tables of an index keep of a fingerprint, enough to reject nearly all non-matches, and a bucket of it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace neardup::inline v0::detail {

/// A fingerprint folded by exclusive or to the width of `Filter`, an unsigned type of 16 to 64 bits; or all of it.
/// Guarantee: two filters differ in no more bits than their fingerprints do, so what a filter rejects is no match.
/// Folding keeps all bits in play, where choosing some would pass every candidate that differs in the others only.
template <class Filter, std::size_t Words>
[[nodiscard]] constexpr Filter fold_filter(const std::array<std::uint64_t, Words>& fingerprint) noexcept {
  if constexpr (std::is_same_v<Filter, std::array<std::uint64_t, Words>>) {
    return fingerprint;
  } else {
    static_assert(std::is_same_v<Filter, std::uint16_t> || std::is_same_v<Filter, std::uint32_t> ||
                  std::is_same_v<Filter, std::uint64_t>);
    std::uint64_t folded = 0;
    for (const std::uint64_t word : fingerprint) folded ^= word;
    if constexpr (sizeof(Filter) <= 4) folded ^= folded >> 32;
    if constexpr (sizeof(Filter) == 2) folded ^= folded >> 16;
    return static_cast<Filter>(folded);
  }
}

/// Whether filters of 32 bits pass less than one non-match in a hundred at distance k; otherwise 64 bits are worth their
/// memory. (The share is the sum of choose(32, i) for i <= k, over 2^32: 0.35 % at k = 8, 1.0 % at 9, 2.5 % at 10.)
[[nodiscard]] constexpr bool narrow_filter_suffices(int k) noexcept { return k <= 8; }

/// Whether filters of 64 bits, folded from more, pass less than one non-match in a hundred at distance k; otherwise it
/// is faster to compare whole fingerprints. (The share is 0.8 % at k = 22, 1.6 % at 23, 19 % at 28, half at 32.)
[[nodiscard]] constexpr bool wide_filter_suffices(int k) noexcept { return k <= 22; }

/// What one bucket of a table holds: filters in one run, and the slots that they belong to.
template <class Offset>
struct bucket_view {
  const void* filters = nullptr;  ///< std::uint32_t, or std::uint64_t if is_wide
  const Offset* slots = nullptr;  ///< beside each filter its slot; null if the slots count up from first_slot
  std::size_t first_slot = 0;
  std::size_t count = 0;
  bool is_wide = false;
};

}  // namespace neardup::inline v0::detail
