// Text that is rewritten first, folded or normalised, and then goes the way of the inner tokenizer.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "../../instruction_set.hpp"
#include "../../text/kernels/normalised_words.hpp"
#include "../../text/mask.hpp"
#include "../../text/normalise.hpp"
#include "../../text/shingles.hpp"
#include "../../text/tokenizer.hpp"
#include "../../text/words.hpp"
#include "../hashers.hpp"
#include "token_kernel.hpp"
#include "word_kernel.hpp"

namespace neardup::inline v0::detail {

/// A tokenizer of text that is rewritten first, as what rewrites and what tokenizes the result.
template <class T>
struct rewriting {
  static constexpr bool is_rewriting = false;
};
template <rewriting_tokenizer T>
struct rewriting<T> {
  static constexpr bool is_rewriting = true;
  using rewriter = typename T::rewriter;
  static const auto& inner(const T& tokenizer) noexcept { return tokenizer.inner; }
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

template <class Tokenizer, class Hasher>
  requires(rewriting<Tokenizer>::is_rewriting && !(is_word_tokenizer<Tokenizer> && is_xxh3<Hasher>))
struct token_kernel<Tokenizer, Hasher> {
  using writer = hash_writer<hasher_words<Hasher>>;
  using rewriter = typename rewriting<Tokenizer>::rewriter;
  using inner_tokenizer = std::remove_cvref_t<decltype(rewriting<Tokenizer>::inner(std::declval<const Tokenizer&>()))>;
  using inner_kernel = token_kernel<inner_tokenizer, Hasher>;

  struct scratch {
    std::string text;
    typename inner_kernel::scratch inner;
  };

  static void hash_text(const Tokenizer& tokenize, const Hasher& hash, std::string_view text, scratch& memory,
                        const writer& out) {
    const auto& inner = rewriting<Tokenizer>::inner(tokenize);
    if constexpr (is_normalised_word_tokenizer<Tokenizer> && is_xxh3<Hasher>) {
      if (text.size() < inner_kernel::end_of_sizes) {
        return hash_normalised_words(text, recipe_of(inner).n, hash, memory.inner.joined, out);
      }
    }
    memory.text.clear();
    rewriter rewrite;
    rewrite.append(text, memory.text);
    rewrite.finish(memory.text);
    inner_kernel::hash_text(inner, hash, memory.text, memory.inner, out);
  }

  class stream : public rewritten_stream<rewriter, typename inner_kernel::stream> {
   public:
    explicit stream(const Tokenizer& tokenizer) : stream::rewritten_stream(rewriting<Tokenizer>::inner(tokenizer)) {}
  };

 private:
  /// The words of the normalised text in one pass, or their shingles.
  static void hash_normalised_words(std::string_view text, std::size_t n, const Hasher& hash, joined_words& joined,
                                    const writer& out) {
    constexpr std::size_t step = 2048;
    const instruction_set level = active_instruction_set();
    const auto hash_spans = shingle_hasher(hash.seed, out);
    word_join_cursor cursor(text);
    joined.start(n);
    do {
      const std::size_t part = (std::min)(step, static_cast<std::size_t>(cursor.end - cursor.at));
      joined.append(cursor, part, level);
      joined.hash_shingles(hash_spans);
    } while (cursor.at != cursor.end);
    joined.hash_last_shingle(hash_spans);
  }
};

}  // namespace neardup::inline v0::detail
