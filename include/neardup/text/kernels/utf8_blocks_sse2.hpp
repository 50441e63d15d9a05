// SPDX-License-Identifier: MIT
// Validates UTF-8 by SSE2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../simd/forms.hpp"
#include "utf8_blocks_portable.hpp"

#if NEARDUP_X86_KERNELS

namespace neardup::inline v0::detail {

/// utf8_block_portable by SSE2.
struct utf8_block_sse2 {
  static utf8_rare_bits rare_bits_of(const char* block) noexcept {
    utf8_rare_bits bits{};
    for (std::size_t i = 0; i < text_block_size; i += 16) {
      const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + i));
      bits.thirds |= tops_of(_mm_slli_epi16(bytes, 2)) << i;
      bits.fourths |= tops_of(_mm_cmpeq_epi8(_mm_max_epu8(bytes, _mm_set1_epi8(-0x10)), bytes)) << i;
      bits.overlong |= tops_of(_mm_cmpeq_epi8(_mm_and_si128(bytes, _mm_set1_epi8(-2)), _mm_set1_epi8(-0x40))) << i;
      bits.e0 |= tops_of(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(-0x20))) << i;
      bits.ed |= tops_of(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(-0x13))) << i;
    }
    return bits;
  }

  /// PMOVMSKB collects the highest bits of 16 bytes. For the second highest bits, each byte is doubled first.
  static NEARDUP_ALWAYS_INLINE utf8_bits bits_of(const char* block) noexcept {
    const __m128i ed = _mm_set1_epi8(-0x13);
    utf8_bits bits{};
    // After the highest two bits are flipped, lead bytes of two-byte sequences and 0xe0 are the lowest values, 0 to
    // 0x20.
    __m128i lowest = _mm_set1_epi8(-1);
    __m128i highest = _mm_setzero_si128();
    __m128i equal = _mm_setzero_si128();
    for (std::size_t i = 0; i < text_block_size; i += 16) {
      const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + i));
      bits.tops |= tops_of(bytes) << i;
      bits.seconds |= tops_of(_mm_add_epi8(bytes, bytes)) << i;
      lowest = _mm_min_epu8(lowest, _mm_xor_si128(bytes, _mm_set1_epi8(-0x40)));
      highest = _mm_max_epu8(highest, bytes);
      equal = _mm_or_si128(equal, _mm_cmpeq_epi8(bytes, ed));
    }
    const __m128i is_low = _mm_cmpeq_epi8(_mm_min_epu8(lowest, _mm_set1_epi8(0x20)), lowest);
    const __m128i is_high = _mm_cmpeq_epi8(_mm_max_epu8(highest, _mm_set1_epi8(-0x10)), highest);
    bits.is_rare = _mm_movemask_epi8(_mm_or_si128(equal, _mm_or_si128(is_low, is_high))) != 0;
    return bits;
  }

 private:
  static std::uint64_t tops_of(__m128i x) noexcept { return static_cast<std::uint32_t>(_mm_movemask_epi8(x)); }
};
inline bool is_well_formed_sse2(std::string_view text) noexcept {
  return is_well_formed_by_bits<utf8_block_sse2>(text);
}

constexpr auto is_well_formed_of(baseline_form) noexcept { return is_well_formed_sse2; }

}  // namespace neardup::inline v0::detail

#endif  // NEARDUP_X86_KERNELS
