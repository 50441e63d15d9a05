#include "near_pairs.hpp"

#include <cmath>
#include <neardup/edits/pairs.hpp>
#include <neardup/index/pairs.hpp>
#include <neardup/sets/pairs.hpp>
#include <neardup/threads.hpp>
#include <numeric>
#include <optional>
#include <span>

#include "../ground/text.hpp"
#include "groups.hpp"
#include "partitions.hpp"

namespace command {

namespace {

/// The documents whose fingerprints are joined. Each document has a number.
struct joined_documents {
  explicit joined_documents(std::size_t bits) : fingerprints(bits) {}

  fingerprint_vector fingerprints;
  std::vector<std::uint32_t> numbers;
};

/// The documents of a join. If `compares_both` is true, documents of `input` are compared with documents of `others`. If
/// `compares_input` is true, documents of `input` are compared with each other. With `copies_once`, the first of equal
/// documents is paired with other documents, and each later copy is paired only with the first.
struct compared_documents {
  document_numbers others, input;
  bool compares_both, compares_input, copies_once;
};

/// Returns a pair in the order of the output. In a pair of two corpora, the document of the input comes first.
checked_pair pair_of(const context& c, std::uint32_t a, std::uint32_t b, double similarity) {
  return c.settings.against.any() || a < b ? checked_pair{a, b, similarity} : checked_pair{b, a, similarity};
}

/// Calls `visit(i, j, distance)` for the candidate pairs, in any order. In a pair of both lists, i is in the input.
void visit_candidates(const context& c, const corpus& all, const compared_documents& documents,
                      const fingerprint_pair_visitor& visit) {
  const auto visit_all = [&](const fingerprint_part& input, const fingerprint_part& others, const auto& number_in_input,
                             const auto& number_in_others) {
    if (documents.compares_both) {
      visit_fingerprint_pairs(c, input, &others, [&](std::size_t i, std::size_t j, int distance) {
        visit(number_in_input(i), number_in_others(j), distance);
      });
    }
    if (!documents.compares_input) return;
    visit_fingerprint_pairs(c, input, nullptr, [&](std::size_t i, std::size_t j, int distance) {
      visit(number_in_input(i), number_in_input(j), distance);
    });
  };
  const auto count = static_cast<std::uint32_t>(all.fingerprints.size());
  if (!documents.copies_once && all.paired == pairing::all) {
    return visit_all(
        all.fingerprints.part(all.against, count), all.fingerprints.part(0, all.against),
        [&](std::size_t i) { return all.against + i; }, [](std::size_t j) { return j; });
  }
  const fingerprint_words prints = all.fingerprints.words();
  std::vector<std::uint32_t> first;
  if (documents.copies_once) {
    first = first_of_equal(count, [&](std::uint32_t a, std::uint32_t b) {
      const auto by_fingerprint = prints.compare(a, b);
      return by_fingerprint != 0 ? by_fingerprint : compare_features(all.check[a], all.check[b]);
    });
  }
  joined_documents others(all.fingerprints.bits()), input(all.fingerprints.bits());
  const auto take = [&](const document_numbers& numbers, joined_documents& to) {
    for (std::size_t place = 0; place < numbers.size(); ++place) {
      const std::uint32_t i = numbers[place];
      if (documents.copies_once && first[i] != i) {
        visit(first[i], i, 0);
      } else {
        to.numbers.push_back(i);
        to.fingerprints.push_back(all.fingerprints[i]);
      }
    }
  };
  take(documents.others, others);
  take(documents.input, input);
  visit_all(
      input.fingerprints.part(0, input.numbers.size()), others.fingerprints.part(0, others.numbers.size()),
      [&](std::size_t i) { return input.numbers[i]; }, [&](std::size_t j) { return others.numbers[j]; });
}

/// Adds to `found` the allowed pairs of similar feature sets, or of texts of a sufficient edit similarity. Uses no
/// fingerprints.
void find_exact_pairs(context& c, const corpus& all, const compared_documents& documents, sorted_pairs& found) {
  const document_numbers &others = documents.others, &input = documents.input;
  const neardup::join_options how{.copies_once = documents.copies_once, .run = neardup::threads{c.settings.threads}};
  const auto add = [&](std::uint32_t a, std::uint32_t b, double similarity) {
    if (all.may_pair(a, b)) found.add(pair_of(c, a, b, similarity));
  };
  const auto of_both = [&](const auto& p) { add(input[p.first], others[p.second], p.similarity); };
  const auto of_input = [&](const auto& p) { add(input[p.first], input[p.second], p.similarity); };
  if (c.settings.comparison.checks_edits()) {
    const checked_texts their_texts(all.check, others), texts(all.check, input);
    const neardup::edit least = edit_threshold(c);
    if (documents.compares_both) neardup::visit_pairs(texts, their_texts, least, of_both, how);
    if (documents.compares_input) neardup::visit_pairs(texts, least, of_input, how);
    return;
  }
  if (joins_by_partitions(c, all.check, others.size() + input.size())) {
    if (documents.compares_both) {
      visit_by_partitions(c, all.check, {.first = others, .second = input},
                          [&](const partition_pair& p) { add(p.second, p.first, p.similarity); });
    }
    if (documents.compares_input) {
      visit_by_partitions(c, all.check, {.first = input, .copies_once = documents.copies_once},
                          [&](const partition_pair& p) { add(p.first, p.second, p.similarity); });
    }
    return;
  }
  const checked_sets their_sets(all.check, others), sets(all.check, input);
  const neardup::set_threshold least = set_threshold_of(c.settings.comparison);
  if (documents.compares_both) neardup::visit_pairs(sets, their_sets, least, of_both, how);
  if (documents.compares_input) neardup::visit_pairs(sets, least, of_input, how);
}

/// Adds to `found` the pairs of near-duplicates, without a join.
/// Complexity: a comparison of each pair.
void compare_all(const context& c, const corpus& all, const compared_documents& documents, sorted_pairs& found) {
  const auto compare = [&](std::uint32_t a, std::uint32_t b) {
    const neardup::check_result checked = compare_two(c, all, a, b);
    if (checked.accepts) found.add({a, b, checked.similarity.value_or(0)});
  };
  for (std::size_t i = 0; i < documents.input.size(); ++i) {
    for (std::size_t j = 0; j < documents.others.size(); ++j) compare(documents.input[i], documents.others[j]);
    if (!documents.compares_input) continue;
    for (std::size_t j = i + 1; j < documents.input.size(); ++j) compare(documents.input[i], documents.input[j]);
  }
}

/// Adds to `passed` the allowed candidate pairs that pass the check. All threads check batches of candidates. Not all
/// candidates are stored, because there may be thousands of them for each accepted pair.
void find_checked_pairs(const context& c, const corpus& all, const compared_documents& documents,
                        sorted_pairs& passed) {
  constexpr std::size_t checked_at_once = std::size_t{1} << 16;
  std::vector<candidate> waiting;
  const auto check_waiting = [&] {
    const auto similarities = similarities_of(c.settings.comparison.check, all.check, waiting,
                                              *c.settings.comparison.min_similarity, c.settings.threads);
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      if (similarities[i]) passed.add(pair_of(c, waiting[i].a, waiting[i].b, *similarities[i]));
    }
    waiting.clear();
  };
  visit_candidates(c, all, documents, [&](std::size_t i, std::size_t j, int distance) {
    if (!all.may_pair(i, j)) return;
    const auto a = static_cast<std::uint32_t>(i), b = static_cast<std::uint32_t>(j);
    if (!c.settings.comparison.min_similarity) {
      if (!all.check.decides() || all.check(i, j).accepts) passed.add(pair_of(c, a, b, 0));
      return;
    }
    waiting.push_back({a, b, distance});
    if (waiting.size() == checked_at_once) check_waiting();
  });
  if (!waiting.empty()) check_waiting();
}

}  // namespace

