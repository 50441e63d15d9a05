// SPDX-License-Identifier: MIT
// N-grams: all windows of n consecutive bytes or code points.
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

/// Tokenizes a text into its n-grams of bytes; the bytes need not be text.
///
/// A text of m >= n bytes has m - n + 1 tokens; a shorter, non-empty text has one token, which is the whole text.
/// Throws: std::invalid_argument if it is called with n = 0. Complexity: linear in the number of windows.
struct byte_ngrams {
  std::size_t n = 8;

  template <class Sink>
  void operator()(std::string_view text, Sink&& sink) const;
};

/// Tokenizes a text into its n-grams of code points, encoded as UTF-8.
///
/// Each maximal ill-formed subpart of UTF-8 counts as U+FFFD. A text of m >= n code points has m - n + 1 tokens; a
/// shorter, non-empty text has one token, which is the whole text.
/// Throws: std::invalid_argument if it is called with n = 0. Complexity: linear in the number of windows.
struct code_point_ngrams {
  std::size_t n = 2;

  template <class Sink>
  void operator()(std::string_view text, Sink&& sink) const;
};

namespace detail {

inline void check_window_size(std::size_t n) {
  if (n == 0) fail<std::invalid_argument>("n-grams need n of 1 or more");
}

/// The length in bytes of the code point that begins at `position`. Precondition: the text is well-formed UTF-8.
inline std::size_t code_point_length(std::string_view text, std::size_t position) noexcept {
  const auto lead = static_cast<unsigned char>(text[position]);
  return lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

/// Appends `text` to `out` with each ill-formed subpart replaced by U+FFFD in UTF-8.
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
  std::size_t begin = 0, count = 0;  // begin of the window; number of code points up to its end
  for (std::size_t end = 0; end < text.size();) {
    end += detail::code_point_length(text, end);
    if (++count < n) continue;
    sink(std::string_view(text.data() + begin, end - begin));
    begin += detail::code_point_length(text, begin);
  }
  if (count > 0 && count < n) sink(text);
}

namespace detail {

/// Each piece begins with the last n - 1 units (bytes or code points) of the piece before.
template <>
struct cuts_of<byte_ngrams> {
  static text_cut cut(const byte_ngrams& tokenize, const std::string& text, std::size_t& /*searched*/,
                      bool /*at_end*/) noexcept {
    return {text.size(), text.size() < tokenize.n ? 0 : text.size() - (tokenize.n - 1)};
  }
};

/// Cuts a text between code points: each piece repeats the last n - 1 code points of the piece before, and the bytes of
/// an incomplete code point are left to the next piece.
template <>
struct cuts_of<code_point_ngrams> {
  static text_cut cut(const code_point_ngrams& tokenize, std::string& text, std::size_t& /*searched*/, bool at_end) {
    const std::size_t unfinished = at_end ? 0 : incomplete_suffix(text);
    const std::string_view complete = std::string_view(text).substr(0, text.size() - unfinished);
    if (!is_well_formed(complete, active_instruction_set())) {
      std::string repaired;
      append_repaired(complete, repaired);
      text.replace(0, complete.size(), repaired);
    }
    const std::size_t end = text.size() - unfinished;
    std::size_t next = end;
    for (std::size_t i = 1; i < tokenize.n && next > 0; ++i) {
      do --next;
      while (is_continuation(text, next));
    }
    return {end, next};
  }
};

}  // namespace detail

}  // namespace neardup::inline v0
