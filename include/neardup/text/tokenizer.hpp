// What a tokenizer is: anything that hands the tokens of a text to a sink, one after the other.
#pragma once

#include <concepts>
#include <string_view>

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

}  // namespace neardup::inline v0
