// Bytes of a text in words.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "../version.hpp"

// Makes compilers forget what they know of a value: it is computed as written, in a plain register.
#if defined(__GNUC__)
#define NEARDUP_SCALAR(x) asm("" : "+r"(x))
#else
#define NEARDUP_SCALAR(x) static_cast<void>(x)
#endif

// For what compilers would call, though a call costs more than it does: what stands many times in one loop, and what
// returns a small structure.
#if defined(__GNUC__)
#define NEARDUP_ALWAYS_INLINE __attribute__((always_inline)) inline
#define NEARDUP_INLINE_LAMBDA __attribute__((always_inline))
#else
#define NEARDUP_ALWAYS_INLINE inline
#define NEARDUP_INLINE_LAMBDA
#endif

// For what is rare in a loop: inlined, it would take the registers of the rest.
#if defined(__GNUC__)
#define NEARDUP_NOINLINE __attribute__((noinline))
#else
#define NEARDUP_NOINLINE
#endif

namespace neardup::inline v0::detail {

/// In each byte the lowest bit, and the highest.
inline constexpr std::uint64_t byte_ones = 0x0101010101010101U;
inline constexpr std::uint64_t byte_tops = byte_ones << 7;

/// Reads an unsigned integer, its lowest byte first, on any machine.
template <class Word = std::uint64_t>
Word load_little_endian(const char* bytes) noexcept {
  if constexpr (std::endian::native == std::endian::little) {
    Word word;
    std::memcpy(&word, bytes, sizeof word);
    return word;
  } else {
    Word word = 0;
    for (std::size_t i = 0; i < sizeof word; ++i) word |= Word{static_cast<unsigned char>(bytes[i])} << (8 * i);
    return word;
  }
}

}  // namespace neardup::inline v0::detail
