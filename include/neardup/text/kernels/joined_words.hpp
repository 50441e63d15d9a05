// SPDX-License-Identifier: MIT
// Joins the words of a text to one string in one pass. The words are as written, folded or normalised. The alternative
// would take two passes: to normalise the text, and to find the words of the result.
//
// This header is in text/ and not in fingerprint/, because it deals with words and letters, not with hashes. It uses
// the masks of text_blocks and normalise_blocks.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "../../detail/bits.hpp"
#include "../../error.hpp"
#include "../../instruction_set.hpp"
#include "../../simd/forms.hpp"
#include "../shingles.hpp"
#include "../tokenizer.hpp"
#include "../unicode.hpp"
#include "normalise_blocks.hpp"
#include "text_blocks.hpp"
#include "word_runs.hpp"
#include "word_spans.hpp"

namespace neardup::inline v0::detail {

/// The state of joining: a position in the text, and the output. In the output, shingle_separator follows each word.
struct word_join_cursor {
  static constexpr bool copies_characters = true;  // no positions in the output: see take_without_soft_hyphen()
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

  /// Returns the greatest number of bytes that may be written to the output for `bytes` bytes of the text. A character
  /// that begins in these bytes of the text may end behind them.
  static constexpr std::size_t joined_room(std::size_t bytes) noexcept {
    return 2 * (bytes + text_block_size + 4) + 2 * text_block_size;
  }
  /// Returns the greatest number of words for which begins and ends may be written, for `bytes` bytes of the text. A
  /// word takes at least two bytes: a byte and a separator, or a longer character.
  static constexpr std::size_t words_room(std::size_t bytes) noexcept {
    return (bytes + text_block_size + 4) / 2 + 2 * text_block_size;
  }

  /// Closes the open word: writes the separator after the word.
  NEARDUP_ALWAYS_INLINE void close_word() noexcept {
    close[count] = static_cast<std::uint32_t>(size);
    joined[size++] = shingle_separator;
    begin[++count] = static_cast<std::uint32_t>(size);
  }

  /// Reopens the word that was closed last: removes its separator.
  NEARDUP_ALWAYS_INLINE void reopen_word() noexcept {
    --count;
    --size;
  }

  /// Closes the open word if it does not consist of letters.
  /// Precondition: the next character does not continue the word.
  NEARDUP_ALWAYS_INLINE void leave_lone() noexcept {
    if (last == word_run::letters || last == word_run::none) return;
    close_word();
    last = word_run::none;
  }
};

/// Joins the words of the characters that begin before `limit`. Processes one character at a time.
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

/// Appends the words of a block of `size` bytes to the output of `cursor`. The block has no Han characters. Bit i of
/// `word` is set if byte i belongs to a word. Words with exactly one byte between them are copied together, which is
/// faster than word by word.
/// Precondition: size > 0; 128 bytes are readable from `block` on.
NEARDUP_ALWAYS_INLINE void join_letters(word_join_cursor& cursor, const char* block, std::size_t size,
                                        std::uint64_t word) noexcept {
  cursor.leave_lone();
  const std::uint64_t all = low_mask(size);
  word &= all;
  // The first separator after a word ends the word. Further separators are dropped.
  const std::uint64_t after_word = word << 1 | (cursor.last == word_run::letters ? 1U : 0U);
  const std::uint64_t ends = after_word & ~word & all;
  cursor.last = (word >> (size - 1) & 1U) != 0 ? word_run::letters : word_run::none;
  // A local copy of a member stays in a register. The member itself would not, because the compiler must assume that
  // stores change it.
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

/// Appends `count` Han characters, each of which is a word. Up to 15 bytes after the last character are read, and up to
/// three more words are written.
template <class Form>
NEARDUP_ALWAYS_INLINE void join_han(Form /*form*/, word_join_cursor& c, const char* characters,
                                    std::size_t count) noexcept {
  char* const joined = c.joined + c.size;
  std::uint32_t* const close = c.close + c.count;
  std::uint32_t* const begin = c.begin + c.count + 1;
  auto end = static_cast<std::uint32_t>(c.size) + 3;  // the end of character i
  for (std::size_t i = 0; i < count; i += 4, end += 16) {
    decltype(text_kernels_of(Form{}))::separate_four(characters + 3 * i, joined + 4 * i, shingle_separator);
    // Compilers vectorise these two loops, but not one loop that writes to both arrays.
    for (std::uint32_t j = 0; j < 4; ++j) close[i + j] = end + 4 * j;
    for (std::uint32_t j = 0; j < 4; ++j) begin[i + j] = end + 4 * j + 1;
  }
  c.size += 4 * count;
  c.count += count;
}

/// Appends the words of a block of `size` bytes to the output of `cursor`: words of letters, and Han characters, each of
/// which is a word.
/// Precondition: 128 bytes are readable from `block` on.
template <class Form>
NEARDUP_ALWAYS_INLINE void join_mixed(Form form, word_join_cursor& cursor, const char* block, std::size_t size,
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
      join_han(form, c, block + begin, bytes / 3);
    } else {
      std::memcpy(c.joined + c.size, block + begin, text_block_size);
      c.size += bytes;
      c.close_word();
    }
  }
  if (const std::uint64_t kept = word | han; kept != 0) {
    // A word that ends at the end of the block stays open, because the next block may continue it.
    const bool is_open = (kept >> (size - 1) & 1U) != 0;
    if (is_open) c.reopen_word();
    c.last = !is_open ? word_run::none : (han >> (size - 1) & 1U) != 0 ? word_run::lone : word_run::letters;
  }
  cursor = c;
}