void visit_fingerprint_pairs(const context& c, const fingerprint_part& some, const fingerprint_part* others,
                             const fingerprint_pair_visitor& visit) {
  const neardup::bits within = within_of(c.settings.comparison);
  const neardup::join_options how{.run = neardup::threads{c.settings.threads}};
  with_bits(some.all.bits(), [&](auto bits) {
    if (others != nullptr) {
      neardup::visit_pairs<std::uint32_t>(some.of<bits>(), others->of<bits>(), within, visit, how);
    } else {
      neardup::visit_pairs<std::uint32_t>(some.of<bits>(), within, visit, how);
    }
  });
}

void say_comparing(context& c, const corpus& all) {
  c.notes.phase("comparing " + (c.settings.comparison.is_exact
                                    ? counted(all.check.size(), "document", "documents")
                                    : counted(all.fingerprints.size(), "fingerprint", "fingerprints")));
}

neardup::check_result compare_two(const context& c, const corpus& all, std::uint32_t a, std::uint32_t b) {
  const comparison_settings& how = c.settings.comparison;
  if (!how.is_exact) {
    if (all.fingerprints.words().distance(a, b) > how.distance) return {false, std::nullopt};
    return all.check.decides() ? all.check(a, b) : neardup::check_result{true, std::nullopt};
  }
  const feature_set x = all.check[a], y = all.check[b];
  const std::optional<double> similarity = similarity_at_least(how.check, x, y, *how.min_similarity);
  if (!similarity || !how.checks_containment()) return {similarity.has_value(), similarity};
  const std::size_t least_common = how.is_lossless ? 1 : neardup::default_min_contained;
  const auto common = std::llround(*similarity * static_cast<double>(std::min(x.size(), y.size())));
  return {static_cast<std::size_t>(common) >= least_common, similarity};
}

