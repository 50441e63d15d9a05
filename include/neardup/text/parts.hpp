// SPDX-License-Identifier: MIT
// Cuts a text into parts. Some parts, such as licences and navigation bars, occur in many documents that differ
// otherwise.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "sentences.hpp"
#include "unicode.hpp"
#include "utf8.hpp"

namespace neardup::inline v0 {

/// The kinds of parts into which text_parts cuts a text.
enum class part_kind {
  /// Paragraphs. A paragraph is consecutive lines, none of which is empty.
  paragraph,
  /// Sentences, as the tokenizer `sentences` cuts a text. But the marks that end a sentence, and closing quotes and
  /// brackets, belong to the sentence.
  sentence,
  line,
};

namespace detail {

constexpr bool is_blank(char c) noexcept { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }
constexpr bool is_space(char c) noexcept { return is_blank(c) || c == '\n' || c == '\r'; }

/// Returns true if a text contains a letter, a number or an emoji.
inline bool has_word(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const decoded next = decode_one(text.substr(i));
    if (next.valid && is_visible_word(classify(next.code_point))) return true;
    i += next.length;
  }
  return false;
}

/// Returns true if a character is a closing quote or bracket. Such a character belongs to the sentence before it.
constexpr bool closes(char32_t c) noexcept {
  switch (c) {
    case U'"':
    case U'\'':
    case U')':
    case U']':
    case U'}':
    case U'\u00bb':
    case U'\u2019':
    case U'\u201d':
    case U'\u300b':
    case U'\u300d':
    case U'\u300f':
    case U'\u3011':
    case U'\uff09': return true;
    default: return false;
  }
}

}  // namespace detail

/// Tokenizes a text into its parts. Parts are in order, and do not overlap. Each part is a view of the text, so its
/// position in bytes is `part.data() - text.data()`.
///
/// A part contains a letter, a number or an emoji. It has no ASCII white space at either end. Lines end with a line
/// feed, a carriage return, or a carriage return and a line feed.
/// Complexity: linear.
/// Example: `text_parts{part_kind::sentence}(text, [&](std::string_view part) { … })`
struct text_parts {
  part_kind kind = part_kind::paragraph;

  template <class Sink>
  void operator()(std::string_view text, Sink&& sink) const {
    switch (kind) {
      case part_kind::paragraph: return cut_lines(text, true, sink);
      case part_kind::line: return cut_lines(text, false, sink);
      case part_kind::sentence: return cut_sentences(text, sink);
    }
  }

 private:
  template <class Sink>
  static void hand_over(std::string_view part, Sink& sink) {
    while (!part.empty() && detail::is_space(part.front())) part.remove_prefix(1);
    while (!part.empty() && detail::is_space(part.back())) part.remove_suffix(1);
    if (detail::has_word(part)) sink(part);
  }

  template <class Sink>
  static void cut_lines(std::string_view text, bool are_joined, Sink& sink) {
    std::size_t begin = 0;  // beginning of the part
    for (std::size_t i = 0; i < text.size();) {
      const std::size_t end = (std::min)(text.find_first_of("\r\n", i), text.size());
      const std::string_view line = text.substr(i, end - i);
      const bool is_empty = std::all_of(line.begin(), line.end(), detail::is_blank);
      i = end + (text.substr(end, 2) == "\r\n" ? 2 : 1);
      if (are_joined && !is_empty) continue;
      hand_over(text.substr(begin, end - begin), sink);
      begin = (std::min)(i, text.size());
    }
    hand_over(text.substr(begin), sink);
  }

  template <class Sink>
  static void cut_sentences(std::string_view text, Sink& sink) {
    std::size_t begin = 0;
    bool is_ending = false;  // the sentence has ended; its last marks and closing characters follow
    for (std::size_t i = 0; i < text.size();) {
      const decoded next = decode_one(text.substr(i));
      const std::size_t after = i + next.length;
      const bool is_line_end = next.code_point == U'\n' || next.code_point == U'\r';
      const bool is_stop = next.code_point == U'.' &&
                           (after == text.size() || std::string_view(" \t\n\r\")").find(text[after]) != text.npos);
      const bool is_end = is_stop || detail::ends_sentence(next.code_point);
      if (is_line_end || (is_ending && !is_end && !detail::closes(next.code_point))) {
        hand_over(text.substr(begin, i - begin), sink);
        begin = i;
        is_ending = false;
      }
      is_ending = is_ending || (is_end && !is_line_end);
      i = after;
    }
    hand_over(text.substr(begin), sink);
  }
};

}  // namespace neardup::inline v0
