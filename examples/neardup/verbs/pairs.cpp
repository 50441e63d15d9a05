// `neardup pairs`: prints all pairs of near-duplicates.
#include <array>
#include <neardup/edits/pairs.hpp>
#include <neardup/index/pairs.hpp>
#include <neardup/sets/pairs.hpp>
#include <span>

#include "../compare/context.hpp"
#include "../compare/corpus.hpp"
#include "../compare/groups.hpp"
#include "../compare/partitions.hpp"
#include "../compare/sorted_pairs.hpp"
#include "../ground/errors.hpp"
#include "../ground/pipeline.hpp"
#include "../ground/text.hpp"
#include "../line/taking.hpp"
#include "run_steps.hpp"
#include "running.hpp"

namespace command {

namespace {

constexpr std::array pairs_options{pairs_of_run_option};

/// Visits candidates for copies_once: among equal documents, the first is paired with other documents, and each other
/// one only with the first.
template <std::size_t Bits, class Visit>
void visit_candidates_once(const corpus& all, const neardup::bits& within, const neardup::join_options& how,
                           const Visit& visit) {
  std::vector<std::uint32_t> firsts;
  std::vector<neardup::simhash<Bits>> fingerprints;
  const auto& prints = all.fingerprints.of<Bits>();
  const auto count = static_cast<std::uint32_t>(prints.size());
  const auto first = first_of_equal(count, [&](std::uint32_t a, std::uint32_t b) {
    const auto by_fingerprint = prints[a] <=> prints[b];
    return by_fingerprint != 0 ? by_fingerprint : compare_features(all.check[a], all.check[b]);
  });
  for (std::uint32_t i = 0; i < count; ++i) {
    if (first[i] != i) {
      visit(first[i], i, 0);
      continue;
    }
    firsts.push_back(i);
    fingerprints.push_back(prints[i]);
  }
  neardup::visit_pairs<std::uint32_t>(
      fingerprints, within, [&](std::size_t i, std::size_t j, int distance) { visit(firsts[i], firsts[j], distance); },
      how);
}

/// Calls `visit(i, j, distance)` for the candidates, in any order: pairs within the input, and with --against pairs of
/// a document of the input and one of the other corpus.
template <std::size_t Bits, class Visit>
void visit_candidates(const context& c, const corpus& all, bool copies_once, const Visit& visit) {
  const std::span others = std::span(all.fingerprints.of<Bits>()).first(all.against);
  const std::span input = std::span(all.fingerprints.of<Bits>()).subspan(all.against);
  const neardup::bits within = within_of(c.settings.comparison);
  const neardup::join_options how{.run = neardup::threads{c.settings.threads}};
  if (copies_once) return visit_candidates_once<Bits>(all, within, how, visit);
  neardup::visit_pairs<std::uint32_t>(
      input, others, within, [&](std::size_t i, std::size_t j, int distance) { visit(all.against + i, j, distance); },
      how);
  if (c.settings.against.any() && !c.settings.against.also_within) return;
  neardup::visit_pairs<std::uint32_t>(
      input, within,
      [&](std::size_t i, std::size_t j, int distance) { visit(all.against + i, all.against + j, distance); }, how);
}

/// Finds the pairs without candidates by fingerprints: all pairs with similar sets, or with similar texts by edit
/// distance.
void find_exact_pairs(context& c, const corpus& all, bool copies_once, sorted_pairs& found) {
  const checked_sets others(all.check, 0, all.against), input(all.check, all.against, all.check.size());
  const neardup::join_options how{.copies_once = copies_once, .run = neardup::threads{c.settings.threads}};
  const auto add = [&](std::size_t a, std::size_t b, double similarity) {
    found.add({static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b), similarity});
  };
  const bool is_within = !c.settings.against.any() || c.settings.against.also_within;
  if (c.settings.comparison.checks_edits()) {
    const checked_texts their_texts(all.check, 0, all.against), texts(all.check, all.against, all.check.size());
    const neardup::edit least = edit_threshold(c);
    neardup::visit_pairs(
        texts, their_texts, least,
        [&](const neardup::similar_text_pair& p) { add(all.against + p.first, p.second, p.similarity); }, how);
    if (is_within) {
      neardup::visit_pairs(
          texts, least,
          [&](const neardup::similar_text_pair& p) {
            add(all.against + p.first, all.against + p.second, p.similarity);
          },
          how);
    }
    return;
  }
  if (joins_by_partitions(all.check)) {
    if (c.settings.against.any()) {
      visit_by_partitions(c, all.check, {.end = all.check.size(), .second_from = all.against},
                          [&](const partition_pair& p) { add(p.second, p.first, p.similarity); });
    }
    if (is_within) {
      visit_by_partitions(c, all.check, {.first = all.against, .end = all.check.size(), .copies_once = copies_once},
                          [&](const partition_pair& p) { add(p.first, p.second, p.similarity); });
    }
    return;
  }
  using pair = neardup::similar_pair<std::size_t>;
  const neardup::set_threshold least = set_threshold_of(c.settings.comparison);
  if (c.settings.against.any()) {
    neardup::visit_pairs(
        input, others, least, [&](const pair& p) { add(all.against + p.first, p.second, p.similarity); }, how);
  }
  if (is_within) {
    neardup::visit_pairs(
        input, least, [&](const pair& p) { add(all.against + p.first, all.against + p.second, p.similarity); }, how);
  }
}

/// Finds the near-duplicates. Candidates are checked as they are found, by all threads and in batches, because there
/// may be thousands of candidates for one accepted pair.
template <std::size_t Bits>
void find_checked_pairs(const context& c, const corpus& all, bool copies_once, sorted_pairs& passed) {
  constexpr std::size_t checked_at_once = std::size_t{1} << 16;
  std::vector<candidate> waiting;
  const auto check_waiting = [&] {
    const auto similarities = similarities_of(c.settings.comparison.check, all.check, waiting,
                                              *c.settings.comparison.min_similarity, c.settings.threads);
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      if (similarities[i]) passed.add({waiting[i].a, waiting[i].b, *similarities[i]});
    }
    waiting.clear();
  };
  visit_candidates<Bits>(c, all, copies_once, [&](std::size_t i, std::size_t j, int distance) {
    const auto a = static_cast<std::uint32_t>(i), b = static_cast<std::uint32_t>(j);
    if (!c.settings.comparison.min_similarity) {
      if (!all.check.decides() || all.check(i, j).accepts) passed.add({a, b, 0});
      return;
    }
    waiting.push_back({a, b, distance});
    if (waiting.size() == checked_at_once) check_waiting();
  });
  if (!waiting.empty()) check_waiting();
}

