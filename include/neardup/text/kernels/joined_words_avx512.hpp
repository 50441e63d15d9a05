// SPDX-License-Identifier: MIT
// Joins the words of blocks by AVX-512.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "../../detail/bits.hpp"
#include "../../simd/forms.hpp"
#include "../shingles.hpp"
#include "joined_words_portable.hpp"
#include "normalise_blocks.hpp"
#include "text_blocks.hpp"
#include "word_runs.hpp"

#if NEARDUP_X86_KERNELS

namespace neardup::inline v0::detail {

NEARDUP_AVX512_BEGIN

/// Joins the words of the first `size` bytes of a block of mixed scripts, in lower case, without branches. Each byte is
/// paired with a separator; VPCOMPRESSB keeps the bytes of words, and the separator behind the last byte of each word.
/// Precondition: the masks cover these bytes.
NEARDUP_ALWAYS_INLINE void join_mixed_avx512(__m512i lower, std::size_t size, const character_masks& masks,
                                             word_join_cursor& c) noexcept {
  const std::uint64_t word = masks.word & low_mask(size);
  const std::uint64_t kept = word | (masks.han & low_mask(size));
  // No branches here, because they would be mispredicted in mixed scripts.
  const unsigned goes_on = unsigned{c.last == word_run::letters} & static_cast<unsigned>(word);
  const unsigned closes = unsigned{c.last != word_run::none} & ~goes_on;
  c.close[c.count] = static_cast<std::uint32_t>(c.size);
  c.joined[c.size] = shingle_separator;
  c.size += closes;
  c.begin[c.count + 1] = static_cast<std::uint32_t>(c.size);
  c.count += closes;
  if (kept == 0) {
    c.last = word_run::none;
    return;
  }
  std::uint64_t ends = (word & ~(word >> 1)) | (masks.han_leads << 2 & masks.han & low_mask(size));
  // The last word stays open if the next block may continue it.
  const auto last = static_cast<std::size_t>(63 - std::countl_zero(kept));
  const std::uint64_t is_han = masks.han >> last & 1U;
  const std::uint64_t is_open{last == size - 1};
  ends ^= is_open << last;
  constexpr word_run runs[2][2] = {{word_run::none, word_run::letters}, {word_run::none, word_run::lone}};
  c.last = runs[is_han][is_open];

  // The separator of word i is preceded by the bytes of words 0 to i, and by i separators.
  const __m512i places = _mm512_maskz_compress_epi8(_pext_u64(ends, kept), _mm512_load_si512(byte_indices.data()));
  const __m512i numbers = _mm512_cvtepu8_epi32(_mm_load_si128(reinterpret_cast<const __m128i*>(byte_indices.data())));
  const __m512i one = _mm512_set1_epi32(1);
  const auto write = [&](std::uint32_t i, __m128i part) {
    const __m512i offset = _mm512_add_epi32(numbers, _mm512_set1_epi32(static_cast<int>(c.size + i + 1)));
    const __m512i close = _mm512_add_epi32(_mm512_cvtepu8_epi32(part), offset);
    _mm512_storeu_si512(c.close + c.count + i, close);
    _mm512_storeu_si512(c.begin + c.count + i + 1, _mm512_add_epi32(close, one));
  };
  // A block of 64 bytes has at most 32 words.
  write(0, _mm512_castsi512_si128(places));
  write(16, _mm512_extracti32x4_epi32(places, 1));
  c.count += static_cast<std::size_t>(std::popcount(ends));

  const auto join = [&](__m256i bytes, std::uint32_t kept_bytes, std::uint32_t last_bytes) {
    const __m512i pairs = _mm512_or_si512(_mm512_cvtepu8_epi16(bytes), _mm512_set1_epi16(shingle_separator << 8));
    const std::uint64_t chosen =
        _pdep_u64(kept_bytes, 0x5555555555555555U) | _pdep_u64(last_bytes, 0xaaaaaaaaaaaaaaaaU);
    _mm512_storeu_si512(c.joined + c.size, _mm512_maskz_compress_epi8(chosen, pairs));
    c.size += static_cast<std::size_t>(std::popcount(chosen));
  };
  join(_mm512_castsi512_si256(lower), static_cast<std::uint32_t>(kept), static_cast<std::uint32_t>(ends));
  join(_mm512_extracti64x4_epi64(lower, 1), static_cast<std::uint32_t>(kept >> 32),
       static_cast<std::uint32_t>(ends >> 32));
}

/// A bit mask of the bytes that belong to soft hyphens.
NEARDUP_ALWAYS_INLINE std::uint64_t soft_hyphens_avx512(__m512i bytes) noexcept {
  const auto equal = [&](unsigned char value) {
    return std::uint64_t{_mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(static_cast<char>(value)))};
  };
  const std::uint64_t leads = equal(0xc2) & equal(0xad) >> 1;
  return leads | leads << 1;
}

