// SPDX-License-Identifier: MIT
// Masks of blocks of 64 bytes by AVX2.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "../../simd/forms.hpp"
#include "text_blocks_portable.hpp"

#if NEARDUP_X86_KERNELS

namespace neardup::inline v0::detail {

NEARDUP_AVX2_BEGIN

/// Writes `base` plus the position of each set bit of `mask` to `out`, by a table for eight bits at a time, without a
/// branch. Precondition: `out` has room for 71 numbers. Returns: the number of set bits.
inline std::size_t bit_positions_avx2(std::uint64_t mask, std::uint32_t base, std::uint32_t* out) noexcept {
  std::size_t count = 0;
  for (std::uint32_t i = 0; i < text_block_size; i += 8) {
    const std::uint64_t byte = mask >> i & 0xffU;
    const __m128i positions = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(set_bits_of[byte].positions));
    _mm256_storeu_si256(
        reinterpret_cast<__m256i*>(out + count),
        _mm256_add_epi32(_mm256_cvtepu8_epi32(positions), _mm256_set1_epi32(static_cast<int>(base + i))));
    count += static_cast<std::size_t>(std::popcount(byte));
  }
  return count;
}
NEARDUP_END

constexpr auto bit_positions_of(avx2_form) noexcept { return bit_positions_avx2; }

NEARDUP_AVX2_BEGIN

/// find_masks_portable by AVX2. The masks also cover Latin-1; `upper` has only upper-case letters beyond ASCII.
/// Returns: the number of bytes before the first character that the masks do not cover; at most `size`.
inline std::size_t find_masks_avx2(const char* text, std::size_t size, character_masks& masks) noexcept {
  const __m256i first = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text));
  const __m256i second = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text + 32));
  const auto bits = [](__m256i low, __m256i high) {
    const std::uint64_t upper_half = static_cast<std::uint32_t>(_mm256_movemask_epi8(high));
    return static_cast<std::uint32_t>(_mm256_movemask_epi8(low)) | upper_half << 32;
  };
  const auto is_in = [](__m256i bytes, unsigned char least, unsigned char most) {
    const __m256i offset = _mm256_sub_epi8(bytes, _mm256_set1_epi8(static_cast<char>(least)));
    return _mm256_cmpeq_epi8(_mm256_min_epu8(offset, _mm256_set1_epi8(static_cast<char>(most - least))), offset);
  };
  const auto is_word = [&](__m256i bytes) {
    const __m256i letter = is_in(_mm256_or_si256(bytes, _mm256_set1_epi8(0x20)), 'a', 'z');
    return _mm256_or_si256(letter, is_in(bytes, '0', '9'));
  };
  masks = {bits(is_word(first), is_word(second)), 0, 0, 0, ~bits(first, second)};
  if (masks.known == ~std::uint64_t{0}) return size;
  const auto equal = [&](unsigned char value) {
    const __m256i values = _mm256_set1_epi8(static_cast<char>(value));
    return bits(_mm256_cmpeq_epi8(first, values), _mm256_cmpeq_epi8(second, values));
  };
  const auto range = [&](unsigned char least, unsigned char most) {
    return bits(is_in(first, least, most), is_in(second, least, most));
  };
  const __m256i min_lead = _mm256_set1_epi8(-0x40);
  const std::uint64_t continuation = bits(_mm256_cmpgt_epi8(min_lead, first), _mm256_cmpgt_epi8(min_lead, second));
  // Separators: U+2000 to U+203F except ignored characters and a pictograph; U+3000 to U+303F and U+FF00 to U+FF3F
  // except digits and letters.
  const std::uint64_t second_80 = equal(0x80) >> 1;
  const std::uint64_t ideographic = range(0x80, 0x84) | range(0x88, 0xa0);
  const std::uint64_t wide = range(0x90, 0x99) | range(0xa1, 0xba);
  const std::uint64_t han = range(0xe4, 0xe9) & ~(equal(0xe4) & equal(0xb7) >> 1);
  std::uint64_t general = equal(0xe2) & second_80;
  if (general != 0) general &= ~((range(0x8b, 0x8f) | range(0xaa, 0xae) | equal(0xbc)) >> 2);
  const std::uint64_t three =
      general | (equal(0xe3) & second_80 & ideographic >> 2) | (equal(0xef) & equal(0xbc) >> 1 & ~(wide >> 2));
  masks.add_three(three | han, han, continuation >> 1 & continuation >> 2);
  const std::uint64_t c2 = equal(0xc2);
  const std::uint64_t c3 = equal(0xc3);
  if ((c2 | c3) != 0) {
    std::uint64_t letters = 0;
    for (std::uint64_t left = c2 << 1; left != 0; left &= left - 1) {
      const int i = std::countr_zero(left);
      letters |= std::uint64_t{latin_letters[static_cast<unsigned char>(text[i]) & 0x3fU] & 1U} << i;
    }
    masks.add_latin({continuation, c2, c3, letters, equal(0x97), equal(0xb7), equal(0xad), range(0x80, 0x9e)});
  }
  return masks.known_bytes(continuation, size);
}

/// take_blocks_by_words with AVX2.
template <class Cursor>
void take_blocks_avx2(Cursor& cursor, const char* limit) noexcept {
  take_blocks_by_words(avx2_form{}, cursor, limit, find_masks_avx2);
}
NEARDUP_END

template <class Cursor>
constexpr auto take_blocks_of(avx2_form) noexcept {
  return take_blocks_avx2<Cursor>;
}

}  // namespace neardup::inline v0::detail

#endif  // NEARDUP_X86_KERNELS
