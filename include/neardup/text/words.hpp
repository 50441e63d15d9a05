// Words: what is between spaces and punctuation, in any script.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>

#include "kernels/word_scanner.hpp"
#include "tokenizer.hpp"
#include "unicode.hpp"
#include "utf8.hpp"

namespace neardup::inline v0 {

/// Tokenizes a text into its words.
///
/// A word is a maximal run of letters, numbers and the marks among them (Unicode general categories L, N and M). In a
/// script that is written without spaces (Han, Hiragana, Katakana, Thai, Lao, Khmer, Myanmar, ...) each letter is a
/// word of its own, together with the marks that follow it. Everything else separates words, ill-formed UTF-8 too.
/// Case is kept; see folded and normalised. Complexity: linear.
struct words {
  template <class Sink>
  void operator()(std::string_view text, Sink&& sink) const {
    detail::word_scanner scanner;
    scanner.scan(text, text.size(), sink);
    scanner.close(text, sink);
  }
};

/// A piece ends before a character that ends all words before it.
template <>
struct detail::cuts_of<words> {
  static text_cut cut(const words& /*tokenizer*/, std::string_view text, std::size_t& searched, bool at_end) noexcept {
    if (at_end) return {text.size(), text.size()};
    const std::size_t first = std::exchange(searched, text.size() - incomplete_suffix(text));
    // A byte that continues nothing always begins a character, whatever stands before it.
    for (std::size_t i = searched; i > first;) {
      const std::size_t end = i;
      do --i;
      while (i > first && is_continuation(text, i));
      const decoded character = decode_one(text.substr(i));
      // More bytes that continue something than this character has: the first of them is ill-formed.
      if (i + character.length < end) return {i + character.length, i + character.length};
      const character_class kind = classify(character.code_point);
      if (kind != character_class::letter && kind != character_class::mark) return {i, i};
    }
    return {0, 0};
  }
};

}  // namespace neardup::inline v0
