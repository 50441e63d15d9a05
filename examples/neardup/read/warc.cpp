#include "warc.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "input.hpp"
#include "json_record.hpp"

namespace command {

namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view around = " \t\r\n";
  const std::size_t begin = std::min(text.find_first_not_of(around), text.size());
  text.remove_prefix(begin);
  return text.substr(0, text.find_last_not_of(around) + 1);
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_same_name(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

/// Removes the first line from `text`.
/// Returns: the removed line without its end.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

/// Returns the media type `value` in lower case, without its parameters.
std::string media_type(std::string_view value) {
  std::string type(trimmed(value.substr(0, value.find(';'))));
  std::transform(type.begin(), type.end(), type.begin(), lower);
  return type;
}

/// Returns the label of the charset in the media type `value`, in lower case.
std::string label_in(std::string_view value) {
  while (value.find(';') != value.npos) {
    value.remove_prefix(value.find(';') + 1);
    const std::string_view part = trimmed(value.substr(0, value.find(';')));
    const std::size_t equals = part.find('=');
    if (equals == part.npos || !is_same_name(trimmed(part.substr(0, equals)), "charset")) continue;
    std::string_view name = trimmed(part.substr(equals + 1));
    const bool is_quoted =
        name.size() > 1 && (name.front() == '"' || name.front() == '\'') && name.front() == name.back();
    if (is_quoted) name = name.substr(1, name.size() - 2);
    return media_type(name);
  }
  return "";
}

/// Joins the chunks of an HTTP 1.1 body, and stores the joined body in `out`.
/// Returns: false if the body is not chunked. Some crawlers join the chunks, but keep "Transfer-Encoding: chunked".
bool join_chunks(std::string_view body, std::string& out) {
  out.clear();
  while (!body.empty()) {
    const std::string_view line = trimmed(take_line(body));
    std::size_t size = 0;
    const auto parsed = std::from_chars(line.data(), line.data() + line.size(), size, 16);
    if (parsed.ec != std::errc{} || (parsed.ptr != line.data() + line.size() && *parsed.ptr != ';')) return false;
    if (size == 0) return true;
    if (size > body.size()) return false;
    out.append(body.substr(0, size));
    body.remove_prefix(size);
    if (!take_line(body).empty()) return false;
  }
  return false;
}

/// Returns true if a body is compressed. `packing`: the Content-Encoding of the body, which may be wrong.
bool is_packed(std::string_view body, const std::string& packing, const std::string& charset) {
  constexpr std::string_view gzip = "\x1f\x8b\x08", zstd = "\x28\xb5\x2f\xfd";
  if (body.starts_with(gzip) || body.starts_with(zstd)) return true;
  if (packing.empty() || packing == "identity" || wide_form_of(body, charset)) return false;
  if (has_controls(body)) return true;
  // A short compressed body may have neither a known beginning nor control characters. A body that should be UTF-8, but
  // is not, also counts as compressed if its Content-Encoding names a compression.
  constexpr std::array packers{"gzip", "x-gzip", "deflate", "br", "zstd", "compress", "x-compress"};
  const bool may_be_packed = std::find(packers.begin(), packers.end(), packing) != packers.end();
  return may_be_packed && (charset.empty() || is_name_of_utf8(charset)) && !is_utf8(body);
}

}  // namespace

header_lines::header_lines(std::string_view bytes) {
  first_ = take_line(bytes);
  const char* const begin = bytes.data();
  while (!bytes.empty()) {
    const char* const line_begin = bytes.data();
    if (!take_line(bytes).empty()) continue;
    lines_ = {begin, static_cast<std::size_t>(line_begin - begin)};
    body_ = bytes;
    return;
  }
  lines_ = {begin, static_cast<std::size_t>(bytes.data() - begin)};
}

std::optional<std::string_view> header_lines::operator[](std::string_view name) const {
  std::string_view rest = lines_;
  while (!rest.empty()) {
    const std::string_view line = take_line(rest);
    const std::size_t colon = line.find(':');
    if (colon != line.npos && is_same_name(trimmed(line.substr(0, colon)), name))
      return trimmed(line.substr(colon + 1));
  }
  return std::nullopt;
}

std::optional<std::uint64_t> content_length(std::string_view value) {
  std::uint64_t length = 0;
  const auto parsed = std::from_chars(value.data(), value.data() + value.size(), length);
  if (parsed.ec != std::errc{} || parsed.ptr != value.data() + value.size()) return std::nullopt;
  return length;
}

/// Converts `body` from the charset label_ to UTF-8. Without --encoding, a body that is UTF-8 already is not changed.
/// If the label is unknown, sets `out.is_charset_unknown`.
void warc_reader::decode(std::string_view& body, record& out) {
  const bool is_wide = charset_of(label_).form == charset_form::wide;
  if (settings_.encoding.empty() || is_wide) {
    if (const auto form = wide_form_of(body, label_)) {
      decode_wide(body, *form, decoded_, out.ill_formed);
      body = decoded_;
      return;
    }
  }
  if (label_.empty() || is_name_of_utf8(label_) || is_wide) return;
  decoder* const found = decoders_.find(label_);
  out.is_charset_unknown = found == nullptr;
  if (settings_.encoding.empty() || out.is_charset_unknown) out.charset = label_;
  if (out.is_charset_unknown) return;
  // A text in a charset of 7 bits is also well-formed UTF-8. If charset_of() does not know the charset, an ESC in the
  // text may switch character sets, as in a charset of 7 bits.
  const bool has_high = std::any_of(body.begin(), body.end(), [](char c) { return (c & 0x80) != 0; });
  const bool may_switch = !has_high && (charset_of(label_).has_seven_bits() || body.find('\x1b') != body.npos);
  if (settings_.encoding.empty() && !may_switch && is_utf8(body)) return;
  body = found->decode(body, 0, out.ill_formed);
}

std::optional<std::string> warc_reader::operator()(std::string_view raw, record& out) {
  out.is_blank = raw.find_first_not_of("\r\n") == raw.npos;
  if (out.is_blank) return std::nullopt;
  const header_lines header(raw);
  if (!header.first().starts_with("WARC/")) return "not a record of WARC: it does not begin with WARC/";
  if (!header.body()) return "the header of a record has no end: the file is cut off";
  const auto length = content_length(header["Content-Length"].value_or(""));
  if (!length) return "a record of WARC without a Content-Length";
  if (*length > header.body()->size()) return "the record is shorter than its Content-Length: the file is cut off";
  std::string_view body = header.body()->substr(0, static_cast<std::size_t>(*length));
  if (header.body()->substr(body.size()).find_first_not_of("\r\n") != header.body()->npos) {
    return "something follows the record where its Content-Length says that it ends";
  }

  const std::string kind = media_type(header["WARC-Type"].value_or(""));
  std::string_view full_type = header["Content-Type"].value_or(kind == "conversion" ? "text/plain" : "");
  std::string type = media_type(full_type);
  if (kind == "response") {
    const header_lines http(body);
    const bool is_http = http.first().starts_with("HTTP/") && http.body();
    full_type = is_http ? http["Content-Type"].value_or("") : "";
    type = media_type(full_type);
    body = http.body().value_or("");
    const bool is_chunked = media_type(http["Transfer-Encoding"].value_or("")).ends_with("chunked");
    if (is_chunked && join_chunks(body, joined_)) body = joined_;
    const std::string packing = media_type(http["Content-Encoding"].value_or(""));
    out.is_packed = type == "text/plain" && is_packed(body, packing, label_in(full_type));
  } else if (kind != "conversion" && kind != "resource") {
    type.clear();
  }
  out.is_html = type == "text/html" || type == "application/xhtml+xml";
  out.is_no_text = !out.is_html && type != "text/plain";
  if (out.is_left_out()) return std::nullopt;

  if (body.starts_with(byte_order_mark)) body.remove_prefix(byte_order_mark.size());
  label_ = settings_.encoding.empty() ? label_in(full_type) : settings_.encoding;
  decode(body, out);
  out.fields.push_back(body);
  out.ill_formed = out.ill_formed || !is_utf8(body);
  const std::string name = settings_.id_field_required ? settings_.id_field : "WARC-Target-URI";
  std::string_view id = header[name].value_or("");
  if (id.starts_with('<') && id.ends_with('>')) id = id.substr(1, id.size() - 2);
  if (id.empty() && settings_.id_field_required) return "no \"" + name + "\" in the header of the record";
  if (!settings_.source_field.empty()) out.source = header[settings_.source_field].value_or("");
  out.id = id;
  out.has_id = !id.empty();
  return std::nullopt;
}

}  // namespace command
