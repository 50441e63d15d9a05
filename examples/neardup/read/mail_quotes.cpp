#include "mail_quotes.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

namespace command {

namespace {

bool is_ascii_digit(char c) { return c >= '0' && c <= '9'; }
char ascii_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string_view without_blanks(std::string_view text) {
  constexpr std::string_view around = " \t\r\n";
  text.remove_prefix(std::min(text.find_first_not_of(around), text.size()));
  return text.substr(0, text.find_last_not_of(around) + 1);
}

std::string in_lower_case(std::string_view text) {
  std::string lowered(text);
  std::transform(lowered.begin(), lowered.end(), lowered.begin(), ascii_lower);
  return lowered;
}

bool is_quoted(std::string_view line) {
  constexpr std::size_t most_blanks = 3;
  const std::size_t begin = line.find_first_not_of(" \t");
  return begin <= most_blanks && line[begin] == '>';
}

/// Returns true if a line begins with ">>> ". Such a line is code after a prompt of Python, or a quote of the third
/// level.
bool is_prompt(std::string_view line) { return line.starts_with(">>> "); }

/// Returns true if a text has a year, a time of day or a mail address. The line above a quote has one of these.
bool has_date_or_address(std::string_view text) {
  constexpr std::size_t digits_of_year = 4;
  std::size_t digits = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '@') return true;
    if (text[i] == ':' && digits > 0 && i + 1 < text.size() && is_ascii_digit(text[i + 1])) return true;
    digits = is_ascii_digit(text[i]) ? digits + 1 : 0;
    if (digits == digits_of_year && (i + 1 == text.size() || !is_ascii_digit(text[i + 1]))) return true;
  }
  return false;
}

/// The verbs of lines such as "On DATE, NAME wrote:", in several languages. ASCII letters are in lower case.
constexpr std::array quoting_verbs{"wrote",    "writes",  "schrieb", "a écrit", "escribió", "ha scritto",
                                   "escreveu", "schreef", "skrev",   "napisał", "pisze",    "пишет",
                                   "написал",  "写道",    "寫道",    "said"};

/// Returns true if a line begins like "On DATE, NAME wrote:" in one of several languages.
bool has_beginning(std::string_view line) {
  constexpr std::array beginnings{"On ",  "Am ",     "Le ",  "El ", "Il ", "Em ", "Op ",
                                  "Den ", "W dniu ", "Dne ", "在",  "于",  "於"};
  return std::any_of(beginnings.begin(), beginnings.end(), [&](std::string_view one) { return line.starts_with(one); });
}

/// Returns the number of lines of a text such as "On DATE, NAME wrote:" at lines[first], or 0 if no such text begins
/// there. Mail programs break this text into up to three lines.
std::size_t attribution(const std::vector<std::string_view>& lines, std::size_t first) {
  constexpr std::size_t most_lines = 3, longest = 400;
  std::string joined;
  for (std::size_t count = 1; count <= most_lines && first + count <= lines.size(); ++count) {
    const std::string_view line = without_blanks(lines[first + count - 1]);
    if (line.empty() || is_quoted(line)) return 0;
    joined.append(joined.empty() ? "" : " ").append(in_lower_case(line));
    if (joined.size() > longest) return 0;
    if (count > 1 && !has_beginning(without_blanks(lines[first]))) return 0;
    constexpr std::string_view wide_colon = "：";
    const bool has_end = joined.ends_with(':') || joined.ends_with(wide_colon);
    if (!has_end) continue;
    const bool has_verb = std::any_of(quoting_verbs.begin(), quoting_verbs.end(),
                                      [&](std::string_view verb) { return joined.find(verb) != joined.npos; });
    constexpr std::ptrdiff_t most_blanks = 5;  // in a line with a name only, such as "Ann Example wrote:"
    const bool is_name = count == 1 && std::count(joined.begin(), joined.end(), ' ') <= most_blanks;
    return has_verb && (is_name || has_date_or_address(joined)) ? count : 0;
  }
  return 0;
}

