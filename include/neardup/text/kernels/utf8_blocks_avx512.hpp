// SPDX-License-Identifier: MIT
// Validates UTF-8 and finds where code points begin, by AVX-512.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../simd/forms.hpp"
#include "text_blocks_avx512.hpp"
#include "utf8_blocks_portable.hpp"

#if NEARDUP_X86_KERNELS

namespace neardup::inline v0::detail {

NEARDUP_AVX512_BEGIN

inline __m512i utf8_lookup_avx512(const utf8_table& table) noexcept {
  return _mm512_broadcast_i32x4(_mm_load_si128(reinterpret_cast<const __m128i*>(table.errors)));
}

/// are_well_formed_avx2 by AVX-512.
inline bool are_well_formed_avx512(const char* bytes, std::size_t count) noexcept {
  const __m512i half = _mm512_set1_epi8(0x0f);
  const auto upper = [&](__m512i x) { return _mm512_and_si512(_mm512_srli_epi16(x, 4), half); };
  const __m512i first_high = utf8_lookup_avx512(first_high_errors);
  const __m512i first_low = utf8_lookup_avx512(first_low_errors);
  const __m512i second_high = utf8_lookup_avx512(second_high_errors);
  const char* const end = bytes + text_block_size * count;
  for (const char* at = bytes; at != end; at += 64) {
    const __m512i now = _mm512_loadu_si512(at);
    const __m512i before_3 = _mm512_loadu_si512(at - 3);
    if (_mm512_movepi8_mask(_mm512_or_si512(now, before_3)) == 0) continue;
    const __m512i before_1 = _mm512_loadu_si512(at - 1);
    const __m512i pairs = _mm512_ternarylogic_epi64(_mm512_shuffle_epi8(first_high, upper(before_1)),
                                                    _mm512_shuffle_epi8(first_low, _mm512_and_si512(before_1, half)),
                                                    _mm512_shuffle_epi8(second_high, upper(now)), 0x80);  // a & b & c
    const __m512i third = _mm512_subs_epu8(_mm512_loadu_si512(at - 2), _mm512_set1_epi8(0xe0 - 0x80));
    const __m512i fourth = _mm512_subs_epu8(before_3, _mm512_set1_epi8(0xf0 - 0x80));
    const __m512i expected = _mm512_ternarylogic_epi64(third, fourth, _mm512_set1_epi8(-0x80), 0xa8);  // (a | b) & c
    if (_mm512_cmpneq_epi64_mask(pairs, expected) != 0) return false;
  }
  return true;
}
NEARDUP_END

inline bool is_well_formed_avx512(std::string_view text) noexcept {
  return is_well_formed_by(are_well_formed_avx512, text);
}

NEARDUP_AVX512_BEGIN

inline std::size_t find_code_points_avx512(const char* text, std::size_t count, std::uint32_t base,
                                           std::uint32_t* places) noexcept {
  std::uint32_t* out = places;
  for (std::size_t i = 0; i < text_block_size * count; i += text_block_size) {
    const __mmask64 starts = _mm512_cmpgt_epi8_mask(_mm512_loadu_si512(text + i), _mm512_set1_epi8(-0x41));
    out += bit_positions_avx512(starts, base + static_cast<std::uint32_t>(i), out);
  }
  return static_cast<std::size_t>(out - places);
}
NEARDUP_END

constexpr auto is_well_formed_of(avx512_form) noexcept { return is_well_formed_avx512; }
constexpr auto find_code_points_of(avx512_form) noexcept { return find_code_points_avx512; }

}  // namespace neardup::inline v0::detail

#endif  // NEARDUP_X86_KERNELS
