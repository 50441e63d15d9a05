// SPDX-License-Identifier: MIT
// The forms of a kernel. Each instruction set has a form. A region compiles functions for an instruction set, and
// choose_form() chooses a form when the program runs.
//
// See docs/decisions/0054-forms.md.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../instruction_set.hpp"

// The baseline is vectors of 16 bytes (SSE2 or NEON). Every x86-64 and AArch64 processor has them, so no region is
// needed. Compilers translate the C++ operators of vector types to these instructions.
#if (defined(__x86_64__) || defined(__aarch64__)) && (defined(__GNUC__) || defined(__clang__))
#define NEARDUP_BASELINE_KERNELS 1
#else
#define NEARDUP_BASELINE_KERNELS 0
#endif

// Kernels for x86-64 need the target regions of g++ and clang. With other compilers, only the portable kernels are
// used.
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define NEARDUP_X86_KERNELS 1

// A region is the code between NEARDUP_AVX2_BEGIN and NEARDUP_END, which is compiled for AVX2, or between
// NEARDUP_AVX512_BEGIN and NEARDUP_END, which is compiled for AVX-512. All functions for an instruction set have the
// same features, because a compiler inlines a function only into a function that has at least its features. So a region
// may call functions outside of regions, and an AVX-512 region may call functions of AVX2 regions. Calls in the other
// direction are not inlined. Code outside of regions calls only the kernels that choose_form() returns.
#define NEARDUP_AVX2_FEATURES "avx2,bmi,bmi2,popcnt"
#define NEARDUP_AVX512_FEATURES \
  "avx2,bmi,bmi2,popcnt,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx512vpopcntdq"
#define NEARDUP_PRAGMA(text) _Pragma(#text)

#if defined(__clang__)
#include <immintrin.h>
#define NEARDUP_BEGIN(features) \
  NEARDUP_PRAGMA(clang attribute push(__attribute__((target(features))), apply_to = function))
#define NEARDUP_END NEARDUP_PRAGMA(clang attribute pop)
#else
#pragma GCC diagnostic push
// Silences false warnings of g++: AVX-512 intrinsics use an uninitialised vector on purpose (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>
#pragma GCC diagnostic pop
// -Wpsabi warns about lambdas that return a vector. This is harmless, because these lambdas are always inlined.
#define NEARDUP_BEGIN(features)                            \
  NEARDUP_PRAGMA(GCC push_options)                         \
  NEARDUP_PRAGMA(GCC target(features))                     \
  NEARDUP_PRAGMA(GCC diagnostic push)                      \
  NEARDUP_PRAGMA(GCC diagnostic ignored "-Wpsabi")         \
  NEARDUP_PRAGMA(GCC diagnostic ignored "-Wuninitialized") \
  NEARDUP_PRAGMA(GCC diagnostic ignored "-Wmaybe-uninitialized")
#define NEARDUP_END                  \
  NEARDUP_PRAGMA(GCC diagnostic pop) \
  NEARDUP_PRAGMA(GCC pop_options)
#endif
#define NEARDUP_AVX2_BEGIN NEARDUP_BEGIN(NEARDUP_AVX2_FEATURES)
#define NEARDUP_AVX512_BEGIN NEARDUP_BEGIN(NEARDUP_AVX512_FEATURES)
#else
#define NEARDUP_X86_KERNELS 0
#endif

// NEON needs no region. The NEON kernels depend on the order of bytes in a vector, so they need a little-endian
// machine.
#if defined(__aarch64__) && defined(__ORDER_LITTLE_ENDIAN__) && (defined(__GNUC__) || defined(__clang__))
#define NEARDUP_NEON_KERNELS (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
#else
#define NEARDUP_NEON_KERNELS 0
#endif
#if NEARDUP_NEON_KERNELS
#include <arm_neon.h>
#endif

// The instruction sets, as values of NEARDUP_FORM. for_each_form.hpp defines NEARDUP_FORM.
#define NEARDUP_PORTABLE 1
#define NEARDUP_BASELINE 2
#define NEARDUP_AVX2 3
#define NEARDUP_AVX512 4
#define NEARDUP_NEON 5

namespace neardup::inline v0::detail {

#if NEARDUP_BASELINE_KERNELS
/// A baseline vector of 64-bit numbers.
using baseline_words = std::uint64_t __attribute__((vector_size(16)));
#endif

/// Returns true if the instruction set `level` has the baseline vectors.
constexpr bool has_baseline(instruction_set level) noexcept { return has_sse2(level) || has_neon(level); }

// Each instruction set has a namespace with a type `form`, which is the argument of overloads for this instruction set.
// `form` derives from the form that is used if there is no overload. For example, avx512::form derives from avx2::form,
// so an overload for avx2::form is called if there is none for avx512::form. Argument-dependent lookup finds overloads
// in the namespaces of all these types.
//
// A form also has costs, from which searches and joins choose their plans. The costs are nanoseconds on one core of a
// Zen 5. NEON was not measured: it needs a fifth of the instructions of the portable form.
namespace portable {
struct form {
  /// The number of fingerprints of one word that a scan compares in the time of one probe (12 ns).
  static constexpr std::size_t scanned_a_probe = 8;
  /// The time of a join to compare two filters of 64 bits, or of 32 bits, in a large bucket.
  static constexpr double pair_cost = 1.5, narrow_pair_cost = 1.5;
  /// True if single words are read in place. With AVX-512, words are first copied to a string, which makes reading 1.1
  /// to 1.4 times as fast.
  static constexpr bool reads_words_in_place = true;
};
}  // namespace portable
namespace baseline {
struct form : portable::form {};
}  // namespace baseline
namespace neon {
struct form : baseline::form {
  static constexpr std::size_t scanned_a_probe = 30;
  static constexpr double pair_cost = 0.3, narrow_pair_cost = 0.15;
};
}  // namespace neon
namespace avx2 {
struct form : baseline::form {
  static constexpr std::size_t scanned_a_probe = 60;
  static constexpr double pair_cost = 0.24, narrow_pair_cost = 0.12;
};
}  // namespace avx2
namespace avx512 {
struct form : avx2::form {
  static constexpr std::size_t scanned_a_probe = 150;
  static constexpr double pair_cost = 0.05, narrow_pair_cost = 0.025;
  static constexpr bool reads_words_in_place = false;
};
}  // namespace avx512
using portable_form = portable::form;
using baseline_form = baseline::form;
using neon_form = neon::form;
using avx2_form = avx2::form;
using avx512_form = avx512::form;

/// Calls `use` with the form for a level, and returns the result. Each kernel f has overloads f_of(form), which return
/// the function for the form.
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
