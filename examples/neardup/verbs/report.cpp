// `neardup report`: writes the groups as one HTML page that needs no other file.
#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <numeric>
#include <string_view>

#include "../compare/groups.hpp"
#include "../ground/platform.hpp"
#include "../line/taking.hpp"
#include "page.hpp"
#include "passage_listing.hpp"
#include "pictures.hpp"
#include "report_page_parts.hpp"
#include "running.hpp"

namespace command {

namespace {

constexpr std::array report_options{
    option_row{"--most", "N", takes::own, section::output,
               "show only the N largest groups. Of groups of one size, the first are shown. The page says how many "
               "others there are (default: all groups). With --passages: show the N longest passages",
               usual::with_verb},
    option_row{"--passages", "N", takes::own, section::comparison,
               "show repeated passages, not groups: the runs of N words that occur earlier in the input, at any place "
               "of a text. The page says how long they are, where they are, and what share of the text they take. "
               "bytes:N counts bytes",
               usual::with_verb, "show runs of N words that occur earlier, not groups"},
    option_row{"--least-documents", "M", takes::own, section::comparison,
               "with --passages: show only passages that occur in M documents or more (default: 1)"},
};

// In a group, differences and pictures are shown for the first members only: at most this many after the kept member.
constexpr std::size_t max_compared = 50;

/// Returns the folder of a source. An empty text stands for the working directory.
std::string folder_of(const source& from) {
  return from.path == "-" ? std::string() : std::filesystem::path(from.path).parent_path().string();
}

/// Writes a group, whose first member is kept. The group is data in an element of its own, which the page reads when
/// the group comes into view. So the page opens quickly, however many groups there are.
void write_group(output& out, text_rereader& texts, picture_reader* pictures, const corpus& all,
                 const std::vector<group_member>& members) {
  double least = 1;
  for (const group_member& m : members) least = std::min(least, m.similarity);
  out << "<script type=\"application/json\" class=\"group\" data-size=\"" << std::to_string(members.size())
      << "\" data-least=\"" << similarity_text(least) << "\">[";
  const std::string first_text =
      pictures != nullptr ? std::string() : texts.at(all.documents.where(members.front().document));
  for (std::size_t i = 0; i < members.size(); ++i) {
    const group_member& member = members[i];
    out << (i > 0 ? ",{" : "{") << "\"id\":" << script_string(member.id) << ",\"similarity\":\""
        << similarity_text(member.similarity) << '"';
    if (member.distance) out << ",\"distance\":" << std::to_string(*member.distance);
    if (member.is_against) out << ",\"against\":true";
    const std::string picture = pictures != nullptr && i <= max_compared
                                    ? pictures->url_of(member.id, folder_of(*all.documents.where(member.document).from))
                                    : "";
    if (!picture.empty()) out << ",\"picture\":\"" << picture << '"';
    if (i > 0 && i <= max_compared && !first_text.empty()) {
      const std::string text = texts.at(all.documents.where(member.document));
      out << ",\"pieces\":";
      write_difference(out, first_text, text);
    }
    out << '}';
  }
  out << "]</script>\n";
}

/// Writes the counts by source as data for a table. For each of the largest groups, also writes the beginning of a
/// text.
void write_sources(output& out, text_rereader& texts, const corpus& all) {
  constexpr std::size_t most_sources = 200, sample_size = 300;
  const auto name = [&](std::uint64_t group) { return all.documents.id(group); };
  const std::vector<source_count> counts = all.sources->counts();
  out << "<script type=\"application/json\" id=\"sources\">{\"by\":" << script_string(all.sources->setting().text)
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

/// Returns the numbers of the largest groups, in ascending order.
std::vector<std::size_t> largest_groups(const document_groups& groups, std::size_t most) {
  std::vector<std::size_t> numbers(groups.size());
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  if (numbers.size() <= most) return numbers;
  const auto is_larger = [&](std::size_t a, std::size_t b) {
    const std::size_t x = groups.members_of(a), y = groups.members_of(b);
    return x != y ? x > y : a < b;
  };
  std::nth_element(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(most), numbers.end(), is_larger);
  numbers.resize(most);
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

/// Returns the head of the page: the number of compared documents, the rule, and the time.
std::string run_text(const context& c) {
  const std::string against =
      c.settings.against.any() ? " with " + counted(c.against + c.searched, "other", "others") : "";
  const std::uint64_t documents = c.notes.documents() - c.against;
  return counted(documents, "document was", "documents were") + " compared" + against +
         ". Two documents are near-duplicates if " + rule_text(c.settings) +
         (c.settings.grouping.by_components
              ? ". A group has all that chains of near-duplicates connect (--grouping components)"
              : "") +
         ". Written " + time_text() + '.';
}

/// Says how many groups are missing on the page, or, if none is missing, whether the page is too large for browsers.
void say_size(const context& c, const group_counts& all, const group_counts& shown) {
  if (!c.settings.output.quiet && shown.groups < all.groups) {
    say("the page has the " + counted(shown.groups, "largest group", "largest groups") + " of " + grouped(all.groups) +
        "; the others have " + counted(all.documents - shown.documents, "document", "documents"));
  } else {
    say_if_large(c, "largest groups");
  }
}

void write_page(context& c, std::size_t most) {
  corpus all(c.settings, true, true);
  read_corpus(c, all);
  const auto [head, behind_style] = split_page(report_html, "{{style}}");
  const auto [before_run, behind_run] = split_page(behind_style, "{{run}}");
  const auto [before_groups, behind_groups] = split_page(behind_run, "{{groups}}");
  const auto [before_script, tail] = split_page(behind_groups, "{{script}}");
  c.out << head << report_css << before_run << html_text(run_text(c)) << before_groups;
  text_rereader texts(c.settings.input);
  picture_reader pictures;
  const document_groups groups(c, all);
  groups.count_by_source(all);
  if (all.sources) write_sources(c.out, texts, all);
  group_counts shown;
  for (const std::size_t i : largest_groups(groups, most)) {
    write_group(c.out, texts, c.settings.fingerprint.are_codes ? &pictures : nullptr, all, groups[i]);
    ++shown.groups;
    shown.documents += groups.members_of(i);
  }
  const group_counts found = groups.counts();
  if (shown.groups < found.groups) {
    c.out << "<script type=\"application/json\" id=\"left-out\">{\"groups\":"
          << std::to_string(found.groups - shown.groups)
          << ",\"documents\":" << std::to_string(found.documents - shown.documents) << "}</script>\n";
  }
  c.out << before_script << report_common_js << report_js << tail;
  finish_groups(c, found);
  if (pictures.left_out() > 0 && !c.settings.output.quiet) {
    say(counted(pictures.left_out(), "picture is", "pictures are") + " not on the page, which has " +
        grouped(picture_reader::most_bytes / 1'000'000) + " MB of pictures at most; --most N shows fewer groups");
  }
  if (pictures.missing() > 0 && !c.settings.output.quiet) {
    say(counted(pictures.missing(), "id names", "ids name") + " no file (" +
        (pictures.missing() == 1 ? "" : "the first: ") + printable(pictures.first_missing()) +
        "), neither from the folder of the codes nor from the working directory: no picture is shown");
  }
  say_size(c, found, shown);
  say_by_source(c, all);
}

bool run_report(typed_options& typed) {
  if (typed.has("--fingerprints")) throw usage_error("report with --fingerprints: there are no texts");
  std::optional<passage_settings> passages;
  run_settings settings = take_reading(
      typed, {.last = [&](const typed_options& given, run_settings& to) {
        if (to.output.file.empty() && is_terminal(stdout)) {
          throw usage_error("report writes a page for a browser, not for a terminal: --output groups.html");
        }
        to.input.is_read_twice = true;
        if (given.has("--passages")) {
          refuse_indexes(to, "--passages");
          refuse_comparing(given, {"--similarity", "--features", "--within", "--across"},
                           " has no effect with --passages; leave out one of the two");
          to.input.watches_ids = true;
          to.choice.reset();
          passages = take_passage_settings(given, "--passages");
        } else {
          refuse_if_given(given, {"--least-documents"}, " needs --passages");
        }
      }});
  std::size_t most = std::numeric_limits<std::size_t>::max();
  take_number(typed, "--most", most, std::size_t{1}, std::numeric_limits<std::size_t>::max());
  return run_on_documents(settings, [&](context& c) {
    if (passages) return write_passages_page(c, *passages, most);
    write_page(c, most);
  });
}

}  // namespace

extern const verb report_verb;
const verb report_verb{"report",
                       "PATH…",
                       "the groups as a page for a browser, differences marked",
                       R"(
Writes the groups of near-duplicates as one HTML page that needs no other file. The page shows the sizes, the
similarities, the document that stands for each group, its other members, and what differs, side by side. A
reader can sort and filter it. Long equal pieces are shortened. For codes it shows the pictures: the files that
the ids name. With --by, a table shows what is dropped from each source. --most N shows only the largest groups.
With --passages N, the page shows the runs of N words that occur earlier, not the groups.
The input is read twice. Standard input is copied to a temporary file.
)",
                       takes::comparing | takes::codes | takes::exact | takes::same | takes::pairing |
                           takes::near_against | takes::grouping,
                       report_options,
                       run_report};

}  // namespace command
