// Reads records of web crawls from WARC files, and from WET files, which are WARC files of plain texts.
#pragma once

#include "../ground/encoding.hpp"
#include "record.hpp"

namespace command {

/// Reads a WARC record with its header. Only plain text is read, from a conversion, a resource or a response. All other
/// records are left out, also compressed texts. Compressed texts are detected by their bytes, because the crawler may
/// have decompressed the body, but kept the Content-Encoding. The id of the text is the header field that --id-field
/// names; the default is WARC-Target-URI. A call returns an error message, or nullopt if the record is valid.
class warc_reader {
 public:
  explicit warc_reader(const input_settings& settings) : settings_(settings) {}

  std::optional<std::string> operator()(std::string_view raw, record& out);

 private:
  const input_settings& settings_;
  void decode(std::string_view& body, record& out);

  std::string label_;    // the charset of the record
  std::string joined_;   // the body of a chunked response, joined
  std::string decoded_;  // a decoded text that was UTF-16 or UTF-32
  decoders decoders_;
};

/// The header of a WARC record or of an HTTP response: its first line, and lines with names and values.
class header_lines {
 public:
  /// Parses a header. `bytes` begin with the first line. A blank line ends the header, and the body follows it.
  explicit header_lines(std::string_view bytes);

  [[nodiscard]] std::string_view first() const { return first_; }
  /// Returns the value of the first line with this name. The case of the name does not matter.
  [[nodiscard]] std::optional<std::string_view> operator[](std::string_view name) const;
  /// Returns the body, or nullopt if the header does not end.
  [[nodiscard]] std::optional<std::string_view> body() const { return body_; }

 private:
  std::string_view first_, lines_;
  std::optional<std::string_view> body_;
};

/// Returns the number in a Content-Length, or nullopt if the value is not a number.
std::optional<std::uint64_t> content_length(std::string_view value);

}  // namespace command
