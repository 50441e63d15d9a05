// SPDX-License-Identifier: MIT
// Canonical text: normalised text that does not depend on which code points encode a character.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "kernels/joined_words.hpp"
#include "kernels/spelling_rules.hpp"
#include "normalise.hpp"
#include "tokenizer.hpp"
#include "utf8.hpp"

namespace neardup::inline v0 {

namespace detail {

/// Converts a text to canonical form, then normalises the text.
class text_canonicaliser {
 public:
  void append(std::string_view text, std::string& out) {
    chunks_.feed(text, [&](std::string_view piece) { take(piece, out); });
  }

  void finish(std::string& out) {
    chunks_.finish([&](std::string_view piece) { take(piece, out); });
    spelling_.finish([&](std::string_view part) { normaliser_.append(part, out); });
    normaliser_.finish(out);
  }

  void reset() noexcept {
    chunks_.reset();
    spelling_.reset();
    normaliser_.reset();
  }

 private:
  void take(std::string_view piece, std::string& out) {
    spelling_.append(piece, [&](std::string_view part) { normaliser_.append(part, out); });
  }

  utf8_chunks chunks_;
  canonical_spelling spelling_;
  text_normaliser normaliser_;
};

}  // namespace detail

/// Returns the canonical form of a text: normalised text (see normalise()) that does not depend on how characters are
/// spelt. The canonical form is composed (NFC). The case of letters is fully folded ("ß" becomes "ss"). Invisible
/// characters are removed. Presentation forms, and letters and digits in a mathematical font, are replaced by the
/// characters that they represent.
///
/// Invisible characters are the characters that Unicode calls default-ignorable: soft hyphens, joiners, zero-width
/// spaces, direction marks, variation selectors and others. The tatweel, similar characters, and the dot above an i are
/// removed, too. Presentation forms, such as ligatures, are in U+FB00 to U+FDFF, U+FE70 to U+FEFE and U+FF00 to
/// U+FFEF. Character references of HTML ("&eacute;", "&#233;") are replaced by the characters. A word that a hyphen or
/// soft hyphen divides at the end of a line is joined: "exam-\nple" becomes "example". No rule can tell a compound
/// from a divided word, so "well-\nknown" becomes "wellknown". Vietnamese tone marks are moved to one place: "hòa"
/// becomes "hoà". Only the first 30 marks of a character are kept. Marks without a base character are removed. The
/// result is well-formed UTF-8 in NFC.
/// canonicalise() leaves its own result unchanged. docs/fingerprint.md has every step.
[[nodiscard]] inline std::string canonicalise(std::string_view text) {
  return detail::rewrite<detail::text_canonicaliser>(text);
}

/// Tokenizes the canonical text; see canonicalise(). Case, punctuation and spacing do not matter. It does not matter
/// either which code points spell a character.
/// Example: `simhasher hash{canonical{shingles{2, words{}}}};`
template <class Inner>
struct canonical : detail::rewritten<canonical<Inner>, detail::text_canonicaliser, Inner> {};

template <class Inner>
canonical(Inner) -> canonical<Inner>;

template <class Inner>
inline constexpr std::string_view detail::part_name<canonical<Inner>> = "canonical";

namespace detail {

/// Joins the words of canonical text. Most text is already in canonical form, and is read without a copy.
class canonical_joined_words {
 public:
  void start(std::size_t n, word_form form) {
    spelling_.reset();
    joined_.start(n, form);
  }
  template <class Take>
  void append(std::string_view text, const Take& take) {
    spelling_.append(text, [&](std::string_view part) { joined_.append(part, take); });
  }
  template <class Take>
  void finish(const Take& take) {
    spelling_.finish([&](std::string_view part) { joined_.append(part, take); });
    joined_.finish(take);
  }

 private:
  canonical_spelling spelling_;
  joined_words joined_;
};

/// The word_recipe of words of canonical text. The joiner converts the text to canonical form, then normalises it.
template <class Inner>
  requires(word_recipe_of<Inner>::takes_forms)
struct word_recipe_of<canonical<Inner>> : word_recipe_of<Inner> {
  static constexpr bool takes_forms = false;
  using joiner = canonical_joined_words;
  static word_recipe of(const canonical<Inner>& tokenize) {
    return {word_recipe_of<Inner>::of(tokenize.inner).n, word_form::normalised};
  }
};

}  // namespace detail

}  // namespace neardup::inline v0
