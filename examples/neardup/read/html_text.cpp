#include "html_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <initializer_list>
#include <neardup/text/utf8.hpp>
#include <optional>
#include <system_error>
#include <unordered_map>
#include <vector>

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

/// Returns the place after the tag at the beginning of `html`. Quoted values of attributes may contain '>', as in
/// `<a title=">">`. If there is no '>' outside of quoted values, for example because a closing quote is missing, the
/// tag ends at the first '>' after the opening quote of its last value.
std::size_t end_of_tag(std::string_view html) {
  char quote = '\0';
  std::size_t last_value = 0;
  for (std::size_t i = 1; i < html.size(); ++i) {
    const char c = html[i];
    if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if ((c == '"' || c == '\'') && html[i - 1] == '=') {
      quote = c;
      last_value = i;
    } else if (c == '>') {
      return i + 1;
    }
  }
  const std::size_t end = html.find('>', last_value);
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

/// Returns the lower-case name of the tag at the beginning of `html`, or an empty text if `html` begins with no tag.
std::string name_of_tag(std::string_view html) {
  html.remove_prefix(html.substr(1).starts_with('/') ? 2 : 1);
  std::string name;
  for (const char c : html) {
    if (!is_letter(c) && (name.empty() || (c != ':' && (c < '0' || c > '9')))) break;
    name += small(c);
  }
  return name;
}

/// Returns true if `text` contains one of `marks`.
bool has_mark(std::string_view text, std::initializer_list<std::string_view> marks) {
  return std::any_of(marks.begin(), marks.end(), [&](auto mark) { return text.find(mark) != text.npos; });
}

/// Finds the ends of the quotes in a mail.
class quote_finder {
 public:
  explicit quote_finder(std::string_view html) : html_(html) {}

  /// Returns the place after the quote that `tag` begins, or nullopt if `tag` begins no quote. `name`: the name of the
  /// tag. `begin`: the place after the tag.
  std::optional<std::size_t> end_of_quote(std::string_view tag, const std::string& name, std::size_t begin) {
    const bool is_blockquote = name == "blockquote";
    // Outlook marks only the beginning of the quoted mail, which extends to the end of the text.
    if (!is_blockquote && has_mark(tag, {"divRplyFwdMsg", "appendonsend", "OutlookMessageHeader"})) {
      return html_.size();
    }
    if (!is_blockquote &&
        !has_mark(tag, {"gmail_quote", "gmail_attr", "yahoo_quoted", "moz-cite-prefix", "protonmail_quote"})) {
      return std::nullopt;
    }
    const std::size_t closing = closing_tag(name, begin);
    // If the element contains blockquotes, only these are quotes, because the author may answer between them.
    const auto inner = std::lower_bound(blockquotes_.begin(), blockquotes_.end(), begin);
    if (!is_blockquote && inner != blockquotes_.end() && *inner < closing) return std::nullopt;
    return closing + end_of_tag(html_.substr(closing));
  }

 private:
  struct tag_place {
    std::size_t at;
    /// The index, among the tags of this name, of the closing tag of the innermost element that is open before this
    /// tag.
    std::size_t closing;
  };

  /// Returns the place of the closing tag of an element, or the size of the text if the element has no closing tag.
  /// `begin`: the place after the opening tag. The element may contain elements of the same name.
  std::size_t closing_tag(const std::string& name, std::size_t begin) {
    if (tags_.empty()) find_tags();
    const std::vector<tag_place>& tags = tags_[name];
    const auto next =
        std::lower_bound(tags.begin(), tags.end(), begin, [](const tag_place& a, std::size_t b) { return a.at < b; });
    return tags[next->closing].at;
  }

  void find_tags() {
    for (std::size_t at = 0; (at = html_.find('<', at)) != html_.npos; ++at) {
      const std::string name = name_of_tag(html_.substr(at));
      if (name.empty()) continue;
      tags_[name].push_back({at, 0});
      if (name == "blockquote" && html_[at + 1] != '/') blockquotes_.push_back(at);
    }
    for (auto& [name, tags] : tags_) {
      const std::size_t last = tags.size();
      tags.push_back({html_.size(), last});  // closes the elements that have no closing tag
      for (std::size_t i = last; i-- > 0;) {
        const bool is_closing = html_[tags[i].at + 1] == '/';
        tags[i].closing = is_closing ? i : tags[std::min(tags[i + 1].closing + 1, last)].closing;
      }
    }
  }

  std::string_view html_;
  std::unordered_map<std::string, std::vector<tag_place>> tags_;  // by name, and sorted by place
  std::vector<std::size_t> blockquotes_;                          // places of their opening tags, ascending
};

/// Appends the text of HTML to `out`. `quotes`: the quotes that are left out, or null.
void append_text(std::string_view html, std::string& out, quote_finder* quotes) {
  const std::size_t whole = html.size();
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
      const bool is_closing = html.substr(1).starts_with('/');
      const std::string name = name_of_tag(html);
      if (name.empty()) {
        out += '<';  // not a tag
      } else {
        size = end_of_tag(html);
        if (!is_inline(name)) out += '\n';
        if (quotes != nullptr && !is_closing) {
          const std::size_t at = whole - html.size();
          if (const auto end = quotes->end_of_quote(html.substr(0, size), name, at + size)) {
            out += "\n>\n";
            size = *end - at;
          }
        }
        if (!is_closing && (name == "script" || name == "style")) size += find_closing(html.substr(size), name);
      }
    }
    html.remove_prefix(size);
  }
}

}  // namespace

bool begins_html_page(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  constexpr std::array<std::string_view, 3> beginnings{"<!doctype html", "<html", "<?xml"};
  return std::ranges::any_of(beginnings, [&](std::string_view begin) {
    return text.size() > begin.size() &&
           std::string_view(" \t\r\n>").find(text[begin.size()]) != std::string_view::npos &&
           std::ranges::equal(begin, text.substr(0, begin.size()), {}, {}, small);
  });
}

void append_html_text(std::string_view html, std::string& out) { append_text(html, out, nullptr); }

void append_own_html_text(std::string_view html, std::string& out) {
  quote_finder quotes(html);
  append_text(html, out, &quotes);
}

}  // namespace command
