// A number that nobody outside the process can know.
#pragma once

#include <chrono>
#include <cstdint>

#include "../../detail/bits.hpp"

namespace neardup::inline v0::detail {

/// An odd number, another one in each process: the time and the place where it was loaded, mixed.
/// For the arrangement of hash tables only; nothing that is seen from outside may depend on it.
inline std::uint64_t secret_multiplier() noexcept {
  static const std::uint64_t secret = [] {
    static const char place = 0;
    const auto now = static_cast<std::uint64_t>(std::chrono::high_resolution_clock::now().time_since_epoch().count());
    return mix(mix(now) + reinterpret_cast<std::uintptr_t>(&place)) | 1U;
  }();
  return secret;
}

}  // namespace neardup::inline v0::detail
