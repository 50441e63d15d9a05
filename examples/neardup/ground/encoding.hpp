// Decodes texts in other encodings than UTF-8, with iconv if the program is built with it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace command {

/// Decodes one encoding to UTF-8.
/// Thread safety: none.
class decoder {
 public:
  /// Opens a decoder.
  /// Throws: usage_error if iconv does not know the encoding, if the program is built without iconv, or if the encoding
  /// does not contain ASCII unchanged. UTF-16, for example, does not, so lines and quotes could not be found before
  /// decoding.
  explicit decoder(const std::string& encoding);

  /// Decodes bytes. Invalid bytes become U+FFFD, and set `ill_formed`. The result is valid until the next call, and
  /// `room` readable bytes follow it.
  std::string_view decode(std::string_view bytes, std::size_t room, bool& ill_formed);

 private:
  std::shared_ptr<void> converter_;
  std::string text_;
};

/// Returns true if a name means UTF-8, which needs no decoder.
bool is_name_of_utf8(std::string_view encoding);

/// A wide form, UTF-16 or UTF-32: the size of a unit in bytes, and the byte order.
struct wide_form {
  std::size_t unit;
  bool is_big_endian;
};

/// Returns the wide form of bytes, according to the byte order mark at their beginning, otherwise to `name`. If the
/// name has no byte order, the order that fits the zeros is used.
/// Returns: nullopt if neither gives a wide form, or if the bytes are UTF-8 in spite of `name`.
std::optional<wide_form> wide_form_of(std::string_view bytes, std::string_view name);

/// Decodes UTF-16 or UTF-32 to UTF-8 in `text`, without the byte order mark. Invalid units become U+FFFD, and set
/// `ill_formed`.
void decode_wide(std::string_view bytes, wide_form form, std::string& text, bool& ill_formed);

/// Returns true if the bytes contain control characters that texts do not have. Bytes from 128 on do not count.
bool has_controls(std::string_view bytes);

/// Guesses the encoding of bytes that are not UTF-8, from the frequency of neighbouring bytes. The candidates are the
/// encodings that most texts have had.
/// Returns: nullopt if none fits.
std::optional<std::string> likely_encoding(std::string_view bytes);

}  // namespace command
