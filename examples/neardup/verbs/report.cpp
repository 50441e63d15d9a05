// `neardup report`: the groups as one HTML page that needs nothing else.
#include "../compare/groups.hpp"
#include "../ground/platform.hpp"
#include "../line/taking.hpp"
#include "page.hpp"
#include "report_page_parts.hpp"
#include "running.hpp"

namespace command {

namespace {

// Of a group with very many members, differences are shown of so many.
constexpr std::size_t max_compared = 50;

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
      write_difference(out, first_text, text);
    }
    out << '}';
  }
  out << "]</script>\n";
}

/// Writes what went by its source: data for a table, with the beginning of a text of each of the largest groups.
void write_sources(output& out, text_rereader& texts, const corpus& all) {
  constexpr std::size_t most_sources = 200, sample_size = 300;
  const auto name = [&](std::uint64_t group) { return all.documents.id(group); };
  const std::vector<source_count> counts = all.sources->counts();
  out << "<script type=\"application/json\" id=\"sources\">{\"by\":" << script_string(all.sources->how().text)
      << ",\"count\":" << std::to_string(counts.size()) << ",\"warnings\":[";
  const std::vector<std::string> warnings = source_warnings(*all.sources, name);
  for (std::size_t i = 0; i < warnings.size(); ++i) out << (i > 0 ? "," : "") << script_string(warnings[i]);
  out << "],\"sources\":[";
  for (std::size_t i = 0; i < std::min(counts.size(), most_sources); ++i) {
    const source_count& source = counts[i];
    out << (i > 0 ? ",\n{" : "\n{") << "\"name\":" << script_string(source.name)
        << ",\"in\":" << std::to_string(source.in) << ",\"dropped\":" << std::to_string(source.dropped)
        << ",\"groups\":[";
    for (std::size_t g = 0; g < source.largest.size(); ++g) {
      const source_count::group& group = source.largest[g];
      const std::string text = texts.at(all.documents.where(group.number));
      out << (g > 0 ? ",{" : "{") << "\"id\":" << script_string(name(group.number))
          << ",\"dropped\":" << std::to_string(group.dropped)
          << ",\"text\":" << script_string(first_bytes(text, sample_size)) << '}';
    }
    out << "]}";
  }
  out << "]}</script>\n";
}

void write_page(context& c) {
  corpus all(c.settings, true, true);
  read_corpus(c, all);
  const auto [head, behind_style] = split_page(report_html, "{{style}}");
  const auto [before_groups, behind_groups] = split_page(behind_style, "{{groups}}");
  const auto [before_script, tail] = split_page(behind_groups, "{{script}}");
  c.out << head << report_css << before_groups;
  text_rereader texts(c.settings.input);
  const document_groups groups(c, all);
  groups.count_by_source(all);
  if (all.sources) write_sources(c.out, texts, all);
  for (std::size_t i = 0; i < groups.size(); ++i) write_group(c.out, texts, all, groups[i]);
  c.out << before_script << report_common_js << report_js << tail;
  finish_groups(c, groups.counts());
  say_by_source(c, all);
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
and filtered. Stretches that are equal are shortened. With --by a table says what goes of each source. The input is read twice, standard input through a
temporary file.
)",
                       takes::comparing | takes::exact | takes::near_against | takes::grouping,
                       {},
                       run_report};

}  // namespace command
