// SPDX-License-Identifier: MIT
// A tokenizer for shingles. A shingle is n consecutive tokens, joined to one token.
#pragma once

#include <concepts>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "../error.hpp"
#include "tokenizer.hpp"

namespace neardup::inline v0 {

/// The byte between the tokens of a shingle. It is the control character "unit separator", which occurs in no word.
inline constexpr char shingle_separator = '\x1f';

namespace detail {

inline void check_shingle_size(std::size_t n) {
  if (n == 0) fail<std::invalid_argument>("shingles need n of 1 or more");
}

/// A window: the last n tokens of a text, joined to one string.
class shingle_window {
 public:
  shingle_window() = default;
  explicit shingle_window(std::size_t n) : n_(n) { check_shingle_size(n); }

  /// Begins a text whose shingles have n tokens.
  void start(std::size_t n) {
    check_shingle_size(n);
    n_ = n;
    reset();
  }

  template <class Sink>
  void push(std::string_view token, Sink& sink) {
    joined_.append(token);
    lengths_.push_back(token.size());
    if (lengths_.size() - first_ == n_) {
      emitted_ = true;
      sink(std::string_view(joined_).substr(start_));
      start_ += lengths_[first_++] + 1;
    }
    joined_.push_back(shingle_separator);
    if (start_ >= compaction_size && 2 * start_ >= joined_.size()) compact();
  }

  /// Ends the text. If the text has fewer than n tokens, all of them form one shingle, so that a short text has a
  /// feature.
  template <class Sink>
  void finish(Sink& sink) {
    if (!emitted_ && !lengths_.empty()) sink(std::string_view(joined_).substr(0, joined_.size() - 1));
    reset();
  }

 private:
  static constexpr std::size_t compaction_size = 1024;

  void reset() noexcept {
    joined_.clear();
    lengths_.clear();
    start_ = 0;
    first_ = 0;
    emitted_ = false;
  }

  /// Drops the tokens before the window. Each call moves at most half of the memory, so each token is moved O(1) times.
  void compact() {
    joined_.erase(0, start_);
    lengths_.erase(lengths_.begin(), lengths_.begin() + static_cast<std::ptrdiff_t>(first_));
    start_ = 0;
    first_ = 0;
  }

  std::size_t n_ = 1;
  std::string joined_;                // the tokens, each followed by a separator
  std::vector<std::size_t> lengths_;  // lengths in bytes of the tokens in joined_
  std::size_t start_ = 0;             // beginning of the window in joined_
  std::size_t first_ = 0;             // index of the window's first token in lengths_
  bool emitted_ = false;
};

}  // namespace detail

/// Tokenizes a text into shingles. A shingle is n consecutive tokens of an inner tokenizer, joined by
/// shingle_separator.
///
/// A text of m >= n tokens has m - n + 1 shingles. A text of 1 to n - 1 tokens has one shingle of all its tokens. If n
/// = 1, the shingles are the tokens.
/// Throws: std::invalid_argument if n = 0.
/// Source: Broder, On the resemblance and containment of documents, 1997.
template <class Inner>
struct shingles {
  static_assert(tokenizer<Inner>,
                "neardup: shingles{n, tokenizer} needs a tokenizer, such as words{}: write shingles{2, words{}}");

  std::size_t n = 2;
  Inner inner{};

  template <class Sink>
  void operator()(std::string_view text, Sink&& sink) const {
    detail::shingle_window window(n);
    auto push = [&](std::string_view token) { window.push(token, sink); };
    inner(text, push);
    window.finish(sink);
  }
};

template <class Inner>
shingles(std::size_t, Inner) -> shingles<Inner>;
// Parts in the wrong order do not compile. The compiler prints the message of shingles.
template <tokenizer Inner, std::integral Number>
shingles(Inner, Number) -> shingles<Number>;

template <class Inner>
inline constexpr std::string_view detail::part_name<shingles<Inner>> = "shingles";

namespace detail {

/// Splits shingles of a rewriting tokenizer into the rewriter, and shingles of the inner tokenizer. The tokens stay the
/// same: the text is rewritten first, and the shingles are made of the rewritten text.
template <class Inner>
requires rewriting<Inner>::is_rewriting struct rewriting<shingles<Inner>> {
  static constexpr bool is_rewriting = true;
  using rewriter = typename rewriting<Inner>::rewriter;
  static auto inner(const shingles<Inner>& tokenizer) {
    return shingles{tokenizer.n, rewriting<Inner>::inner(tokenizer.inner)};
  }
};

template <class Inner>
  requires(word_recipe_of<Inner>::is_single)
struct word_recipe_of<shingles<Inner>> : word_recipe_of<Inner> {
  static constexpr bool is_single = false;
  static word_recipe of(const shingles<Inner>& tokenize) {
    check_shingle_size(tokenize.n);
    return {tokenize.n, word_recipe_of<Inner>::of(tokenize.inner).form};
  }
};

/// Reads the tokens of the inner tokenizer, and joins them to shingles.
template <class Inner, bool InBlocks>
  requires(!rewriting<shingles<Inner>>::is_rewriting && !(InBlocks && word_recipe_of<shingles<Inner>>::is_known))
struct token_source<shingles<Inner>, InBlocks> {
  static constexpr bool is_plain = false;
  using rewriter = typename token_source<Inner, false>::rewriter;

  static text_cut cut(const shingles<Inner>& tokenize, std::string_view text) requires reads_pieces<Inner, false> {
    return token_source<Inner, false>::cut(tokenize.inner, text);
  }

  void start(const shingles<Inner>& tokenize) {
    window.start(tokenize.n);
    inner.start(tokenize.inner);
  }
  template <class Sink>
  void read(const shingles<Inner>& tokenize, std::string_view piece, Sink& sink) {
    auto push = [&](std::string_view token) { window.push(token, sink); };
    inner.read(tokenize.inner, piece, push);
  }
  template <class Sink>
  void finish(const shingles<Inner>& tokenize, Sink& sink) {
    auto push = [&](std::string_view token) { window.push(token, sink); };
    inner.finish(tokenize.inner, push);
    window.finish(sink);
  }

  token_source<Inner, false> inner;
  shingle_window window;
};

}  // namespace detail

}  // namespace neardup::inline v0
