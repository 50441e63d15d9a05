// Every pair of texts that are similar enough by their edit distance: none is missed.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "../../error.hpp"
#include "../../index/match.hpp"
#include "../../runner.hpp"
#include "../group.hpp"
#include "internal/distinct_texts.hpp"
#include "internal/edit_join.hpp"

namespace neardup::inline v0 {

/// Texts in UTF-8 by their positions: `texts.size()`, and for each position below it `texts[i]`, a std::string_view or
/// what becomes one. A vector of strings is one. Each is read once, from the thread of the caller.
template <class Texts>
concept indexed_texts = requires(const Texts& texts) {
  { texts.size() } -> std::convertible_to<std::size_t>;
  { texts[std::size_t{}] } -> std::convertible_to<std::string_view>;
};

/// Two texts that are similar enough: their positions, their edit distance, and what follows from that.
struct similar_text_pair {
  std::size_t first, second, distance;
  double similarity;

  friend constexpr bool operator==(const similar_text_pair&, const similar_text_pair&) = default;
};

/// How visit_similar_texts works.
struct similar_text_options {
  /// Within one corpus: of texts that are equal only the first is paired with others, and each of the rest with that
  /// first one alone.
  bool copies_once = false;

  /// How the work is spread: `threads{8}`, or your own runner. Does not change the result.
  any_runner run = {};
};

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

template <indexed_texts Texts>
text_source source_of_texts(const Texts& texts) {
  return {texts.size(), [&texts](std::size_t i) { return std::string_view(texts[i]); }};
}

inline void check_text_similarity(double similarity) {
  if (!(similarity > 0)) fail<std::invalid_argument>("similar texts: the similarity must be above 0");
}

/// Texts from number `first_count` on are another corpus. `q`: see edit_join.
inline void visit_similar_texts_of(const text_source& source, std::size_t first_count, double similarity,
                                   const similar_text_options& how, std::size_t q,
                                   const std::function<bool(const similar_text_pair&)>& visit) {
  check_text_similarity(similarity);
  if (similarity > 1) return;
  const distinct_texts texts(source, first_count);
  const bool is_across = first_count < source.size, copies_once = how.copies_once && !is_across;
  std::mutex mutex;
  bool goes_on = true;
  const auto visit_members = [&](std::uint32_t i, std::uint32_t j, std::size_t distance, std::size_t longer) {
    const bool i_is_second = i >= first_count, j_is_second = j >= first_count;
    if (is_across && i_is_second == j_is_second) return true;
    const std::size_t behind = is_across ? first_count : 0;
    return visit({(std::min)(i, j), (std::max)(i, j) - behind, distance,
                  1 - static_cast<double>(distance) / static_cast<double>(longer)});
  };
  const auto visit_ranks = [&](std::size_t a, std::size_t b, std::size_t distance) {
    const std::lock_guard<std::mutex> lock(mutex);
    if (!std::exchange(goes_on, false)) return false;
    const std::size_t longer = (std::max)(texts.length(a), texts.length(b));
    for (const std::uint32_t i : texts.members(a)) {
      for (const std::uint32_t j : texts.members(b)) {
        if (!visit_members(i, j, distance, longer)) return false;
        if (copies_once) break;
      }
      if (copies_once) break;
    }
    return goes_on = true;
  };
  for (std::size_t rank = 0; rank < texts.size(); ++rank) {
    const auto members = texts.members(rank);
    for (std::size_t i = 0; i < (copies_once ? std::min<std::size_t>(1, members.size()) : members.size()); ++i) {
      for (std::size_t j = i + 1; j < members.size(); ++j) {
        if (!visit_members(members[i], members[j], 0, 1)) return;
      }
    }
  }
  edit_join join(texts, similarity, q);
  for (std::size_t rank = 0; rank < texts.size(); ++rank) join.add(rank);
  const auto is_of = [&](std::size_t rank, bool second) {
    const auto members = texts.members(rank);
    return second ? members.back() >= first_count : members.front() < first_count;
  };
  const std::size_t parts = parts_for(how.run, texts.size(), 256);
  std::vector<edit_join::workspace> memory;
  memory.reserve(parts);
  for (std::size_t part = 0; part < parts; ++part) memory.emplace_back(join);
  in_steps(how.run, parts, texts.size(), 64, [&](std::size_t part, std::size_t first, std::size_t last) {
    bool wants_more = true;
    for (std::size_t rank = first; rank < last && wants_more; ++rank) {
      join.visit_candidates(rank, rank, true, memory[part], [&](std::size_t other) {
        if (!wants_more) return;
        const bool is_met =
            !is_across || (is_of(rank, false) && is_of(other, true)) || (is_of(rank, true) && is_of(other, false));
        if (!is_met) return;
        const auto distance = join.distance(rank, other, memory[part]);
        if (distance) wants_more = visit_ranks(rank, other, *distance);
      });
    }
    return wants_more;
  });
}

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

/// Calls `visit(pair)` with each two texts whose edit_similarity is at least `similarity`, positions first < second: each
/// pair once, in no order that means anything, never two calls at a time, but from any thread of `how.run`. A visitor that
/// returns false ends the visit; what it throws ends it, too, and passes through. A text without code points is similar to
/// none. No pair is missed. (Each ill-formed subpart counts as one U+FFFD.)
///
/// Throws: std::invalid_argument unless similarity > 0 (above 1 nothing is found); std::length_error from 2^32 - 1 texts
/// on; std::bad_alloc.
/// Complexity: texts meet that have one of their rarest runs of q code points in common, q chosen for the similarity and
/// the texts; where edits may change all runs, at similarities up to 1/2, or where most texts have the same runs, each
/// text meets all of a fitting length, and time grows with the square. What meets is compared by counts of its characters,
/// some nanoseconds, before its edit distance is computed.
/// Memory: for each distinct text 4 bytes a code point, up to 8 bytes for each, 200 bytes and more of counts.
template <indexed_texts Texts, class Visit>
void visit_similar_texts(const Texts& texts, double similarity, Visit&& visit, const similar_text_options& how = {}) {
  detail::visit_similar_texts_of(detail::source_of_texts(texts), texts.size(), similarity, how, 0,
                                 [&](const similar_text_pair& pair) { return detail::visit_goes_on(visit, pair); });
}

/// The same of each text of `a` and each of `b`, pairs within either left out; the second position is one in `b`.
template <indexed_texts A, indexed_texts B, class Visit>
void visit_similar_texts(const A& a, const B& b, double similarity, Visit&& visit,
                         const similar_text_options& how = {}) {
  detail::check_text_similarity(similarity);
  if (a.size() == 0 || b.size() == 0) return;
  const std::size_t behind = a.size();
  const detail::text_source both{behind + b.size(), [&](std::size_t i) {
                                   return i < behind ? std::string_view(a[i]) : std::string_view(b[i - behind]);
                                 }};
  detail::visit_similar_texts_of(both, behind, similarity, how, 0,
                                 [&](const similar_text_pair& pair) { return detail::visit_goes_on(visit, pair); });
}

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