void find_near_pairs(context& c, const corpus& all, sorted_pairs& found, bool copies_once) {
  const auto join = [&](const compared_documents& documents) {
    if (c.settings.comparison.is_exact) return find_exact_pairs(c, all, documents, found);
    find_checked_pairs(c, all, documents, found);
  };
  const bool is_against = c.settings.against.any();
  const auto compare = [&](const document_numbers& known, const document_numbers& input) {
    const bool compares_input = !is_against || c.settings.against.also_within;
    const compared_documents documents{known, input, is_against, compares_input, copies_once};
    const bool are_few = all.paired == pairing::within && known.size() + input.size() <= most_compared;
    return are_few ? compare_all(c, all, documents, found) : join(documents);
  };
  if (all.paired == pairing::within) return for_each_value(all, compare);
  if (all.paired == pairing::all || is_against) return compare({0, all.against}, {all.against, all.size()});
  // If at least half of the documents have one value, a join of all documents might find mostly excluded pairs. So these
  // documents are joined with the other documents.
  std::vector<std::size_t> counts(all.value_numbers.size());
  std::vector<std::uint32_t> left(all.size());
  std::iota(left.begin(), left.end(), 0U);
  for (const std::uint32_t i : left) ++counts[all.values[i]];
  while (!left.empty()) {
    const auto most = std::ranges::max_element(counts);
    if (2 * *most < left.size()) break;
    const auto value = static_cast<std::uint32_t>(most - counts.begin());
    const auto middle =
        std::stable_partition(left.begin(), left.end(), [&](std::uint32_t i) { return all.values[i] != value; });
    const std::span<const std::uint32_t> own(middle, left.end()), others(left.begin(), middle);
    join({others, own, true, false, false});
    left.resize(others.size());
    *most = 0;
  }
  if (!left.empty()) join({{0, 0}, std::span<const std::uint32_t>(left), false, true, false});
}

}  // namespace command
