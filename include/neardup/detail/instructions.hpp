// Macros for functions compiled for one instruction set, and prefetching.
#pragma once

#include <cstdint>

#include "../instruction_set.hpp"

// The baseline: 16-byte vectors (SSE2, NEON), which every x86-64 and AArch64 has, so that no target attribute is
// needed. Compilers translate the C++ operators on vector types to these instructions.
#if (defined(__x86_64__) || defined(__aarch64__)) && (defined(__GNUC__) || defined(__clang__))
#define NEARDUP_BASELINE_KERNELS 1
#else
#define NEARDUP_BASELINE_KERNELS 0
#endif

// Kernels for x86-64 need target attributes (g++, clang). Elsewhere the portable and baseline kernels are used.
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define NEARDUP_X86_KERNELS 1
// The features of a level. Each function of a level lists the same, since a compiler inlines only functions that need
// no more.
#define NEARDUP_AVX2_FEATURES "avx2,bmi,bmi2,popcnt"
#define NEARDUP_AVX512_FEATURES \
  "avx2,bmi,bmi2,popcnt,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx512vpopcntdq"
#define NEARDUP_TARGET_AVX2 __attribute__((target(NEARDUP_AVX2_FEATURES)))
#define NEARDUP_TARGET_AVX512 __attribute__((target(NEARDUP_AVX512_FEATURES)))
// Attributes of lambdas in functions with a target attribute: a lambda does not inherit that attribute.
#define NEARDUP_AVX2_LAMBDA __attribute__((always_inline, target(NEARDUP_AVX2_FEATURES)))
#define NEARDUP_AVX512_LAMBDA __attribute__((always_inline, target(NEARDUP_AVX512_FEATURES)))

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
// AVX-512 intrinsics begin with a deliberately undefined vector (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>
#pragma GCC diagnostic pop
// Silences warnings around kernels. Lambdas that return a vector are always inlined, so -Wpsabi does not matter.
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
/// The baseline vectors, of 64-bit and of 16-bit numbers.
using baseline_words = std::uint64_t __attribute__((vector_size(16)));
using baseline_shorts = std::int16_t __attribute__((vector_size(16)));
#endif

/// True if a level has the baseline vectors.
constexpr bool has_baseline(instruction_set level) noexcept { return has_sse2(level) || has_neon(level); }

// Not made noinline: g++ 12 treats a function that only prefetches as having no effect, and may drop calls of it.

/// Prefetches the cache line of `address`, which may be invalid. A no-op where the compiler lacks the builtin.
inline void prefetch(const void* address) noexcept {
#if defined(__GNUC__) || defined(__clang__)
  __builtin_prefetch(address);
#else
  static_cast<void>(address);
#endif
}

/// Prefetches into the second-level cache, for data that are needed later: more lines can be in flight than fit the
/// first level. On a Zen 4, random lines, 64 at a time, took 7 ns each instead of 15.
inline void prefetch_far(const void* address) noexcept {
#if defined(__GNUC__) || defined(__clang__)
  __builtin_prefetch(address, 0, 2);
#else
  static_cast<void>(address);
#endif
}

}  // namespace neardup::inline v0::detail
