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
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
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
    detail::fail<std::invalid_argument>("this machine does not have the instruction set " +
                                        std::string(to_string(level)));
  }
  detail::current_instruction_set().store(level, std::memory_order_relaxed);
}

}  // namespace neardup::inline v0
