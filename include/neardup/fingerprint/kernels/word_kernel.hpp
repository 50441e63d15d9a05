// SPDX-License-Identifier: MIT
// The kernel for words (as written, folded or normalised) and their shingles, under XXH3.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "../../detail/instructions.hpp"
#include "../../instruction_set.hpp"
#include "../../text/kernels/joined_words.hpp"
#include "../../text/kernels/word_spans.hpp"
#include "../../text/normalise.hpp"
#include "../../text/shingles.hpp"
#include "../../text/words.hpp"
#include "../hashers.hpp"
#include "token_kernel.hpp"
#include "xxh3_spans.hpp"

namespace neardup::inline v0::detail {

/// True if single words are hashed in place, in the text. With AVX-512, words are copied to a buffer first, which is
/// 1.1 to 1.4 times as fast.
constexpr bool hashes_in_place(portable_form) noexcept { return true; }
constexpr bool hashes_in_place(avx512_form) noexcept { return false; }

/// The settings of a tokenizer that is composed of `words`, `shingles`, `folded` and `normalised`.
struct word_recipe {
  std::size_t n;  // words per shingle
  word_form form;

  /// True if words are hashed in place.
  [[nodiscard]] bool is_in_place() const noexcept {
    return n == 1 && form == word_form::as_written &&
           choose_form(active_instruction_set(), [](auto kernel) { return hashes_in_place(kernel); });
  }
};

/// is_single_word_tokenizer: the tokens are words. is_word_tokenizer: they are words or shingles of words.
template <class T>
inline constexpr bool is_single_word_tokenizer = std::is_same_v<T, words>;
template <class Inner>
inline constexpr bool is_single_word_tokenizer<folded<Inner>> = is_single_word_tokenizer<Inner>;
template <class Inner>
inline constexpr bool is_single_word_tokenizer<normalised<Inner>> = is_single_word_tokenizer<Inner>;

template <class T>
inline constexpr bool is_word_tokenizer = is_single_word_tokenizer<T>;
template <class Inner>
inline constexpr bool is_word_tokenizer<shingles<Inner>> = is_single_word_tokenizer<Inner>;
template <class Inner>
inline constexpr bool is_word_tokenizer<folded<Inner>> = is_word_tokenizer<Inner>;
template <class Inner>
inline constexpr bool is_word_tokenizer<normalised<Inner>> = is_word_tokenizer<Inner>;

template <class T>
word_recipe recipe_of(const T& tokenizer) {
  if constexpr (std::is_same_v<T, words>) {
    return {1, word_form::as_written};
  } else if constexpr (rewriting_tokenizer<T>) {
    constexpr bool normalises = std::is_same_v<typename T::rewriter, text_normaliser>;
    const word_recipe inner = recipe_of(tokenizer.inner);
    return {inner.n, (std::max)(inner.form, normalises ? word_form::normalised : word_form::folded)};
  } else {
    check_shingle_size(tokenizer.n);
    return {tokenizer.n, recipe_of(tokenizer.inner).form};
  }
}

/// Scratch memory of hashing words.
struct word_scratch {
  token_spans words;
  joined_words joined;
};

/// Returns: a callback for joined_words that hashes the shingles and writes the hashes to `out`.
template <std::size_t Words>
auto shingle_hasher(std::uint64_t seed, const hash_writer<Words>& out) noexcept {
  return [seed, &out, level = active_instruction_set()](const char* text, const span_view& spans) {
    add_span_hashes(text, spans, seed, level, out);
  };
}

/// Writes the hashes of the words of a text, hashed in place. Precondition: the text is smaller than 2 GiB.
template <std::size_t Words>
void hash_single_words(std::string_view text, std::uint64_t seed, token_spans& words, const hash_writer<Words>& out) {
  const instruction_set level = active_instruction_set();
  word_span_finder finder(text, level);
  const auto add = [&](std::string_view word) {
    out.add(
        [&](std::size_t j) { return XXH3_64bits_withSeed(word.data(), word.size(), seed + j * xxh3<>::seed_step); });
  };
  while (finder.next(words)) {
    if (words.has_parted) [[unlikely]] {
      for (std::size_t i = 0; i < words.count; ++i) {
        const std::string_view word = text.substr(words.begin[i], words.end[i] - words.begin[i]);
        words.parted[i] ? add(kept_characters(word)) : add(word);
      }
      continue;
    }
    // Words that begin in the last 8 bytes of the text cannot be loaded as 64 bits.
    while (words.count > 0 && words.begin[words.count - 1] + sizeof(std::uint64_t) > text.size()) {
      --words.count;
      add(text.substr(words.begin[words.count], words.end[words.count] - words.begin[words.count]));
    }
    add_span_hashes(text.data(), words.view(), seed, level, out);
  }
}

template <class Tokenizer, std::size_t Bits>
  requires is_word_tokenizer<Tokenizer>
struct token_kernel<Tokenizer, xxh3<Bits>> {
  using writer = hash_writer<xxh3<Bits>::words>;
  using scratch = word_scratch;

  static void hash_text(const Tokenizer& tokenize, const xxh3<Bits>& hash, std::string_view text, scratch& memory,
                        const writer& out) {
    constexpr std::size_t end_of_sizes = std::size_t{1} << 31;
    if (text.size() >= end_of_sizes) {
      return hash_one_by_one(hash, out, [&](auto& add) { tokenize(text, add); });
    }
    const word_recipe recipe = recipe_of(tokenize);
    if (recipe.is_in_place()) return hash_single_words(text, hash.seed, memory.words, out);
    const auto hash_spans = shingle_hasher(hash.seed, out);
    memory.joined.start(recipe.n, recipe.form);
    memory.joined.append(text, hash_spans);
    memory.joined.finish(hash_spans);
  }

  /// The stream keeps the last words of each piece of text, for the shingles that continue in the next piece.
  class stream {
   public:
    explicit stream(const Tokenizer& tokenizer) : recipe_(recipe_of(tokenizer)) {}

    void feed(std::string_view chunk, const xxh3<Bits>& hash, const writer& out) {
      pieces_.feed(chunk, [&](std::string_view piece) { take(piece, hash, out); });
    }

    void finish(const xxh3<Bits>& hash, const writer& out) {
      pieces_.finish([&](std::string_view piece) { take(piece, hash, out); });
      if (begun_) scratch_.joined.finish(shingle_hasher(hash.seed, out));
      begun_ = false;
    }

    void reset() noexcept {
      pieces_.reset();
      begun_ = false;
    }

   private:
    void take(std::string_view piece, const xxh3<Bits>& hash, const writer& out) {
      if (recipe_.is_in_place()) return hash_single_words(piece, hash.seed, scratch_.words, out);
      if (!begun_) scratch_.joined.start(recipe_.n, recipe_.form);
      begun_ = true;
      scratch_.joined.append(piece, shingle_hasher(hash.seed, out));
    }

    word_recipe recipe_;
    text_pieces<words> pieces_{words{}, enough_for_kernels};
    word_scratch scratch_;
    bool begun_ = false;  // scratch_.joined belongs to the current text
  };
};

}  // namespace neardup::inline v0::detail
