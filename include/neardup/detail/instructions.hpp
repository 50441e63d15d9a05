// What a function needs that is compiled for an instruction set of its own; and asking for memory before it is needed.
#pragma once

#include <cstdint>

#include "../instruction_set.hpp"

// What every x86-64 and every AArch64 has, and so what no function need ask for: vectors of 16 bytes, SSE2 and NEON.
// Compilers turn the operators of C++ into their instructions.
#if (defined(__x86_64__) || defined(__aarch64__)) && (defined(__GNUC__) || defined(__clang__))
#define NEARDUP_BASELINE_KERNELS 1
#else
#define NEARDUP_BASELINE_KERNELS 0
#endif

// Kernels for x86-64 need target attributes (g++, clang); elsewhere the portable ones and the baseline serve.
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define NEARDUP_X86_KERNELS 1
// The features of a level, the same list on each function of it: a compiler inlines only what needs no more.
#define NEARDUP_AVX2_FEATURES "avx2,bmi,bmi2,popcnt"
#define NEARDUP_AVX512_FEATURES \
  "avx2,bmi,bmi2,popcnt,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx512vpopcntdq"
#define NEARDUP_TARGET_AVX2 __attribute__((target(NEARDUP_AVX2_FEATURES)))
#define NEARDUP_TARGET_AVX512 __attribute__((target(NEARDUP_AVX512_FEATURES)))
// For lambdas in such functions, which do not inherit the features.
#define NEARDUP_AVX2_LAMBDA __attribute__((always_inline, target(NEARDUP_AVX2_FEATURES)))
#define NEARDUP_AVX512_LAMBDA __attribute__((always_inline, target(NEARDUP_AVX512_FEATURES)))

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
// AVX-512 intrinsics begin with a deliberately undefined vector (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>
#pragma GCC diagnostic pop
// Around kernels: a lambda that gives a vector is always inlined, so no calling convention is at stake.
#define NEARDUP_KERNELS_BEGIN                                                  \
  _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wpsabi\"") \
      _Pragma("GCC diagnostic ignored \"-Wuninitialized\"")                    \
          _Pragma("GCC diagnostic ignored \"-Wmaybe-uninitialized\"")
#define NEARDUP_KERNELS_END _Pragma("GCC diagnostic pop")
#else
#include <immintrin.h>
#define NEARDUP_KERNELS_BEGIN
#define NEARDUP_KERNELS_END
#endif
#else
#define NEARDUP_X86_KERNELS 0
#endif

namespace neardup::inline v0::detail {

#if NEARDUP_BASELINE_KERNELS
/// The vectors of the baseline: numbers of 64 bits, and of 16.
using baseline_words = std::uint64_t __attribute__((vector_size(16)));
using baseline_shorts = std::int16_t __attribute__((vector_size(16)));
#endif

/// Whether a level has the vectors of the baseline.
constexpr bool has_baseline(instruction_set level) noexcept { return has_sse2(level) || has_neon(level); }

// A function that does nothing else has no effect that g++ 12 knows of: it may drop calls that it does not inline.

/// Starts to load the cache line of `address`, which need not be valid. A hint; does nothing where compilers lack it.
inline void prefetch(const void* address) noexcept {
#if defined(__GNUC__) || defined(__clang__)
  __builtin_prefetch(address);
#else
  static_cast<void>(address);
#endif
}

/// The same into the second level of the cache, for what is not needed soon: more lines than the first level has places
/// for may be under way. On a Zen 4, 64 random lines at a time took 7 ns each instead of 15.
inline void prefetch_far(const void* address) noexcept {
#if defined(__GNUC__) || defined(__clang__)
  __builtin_prefetch(address, 0, 2);
#else
  static_cast<void>(address);
#endif
}

}  // namespace neardup::inline v0::detail
