// SPDX-License-Identifier: MIT
// Macros for functions that are compiled for one instruction set, and the table that chooses the form of a kernel.
//
// A kernel has forms, one for each instruction set that it is written for. docs/decisions/0054-forms.md
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
// The target attributes of each instruction set. All functions for an instruction set have the same attribute, because
// a compiler inlines a function only into a function that has at least its target features.
#define NEARDUP_AVX2_FEATURES "avx2,bmi,bmi2,popcnt"
#define NEARDUP_AVX512_FEATURES \
  "avx2,bmi,bmi2,popcnt,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx512vpopcntdq"
#define NEARDUP_TARGET_AVX2 __attribute__((target(NEARDUP_AVX2_FEATURES)))
#define NEARDUP_TARGET_AVX512 __attribute__((target(NEARDUP_AVX512_FEATURES)))
// Attributes for lambdas in a function with a target attribute. A lambda does not inherit the attribute of its
// function.
#define NEARDUP_AVX2_LAMBDA __attribute__((always_inline, target(NEARDUP_AVX2_FEATURES)))
#define NEARDUP_AVX512_LAMBDA __attribute__((always_inline, target(NEARDUP_AVX512_FEATURES)))

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
// Silences false warnings of g++: AVX-512 intrinsics use an uninitialised vector on purpose (GCC bug 105593).
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

// NEON needs no target attribute. These kernels depend on the order of bytes in a vector, so they need a little-endian
// machine.
#if defined(__aarch64__) && defined(__ORDER_LITTLE_ENDIAN__) && (defined(__GNUC__) || defined(__clang__))
#define NEARDUP_NEON_KERNELS (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
#else
#define NEARDUP_NEON_KERNELS 0
#endif
#if NEARDUP_NEON_KERNELS
#include <arm_neon.h>
#endif

namespace neardup::inline v0::detail {

#if NEARDUP_BASELINE_KERNELS
/// The baseline vectors, of 64-bit and of 16-bit numbers.
using baseline_words = std::uint64_t __attribute__((vector_size(16)));
using baseline_shorts = std::int16_t __attribute__((vector_size(16)));
#endif

/// Returns true if the instruction set `level` has the baseline vectors.
constexpr bool has_baseline(instruction_set level) noexcept { return has_sse2(level) || has_neon(level); }

// A type names each form of a kernel. The type derives from the form to use instead if a kernel lacks this form:
// avx512_form derives from avx2_form, so the overload for avx2_form is called unless there is one for avx512_form.
struct portable_form {};
struct baseline_form : portable_form {};
struct neon_form : baseline_form {};
struct avx2_form : baseline_form {};
struct avx512_form : avx2_form {};

/// Calls `use` with the form for a level, and returns its result. A kernel f has an overload of f_of() for each of its
/// forms, which returns the function.
template <class Use>
NEARDUP_ALWAYS_INLINE auto choose_form([[maybe_unused]] instruction_set level, const Use& use) {
#if NEARDUP_X86_KERNELS
  if (has_avx512(level)) return use(avx512_form{});
  if (has_avx2(level)) return use(avx2_form{});
#endif
#if NEARDUP_NEON_KERNELS
  if (has_neon(level)) return use(neon_form{});
#endif
#if NEARDUP_BASELINE_KERNELS
  if (has_baseline(level)) return use(baseline_form{});
#endif
  return use(portable_form{});
}

}  // namespace neardup::inline v0::detail
