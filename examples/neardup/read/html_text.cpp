#include "html_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <neardup/text/utf8.hpp>
#include <optional>
#include <system_error>

namespace command {

namespace {

char small(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool is_letter(char c) { return small(c) >= 'a' && small(c) <= 'z'; }

struct named_character {
  std::string_view name;
  char32_t character;
};

constexpr std::array<named_character, 29> named_characters{
    {{"amp", U'&'},         {"lt", U'<'},          {"gt", U'>'},          {"quot", U'"'},        {"apos", U'\''},
     {"ndash", U'\u2013'},  {"mdash", U'\u2014'},  {"hellip", U'\u2026'}, {"lsquo", U'\u2018'},  {"rsquo", U'\u2019'},
     {"sbquo", U'\u201A'},  {"ldquo", U'\u201C'},  {"rdquo", U'\u201D'},  {"bdquo", U'\u201E'},  {"lsaquo", U'\u2039'},
     {"rsaquo", U'\u203A'}, {"bull", U'\u2022'},   {"euro", U'\u20AC'},   {"trade", U'\u2122'},  {"zwnj", U'\u200C'},
     {"zwj", U'\u200D'},    {"ensp", U'\u2002'},   {"emsp", U'\u2003'},   {"thinsp", U'\u2009'}, {"OElig", U'\u0152'},
     {"oelig", U'\u0153'},  {"Scaron", U'\u0160'}, {"scaron", U'\u0161'}, {"minus", U'\u2212'}}};

// The names that HTML has for the characters U+00A0 to U+00FF, in order.
constexpr std::string_view latin_names =
    "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute "
    "micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig "
    "Ccedil "
    "Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave "
    "Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml "
    "igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute "
    "thorn yuml ";

std::optional<char32_t> character_named(std::string_view name) {
  for (const named_character& one : named_characters) {
    if (one.name == name) return one.character;
  }
  char32_t character = 0xA0;
  for (std::string_view rest = latin_names; !rest.empty(); ++character) {
    const std::size_t end = rest.find(' ');
    if (rest.substr(0, end) == name) return character;
    rest.remove_prefix(end + 1);
  }
  return std::nullopt;
}

void append_code_point(char32_t c, std::string& out) {
  std::array<char, 4> bytes{};
  out.append(bytes.data(), neardup::encode(c == 0 ? neardup::replacement_character : c, bytes.data()));
}

/// Appends the character of the HTML reference at the beginning of `text`, such as `&lt;`, to `out`.
/// Returns: the size of the reference, or 0 if `text` does not begin with a reference.
std::size_t append_reference(std::string_view text, std::string& out) {
  constexpr std::size_t longest = 12;
  const std::size_t end = text.substr(0, longest).find(';');
  if (end == text.npos || end < 2) return 0;
  std::string_view name = text.substr(1, end - 1);
  std::optional<char32_t> character;
  if (name.front() == '#') {
    name.remove_prefix(1);
    const bool is_hexadecimal = !name.empty() && small(name.front()) == 'x';
    if (is_hexadecimal) name.remove_prefix(1);
    std::uint32_t number = 0;
    const auto parsed = std::from_chars(name.data(), name.data() + name.size(), number, is_hexadecimal ? 16 : 10);
    if (parsed.ec == std::errc{} && parsed.ptr == name.data() + name.size()) character = number;
  } else {
    character = character_named(name);
  }
  if (!character) return 0;
  append_code_point(*character, out);
  return end + 1;
}

/// Returns true if browsers show an element within a line.
bool is_inline(std::string_view name) {
  constexpr std::array names{"a",    "abbr", "acronym", "b",    "bdi",  "bdo",   "big",      "cite",   "code",
                             "del",  "dfn",  "em",      "font", "i",    "img",   "ins",      "kbd",    "label",
                             "mark", "o:p",  "q",       "s",    "samp", "small", "span",     "strike", "strong",
                             "sub",  "sup",  "tt",      "u",    "var",  "wbr",   "st1:place"};
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Returns the place after the tag at the beginning of `html`. Quoted values of attributes may contain >.
std::size_t end_of_tag(std::string_view html) {
  char quote = '\0';
  for (std::size_t i = 1; i < html.size(); ++i) {
    const char c = html[i];
    if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if ((c == '"' || c == '\'') && html[i - 1] == '=') {
      quote = c;
    } else if (c == '>') {
      return i + 1;
    }
  }
  const std::size_t end = html.find('>');  // the quote does not end
  return end == html.npos ? html.size() : end + 1;
}

/// Returns the place of the closing tag of an element, or the size of `html` if the element has no closing tag.
std::size_t find_closing(std::string_view html, std::string_view name) {
  for (std::size_t at = 0; (at = html.find("</", at)) != html.npos; ++at) {
    const std::string_view found = html.substr(at + 2, name.size());
    if (std::equal(found.begin(), found.end(), name.begin(), name.end(),
                   [](char a, char b) { return small(a) == b; })) {
      return at;
    }
  }
  return html.size();
}

/// Returns the place after the closing tag of an element. `html`: the text after the opening tag. The element may
/// contain elements of the same name.
std::size_t end_of_element(std::string_view html, std::string_view name) {
  std::size_t depth = 1;
  for (std::size_t at = 0; (at = html.find('<', at)) != html.npos; ++at) {
    const bool is_closing = html.substr(at + 1).starts_with('/');
    const std::string_view found = html.substr(at + (is_closing ? 2 : 1), name.size() + 1);
    const bool is_same =
        found.size() > name.size() && !is_letter(found.back()) &&
        std::equal(name.begin(), name.end(), found.begin(), [](char a, char b) { return a == small(b); });
    if (!is_same) continue;
    depth = is_closing ? depth - 1 : depth + 1;
    if (depth == 0) return at + end_of_tag(html.substr(at));
  }
  return html.size();
}

/// Returns the number of bytes of `behind`, the HTML after `tag`, that belong to the quote which `tag` begins. Returns
/// nullopt if `tag` begins no quote.
std::optional<std::size_t> size_of_quote(std::string_view tag, std::string_view name, std::string_view behind) {
  if (name == "blockquote") return end_of_element(behind, name);
  // Outlook marks only the beginning of the quoted mail, which extends to the end of `behind`.
  for (const std::string_view mark : {"divRplyFwdMsg", "appendonsend", "OutlookMessageHeader"}) {
    if (tag.find(mark) != tag.npos) return behind.size();
  }
  for (const std::string_view mark :
       {"gmail_quote", "gmail_attr", "yahoo_quoted", "moz-cite-prefix", "protonmail_quote"}) {
    if (tag.find(mark) == tag.npos) continue;
    const std::size_t size = end_of_element(behind, name);
    // If the element contains blockquotes, only these are quotes, because the author may answer between them.
    constexpr std::string_view inner = "<blockquote";
    const std::string_view inside = behind.substr(0, size);
    const auto place = std::search(inside.begin(), inside.end(), inner.begin(), inner.end(),
                                   [](char a, char b) { return small(a) == b; });
    if (place == inside.end()) return size;
  }
  return std::nullopt;
}

void append_text(std::string_view html, std::string& out, bool is_own) {
  while (!html.empty()) {
    const std::size_t plain = std::min(html.find_first_of("<&"), html.size());
    out += html.substr(0, plain);
    html.remove_prefix(plain);
    if (html.empty()) return;
    std::size_t size = 1;
    if (html.front() == '&') {
      size = append_reference(html, out);
      if (size == 0) out += html[size++];
    } else if (html.starts_with("<!--")) {
      const std::size_t end = html.find("-->", 4);
      size = end == html.npos ? html.size() : end + 3;
    } else if (html.size() > 1 && (html[1] == '!' || html[1] == '?')) {
      size = end_of_tag(html);
    } else {
      const std::size_t begin = html.size() > 1 && html[1] == '/' ? 2 : 1;
      std::string name;
      for (std::size_t i = begin;
           i < html.size() &&
           (is_letter(html[i]) || (i > begin && (html[i] == ':' || (html[i] >= '0' && html[i] <= '9'))));
           ++i) {
        name += small(html[i]);
      }
      if (name.empty()) {
        out += '<';  // not a tag
      } else {
        size = end_of_tag(html);
        if (!is_inline(name)) out += '\n';
        const auto quote =
            is_own && begin == 1 ? size_of_quote(html.substr(0, size), name, html.substr(size)) : std::nullopt;
        if (quote) {
          out += "\n>\n";
          size += *quote;
        }
        if (begin == 1 && (name == "script" || name == "style")) size += find_closing(html.substr(size), name);
      }
    }
    html.remove_prefix(size);
  }
}

}  // namespace

void append_html_text(std::string_view html, std::string& out) { append_text(html, out, false); }

void append_own_html_text(std::string_view html, std::string& out) { append_text(html, out, true); }

}  // namespace command
