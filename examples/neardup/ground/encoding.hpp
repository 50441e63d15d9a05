// Texts in other encodings than UTF-8, by iconv as far as the program is built with it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace command {

/// Makes UTF-8 of one encoding. For one thread.
class decoder {
 public:
  /// Throws: usage_error if iconv does not know the encoding, if the program is built without it, or if ASCII is not
  /// itself there, as in UTF-16: then lines and quotes cannot be found before it is decoded.
  explicit decoder(const std::string& encoding);

  /// What is no character becomes U+FFFD, and sets `ill_formed`. The result is there until the next call, with `room`
  /// readable bytes behind it.
  std::string_view decode(std::string_view bytes, std::size_t room, bool& ill_formed);

 private:
  std::shared_ptr<void> converter_;
  std::string text_;
};

/// Whether a name means UTF-8, which needs no decoder.
bool is_name_of_utf8(std::string_view encoding);

/// The encoding that bytes seem to have that are not UTF-8, by how often which of them are beside each other: one of
/// those that most texts have had. Nothing if they look like none of these.
std::optional<std::string> likely_encoding(std::string_view bytes);

}  // namespace command
