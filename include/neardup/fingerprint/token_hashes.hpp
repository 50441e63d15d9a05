// From a text to the hashes of its tokens, many at a time: by kernels where there are some, one by one otherwise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "../detail/instruction_set.hpp"
#include "../text/ngrams.hpp"
#include "../text/normalise.hpp"
#include "../text/shingles.hpp"
#include "../text/words.hpp"
#include "hash_block.hpp"
#include "hashers.hpp"
#include "word_hashes.hpp"
#include "xxh3.hpp"
#include "xxh3_windows.hpp"

namespace neardup::inline v0::detail {

template <class T>
inline constexpr bool is_xxh3 = false;
template <std::size_t Bits>
inline constexpr bool is_xxh3<xxh3<Bits>> = true;

/// How a tokenizer made of words, shingles and folded cuts a text; n = 0 for any other.
struct word_recipe {
  std::size_t n = 0;
  bool fold = false;
};

template <class T>
inline constexpr bool is_word_tokenizer = std::is_same_v<T, words>;
template <class Inner>
inline constexpr bool is_word_tokenizer<folded<Inner>> = is_word_tokenizer<Inner>;
template <>
inline constexpr bool is_word_tokenizer<shingles<words>> = true;
template <>
inline constexpr bool is_word_tokenizer<shingles<folded<words>>> = true;

inline word_recipe recipe_of(const words& /*tokenizer*/) { return {1, false}; }
template <class Inner>
word_recipe recipe_of(const folded<Inner>& tokenizer);
template <class Inner>
word_recipe recipe_of(const shingles<Inner>& tokenizer) {
  check_shingle_size(tokenizer.n);
  return {tokenizer.n, recipe_of(tokenizer.inner).fold};
}
template <class Inner>
word_recipe recipe_of(const folded<Inner>& tokenizer) {
  return {recipe_of(tokenizer.inner).n, true};
}

/// Calls `consume(block)`, which empties it, whenever the hashes of all windows of `n` bytes fill a block; the last ones
/// stay there. Precondition: 1 <= n <= max_vector_window and n <= text.size().
template <std::size_t Words, class Consume>
void hash_windows(std::string_view text, std::size_t n, std::uint64_t seed, hash_block<Words>& block,
                  const Consume& consume) {
  const instruction_set level = active_instruction_set();
  const auto run = [&](const char* begin, std::size_t count) {
    while (count > 0) {
      if (block.room() == 0) consume(block);
      const std::size_t part = block.room() < count ? block.room() : count;
      for (std::size_t j = 0; j < Words; ++j) {
        const short_xxh3 hash(n, seed + j * xxh3<>::seed_step);
        std::uint64_t* const hashes = block.columns[j] + block.count;
#if NEARDUP_X86_KERNELS
        if (level == instruction_set::avx512) {
          hash_windows_avx512(hash, begin, part, hashes);
          continue;
        }
        if (level == instruction_set::avx2) {
          hash_windows_avx2(hash, begin, part, hashes);
          continue;
        }
#endif
        hash_windows_portable(hash, begin, part, hashes);
      }
      block.count += part;
      begin += part;
      count -= part;
    }
  };
  static_cast<void>(level);
  // Kernels read vectors: the last windows are read from a copy with room behind.
  constexpr std::size_t margin = 32;
  const std::size_t windows = text.size() - n + 1;
  const std::size_t in_place = text.size() > margin ? text.size() - margin : 0;
  run(text.data(), in_place);
  char rest[2 * margin + 16] = {};
  std::memcpy(rest, text.data() + in_place, text.size() - in_place);
  run(rest, windows - in_place);
}

/// Memory for the hashing of texts, reused from one to the next.
template <std::size_t Words>
struct hash_scratch {
  hash_block<Words> block;
  word_scratch words;
  std::string rewritten;
};

/// Calls `consume(block)` with the hashes of all tokens of a text, in an order of its own, and empties the block.
///
/// Guarantee: exactly the hashes that `tokenize` and `hash` give one by one.
template <class Tokenizer, class Hasher, class Consume>
void hash_tokens(const Tokenizer& tokenize, const Hasher& hash, std::string_view text,
                 hash_scratch<hasher_words<Hasher>>& scratch, const Consume& consume) {
  constexpr std::size_t words = hasher_words<Hasher>;
  constexpr std::size_t largest = std::size_t{1} << 31;
  hash_block<words>& block = scratch.block;
  const auto flush = [&](hash_block<words>& full) {
    consume(full);
    full.count = 0;
  };
  block.count = 0;
  if constexpr (is_xxh3<Hasher> && std::is_same_v<Tokenizer, byte_ngrams>) {
    if (tokenize.n >= 1 && tokenize.n <= max_vector_window && tokenize.n <= text.size()) {
      hash_windows(text, tokenize.n, hash.seed, block, flush);
      return flush(block);
    }
  } else if constexpr (is_xxh3<Hasher> && is_word_tokenizer<Tokenizer>) {
    if (text.size() < largest) {
      const word_recipe recipe = recipe_of(tokenize);
      hash_words(text, recipe.n, recipe.fold, hash.seed, scratch.words, block, flush);
      return flush(block);
    }
  }
  auto add = [&](std::string_view token) {
    const auto value = to_hash_words(hash(token));
    if (block.room() == 0) flush(block);
    for (std::size_t j = 0; j < words; ++j) block.columns[j][block.count] = value[j];
    ++block.count;
  };
  tokenize(text, add);
  flush(block);
}

}  // namespace neardup::inline v0::detail
