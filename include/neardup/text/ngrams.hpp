// SPDX-License-Identifier: MIT
// Tokenizers for n-grams: all windows of n consecutive bytes or code points.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

#include "../error.hpp"
#include "kernels/utf8_blocks.hpp"
#include "tokenizer.hpp"
#include "utf8.hpp"

namespace neardup::inline v0 {

/// Tokenizes a text into its n-grams of bytes. The bytes may be any data, not only text.
///
/// A text of m >= n bytes has m - n + 1 tokens. A shorter, non-empty text has one token, which is the whole text.
/// Throws: std::invalid_argument if n = 0.
/// Complexity: linear in the number of windows.
struct byte_ngrams {
  std::size_t n = 8;

  template <class Sink>
  void operator()(std::string_view text, Sink&& sink) const;
};

/// Tokenizes a text into its n-grams of code points, encoded as UTF-8.
///
/// Each maximal ill-formed subpart of UTF-8 counts as U+FFFD. A text of m >= n code points has m - n + 1 tokens. A
/// shorter, non-empty text has one token, which is the whole text.
/// Throws: std::invalid_argument if n = 0.
/// Complexity: linear in the number of windows.
struct code_point_ngrams {
  std::size_t n = 2;

  template <class Sink>
  void operator()(std::string_view text, Sink&& sink) const;
};

template <>
inline constexpr std::string_view detail::part_name<byte_ngrams> = "byte_ngrams";

template <>
inline constexpr std::string_view detail::part_name<code_point_ngrams> = "code_point_ngrams";

namespace detail {

inline void check_window_size(std::size_t n) {
  if (n == 0) fail<std::invalid_argument>("n-grams need n of 1 or more");
}

/// Returns the length in bytes of the code point that begins at `position`.
/// Precondition: the text is well-formed UTF-8.
inline std::size_t code_point_length(std::string_view text, std::size_t position) noexcept {
  const auto lead = static_cast<unsigned char>(text[position]);
  return lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

/// Appends `text` to `out`. Each ill-formed subpart is replaced by U+FFFD in UTF-8.
inline void append_repaired(std::string_view text, std::string& out) {
  std::size_t copied = 0;
  for (std::size_t i = 0; i < text.size();) {
    const decoded next = decode_one(text.substr(i));
    if (!next.valid) {
      out.append(text.substr(copied, i - copied)).append("\xEF\xBF\xBD");
      copied = i + next.length;
    }
    i += next.length;
  }
  out.append(text.substr(copied));
}

}  // namespace detail

template <class Sink>
void byte_ngrams::operator()(std::string_view text, Sink&& sink) const {
  detail::check_window_size(n);
  if (text.empty()) return;
  if (text.size() <= n) {
    sink(text);
    return;
  }
  for (std::size_t i = 0; i + n <= text.size(); ++i) sink(text.substr(i, n));
}

template <class Sink>
void code_point_ngrams::operator()(std::string_view text, Sink&& sink) const {
  detail::check_window_size(n);
  std::string repaired;
  if (!detail::is_well_formed(text, active_instruction_set())) {
    detail::append_repaired(text, repaired);
    text = repaired;
  }
  std::size_t begin = 0, count = 0;  // `begin`: beginning of the window; `count`: number of code points up to its end
  for (std::size_t end = 0; end < text.size();) {
    end += detail::code_point_length(text, end);
    if (++count < n) continue;
    sink(std::string_view(text.data() + begin, end - begin));
    begin += detail::code_point_length(text, begin);
  }
  if (count > 0 && count < n) sink(text);
}

namespace detail {

/// Reads all windows of n bytes. Each piece of the text begins with the last n - 1 bytes of the previous piece.
template <bool InBlocks>
struct token_source<byte_ngrams, InBlocks> {
  static constexpr bool is_plain = true, gives_windows = true;
  using rewriter = no_rewriter;

  static text_cut cut(const byte_ngrams& tokenize, std::string_view text) noexcept {
    return text.size() < tokenize.n ? text_cut{0, 0} : text_cut{text.size(), text.size() - (tokenize.n - 1)};
  }

  /// Passes all windows of a text to `out`.
  /// Returns: false if `out` does not take windows of this size.
  template <class Windows>
  static bool pass_windows(const byte_ngrams& tokenize, std::string_view text, Windows& out) {
    return out.bytes(text, tokenize.n);
  }

  void start(const byte_ngrams& tokenize) { check_window_size(tokenize.n); }
  template <class Sink>
  void read(const byte_ngrams& tokenize, std::string_view piece, Sink& sink) {
    if constexpr (InBlocks) {
      if (pass_windows(tokenize, piece, sink)) return;
    }
    tokenize(piece, sink);
  }
  template <class Sink>
  void finish(const byte_ngrams& /*tokenize*/, Sink& /*sink*/) noexcept {}
};

/// Reads all windows of n code points. Each piece of the text begins with the last n - 1 code points of the previous
/// piece.
template <bool InBlocks>
struct token_source<code_point_ngrams, InBlocks> {
  static constexpr bool is_plain = true;
  using rewriter = no_rewriter;

  static text_cut cut(const code_point_ngrams& tokenize, std::string_view text) noexcept {
    const std::size_t end = text.size() - incomplete_suffix(text);
    // Goes back to a byte that is not a continuation byte, because such a byte always begins a code point. A
    // continuation byte may belong to a sequence, or be ill-formed.
    std::size_t next = end, count = 0;
    while (count + 1 < tokenize.n && next > 0) {
      const std::size_t behind = next;
      do --next;
      while (next > 0 && is_continuation(text, next));
      for_each_code_point(text.substr(next, behind - next), [&](char32_t, std::string_view) { ++count; });
    }
    for (; count + 1 > tokenize.n; --count) next += decode_one(text.substr(next)).length;
    return next == 0 ? text_cut{0, 0} : text_cut{end, next};
  }

  void start(const code_point_ngrams& tokenize) { check_window_size(tokenize.n); }
  template <class Sink>
  void read(const code_point_ngrams& tokenize, std::string_view piece, Sink& sink) {
    if constexpr (InBlocks) {
      if (!is_well_formed(piece, active_instruction_set())) {
        repaired.clear();
        append_repaired(piece, repaired);
        piece = repaired;
      }
      if (sink.code_points(piece, tokenize.n)) return;
    }
    tokenize(piece, sink);
  }
  template <class Sink>
  void finish(const code_point_ngrams& /*tokenize*/, Sink& /*sink*/) noexcept {}

  std::string repaired;
};

}  // namespace detail

}  // namespace neardup::inline v0
