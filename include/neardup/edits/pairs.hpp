// All pairs of texts of an edit similarity, of one corpus or of two, exactly.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "../detail/visits.hpp"
#include "../error.hpp"
#include "../runner.hpp"
#include "edit_distance.hpp"
#include "engine/distinct_texts.hpp"
#include "engine/edit_join.hpp"

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

/// How far a join of texts is.
struct text_join_progress {
  std::size_t done;  ///< texts that have met those before them; equal ones may count as one
  std::size_t all;   ///< as many there are
  bool meets_all;    ///< each text meets all of a fitting length, so that time grows with the square
};

/// How pairs and visit_pairs of texts work.
struct text_join_options {
  /// Within one corpus: of texts that are equal only the first is paired with others, and each of the rest with that
  /// first one alone.
  bool copies_once = false;

  /// How the work is spread: `threads{8}`, or your own runner. Does not change the result.
  any_runner run = {};

  /// Called before the first text and after some at a time, from any thread, never two calls at a time.
  std::function<void(const text_join_progress&)> progress = nullptr;
};

namespace detail {

template <indexed_texts Texts>
text_source source_of_texts(const Texts& texts) {
  return {texts.size(), [&texts](std::size_t i) { return std::string_view(texts[i]); }};
}

/// The texts of `a`, and behind them those of `b`.
template <indexed_texts A, indexed_texts B>
text_source source_of_texts(const A& a, const B& b) {
  return {a.size() + b.size(), [&a, &b, behind = a.size()](std::size_t i) {
            return i < behind ? std::string_view(a[i]) : std::string_view(b[i - behind]);
          }};
}

inline void check_text_similarity(double similarity) {
  if (!(similarity > 0)) fail<std::invalid_argument>("similar texts: the similarity must be above 0");
}

/// Texts from number `first_count` on are another corpus. `q`: see edit_join.
inline void visit_text_pairs(const text_source& source, std::size_t first_count, double similarity,
                             const text_join_options& how, std::size_t q,
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
    return visit({(std::min)(i, j), (std::max)(i, j) - behind, distance, edit_similarity_of(distance, longer)});
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
  std::size_t done = 0;  // under the mutex
  const auto advance = [&](std::size_t count) {
    if (!how.progress) return;
    const std::lock_guard<std::mutex> lock(mutex);
    done += count;
    how.progress({done, texts.size(), join.q() == 0});
  };
  advance(0);
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
    advance(last - first);
    return wants_more;
  });
}

inline void sort_text_pairs(std::vector<similar_text_pair>& pairs) {
  std::sort(pairs.begin(), pairs.end(), [](const similar_text_pair& a, const similar_text_pair& b) {
    return a.first != b.first ? a.first < b.first : a.second < b.second;
  });
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
void visit_pairs(const Texts& texts, double similarity, Visit&& visit, const text_join_options& how = {}) {
  detail::visit_text_pairs(detail::source_of_texts(texts), texts.size(), similarity, how, 0,
                           [&](const similar_text_pair& pair) { return detail::visit_goes_on(visit, pair); });
}

/// The same of each text of `a` and each of `b`, pairs within either left out; the second position is one in `b`.
template <indexed_texts A, indexed_texts B, class Visit>
void visit_pairs(const A& a, const B& b, double similarity, Visit&& visit, const text_join_options& how = {}) {
  detail::check_text_similarity(similarity);
  if (a.size() == 0 || b.size() == 0) return;
  detail::visit_text_pairs(detail::source_of_texts(a, b), a.size(), similarity, how, 0,
                           [&](const similar_text_pair& pair) { return detail::visit_goes_on(visit, pair); });
}

/// The pairs of positions of texts whose edit_similarity is at least `similarity`, sorted by the first, then the second.
/// Throws: what visit_pairs throws.
/// Complexity, memory: those of visit_pairs; O(p log p) for p pairs, and 32 bytes per pair.
/// Example: `for (const auto& [i, j, distance, similarity] : pairs(texts, 0.8, {.run = threads{8}})) …`
template <indexed_texts Texts>
[[nodiscard]] std::vector<similar_text_pair> pairs(const Texts& texts, double similarity,
                                                   const text_join_options& how = {}) {
  std::vector<similar_text_pair> result;
  visit_pairs(
      texts, similarity, [&](const similar_text_pair& pair) { result.push_back(pair); }, how);
  detail::sort_text_pairs(result);
  return result;
}

/// The pairs of a position in `a` and one in `b`, as pairs of one corpus.
/// Example: `for (const auto& [i, j, distance, similarity] : pairs(delivered, archived, 0.8)) …`
template <indexed_texts A, indexed_texts B>
[[nodiscard]] std::vector<similar_text_pair> pairs(const A& a, const B& b, double similarity,
                                                   const text_join_options& how = {}) {
  std::vector<similar_text_pair> result;
  visit_pairs(
      a, b, similarity, [&](const similar_text_pair& pair) { result.push_back(pair); }, how);
  detail::sort_text_pairs(result);
  return result;
}

}  // namespace neardup::inline v0
