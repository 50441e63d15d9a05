// Decodes texts in other encodings than UTF-8, with iconv if the program is built with it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace command {

/// The way in which a charset writes characters as bytes.
enum class charset_form {
  utf8,
  wide,           ///< UTF-16
  one_byte,       ///< one byte for a character
  several_bytes,  ///< ASCII, and several bytes for another character
  seven_bits,     ///< bytes below 128 only, which are well-formed UTF-8 as well
  iso_2022_jp,    ///< seven bits, decoded as EUC-JP
  hz,             ///< seven bits, decoded as GB18030
  user_defined,   ///< the bytes from 128 on are U+F780 to U+F7FF
  other           ///< a charset that the standard does not have
};

/// The charset that a label names, in any case.
/// Source: the labels of the WHATWG Encoding Standard, and the labels of UTF-7. Web pages use these labels, but mean
/// successors of the charsets: gb2312 means GB18030, and euc-kr UHC.
struct charset {
  std::string_view name;   ///< its name in the standard; the label itself if the standard does not have it
  std::string_view iconv;  ///< name by which iconv decodes it
  charset_form form;

  /// Returns true if all bytes are below 128.
  [[nodiscard]] bool has_seven_bits() const noexcept {
    return form == charset_form::seven_bits || form == charset_form::iso_2022_jp || form == charset_form::hz;
  }
};

/// Returns the charset that a label means; a view of the label if the standard does not have it.
charset charset_of(std::string_view label);

/// Decodes one charset to UTF-8.
/// Thread safety: none.
class decoder {
 public:
  /// Opens a decoder for a label, or for a name that iconv knows.
  /// Throws: usage_error if neither is known, if the program is built without iconv, or if the encoding does not
  /// contain ASCII unchanged. UTF-16, for example, does not, so lines and quotes could not be found before
  /// decoding.
  explicit decoder(const std::string& encoding);

  /// Decodes bytes. Invalid bytes become U+FFFD, and set `ill_formed`. The result is valid until the next call, and
  /// `room` readable bytes follow it.
  std::string_view decode(std::string_view bytes, std::size_t room, bool& ill_formed);

 private:
  std::string_view decode_by_iconv(std::string_view bytes, std::size_t room, bool& ill_formed);
  std::string_view decode_single_bytes(std::string_view bytes, std::size_t room, bool& ill_formed);

  std::shared_ptr<void> converter_;
  charset_form form_ = charset_form::other;
  std::string iconv_name_;
  std::shared_ptr<const std::vector<std::string>> characters_;  // of the bytes from 128 on, if one byte is a character
  std::string text_, prepared_;
};

/// Opens decoders when they are needed first.
class decoders {
 public:
  /// Returns the decoder of a label; null if the label is unknown.
  decoder* find(const std::string& label);

 private:
  std::map<std::string, std::optional<decoder>> by_label_;  // nullopt for unknown labels
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
