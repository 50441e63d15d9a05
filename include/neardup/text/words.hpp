// SPDX-License-Identifier: MIT
// Tokenizers for words. words: the units between spaces and punctuation, or the characters of scripts written without
// spaces. spaced_words: the runs between white space, for text that another program has cut into words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../instruction_set.hpp"
#include "../simd/forms.hpp"
#include "kernels/joined_words.hpp"
#include "kernels/word_scanner.hpp"
#include "kernels/word_spans.hpp"
#include "tokenizer.hpp"
#include "unicode.hpp"
#include "utf8.hpp"

namespace neardup::inline v0 {

/// Calls `visit(std::string_view word, std::string_view bytes)` for each word of a text, in order. See words.
///
/// `bytes` is a view of the text from the first to the last character of the word. `bytes` equals the word, unless the
/// text has ignored characters inside the word.
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
/// script written without spaces (Han, Hiragana, Katakana, Thai, Lao, Khmer, Myanmar, ...), each letter is a word,
/// together with the marks that follow the letter. A flag and a keycap are words. An emoji is one word with its skin
/// tone, or with all emoji joined to it. All other characters separate words, and so do ill-formed UTF-8 and marks that
/// do not follow a word. Default-ignorable characters (variation selectors, soft hyphens, joiners between letters, ...)
/// are skipped. If the text has such a character inside a word, the token is not a substring of the text;
/// for_each_word() gives its position. Case is kept; see folded and normalised.
/// Complexity: linear.
struct words {
  template <class Sink>
  void operator()(std::string_view text, Sink&& sink) const {
    for_each_word(text, [&](std::string_view word, std::string_view /*bytes*/) { sink(word); });
  }

  /// Returns the position of the last character at which no word is open, or 0 if there is none. See `cut` of a
  /// tokenizer.
  [[nodiscard]] std::size_t cut(std::string_view text) const noexcept {
    // A byte that is not a continuation byte begins a character, whatever byte precedes it. The loop finds the last
    // such byte.
    for (std::size_t i = text.size() - incomplete_suffix(text); i > 0;) {
      const std::size_t end = i;
      do --i;
      while (i > 0 && detail::is_continuation(text, i));
      const decoded character = decode_one(text.substr(i));
      // The text ends with more continuation bytes than its last character has. The first surplus byte is ill-formed.
      // An ill-formed byte ends all words, so it is a cut.
      if (i + character.length < end) return i + character.length;
      const character_class kind = classify(character.code_point);
      if (kind == character_class::other || kind == character_class::lone || kind == character_class::han) return i;
    }
    return 0;
  }
};

template <>
inline constexpr std::string_view detail::part_name<words> = "words";

namespace detail {

template <>
struct word_recipe_of<words> {
  static constexpr bool is_known = true, is_single = true, takes_forms = true;
  using joiner = joined_words;
  static word_recipe of(const words& /*tokenize*/) noexcept { return {1, word_form::as_written}; }
};

/// Reads words, or shingles of words, in blocks. A joiner copies the words of a text to one string.
template <class Tokenizer>
  requires(word_recipe_of<Tokenizer>::is_known)
struct token_source<Tokenizer, true> {
  static constexpr bool is_plain = false;
  using rewriter = no_rewriter;

  /// Returns the cut after the last whole character of a text. A word may be open at the cut; the joiner of words
  /// continues it.
  static text_cut cut(const Tokenizer& /*tokenize*/, std::string_view text) noexcept {
    const std::size_t at = text.size() - incomplete_suffix(text);
    return {at, at};
  }

  void start(const Tokenizer& tokenize) {
    const word_recipe recipe = word_recipe_of<Tokenizer>::of(tokenize);
    joiner.start(recipe.n, recipe.form);
  }
  template <class Sink>
  void read(const Tokenizer& /*tokenize*/, std::string_view piece, Sink& sink) {
    joiner.append(piece, sink);
  }
  template <class Sink>
  void finish(const Tokenizer& /*tokenize*/, Sink& sink) {
    joiner.finish(sink);
  }

