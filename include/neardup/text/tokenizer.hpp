// SPDX-License-Identifier: MIT
// The concept of a tokenizer: a callable that passes the tokens of a text to a sink, one after the other.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

#include "../error.hpp"
#include "utf8.hpp"

namespace neardup::inline v0 {

namespace detail {

/// A placeholder for any sink, with which a concept tests whether a type is a tokenizer.
struct any_sink {
  void operator()(std::string_view) const {}
};

/// Whether a tokenizer has `for_each_of_length(text, min_length, sink)`, which skips shorter tokens faster than a sink
/// could. This constant is specialised for the exact type, because a derived class inherits the member function, but
/// may tokenize differently.
template <class Tokenizer>
inline constexpr bool leaves_out_short_tokens = false;

}  // namespace detail

/// A callable `tokenizer(text, sink)` that calls `sink(token)` with a std::string_view for each token, in order.
///
/// The view is valid only during the call of the sink. A tokenizer is called as a const object, possibly from several
/// threads at once. A lambda `[](std::string_view text, auto&& sink) { ... }` is a tokenizer.
template <class T>
concept tokenizer = std::copy_constructible<T> && requires(const T& t, std::string_view text, detail::any_sink& sink) {
  t(text, sink);
};

/// Tokenizes a text that arrives in chunks; specialised for each tokenizer that supports this.
///
/// A specialisation is constructed from the tokenizer and has `feed(chunk, sink)` and `finish(sink)`; together they
/// give exactly the tokens of the whole text, wherever it is cut. `finish` ends the text, `reset` discards it; after
/// both, the stream is ready for the next text. Specialise token_stream for your own tokenizer to use the tokenizer
/// with text_stream.
template <class Tokenizer>
class token_stream;

// clang-format 14 takes the angle brackets for comparisons.
// clang-format off

/// A tokenizer that can also take its text in chunks, through token_stream.
template <class T>
concept streaming_tokenizer =
    tokenizer<T> && requires { sizeof(token_stream<T>); } && std::constructible_from<token_stream<T>, const T&> &&
    requires(token_stream<T>& stream, std::string_view chunk, detail::any_sink& sink) {
      stream.feed(chunk, sink);
      stream.finish(sink);
      stream.reset();
    };

// clang-format on

namespace detail {

/// A rewriter that rewrites each character independently of the others. `Append(piece, out)` appends a rewritten piece
/// of complete characters to `out`.
template <auto Append>
class piecewise_rewriter {
 public:
  void append(std::string_view text, std::string& out) {
    chunks_.feed(text, [&](std::string_view piece) { Append(piece, out); });
  }
  void finish(std::string& out) {
    chunks_.finish([&](std::string_view piece) { Append(piece, out); });
  }
  void reset() noexcept { chunks_.reset(); }

 private:
  utf8_chunks chunks_;
};

/// Divides a chunk into parts of bounded size, which bounds the memory for rewriting, and calls `take(part)` for each.
template <class Take>
void for_each_part(std::string_view chunk, const Take& take) {
  constexpr std::size_t max_part = 65536;
  for (; !chunk.empty(); chunk.remove_prefix((std::min)(chunk.size(), max_part))) take(chunk.substr(0, max_part));
}

template <class Rewriter>
std::string rewrite(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  Rewriter rewriter;
  rewriter.append(text, out);
  rewriter.finish(out);
  return out;
}

/// The members of a tokenizer `Self` that first rewrites the text, then tokenizes the result. A rewriter has
/// append(text, out), finish(out) and reset().
template <class Self, class Rewriter, class Inner>
struct rewritten {
  static_assert(tokenizer<Inner>,
                "neardup: folded{tokenizer}, normalised{tokenizer} and their like need a tokenizer, such as words{}");

  using rewriter = Rewriter;

  Inner inner{};

  template <class Sink>
  void operator()(std::string_view text, Sink&& sink) const {
    const std::string text_rewritten = rewrite<Rewriter>(text);
    inner(text_rewritten, sink);
  }
};

/// A tokenizer that rewrites the text by its rewriter, then tokenizes it, and does nothing else. A class derived from
/// such a tokenizer is excluded, because it may tokenize differently.
template <class T>
concept rewriting_tokenizer = std::derived_from<T, rewritten<T, typename T::rewriter, decltype(T::inner)>>;

/// Rewrites a text that comes in chunks, and feeds the result to `Inner`, a stream of tokens or of their hashes. The
/// `sink` arguments of feed() and finish() are passed on to that stream.
template <class Rewriter, class Inner>
class rewritten_stream {
 public:
  template <class Tokenizer>
  explicit rewritten_stream(const Tokenizer& inner) : inner_(inner) {}