/// Returns true if a line is "-----Original Message-----", or a similar line, after which a whole mail is quoted.
bool begins_original(std::string_view line) {
  line = without_blanks(line);
  const std::string lowered = in_lower_case(line);
  if (lowered == "begin forwarded message:") return true;
  const std::size_t begin = std::min(lowered.find_first_not_of("-_ "), lowered.size());
  const std::size_t end = lowered.find_last_not_of("-_ ") + 1;
  constexpr std::size_t fewest_dashes = 2;
  if (begin < fewest_dashes || end + fewest_dashes > lowered.size() || begin >= end) return false;
  const std::string_view words = std::string_view(lowered).substr(begin, end - begin);
  constexpr std::array names{"original message",
                             "original mail",
                             "original email",
                             "original e-mail",
                             "original appointment",
                             "forwarded message",
                             "forwarded mail",
                             "forwarded by",
                             "reply message",
                             "ursprüngliche nachricht",
                             "weitergeleitete nachricht",
                             "originalnachricht",
                             "message d'origine",
                             "message original",
                             "message transféré",
                             "message initial",
                             "mensaje original",
                             "mensaje reenviado",
                             "mensagem original",
                             "mensagem encaminhada",
                             "messaggio originale",
                             "messaggio inoltrato",
                             "oorspronkelijk bericht",
                             "doorgestuurd bericht",
                             "원본 메시지",
                             "原始邮件",
                             "原始郵件",
                             "转发邮件"};
  return std::any_of(names.begin(), names.end(), [&](std::string_view name) { return words.starts_with(name); });
}

/// Names of the fields in the header of a forwarded mail, in lower case. The names for the sender come first.
constexpr std::array senders{"from", "von", "de", "da", "van", "发件人", "寄件者", "差出人"};
constexpr std::array other_fields{
    "sent",   "date",    "to",        "cc",      "subject",   "reply-to", "gesendet", "datum", "an",      "betreff",
    "envoyé", "à",       "objet",     "enviado", "fecha",     "para",     "asunto",   "data",  "assunto", "inviato",
    "a",      "oggetto", "verzonden", "aan",     "onderwerp", "发送时间", "收件人",   "主题",  "抄送",    "bcc"};

/// Returns the name of the header field at the beginning of a line, in lower case, or "" if there is no name. Some
/// programs write the name in bold type, as "*From:*".
std::string field_name(std::string_view line) {
  line = without_blanks(line);
  if (line.starts_with('*')) line.remove_prefix(1);
  constexpr std::string_view wide_colon = "：";
  const std::size_t colon = std::min(line.find(':'), line.find(wide_colon));
  constexpr std::size_t longest = 24;
  if (colon == line.npos || colon == 0 || colon > longest) return "";
  return in_lower_case(without_blanks(line.substr(0, colon)));
}

