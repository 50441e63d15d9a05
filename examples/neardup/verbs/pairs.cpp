// `neardup pairs`: prints every two near-duplicates.
#include <algorithm>
#include <cmath>
#include <limits>
#include <neardup/edits/pairs.hpp>
#include <neardup/index/pairs.hpp>
#include <neardup/sets/pairs.hpp>
#include <numeric>
#include <span>

#include "../compare/context.hpp"
#include "../compare/corpus.hpp"
#include "../compare/groups.hpp"
#include "../ground/errors.hpp"
#include "../ground/pipeline.hpp"
#include "../ground/platform.hpp"
#include "../ground/text.hpp"
#include "../line/taking.hpp"
#include "running.hpp"

namespace command {

namespace {

/// A small struct, because there may be as many pairs as documents.
struct checked_pair {
  std::uint32_t a, b;
  double similarity;  // set if it is needed
};

/// Pairs by (a, b), ascending. Those for which there is no room in memory are in a temporary file, in sorted runs.
class sorted_pairs {
 public:
  /// `memory`: bytes that the run may use, of which a quarter is for pairs.
  explicit sorted_pairs(std::uint64_t memory)
      : most_(static_cast<std::size_t>(std::clamp<std::uint64_t>(memory / 4 / sizeof(checked_pair), least_in_run,
                                                                 std::numeric_limits<std::int32_t>::max()))) {}

  /// Throws: output_error if the temporary file cannot be written.
  void add(const checked_pair& pair) {
    ++size_;
    last_.push_back(pair);
    if (last_.size() == most_) file_last();
  }

  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

  /// Calls `visit(pairs)` with all pairs in order, some at a time. Call it once.
  template <class Visit>
  void visit_all(const Visit& visit) {
    if (runs_.empty()) {
      sort(last_);
      return visit(std::span<const checked_pair>(last_));
    }
    if (!last_.empty()) file_last();
    last_ = {};
    const std::size_t at_once = std::max<std::size_t>(most_ / (2 * runs_.size()), 256);
    std::vector<std::size_t> heap(runs_.size());  // runs by their next pair, the least one first
    std::iota(heap.begin(), heap.end(), std::size_t{0});
    for (run& one : runs_) refill(one, at_once);
    const auto is_later = [&](std::size_t x, std::size_t y) { return is_before(runs_[y].next(), runs_[x].next()); };
    std::make_heap(heap.begin(), heap.end(), is_later);
    std::vector<checked_pair> merged;
    while (!heap.empty()) {
      std::pop_heap(heap.begin(), heap.end(), is_later);
      run& from = runs_[heap.back()];
      merged.push_back(from.next());
      ++from.place;
      if (from.place == from.pairs.size()) refill(from, at_once);
      if (from.pairs.empty()) {
        heap.pop_back();
      } else {
        std::push_heap(heap.begin(), heap.end(), is_later);
      }
      if (merged.size() < least_in_run && !heap.empty()) continue;
      visit(std::span<const checked_pair>(merged));
      merged.clear();
    }
  }

 private:
  static constexpr std::size_t least_in_run = std::size_t{1} << 16;

  /// A run in the file: where the rest of it is, and those of its pairs that have been read.
  struct run {
    std::uint64_t offset, bytes;
    std::vector<checked_pair> pairs;
    std::size_t place = 0;

    [[nodiscard]] const checked_pair& next() const { return pairs[place]; }
  };

  static bool is_before(const checked_pair& x, const checked_pair& y) { return x.a != y.a ? x.a < y.a : x.b < y.b; }
  static void sort(std::vector<checked_pair>& pairs) { std::sort(pairs.begin(), pairs.end(), is_before); }

  void file_last() {
    sort(last_);
    const std::uint64_t bytes = last_.size() * sizeof(checked_pair);
    const std::uint64_t offset = file_.append({reinterpret_cast<const char*>(last_.data()), bytes});
    runs_.push_back({offset, bytes, {}, 0});
    last_.clear();
  }

  void refill(run& one, std::size_t at_once) {
    one.pairs.resize(static_cast<std::size_t>(std::min<std::uint64_t>(one.bytes / sizeof(checked_pair), at_once)));
    one.place = 0;
    const std::size_t bytes = one.pairs.size() * sizeof(checked_pair);
    for (std::size_t done = 0; done < bytes;) {
      const std::size_t count =
          file_.read_at(one.offset + done, reinterpret_cast<char*>(one.pairs.data()) + done, bytes - done);
      if (count == 0) throw output_error("a temporary file was cut off");
      done += count;
    }
    one.offset += bytes;
    one.bytes -= bytes;
  }