  template <class... Sink>
  void feed(std::string_view chunk, Sink&&... sink) {
    for_each_part(chunk, [&](std::string_view part) {
      text_.clear();
      rewriter_.append(part, text_);
      inner_.feed(text_, sink...);
    });
  }

  template <class... Sink>
  void finish(Sink&&... sink) {
    text_.clear();
    rewriter_.finish(text_);
    inner_.feed(text_, sink...);
    inner_.finish(sink...);
  }

  void reset() noexcept {
    rewriter_.reset();
    inner_.reset();
  }

 private:
  Rewriter rewriter_;
  std::string text_;
  Inner inner_;
};

/// A cut of a text: the current piece ends at `end`, and the next one begins at `next`. Both are 0 if the text has no
/// cut yet.
struct text_cut {
  std::size_t end, next;
};

/// How to cut a text that arrives in chunks into pieces that can be tokenized independently; specialised for each
/// tokenizer that allows it.
///
/// `cut(tokenizer, text, searched, at_end)` returns the last possible cut of the text so far; with `at_end`, it returns
/// the end of the text. It may repair ill-formed text. The first `searched` bytes contain no cut; cut() updates
/// `searched` to the end of what it has examined.
template <class Tokenizer>
struct cuts_of;

template <class T>
concept cut_tokenizer = requires {
  sizeof(cuts_of<T>);
};

/// Cuts a text that arrives in chunks into pieces.
template <cut_tokenizer Tokenizer>
class text_pieces {
 public:
  /// Searches for a cut whenever `enough` further bytes have arrived. Throws: the tokenizer's exceptions.
  explicit text_pieces(const Tokenizer& tokenizer, std::size_t enough = 1) : tokenize(tokenizer), enough_(enough) {
    tokenize(std::string_view(), any_sink{});
  }

  /// Calls `take(piece)` for each complete piece. Throws: std::length_error if 2 GiB have no cut.
  template <class Take>
  void feed(std::string_view chunk, const Take& take) {
    for_each_part(chunk, [&](std::string_view part) {
      text_.append(part);
      fresh_ += part.size();
      if (fresh_ < enough_) return;
      fresh_ = 0;
      const text_cut found = find_cut(false);
      if (found.next == 0) return;
      is_begun_ = true;
      take(std::string_view(text_).substr(0, found.end));
      text_.erase(0, found.next);
      searched_ -= (std::min)(searched_, found.next);
    });
  }

  /// Ends the text: passes the remaining bytes to `take`. They are omitted if they only repeat the end of the previous
  /// piece, and so hold no further token.
  template <class Take>
  void finish(const Take& take) {
    if (find_cut(true).next > 0 || !is_begun_) take(std::string_view(text_));
    reset();
  }

  void reset() noexcept {
    text_.clear();
    fresh_ = 0;
    searched_ = 0;
    is_begun_ = false;
  }

  Tokenizer tokenize;

 private:
  text_cut find_cut(bool at_end) {
    if (text_.size() >> 31 != 0) fail<std::length_error>("a word in a stream has 2 GiB or more");
    return cuts_of<Tokenizer>::cut(tokenize, text_, searched_, at_end);
  }

  std::string text_;
  std::size_t enough_;
  std::size_t fresh_ = 0;     // bytes added since the last search for a cut
  std::size_t searched_ = 0;  // bytes of text_ without a cut
  bool is_begun_ = false;     // `take` has got a piece of this text already
};

}  // namespace detail

template <detail::cut_tokenizer Tokenizer>
class token_stream<Tokenizer> {
 public:
  explicit token_stream(const Tokenizer& tokenizer) : pieces_(tokenizer) {}

  template <class Sink>
  void feed(std::string_view chunk, Sink&& sink) {
    pieces_.feed(chunk, [&](std::string_view piece) { pieces_.tokenize(piece, sink); });
  }
  template <class Sink>
  void finish(Sink&& sink) {
    pieces_.finish([&](std::string_view piece) { pieces_.tokenize(piece, sink); });
  }
  void reset() noexcept { pieces_.reset(); }

 private:
  detail::text_pieces<Tokenizer> pieces_;
};

template <detail::rewriting_tokenizer Tokenizer>
  requires streaming_tokenizer<decltype(Tokenizer::inner)>
class token_stream<Tokenizer>
    : public detail::rewritten_stream<typename Tokenizer::rewriter, token_stream<decltype(Tokenizer::inner)>> {
 public:
  explicit token_stream(const Tokenizer& tokenizer) : token_stream::rewritten_stream(tokenizer.inner) {}
};

}  // namespace neardup::inline v0
