// SPDX-License-Identifier: MIT
// Names of features, such as "words:2", and the tokenizer for each name. Command lines and configuration files use the
// names.
#pragma once

#include <charconv>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "../detail/compiled.hpp"
#include "../error.hpp"
#include "canonical.hpp"
#include "code.hpp"
#include "counted.hpp"
#include "mask.hpp"
#include "ngrams.hpp"
#include "normalise.hpp"
#include "sentences.hpp"
#include "shingles.hpp"
#include "words.hpp"

namespace neardup::inline v0 {

/// The kinds of features.
enum class feature_kind {
  words,              ///< runs of n words of the normalised text
  chars,              ///< runs of n code points of the normalised text
  bytes,              ///< runs of n bytes of the text
  masked_words,       ///< runs of n words of the masked, then normalised text (see mask())
  canonical_words,    ///< runs of n words of the canonical text (see canonicalise())
  canonical_chars,    ///< runs of n code points of the canonical text
  letters,            ///< runs of n code points of the normalised text without its spaces
  longest_sentences,  ///< the n longest sentences of the text
  code,               ///< runs of n code_tokens of the text
  spaced_words        ///< runs of n spaced_words of the text
};

/// A choice of features: the kind, the number n (of words, code points, bytes, tokens or sentences), and whether each
/// occurrence counts.
struct feature_choice {
  feature_kind kind = feature_kind::words;
  std::size_t size = 2;     ///< at least 1
  bool is_counted = false;  ///< true if the n-th occurrence is a feature of its own (see counted)

  friend constexpr bool operator==(const feature_choice&, const feature_choice&) = default;
};

namespace detail {

struct feature_name {
  feature_kind kind;
  std::string_view name;
};
inline constexpr feature_name feature_names[] = {
    {feature_kind::words, "words"},
    {feature_kind::chars, "chars"},
    {feature_kind::bytes, "bytes"},
    {feature_kind::masked_words, "masked:words"},
    {feature_kind::canonical_words, "canonical:words"},
    {feature_kind::canonical_chars, "canonical:chars"},
    {feature_kind::letters, "letters"},
    {feature_kind::longest_sentences, "longest"},
    {feature_kind::code, "code"},
    {feature_kind::spaced_words, "spaced:words"},
};
inline constexpr std::string_view counted_prefix = "counted:";

}  // namespace detail

/// Returns the name of a choice, which parse_features() can parse. Names are, for example, "words:2", "chars:5",
/// "bytes:8", "masked:words:2", "canonical:chars:5", "letters:4", "longest:3", "code:4" and "spaced:words:2".
/// "counted:" stands before the name if each occurrence counts.
[[nodiscard]] std::string to_string(const feature_choice& features);

/// Parses the name of a choice: "words", "words:N", "chars:N", "bytes:N", "masked:words", "masked:words:N",
/// "canonical:words", "canonical:words:N", "canonical:chars:N", "letters:N", "longest:N", "code:N", "spaced:words" or
/// "spaced:words:N". N is a number from 1 to 1000. "counted:" may stand before the name.
/// Throws: std::invalid_argument for any other name. The message has the reason.
[[nodiscard]] feature_choice parse_features(std::string_view name);

namespace detail {

/// The tokenizer of any choice, without counts. It is one type for all choices, so `counted` is compiled only once.
struct chosen_tokenizer {
  feature_choice features;

  template <class Sink>
  void operator()(std::string_view text, Sink&& sink) const {
    pass(text, sink_reference(sink));
  }
  void pass(std::string_view text, sink_reference sink) const;

