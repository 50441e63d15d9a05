// Makes the features that define which pairs are similar (the truth). This code does not use the library's tokenizers.
// If this code or a tokenizer has an error, the two differ, and the error can be seen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace accuracy {

/// A choice of features, written as `words`, `words:N`, `chars:N` or `bytes:N`. For fingerprints, `canonical:` may be
/// before it.
struct feature_choice {
  enum class unit { words, chars, bytes };
  unit kind = unit::words;
  std::size_t size = 1;
  bool canonical = false;  ///< made from canonical text instead of normalised text
};

/// Parses a choice of features. Throws: std::invalid_argument if the text is not one.
feature_choice parse_features(std::string_view text);
std::string to_string(const feature_choice& features);

/// Returns the text in lower case. Each run of characters that are not letters or numbers becomes one space, or nothing
/// at the ends of the text.
///
/// Unlike neardup::normalise(), this function keeps a space beside a Han character, and does not count marks (category
/// M) as letters. It uses the library only to decode UTF-8, and for the Unicode tables.
std::string truth_text(std::string_view text);

/// Returns the distinct features of a text as sorted 64-bit hashes. Words and chars are the words and the code points
/// of truth_text(). Bytes are the bytes of `text`. If a text has fewer than N units, the whole text is its one
/// feature.
std::vector<std::uint64_t> truth_features(const feature_choice& features, std::string_view text);

}  // namespace accuracy
