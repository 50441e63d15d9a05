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

/// UTF-16 or UTF-32: the size of a unit in bytes, and which byte of a unit comes first.
struct wide_form {
  std::size_t unit;
  bool is_big_endian;
};

/// The wide form that bytes are in, by the byte order mark that they begin with, else by `name`. A name without an order of
/// bytes takes the one that fits the zeros. Returns: nothing if neither says so, or if the bytes are UTF-8, whatever
/// `name` says.
std::optional<wide_form> wide_form_of(std::string_view bytes, std::string_view name);

/// Makes UTF-8 in `text` of UTF-16 or UTF-32, without its byte order mark. What is no character becomes U+FFFD, and sets
/// `ill_formed`.
void decode_wide(std::string_view bytes, wide_form form, std::string& text, bool& ill_formed);

/// Whether bytes have control characters that no text has. Bytes from 128 on are none.
bool has_controls(std::string_view bytes);

/// The encoding that bytes seem to have that are not UTF-8, by how often which of them are beside each other: one of
/// those that most texts have had. Nothing if they look like none of these.
std::optional<std::string> likely_encoding(std::string_view bytes);

}  // namespace command
