// `neardup groups`: prints groups. A group has a document and its near-duplicates, or the documents that a chain of
// near-duplicates connects.
#include "../compare/groups.hpp"

#include <array>

#include "../ground/pipeline.hpp"
#include "../line/taking.hpp"
#include "annotating.hpp"
#include "copying.hpp"
#include "run_steps.hpp"
#include "running.hpp"

namespace command {

namespace {

constexpr std::array groups_options{
    pairs_of_run_option,
    annotate_option,
    annotate_key_option,
};

/// Writes all records of the input, each with a note about its group.
void write_annotated(context& c, const std::string& key) {
  corpus all(c.settings);
  second_pass documents(c);
  read_corpus(c, all, [&](const placed_document& d) { documents.expect(d); });
  const document_groups groups(c, all);
  constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> group_of(all.size(), none);
  for (std::uint32_t i = 0; i < groups.size(); ++i) {
    groups.visit_members(i, [&](std::uint32_t document) { group_of[document] = i; });
  }
  const annotator notes(key);
  record_writer writer(c, &notes);
  std::size_t next = all.against;
  const auto note_of = [&](std::size_t i) -> std::optional<group_note> {
    if (group_of[i] == none) return std::nullopt;
    const group_member first = groups.original_of(group_of[i]), own = groups.member(group_of[i], i);
    return group_note{group_of[i], first.id, first.is_against, own.similarity, groups.members_of(group_of[i])};
  };
  documents.visit_documents(
      [&](bool has_tokens, const std::shared_ptr<source>& from, std::uint64_t line, std::string_view raw) {
        notes.check(*from);
        writer.keep(from, line, notes.annotated(*from, line, raw, has_tokens ? note_of(next) : std::nullopt));
        if (has_tokens) ++next;
      });
  groups.count_by_source(all);
  writer.close();
  finish_groups(c, groups.counts());
  say_by_source(c, all);
}

bool run_groups(typed_options& typed) {
  if (typed.has("--pairs")) return run_groups_of_run(typed);
  std::optional<std::string> key;
  run_settings settings = take_reading(
      typed, {.last = [&](const typed_options& given, run_settings& to) { key = take_annotate(given, to); }});
  return run_on_documents(settings, [&key](context& c) {
    if (key) return write_annotated(c, *key);
    corpus all(c.settings);
    read_corpus(c, all);
    const document_groups groups(c, all);
    print_in_order(
        c.settings.threads, groups.size(),
        [&](std::size_t i, std::string& text) { text += text_of_group(c.settings, i, groups[i]); },
        [&](std::string&& text) { c.out << text; });
    groups.count_by_source(all);
    finish_groups(c, groups.counts());
    say_by_source(c, all);
  });
}

}  // namespace

extern const verb groups_verb;
const verb groups_verb{"groups",
                       "PATH…",
                       "the groups of near-duplicates (the default)",
                       R"(
Prints the groups of near-duplicates among documents.
Text: the first line of a group has its size, and the least similarity of a member to the first member. Then
each member has a line with its similarity to the first member, and its id. The first member is the one that
--keep prefers. The other members come in the order of the input. Groups come in the order of their first
members. The similarity is exact. Without a check, it is an estimate from the distance: of the cosine, or for
min-wise codes of the Jaccard similarity.
With --pairs: prints the groups of a run on many machines. They equal the groups of one run byte for byte.
With --annotate: prints the records, byte for byte, each with its group.
)",
                       takes::comparing | takes::codes | takes::exact | takes::same | takes::pairing |
                           takes::near_against | takes::grouping | takes::format,
                       groups_options,
                       run_groups};

}  // namespace command
