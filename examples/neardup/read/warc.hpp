// Records of crawls, in WARC files and in WET files, which are WARC files of texts.
#pragma once

#include <map>

#include "../ground/encoding.hpp"
#include "record.hpp"

namespace command {

/// Reads a record of WARC as it stands, with its header. Plain text is a text: of a conversion, a resource or a response;
/// its id is what --id-field names of its header, WARC-Target-URI if nothing. Everything else is left out, also a text that
/// is packed, which its bytes tell: a Content-Encoding may have stayed when a crawler unpacked the body.
/// Returns: what is wrong with it; nothing if all is well.
class warc_reader {
 public:
  explicit warc_reader(const input_settings& settings) : settings_(settings) {}

  std::optional<std::string> operator()(std::string_view raw, record& out);

 private:
  const input_settings& settings_;
  void decode(const std::string& encoding, std::string_view& body, bool& ill_formed);

  std::string joined_;                                      // a body that was in chunks
  std::string decoded_;                                     // a text of UTF-16 or UTF-32
  std::map<std::string, std::optional<decoder>> decoders_;  // nothing for names that mean nothing
};

/// A header of WARC or HTTP: its lines behind the first one.
class header_lines {
 public:
  /// `bytes` begin with the first line. What follows the blank line that ends the header is the body.
  explicit header_lines(std::string_view bytes);

  [[nodiscard]] std::string_view first() const { return first_; }
  /// Of any case. Returns: the value of the first line of that name.
  [[nodiscard]] std::optional<std::string_view> operator[](std::string_view name) const;
  /// Nothing if the header has no end.
  [[nodiscard]] std::optional<std::string_view> body() const { return body_; }

 private:
  std::string_view first_, lines_;
  std::optional<std::string_view> body_;
};

/// The number of a Content-Length, nothing if it is none.
std::optional<std::uint64_t> content_length(std::string_view value);

}  // namespace command
