// SPDX-License-Identifier: MIT
// Folding and normalising remove the differences between texts that a comparison should ignore.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "../instruction_set.hpp"
#include "kernels/normalise_blocks.hpp"
#include "tokenizer.hpp"
#include "unicode.hpp"
#include "utf8.hpp"

namespace neardup::inline v0 {

namespace detail {

/// Converts the letters A to Z to lower case, and keeps all other bytes.
struct ascii_folder {
  static constexpr char fold(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

  void append(std::string_view text, std::string& out) {
    const std::size_t old_size = out.size();
    out.append(text);
    char* const folded = out.data() + old_size;
    std::size_t i = 0;
    for (std::uint64_t x; i + sizeof x <= text.size(); i += sizeof x) {
      std::memcpy(&x, folded + i, sizeof x);
      x = fold_bytes(x);
      std::memcpy(folded + i, &x, sizeof x);
    }
    for (; i < text.size(); ++i) folded[i] = fold(folded[i]);
  }
  void finish(std::string& /*out*/) {}
  void reset() noexcept {}
};

/// Converts a text to lower case. Replaces all characters between two words by one space, or by nothing beside a Han
/// character.
class text_normaliser {
 public:
  /// Appends the part of the result that later text cannot change. A space is appended only when a word follows the
  /// space.
  void append(std::string_view text, std::string& out) {
    chunks_.feed(text, [&](std::string_view piece) { consume(piece, out); });
  }

  void finish(std::string& out) {
    chunks_.finish([&](std::string_view piece) { consume(piece, out); });
    reset();
  }

  void reset() noexcept {
    chunks_.reset();
    last_ = normalised_end::nothing;
    sign_ = '\0';
  }

 private:
  void consume(std::string_view text, std::string& out) {
    // Processes `step` bytes at a time. So `out` grows by normalised_room(step), and not by the bound for the whole
    // text.
    constexpr std::size_t step = 4096;
    const instruction_set level = active_instruction_set();
    normalise_cursor cursor{text.data(), text.data() + text.size(), nullptr, last_, text.data(), sign_};
    std::size_t size = out.size();
    while (cursor.at < cursor.end) {
      const auto left = static_cast<std::size_t>(cursor.end - cursor.at);
      const std::size_t part = left < step ? left : step;
      // The additional byte is for a space before this part, which the previous iteration or call removed.
      out.resize(size + normalised_room(part) + 1);
      if (last_ == normalised_end::space) out[size++] = ' ';
      cursor.out = out.data() + size;
      take_blocks(cursor, cursor.at + part, level);
      last_ = cursor.last;
      size = static_cast<std::size_t>(cursor.out - out.data());
      if (last_ == normalised_end::space) --size;
    }
    out.resize(size);
    sign_ = keycap_sign(text.data(), text.data() + text.size(), sign_);
  }

