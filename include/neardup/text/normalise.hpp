// Folding and normalising: what of a text does not matter when it is compared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tokenizer.hpp"
#include "unicode.hpp"
#include "utf8.hpp"
#include "utf8_chunks.hpp"

namespace neardup::inline v0 {

namespace detail {

/// Lower-cases the letters A to Z and keeps every other byte.
struct ascii_folder {
  static constexpr char fold(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

  void append(std::string_view text, std::string& out) {
    const std::size_t old_size = out.size();
    out.resize(old_size + text.size());
    for (std::size_t i = 0; i < text.size(); ++i) out[old_size + i] = fold(text[i]);
  }
  void finish(std::string& /*out*/) {}
  void reset() noexcept {}
};

/// Lower-cases, and reduces what is between the words to one space, or to nothing beside a Han character.
class text_normaliser {
 public:
  /// Appends what is certain of the text so far; a space waits until a word follows it.
  void append(std::string_view text, std::string& out) {
    chunks_.feed(text, [&](std::string_view piece) { consume(piece, out); });
  }

  void finish(std::string& out) {
    chunks_.finish([&](std::string_view piece) { consume(piece, out); });
    reset();
  }

  void reset() noexcept {
    chunks_.reset();
    space_pending_ = false;
    last_ = last::nothing;
  }

 private:
  enum class last : std::uint8_t { nothing, han, other };

  void consume(std::string_view text, std::string& out) {
    for (std::size_t i = 0; i < text.size();) {
      const decoded next = decode_one(text.substr(i));
      i += next.length;
      const character_class kind = classify(next.code_point);
      if (kind == character_class::other) {
        space_pending_ = true;
        continue;
      }
      const bool han = kind == character_class::han;
      if (space_pending_ && last_ == last::other && !han) out.push_back(' ');
      // A mark after a Han character belongs to it, even one that a space set apart: there is none in the result.
      const bool with_han = kind == character_class::mark && last_ == last::han;
      last_ = han || with_han ? last::han : last::other;
      space_pending_ = false;
      char bytes[4];
      out.append(bytes, encode(to_lower(next.code_point), bytes));
    }
  }

  utf8_chunks chunks_;
  bool space_pending_ = false;
  last last_ = last::nothing;
};

/// A tokenizer of text that another component rewrites first.
template <class Rewriter, class Inner>
struct rewritten_stream {
  explicit rewritten_stream(const Inner& tokenizer) : inner(tokenizer) {}

  template <class Sink>
  void feed(std::string_view chunk, Sink&& sink) {
    text.clear();
    rewriter.append(chunk, text);
    inner.feed(text, sink);
  }

  template <class Sink>
  void finish(Sink&& sink) {
    text.clear();
    rewriter.finish(text);
    inner.feed(text, sink);
    inner.finish(sink);
  }

  void reset() noexcept {
    rewriter.reset();
    inner.reset();
  }

  Rewriter rewriter;
  std::string text;
  token_stream<Inner> inner;
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

}  // namespace detail

/// The text with the ASCII letters A to Z in lower case and every other byte as it was.
[[nodiscard]] inline std::string fold(std::string_view text) { return detail::rewrite<detail::ascii_folder>(text); }

/// The text in lower case with its words one space apart, or none apart beside a Han character.
///
/// Lower case is the simple mapping of Unicode 15. Runs of anything but letters, numbers and marks, ill-formed UTF-8
/// included, become one space; there is none at either end. The result is well-formed UTF-8.
[[nodiscard]] inline std::string normalise(std::string_view text) {
  return detail::rewrite<detail::text_normaliser>(text);
}

/// Tokenizes the folded text: upper and lower case of ASCII letters are the same. See fold.
template <tokenizer Inner>
struct folded {
  Inner inner{};

  template <class Sink>
  void operator()(std::string_view text, Sink&& sink) const {
    const std::string text_folded = fold(text);
    inner(text_folded, sink);
  }
};

template <class Inner>
folded(Inner) -> folded<Inner>;

/// Tokenizes the normalised text: case, punctuation and spacing do not matter. See normalise.
template <tokenizer Inner>
struct normalised {
  Inner inner{};

  template <class Sink>
  void operator()(std::string_view text, Sink&& sink) const {
    const std::string text_normalised = normalise(text);
    inner(text_normalised, sink);
  }
};

template <class Inner>
normalised(Inner) -> normalised<Inner>;

template <streaming_tokenizer Inner>
class token_stream<folded<Inner>> : public detail::rewritten_stream<detail::ascii_folder, Inner> {
 public:
  explicit token_stream(const folded<Inner>& tokenizer)
      : detail::rewritten_stream<detail::ascii_folder, Inner>(tokenizer.inner) {}
};

template <streaming_tokenizer Inner>
class token_stream<normalised<Inner>> : public detail::rewritten_stream<detail::text_normaliser, Inner> {
 public:
  explicit token_stream(const normalised<Inner>& tokenizer)
      : detail::rewritten_stream<detail::text_normaliser, Inner>(tokenizer.inner) {}
};

}  // namespace neardup::inline v0
