// `neardup report`: the groups as one HTML page that needs nothing else.
#include <neardup/text/utf8.hpp>

#include "../../common/text_difference.hpp"
#include "../compare/context.hpp"
#include "../compare/corpus.hpp"
#include "../compare/groups.hpp"
#include "../ground/platform.hpp"
#include "../ground/text.hpp"
#include "../line/taking.hpp"
#include "report_page_parts.hpp"
#include "running.hpp"

namespace command {

namespace {

using common::change;
using common::text_piece;

// Of a group with very many members, differences are shown of so many.
constexpr std::size_t max_compared = 50;
constexpr std::size_t max_text = std::size_t{1} << 20;
// Of an equal stretch so much is shown at each end, and of differences so much altogether.
constexpr std::size_t shown_around = 300;
constexpr std::size_t max_changed = 20000;

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

/// Writes pieces as a JSON array of pairs: what it is, and its text; what is left out, by its size.
class piece_writer {
 public:
  piece_writer(output& out, const std::vector<text_piece>& pieces) : out_(out) {
    out_ << '[';
    for (const text_piece& piece : pieces) {
      if (piece.what == change::none) {
        add_equal(piece.text, &piece == &pieces.front(), &piece == &pieces.back());
      } else {
        const std::string_view shown = first_bytes(piece.text, max_changed - std::min(max_changed, changed_));
        changed_ += shown.size();
        add_text(piece.what == change::removed ? '-' : '+', shown);
        leave_out(piece.what == change::removed ? 'l' : 'r', piece.text.size() - shown.size());
      }
    }
    out_ << ']';
  }

 private:
  void add_equal(std::string_view text, bool is_first, bool is_last) {
    if (text.size() <= 3 * shown_around) return add_text('=', text);
    const std::string_view begin = is_first && !is_last ? std::string_view() : first_bytes(text, shown_around);
    const std::string_view end = is_last && !is_first ? std::string_view() : last_bytes(text, shown_around);
    add_text('=', begin);
    leave_out('~', text.size() - begin.size() - end.size());
    add_text('=', end);
  }

  void add_text(char what, std::string_view text) {
    if (!text.empty()) add(what, script_string(text));
  }
  /// '~': equal in both; 'l': of the kept one; 'r': of the other.
  void leave_out(char what, std::size_t bytes) {
    if (bytes > 0) add(what, std::to_string(bytes));
  }
  void add(char what, const std::string& json) {
    out_ << (is_empty_ ? "\"" : ",\"") << what << "\"," << json;
    is_empty_ = false;
  }

  output& out_;
  std::size_t changed_ = 0;
  bool is_empty_ = true;
};

/// Reads texts again, as people see them.
class text_rereader {
 public:
  explicit text_rereader(const input_settings& settings) : settings_(settings), read_(make_record_reader(settings)) {}

  /// At most the first megabyte; empty if only its fingerprint is known. Throws: input_error if it is no longer there.
  std::string at(const place& where) {
    if (where.length == 0) return "";
    const std::string_view raw = bytes_at(where);
    const bool is_whole = where.from->unit == unit_of_input::files;
    if (is_whole && settings_.encoding.empty()) return std::string(first_bytes(raw, max_text));
    if (read_(*where.from, content_of_record(*where.from, raw, where.offset == 0), record_)) fail_changed(*where.from);
    return std::string(first_bytes(joined(record_.fields, settings_.weighted_field.empty() ? '\n' : ' '), max_text));
  }

 private:
  /// Valid until the next call.
  std::string_view bytes_at(const place& where) {
    constexpr std::size_t ahead = std::size_t{1} << 16;  // what comes in the order of the input is mostly there then
    try {
      if (source_ != where.from) {
        file_.emplace(*where.from);
        source_ = where.from;
        buffer_.resize(0);
      }
      if (where.offset < begin_ || where.offset + where.length > begin_ + buffer_.size()) {
        begin_ = where.offset;
        const std::size_t wanted = std::max<std::size_t>(where.length, ahead);
        buffer_.resize(0);
        buffer_.reserve(wanted);
        buffer_.resize(file_->read_at(begin_, buffer_.data(), wanted));
      }
    } catch (const read_error& error) {
      throw input_error({where.from->name(), error.what()});
    }
    if (where.offset + where.length > begin_ + buffer_.size()) fail_changed(*where.from);
    return buffer_.view().substr(where.offset - begin_, where.length);
  }

  const input_settings& settings_;
  record_reader read_;
  record record_;
  std::shared_ptr<source> source_;
  std::optional<source_file> file_;
  byte_buffer buffer_;
  std::uint64_t begin_ = 0;  // of the buffer in the source
};

/// Writes a group; its first member is the one that is kept. It is data in an element of its own, which the page reads
/// when the group is opened: so it opens at once, however many there are.
void write_group(output& out, text_rereader& texts, const corpus& all, const std::vector<group_member>& members) {
  double least = 1;
  for (const group_member& m : members) least = std::min(least, m.similarity);
  out << "<script type=\"application/json\" class=\"group\" data-size=\"" << std::to_string(members.size())
      << "\" data-least=\"" << similarity_text(least) << "\">[";
  const std::string first_text = texts.at(all.documents.where(members.front().document));
  for (std::size_t i = 0; i < members.size(); ++i) {
    const group_member& member = members[i];
    out << (i > 0 ? ",{" : "{") << "\"id\":" << script_string(member.id) << ",\"similarity\":\""
        << similarity_text(member.similarity) << "\",\"distance\":" << std::to_string(member.distance);
    if (member.is_against) out << ",\"against\":true";
    if (i > 0 && i <= max_compared && !first_text.empty()) {
      const std::string text = texts.at(all.documents.where(member.document));
      out << ",\"pieces\":";
      piece_writer(out, common::text_difference(first_text, text));
    }
    out << '}';
  }
  out << "]</script>\n";
}

void write_page(context& c) {
  corpus all(c.settings, true, true);
  read_corpus(c, all);
  const auto [head, behind_style] = split(report_html, "{{style}}");
  const auto [before_groups, behind_groups] = split(behind_style, "{{groups}}");
  const auto [before_script, tail] = split(behind_groups, "{{script}}");
  c.out << head << report_css << before_groups;
  text_rereader texts(c.settings.input);
  const document_groups groups(c, all);
  for (std::size_t i = 0; i < groups.size(); ++i) write_group(c.out, texts, all, groups[i]);
  c.out << before_script << report_js << tail;
  finish_groups(c, groups.counts());
}

bool run_report(typed_options& typed) {
  if (typed.has("--fingerprints")) throw usage_error("report with --fingerprints: there are no texts");
  run_settings settings = take_reading(
      typed, {.last = [](const typed_options&, run_settings& to) {
        if (to.output.file.empty() && is_terminal(stdout)) {
          throw usage_error("report writes a page for a browser, not for a terminal: --output groups.html");
        }
        to.input.is_read_twice = true;
      }});
  return run_on_documents(settings, write_page);
}

}  // namespace

extern const verb report_verb;
const verb report_verb{"report",
                       "PATH…",
                       "the groups as a page for a browser, differences marked",
                       R"(
Writes the groups of near-duplicates as one HTML page that needs nothing else: sizes, similarities, which
document each group is around and which others are in it, and what differs, side by side. It can be sorted
and filtered. Stretches that are equal are shortened. The input is read twice, standard input through a
temporary file.
)",
                       takes::comparing | takes::exact | takes::near_against | takes::grouping,
                       {},
                       run_report};

}  // namespace command
