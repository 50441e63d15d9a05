// Canonical text: normalised text in which it does not matter how characters are spelt in code points.
#pragma once

#include <string>
#include <string_view>

#include "kernels/spelling_rules.hpp"
#include "normalise.hpp"
#include "tokenizer.hpp"
#include "utf8.hpp"

namespace neardup::inline v0 {

namespace detail {

/// Brings a text into canonical form, then normalises it.
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

/// The text as normalise() has it, but the same however its characters are spelt: composed (NFC), in full case folding
/// ("ß" is "ss"), without what is not seen, presentation forms as what they stand for.
///
/// What is not seen: soft hyphens, joiners, zero-width spaces, direction marks, variation selectors, whatever else
/// Unicode calls default-ignorable, the tatweel and its like, and the dot above an i. Ligatures and other forms are those
/// of U+FB00 to U+FDFF, U+FE70 to U+FEFE and U+FF00 to U+FFEF. Character references of HTML ("&eacute;", "&#233;") are
/// the characters. A word that a hyphen or soft hyphen cuts at the end of a line is whole: "exam-\nple" is "example", and
/// "well-\nknown", which cannot be told from it, "wellknown". Vietnamese tone marks have one place: "hòa" is "hoà". Of the marks of a character 30 count, and marks without a
/// character do not. The result is well-formed UTF-8 in NFC, and canonicalise() leaves it as it is.
/// docs/fingerprint.md has every step.
[[nodiscard]] inline std::string canonicalise(std::string_view text) {
  return detail::rewrite<detail::text_canonicaliser>(text);
}

/// Tokenizes the canonical text: case, punctuation and spacing do not matter, nor does how characters are spelt in code
/// points. See canonicalise.
/// Example: `simhasher hash{canonical{shingles{2, words{}}}};`
template <class Inner>
struct canonical : detail::rewritten<canonical<Inner>, detail::text_canonicaliser, Inner> {};

template <class Inner>
canonical(Inner) -> canonical<Inner>;

}  // namespace neardup::inline v0
