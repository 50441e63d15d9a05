// SPDX-License-Identifier: MIT
// Tokenizers for sentences, for the longest sentences, and for other parts of a text: paragraphs and lines. The longest
// sentences of a web page stay the same when its navigation, its order and its headlines change.
#pragma once

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../error.hpp"
#include "tokenizer.hpp"
#include "unicode.hpp"
#include "utf8.hpp"

namespace neardup::inline v0 {

namespace detail {

/// Returns true if a character always ends a sentence: ! ? ; and line ends, and the marks of Chinese, Japanese, Arabic,
/// Devanagari and Armenian. A full stop may end a sentence; the callers check the next character.
constexpr bool ends_sentence(char32_t c) noexcept {
  switch (c) {
    case U'!':
    case U'?':
    case U';':
    case U'\n':
    case U'\r':
    case U'\u3002':
    case U'\uff01':
    case U'\uff1f':
    case U'\uff1b':
    case U'\uff61':
    case U'\uff0e':
    case U'\u2026':
    case U'\u2028':
    case U'\u2029':
    case U'\u061f':
    case U'\u06d4':
    case U'\u0964':
    case U'\u0965':
    case U'\u0589': return true;
    default: return false;
  }
}

}  // namespace detail

/// Tokenizes a text into its sentences. The punctuation at the end of a sentence, and blanks around it, are left out.
///
/// A sentence ends at a line end, at ! ? ; and at marks of other scripts with the same meaning. A sentence also ends at
/// a full stop if a space, a tab, a line end, a double quote, a closing parenthesis or the end of the text follows. So
/// 3.14 and example.org are not cut. A sentence contains a letter, a number or an emoji.
/// Complexity: linear.
struct sentences {
  template <class Sink>
  void operator()(std::string_view text, Sink&& sink) const {
    std::size_t begin = text.size(), end = 0;  // from the first letter of the sentence to the character before its end
    const auto close = [&] {
      if (begin < end) sink(text.substr(begin, end - begin));
      begin = text.size();
      end = 0;
    };
    for (std::size_t i = 0; i < text.size();) {
      const decoded next = decode_one(text.substr(i));
      const std::size_t after = i + next.length;
      const bool is_stop = next.code_point == U'.' &&
                           (after == text.size() || text[after] == ' ' || text[after] == '\t' || text[after] == '\n' ||
                            text[after] == '\r' || text[after] == '"' || text[after] == ')');
      if (is_stop || detail::ends_sentence(next.code_point)) {
        close();
      } else if (next.valid && detail::is_visible_word(classify(next.code_point))) {
        begin = (std::min)(begin, i);
        end = after;
      }
      i = after;
    }
    close();
  }
};

template <>
inline constexpr std::string_view detail::part_name<sentences> = "sentences";

/// Passes only the n longest distinct tokens of another tokenizer. The length is measured in code points. Longer tokens
/// come first, and tokens of one length are sorted by bytes. So the order of the tokens in the text does not matter,
/// nor does the number of shorter tokens.
///
/// Throws: std::invalid_argument if n = 0.
/// Example: `simhasher hash{longest{3, sentences{}}}`
template <class Inner>
struct longest {
  static_assert(tokenizer<Inner>, "neardup: longest{n, tokenizer} needs a tokenizer, such as words{}");

  std::size_t n = 3;
  Inner inner{};

  template <class Sink>
  void operator()(std::string_view text, Sink&& sink) const {
    if (n == 0) detail::fail<std::invalid_argument>("longest{n, tokenizer} needs n of 1 or more");
    std::vector<std::pair<std::size_t, std::string>> kept;  // (length, text), longest first
    const auto is_before = [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first > b.first : a.second < b.second;
    };
    auto take = [&](std::string_view token) {
      std::size_t length = 0;
      for_each_code_point(token, [&](char32_t, std::string_view) { ++length; });
      if (kept.size() == n && length < kept.back().first) return;
      std::pair<std::size_t, std::string> candidate(length, token);
      const auto place = std::lower_bound(kept.begin(), kept.end(), candidate, is_before);
      if (place != kept.end() && *place == candidate) return;
      kept.insert(place, std::move(candidate));
      if (kept.size() > n) kept.pop_back();
    };
    inner(text, take);
    for (const auto& [length, token] : kept) sink(std::string_view(token));
  }
};

template <class Inner>
longest(std::size_t, Inner) -> longest<Inner>;

template <class Inner>
inline constexpr std::string_view detail::part_name<longest<Inner>> = "longest";

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
