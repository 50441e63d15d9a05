// SPDX-License-Identifier: MIT
// The vector instructions that kernels use. They are chosen at run time, so that one build is fast on every machine.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#include <cpuid.h>
#endif

#include "detail/bits.hpp"
#include "error.hpp"

namespace neardup::inline v0 {

/// The instruction sets for which there are kernels. Each is called a level. All levels give the same results, bit for
/// bit. Levels are not ordered, because levels of different architectures cannot be compared.
enum class instruction_set : std::uint8_t {
  portable,  // standard C++, every machine
  sse2,      // 16-byte vectors, every x86-64
  avx2,      // x86-64-v3: AVX2, BMI2, POPCNT
  avx512,    // AVX-512 F, BW, DQ, VL, VBMI, VBMI2, VPOPCNTDQ: Ice Lake, Zen 4 and later
  neon,      // 16-byte vectors, every AArch64
};

bool operator<(instruction_set, instruction_set) = delete;
bool operator>(instruction_set, instruction_set) = delete;
bool operator<=(instruction_set, instruction_set) = delete;
bool operator>=(instruction_set, instruction_set) = delete;

namespace detail {

struct named_instruction_set {
  instruction_set level;
  std::string_view name;
};

/// All levels. Of the levels that one machine supports, faster levels come later.
inline constexpr named_instruction_set instruction_sets[] = {
    {instruction_set::portable, "portable"}, {instruction_set::sse2, "sse2"}, {instruction_set::avx2, "avx2"},
    {instruction_set::avx512, "avx512"},     {instruction_set::neon, "neon"},
};

// Each function returns true if the level has all instructions of the instruction set in the function's name.
constexpr bool has_avx512(instruction_set level) noexcept { return level == instruction_set::avx512; }
constexpr bool has_avx2(instruction_set level) noexcept { return level == instruction_set::avx2 || has_avx512(level); }
constexpr bool has_sse2(instruction_set level) noexcept { return level == instruction_set::sse2 || has_avx2(level); }
constexpr bool has_neon(instruction_set level) noexcept { return level == instruction_set::neon; }

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))

struct x86_features {
  bool avx2 = false;
  bool avx512 = false;
};

/// Returns which of the levels avx2 and avx512 the processor has. Instructions whose registers the operating system
/// does not save count as missing. __builtin_cpu_supports() is not used, because it calls the runtime library of the
/// compiler, and the runtime library of zig 0.17 reports no feature.
/// Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, CPUID and XGETBV.
inline x86_features read_x86_features() noexcept {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0) return {};
  constexpr unsigned osxsave = 1u << 27, popcnt = 1u << 23;
  if ((c & osxsave) == 0 || (c & popcnt) == 0 || __get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return {};
  unsigned saved = 0, high = 0;
  __asm__ volatile("xgetbv" : "=a"(saved), "=d"(high) : "c"(0));
  constexpr unsigned ymm = 0x06, zmm = 0xe6;                         // bits of XCR0
  constexpr unsigned avx2 = 1u << 3 | 1u << 5 | 1u << 8;             // EBX: BMI1, AVX2, BMI2
  constexpr unsigned avx512 = 1u << 16 | 1u << 17 | 3u << 30;        // EBX: F, DQ, BW, VL
  constexpr unsigned further_avx512 = 1u << 1 | 1u << 6 | 1u << 14;  // ECX: VBMI, VBMI2, VPOPCNTDQ
  x86_features found;
  found.avx2 = (saved & ymm) == ymm && (b & avx2) == avx2;
  found.avx512 = found.avx2 && (saved & zmm) == zmm && (b & avx512) == avx512 && (c & further_avx512) == further_avx512;
  return found;
}

#endif

}  // namespace detail

/// Returns the name of a level: "portable", "sse2", "avx2", "avx512" or "neon".
[[nodiscard]] constexpr std::string_view to_string(instruction_set level) noexcept {
  for (const auto& one : detail::instruction_sets) {
    if (one.level == level) return one.name;
  }
  return "portable";
}

/// Returns true if this machine supports the level.
[[nodiscard]] inline bool is_available(instruction_set level) noexcept {
  switch (level) {
    case instruction_set::portable: return true;
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
    case instruction_set::sse2: return true;
    case instruction_set::avx2: return detail::read_x86_features().avx2;
    case instruction_set::avx512: return detail::read_x86_features().avx512;
#elif defined(__aarch64__) && (defined(__GNUC__) || defined(__clang__))
    case instruction_set::neon: return true;
#endif
    default: return false;
  }
}

namespace detail {

/// Returns the fastest level that this machine supports.
[[nodiscard]] inline instruction_set best_instruction_set() noexcept {
  static const instruction_set best = [] {
    instruction_set found = instruction_set::portable;
    for (const auto& one : instruction_sets) {
      if (is_available(one.level)) found = one.level;
    }
    return found;
  }();
  return best;
}

/// Returns the level that the environment variable NEARDUP_INSTRUCTION_SET names, if this machine supports that level.
/// Otherwise returns the fastest level. The function is not inlined, because a process calls it only once.
NEARDUP_NOINLINE inline instruction_set initial_instruction_set() noexcept {
  if (const char* const wanted = std::getenv("NEARDUP_INSTRUCTION_SET"); wanted != nullptr) {
    for (const auto& one : instruction_sets) {
      if (wanted == one.name && is_available(one.level)) return one.level;
    }
  }
  return best_instruction_set();
}

inline std::atomic<instruction_set>& current_instruction_set() noexcept {
  static std::atomic<instruction_set> level{initial_instruction_set()};
  return level;
}

}  // namespace detail

/// Returns the level that kernels use now. The result is the argument of the last call of set_instruction_set(). If
/// there was no call, the result is the level that the environment variable NEARDUP_INSTRUCTION_SET named at the first
/// use. If the variable named no level of this machine, the result is the fastest level.
[[nodiscard]] inline instruction_set active_instruction_set() noexcept {
  return detail::current_instruction_set().load(std::memory_order_relaxed);
}

/// Sets the level of all kernels, in all threads. Use this function for tests and measurements. Results do not depend
/// on the level.
/// Throws: std::invalid_argument if the machine does not support the level.
inline void set_instruction_set(instruction_set level) {
  if (!is_available(level)) {
    detail::fail<std::invalid_argument>({"this machine does not have the instruction set ", to_string(level)});
  }
  detail::current_instruction_set().store(level, std::memory_order_relaxed);
}

}  // namespace neardup::inline v0