/// Returns the number of lines of the mail header that begins at lines[first], or 0 if no header begins there. A header
/// has a field for the sender, and at least two further fields.
std::size_t forwarded_header(const std::vector<std::string_view>& lines, std::size_t first) {
  constexpr std::size_t most_lines = 16, fewest_fields = 3;
  const auto is_one_of = [](const auto& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (!is_one_of(senders, field_name(lines[first]))) return 0;
  std::size_t count = 1, fields = 1;
  for (; count < most_lines && first + count < lines.size(); ++count) {
    const std::string_view line = lines[first + count];
    if (without_blanks(line).empty() || is_quoted(line)) break;
    fields += is_one_of(other_fields, field_name(line)) ? 1 : 0;
  }
  return fields >= fewest_fields ? count : 0;
}

/// Returns true if a line may begin quoted text. The result is false for most lines, which then need no other test.
bool may_be_quoted(std::string_view line) {
  constexpr std::size_t longest_name = 25;  // length of the name of a header field, with the colon
  constexpr std::string_view wide_colon = "：";
  const std::size_t begin = std::min(line.find_first_not_of(" \t\r"), line.size());
  line.remove_prefix(begin);
  if (line.empty()) return false;
  constexpr std::string_view beginnings = ">-_Bb";  // of ">", of dashes, and of "Begin forwarded message"
  if (beginnings.find(line.front()) != beginnings.npos || has_beginning(line)) return true;
  const std::size_t end = line.find_last_not_of(" \t\r") + 1;
  const std::string_view last = line.substr(0, end), first = line.substr(0, longest_name);
  return last.ends_with(':') || last.ends_with(wide_colon) || first.find(':') != first.npos ||
         first.find(wide_colon) != first.npos;
}

/// Returns true if any line of a text may begin quoted text.
bool may_have_quotes(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (may_be_quoted(text.substr(0, end))) return true;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return false;
}

class own_lines {
 public:
  explicit own_lines(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      lines_.push_back(text.substr(0, end));
      if (is_quoted(lines_.back())) behind_quotes_ = lines_.size();
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    is_own_.assign(lines_.size(), true);
  }

  void append_to(std::string& out) {
    for (std::size_t i = 0; i < lines_.size();) i = take(i);
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (is_own_[i]) out.append(lines_[i]).append("\n");
    }
  }

 private:
  /// Returns the first line from `i` on that is not blank.
  [[nodiscard]] std::size_t next_text(std::size_t i) const {
    while (i < lines_.size() && without_blanks(lines_[i]).empty()) ++i;
    return i;
  }

  [[nodiscard]] bool is_quote_at(std::size_t i) const { return i < lines_.size() && is_quoted(lines_[i]); }

  /// Leaves out the lines [begin, end). If the next line with text is not quoted, also leaves out all later lines.
  /// Returns: the next line to decide about.
  std::size_t leave_out_mail(std::size_t begin, std::size_t end) {
    if (!is_quote_at(next_text(end))) end = lines_.size();
    leave_out(begin, end);
    return end;
  }

  void leave_out(std::size_t begin, std::size_t end) {
    std::fill(is_own_.begin() + static_cast<std::ptrdiff_t>(begin), is_own_.begin() + static_cast<std::ptrdiff_t>(end),
              false);
  }

  /// Decides whether line `i`, and perhaps the lines after it, are the author's own.
  /// Returns: the next line to decide about.
  std::size_t take(std::size_t i) {
    const std::string_view line = lines_[i];
    if (!may_be_quoted(line)) return i + 1;
    if (is_quoted(line)) {
      std::size_t end = i;
      bool are_prompts = true;
      while (is_quote_at(end)) are_prompts = is_prompt(lines_[end++]) && are_prompts;
      const bool is_announced = i > 0 && !is_own_[i - 1];
      if (!are_prompts || is_announced) leave_out(i, end);
      return end;
    }
    if (begins_original(line)) {
      const std::size_t next = next_text(i + 1);
      return leave_out_mail(i, next < lines_.size() ? next + forwarded_header(lines_, next) : next);
    }
    if (const std::size_t size = forwarded_header(lines_, i); size > 0) return leave_out_mail(i, i + size);
    if (const std::size_t size = attribution(lines_, i); size > 0) {
      const std::size_t end = next_text(i + size);
      if (is_quote_at(end)) {
        leave_out(i, end);
        return end;
      }
      std::string joined;
      for (std::size_t k = i; k < i + size; ++k) joined.append(lines_[k]).append(" ");
      if (has_beginning(without_blanks(joined)) && has_date_or_address(joined)) {
        // If there is a later line with ">", the text up to this line may be an answer: only the attribution is
        // left out. Otherwise the rest of the mail is the quoted text, and is left out, too.
        const std::size_t last = end < behind_quotes_ ? i + size : lines_.size();
        leave_out(i, last);
        return last;
      }
    }
    return i + 1;
  }

  std::vector<std::string_view> lines_;
  std::vector<bool> is_own_;
  std::size_t behind_quotes_ = 0;  // the line after the last line with ">"
};

}  // namespace

void append_own_text(std::string_view text, std::string& out) {
  if (!may_have_quotes(text)) {
    out.append(text);
    return;
  }
  own_lines(text).append_to(out);
}

bool has_words(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    return (ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z') || is_ascii_digit(c) ||
           (static_cast<unsigned char>(c) & 0x80U) != 0;
  });
}

}  // namespace command
