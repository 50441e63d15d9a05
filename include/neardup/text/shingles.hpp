// SPDX-License-Identifier: MIT
// Shingles: n consecutive tokens, joined to one token.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "../error.hpp"
#include "tokenizer.hpp"

namespace neardup::inline v0 {

/// The byte between the tokens of a shingle: the control character "unit separator", which occurs in no word.
inline constexpr char shingle_separator = '\x1f';

namespace detail {

inline void check_shingle_size(std::size_t n) {
  if (n == 0) fail<std::invalid_argument>("shingles need n of 1 or more");
}

/// A window of the last n tokens, joined.
class shingle_window {
 public:
  explicit shingle_window(std::size_t n) : n_(n) { check_shingle_size(n); }

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

  /// Ends the text. If the text has fewer than n tokens, they form one shingle, so that a short text has a feature.
  template <class Sink>
  void finish(Sink& sink) {
    if (!emitted_ && !lengths_.empty()) sink(std::string_view(joined_).substr(0, joined_.size() - 1));
    reset();
  }

  void reset() noexcept {
    joined_.clear();
    lengths_.clear();
    start_ = 0;
    first_ = 0;
    emitted_ = false;
  }

 private:
  static constexpr std::size_t compaction_size = 4096;

  /// Drops the tokens before the window. At most half of the memory is moved, so each token is moved O(1) times.
  void compact() {
    joined_.erase(0, start_);
    lengths_.erase(lengths_.begin(), lengths_.begin() + static_cast<std::ptrdiff_t>(first_));
    start_ = 0;
    first_ = 0;
  }

  std::size_t n_;
  std::string joined_;                // the tokens, with a separator after each
  std::vector<std::size_t> lengths_;  // of the tokens in joined_, in bytes
  std::size_t start_ = 0;             // begin of the window in joined_
  std::size_t first_ = 0;             // index of the window's first token in lengths_
  bool emitted_ = false;
};

}  // namespace detail

/// Tokenizes a text into shingles: each n consecutive tokens of an inner tokenizer, joined by shingle_separator.
///
/// A text of m >= n tokens has m - n + 1 shingles; a text of fewer tokens, but at least one, has one shingle of all its
/// tokens. n = 1 gives the tokens themselves. Throws: std::invalid_argument if it is called with n = 0.
/// Source: Broder, On the resemblance and containment of documents, 1997.
template <class Inner>
struct shingles {
  static_assert(tokenizer<Inner>, "neardup: shingles{n, tokenizer} needs a tokenizer, such as words{}");

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

template <streaming_tokenizer Inner>
class token_stream<shingles<Inner>> {
 public:
  explicit token_stream(const shingles<Inner>& tokenizer) : inner_(tokenizer.inner), window_(tokenizer.n) {}

  template <class Sink>
  void feed(std::string_view chunk, Sink&& sink) {
    auto push = [&](std::string_view token) { window_.push(token, sink); };
    inner_.feed(chunk, push);
  }

  template <class Sink>
  void finish(Sink&& sink) {
    auto push = [&](std::string_view token) { window_.push(token, sink); };
    inner_.finish(push);
    window_.finish(sink);
  }

  void reset() noexcept {
    inner_.reset();
    window_.reset();
  }

 private:
  token_stream<Inner> inner_;
  detail::shingle_window window_;
};

}  // namespace neardup::inline v0
