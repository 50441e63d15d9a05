// Reads mails: messages in separate files (.eml), and messages in mail boxes (mbox).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "../ground/encoding.hpp"
#include "record.hpp"

namespace command {

/// Values of input_settings::source_field for `--by sender` and `--by thread`. The parentheses distinguish these values
/// from names of header fields, which --by also accepts.
inline constexpr const char *by_sender = "(sender)", *by_thread = "(thread)";

/// Returns true if a line is the beginning of a message in a mail box: "From ", and a date in the form of asctime().
bool begins_message(std::string_view line);
/// Returns true if a line is the first line of a header field: a name, blanks if there are any, and a colon.
bool begins_field(std::string_view line);

/// Reads a message. The result is the decoded text of its parts, one part after the other. HTML is converted to text.
/// If the same text is there as plain text and as HTML, the plain text is read. Attachments are not read. A part that
/// cannot be decoded is read without decoding. Text that a mail quotes is left out if the author's own text has words,
/// unless the settings ask for quoted text. The id is the header field that --id-field names; the default is
/// Message-ID.
/// Returns: an error message, or nullopt if the message is valid.
class mail_reader {
 public:
  explicit mail_reader(const input_settings& settings) : settings_(settings) {}

  std::optional<std::string> operator()(const source& from, std::string_view raw, record& out);

 private:
  struct parts;

  void read_part(void* part, parts& to);
  void append_own(std::string_view text, std::string& to) const;
  void read_content(void* part, std::string_view type, parts& to);
  void decode(const std::string& label, std::string_view& text, parts& to);

  const input_settings& settings_;
  std::string message_, text_, id_, source_, html_, wide_, label_;
  decoders decoders_;
};

}  // namespace command
