// SPDX-License-Identifier: MIT
// Validates UTF-8 and finds where code points begin, a vector of bytes at a time. Cycles per byte of Chinese on a Zen
// 5: validation 0.09 (AVX-512) and 0.15 (AVX2); listing code points 0.10 (AVX-512), 0.27 (AVX2) and 1.2 (portable). On
// a Zen 4, portable validation takes 0.4; a table-driven automaton, byte by byte, took 1.0 to 1.3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../instruction_set.hpp"
#include "../../simd/forms.hpp"
#include "utf8_blocks_avx2.hpp"
#include "utf8_blocks_avx512.hpp"
#include "utf8_blocks_neon.hpp"
#include "utf8_blocks_portable.hpp"
#include "utf8_blocks_sse2.hpp"

namespace neardup::inline v0::detail {

#if NEARDUP_X86_KERNELS
using utf8_block_baseline = utf8_block_sse2;
#elif NEARDUP_BASELINE_KERNELS
using utf8_block_baseline = utf8_block_portable;
#endif

/// Returns true if a text is well-formed UTF-8: count_invalid(text) == 0.
inline bool is_well_formed(std::string_view text, instruction_set level) noexcept {
  return choose_form(level, [&](auto form) { return is_well_formed_of(form)(text); });
}

/// Calls the version of find_code_points_portable for an instruction set.
inline std::size_t find_code_points(const char* text, std::size_t count, std::uint32_t base, std::uint32_t* places,
                                    instruction_set level) noexcept {
  return choose_form(level, [&](auto form) { return find_code_points_of(form)(text, count, base, places); });
}

}  // namespace neardup::inline v0::detail
