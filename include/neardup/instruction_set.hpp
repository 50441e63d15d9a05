// Which vector instructions the kernels use: chosen when the program runs, so that one build is fast everywhere.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "error.hpp"

// Kernels for x86-64 need target attributes (g++, clang); elsewhere the portable ones serve.
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

namespace neardup::inline v0 {

/// The levels of instructions that kernels are written for. Every level gives the same results, bit for bit.
enum class instruction_set : std::uint8_t {
  portable,  // standard C++, on every machine
  avx2,      // x86-64-v3: AVX2, BMI2, POPCNT
  avx512,    // AVX-512 F, BW, DQ, VL, VBMI, VBMI2, VPOPCNTDQ: Ice Lake, Zen 4 and later
};

/// "portable", "avx2" or "avx512".
[[nodiscard]] constexpr std::string_view to_string(instruction_set level) noexcept {
  switch (level) {
    case instruction_set::avx2: return "avx2";
    case instruction_set::avx512: return "avx512";
    case instruction_set::portable: break;
  }
  return "portable";
}

/// The highest level that this machine has.
[[nodiscard]] inline instruction_set best_instruction_set() noexcept {
#if NEARDUP_X86_KERNELS
  static const instruction_set best = [] {
    __builtin_cpu_init();
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                      __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
    const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                        __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2") &&
                        __builtin_cpu_supports("avx512vpopcntdq");
    return avx512 ? instruction_set::avx512 : avx2 ? instruction_set::avx2 : instruction_set::portable;
  }();
  return best;
#else
  return instruction_set::portable;
#endif
}

namespace detail {

/// The level that the environment variable NEARDUP_INSTRUCTION_SET asks for, but no higher than the machine's.
inline instruction_set initial_instruction_set() noexcept {
  const instruction_set best = best_instruction_set();
  const char* const wanted = std::getenv("NEARDUP_INSTRUCTION_SET");
  if (wanted == nullptr) return best;
  for (const instruction_set level : {instruction_set::portable, instruction_set::avx2}) {
    if (level < best && wanted == to_string(level)) return level;
  }
  return best;
}

inline std::atomic<instruction_set>& current_instruction_set() noexcept {
  static std::atomic<instruction_set> level{initial_instruction_set()};
  return level;
}

}  // namespace detail

/// The level that kernels use now: the best of the machine, unless the environment variable NEARDUP_INSTRUCTION_SET
/// named a lower one when it was first asked for, or set_instruction_set has.
[[nodiscard]] inline instruction_set active_instruction_set() noexcept {
  return detail::current_instruction_set().load(std::memory_order_relaxed);
}

/// Makes kernels use this level from now on, in all threads. For tests and measurements; results do not change.
/// Throws: std::invalid_argument if the machine does not have it.
inline void set_instruction_set(instruction_set level) {
  if (level > best_instruction_set()) {
    detail::fail<std::invalid_argument>("this machine has no instruction set " + std::string(to_string(level)));
  }
  detail::current_instruction_set().store(level, std::memory_order_relaxed);
}

}  // namespace neardup::inline v0
