// SPDX-License-Identifier: MIT
// Functions that prefetch cache lines.
#pragma once

namespace neardup::inline v0::detail {

// The prefetch functions are not noinline. If they were, g++ 12 would assume that these functions have no effect, and
// might drop the calls.

/// Prefetches the cache line at `address`. The address may be invalid. The function does nothing if the compiler lacks
/// the builtin.
inline void prefetch(const void* address) noexcept {
#if defined(__GNUC__) || defined(__clang__)
  __builtin_prefetch(address);
#else
  static_cast<void>(address);
#endif
}

/// Prefetches a line into the second-level cache, for data that are needed later. More lines can be in flight than for
/// the first-level cache: on a Zen 4, with 64 random lines at a time, a line took 7 ns instead of 15 ns.
inline void prefetch_far(const void* address) noexcept {
#if defined(__GNUC__) || defined(__clang__)
  __builtin_prefetch(address, 0, 2);
#else
  static_cast<void>(address);
#endif
}

}  // namespace neardup::inline v0::detail
