#include "record.hpp"

#include "../ground/encoding.hpp"
#include "code.hpp"
#include "input.hpp"
#include "json_record.hpp"
#include "mail.hpp"
#include "table.hpp"
#include "warc.hpp"

namespace command {

namespace {

/// Makes a reader that expects UTF-8, except in WARC and mails. The readers of WARC and mails decode texts themselves,
/// because lengths in WARC are lengths of undecoded bytes, and parts of mails name their charsets.
record_reader make_reader_of_utf8(const input_settings& settings) {
  const auto read_text = [](const source& /*from*/, std::string_view text, record& out) -> std::optional<std::string> {
    out.clear();
    out.fields.assign(1, text);
    out.ill_formed = !is_utf8(text);
    return std::nullopt;
  };
  if (settings.unit == unit_of_input::files || settings.unit == unit_of_input::lines) return read_text;
  return [read_text, json = make_json_reader(settings), table = table_reader(settings), warc = warc_reader(settings),
          mail = std::make_shared<mail_reader>(settings)](const source& from, std::string_view content,
                                                          record& out) mutable -> std::optional<std::string> {
    out.clear();
    switch (from.unit) {
      case unit_of_input::json_lines:
      case unit_of_input::json_array: return json(content, out);
      case unit_of_input::csv:
      case unit_of_input::tsv: return table(from, content, out);
      case unit_of_input::warc: return warc(content, out);
      case unit_of_input::mail:
      case unit_of_input::mbox: return (*mail)(from, content, out);
      case unit_of_input::codes: read_code_line(content, out); return std::nullopt;
      default: return read_text(from, content, out);
    }
  };
}

/// Returns a reader that checks the codes in the records of another reader.
record_reader with_checked_codes(const input_settings& settings, record_reader read) {
  return [&settings, read = std::move(read)](const source& from, std::string_view content, record& out) {
    auto wrong = read(from, content, out);
    if (wrong || out.fields.empty()) return wrong;
    return check_code(settings.code_bits, out);
  };
}

}  // namespace

record_reader make_record_reader(const input_settings& settings) {
  record_reader read = make_reader_of_utf8(settings);
  if (has_codes(settings)) read = with_checked_codes(settings, std::move(read));
  if (settings.encoding.empty() || charset_of(settings.encoding).form == charset_form::wide) return read;
  return [read = std::move(read), decode = decoder(settings.encoding)](const source& from, std::string_view content,
                                                                       record& out) mutable {
    const bool is_decoded = from.utf16 || from.unit == unit_of_input::warc || is_of_mail(from.unit);
    if (is_decoded) return read(from, content, out);
    bool ill_formed = false;
    const std::string_view text = decode.decode(content, padding, ill_formed);
    auto wrong = read(from, text, out);
    out.ill_formed = out.ill_formed || ill_formed;
    return wrong;
  };
}

}  // namespace command
