// `neardup groups`: prints groups: the near-duplicates of one document, or the documents that a chain of
// near-duplicates connects.
#include "../compare/groups.hpp"

#include <array>

#include "../ground/pipeline.hpp"
#include "../line/taking.hpp"
#include "run_steps.hpp"
#include "running.hpp"

namespace command {

namespace {

constexpr std::array groups_options{pairs_of_run_option};

bool run_groups(typed_options& typed) {
  if (typed.has("--pairs")) return run_groups_of_run(typed);
  run_settings settings = take_reading(typed, {});
  return run_on_documents(settings, [](context& c) {
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
Text: the size of a group and the least similarity of a member to the first one, then each member's
similarity to the first and its id. The first is the one that --keep prefers; all others stand in the
order of the input, groups in that of their first members. The similarity is the exact one of the check;
without a check it is what the distance stands for: the cosine, of min-wise codes the Jaccard similarity.
With --pairs: the groups of a run on many machines, byte for byte those of all its texts.
)",
                       takes::comparing | takes::codes | takes::exact | takes::same | takes::near_against |
                           takes::grouping | takes::format,
                       groups_options,
                       run_groups};

}  // namespace command
