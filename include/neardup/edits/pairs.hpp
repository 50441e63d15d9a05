// SPDX-License-Identifier: MIT
// Finds exactly all pairs of texts with at least a given edit similarity, within one corpus or between two.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "../detail/compiled.hpp"
#include "../detail/equal_groups.hpp"
#include "../detail/mutex.hpp"
#include "../detail/visits.hpp"
#include "../runner.hpp"
#include "../text/utf8.hpp"
#include "../threshold.hpp"
#include "edit_distance.hpp"
#include "engine/distinct_texts.hpp"
#include "engine/edit_join.hpp"

namespace neardup::inline v0 {

/// A pair of similar texts: their positions, their edit distance and their edit similarity.
struct similar_text_pair {
  std::size_t first, second, distance;
  double similarity;

  friend constexpr bool operator==(const similar_text_pair&, const similar_text_pair&) = default;
};

namespace detail {

template <text_range Texts>
text_source source_of_texts(const Texts& texts) {
  return {texts.size(), [&texts](std::size_t i) { return std::string_view(texts[i]); }};
}

/// Returns a source of the texts of `a`, followed by the texts of `b`.
template <text_range A, text_range B>
text_source source_of_texts(const A& a, const B& b) {
  return {a.size() + b.size(), [&a, &b, behind = a.size()](std::size_t i) {
            return i < behind ? std::string_view(a[i]) : std::string_view(b[i - behind]);
          }};
}

/// Visits the similar pairs of a source. The texts at position `first_count` and above are the second corpus. `q`: see
/// the constructor of edit_join.
void visit_text_pairs(const text_source& source, std::size_t first_count, const edit& least,
                      const join_options& options, std::size_t q,
                      const std::function<bool(const similar_text_pair&)>& visit);

inline void sort_text_pairs(std::vector<similar_text_pair>& pairs) {
  std::sort(pairs.begin(), pairs.end(), [](const similar_text_pair& a, const similar_text_pair& b) {
    return a.first != b.first ? a.first < b.first : a.second < b.second;
  });
}

#if NEARDUP_BODIES

NEARDUP_INLINE void visit_text_pairs(const text_source& source, std::size_t first_count, const edit& least,
                                     const join_options& options, std::size_t q,
                                     const std::function<bool(const similar_text_pair&)>& visit) {
  check_similarity(least.similarity);
  const distinct_texts texts(source, first_count);
  const bool is_across = first_count < source.size;
  group_pairs<std::uint32_t> all{options.copies_once};
  if (is_across) all.second_from = static_cast<std::uint32_t>(first_count);
  const auto visit_with = [&](std::size_t distance, double similarity) {
    return [&visit, distance, similarity, behind = is_across ? first_count : 0](std::size_t i, std::size_t j) {
      return visit({i, j - behind, distance, similarity});
    };
  };
  for (std::size_t rank = 0; rank < texts.size(); ++rank) {
    if (!all.within(texts.members(rank), visit_with(0, 1))) return;
  }
  detail::mutex_type mutex;
  bool goes_on = true;
  const auto visit_ranks = [&](std::size_t a, std::size_t b, std::size_t distance) {
    const std::lock_guard lock(mutex);
    if (!std::exchange(goes_on, false)) return false;
    const double similarity = edit_similarity_of(distance, (std::max)(texts.length(a), texts.length(b)));
    return goes_on = all.between(texts.members(a), texts.members(b), visit_with(distance, similarity));
  };
  edit_join join(texts, least.similarity, q);
  for (std::size_t rank = 0; rank < texts.size(); ++rank) join.add(rank);
  const auto is_of = [&](std::size_t rank, bool second) {
    const auto members = texts.members(rank);
    return second ? members.back() >= first_count : members.front() < first_count;
  };
  std::size_t done = 0;  // number of finished texts; guarded by the mutex
  const auto advance = [&](std::size_t count) {
    if (!least.progress) return;
    const std::lock_guard lock(mutex);
    done += count;
    least.progress({done, texts.size(), join.q() == 0});
  };
  advance(0);
  const std::size_t parts = parts_for(options.run, texts.size(), 256);
  std::vector<edit_join::workspace> memory;
  memory.reserve(parts);
  for (std::size_t part = 0; part < parts; ++part) memory.emplace_back(join, [&] { advance(0); });
  in_steps(options.run, parts, texts.size(), 64, [&](std::size_t part, std::size_t first, std::size_t last) {
    bool wants_more = true;
    for (std::size_t rank = first; rank < last && wants_more; ++rank) {
      const auto least_of = [&](std::size_t other) {
        const bool is_met =
            !is_across || (is_of(rank, false) && is_of(other, true)) || (is_of(rank, true) && is_of(other, false));
        return wants_more && is_met ? least.similarity : 2;
      };
      join.visit_similar(rank, rank, true, memory[part], least_of, [&](std::size_t other, std::size_t distance) {
        if (wants_more) wants_more = visit_ranks(rank, other, distance);
      });
    }
    advance(last - first);
    return wants_more;
  });
}

#endif  // NEARDUP_BODIES

}  // namespace detail

/// Calls `visit(pair)` once for each pair of texts whose edit_similarity is at least `least`. The pair has the
/// positions first < second. `least` is a least similarity, such as edit{0.8}. For jaccard{0.8}, cosine{0.8} or
/// containment{0.8} include neardup/dedup/texts.hpp.
///
/// The order of the pairs is unspecified. Any thread of `options.run` may call `visit`, but calls do not overlap. The
/// visit ends when `visit` returns false or throws; an exception is passed on. The result is exact: no pair is missed.
/// An empty text is similar to no text. Each ill-formed subpart counts as one U+FFFD.
///
/// Throws: std::invalid_argument unless 0 < similarity <= 1; std::length_error for 2^32 - 1 texts or more;
/// std::bad_alloc.
/// Complexity: the two texts of a candidate pair share one of their rarest q-grams (runs of q code points), or have
/// similar lengths. The function chooses what costs less. Counts of characters reject most candidate pairs in some
/// nanoseconds. The edit distance of each other candidate pair is computed. Comparing all texts of similar length takes
/// quadratic time. It costs less for few texts, for q-grams that most texts have, and if the allowed edits may change
/// all q-grams of a text, as at similarities up to 1/2.
/// Memory: per distinct text 4 bytes per code point, up to 8 bytes per q-gram of its prefix, and counts of 200 bytes or
/// more.
template <text_range Texts, class Threshold, class Visit>
  requires(!threshold_of_sets<Threshold>)
void visit_pairs(const Texts& texts, const Threshold& least, Visit&& visit, const join_options& options = {}) {
  detail::visit_text_pairs(detail::source_of_texts(texts), texts.size(), detail::edit_of(least), options, 0,
                           [&](const similar_text_pair& pair) { return detail::visit_goes_on(visit, pair); });
}

/// Calls `visit(pair)` once for each pair of similar texts, one of `a` and one of `b`. pair.first is a position in `a`,
/// and pair.second is a position in `b`. Pairs within `a` and pairs within `b` are not visited.
/// Throws, complexity, memory: the same as visit_pairs() of one corpus.
template <text_range A, text_range B, class Threshold, class Visit>
  requires(!threshold_of_sets<Threshold>)
void visit_pairs(const A& a, const B& b, const Threshold& least, Visit&& visit, const join_options& options = {}) {
  detail::check_similarity(detail::edit_of(least).similarity);
  if (a.size() == 0 || b.size() == 0) return;
  detail::visit_text_pairs(detail::source_of_texts(a, b), a.size(), detail::edit_of(least), options, 0,
                           [&](const similar_text_pair& pair) { return detail::visit_goes_on(visit, pair); });
}

/// Returns the pairs of texts whose edit_similarity is at least `least`, by their positions, sorted by (first, second).
/// Throws: the exceptions of visit_pairs().
/// Complexity: the same as visit_pairs(), and O(p log p) for p pairs.
/// Memory: the memory of visit_pairs(), and 32 bytes per pair.
/// Example: `for (const auto& [i, j, distance, similarity] : pairs(texts, edit{0.8}, {.run = threads{8}})) …`
template <text_range Texts, class Threshold>
  requires(!threshold_of_sets<Threshold>)
[[nodiscard]] std::vector<similar_text_pair> pairs(const Texts& texts, const Threshold& least,
                                                   const join_options& options = {}) {
  std::vector<similar_text_pair> result;
  visit_pairs(
      texts, least, [&](const similar_text_pair& pair) { result.push_back(pair); }, options);
  detail::sort_text_pairs(result);
  return result;
}

/// Returns the pairs of similar texts, one of `a` and one of `b`, by their positions, sorted by (first, second).
/// Throws, complexity, memory: the same as pairs() of one corpus.
/// Example: `for (const auto& [i, j, distance, similarity] : pairs(delivered, archived, edit{0.8})) …`
template <text_range A, text_range B, class Threshold>
  requires(!threshold_of_sets<Threshold>)
[[nodiscard]] std::vector<similar_text_pair> pairs(const A& a, const B& b, const Threshold& least,
                                                   const join_options& options = {}) {
  std::vector<similar_text_pair> result;
  visit_pairs(
      a, b, least, [&](const similar_text_pair& pair) { result.push_back(pair); }, options);
  detail::sort_text_pairs(result);
  return result;
}

}  // namespace neardup::inline v0
