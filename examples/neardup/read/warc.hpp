// Records of web crawls, in WARC files and in WET files, which are WARC files of texts.
#pragma once

#include "../ground/encoding.hpp"
#include "record.hpp"

namespace command {

/// Reads a whole WARC record with its header. The plain text of a conversion, a resource or a response is a text. Its
/// id is the header field that --id-field names, by default WARC-Target-URI. Everything else is left out, including
/// compressed texts. Compressed texts are recognised by their bytes, because the crawler may have decompressed the body
/// and kept the Content-Encoding.
/// Returns: the error; nullopt if the record is valid.
class warc_reader {
 public:
  explicit warc_reader(const input_settings& settings) : settings_(settings) {}

  std::optional<std::string> operator()(std::string_view raw, record& out);

 private:
  const input_settings& settings_;
  void decode(std::string_view& body, record& out);

  std::string label_;    // the charset of the record
  std::string joined_;   // the body of a chunked response, joined
  std::string decoded_;  // a text that was UTF-16 or UTF-32
  decoders decoders_;
};

/// The header of a WARC record or an HTTP response: its lines after the first one.
class header_lines {
 public:
  /// Parses a header. `bytes` begin with the first line. The body follows the blank line that ends the header.
  explicit header_lines(std::string_view bytes);

  [[nodiscard]] std::string_view first() const { return first_; }
  /// Returns the value of the first line with a name, in any case.
  [[nodiscard]] std::optional<std::string_view> operator[](std::string_view name) const;
  /// Returns the body; nullopt if the header does not end.
  [[nodiscard]] std::optional<std::string_view> body() const { return body_; }

 private:
  std::string_view first_, lines_;
  std::optional<std::string_view> body_;
};

/// Returns the number in a Content-Length; nullopt if it is not a number.
std::optional<std::uint64_t> content_length(std::string_view value);

}  // namespace command
