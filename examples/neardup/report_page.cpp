// `neardup report`: the groups as one HTML page that needs nothing else.
#include <algorithm>
#include <neardup/text/utf8.hpp>

#include "../common/text_difference.hpp"
#include "corpus.hpp"
#include "groups.hpp"
#include "report_page_parts.hpp"
#include "verbs.hpp"

namespace command {

namespace {

using common::change;
using common::text_piece;

// Of a group with very many members, differences are shown of so many.
constexpr std::size_t most_compared = 50;
constexpr std::size_t most_text = std::size_t{1} << 20;
// Of an equal stretch so much is shown at each end, and of differences so much altogether.
constexpr std::size_t shown_around = 300;
constexpr std::size_t most_changed = 20000;

/// What comes before and behind a place that is marked in the page.
std::pair<std::string_view, std::string_view> split(std::string_view page, std::string_view mark) {
  const std::size_t place = page.find(mark);
  return {page.substr(0, place), page.substr(place + mark.size())};
}

/// A string that is JSON, and within an element of HTML stays within it: nothing in it begins a tag or a comment.
std::string script_string(std::string_view text) {
  std::string out;
  for (const char c : json_string(text)) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

std::string_view first_bytes(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  text = text.substr(0, most);
  return text.substr(0, text.size() - neardup::incomplete_suffix(text));
}

std::string_view last_bytes(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  text = text.substr(text.size() - most);
  while (!text.empty() && (static_cast<unsigned char>(text.front()) & 0xc0U) == 0x80) text.remove_prefix(1);
  return text;
}

/// Pieces as a JSON array of pairs: what it is, and its text; what is left out, by its size.
class piece_writer {
 public:
  explicit piece_writer(output& out) : out_(out) { out_ << '['; }

  void add(const std::vector<text_piece>& pieces) {
    for (const text_piece& piece : pieces) {
      if (piece.what == change::none) {
        add_equal(piece.text, &piece == &pieces.front(), &piece == &pieces.back());
      } else {
        const std::string_view shown = first_bytes(piece.text, most_changed - std::min(most_changed, changed_));
        changed_ += shown.size();
        write(piece.what == change::removed ? '-' : '+', shown);
        if (shown.size() < piece.text.size())
          leave_out(piece.what == change::removed ? '<' : '>', piece.text.size() - shown.size());
      }
    }
  }

  void finish() { out_ << ']'; }

 private:
  void add_equal(std::string_view text, bool is_first, bool is_last) {
    if (text.size() <= 3 * shown_around) return write('=', text);
    const std::string_view begin = is_first && !is_last ? std::string_view() : first_bytes(text, shown_around);
    const std::string_view end = is_last && !is_first ? std::string_view() : last_bytes(text, shown_around);
    if (!begin.empty()) write('=', begin);
    leave_out('~', text.size() - begin.size() - end.size());
    if (!end.empty()) write('=', end);
  }

  void write(char what, std::string_view text) {
    if (text.empty()) return;
    next(what);
    out_ << script_string(text);
  }
  /// '~': equal in both; '<': of the kept one; '>': of the other.
  void leave_out(char what, std::size_t bytes) {
    next(what == '<' ? 'l' : what == '>' ? 'r' : '~');
    out_ << std::to_string(bytes);
  }
  void next(char what) {
    out_ << (is_empty_ ? "\"" : ",\"") << what << "\",";
    is_empty_ = false;
  }

  output& out_;
  std::size_t changed_ = 0;
  bool is_empty_ = true;
};

/// Reads texts again, as people see them.
class text_rereader {
 public:
  explicit text_rereader(const options& settings) : settings_(settings), records_(ahead), reader_(settings) {}

  /// At most the first megabyte; empty if only its fingerprint is known. Throws: input_error.
  std::string at(const place& where);

 private:
  static constexpr std::size_t ahead = std::size_t{1} << 16;

  const options& settings_;
  record_rereader records_;
  record_reader reader_;
  record record_;
};

/// Writes the page. Each group is data in an element of its own, which the page reads when the group is opened: so it
/// opens at once, however many there are.
class report_page {
 public:
  /// Writes the beginning.
  explicit report_page(context& c);

  /// Writes a group; its first member is the one that is kept.
  void add(const document_table& documents, std::size_t against, const std::vector<group_member>& members);

  /// Writes the end.
  void finish();

 private:
  void add_member(const document_table& documents, const group_member& member, bool is_against,
                  const std::string* first_text);

  context& context_;
  text_rereader texts_;
};

std::string text_rereader::at(const place& where) {
  if (where.length == 0) return "";
  const std::string_view raw = records_.at(where);
  const std::string_view content = content_of_line(raw, where.offset == 0);
  if (settings_.unit != unit_of_input::json_lines) {
    return std::string(first_bytes(settings_.unit == unit_of_input::files ? raw : content, most_text));
  }
  if (reader_.read(content, record_)) fail_changed(*where.from);
  return std::string(first_bytes(joined(record_.fields, settings_.weighted_field.empty() ? '\n' : ' '), most_text));
}

report_page::report_page(context& c) : context_(c), texts_(c.settings) {
  const auto [head, rest] = split(report_html, "{{style}}");
  const auto [before, behind] = split(rest, "{{groups}}");
  c.out << head << report_css << before;
}

void report_page::add(const document_table& documents, std::size_t against, const std::vector<group_member>& members) {
  double least = 1;
  for (const group_member& m : members) least = std::min(least, m.similarity);
  output& out = context_.out;
  out << "<script type=\"application/json\" class=\"group\" data-size=\"" << std::to_string(members.size())
      << "\" data-least=\"" << similarity_text(least) << "\">[";
  const std::string first_text = texts_.at(documents.where(members.front().document));
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (i > 0) out << ',';
    const bool is_compared = i > 0 && i <= most_compared && !first_text.empty();
    add_member(documents, members[i], members[i].document < against, is_compared ? &first_text : nullptr);
  }
  out << "]</script>\n";
}

void report_page::add_member(const document_table& documents, const group_member& member, bool is_against,
                             const std::string* first_text) {
  output& out = context_.out;
  out << "{\"id\":" << script_string(documents.id(member.document)) << ",\"similarity\":\""
      << similarity_text(member.similarity) << "\",\"distance\":" << std::to_string(member.distance);
  if (is_against) out << ",\"against\":true";
  if (first_text != nullptr) {
    const std::string text = texts_.at(documents.where(member.document));
    out << ",\"pieces\":";
    piece_writer writer(out);
    writer.add(common::text_difference(*first_text, text));
    writer.finish();
  }
  out << '}';
}

void report_page::finish() {
  const auto [before, behind] = split(split(report_html, "{{groups}}").second, "{{script}}");
  context_.out << before << report_js << behind;
}

}  // namespace

void run_report(context& c) {
  const corpus all = read_corpus(c);
  report_page page(c);
  const group_counts counts = for_each_group(c, all, [&](std::uint64_t, const std::vector<group_member>& members) {
    page.add(all.documents, all.against, members);
  });
  page.finish();
  finish_groups(c, counts);
}

}  // namespace command
