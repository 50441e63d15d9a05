// The words of normalised text, made in one pass: no text between, in which they would have to be found again.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "../../detail/bits.hpp"
#include "../../detail/instructions.hpp"
#include "../shingles.hpp"
#include "../unicode.hpp"
#include "normalise_blocks.hpp"
#include "text_blocks.hpp"

namespace neardup::inline v0::detail {

/// Where writing words stands in the text and in the result: the words one after the other, shingle_separator between.
struct word_join_cursor {
  /// What the result ends with: an open word of letters, a separator or nothing at all, or one open character.
  enum class tail : std::uint8_t { letters, separator, lone, han };

  const char* at;
  const char* end;  // of the text
  char* joined = nullptr;
  std::size_t size = 0;            // of what is joined, bytes
  std::uint32_t* begin = nullptr;  // of each word in it, that of the open one included
  std::uint32_t* close = nullptr;  // and its end
  std::size_t count = 0;           // of the words that are closed
  tail last = tail::separator;

  explicit word_join_cursor(std::string_view text) noexcept : at(text.data()), end(text.data() + text.size()) {}

  /// Ends the text.
  void finish() noexcept {
    if (last != tail::separator) close_word();
  }

  /// The most that the characters that begin in `bytes` bytes add to each, or overwrite.
  static constexpr std::size_t joined_room(std::size_t bytes) noexcept {
    return 2 * (bytes + text_block_size + 4) + 2 * text_block_size;
  }
  static constexpr std::size_t words_room(std::size_t bytes) noexcept { return bytes + 3 * text_block_size; }

  /// Ends the word that is open.
  NEARDUP_ALWAYS_INLINE void close_word() noexcept {
    close[count] = static_cast<std::uint32_t>(size);
    joined[size++] = shingle_separator;
    begin[++count] = static_cast<std::uint32_t>(size);
  }

  /// Takes back the end of the last word.
  NEARDUP_ALWAYS_INLINE void reopen_word() noexcept {
    --count;
    --size;
  }

