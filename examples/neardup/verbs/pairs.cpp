// `neardup pairs`: prints all pairs of near-duplicates.
#include <array>
#include <span>

#include "../compare/context.hpp"
#include "../compare/corpus.hpp"
#include "../compare/near_pairs.hpp"
#include "../ground/errors.hpp"
#include "../ground/pipeline.hpp"
#include "../ground/text.hpp"
#include "../line/taking.hpp"
#include "run_steps.hpp"
#include "running.hpp"

namespace command {

namespace {

constexpr std::array pairs_options{pairs_of_run_option};

void print_pairs(context& c, bool copies_once) {
  corpus all(c.settings);
  read_corpus(c, all);
  sorted_pairs pairs(c.settings.grouping.memory);
  say_comparing(c, all);
  find_near_pairs(c, all, pairs, copies_once);
  const bool as_json = c.settings.output.as_json();
  const auto print = [&](const checked_pair& pair, std::string& text) {
    if (c.settings.comparison.checks_containment()) {
      text += text_of_containment(as_json,
                                  {all.documents.id(pair.a), all.documents.id(pair.b), all.check[pair.a].size(),
                                   all.check[pair.b].size(), pair.b < all.against ? "against" : "b", pair.similarity});
      return;
    }
    const auto& [a, b, similarity] = pair;
    text += text_of_match(
        c.settings.fingerprint, as_json,
        {"a", b < all.against ? "against" : "b", all.documents.id(a), all.documents.id(b), all.distance(a, b),
         c.settings.comparison.min_similarity ? std::optional(similarity) : std::nullopt});
  };
  pairs.visit_all([&](std::span<const checked_pair> some) {
    print_in_order(
        c.settings.threads, some.size(), [&](std::size_t i, std::string& text) { print(some[i], text); },
        [&](std::string&& text) { c.out << text; });
  });
  finish(c, ": " + counted(pairs.size(), "pair", "pairs") + " of near-duplicates", pairs.size());
}

bool run_pairs(typed_options& typed) {
  if (typed.has("--pairs")) return run_pairs_of_run(typed);
  const bool copies_once = typed.has("--copies-once");
  run_settings settings = take_reading(
      typed, {.last = [&](const typed_options&, run_settings& to) {
        if (copies_once && to.grouping.paired != pairing::all) {
          throw usage_error(
              "--copies-once with --within or --across: only documents that may be pairs "
              "are compared; leave out one of the two");
        }
        if (!copies_once || !to.against.any()) return;
        throw usage_error("--copies-once with --against: it is for copies within PATH; leave out one of the two");
      }});
  return run_on_documents(settings, [&](context& c) { print_pairs(c, copies_once); });
}

}  // namespace

extern const verb pairs_verb;
const verb pairs_verb{"pairs",
                      "PATH…",
                      "the pairs of near-duplicates",
                      R"(
Prints the pairs of near-duplicates among documents, in the order of the input.
Text: similarity, distance in bits ("-" if no fingerprints are compared) and the two ids, with tabs between
them. The similarity is exact. Without a check, it is an estimate from the distance: of the cosine, or
for min-wise codes of the Jaccard similarity. With --check containment, a line has the containment, the number of
common features, the numbers of features of both documents, the id of one document, "in", "holds" or "equals",
and the id of the other.
With --pairs: prints the pairs that a run on many machines has found.
)",
                      takes::comparing | takes::codes | takes::exact | takes::same | takes::pairing |
                          takes::near_against | takes::copies | takes::format,
                      pairs_options,
                      run_pairs};

}  // namespace command
