// Decodes texts in encodings other than UTF-8. It uses iconv if the program is built with iconv.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace command {

/// The form in which a charset writes characters as bytes.
enum class charset_form {
  utf8,
  wide,           ///< UTF-16
  one_byte,       ///< one byte for a character
  several_bytes,  ///< ASCII, and several bytes for each other character
  seven_bits,     ///< bytes below 128 only, which are also well-formed UTF-8
  iso_2022_jp,    ///< seven bits, decoded as EUC-JP
  hz,             ///< seven bits, decoded as GB18030
  user_defined,   ///< the bytes from 128 on are U+F780 to U+F7FF
  other           ///< a charset that is not in the standard
};

/// The charset that a label names. The case of the label does not matter.
/// Source: the labels of the WHATWG Encoding Standard, and the labels of UTF-7. Web pages use old labels for newer
/// charsets: gb2312 stands for GB18030, and euc-kr stands for UHC.
struct charset {
  std::string_view name;   ///< its name in the standard, or the label if it is not in the standard
  std::string_view iconv;  ///< the name of the charset for iconv
  charset_form form;

  [[nodiscard]] bool has_seven_bits() const noexcept {
    return form == charset_form::seven_bits || form == charset_form::iso_2022_jp || form == charset_form::hz;
  }
};

/// Returns the charset that a label names. If the standard does not have the label, the label must outlive the result.
charset charset_of(std::string_view label);

/// Decodes one charset to UTF-8.
/// Thread safety: none.
class decoder {
 public:
  /// Opens a decoder for a label of a charset, or for a name that iconv knows.
  /// Throws: usage_error if the name is unknown, if the program is built without iconv, or if the encoding does not
  /// contain ASCII unchanged. UTF-16, for example, does not contain ASCII unchanged, so lines and quotes could not be
  /// found before decoding.
  explicit decoder(const std::string& encoding);

  /// Decodes bytes. If bytes are invalid, they become U+FFFD, and `ill_formed` is set to true. The result is valid
  /// until the next call. `room` readable bytes follow the result.
  std::string_view decode(std::string_view bytes, std::size_t room, bool& ill_formed);

 private:
  std::string_view decode_by_iconv(std::string_view bytes, std::size_t room, bool& ill_formed);
  std::string_view decode_single_bytes(std::string_view bytes, std::size_t room, bool& ill_formed);

  std::shared_ptr<void> converter_;
  charset_form form_ = charset_form::other;
  std::string iconv_name_;
  std::shared_ptr<const std::vector<std::string>> characters_;  // for one-byte charsets: characters from 128 on
  std::string text_, prepared_;
};

/// A set of decoders. A decoder is opened when it is needed for the first time.
class decoders {
 public:
  /// Returns the decoder for a label, or null if the label is unknown.
  decoder* find(const std::string& label);

 private:
  std::map<std::string, std::optional<decoder>> by_label_;  // nullopt for unknown labels
};

/// Returns true if a name stands for UTF-8, which needs no decoder.
bool is_name_of_utf8(std::string_view encoding);

/// The form of UTF-16 or UTF-32: the size of a unit in bytes, and the byte order.
struct wide_form {
  std::size_t unit;
  bool is_big_endian;
};

/// Returns the wide form of bytes. The byte order mark at the beginning determines the form, or, if there is no mark,
/// `name`. If the name does not contain the byte order, the zero bytes determine it.
/// Returns: nullopt if neither the mark nor `name` determines a wide form, or if the bytes are UTF-8 although `name` is
/// a wide form.
std::optional<wide_form> wide_form_of(std::string_view bytes, std::string_view name);

/// Decodes UTF-16 or UTF-32 to UTF-8 in `text`, without the byte order mark. If units are invalid, they become U+FFFD,
/// and `ill_formed` is set to true.
void decode_wide(std::string_view bytes, wide_form form, std::string& text, bool& ill_formed);

/// Returns true if `bytes` has ASCII control characters that texts do not have.
bool has_controls(std::string_view bytes);

/// Guesses the encoding of bytes that are not UTF-8, from the frequencies of adjacent bytes. Only the most usual
/// encodings of texts are considered.
/// Returns: nullopt if no encoding fits.
std::optional<std::string> likely_encoding(std::string_view bytes);

}  // namespace command
