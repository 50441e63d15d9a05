// SPDX-License-Identifier: MIT
// Joins the words of a block, and the words of single characters: the state, and the portable form.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "../../detail/bits.hpp"
#include "../../simd/forms.hpp"
#include "../shingles.hpp"
#include "../tokenizer.hpp"
#include "../unicode.hpp"
#include "normalise_blocks.hpp"
#include "text_blocks.hpp"
#include "word_runs.hpp"

namespace neardup::inline v0::detail {

/// The state of joining: the position in the text; and the output, where shingle_separator ends each word.
struct word_join_cursor {
  static constexpr bool copies_characters = true;  // no positions in the text: see take_without_soft_hyphen()
  const char* at = nullptr;
  const char* end = nullptr;  // the end of the text
  char* joined = nullptr;
  std::size_t size = 0;            // bytes in joined
  std::uint32_t* begin = nullptr;  // the beginning of each word, including the open one
  std::uint32_t* close = nullptr;  // the end of each word
  std::size_t count = 0;           // the number of closed words
  word_form form = word_form::as_written;
  word_run last = word_run::none;  // the kind of word that is open at the end of the output
  const char* text = nullptr;      // the beginning of the current text
  char before = '\0';              // the keycap_sign() of the text before `text`

  /// The greatest number of bytes of the output that may be written for the characters that begin in `bytes` bytes of
  /// text.
  static constexpr std::size_t joined_room(std::size_t bytes) noexcept {
    return 2 * (bytes + text_block_size + 4) + 2 * text_block_size;
  }
  static constexpr std::size_t words_room(std::size_t bytes) noexcept { return bytes + 3 * text_block_size; }

  /// Closes the open word: writes its separator.
  NEARDUP_ALWAYS_INLINE void close_word() noexcept {
    close[count] = static_cast<std::uint32_t>(size);
    joined[size++] = shingle_separator;
    begin[++count] = static_cast<std::uint32_t>(size);
  }

  /// Reopens the word that was closed last.
  NEARDUP_ALWAYS_INLINE void reopen_word() noexcept {
    --count;
    --size;
  }

  /// Closes an open word that does not consist of letters. Precondition: the next character does not continue it.
  NEARDUP_ALWAYS_INLINE void leave_lone() noexcept {
    if (last == word_run::letters || last == word_run::none) return;
    close_word();
    last = word_run::none;
  }
};

/// Joins the words of the characters that begin before `limit`, one character at a time.
inline void take_characters(word_join_cursor& cursor, const char* limit) noexcept {
  word_join_cursor c = cursor;
  while (c.at < limit) {
    const char* const begin = c.at;
    normalised_character next = read_normalised(c.at, c.end);
    if (c.form == word_form::as_written ||
        (c.form == word_form::folded && static_cast<unsigned char>(*begin) >= 0x80)) {
      next.length = static_cast<std::size_t>(c.at - begin);
      for (std::size_t i = 0; i < next.length; ++i) next.bytes[i] = begin[i];
    }
    word_run run = c.last;
    switch (word_step_of(next.kind, next.code_point, run)) {
      case word_step::ends:
        if (c.last != word_run::none) c.close_word();
        c.last = word_run::none;
        continue;
      case word_step::ignored:
        c.last = run;
        if (run != word_run::none || next.code_point != enclosing_keycap) continue;
        if (const char sign = keycap_sign(c.text, begin, c.before); sign != '\0') {
          c.joined[c.size++] = sign;
          run = word_run::lone;
          break;
        }
        continue;
      case word_step::joins:
        std::memcpy(c.joined + c.size, "\xe2\x80\x8d", 3);
        c.size += 3;
        break;
      case word_step::begins:
        if (c.last != word_run::none) c.close_word();
        break;
      case word_step::goes_on: break;
    }
    std::memcpy(c.joined + c.size, next.bytes, sizeof next.bytes);
    c.size += next.length;
    c.last = run;
  }
  cursor = c;
}

/// Joins the words of the first `size` bytes of a block that is in the required word_form already.
NEARDUP_ALWAYS_INLINE void join_block(word_join_cursor& cursor, const char* block, std::size_t size,
                                      const character_masks& masks) noexcept {
  word_join_cursor c = cursor;
  c.at += size;
  const std::uint64_t all = low_mask(size);
  const std::uint64_t word = masks.word & all;
  const std::uint64_t kept = word | (masks.han & all);
  c.leave_lone();
  if (c.last == word_run::letters && (word & 1U) == 0) {
    c.close_word();
    c.last = word_run::none;
  }
  std::uint64_t ends = (word & ~(word >> 1)) | (masks.han_leads << 2 & kept);
  for (std::uint64_t begins = (word & ~(word << 1)) | (masks.han_leads & all); begins != 0; begins &= begins - 1) {
    const auto begin = static_cast<std::size_t>(std::countr_zero(begins));
    const auto end = static_cast<std::size_t>(std::countr_zero(ends)) + 1;
    ends &= ends - 1;
    copy_word(block, begin, end, c.joined + c.size);
    c.size += end - begin;
    c.close_word();
  }
  if (kept != 0) {
    // The last word stays open if the next block may continue it.
    const auto last = static_cast<std::size_t>(63 - std::countl_zero(kept));
    const bool is_han = (masks.han >> last & 1U) != 0;
    const bool is_open = last == size - 1;
    if (is_open) c.reopen_word();
    c.last = !is_open ? word_run::none : is_han ? word_run::lone : word_run::letters;
  }
  cursor = c;
}

/// Joins the words of the first `size` bytes of a block. Precondition: the masks cover their characters.
NEARDUP_ALWAYS_INLINE void take_block(portable_form /*form*/, word_join_cursor& cursor, const char* block,
                                      std::size_t size, const character_masks& masks) noexcept {
  if (cursor.form == word_form::as_written) return join_block(cursor, block, size, masks);
  join_block(cursor, folded_block(block, cursor.form == word_form::normalised ? masks.upper : 0).bytes, size, masks);
}

}  // namespace neardup::inline v0::detail