  /// Ends a character that is a word, before text without marks.
  NEARDUP_ALWAYS_INLINE void leave_lone(bool has_letters) noexcept {
    // A gap does not part a Han character from a mark.
    if (last == tail::letters || last == tail::separator || (last == tail::han && !has_letters)) return;
    close_word();
    last = tail::separator;
  }
};

/// Joins the words of the characters that begin before `limit`.
inline void take_characters(word_join_cursor& cursor, const char* limit) noexcept {
  using tail = word_join_cursor::tail;
  word_join_cursor c = cursor;
  while (c.at < limit) {
    const normalised_character next = read_normalised(c.at, c.end);
    tail last = c.last;
    switch (next.kind) {
      case character_class::other:
        if (last == tail::letters || last == tail::lone) {
          c.close_word();
          c.last = tail::separator;
        }
        continue;
      case character_class::letter:
        if (last == tail::lone || last == tail::han) c.close_word();
        last = tail::letters;
        break;
      case character_class::mark:
        if (last == tail::separator) last = tail::letters;
        break;
      case character_class::lone:
      case character_class::han:
        if (last != tail::separator) c.close_word();
        last = next.kind == character_class::han ? tail::han : tail::lone;
        break;
    }
    std::memcpy(c.joined + c.size, next.bytes, sizeof next.bytes);
    c.size += next.length;
    c.last = last;
  }
  cursor = c;
}

/// Joins the words of a block of ASCII, of which `size` bytes count.
inline void take_ascii_block(word_join_cursor& cursor, const char* block, std::size_t size,
                             std::uint64_t word) noexcept {
  using tail = word_join_cursor::tail;
  word_join_cursor c = cursor;
  folded_block folded;
  folded.fold(block);
  word &= low_mask(size);
  c.leave_lone(word != 0);
  if (c.last == tail::letters && (word & 1U) == 0) {
    c.close_word();
    c.last = tail::separator;
  }
  if (word != 0) {
    std::size_t end = 0;
    for (std::uint64_t left = word; left != 0; left &= ~low_mask(end)) {
      const auto begin = static_cast<std::size_t>(std::countr_zero(left));
      end = static_cast<std::size_t>(std::countr_one(left | low_mask(begin)));
      folded.copy(begin, end, c.joined + c.size);
      c.size += end - begin;
      c.close_word();
    }
    if (end == size) c.reopen_word();
    c.last = end == size ? tail::letters : tail::separator;
  }
  c.at += size;
  cursor = c;
}

#if NEARDUP_X86_KERNELS
NEARDUP_KERNELS_BEGIN

/// Joins the words of the first `size` bytes of a block that the masks can tell.
NEARDUP_TARGET_AVX512 inline void join_mixed_avx512(const folded_block& lower, std::size_t size,
                                                    const normalise_masks& masks, word_join_cursor& c) noexcept {
  using tail = word_join_cursor::tail;
  const std::uint64_t all = low_mask(size);
  const std::uint64_t word = masks.word & all;
  const bool goes_on = c.last == tail::letters;
  std::uint64_t starts = (word & ~(word << 1 | (goes_on ? 1U : 0U))) | (masks.han_leads & all);
  const std::uint64_t stops = starts | ~(word | masks.han) | std::uint64_t{1} << size;
  std::size_t end = 0;
  if (goes_on) {
    end = static_cast<std::size_t>(std::countr_zero(stops));
    lower.copy(0, end, c.joined + c.size);
    c.size += end;
  }
  if (starts == 0) {
    // Nothing but separators from here on.
    if (end < size && c.last != tail::separator && c.last != tail::han) {
      c.close_word();
      c.last = tail::separator;
    }
    return;
  }
  if (c.last != tail::separator) c.close_word();
  std::size_t begin = 0;
  for (; starts != 0; starts &= starts - 1) {
    begin = static_cast<std::size_t>(std::countr_zero(starts));
    end = begin + 1 + static_cast<std::size_t>(std::countr_zero(stops >> begin >> 1));
    lower.copy(begin, end, c.joined + c.size);
    c.size += end - begin;
    c.close_word();
  }
  const bool is_han = (masks.han_leads >> begin & 1U) != 0;
  if (is_han || end == size) {
    c.reopen_word();
    c.last = is_han ? tail::han : tail::letters;
  } else {
    c.last = tail::separator;
  }
}

/// Joins the words of the characters that begin before `limit`, but stops at one that the masks cannot tell.
NEARDUP_TARGET_AVX512 inline void take_blocks_avx512(word_join_cursor& cursor, const char* limit) noexcept {
  using tail = word_join_cursor::tail;
  const __m512i separators = _mm512_set1_epi8(shingle_separator);
  word_join_cursor c = cursor;
  while (c.at < limit) {
    const auto left = static_cast<std::size_t>(c.end - c.at);
    std::size_t size = left < text_block_size ? left : text_block_size;
    const __m512i bytes =
        left < text_block_size ? _mm512_maskz_loadu_epi8(low_mask(size), c.at) : _mm512_loadu_si512(c.at);
    normalise_masks masks = ascii_masks_avx512(bytes);
    if (masks.known == ~std::uint64_t{0}) {
      c.leave_lone(masks.word != 0);
      // The first separator after a word ends it.
      const std::uint64_t after_word = masks.word << 1 | (c.last == tail::letters ? 1U : 0U);
      const std::uint64_t kept = (masks.word | after_word) & low_mask(size);
      const __m512i lower = lower_avx512(bytes, masks.upper);
      _mm512_storeu_si512(c.joined + c.size,
                          _mm512_maskz_compress_epi8(kept, _mm512_mask_mov_epi8(separators, masks.word, lower)));
      const std::uint64_t ends = _pext_u64(~masks.word, kept);
      const auto base = static_cast<std::uint32_t>(c.size);
      bit_positions_avx512(ends, base + 1, c.begin + c.count + 1);
      c.count += bit_positions_avx512(ends, base, c.close + c.count);
      c.size += static_cast<std::size_t>(std::popcount(kept));
      if (masks.word != 0) {
        c.last = masks.word >> (size - 1) != 0 ? tail::letters : tail::separator;
      } else if (c.last == tail::letters) {
        c.last = tail::separator;
      }
    } else {
      size = add_multibyte_avx512(bytes, size, masks);
      if (size == 0) break;
      folded_block lower;
      _mm512_store_si512(lower.bytes, lower_avx512(bytes, masks.upper));
      join_mixed_avx512(lower, size, masks, c);
    }
    c.at += size;
  }
  cursor = c;
}

NEARDUP_KERNELS_END
#endif  // NEARDUP_X86_KERNELS

}  // namespace neardup::inline v0::detail
