// Mails: messages in files of their own (.eml), and in mail boxes (mbox).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "../ground/encoding.hpp"
#include "record.hpp"

namespace command {

/// Values of input_settings::source_field for `--by sender` and `--by thread`. The parentheses distinguish them from
/// the names of header fields, which --by also takes.
inline constexpr const char *by_sender = "(sender)", *by_thread = "(thread)";

/// Returns true if a line begins a message of a mail box: "From ", and a date as asctime() writes it.
bool begins_message(std::string_view line);
/// Returns true if a line is the first of a header field: a name, perhaps with blanks behind it, and a colon.
bool begins_field(std::string_view line);

/// Reads a message: its parts of text, decoded, one below the other, with HTML as text. Of alternatives it reads the
/// plain text. Attachments are not read. The text that a mail quotes is left out if the rest has words, unless the
/// settings ask for it. The id is the header field that --id-field names, by default Message-ID.
/// Returns: the error; nullopt if the message is valid. A part that cannot be decoded is read as it is.
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
