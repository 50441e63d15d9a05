// The words of a whole text as places in it, found 64 bytes at a time.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

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
/// Blocks of ASCII alone are classified by vector instructions, and the edges of their words are where a bit differs
/// from the one before; what has other characters goes through the scanner of `words`.
class word_span_finder {
 public:
  explicit word_span_finder(std::string_view text, instruction_set level = active_instruction_set()) noexcept
      : text_(text), level_(level) {}

  /// Finds the next words, at most token_spans::capacity. Returns: false if there are no more; `spans` is empty then.
  bool next(token_spans& spans) noexcept {
    spans.count = 0;
    while (spans.count + words_a_step <= token_spans::capacity && position_ < text_.size()) step(spans);
    if (position_ < text_.size()) return true;
    if (in_word_) append(spans, start_, text_.size());
    in_word_ = false;
    if (scanner_open_) close_scanner(spans);
    return spans.count > 0;
  }

 private:
  static constexpr std::size_t blocks_a_step = 8;
  // A block begins at most 32 words, and one may be open before it.
  static constexpr std::size_t words_a_step = 33 * blocks_a_step;

  static void append(token_spans& spans, std::size_t begin, std::size_t end) noexcept {
    spans.begin[spans.count] = static_cast<std::uint32_t>(begin);
    spans.end[spans.count] = static_cast<std::uint32_t>(end);
    ++spans.count;
  }

  void step(token_spans& spans) noexcept {
    const std::size_t begin = position_;
    const std::size_t whole = (text_.size() - begin) / text_block_size;
    word_block blocks[blocks_a_step];
    std::size_t count = whole < blocks_a_step ? whole : blocks_a_step;
    if (count > 0) {
      classify_blocks(text_.data() + begin, count, blocks, level_);
    } else {
      char rest[text_block_size] = {};
      std::memcpy(rest, text_.data() + begin, text_.size() - begin);
      classify_blocks(rest, 1, blocks, level_);
      count = 1;
    }
    for (std::size_t b = 0; b < count; ++b) {
      const std::size_t at = begin + b * text_block_size;
      const std::size_t end = at + text_block_size < text_.size() ? at + text_block_size : text_.size();
      if (blocks[b].other == 0) {
        if (scanner_open_) close_scanner(spans);
        find_edges(blocks[b].word, at, spans);
      } else {
        scan(at, end, spans);
      }
      position_ = end;
    }
  }

  /// Words that begin or end in a block of ASCII.
  void find_edges(std::uint64_t word, std::size_t at, token_spans& spans) noexcept {
    const std::uint64_t before = word << 1 | (in_word_ ? 1U : 0U);
    std::uint64_t begins = word & ~before;
    std::uint64_t ends = before & ~word;
    const auto base = static_cast<std::uint32_t>(at);
    // An open word keeps its begin in the place of the next span; its end comes first.
    std::size_t n = spans.count;
    if (in_word_) spans.begin[n] = static_cast<std::uint32_t>(start_);
    std::uint32_t* begin = spans.begin + n + (in_word_ ? 1 : 0);
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
    in_word_ = word >> 63 != 0;
    if (in_word_) start_ = spans.begin[spans.count];
  }

  /// Words of a block that is not ASCII alone; a character may reach into the next block, which continues behind it.
  void scan(std::size_t at, std::size_t end, token_spans& spans) noexcept {
    if (!scanner_open_) {
      scanner_.resume(at, in_word_, start_);
      in_word_ = false;
      scanner_open_ = true;
    }
    auto sink = [&](std::string_view token) {
      const auto begin = static_cast<std::size_t>(token.data() - text_.data());
      append(spans, begin, begin + token.size());
    };
    scanner_.scan(text_, end, sink);
  }

  /// Goes on without the scanner at a block of ASCII: a run of letters may continue there, a lone character does not.
  void close_scanner(token_spans& spans) noexcept {
    auto sink = [&](std::string_view token) {
      const auto begin = static_cast<std::size_t>(token.data() - text_.data());
      append(spans, begin, begin + token.size());
    };
    in_word_ = scanner_.in_run();
    start_ = scanner_.start();
    if (!in_word_) scanner_.close(text_, sink);
    scanner_open_ = false;
    if (in_word_ && position_ >= text_.size()) {
      append(spans, start_, text_.size());
      in_word_ = false;
    }
  }

  std::string_view text_;
  std::size_t position_ = 0;
  std::size_t start_ = 0;  // of the word that is open
  instruction_set level_;
  bool in_word_ = false;
  bool scanner_open_ = false;  // the last block went through the scanner
  word_scanner scanner_;
};

}  // namespace neardup::inline v0::detail
