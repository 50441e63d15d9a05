// SPDX-License-Identifier: MIT
// Validates UTF-8 and finds where code points begin, by AVX2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../simd/forms.hpp"
#include "text_blocks_avx2.hpp"
#include "utf8_blocks_portable.hpp"

#if NEARDUP_X86_KERNELS

namespace neardup::inline v0::detail {

NEARDUP_AVX2_BEGIN

inline __m256i utf8_lookup_avx2(const utf8_table& table) noexcept {
  return _mm256_broadcastsi128_si256(_mm_load_si128(reinterpret_cast<const __m128i*>(table.errors)));
}

/// Validates `count` blocks of 64 bytes. Returns: false if they have an error. An incomplete sequence at the end is not
/// an error. Reads three bytes before the first block.
inline bool are_well_formed_avx2(const char* bytes, std::size_t count) noexcept {
  const auto load = [](const char* from) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)); };
  const __m256i half = _mm256_set1_epi8(0x0f);
  const auto upper = [&](__m256i x) { return _mm256_and_si256(_mm256_srli_epi16(x, 4), half); };
  const __m256i first_high = utf8_lookup_avx2(first_high_errors);
  const __m256i first_low = utf8_lookup_avx2(first_low_errors);
  const __m256i second_high = utf8_lookup_avx2(second_high_errors);
  const char* const end = bytes + text_block_size * count;
  for (const char* at = bytes; at != end; at += 32) {
    const __m256i now = load(at);
    const __m256i before_3 = load(at - 3);
    if (_mm256_movemask_epi8(_mm256_or_si256(now, before_3)) == 0) continue;
    const __m256i before_1 = load(at - 1);
    const __m256i pairs =
        _mm256_and_si256(_mm256_and_si256(_mm256_shuffle_epi8(first_high, upper(before_1)),
                                          _mm256_shuffle_epi8(first_low, _mm256_and_si256(before_1, half))),
                         _mm256_shuffle_epi8(second_high, upper(now)));
    const __m256i third = _mm256_subs_epu8(load(at - 2), _mm256_set1_epi8(0xe0 - 0x80));
    const __m256i fourth = _mm256_subs_epu8(before_3, _mm256_set1_epi8(0xf0 - 0x80));
    const __m256i expected = _mm256_and_si256(_mm256_or_si256(third, fourth), _mm256_set1_epi8(-0x80));
    const __m256i errors = _mm256_xor_si256(pairs, expected);
    if (_mm256_testz_si256(errors, errors) == 0) return false;
  }
  return true;
}
NEARDUP_END

inline bool is_well_formed_avx2(std::string_view text) noexcept {
  return is_well_formed_by(are_well_formed_avx2, text);
}

NEARDUP_AVX2_BEGIN

inline std::size_t find_code_points_avx2(const char* text, std::size_t count, std::uint32_t base,
                                         std::uint32_t* places) noexcept {
  const auto starts = [](const char* bytes) {
    const __m256i begins =
        _mm256_cmpgt_epi8(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes)), _mm256_set1_epi8(-0x41));
    return std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(begins))};
  };
  std::uint32_t* out = places;
  for (std::size_t i = 0; i < text_block_size * count; i += text_block_size) {
    const std::uint64_t mask = starts(text + i) | starts(text + i + 32) << 32;
    out += bit_positions_avx2(mask, base + static_cast<std::uint32_t>(i), out);
  }
  return static_cast<std::size_t>(out - places);
}
NEARDUP_END

constexpr auto is_well_formed_of(avx2_form) noexcept { return is_well_formed_avx2; }
constexpr auto find_code_points_of(avx2_form) noexcept { return find_code_points_avx2; }

}  // namespace neardup::inline v0::detail

#endif  // NEARDUP_X86_KERNELS
