// SPDX-License-Identifier: MIT
// The kernel of tokenizers that rewrite the text first, such as `masked`. It rewrites the text, then uses the kernel of
// the inner tokenizer.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "../../text/shingles.hpp"
#include "../../text/tokenizer.hpp"
#include "../hashers.hpp"
#include "canonical_kernel.hpp"
#include "token_kernel.hpp"
#include "word_kernel.hpp"

namespace neardup::inline v0::detail {

/// Splits a tokenizer of rewritten text into its rewriter and its inner tokenizer.
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
/// Shingles of rewritten text: treated as a rewriter around shingles of the inner tokenizer, which gives the same
/// tokens.
template <class Inner>
requires rewriting<Inner>::is_rewriting struct rewriting<shingles<Inner>> {
  static constexpr bool is_rewriting = true;
  using rewriter = typename rewriting<Inner>::rewriter;
  static auto inner(const shingles<Inner>& tokenizer) {
    return shingles{tokenizer.n, rewriting<Inner>::inner(tokenizer.inner)};
  }
};

template <class Tokenizer, class Hasher>
  requires(rewriting<Tokenizer>::is_rewriting &&
           !((is_word_tokenizer<Tokenizer> || is_canonical_words<Tokenizer>)&&is_xxh3<Hasher>))
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
};

}  // namespace neardup::inline v0::detail