  std::size_t most_;
  std::uint64_t size_ = 0;
  std::vector<checked_pair> last_;
  temporary_file file_;
  std::vector<run> runs_;
};

/// The part of visit_candidates() for copies_once: of equal documents, only the first is paired with others, and each
/// of the rest with the first.
template <std::size_t Bits, class Visit>
void visit_candidates_once(const corpus& all, int k, const neardup::join_options& how, const Visit& visit) {
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
  neardup::visit_pairs(
      fingerprints, k, [&](std::size_t i, std::size_t j, int distance) { visit(firsts[i], firsts[j], distance); }, how);
}

/// Calls `visit(i, j, distance)` for the candidates, in any order: pairs within the input, and with --against pairs of
/// a document of the input and one of the other corpus.
template <std::size_t Bits, class Visit>
void visit_candidates(const context& c, const corpus& all, bool copies_once, const Visit& visit) {
  const std::span others = std::span(all.fingerprints.of<Bits>()).first(all.against);
  const std::span input = std::span(all.fingerprints.of<Bits>()).subspan(all.against);
  const int k = c.settings.comparison.distance;
  const neardup::join_options how{.blocks = c.settings.comparison.blocks, .run = neardup::threads{c.settings.threads}};
  if (copies_once) return visit_candidates_once<Bits>(all, k, how, visit);
  neardup::visit_pairs(
      input, others, k, [&](std::size_t i, std::size_t j, int distance) { visit(all.against + i, j, distance); }, how);
  if (c.settings.against.any() && !c.settings.against.also_within) return;
  neardup::visit_pairs(
      input, k, [&](std::size_t i, std::size_t j, int distance) { visit(all.against + i, all.against + j, distance); },
      how);
}

/// Finds the pairs without candidates by fingerprints: all with similar sets, or with similar texts by edit distance.
void find_exact_pairs(context& c, const corpus& all, bool copies_once, sorted_pairs& found) {
  const double least = *c.settings.comparison.min_similarity;
  const checked_sets others(all.check, 0, all.against), input(all.check, all.against, all.check.size());
  const neardup::set_join_options how{.measure = set_measure_of(c.settings.comparison),
                                      .copies_once = copies_once,
                                      .run = neardup::threads{c.settings.threads}};
  const auto add = [&](std::size_t a, std::size_t b, double similarity) {
    found.add({static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b), similarity});
  };
  const bool is_within = !c.settings.against.any() || c.settings.against.also_within;
  if (c.settings.comparison.checks_edits()) {
    const checked_texts their_texts(all.check, 0, all.against), texts(all.check, all.against, all.check.size());
    const neardup::text_join_options by_edits{
        .copies_once = copies_once, .run = neardup::threads{c.settings.threads}, .progress = progress_of(c.notes)};
    neardup::visit_pairs(
        texts, their_texts, least,
        [&](const neardup::similar_text_pair& p) { add(all.against + p.first, p.second, p.similarity); }, by_edits);
    if (is_within) {
      neardup::visit_pairs(
          texts, least,
          [&](const neardup::similar_text_pair& p) {
            add(all.against + p.first, all.against + p.second, p.similarity);
          },
          by_edits);
    }
    return;
  }
  using pair = neardup::similar_pair<std::size_t>;
  if (c.settings.against.any()) {
    neardup::visit_pairs(
        input, others, least, [&](const pair& p) { add(all.against + p.first, p.second, p.similarity); }, how);
  }
  if (is_within) {
    neardup::visit_pairs(
        input, least, [&](const pair& p) { add(all.against + p.first, all.against + p.second, p.similarity); }, how);
  }
}

/// Finds the near-duplicates. Candidates are checked as they are found, by all threads and in batches, because there may
/// be thousands for one that is accepted.
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

/// The relation of two documents by containment, and their overlap.
std::string text_of_containment(const corpus& all, bool as_json, const checked_pair& pair) {
  const std::size_t a = all.check[pair.a].size(), b = all.check[pair.b].size();
  const auto common = std::llround(pair.similarity * static_cast<double>(std::min(a, b)));
  const bool are_equal = a == b && pair.similarity == 1;
  const char* const relation = are_equal ? "equals" : a <= b ? "in" : "holds";
  const std::string one = all.documents.id(pair.a), other = all.documents.id(pair.b);
  if (!as_json) {
    return similarity_text(pair.similarity) + '\t' + std::to_string(common) + '\t' + std::to_string(a) + '\t' +
           std::to_string(b) + '\t' + printable(one) + '\t' + relation + '\t' + printable(other) + '\n';
  }
  json_object line;
  line.add("a", json_string(one)).add(pair.b < all.against ? "against" : "b", json_string(other));
  line.add("relation", json_string(relation)).add("containment", number(pair.similarity));
  line.add("common", std::to_string(common)).add("features", '[' + std::to_string(a) + ',' + std::to_string(b) + ']');
  return line.text() + '\n';
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
      text += text_of_containment(all, as_json, pair);
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
for: the cosine, of min-wise codes the Jaccard similarity. With --check containment: the containment, how many features are common, how many the
one and the other document have, the id of the one, "in", "holds" or "equals", and the id of the other.
)",
    takes::comparing | takes::codes | takes::exact | takes::same | takes::near_against | takes::copies | takes::format,
    {},
    run_pairs};

}  // namespace command
