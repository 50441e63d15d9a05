// SPDX-License-Identifier: MIT
// The kernel for words of canonical text, and their shingles, under XXH3. Most text is in canonical form already, and
// is read in place.
#pragma once

#include <cstddef>
#include <string_view>

#include "../../text/canonical.hpp"
#include "../../text/kernels/joined_words.hpp"
#include "../../text/kernels/spelling_rules.hpp"
#include "../../text/shingles.hpp"
#include "../hashers.hpp"
#include "token_kernel.hpp"
#include "word_kernel.hpp"

namespace neardup::inline v0::detail {

/// True for tokenizers of words of canonical text, or of their shingles. Once text is in canonical form, only
/// normalising remains, so its words are joined as those of `normalised`.
template <class T>
inline constexpr bool is_canonical_words = false;
template <class Inner>
inline constexpr bool is_canonical_words<canonical<Inner>> = is_word_tokenizer<Inner>;
template <class Inner>
inline constexpr bool is_canonical_words<shingles<canonical<Inner>>> = is_single_word_tokenizer<Inner>;

/// The number of words per shingle.
template <class Inner>
std::size_t shingle_size_of(const canonical<Inner>& tokenizer) {
  return recipe_of(tokenizer.inner).n;
}
template <class Inner>
std::size_t shingle_size_of(const shingles<canonical<Inner>>& tokenizer) {
  check_shingle_size(tokenizer.n);
  return tokenizer.n;
}

template <class Tokenizer, std::size_t Bits>
  requires is_canonical_words<Tokenizer>
struct token_kernel<Tokenizer, xxh3<Bits>> {
  using writer = hash_writer<xxh3<Bits>::words>;

  struct scratch {
    canonical_spelling spelling;
    joined_words joined;
  };

  static void hash_text(const Tokenizer& tokenize, const xxh3<Bits>& hash, std::string_view text, scratch& memory,
                        const writer& out) {
    const auto hash_spans = shingle_hasher(hash.seed, out);
    const auto join = [&](std::string_view part) { memory.joined.append(part, hash_spans); };
    memory.spelling.reset();
    memory.joined.start(shingle_size_of(tokenize), word_form::normalised);
    memory.spelling.append(text, join);
    memory.spelling.finish(join);
    memory.joined.finish(hash_spans);
  }

  class stream {
   public:
    explicit stream(const Tokenizer& tokenizer) : n_(shingle_size_of(tokenizer)) {}

    void feed(std::string_view chunk, const xxh3<Bits>& hash, const writer& out) {
      for_each_part(chunk, [&](std::string_view part) {
        chunks_.feed(part, [&](std::string_view piece) { take(piece, hash, out); });
      });
    }

    void finish(const xxh3<Bits>& hash, const writer& out) {
      chunks_.finish([&](std::string_view piece) { take(piece, hash, out); });
      if (begun_) {
        const auto hash_spans = shingle_hasher(hash.seed, out);
        scratch_.spelling.finish([&](std::string_view part) { scratch_.joined.append(part, hash_spans); });
        scratch_.joined.finish(hash_spans);
      }
      begun_ = false;
    }

    void reset() noexcept {
      chunks_.reset();
      scratch_.spelling.reset();
      begun_ = false;
    }

   private:
    void take(std::string_view piece, const xxh3<Bits>& hash, const writer& out) {
      if (!begun_) {
        scratch_.spelling.reset();
        scratch_.joined.start(n_, word_form::normalised);
      }
      begun_ = true;
      scratch_.spelling.append(piece, [&, hash_spans = shingle_hasher(hash.seed, out)](std::string_view part) {
        scratch_.joined.append(part, hash_spans);
      });
    }

    std::size_t n_;
    utf8_chunks chunks_;
    scratch scratch_;
    bool begun_ = false;
  };
};

}  // namespace neardup::inline v0::detail
