// Asking for memory before it is needed.
#pragma once

namespace neardup::inline v0::detail {

/// Starts to load the cache line of `address`, which need not be valid. A hint; does nothing where compilers lack it.
inline void prefetch(const void* address) noexcept {
#if defined(__GNUC__) || defined(__clang__)
  __builtin_prefetch(address);
#else
  static_cast<void>(address);
#endif
}

}  // namespace neardup::inline v0::detail
