// The words of a whole text as places in it, found 64 bytes at a time.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "../../detail/bits.hpp"
#include "../../detail/instructions.hpp"
#include "../words.hpp"
#include "text_blocks.hpp"

namespace neardup::inline v0::detail {

/// Tokens as places in a text: begin[i] to end[i], in bytes; kernels read up to 15 places beyond the last.
struct span_places {
  static constexpr std::size_t capacity = 512;

  const std::uint32_t* begin;
  const std::uint32_t* end;
  std::size_t count;  // at most `capacity`
};

/// Memory for the places of tokens.
struct token_spans {
  static constexpr std::size_t capacity = span_places::capacity;
  static constexpr std::size_t slack = 64;  // kernels write whole vectors

  alignas(64) std::uint32_t begin[capacity + slack];
  alignas(64) std::uint32_t end[capacity + slack];
  std::size_t count = 0;

  [[nodiscard]] span_places places() const noexcept { return {begin, end, count}; }
};

/// Finds the words of a text below 4 GiB, exactly those of `words`.
///
/// Blocks are classified by their bytes, and the edges of words are where a bit differs from the one before: ASCII and
/// Chinese, with AVX2 and AVX-512 also Latin-1. What has other characters goes through the scanner of `words`.
class word_span_finder {
 public:
  explicit word_span_finder(std::string_view text, instruction_set level = active_instruction_set()) noexcept
      : text_(text), level_(level) {}

  /// Finds the next words, at most token_spans::capacity. Returns: false if there are no more; `spans` is empty then.
  bool next(token_spans& spans) noexcept {
    spans.count = 0;
    while (spans.count + words_a_step <= token_spans::capacity && position_ < text_.size()) step(spans);
    if (position_ < text_.size()) return true;
    if (open_ != run::none) append(spans, start_, text_.size());
    open_ = run::none;
    return spans.count > 0;
  }

 private:
  using run = word_scanner::run;

  static constexpr std::size_t blocks_a_step = 8;
  // A block begins at most 32 words, and one may be open before it.
  static constexpr std::size_t words_a_step = 33 * blocks_a_step;

  static void append(token_spans& spans, std::size_t begin, std::size_t end) noexcept {
    spans.begin[spans.count] = static_cast<std::uint32_t>(begin);
    spans.end[spans.count] = static_cast<std::uint32_t>(end);
    ++spans.count;
  }

  void step(token_spans& spans) noexcept {
#if NEARDUP_X86_KERNELS
    if (level_ == instruction_set::avx512) return step_avx512(spans);
#endif
    for (std::size_t b = 0; b < blocks_a_step && position_ < text_.size(); ++b) {
      const std::size_t size = (std::min)(text_.size() - position_, text_block_size);
      const char* bytes = text_.data() + position_;
      char rest[text_block_size] = {};
      if (size < text_block_size) {
        std::memcpy(rest, bytes, size);
        bytes = rest;
      }
      character_masks masks;
      std::size_t known = 0;
#if NEARDUP_X86_KERNELS
      if (level_ == instruction_set::avx2) {
        known = find_masks_avx2(bytes, size, masks);
      } else
#endif
      {
        known = find_masks_portable(bytes, size, masks);
      }
      take(known, masks, text_block_size, spans);
    }
  }

#if NEARDUP_X86_KERNELS
  NEARDUP_KERNELS_BEGIN
  NEARDUP_TARGET_AVX512 void step_avx512(token_spans& spans) noexcept {
    for (std::size_t b = 0; b < blocks_a_step && position_ < text_.size(); ++b) {
      std::size_t size = (std::min)(text_.size() - position_, text_block_size);
      const __m512i bytes = load_block_avx512(text_.data() + position_, size);
      character_masks masks = ascii_masks_avx512(bytes);
      if (masks.known != ~std::uint64_t{0}) size = add_multibyte_avx512(bytes, size, masks);
      // Characters that the masks cannot tell rarely come alone.
      constexpr std::size_t unknown_run = 24;
      take(size, masks, unknown_run, spans);
    }
  }
  NEARDUP_KERNELS_END
#endif

  /// Takes the `known` bytes that the masks tell; if there are none, the next `unknown` bytes by the scanner.
  void take(std::size_t known, const character_masks& masks, std::size_t unknown, token_spans& spans) noexcept {
    if (known > 0) {
      find_edges(masks.word, masks.han_leads, known, spans);
    } else {
      scan((std::min)(position_ + unknown, text_.size()), spans);
    }
  }

  /// Words that begin or end in the next `size` bytes, of which these are letters, and the first bytes of Han
  /// characters.
  void find_edges(std::uint64_t word, std::uint64_t han_leads, std::size_t size, token_spans& spans) noexcept {
    const std::uint64_t all = low_mask(size);
    word &= all;
    han_leads &= all;
    const std::uint64_t before = word << 1 | (open_ == run::letters ? 1U : 0U);
    std::uint64_t begins = (word & ~before) | han_leads;
    std::uint64_t ends = ((before & ~word) | han_leads << 3 | (open_ == run::lone ? 1U : 0U)) & all;
    const auto base = static_cast<std::uint32_t>(position_);
    // An open word keeps its begin in the place of the next span; its end comes first.
    std::size_t n = spans.count;
    if (open_ != run::none) spans.begin[n] = static_cast<std::uint32_t>(start_);
    std::uint32_t* begin = spans.begin + n + (open_ != run::none ? 1 : 0);
    std::uint32_t* end = spans.end + n;
#if NEARDUP_X86_KERNELS
    if (level_ == instruction_set::avx512) {
      begin += bit_positions_avx512(begins, base, begin);
      end += bit_positions_avx512(ends, base, end);
    } else if (level_ == instruction_set::avx2) {
      begin += bit_positions_avx2(begins, base, begin);
      end += bit_positions_avx2(ends, base, end);
    } else
#endif
    {
      for (; begins != 0; begins &= begins - 1) *begin++ = base + static_cast<std::uint32_t>(std::countr_zero(begins));
      for (; ends != 0; ends &= ends - 1) *end++ = base + static_cast<std::uint32_t>(std::countr_zero(ends));
    }
    spans.count = static_cast<std::size_t>(end - spans.end);
    open_ = word >> (size - 1) != 0 ? run::letters : han_leads << 2 >> (size - 1) != 0 ? run::lone : run::none;
    if (open_ != run::none) start_ = spans.begin[spans.count];
    position_ += size;
  }

  /// Words of the characters that begin before `end`; the last one may reach beyond.
  void scan(std::size_t end, token_spans& spans) noexcept {
    scanner_.resume(position_, open_, start_);
    auto sink = [&](std::string_view token) {
      const auto begin = static_cast<std::size_t>(token.data() - text_.data());
      append(spans, begin, begin + token.size());
    };
    scanner_.scan(text_, end, sink);
    open_ = scanner_.open();
    start_ = scanner_.start();
    position_ = scanner_.position();
  }

  std::string_view text_;
  std::size_t position_ = 0;
  std::size_t start_ = 0;  // of the word that is open
  instruction_set level_;
  run open_ = run::none;
  word_scanner scanner_;
};

}  // namespace neardup::inline v0::detail
