// SPDX-License-Identifier: MIT
// Tokens with their counts: each occurrence of a token in a text becomes a different token.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "../detail/bits.hpp"
#include "../detail/xxh3.hpp"
#include "shingles.hpp"
#include "tokenizer.hpp"

namespace neardup::inline v0 {

namespace detail {

/// Counts the tokens of a text, and numbers the occurrences of each token.
class occurrence_counter {
 public:
  void reset() noexcept { counts_.clear(); }

  /// Passes to the sink a token that consists of `token`, shingle_separator, and the number of the occurrence in
  /// decimal. Different tokens or occurrences always give different results.
  template <class Sink>
  void push(std::string_view token, Sink& sink) {
    auto found = counts_.find(token);
    if (found == counts_.end()) found = counts_.emplace(std::string(token), std::uint64_t{0}).first;
    constexpr std::size_t most_digits = 20;
    char digits[most_digits];
    const auto end = std::to_chars(digits, digits + most_digits, ++found->second).ptr;
    numbered_.assign(token).append(1, shingle_separator).append(digits, end);
    sink(std::string_view(numbered_));
  }

 private:
  // The seed is secret, so that nobody can craft a text whose tokens collide in the hash table.
  struct hash_of {
    using is_transparent = void;
    std::size_t operator()(std::string_view token) const noexcept {
      return to_size(XXH3_64bits_withSeed(token.data(), token.size(), secret_multiplier()));
    }
  };
  struct are_same {
    using is_transparent = void;
    bool operator()(std::string_view a, std::string_view b) const noexcept { return a == b; }
  };

  std::unordered_map<std::string, std::uint64_t, hash_of, are_same> counts_;
  std::string numbered_;
};

}  // namespace detail

/// Adds the number n to the n-th occurrence of each token of an inner tokenizer. So the set of tokens depends on how
/// often a token occurs. The Jaccard similarity of two such sets is the Jaccard similarity of the bags: let a and b be
/// the counts of a token; then the similarity is the sum of min(a, b) divided by the sum of max(a, b).
///
/// A text that is read in chunks gives the same tokens. Two texts that are merged do not give the tokens of the whole
/// text, because each text counts from 1. So a simhasher or minwise_hasher with this tokenizer does not compile if it
/// adds texts to a bag, an accumulator or a sketch. With any_tokenizer it compiles, because any_tokenizer hides the
/// type.
/// Memory: the memory of the distinct tokens of the text.
/// Example: `feature_extractor check{counted{shingles{2, normalised{words{}}}}};`
template <class Inner>
struct counted {
  static_assert(tokenizer<Inner>, "neardup: counted{tokenizer} needs a tokenizer, such as words{}");

  Inner inner{};

  template <class Sink>
  void operator()(std::string_view text, Sink&& sink) const {
    detail::occurrence_counter counter;
    inner(text, [&](std::string_view token) { counter.push(token, sink); });
  }
};

template <class Inner>
counted(Inner) -> counted<Inner>;

template <class Inner>
inline constexpr std::string_view detail::part_name<counted<Inner>> = "counted";

template <class Inner>
inline constexpr bool detail::is_counted<counted<Inner>> = true;

/// Reads a text with the inner tokenizer. The counts are kept for the next piece of the text.
template <class Inner, bool InBlocks>
struct detail::token_source<counted<Inner>, InBlocks> {
  static constexpr bool is_plain = false;
  using rewriter = typename token_source<Inner, false>::rewriter;

  static text_cut cut(const counted<Inner>& tokenize, std::string_view text) requires reads_pieces<Inner, false> {
    return token_source<Inner, false>::cut(tokenize.inner, text);
  }

  void start(const counted<Inner>& tokenize) {
    counter.reset();
    inner.start(tokenize.inner);
  }
  template <class Sink>
  void read(const counted<Inner>& tokenize, std::string_view piece, Sink& sink) {
    auto push = [&](std::string_view token) { counter.push(token, sink); };
    inner.read(tokenize.inner, piece, push);
  }
  template <class Sink>
  void finish(const counted<Inner>& tokenize, Sink& sink) {
    auto push = [&](std::string_view token) { counter.push(token, sink); };
    inner.finish(tokenize.inner, push);
  }

  token_source<Inner, false> inner;
  occurrence_counter counter;
};

}  // namespace neardup::inline v0
