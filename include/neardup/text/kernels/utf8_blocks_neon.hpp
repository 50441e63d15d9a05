// SPDX-License-Identifier: MIT
// Validates UTF-8 by NEON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../simd/forms.hpp"
#include "utf8_blocks_portable.hpp"

#if NEARDUP_NEON_KERNELS

namespace neardup::inline v0::detail {

/// The NEON version of are_well_formed_avx2.
inline bool are_well_formed_neon(const char* bytes, std::size_t count) noexcept {
  const auto load = [](const char* from) { return vld1q_u8(reinterpret_cast<const std::uint8_t*>(from)); };
  const uint8x16_t first_high = vld1q_u8(first_high_errors.errors);
  const uint8x16_t first_low = vld1q_u8(first_low_errors.errors);
  const uint8x16_t second_high = vld1q_u8(second_high_errors.errors);
  const char* const end = bytes + text_block_size * count;
  for (const char* at = bytes; at != end; at += text_block_size) {
    uint8x16_t some = load(at - 3);  // reaches the first 13 bytes
    for (std::size_t i = 0; i < text_block_size; i += 16) some = vorrq_u8(some, load(at + i));
    if (vmaxvq_u8(some) < 0x80) continue;
    uint8x16_t errors = vdupq_n_u8(0);
    for (std::size_t i = 0; i < text_block_size; i += 16) {
      const uint8x16_t now = load(at + i), before_1 = load(at + i - 1);
      const uint8x16_t pairs = vandq_u8(vandq_u8(vqtbl1q_u8(first_high, vshrq_n_u8(before_1, 4)),
                                                 vqtbl1q_u8(first_low, vandq_u8(before_1, vdupq_n_u8(0x0f)))),
                                        vqtbl1q_u8(second_high, vshrq_n_u8(now, 4)));
      const uint8x16_t third = vcgeq_u8(load(at + i - 2), vdupq_n_u8(0xe0));
      const uint8x16_t fourth = vcgeq_u8(load(at + i - 3), vdupq_n_u8(0xf0));
      const uint8x16_t expected = vandq_u8(vorrq_u8(third, fourth), vdupq_n_u8(0x80));
      errors = vorrq_u8(errors, veorq_u8(pairs, expected));
    }
    if (vmaxvq_u8(errors) != 0) return false;
  }
  return true;
}

inline bool is_well_formed_neon(std::string_view text) noexcept {
  return is_well_formed_by(are_well_formed_neon, text);
}

constexpr auto is_well_formed_of(neon_form) noexcept { return is_well_formed_neon; }

}  // namespace neardup::inline v0::detail

#endif  // NEARDUP_NEON_KERNELS
