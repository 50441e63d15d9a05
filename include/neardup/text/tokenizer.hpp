// What a tokenizer is: anything that hands the tokens of a text to a sink, one after the other.
#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

#include "../version.hpp"
#include "utf8.hpp"

namespace neardup::inline v0 {

namespace detail {

/// Stands for any sink when a concept asks whether something is a tokenizer.
struct any_sink {
  void operator()(std::string_view) const {}
};

}  // namespace detail

/// A callable `tokenizer(text, sink)` that calls `sink(token)` with a std::string_view for each token, in order.
///
/// The view that the sink gets is valid during that call only. A tokenizer is called as const, from several threads at
/// once where its owner is used so. A lambda `[](std::string_view text, auto&& sink) { ... }` is one.
template <class T>
concept tokenizer = std::copy_constructible<T> && requires(const T& t, std::string_view text, detail::any_sink& sink) {
  t(text, sink);
};

/// Tokenizes a text that arrives in chunks; specialised for each tokenizer that can do it.
///
/// A specialisation is constructed from the tokenizer and has `feed(chunk, sink)` and `finish(sink)`; together they
/// give exactly the tokens of the whole text, wherever it was cut. `finish` ends the text, `reset` forgets it; both
/// leave the stream ready for the next one. Specialise it for a tokenizer of your own to use that with text_stream.
template <class Tokenizer>
class token_stream;

// Version 14 takes the angle brackets for comparisons.
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

/// What rewrites the text before the member `inner` of a tokenizer gets it; specialised for each that does so.
template <class Tokenizer>
struct rewriter_of {
  using type = void;
};

template <class T>
concept rewriting_tokenizer = !std::is_void_v<typename rewriter_of<T>::type>;

/// A rewriter that changes each piece of whole characters by itself: `Append(piece, out)` writes the new one.
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

template <class Rewriter>
std::string rewrite(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  Rewriter rewriter;
  rewriter.append(text, out);
  rewriter.finish(out);
  return out;
}

/// A stream of text that another component rewrites first: `Rewriter` has append(text, out), finish(out) and reset(),
/// `Inner` is a stream of tokens or of their hashes, whose further arguments are passed on.
template <class Rewriter, class Inner>
class rewritten_stream {
 public:
  template <class Tokenizer>
  explicit rewritten_stream(const Tokenizer& inner) : inner_(inner) {}

  template <class... Sink>
  void feed(std::string_view chunk, Sink&&... sink) {
    // A large chunk in parts, so that little memory is needed.
    constexpr std::size_t max_part = 65536;
    while (!chunk.empty()) {
      const std::string_view part = chunk.substr(0, max_part);
      chunk.remove_prefix(part.size());
      text_.clear();
      rewriter_.append(part, text_);
      inner_.feed(text_, sink...);
    }
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

}  // namespace detail

template <detail::rewriting_tokenizer Tokenizer>
  requires streaming_tokenizer<decltype(Tokenizer::inner)>
class token_stream<Tokenizer> : public detail::rewritten_stream<typename detail::rewriter_of<Tokenizer>::type,
                                                                token_stream<decltype(Tokenizer::inner)>> {
 public:
  explicit token_stream(const Tokenizer& tokenizer) : token_stream::rewritten_stream(tokenizer.inner) {}
};

}  // namespace neardup::inline v0
