#include "mail.hpp"

#include <algorithm>
#include <array>

#include "../ground/errors.hpp"
#include "html_text.hpp"
#include "input.hpp"
#include "json_record.hpp"
#include "mail_quotes.hpp"

#ifdef NEARDUP_WITH_GMIME
#include <gmime/gmime.h>
#endif

namespace command {

bool begins_message(std::string_view line) {
  constexpr std::string_view begin = "From ";
  if (!line.starts_with(begin)) return false;
  // Searches for a date such as "Thu Nov 27 04:12:00 2026". The address before the date may contain blanks.
  constexpr std::string_view days = "Mon Tue Wed Thu Fri Sat Sun ",
                             months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec ";
  const auto is_one_of = [](std::string_view name, std::string_view names) {
    return name.size() == 4 && names.find(name) % 4 == 0;
  };
  for (std::size_t at = begin.size(); at + 16 <= line.size(); ++at) {
    if (!is_one_of(line.substr(at, 4), days) || !is_one_of(line.substr(at + 4, 4), months)) continue;
    const std::size_t colon = line.find(':', at + 8);
    const auto is_digit_at = [&](std::size_t i) { return i < line.size() && line[i] >= '0' && line[i] <= '9'; };
    if (colon != line.npos && is_digit_at(colon - 1) && is_digit_at(colon + 1)) return true;
  }
  return false;
}

bool begins_field(std::string_view line) {
  const auto is_of_name = [](char c) { return c > ' ' && c <= '~' && c != ':'; };
  const auto name_end = std::find_if_not(line.begin(), line.end(), is_of_name);
  const auto is_blank_sign = [](char c) { return c == ' ' || c == '\t'; };
  const auto colon = std::find_if_not(name_end, line.end(), is_blank_sign);
  return name_end != line.begin() && colon != line.end() && *colon == ':';
}

/// The texts of a message, and properties of its parts.
struct mail_reader::parts {
  std::string plain, html;          // content of the parts in plain text, and of the parts in HTML
  std::string own_plain, own_html;  // the same content without quoted text
  bool is_forwarded = false;        // true if the part belongs to an attached message
  std::string charset, unknown;     // the first charset that was decoded, and the first unknown charset
  bool has_attachments = false, is_undecoded = false, ill_formed = false;
};

#ifndef NEARDUP_WITH_GMIME

std::optional<std::string> mail_reader::operator()(const source&, std::string_view, record&) {
  return "this build of neardup reads no mail: GMime was missing when it was built (Debian: libgmime-3.0-dev)";
}

#else

namespace {

struct unref {
  void operator()(void* object) const { g_object_unref(object); }
};
template <class Object>
using owned = std::unique_ptr<Object, unref>;

/// GMime is initialised once, and stays initialised until the program ends.
void initialise() {
  static const bool done = [] {
    g_mime_init();
    return true;
  }();
  static_cast<void>(done);
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string in_lower_case(const char* text) {
  std::string lowered(text == nullptr ? "" : text);
  std::transform(lowered.begin(), lowered.end(), lowered.begin(), lower);
  return lowered;
}

/// Returns the place of a body that follows the header without a blank line, or npos if there is a blank line. GMime
/// would read such a body as a header field, and lose it.
std::size_t unannounced_body(std::string_view message) {
  for (std::size_t at = 0; at < message.size();) {
    const std::size_t end = std::min(message.find('\n', at), message.size() - 1) + 1;
    const std::string_view line = message.substr(at, end - at);
    if (line == "\n" || line == "\r\n") break;
    // Some servers leave the separator line of a mail box in the header. It begins with "From " or ">From ".
    const bool is_separator = line.starts_with("From ") || line.starts_with(">From ");
    if (line.front() != ' ' && line.front() != '\t' && !is_separator && !begins_field(line)) return at;
    at = end;
  }
  return message.npos;
}

/// Copies `raw` to `to`, without the ">" that mail boxes add to a line of text which would begin a message: ">From "
/// becomes "From ".
void remove_quotes(std::string_view raw, std::string& to) {
  to.clear();
  while (!raw.empty()) {
    const std::size_t end = std::min(raw.find('\n'), raw.size() - 1) + 1;
    const std::string_view line = raw.substr(0, end);
    const std::size_t quotes = line.find_first_not_of('>');
    const bool is_quoted = quotes != line.npos && quotes > 0 && line.substr(quotes).starts_with("From ");
    to += is_quoted ? line.substr(1) : line;
    raw.remove_prefix(end);
  }
}

std::string bytes_of(GMimeStream* stream) {
  GByteArray* const bytes = g_mime_stream_mem_get_byte_array(GMIME_STREAM_MEM(stream));
  return {reinterpret_cast<const char*>(bytes->data), bytes->len};
}

/// Returns the content of a part before decoding.
std::string raw_content(GMimeDataWrapper* content) {
  const owned<GMimeStream> to(g_mime_stream_mem_new());
  GMimeStream* const from = g_mime_data_wrapper_get_stream(content);
  if (from == nullptr) return "";
  g_mime_stream_reset(from);
  g_mime_stream_write_to_stream(from, to.get());
  return bytes_of(to.get());
}

bool is_base64(std::string_view bytes) {
  std::size_t signs = 0, ends = 0;
  for (const char c : bytes) {
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n') continue;
    const char l = lower(c);
    const bool is_sign = (l >= 'a' && l <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '/';
    if (!is_sign && c != '=') return false;
    (is_sign ? signs : ends) += 1;
    if (is_sign && ends > 0) return false;
  }
  return (signs + ends) % 4 == 0 && ends <= 2;
}

/// Returns true if GMime can decode this Content-Transfer-Encoding.
bool is_known_encoding(std::string name) {
  const std::size_t begin = std::min(name.find_first_not_of(" \t"), name.size());
  name = name.substr(begin, name.find_last_not_of(" \t\r\n;") + 1 - begin);
  constexpr std::array known{"",       "7bit",       "8bit",     "7-bit", "8-bit", "binary", "quoted-printable",
                             "base64", "x-uuencode", "uuencode", "x-uue"};
  return std::find(known.begin(), known.end(), name) != known.end();
}

/// Replaces "\r\n" by "\n", and removes the line ends at the end of `text`.
void settle_line_ends(std::string& text) {
  std::size_t size = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') continue;
    text[size++] = text[i];
  }
  while (size > 0 && (text[size - 1] == '\n' || text[size - 1] == '\r')) --size;
  text.resize(size);
}

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == text.npos; }

void append_below(std::string_view text, std::string& to) {
  if (!to.empty() && !to.ends_with('\n')) to += '\n';
  to += text;
}

/// Returns the decoded value of a header field, or nullopt if the mail does not have the field.
std::optional<std::string> header_of_mail(GMimeMessage* message, const std::string& name) {
  const char* const value = g_mime_object_get_header(GMIME_OBJECT(message), name.c_str());
  if (value == nullptr) return std::nullopt;
  char* const decoded = g_mime_utils_header_decode_text(nullptr, value);
  std::string text(decoded == nullptr ? value : decoded);
  g_free(decoded);
  return text;
}

/// Returns the address of the first sender, in lower case.
std::string sender_of(GMimeMessage* message) {
  InternetAddressList* const from = g_mime_message_get_from(message);
  const int count = from == nullptr ? 0 : internet_address_list_length(from);
  for (int i = 0; i < count; ++i) {
    InternetAddress* const address = internet_address_list_get_address(from, i);
    if (!INTERNET_ADDRESS_IS_MAILBOX(address)) continue;
    return in_lower_case(internet_address_mailbox_get_addr(INTERNET_ADDRESS_MAILBOX(address)));
  }
  return "";
}

/// Returns the id of the message that began the thread.
std::string thread_of(GMimeMessage* message) {
  for (const char* const field : {"References", "In-Reply-To"}) {
    const char* const value = g_mime_object_get_header(GMIME_OBJECT(message), field);
    if (value == nullptr) continue;
    GMimeReferences* const ids = g_mime_references_parse(nullptr, value);
    std::string first;
    if (ids != nullptr && g_mime_references_length(ids) > 0) first = g_mime_references_get_message_id(ids, 0);
    g_mime_references_free(ids);
    if (!first.empty()) return first;
  }
  const char* const own = g_mime_message_get_message_id(message);
  return own == nullptr ? "" : own;
}

}  // namespace

/// Decodes `text` to UTF-8. `label`: the charset that the part names. If the label is empty, ASCII or unknown,
/// --encoding names the charset. A text that is UTF-8, but not ASCII, is read as UTF-8, because a text with one byte
/// per character is hardly ever UTF-8 by chance. But if `label` names a charset with several bytes per character, and
/// the text is well-formed in that charset, the charset is used.
void mail_reader::decode(const std::string& label, std::string_view& text, parts& to) {
  if (const auto form = wide_form_of(text, label.empty() ? settings_.encoding : label)) {
    wide_.clear();
    decode_wide(text, *form, wide_, to.ill_formed);
    text = wide_;
    return;
  }
  const bool has_high =
      std::any_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
  const bool is_ascii = label.empty() || label == "us-ascii" || label == "ascii";
  decoder* found = is_ascii || is_name_of_utf8(label) ? nullptr : decoders_.find(label);
  const bool is_unknown = found == nullptr && !is_ascii && !is_name_of_utf8(label);
  if (is_unknown && to.unknown.empty()) to.unknown = label;
  if (found != nullptr && to.charset.empty()) to.charset = label;
  if (has_high && is_utf8(text)) {
    bool is_ill_formed = true;
    if (found != nullptr && charset_of(label).form == charset_form::several_bytes) {
      is_ill_formed = false;
      wide_ = found->decode(text, 0, is_ill_formed);
    }
    if (!is_ill_formed) text = wide_;
    return;
  }
  if ((is_unknown || is_ascii) && !settings_.encoding.empty()) {
    found = decoders_.find(in_lower_case(settings_.encoding.c_str()));
  }
  if (found != nullptr) {
    text = found->decode(text, 0, to.ill_formed);
    return;
  }
  to.ill_formed = to.ill_formed || has_high;
}

void mail_reader::read_content(void* object, std::string_view type, parts& to) {
  auto* const part = static_cast<GMimePart*>(object);
  GMimeDataWrapper* const content = g_mime_part_get_content(part);
  if (content == nullptr) return;
  const std::string encoding = in_lower_case(g_mime_object_get_header(GMIME_OBJECT(part), "Content-Transfer-Encoding"));
  std::string bytes = raw_content(content);
  const bool is_broken = g_mime_part_get_content_encoding(part) == GMIME_CONTENT_ENCODING_BASE64 && !is_base64(bytes);
  if (is_broken || !is_known_encoding(encoding)) {
    to.is_undecoded = true;
  } else {
    const owned<GMimeStream> decoded(g_mime_stream_mem_new());
    g_mime_data_wrapper_write_to_stream(content, decoded.get());
    bytes = bytes_of(decoded.get());
  }
  std::string_view text = bytes;
  decode(in_lower_case(g_mime_object_get_content_type_parameter(GMIME_OBJECT(part), "charset")), text, to);
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  if (type != "html") {
    append_below(text, to.plain);
    if (!to.is_forwarded) append_own(text, to.own_plain);
    return;
  }
  html_.clear();
  append_html_text(text, html_);
  append_below(html_, to.html);
  if (to.is_forwarded || settings_.reads_quotes) return;
  html_.clear();
  append_own_html_text(text, html_);
  append_own(html_, to.own_html);
}

/// Appends to `to` the lines of `text` that the author of the mail wrote. No-op if the settings ask for quoted text.
void mail_reader::append_own(std::string_view text, std::string& to) const {
  if (settings_.reads_quotes) return;
  append_below("", to);
  append_own_text(text, to);
}

void mail_reader::read_part(void* object, parts& to) {
  if (GMIME_IS_MESSAGE_PART(object)) {
    GMimeMessage* const inner = g_mime_message_part_get_message(static_cast<GMimeMessagePart*>(object));
    GMimeObject* const content = inner == nullptr ? nullptr : g_mime_message_get_mime_part(inner);
    const bool is_forwarded = std::exchange(to.is_forwarded, true);
    if (content != nullptr) read_part(content, to);
    to.is_forwarded = is_forwarded;
    return;
  }
  if (GMIME_IS_MULTIPART(object)) {
    auto* const several = static_cast<GMimeMultipart*>(object);
    if (GMIME_IS_MULTIPART_ENCRYPTED(object)) to.is_undecoded = true;
    const int count = g_mime_multipart_get_count(several);
    GMimeContentType* const type = g_mime_object_get_content_type(GMIME_OBJECT(object));
    const bool are_alternatives = g_mime_content_type_is_type(type, "multipart", "alternative") != FALSE;
    parts all;
    all.is_forwarded = to.is_forwarded;
    for (int i = 0; i < count; ++i) read_part(g_mime_multipart_get_part(several, i), are_alternatives ? all : to);
    if (are_alternatives) {
      append_below(is_blank(all.plain) ? all.html : all.plain, to.plain);
      append_below(is_blank(all.plain) ? all.own_html : all.own_plain, to.own_plain);
      to.has_attachments = to.has_attachments || all.has_attachments;
      to.is_undecoded = to.is_undecoded || all.is_undecoded;
      to.ill_formed = to.ill_formed || all.ill_formed;
      if (to.charset.empty()) to.charset = all.charset;
      if (to.unknown.empty()) to.unknown = all.unknown;
    }
    if (count > 0) return;
    // The boundaries of the parts are missing, so the mail cannot be decoded.
    to.is_undecoded = true;
    for (const char* const text : {g_mime_multipart_get_prologue(several), g_mime_multipart_get_epilogue(several)}) {
      if (text == nullptr) continue;
      std::string_view bytes = text;
      decode("", bytes, to);
      append_below(bytes, to.plain);
      append_own(bytes, to.own_plain);
    }
    return;
  }
  if (!GMIME_IS_PART(object)) {
    to.has_attachments = true;
    return;
  }
  // By RFC 2045, 5.2, a type without a subtype is text. GMime does not read such a type as text.
  const std::string header = in_lower_case(g_mime_object_get_header(GMIME_OBJECT(object), "Content-Type"));
  const bool is_typed = header.substr(0, header.find(';')).find('/') != header.npos;
  GMimeContentType* const type = is_typed ? g_mime_object_get_content_type(GMIME_OBJECT(object)) : nullptr;
  const std::string disposition = in_lower_case(g_mime_object_get_disposition(GMIME_OBJECT(object)));
  const std::string kind = in_lower_case(type == nullptr ? "text" : g_mime_content_type_get_media_type(type));
  if (kind != "text" || disposition == "attachment") {
    const std::string subtype = in_lower_case(type == nullptr ? nullptr : g_mime_content_type_get_media_subtype(type));
    if (subtype == "pkcs7-mime" || subtype == "x-pkcs7-mime") to.is_undecoded = true;
    to.has_attachments = true;
    return;
  }
  read_content(object, in_lower_case(type == nullptr ? "plain" : g_mime_content_type_get_media_subtype(type)), to);
}

std::optional<std::string> mail_reader::operator()(const source& from, std::string_view raw, record& out) {
  initialise();
  if (from.unit == unit_of_input::mbox) {
    if (raw.starts_with(byte_order_mark)) raw.remove_prefix(byte_order_mark.size());
    raw.remove_prefix(std::min(raw.find_first_not_of(" \t\r\n"), raw.size()));
    if (!raw.starts_with("From ")) return "no message of a mail box: it does not begin with a From line";
    raw.remove_prefix(std::min(raw.find('\n'), raw.size() - 1) + 1);
    if (raw.find("\n>") != raw.npos) {
      remove_quotes(raw, message_);
      raw = message_;
    }
  }
  if (!begins_field(raw)) return "no mail: it does not begin with a header";
  if (const std::size_t body = unannounced_body(raw); body != raw.npos) {
    std::string parted(raw);
    parted.insert(body, 1, '\n');
    message_ = std::move(parted);
    raw = message_;
  }
  const owned<GMimeStream> stream(g_mime_stream_mem_new_with_buffer(raw.data(), raw.size()));
  const owned<GMimeParser> parser(g_mime_parser_new_with_stream(stream.get()));
  const owned<GMimeMessage> message(g_mime_parser_construct_message(parser.get(), nullptr));
  if (!message) return "no mail";
  parts found;
  if (GMimeObject* const content = g_mime_message_get_mime_part(message.get())) read_part(content, found);
  text_ = std::move(found.own_plain);
  append_below(found.own_html, text_);
  if (!has_words(text_)) {  // only quotes remain, or all text is wanted
    text_ = std::move(found.plain);
    append_below(found.html, text_);
  }
  settle_line_ends(text_);
  out.fields.assign(1, text_);
  out.ill_formed = found.ill_formed;
  out.has_attachments = found.has_attachments;
  out.is_undecoded = found.is_undecoded;
  out.is_charset_unknown = !found.unknown.empty();
  label_ = out.is_charset_unknown ? found.unknown : found.charset;
  out.charset = label_;
  std::optional<std::string> id;
  if (settings_.id_field_required) {
    id = header_of_mail(message.get(), settings_.id_field);
    if (!id) return "no header field \"" + settings_.id_field + '"';
  } else if (const char* const own = g_mime_message_get_message_id(message.get()); own != nullptr && *own != '\0') {
    id = own;
  }
  if (id) {
    id_ = *std::move(id);
    out.id = id_;
    out.has_id = true;
  }
  if (!settings_.source_field.empty()) {
    source_ = settings_.source_field == by_sender ? sender_of(message.get())
              : settings_.source_field == by_thread
                  ? thread_of(message.get())
                  : header_of_mail(message.get(), settings_.source_field).value_or("");
    out.source = source_;
  }
  return std::nullopt;
}

#endif

}  // namespace command