/// Joins the words of the first `size` bytes of a block.
/// Precondition: size > 0; the masks cover the characters of these bytes.
template <class Form>
NEARDUP_ALWAYS_INLINE void take_block(Form form, word_join_cursor& cursor, const char* block, std::size_t size,
                                      const character_masks& masks) noexcept {
  char bytes[2 * text_block_size];  // so that a whole block can be read from any position
  std::memset(bytes + text_block_size, 0, text_block_size);
  if (cursor.form == word_form::as_written) {
    std::memcpy(bytes, block, text_block_size);
  } else {
    fold_block(form, block, cursor.form == word_form::normalised ? masks.upper : 0, bytes);
  }
  if (masks.han_leads == 0) {
    join_letters(cursor, bytes, size, masks.word);
  } else {
    join_mixed(form, cursor, bytes, size, masks);
  }
  cursor.at += size;
}

#if NEARDUP_X86_KERNELS

NEARDUP_AVX512_BEGIN

/// Joins the words of the first `size` bytes of a block of mixed scripts, in lower case. Each byte is paired with a
/// separator. VPCOMPRESSB keeps the bytes of words, and the separator after the last byte of each word.
/// Precondition: the masks cover the characters of these bytes.
NEARDUP_ALWAYS_INLINE void join_mixed_avx512(__m512i lower, std::size_t size, const character_masks& masks,
                                             word_join_cursor& c) noexcept {
  const std::uint64_t word = masks.word & low_mask(size);
  const std::uint64_t kept = word | (masks.han & low_mask(size));
  // Closes the open word without a branch, because the processor could not predict the branch in mixed scripts.
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
  // A word that ends at the end of the block stays open, because the next block may continue it.
  const auto last = static_cast<std::size_t>(63 - std::countl_zero(kept));
  const std::uint64_t is_han = masks.han >> last & 1U;
  const std::uint64_t is_open{last == size - 1};
  ends ^= is_open << last;
  constexpr word_run runs[2][2] = {{word_run::none, word_run::letters}, {word_run::none, word_run::lone}};
  c.last = runs[is_han][is_open];

  // Before the separator of word i are the bytes of the words 0 to i, and i separators.
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

/// Joins the words of a block of `size` ASCII bytes.
/// Precondition: size > 0; the bytes of the block after the first `size` bytes are 0.
NEARDUP_ALWAYS_INLINE void join_ascii_avx512(__m512i bytes, std::size_t size, const character_masks& masks,
                                             word_join_cursor& c) noexcept {
  c.leave_lone();
  // The first separator after a word ends the word.
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

/// Joins the words of the characters that begin before `limit`. Stops before a character that the masks do not cover.
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
      // Drops the soft hyphens of the block. All other bytes of such a block are usually ASCII.
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

#endif  // NEARDUP_X86_KERNELS

/// Joins the words of a text with shingle_separator between them. So any n consecutive words are a substring of the
/// result, and this substring is a shingle.
class joined_words {
 public:
  /// Begins a text whose shingles have n words.
  /// Precondition: n >= 1.
  void start(std::size_t n, word_form form) {
    n_ = n;
    emitted_ = false;
    next_ = 0;
    words_ = {};
    words_.form = form;
    make_room(0);
    begins_[0] = 0;
  }

  /// Appends more text. Calls `hash(data, spans)` for complete shingles. The last shingles wait for the next append()
  /// or for finish(), so `hash` is called only once for a short text.
  /// Precondition: `text` ends with a whole character.
  template <class Hash>
  void append(std::string_view text, const Hash& hash) {
    constexpr std::size_t step = 2048;
    const instruction_set level = active_instruction_set();
    words_.at = text.data();
    words_.end = text.data() + text.size();
    words_.text = text.data();
    while (words_.at != words_.end) {
      const std::size_t part = (std::min)(step, static_cast<std::size_t>(words_.end - words_.at));
      hash_complete(hash);
      drop_used();
      make_room(part);
      take_blocks(words_, words_.at + part, level);
    }
    words_.before = keycap_sign(text.data(), words_.end, words_.before);
  }

  /// Ends the text. If the text has 1 to n - 1 words, all its words form one shingle.
  template <class Hash>
  void finish(const Hash& hash) {
    make_room(0);
    if (words_.last != word_run::none) words_.close_word();
    hash_complete(hash);
    if (!emitted_ && words_.count > 0) hash(joined_.data(), span_view{begins_.data(), &ends_[words_.count - 1], 1});
  }

 private:
  /// Enlarges the vectors for the words of `bytes` further bytes of text.
  void make_room(std::size_t bytes) {
    constexpr std::size_t slack = 64;  // kernels read and write whole vectors
    const std::size_t size = words_.size + word_join_cursor::joined_room(bytes) + slack;
    if (size > 0xffffffffU) fail<std::length_error>("the words of a shingle in a stream exceed 4 GiB");
    const auto grow = [](auto& values, std::size_t wanted) {
      if (values.size() < wanted) values.resize(wanted + values.size() / 2);
      return values.data();
    };
    words_.joined = grow(joined_, size);
    words_.begin = grow(begins_, words_.count + word_join_cursor::words_room(bytes) + slack);
    words_.close = grow(ends_, words_.count + word_join_cursor::words_room(bytes) + slack);
  }

  template <class Hash>
  void hash_complete(const Hash& hash) {
    if (words_.count - next_ < n_) return;
    const std::size_t end = words_.count - n_ + 1;
    for (; next_ < end; next_ += (std::min)(end - next_, span_view::capacity)) {
      hash(joined_.data(), span_view{begins_.data() + next_, ends_.data() + next_ + n_ - 1,
                                     (std::min)(end - next_, span_view::capacity)});
    }
    emitted_ = true;
  }

  /// Drops the words that no later shingle needs. Each call moves at most half of the memory, so each word is moved O(1)
  /// times.
  void drop_used() {
    const std::uint32_t dropped = begins_[next_];
    if (next_ == 0 || 2 * std::size_t{dropped} < words_.size) return;
    std::copy(joined_.data() + dropped, joined_.data() + words_.size, joined_.data());
    words_.size -= dropped;
    for (std::size_t i = next_; i <= words_.count; ++i) begins_[i - next_] = begins_[i] - dropped;
    for (std::size_t i = next_; i < words_.count; ++i) ends_[i - next_] = ends_[i] - dropped;
    words_.count -= next_;
    next_ = 0;
  }

  std::vector<char> joined_;
  std::vector<std::uint32_t> begins_;  // beginnings of the words in joined_, and of the next word
  std::vector<std::uint32_t> ends_;
  word_join_cursor words_;  // writes into the vectors above
  std::size_t n_ = 1;       // words per shingle
  std::size_t next_ = 0;    // the first word of the next shingle
  bool emitted_ = false;
};

}  // namespace neardup::inline v0::detail
