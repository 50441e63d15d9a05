// SPDX-License-Identifier: MIT
// Words: the units between spaces and punctuation, or the characters of scripts written without spaces.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "kernels/word_scanner.hpp"
#include "tokenizer.hpp"
#include "unicode.hpp"
#include "utf8.hpp"

namespace neardup::inline v0 {

/// Calls `visit(std::string_view word, std::string_view bytes)` for each word of a text, in order. See words.
///
/// `bytes` is a view of the text from the first character of the word to its last one. It equals the word, unless
/// ignored characters are in between.
template <class Visit>
void for_each_word(std::string_view text, Visit&& visit) {
  const auto take = [&](std::size_t begin, std::size_t end, bool is_whole) {
    const std::string_view bytes = text.substr(begin, end - begin);
    if (is_whole) [[likely]] {
      visit(bytes, bytes);
    } else {
      visit(std::string_view(detail::kept_characters(bytes)), bytes);
    }
  };
  detail::word_scanner scanner;
  scanner.scan(text, text.size(), take);
  scanner.close(take);
}

/// Tokenizes a text into its words.
///
/// A word is a maximal run of letters, numbers and the marks among them (Unicode general categories L, N and M). In a
/// script written without spaces (Han, Hiragana, Katakana, Thai, Lao, Khmer, Myanmar, ...) each letter is a separate
/// word, together with the marks that follow it. An emoji with its skin tone, or with everything joined to it, is also
/// a word, as are a flag and a keycap. Everything else separates words, including ill-formed UTF-8 and marks that do
/// not follow a word. Default-ignorable characters (variation selectors, soft hyphens, joiners between letters, ...)
/// are skipped; a token that contains one in the text is not a substring of the text, but for_each_word tells its
/// position. Case is kept; see folded and normalised. Complexity: linear.
struct words {
  template <class Sink>
  void operator()(std::string_view text, Sink&& sink) const {
    for_each_word(text, [&](std::string_view word, std::string_view /*bytes*/) { sink(word); });
  }
};

/// Cuts a text before a character that ends all words before it.
template <>
struct detail::cuts_of<words> {
  static text_cut cut(const words& /*tokenizer*/, std::string_view text, std::size_t& searched, bool at_end) noexcept {
    if (at_end) return {text.size(), text.size()};
    const std::size_t first = std::exchange(searched, text.size() - incomplete_suffix(text));
    // A byte that is not a continuation byte begins a character, whatever precedes it: look for the last such byte.
    for (std::size_t i = searched; i > first;) {
      const std::size_t end = i;
      do --i;
      while (i > first && is_continuation(text, i));
      const decoded character = decode_one(text.substr(i));
      // More continuation bytes follow than the character has. The first surplus byte is ill-formed, so it ends all
      // words: a cut.
      if (i + character.length < end) return {i + character.length, i + character.length};
      const character_class kind = classify(character.code_point);
      if (kind == character_class::other || kind == character_class::lone || kind == character_class::han)
        return {i, i};
    }
    return {0, 0};
  }
};

}  // namespace neardup::inline v0
