// SPDX-License-Identifier: MIT
// Finds the words of a whole text, 64 bytes at a time. A word is given as a range of bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "../../detail/bits.hpp"
#include "../../simd/forms.hpp"
#include "text_blocks.hpp"
#include "word_scanner.hpp"

namespace neardup::inline v0::detail {

/// Tokens as ranges of bytes of a text: token i is [begin[i], end[i]). Kernels may read up to 15 elements after the
/// last element.
struct span_view {
  static constexpr std::size_t capacity = 512;

  const std::uint32_t* begin;
  const std::uint32_t* end;
  std::size_t count;  // at most `capacity`
};

/// Memory for a span_view.
struct token_spans {
  static constexpr std::size_t capacity = span_view::capacity;
  static constexpr std::size_t slack = 64;  // for kernels that write whole vectors

  alignas(64) std::uint32_t begin[capacity + slack];
  alignas(64) std::uint32_t end[capacity + slack];
  std::size_t count = 0;
  bool has_parted = false;  // true if an element of `parted` is true. Otherwise, `parted` is not initialised.
  bool parted[capacity];    // true for tokens that contain ignored characters (see kept_characters)

  [[nodiscard]] span_view view() const noexcept { return {begin, end, count}; }
};

/// Finds the words of a text of less than 4 GiB. The tokenizer `words` finds the same words.
///
/// Masks classify the bytes of a block. A word begins or ends where adjacent bits differ. The masks cover ASCII and
/// Chinese, and with AVX2 and NEON also Latin-1. word_scanner processes all other characters.
class word_span_finder {
 public:
  explicit word_span_finder(std::string_view text, instruction_set level = active_instruction_set()) noexcept
      : at(text.data()), end(text.data() + text.size()), text_(text), level_(level) {}

  /// Finds the next words, at most token_spans::capacity words.
  /// Returns: false if there are no more words; `spans` is then empty.
  bool next(token_spans& spans) noexcept {
    constexpr std::ptrdiff_t step = 8 * text_block_size;
    // One call of take_blocks() reads at most `step` bytes and a block. A word and its separator take at least two
    // bytes. One more word may be open before the call.
    constexpr std::size_t words_a_step = (step + text_block_size) / 2 + 2;
    spans.count = 0;
    spans.has_parted = false;
    spans_ = &spans;
    while (spans.count + words_a_step <= token_spans::capacity && at != end) {
      const char* const limit = end - at < step ? end : at + step;
      take_blocks(*this, limit, level_);
    }
    if (at != end) return true;
    words_.position = text_.size();
    words_.close(appender{&spans});
    return spans.count > 0;
  }

  /// Finds the words of the first `size` bytes of a block. take_blocks_by_words() calls this function.
  template <class Form>
  friend void take_block(Form form, word_span_finder& finder, const char* /*block*/, std::size_t size,
                         const character_masks& masks) noexcept {
    // Masks do not show ignored characters. If the open word contains ignored characters, the scanner continues the
    // word.
    if (finder.words_.is_plain()) [[likely]] {
      finder.find_edges(form, masks.word, masks.han_leads, size);
    } else {
      constexpr std::size_t rest_of_word = 16;
      finder.scan(finder.at + (std::min)(size, rest_of_word));
    }
  }
  /// Finds the words of the characters that begin before `limit`. The last word may end after `limit`.
  /// take_blocks_by_words() calls this function.
  friend void take_characters(word_span_finder& finder, const char* limit) noexcept { finder.scan(limit); }

  const char* at;
  const char* end;  // end of the text

 private:
  using run = word_run;

  /// Receives words from the scanner, and appends the words to `spans`.
  struct appender {
    token_spans* spans;

    void operator()(std::size_t begin, std::size_t close, bool is_whole) const noexcept {
      const std::size_t i = spans->count++;
      spans->begin[i] = static_cast<std::uint32_t>(begin);
      spans->end[i] = static_cast<std::uint32_t>(close);
      if (is_whole) return;
      if (!spans->has_parted) std::fill_n(spans->parted, token_spans::capacity, false);
      spans->has_parted = true;
      spans->parted[i] = true;
    }
  };

  /// Finds the words that begin or end in the next `size` bytes. `word` marks the bytes of letters, and `han_leads` the
  /// first bytes of Han characters.
  template <class Form>
  NEARDUP_ALWAYS_INLINE void find_edges(Form form, std::uint64_t word, std::uint64_t han_leads,
                                        std::size_t size) noexcept {
    token_spans& spans = *spans_;
    const std::uint64_t all = low_mask(size);
    word &= all;
    han_leads &= all;
    const std::uint64_t before = word << 1 | (words_.open == run::letters ? 1U : 0U);
    const std::uint64_t begins = (word & ~before) | han_leads;
    const bool is_single = words_.open != run::none && words_.open != run::letters;
    const std::uint64_t ends = ((before & ~word) | han_leads << 3 | (is_single ? 1U : 0U)) & all;
    const auto base = static_cast<std::uint32_t>(at - text_.data());
    // The first end belongs to the open word. So the beginning of the open word is stored in the next span now.
    const std::size_t n = spans.count;
    if (words_.open != run::none) spans.begin[n] = static_cast<std::uint32_t>(words_.start);
    bit_positions_of(form)(begins, base, spans.begin + n + (words_.open != run::none ? 1 : 0));
    spans.count = n + bit_positions_of(form)(ends, base, spans.end + n);
    words_.open = word >> (size - 1) != 0 ? run::letters : han_leads << 2 >> (size - 1) != 0 ? run::lone : run::none;
    if (words_.open != run::none) words_.start = spans.begin[spans.count];
    at += size;
  }

  void scan(const char* limit) noexcept {
    const char* const text = text_.data();
    words_.position = static_cast<std::size_t>(at - text);
    words_.scan(text_, static_cast<std::size_t>(limit - text), appender{spans_});
    at = text + words_.position;
  }

  std::string_view text_;
  token_spans* spans_ = nullptr;  // output of next()
  instruction_set level_;
  word_scanner words_;
};

}  // namespace neardup::inline v0::detail
