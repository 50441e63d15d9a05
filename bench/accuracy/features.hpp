// The features that define the truth: made here, from the text, by no tokenizer of the library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace accuracy {

/// As typed: `words`, `words:N`, `chars:N` or `bytes:N`; of fingerprints also `canonical:` and one of these.
struct feature_choice {
  enum class unit { words, chars, bytes };
  unit kind = unit::words;
  std::size_t size = 1;
  bool canonical = false;  ///< of canonical text, not of normalised text
};

/// Throws: std::invalid_argument.
feature_choice parse_features(std::string_view text);
std::string to_string(const feature_choice& features);

/// The text in lower case, with every run of anything but letters and numbers as one space and none at its ends.
///
/// Unlike neardup::normalise this keeps a space beside a Han character, and a mark (category M) is no letter.
/// It shares with the library only the decoding of UTF-8 and the Unicode tables.
std::string truth_text(std::string_view text);

/// The distinct features of a text as 64-bit hashes, sorted: of truth_text for words (what stands between spaces) and
/// chars (code points), of the text itself for bytes. A text with fewer than N units has one feature, all of it.
std::vector<std::uint64_t> truth_features(const feature_choice& features, std::string_view text);

}  // namespace accuracy