  /// Returns the name of the tokenizer that with_tokenizer() uses.
  [[nodiscard]] std::string description() const;
};

}  // namespace detail

/// Calls `use(tokenizer)` with the tokenizer of a choice. Each kind of features has a tokenizer of another type, so
/// `use` is compiled for twelve types.
/// Precondition: features.size is at least 1.
/// Returns: the result of `use`.
template <class Use>
decltype(auto) with_tokenizer(const feature_choice& features, Use&& use) {
  if (features.is_counted) return std::forward<Use>(use)(counted{detail::chosen_tokenizer{features}});
  switch (features.kind) {
    case feature_kind::chars: return std::forward<Use>(use)(normalised{code_point_ngrams{features.size}});
    case feature_kind::bytes: return std::forward<Use>(use)(byte_ngrams{features.size});
    case feature_kind::masked_words:
      return std::forward<Use>(use)(masked{normalised{shingles{features.size, words{}}}});
    case feature_kind::canonical_words: return std::forward<Use>(use)(canonical{shingles{features.size, words{}}});
    case feature_kind::canonical_chars: return std::forward<Use>(use)(canonical{code_point_ngrams{features.size}});
    case feature_kind::letters: return std::forward<Use>(use)(normalised{unspaced{code_point_ngrams{features.size}}});
    case feature_kind::longest_sentences: return std::forward<Use>(use)(longest{features.size, sentences{}});
    case feature_kind::code: return std::forward<Use>(use)(shingles{features.size, code_tokens{}});
    case feature_kind::spaced_words: return std::forward<Use>(use)(shingles{features.size, spaced_words{}});
    case feature_kind::words: break;
  }
  if (features.size == 1) return std::forward<Use>(use)(normalised{words{}});
  return std::forward<Use>(use)(normalised{shingles{features.size, words{}}});
}

#if NEARDUP_BODIES

NEARDUP_INLINE void detail::chosen_tokenizer::pass(std::string_view text, sink_reference sink) const {
  feature_choice each = features;
  each.is_counted = false;
  // The tokenizer is never `counted` here. Without the test of is_counted, `counted` would instantiate itself.
  with_tokenizer(each, [&]<class Tokenizer>(const Tokenizer& tokenize) {
    if constexpr (!is_counted<Tokenizer>) tokenize(text, sink);
  });
}

NEARDUP_INLINE std::string detail::chosen_tokenizer::description() const {
  const std::string n = std::to_string(features.size);
  const auto shingles_of = [&n](const char* inner) { return "shingles(" + n + ", " + inner + ")"; };
  const std::string characters = "code_point_ngrams(" + n + ")";
  switch (features.kind) {
    case feature_kind::chars: return "normalised(" + characters + ")";
    case feature_kind::bytes: return "byte_ngrams(" + n + ")";
    case feature_kind::masked_words: return "masked(normalised(" + shingles_of("words") + "))";
    case feature_kind::canonical_words: return "canonical(" + shingles_of("words") + ")";
    case feature_kind::canonical_chars: return "canonical(" + characters + ")";
    case feature_kind::letters: return "normalised(unspaced(" + characters + "))";
    case feature_kind::longest_sentences: return "longest(" + n + ", sentences)";
    case feature_kind::code: return shingles_of("code_tokens");
    case feature_kind::spaced_words: return shingles_of("spaced_words");
    case feature_kind::words: break;
  }
  return "normalised(" + (features.size == 1 ? std::string("words") : shingles_of("words")) + ")";
}

NEARDUP_INLINE std::string to_string(const feature_choice& features) {
  std::string text(features.is_counted ? detail::counted_prefix : "");
  for (const detail::feature_name& one : detail::feature_names) {
    if (one.kind == features.kind) text += one.name;
  }
  return text + ":" + std::to_string(features.size);
}

NEARDUP_INLINE feature_choice parse_features(std::string_view name) {
  const auto refuse = [whole = name](const char* why) {
    detail::fail<std::invalid_argument>({"'", whole, "': ", why});
  };
  const bool is_counted = name.starts_with(detail::counted_prefix);
  if (is_counted) name.remove_prefix(detail::counted_prefix.size());
  std::size_t colon = name.rfind(':');
  for (const detail::feature_name& one : detail::feature_names) {
    if (one.name == name) colon = name.npos;
  }
  const std::string_view kind = name.substr(0, colon);
  feature_choice features{.size = 1, .is_counted = is_counted};
  bool is_known = false;
  for (const detail::feature_name& one : detail::feature_names) {
    if (one.name != kind) continue;
    features.kind = one.kind;
    is_known = true;
  }
  if (!is_known) {
    refuse(
        "features are words, words:N, chars:N, bytes:N, masked:words:N, canonical:words:N, canonical:chars:N, "
        "letters:N, longest:N, code:N or spaced:words:N, or counted: and one of these");
  }
  if (colon == name.npos) {
    if (features.kind == feature_kind::longest_sentences) refuse("say how many sentences, as in longest:3");
    if (features.kind == feature_kind::code) refuse("say how many tokens, as in code:4");
    if (!kind.ends_with("words")) refuse("say how long they are, as in chars:5");
    return features;
  }
  const std::string_view number = name.substr(colon + 1);
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), features.size);
  if (error == std::errc::invalid_argument || end != number.data() + number.size()) refuse("N is a whole number");
  if (error != std::errc{} || features.size < 1 || features.size > 1000) refuse("N must be from 1 to 1000");
  return features;
}

#endif  // NEARDUP_BODIES

}  // namespace neardup::inline v0
