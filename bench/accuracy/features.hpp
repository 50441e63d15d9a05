// The features that define the truth. They are made here, not by a tokenizer of the library, so that an error in one
// does not hide in the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace accuracy {

/// Written as `words`, `words:N`, `chars:N` or `bytes:N`; for fingerprints also as `canonical:` followed by one of
/// these.
struct feature_choice {
  enum class unit { words, chars, bytes };
  unit kind = unit::words;
  std::size_t size = 1;
  bool canonical = false;  ///< from canonical text, instead of normalised text
};

/// Throws: std::invalid_argument if the text is no choice of features.
feature_choice parse_features(std::string_view text);
std::string to_string(const feature_choice& features);

/// The text in lower case, with each run of other characters than letters and numbers replaced by one space, and none
/// at the ends.
///
/// Unlike neardup::normalise(), it keeps a space beside a Han character, and does not count marks (category M) as
/// letters. It shares only the decoding of UTF-8 and the Unicode tables with the library.
std::string truth_text(std::string_view text);

/// The distinct features of a text as sorted 64-bit hashes: words (between spaces) and chars (code points) of
/// truth_text(), bytes of the text itself. A text of fewer than N units has one feature, which is the whole text.
std::vector<std::uint64_t> truth_features(const feature_choice& features, std::string_view text);

}  // namespace accuracy
