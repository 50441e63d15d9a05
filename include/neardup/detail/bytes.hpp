// SPDX-License-Identifier: MIT
// Arithmetic with the bytes of a 64-bit word, and attributes for the optimiser.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>

#include "../error.hpp"
#include "../version.hpp"

// Hides the value of x from the optimiser. So the compiler computes x in a scalar register, and does not vectorise the
// computation.
#if defined(__GNUC__)
#define NEARDUP_SCALAR(x) asm("" : "+r"(x))
#else
#define NEARDUP_SCALAR(x) static_cast<void>(x)
#endif

// Forces a function to be inlined. Use it for a function whose call would take longer than its body: a function that a
// loop calls many times, or that returns a small structure.
#if defined(__GNUC__)
#define NEARDUP_ALWAYS_INLINE __attribute__((always_inline)) inline
#define NEARDUP_INLINE_LAMBDA __attribute__((always_inline))
#else
#define NEARDUP_ALWAYS_INLINE inline
#define NEARDUP_INLINE_LAMBDA
#endif

// Forbids inlining. Use it for code that a loop runs rarely, because inlined code would take registers from the rest of
// the loop.
#if defined(__GNUC__)
#define NEARDUP_NOINLINE __attribute__((noinline))
#else
#define NEARDUP_NOINLINE
#endif

namespace neardup::inline v0::detail {

/// In byte_ones, the lowest bit of each byte is set. In byte_tops, the highest bit of each byte is set.
inline constexpr std::uint64_t byte_ones = 0x0101010101010101U;
inline constexpr std::uint64_t byte_tops = byte_ones << 7;

/// Reads a little-endian unsigned integer, on machines with either byte order.
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

/// Checks that this machine is little-endian, as all files are. `name`: the file, or the data for the file, as the
/// message should name it.
/// Throws: std::runtime_error "NAME: ..." if the machine is not little-endian.
inline void check_byte_order(const message_part& name) {
  if constexpr (std::endian::native != std::endian::little) {
    fail<std::runtime_error>({name, ": neardup reads and writes files on little-endian machines only"});
  }
}

}  // namespace neardup::inline v0::detail
