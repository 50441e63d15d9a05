// Groups of texts that are similar enough by their edit distance, exactly.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <stdexcept>
#include <vector>

#include "../edits/engine/distinct_texts.hpp"
#include "../edits/engine/edit_join.hpp"
#include "../edits/similar_texts.hpp"
#include "../error.hpp"
#include "group.hpp"

namespace neardup::inline v0 {

/// How group_similar_texts groups.
struct similar_text_group_options {
  /// Around representatives, or by chains of similar texts.
  grouping by = grouping::representatives;

  /// So many of the texts, the first ones, are not grouped: each stands for itself, and others join them.
  std::size_t known = 0;

  /// Which of the texts behind these to prefer: a score for each, the highest first, equal ones in the order of their
  /// positions. None: the order of their positions.
  std::span<const double> preference = {};

  /// Whether texts behind the known ones join each other, too.
  bool among_themselves = true;
};

namespace detail {

inline std::vector<std::size_t> label_similar_texts(const text_source& source, double similarity,
                                                    const similar_text_group_options& how, std::size_t q) {
  check_text_similarity(similarity);
  const std::size_t grouped = source.size - how.known;
  if (!how.preference.empty() && how.preference.size() != grouped) {
    fail<std::invalid_argument>("group_similar_texts: not as many preferences as texts that are grouped");
  }
  if (std::any_of(how.preference.begin(), how.preference.end(), [](double p) { return std::isnan(p); })) {
    fail<std::invalid_argument>("group_similar_texts: a preference is not a number");
  }
  std::vector<std::size_t> label(source.size);
  std::iota(label.begin(), label.end(), std::size_t{0});
  if (similarity > 1) return label;
  const distinct_texts texts(source, source.size);
  constexpr auto none = static_cast<std::size_t>(-1);
  std::vector<std::size_t> rank_of(source.size, none), order(source.size);
  for (std::size_t rank = 0; rank < texts.size(); ++rank) {
    for (const std::uint32_t member : texts.members(rank)) rank_of[member] = rank;
  }
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (!how.preference.empty()) {
    std::stable_sort(
        order.begin() + static_cast<std::ptrdiff_t>(how.known), order.end(),
        [&](std::size_t a, std::size_t b) { return how.preference[a - how.known] > how.preference[b - how.known]; });
  }
  edit_join join(texts, similarity, q);
  edit_join::workspace memory(join);
  if (how.by == grouping::components) {
    // The most preferred text of each component: where texts meet, the less preferred one points to the other.
    std::vector<std::size_t> place(source.size), parent(texts.size());
    for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
    std::vector<std::size_t> best(texts.size(), none);
    for (std::size_t rank = 0; rank < texts.size(); ++rank) {
      parent[rank] = rank;
      for (const std::uint32_t member : texts.members(rank)) best[rank] = (std::min)(best[rank], place[member]);
    }
    const auto root_of = [&](std::size_t rank) {
      while (parent[rank] != rank) rank = parent[rank] = parent[parent[rank]];
      return rank;
    };
    for (std::size_t rank = 0; rank < texts.size(); ++rank) {
      join.visit_candidates(rank, rank, true, memory, [&](std::size_t other) {
        const std::size_t a = root_of(rank), b = root_of(other);
        if (a == b || !join.distance(rank, other, memory)) return;
        parent[a] = b;
        best[b] = (std::min)(best[a], best[b]);
      });
      join.add(rank);
    }
    for (std::size_t i = 0; i < source.size; ++i) {
      if (rank_of[i] != none) label[i] = order[best[root_of(rank_of[i])]];
    }
    return label;
  }
  std::vector<std::size_t> taker(texts.size(), none),
      place_of(texts.size(), none);  // of representatives: when they came
  std::vector<std::size_t> candidates, representative(texts.size(), none);
  std::vector<bool> is_alone(texts.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t position = order[i], rank = rank_of[position];
    if (rank == none) continue;
    const bool is_known = i < how.known;
    if (is_known) {
      if (place_of[rank] != none) continue;
    } else {
      if (taker[rank] == none && !is_alone[rank]) {
        candidates.clear();
        if (place_of[rank] != none) candidates.push_back(rank);  // a known text that is equal
        join.visit_candidates(rank, texts.size(), false, memory,
                              [&](std::size_t other) { candidates.push_back(other); });
        std::sort(candidates.begin(), candidates.end(),
                  [&](std::size_t a, std::size_t b) { return place_of[a] < place_of[b]; });
        for (const std::size_t other : candidates) {
          if (other != rank && !join.distance(rank, other, memory)) continue;
          taker[rank] = representative[other];
          break;
        }
      }
      if (taker[rank] != none) {
        label[position] = taker[rank];
        continue;
      }
      is_alone[rank] = true;
      if (!how.among_themselves) continue;
      taker[rank] = position;
    }
    place_of[rank] = i;
    representative[rank] = position;
    join.add(rank);
  }
  return label;
}

}  // namespace detail

/// For each text the position of the one that stands for it, itself if no other does. With representatives: the texts are
/// taken by preference; one that is similar to earlier representatives joins the first of them, else it becomes one. With
/// components: the most preferred of all that chains of similar texts connect.
///
/// Throws: as visit_similar_texts; std::invalid_argument if the preferences are not as many as the texts that are
/// grouped, or one is not a number.
/// Complexity, memory: as visit_similar_texts, but texts meet representatives only; on one thread.
template <indexed_texts Texts>
[[nodiscard]] std::vector<std::size_t> group_similar_texts(const Texts& texts, double similarity,
                                                           const similar_text_group_options& how = {}) {
  return detail::label_similar_texts(detail::source_of_texts(texts), similarity, how, 0);
}

}  // namespace neardup::inline v0