/// Joins the words of a block of `size` bytes of ASCII. Precondition: size > 0; the bytes of the block from `size` on
/// are 0.
NEARDUP_ALWAYS_INLINE void join_ascii_avx512(__m512i bytes, std::size_t size, const character_masks& masks,
                                             word_join_cursor& c) noexcept {
  c.leave_lone();
  // The first separator behind a word ends the word.
  const std::uint64_t after_word = masks.word << 1 | (c.last == word_run::letters ? 1U : 0U);
  const std::uint64_t kept = (masks.word | after_word) & low_mask(size);
  const __m512i lower = lower_avx512(bytes, masks.upper);
  const __m512i separators = _mm512_set1_epi8(shingle_separator);
  _mm512_storeu_si512(c.joined + c.size,
                      _mm512_maskz_compress_epi8(kept, _mm512_mask_mov_epi8(separators, masks.word, lower)));
  const std::uint64_t ends = _pext_u64(~masks.word, kept);
  const auto base = static_cast<std::uint32_t>(c.size);
  bit_positions_avx512(ends, base + 1, c.begin + c.count + 1);
  c.count += bit_positions_avx512(ends, base, c.close + c.count);
  c.size += static_cast<std::size_t>(std::popcount(kept));
  if (masks.word != 0) {
    c.last = masks.word >> (size - 1) != 0 ? word_run::letters : word_run::none;
  } else {
    c.last = word_run::none;
  }
}

/// Joins the words of the characters that begin before `limit`. Stops at a character that the masks do not cover.
inline void take_blocks_avx512(word_join_cursor& cursor, const char* limit) noexcept {
  word_join_cursor c = cursor;
  while (c.at < limit) {
    const auto left = static_cast<std::size_t>(c.end - c.at);
    std::size_t size = left < text_block_size ? left : text_block_size;
    const __m512i bytes = load_block_avx512(c.at, size);
    character_masks masks = ascii_masks_avx512(bytes);
    if (c.form == word_form::as_written) masks.upper = 0;
    if (masks.known == ~std::uint64_t{0}) {
      join_ascii_avx512(bytes, size, masks, c);
      c.at += size;
      continue;
    }
    if (const std::uint64_t hyphens = soft_hyphens_avx512(bytes); hyphens != 0) {
      // Drops the soft hyphens of the block. Usually all other bytes of such a block are ASCII.
      const std::uint64_t rest = low_mask(size) & ~hyphens;
      const __m512i without = _mm512_maskz_compress_epi8(rest, bytes);
      character_masks ascii = ascii_masks_avx512(without);
      if (ascii.known == ~std::uint64_t{0} && rest != 0) {
        if (c.form == word_form::as_written) ascii.upper = 0;
        join_ascii_avx512(without, static_cast<std::size_t>(std::popcount(rest)), ascii, c);
        c.at += size;
        continue;
      }
    }
    const std::uint64_t upper = masks.upper;
    size = add_multibyte_avx512(bytes, size, masks);
    if (size == 0) break;
    if (c.form != word_form::normalised) masks.upper = upper;
    join_mixed_avx512(lower_avx512(bytes, masks.upper), size, masks, c);
    c.at += size;
  }
  cursor = c;
}
NEARDUP_END

}  // namespace neardup::inline v0::detail

#endif  // NEARDUP_X86_KERNELS
