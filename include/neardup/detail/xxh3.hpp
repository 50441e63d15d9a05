// SPDX-License-Identifier: MIT
// Functions of XXH3. No other header includes xxHash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

// xxHash is inlined, so that its library need not be linked. The hash values are those of the library.
#ifndef XXH_INLINE_ALL
#define XXH_INLINE_ALL
#include <xxhash.h>
#undef XXH_INLINE_ALL
#else
#include <xxhash.h>
#endif

#include "../version.hpp"

namespace neardup::inline v0::detail {

/// Returns the checksum of bytes in files and in blobs: XXH3 with 64 bits. The hash detects damage, but not forgery.
[[nodiscard]] inline std::uint64_t checksum_of(std::span<const std::byte> bytes, std::uint64_t seed = 0) noexcept {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

}  // namespace neardup::inline v0::detail
