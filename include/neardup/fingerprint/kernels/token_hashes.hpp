// From a text to the hashes of its tokens, many at a time: by kernels where there are some, one by one otherwise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "../../instruction_set.hpp"
#include "../../text/ngrams.hpp"
#include "../../text/normalise.hpp"
#include "../../text/shingles.hpp"
#include "../../text/words.hpp"
#include "code_point_hashes.hpp"
#include "hash_block.hpp"
#include "../hashers.hpp"
#include "word_hashes.hpp"
#include "../xxh3.hpp"
#include "xxh3_windows.hpp"

namespace neardup::inline v0::detail {

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

/// A tokenizer of text that is rewritten first, as what rewrites and what tokenizes the result.
template <class T>
struct rewriting {
  static constexpr bool is_rewriting = false;
};
template <class Inner>
struct rewriting<normalised<Inner>> {
  static constexpr bool is_rewriting = true;
  using rewriter = text_normaliser;
  static const Inner& inner(const normalised<Inner>& tokenizer) noexcept { return tokenizer.inner; }
};
template <class Inner>
struct rewriting<folded<Inner>> {
  static constexpr bool is_rewriting = true;
  using rewriter = ascii_folder;
  static const Inner& inner(const folded<Inner>& tokenizer) noexcept { return tokenizer.inner; }
};
/// The shingles of what a rewritten text has are those of the text, rewritten.
template <class Inner>
requires rewriting<Inner>::is_rewriting struct rewriting<shingles<Inner>> {
  static constexpr bool is_rewriting = true;
  using rewriter = typename rewriting<Inner>::rewriter;
  static auto inner(const shingles<Inner>& tokenizer) {
    return shingles{tokenizer.n, rewriting<Inner>::inner(tokenizer.inner)};
  }
};

/// Whether a tokenizer gives the words of normalised text, or their shingles. Folding such text changes nothing.
template <class T>
inline constexpr bool is_normalised_word_tokenizer = false;
template <class Inner>
inline constexpr bool is_normalised_word_tokenizer<normalised<Inner>> = is_word_tokenizer<Inner>;
template <>
inline constexpr bool is_normalised_word_tokenizer<shingles<normalised<words>>> = true;

/// Calls `consume(block)`, which empties it, whenever the hashes of all windows of `n` bytes fill a block; the last
/// ones stay there. Precondition: 1 <= n <= max_vector_window and n <= text.size().
template <std::size_t Words>
void hash_all_windows(std::string_view text, std::size_t n, std::uint64_t seed, hash_block<Words>& block,
                      const block_consumer<Words>& consume) {
  const instruction_set level = active_instruction_set();
  // Kernels read vectors: the last windows are read from a copy with room behind.
  constexpr std::size_t margin = 32;
  const std::size_t windows = text.size() - n + 1;
  const std::size_t in_place = text.size() > margin ? text.size() - margin : 0;
  add_window_hashes(text.data(), in_place, n, seed, block, level, consume);
  char rest[2 * margin + 16] = {};
  std::memcpy(rest, text.data() + in_place, text.size() - in_place);
  add_window_hashes(rest, windows - in_place, n, seed, block, level, consume);
}

/// Memory for the hashing of texts, reused from one to the next.
template <std::size_t Words>
struct hash_scratch {
  hash_block<Words> block;
  word_scratch words;
  gram_scratch grams;

  /// Memory for what `text`, which may be such a one itself, is rewritten to.
  [[nodiscard]] std::string& rewritten_from(std::string_view text) noexcept {
    std::string& result = text.data() == rewritten_[0].data() ? rewritten_[1] : rewritten_[0];
    result.clear();
    return result;
  }

 private:
  std::string rewritten_[2];
};

/// Calls `consume(block)`, which empties it, whenever the hashes of the tokens of a text, in an order of its own, fill
/// a block; the last ones stay there.
///
/// Guarantee: exactly the hashes that `tokenize` and `hash` give one by one.
template <class Tokenizer, class Hasher>
void hash_piece(const Tokenizer& tokenize, const Hasher& hash, std::string_view text,
                hash_scratch<hasher_words<Hasher>>& scratch, const block_consumer<hasher_words<Hasher>>& consume) {
  constexpr std::size_t words = hasher_words<Hasher>;
  constexpr std::size_t largest = std::size_t{1} << 31;
  hash_block<words>& block = scratch.block;
  if constexpr (is_xxh3<Hasher> && std::is_same_v<Tokenizer, byte_ngrams>) {
    if (tokenize.n >= 1 && tokenize.n <= max_vector_window && tokenize.n <= text.size()) {
      return hash_all_windows(text, tokenize.n, hash.seed, block, consume);
    }
  } else if constexpr (is_xxh3<Hasher> && std::is_same_v<Tokenizer, code_point_ngrams>) {
    if (tokenize.n >= 1 && tokenize.n <= max_kernel_gram && !text.empty() && text.size() < largest) {
      if (is_well_formed(text, active_instruction_set())) {
        return hash_code_points(text, tokenize.n, hash.seed, scratch.grams, block, consume);
      }
      std::string& repaired = scratch.rewritten_from(text);
      append_repaired(text, repaired);
      // Repaired text may be three times as long.
      if (repaired.size() < largest) {
        return hash_code_points(std::string_view(repaired), tokenize.n, hash.seed, scratch.grams, block, consume);
      }
    }
  } else if constexpr (is_xxh3<Hasher> && is_word_tokenizer<Tokenizer>) {
    if (text.size() < largest) {
      const word_recipe recipe = recipe_of(tokenize);
      return hash_words(text, recipe.n, recipe.fold, hash.seed, scratch.words, block, consume);
    }
  } else if constexpr (is_xxh3<Hasher> && is_normalised_word_tokenizer<Tokenizer>) {
    if (text.size() < largest) {
      const std::size_t n = recipe_of(rewriting<Tokenizer>::inner(tokenize)).n;
      return hash_normalised_words(text, n, hash.seed, scratch.words.normalised, block, consume);
    }
  } else if constexpr (rewriting<Tokenizer>::is_rewriting) {
    std::string& rewritten = scratch.rewritten_from(text);
    typename rewriting<Tokenizer>::rewriter rewriter;
    rewriter.append(text, rewritten);
    rewriter.finish(rewritten);
    return hash_piece(rewriting<Tokenizer>::inner(tokenize), hash, rewritten, scratch, consume);
  }
  auto add = [&](std::string_view token) {
    const auto value = to_hash_words(hash(token));
    if (block.room() == 0) consume(block);
    for (std::size_t j = 0; j < words; ++j) block.columns[j][block.count] = value[j];
    ++block.count;
  };
  tokenize(text, add);
}

/// Calls `consume(block)` with the hashes of all tokens of a text, in an order of its own, and empties the block.
template <class Tokenizer, class Hasher, class Consume>
void hash_tokens(const Tokenizer& tokenize, const Hasher& hash, std::string_view text,
                 hash_scratch<hasher_words<Hasher>>& scratch, const Consume& consume) {
  const auto flush = [&](hash_block<hasher_words<Hasher>>& full) {
    consume(full);
    full.count = 0;
  };
  scratch.block.count = 0;
  hash_piece(tokenize, hash, text, scratch, block_consumer<hasher_words<Hasher>>(flush));
  flush(scratch.block);
}

}  // namespace neardup::inline v0::detail