void print_pairs(context& c, bool copies_once) {
  corpus all(c.settings);
  read_corpus(c, all);
  const bool is_exact = c.settings.comparison.is_exact;
  c.notes.phase("comparing " + (is_exact ? counted(all.check.size(), "document", "documents")
                                         : counted(all.fingerprints.size(), "fingerprint", "fingerprints")));
  sorted_pairs pairs(c.settings.grouping.memory);
  if (is_exact) {
    find_exact_pairs(c, all, copies_once, pairs);
  } else {
    with_bits(c.settings.fingerprint.bits, [&](auto bits) { find_checked_pairs<bits>(c, all, copies_once, pairs); });
  }
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
  run_settings settings =
      take_reading(typed, {.last = [&](const typed_options&, run_settings& to) {
                     if (!copies_once || !to.against.any()) return;
                     throw usage_error("--copies-once is about copies within PATH, not about --against");
                   }});
  return run_on_documents(settings, [&](context& c) { print_pairs(c, copies_once); });
}

}  // namespace

extern const verb pairs_verb;
const verb pairs_verb{
    "pairs",
    "PATH…",
    "the pairs of near-duplicates",
    R"(
Prints the pairs of near-duplicates among documents, in the order of the input.
Text: similarity, distance in bits ("-" where no fingerprints are compared) and the two ids, with tabs
between them. The similarity is the exact one of the check; without a check it is what the distance stands
for: the cosine, of min-wise codes the Jaccard similarity. With --check containment: the containment, how
many features are common, how many the one and the other document have, the id of the one, "in", "holds" or
"equals", and the id of the other.
With --pairs: the pairs that a run on many machines has found.
)",
    takes::comparing | takes::codes | takes::exact | takes::same | takes::near_against | takes::copies | takes::format,
    pairs_options,
    run_pairs};

}  // namespace command
