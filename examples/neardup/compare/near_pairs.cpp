#include "near_pairs.hpp"

#include <neardup/edits/pairs.hpp>
#include <neardup/index/pairs.hpp>
#include <neardup/sets/pairs.hpp>
#include <neardup/threads.hpp>
#include <numeric>
#include <span>

#include "../documents/code_index.hpp"
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

/// Calls `visit(i, j, distance)` for the candidate pairs, in any order. With --against, visits pairs of i in the input
/// and j in the other corpus. Without --against, or in addition with `also_within`, visits pairs of the input. With
/// `copies_once`, the first of equal documents is paired with other documents, and each later copy is paired only with
/// the first. `left_out`: see find_near_pairs().
void visit_candidates(const context& c, const corpus& all, bool copies_once, const std::vector<bool>& left_out,
                      const fingerprint_pair_visitor& visit) {
  const auto visit_all = [&](const fingerprint_part& input, const fingerprint_part& others, const auto& number_in_input,
                             const auto& number_in_others) {
    visit_fingerprint_pairs(c, input, &others, [&](std::size_t i, std::size_t j, int distance) {
      visit(number_in_input(i), number_in_others(j), distance);
    });
    if (c.settings.against.any() && !c.settings.against.also_within) return;
    visit_fingerprint_pairs(c, input, nullptr, [&](std::size_t i, std::size_t j, int distance) {
      visit(number_in_input(i), number_in_input(j), distance);
    });
  };
  const auto count = static_cast<std::uint32_t>(all.fingerprints.size());
  if (!copies_once && left_out.empty()) {
    return visit_all(
        all.fingerprints.part(all.against, count), all.fingerprints.part(0, all.against),
        [&](std::size_t i) { return all.against + i; }, [](std::size_t j) { return j; });
  }
  const fingerprint_words prints = all.fingerprints.words();
  std::vector<std::uint32_t> first(count);
  std::iota(first.begin(), first.end(), 0U);
  if (copies_once) {
    first = first_of_equal(count, [&](std::uint32_t a, std::uint32_t b) {
      const auto by_fingerprint = prints.compare(a, b);
      return by_fingerprint != 0 ? by_fingerprint : compare_features(all.check[a], all.check[b]);
    });
  }
  joined_documents others(all.fingerprints.bits()), input(all.fingerprints.bits());
  for (std::uint32_t i = 0; i < count; ++i) {
    if (first[i] != i) {
      visit(first[i], i, 0);
    } else if (left_out.empty() || !left_out[i]) {
      joined_documents& to = i < all.against ? others : input;
      to.numbers.push_back(i);
      to.fingerprints.push_back(all.fingerprints[i]);
    }
  }
  visit_all(
      input.fingerprints.part(0, input.numbers.size()), others.fingerprints.part(0, others.numbers.size()),
      [&](std::size_t i) { return input.numbers[i]; }, [&](std::size_t j) { return others.numbers[j]; });
}

/// Adds to `found` the wanted pairs of similar feature sets, or of texts of a sufficient edit similarity. Uses no
/// fingerprints.
template <class Wanted>
void find_exact_pairs(context& c, const corpus& all, bool copies_once, const Wanted& is_wanted, sorted_pairs& found) {
  const checked_sets others(all.check, 0, all.against), input(all.check, all.against, all.check.size());
  const neardup::join_options how{.copies_once = copies_once, .run = neardup::threads{c.settings.threads}};
  const auto add = [&](std::size_t a, std::size_t b, double similarity) {
    if (!is_wanted(a, b)) return;
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

/// Adds to `passed` the wanted candidate pairs that pass the check. All threads check batches of candidates. Not all
/// candidates are stored, because there may be thousands of them for each accepted pair.
template <class Wanted>
void find_checked_pairs(const context& c, const corpus& all, bool copies_once, const std::vector<bool>& left_out,
                        const Wanted& is_wanted, sorted_pairs& passed) {
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
  visit_candidates(c, all, copies_once, left_out, [&](std::size_t i, std::size_t j, int distance) {
    if (!is_wanted(i, j)) return;
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

/// Returns the numbers of the fingerprints of a part.
std::vector<std::uint32_t> numbers_in(const fingerprint_part& part) {
  std::vector<std::uint32_t> numbers(part.end - part.first);
  std::iota(numbers.begin(), numbers.end(), static_cast<std::uint32_t>(part.first));
  return numbers;
}

}  // namespace

void visit_fingerprint_pairs(const context& c, const fingerprint_part& some, const fingerprint_part* others,
                             const fingerprint_pair_visitor& visit) {
  if (const wide_codes* const codes = some.all.wide()) {
    const auto visit_numbers = [&](std::size_t first_of_second) {
      return [&visit, &some, first_of_second](std::uint32_t a, std::uint32_t b, int distance) {
        visit(a - some.first, b - first_of_second, distance);
      };
    };
    const int distance = c.settings.comparison.distance;
    if (others == nullptr) {
      return visit_code_pairs(*codes, numbers_in(some), distance, c.settings.threads, visit_numbers(some.first));
    }
    return visit_code_pairs(*codes, numbers_in(some), *others->all.wide(), numbers_in(*others), distance,
                            c.settings.threads, visit_numbers(others->first));
  }
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

void find_near_pairs(context& c, const corpus& all, sorted_pairs& found, bool copies_once,
                     const std::vector<bool>& left_out) {
  const bool is_exact = c.settings.comparison.is_exact;
  c.notes.phase("comparing " + (is_exact ? counted(all.check.size(), "document", "documents")
                                         : counted(all.fingerprints.size(), "fingerprint", "fingerprints")));
  const auto find = [&](const auto& is_wanted) {
    if (is_exact) return find_exact_pairs(c, all, copies_once, is_wanted, found);
    find_checked_pairs(c, all, copies_once, left_out, is_wanted, found);
  };
  find([&](std::size_t i, std::size_t j) {
    return all.may_pair(i, j) && (left_out.empty() || (!left_out[i] && !left_out[j]));
  });
}

}  // namespace command