  utf8_chunks chunks_;
  normalised_end last_ = normalised_end::nothing;
  char sign_ = '\0';  // keycap_sign() of the text so far
};

/// Returns the ASCII character by which append_narrowed() replaces a character, or 0 if the character is kept.
constexpr char narrow_form(char32_t c) noexcept {
  if (c >= 0xff01 && c <= 0xff5e) return static_cast<char>(c - 0xff00 + 0x20);
  const bool ends_line = c == 0x85 || c == 0x2028 || c == 0x2029;
  return c >= 0x80 && is_white_space(c) && !ends_line ? ' ' : '\0';
}

/// Appends a text to `out`, and replaces two kinds of characters: full-width ASCII characters by ASCII characters, and
/// each white-space character beyond ASCII, except line ends, by a space.
inline void append_narrowed(std::string_view text, std::string& out) {
  // Each character that is replaced begins with one of these bytes, which are rare in most texts.
  const auto may_change = [](unsigned char c) { return c == 0xc2 || c == 0xe1 || c == 0xe2 || c == 0xe3 || c == 0xef; };
  std::size_t kept = 0;
  for (std::size_t i = 0; i < text.size();) {
    if (!may_change(static_cast<unsigned char>(text[i]))) {
      ++i;
      continue;
    }
    const decoded next = decode_one(text.substr(i));
    if (const char folded = next.valid ? narrow_form(next.code_point) : '\0'; folded != '\0') {
      out.append(text.substr(kept, i - kept)).push_back(folded);
      kept = i + next.length;
    }
    i += next.length;
  }
  out.append(text.substr(kept));
}

using width_folder = piecewise_rewriter<append_narrowed>;

/// Appends a text without its white space to `out`.
inline void append_unspaced(std::string_view text, std::string& out) {
  for (std::size_t i = 0; i < text.size();) {
    const decoded next = decode_one(text.substr(i));
    if (!next.valid || !is_white_space(next.code_point)) out.append(text.substr(i, next.length));
    i += next.length;
  }
}

using space_remover = piecewise_rewriter<append_unspaced>;

}  // namespace detail

/// Returns the text with the letters A to Z in lower case, and all other bytes unchanged.
[[nodiscard]] inline std::string fold(std::string_view text) { return detail::rewrite<detail::ascii_folder>(text); }

/// Returns the text in narrow forms: the full-width forms of ASCII (U+FF01 to U+FF5E) become ASCII. Each white-space
/// character beyond ASCII, such as the ideographic space or the no-break space, becomes a space. Line ends and all
/// other bytes are unchanged.
[[nodiscard]] inline std::string narrow(std::string_view text) { return detail::rewrite<detail::width_folder>(text); }

/// Returns the text in lower case. There is one space between words, but no space beside a Han character.
///
/// Lower case is the simple mapping of Unicode 15. Words consist of letters, numbers, marks and emoji. Each run of
/// other characters, and of ill-formed UTF-8, becomes one space, or nothing at the ends of the text. Two kinds of
/// characters are removed: default-ignorable characters, except joiners between emoji; and marks without a character
/// before them. The result is well-formed UTF-8.
[[nodiscard]] inline std::string normalise(std::string_view text) {
  return detail::rewrite<detail::text_normaliser>(text);
}

/// Tokenizes the folded text, so that the case of ASCII letters does not matter. See fold().
template <class Inner>
struct folded : detail::rewritten<folded<Inner>, detail::ascii_folder, Inner> {};

template <class Inner>
folded(Inner) -> folded<Inner>;

template <class Inner>
inline constexpr std::string_view detail::part_name<folded<Inner>> = "folded";

/// Tokenizes the narrowed text, so that full-width letters, digits and punctuation equal those of ASCII. See narrow().
/// Example: `narrowed{folded{chinese_words{dictionary}}}`
template <class Inner>
struct narrowed : detail::rewritten<narrowed<Inner>, detail::width_folder, Inner> {};

template <class Inner>
narrowed(Inner) -> narrowed<Inner>;

template <class Inner>
inline constexpr std::string_view detail::part_name<narrowed<Inner>> = "narrowed";

/// Tokenizes the normalised text, so that case, punctuation and spacing do not matter. See normalise().
template <class Inner>
struct normalised : detail::rewritten<normalised<Inner>, detail::text_normaliser, Inner> {};

template <class Inner>
normalised(Inner) -> normalised<Inner>;

template <class Inner>
inline constexpr std::string_view detail::part_name<normalised<Inner>> = "normalised";

/// Tokenizes the text without its white space (the Unicode property White_Space), so that n-grams extend across words.
/// Example: `normalised{unspaced{code_point_ngrams{4}}}` cuts "Python is sexy" into pyth, ytho, thon, honi … sexy.
template <class Inner>
struct unspaced : detail::rewritten<unspaced<Inner>, detail::space_remover, Inner> {};

template <class Inner>
unspaced(Inner) -> unspaced<Inner>;

template <class Inner>
inline constexpr std::string_view detail::part_name<unspaced<Inner>> = "unspaced";

namespace detail {

/// The word_recipe of a tokenizer that rewrites the text to `Form`. If the inner tokenizer has another form, the larger
/// of the two word_form values counts. For example, words of text that is folded and then normalised are normalised.
template <class Rewriting, class Inner, word_form Form>
struct changed_recipe : word_recipe_of<Inner> {
  static word_recipe of(const Rewriting& tokenize) {
    const word_recipe inner = word_recipe_of<Inner>::of(tokenize.inner);
    return {inner.n, (std::max)(inner.form, Form)};
  }
};

template <class Inner>
  requires(word_recipe_of<Inner>::takes_forms)
struct word_recipe_of<folded<Inner>> : changed_recipe<folded<Inner>, Inner, word_form::folded> {};
template <class Inner>
  requires(word_recipe_of<Inner>::takes_forms)
struct word_recipe_of<normalised<Inner>> : changed_recipe<normalised<Inner>, Inner, word_form::normalised> {};

}  // namespace detail

}  // namespace neardup::inline v0