  typename word_recipe_of<Tokenizer>::joiner joiner;
};

/// Reads words as they are written. Words are read in place unless copying is faster.
template <>
struct token_source<words, true> {
  static constexpr bool is_plain = false;
  using rewriter = no_rewriter;

  static text_cut cut(const words& tokenize, std::string_view text) noexcept {
    const std::size_t at = tokenize.cut(text);
    return {at, at};
  }

  void start(const words& /*tokenize*/) {
    is_in_place = choose_form(active_instruction_set(), [](auto form) { return decltype(form)::reads_words_in_place; });
    if (!is_in_place) joiner.start(1, word_form::as_written);
  }

  template <class Sink>
  void read(const words& /*tokenize*/, std::string_view piece, Sink& sink) {
    if (is_in_place) return read_in_place(piece, sink);
    joiner.append(piece, sink);
  }

  template <class Sink>
  void finish(const words& /*tokenize*/, Sink& sink) {
    if (!is_in_place) joiner.finish(sink);
  }

  template <class Sink>
  void read_in_place(std::string_view text, Sink& sink) {
    word_span_finder finder(text, active_instruction_set());
    token_spans spans;
    while (finder.next(spans)) {
      if (spans.has_parted) [[unlikely]] {
        for (std::size_t i = 0; i < spans.count; ++i) {
          const std::string_view word = text.substr(spans.begin[i], spans.end[i] - spans.begin[i]);
          spans.parted[i] ? sink(std::string_view(kept_characters(word))) : sink(word);
        }
        continue;
      }
      // The sink loads 64 bits from the beginning of each word. It cannot do so for a word that begins in the last 7
      // bytes of the text, so such a word is passed singly.
      while (spans.count > 0 && spans.begin[spans.count - 1] + sizeof(std::uint64_t) > text.size()) {
        --spans.count;
        sink(text.substr(spans.begin[spans.count], spans.end[spans.count] - spans.begin[spans.count]));
      }
      sink(text.data(), spans.view());
    }
  }

  joined_words joiner;
  bool is_in_place = true;
};

/// Returns the offset of the last ASCII white space of a text, or 0 if the text has no white space. Tokenizers whose
/// tokens contain no white space call this function in their member `cut`.
inline std::size_t cut_at_space(std::string_view text) noexcept {
  for (std::size_t i = text.size(); i > 0; --i) {
    const char c = text[i - 1];
    if (c == ' ' || (c >= '\t' && c <= '\r')) return i - 1;
  }
  return 0;
}

}  // namespace detail

/// Tokenizes a text into its runs of characters that are not white space (the Unicode property White_Space). The runs
/// are unchanged: case, punctuation and ill-formed bytes are kept.
///
/// Use this tokenizer if another program, such as jieba, MeCab, ICU or the tokenizer of a language model, has cut the
/// text into words.
/// Complexity: linear.
/// Example: `simhasher hash{shingles{2, spaced_words{}}}`
struct spaced_words {
  template <class Sink>
  void operator()(std::string_view text, Sink&& sink) const {
    std::size_t begin = 0;
    const auto close = [&](std::size_t end, std::size_t next) {
      if (end > begin) sink(text.substr(begin, end - begin));
      begin = next;
    };
    for (std::size_t i = 0; i < text.size();) {
      const decoded next = decode_one({text.data() + i, text.size() - i});
      const std::size_t after = i + next.length;
      if (next.valid && detail::is_white_space(next.code_point)) close(i, after);
      i = after;
    }
    close(text.size(), text.size());
  }

  /// Returns where a text can be cut: the offset of the last ASCII white space, or 0. See tokenizer.
  [[nodiscard]] std::size_t cut(std::string_view text) const noexcept { return detail::cut_at_space(text); }
};

template <>
inline constexpr std::string_view detail::part_name<spaced_words> = "spaced_words";

}  // namespace neardup::inline v0
