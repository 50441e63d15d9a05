// SPDX-License-Identifier: MIT
// Joins the words of a block by NEON.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "../../detail/bits.hpp"
#include "../../simd/forms.hpp"
#include "../shingles.hpp"
#include "joined_words_portable.hpp"
#include "text_blocks_neon.hpp"
#include "word_runs.hpp"

#if NEARDUP_NEON_KERNELS

namespace neardup::inline v0::detail {

/// Joins words without Han characters: copies runs of words with one separator between them, rather than word by word.
/// Precondition: size > 0; 128 bytes of the block are readable.
NEARDUP_ALWAYS_INLINE void join_letters_neon(word_join_cursor& cursor, const char* block, std::size_t size,
                                             std::uint64_t word) noexcept {
  cursor.leave_lone();
  const std::uint64_t all = low_mask(size);
  word &= all;
  // The first separator behind a word ends it; the others are dropped.
  const std::uint64_t after_word = word << 1 | (cursor.last == word_run::letters ? 1U : 0U);
  const std::uint64_t ends = after_word & ~word & all;
  cursor.last = (word >> (size - 1) & 1U) != 0 ? word_run::letters : word_run::none;
  // Local copies stay in registers: the compiler must assume that stores change the members.
  char* const joined = cursor.joined;
  std::uint32_t* close = cursor.close + cursor.count;
  std::uint32_t* begin = cursor.begin + cursor.count + 1;
  auto joined_size = static_cast<std::uint32_t>(cursor.size);
  for (std::uint64_t kept = (word | after_word) & all; kept != 0;) {
    const std::uint64_t others = kept & (kept + (kept & (0 - kept)));  // the carry clears the first run
    const std::uint64_t run = kept ^ others;
    kept = others;
    const int first = std::countr_zero(run);
    std::memcpy(joined + joined_size, block + first, text_block_size);
    const std::uint32_t offset = joined_size - static_cast<std::uint32_t>(first);
    for (std::uint64_t left = ends & run; left != 0; left &= left - 1) {
      const std::uint32_t end = offset + static_cast<std::uint32_t>(std::countr_zero(left));
      joined[end] = shingle_separator;
      *close++ = end;
      *begin++ = end + 1;
    }
    joined_size += static_cast<std::uint32_t>(64 - std::countl_zero(run) - first);
  }
  cursor.size = joined_size;
  cursor.count = static_cast<std::size_t>(close - cursor.close);
}

/// Appends `count` Han characters, each of which is a word. Writes four characters at a time, so it may write up to four
/// characters beyond the last.
NEARDUP_ALWAYS_INLINE void join_han_neon(word_join_cursor& c, const char* characters, std::size_t count) noexcept {
  static constexpr std::array<std::uint8_t, 16> spread = {0, 1, 2, 255, 3, 4, 5, 255, 6, 7, 8, 255, 9, 10, 11, 255};
  static constexpr std::array<std::uint32_t, 4> ends = {3, 7, 11, 15};
  const uint32x4_t separators = vdupq_n_u32(std::uint32_t{shingle_separator} << 24);
  uint32x4_t close = vaddq_u32(vdupq_n_u32(static_cast<std::uint32_t>(c.size)), vld1q_u32(ends.data()));
  for (std::size_t i = 0; i < count; i += 4) {
    const uint8x16_t four =
        vqtbl1q_u8(vld1q_u8(reinterpret_cast<const std::uint8_t*>(characters + 3 * i)), vld1q_u8(spread.data()));
    vst1q_u8(reinterpret_cast<std::uint8_t*>(c.joined + c.size + 4 * i),
             vorrq_u8(four, vreinterpretq_u8_u32(separators)));
    vst1q_u32(c.close + c.count + i, close);
    vst1q_u32(c.begin + c.count + i + 1, vaddq_u32(close, vdupq_n_u32(1)));
    close = vaddq_u32(close, vdupq_n_u32(16));
  }
  c.size += 4 * count;
  c.count += count;
}

/// join_block() by NEON: the same words. Precondition: 128 bytes of the block are readable.
NEARDUP_ALWAYS_INLINE void join_mixed_neon(word_join_cursor& cursor, const char* block, std::size_t size,
                                           const character_masks& masks) noexcept {
  word_join_cursor c = cursor;
  const std::uint64_t word = masks.word & low_mask(size);
  const std::uint64_t han = masks.han & low_mask(size);
  c.leave_lone();
  if (c.last == word_run::letters && (word & 1U) == 0) {
    c.close_word();
    c.last = word_run::none;
  }
  for (std::uint64_t begins = (word & ~(word << 1)) | (han & ~(han << 1)); begins != 0; begins &= begins - 1) {
    const auto begin = static_cast<std::size_t>(std::countr_zero(begins));
    const bool is_han = (han >> begin & 1U) != 0;
    const auto bytes = static_cast<std::size_t>(std::countr_one((is_han ? han : word) >> begin));
    if (is_han) {
      join_han_neon(c, block + begin, bytes / 3);
    } else {
      std::memcpy(c.joined + c.size, block + begin, text_block_size);
      c.size += bytes;
      c.close_word();
    }
  }
  if (const std::uint64_t kept = word | han; kept != 0) {
    // The last word stays open if the next block may continue it.
    const bool is_open = (kept >> (size - 1) & 1U) != 0;
    if (is_open) c.reopen_word();
    c.last = !is_open ? word_run::none : (han >> (size - 1) & 1U) != 0 ? word_run::lone : word_run::letters;
  }
  cursor = c;
}

/// Joins the words of the first `size` bytes of a block. Precondition: size > 0; the masks cover their characters.
NEARDUP_ALWAYS_INLINE void take_block(neon_form /*form*/, word_join_cursor& cursor, const char* block, std::size_t size,
                                      const character_masks& masks) noexcept {
  alignas(16) char bytes[2 * text_block_size];  // so that whole vectors can be read from any position
  const uint8x16_t bit = vdupq_n_u8(cursor.form == word_form::as_written ? 0 : 0x20);
  const auto fold = [&](std::size_t i) {
    const uint8x16_t part = vld1q_u8(reinterpret_cast<const std::uint8_t*>(block + i));
    const uint8x16_t lower = vorrq_u8(part, vandq_u8(block_neon::is_in(part, 'A', 'Z'), bit));
    vst1q_u8(reinterpret_cast<std::uint8_t*>(bytes + i), lower);
  };
  fold(0);
  fold(16);
  fold(32);
  fold(48);
  std::memset(bytes + text_block_size, 0, text_block_size);
  if (cursor.form == word_form::normalised) {
    for (std::uint64_t upper = masks.upper; upper != 0; upper &= upper - 1) bytes[std::countr_zero(upper)] |= 0x20;
  }
  if (masks.han_leads == 0) {
    join_letters_neon(cursor, bytes, size, masks.word);
  } else {
    join_mixed_neon(cursor, bytes, size, masks);
  }
  cursor.at += size;
}

}  // namespace neardup::inline v0::detail

#endif  // NEARDUP_NEON_KERNELS
