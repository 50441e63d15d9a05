// SPDX-License-Identifier: MIT
// Groups texts exactly by their edit similarity.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "../detail/compiled.hpp"
#include "../detail/union_find.hpp"
#include "../edits/engine/distinct_texts.hpp"
#include "../edits/engine/edit_join.hpp"
#include "../edits/pairs.hpp"
#include "../error.hpp"
#include "group.hpp"
#include "rule.hpp"

namespace neardup::inline v0 {

namespace detail {

/// Labels for groups of texts. The first `known` texts are representatives of earlier calls. `q`: the length of
/// q-grams, see edit_join.
std::vector<std::size_t> label_similar_texts(const text_source& source, std::size_t known, const edit& least,
                                             const group_options& options, std::size_t q);

#if NEARDUP_BODIES

NEARDUP_INLINE std::vector<std::size_t> label_similar_texts(const text_source& source, std::size_t known,
                                                            const edit& least, const group_options& options,
                                                            std::size_t q) {
  check_similarity(least.similarity);
  const std::size_t grouped = source.size - known;
  if (!options.preference.empty() && options.preference.size() != grouped) {
    fail<std::invalid_argument>("group: not as many preferences as texts that are grouped");
  }
  if (std::any_of(options.preference.begin(), options.preference.end(), [](double p) { return std::isnan(p); })) {
    fail<std::invalid_argument>("group: a preference is not a number");
  }
  std::vector<std::size_t> label(source.size);
  std::iota(label.begin(), label.end(), std::size_t{0});
  const distinct_texts texts(source, source.size);
  constexpr auto none = static_cast<std::size_t>(-1);
  std::vector<std::size_t> rank_of(source.size, none), order(source.size);
  for (std::size_t rank = 0; rank < texts.size(); ++rank) {
    for (const std::uint32_t member : texts.members(rank)) rank_of[member] = rank;
  }
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (!options.preference.empty()) {
    std::stable_sort(
        order.begin() + static_cast<std::ptrdiff_t>(known), order.end(),
        [&](std::size_t a, std::size_t b) { return options.preference[a - known] > options.preference[b - known]; });
  }
  edit_join join(texts, least.similarity, q);
  edit_progress at{0, 0, join.q() == 0};
  const auto tell_now = [&] {
    options.run.check();
    if (least.progress) least.progress(at);
  };
  const auto tell = [&](std::size_t done, std::size_t all) {
    constexpr std::size_t step = 64;
    at.done = done;
    at.all = all;
    if (done % step == 0 || done == all) tell_now();
  };
  edit_join::workspace memory(join, tell_now);
  if (options.by == grouping::components) {
    shared_components<std::uint32_t> components(texts.size());
    tell(0, texts.size());
    for (std::size_t rank = 0; rank < texts.size(); ++rank) {
      join.visit_candidates(rank, rank, true, memory, [&](std::size_t other) {
        if (components.find(rank) == components.find(other) || !join.distance(rank, other, memory)) return;
        components.unite(rank, other);
      });
      join.add(rank);
      tell(rank + 1, texts.size());
    }
    // The most preferred text of each component.
    std::vector<std::size_t> first(texts.size(), none);
    for (const std::size_t position : order) {
      if (rank_of[position] == none) continue;
      std::size_t& of = first[components.find(rank_of[position])];
      if (of == none) of = position;
      label[position] = of;
    }
    return label;
  }
  // For each distinct text, by rank: kept_at is the place in `order` at which it was kept. best is the closest
  // representative among those kept before place considered_until.
  std::vector<std::size_t> kept_at(texts.size(), none), considered_until(texts.size(), 0);
  std::vector<std::optional<original_rank<std::size_t>>> best(texts.size());
  std::size_t last_kept = none;
  for (std::size_t i = 0; i < order.size(); ++i) {
    tell(i, order.size());
    const std::size_t position = order[i], rank = rank_of[position];
    if (rank == none) continue;
    const bool is_known = i < known;
    if (kept_at[rank] != none) {  // nothing is closer than an equal text
      if (!is_known) label[position] = options.originals ? order[kept_at[rank]] : order.front();
      continue;
    }
    if (!is_known) {
      if (last_kept != none && last_kept >= considered_until[rank]) {
        join.visit_candidates(rank, texts.size(), false, memory, [&](std::size_t other) {
          if (kept_at[other] < considered_until[rank]) return;
          // A text that is farther than the closest representative so far cannot be the original.
          if (best[rank] && !options.originals) return;
          const double closer = best[rank] ? best[rank]->closeness : least.similarity;
          const auto distance = join.distance(rank, other, closer, memory);
          if (!distance) return;
          const std::size_t longer = (std::max)(texts.length(rank), texts.length(other));
          const original_rank<std::size_t> found{edit_similarity_of(*distance, longer), kept_at[other]};
          if (!best[rank] || found.is_better_than(*best[rank])) best[rank] = found;
        });
        considered_until[rank] = i;
      }
      if (best[rank]) {
        label[position] = options.originals ? order[best[rank]->age] : order.front();
        continue;
      }
      if (!options.among_themselves) continue;
    }
    kept_at[rank] = last_kept = i;
    join.add(rank);
  }
  return label;
}

#endif  // NEARDUP_BODIES

}  // namespace detail

/// Groups texts by their edit_similarity. `least`: edit{0.8}; for jaccard{0.8} and its like see
/// neardup/dedup/texts.hpp. With representatives, texts are taken in order of
/// preference; a text that is similar to earlier representatives joins the closest of them, and the first among equally
/// close ones. A text that is similar to none becomes a representative. With components, a group consists of the texts
/// that chains of similar texts connect.
/// Returns: one label per text, the position of the representative of its group, which is its most preferred member.
/// Throws: as visit_pairs of texts; std::invalid_argument if the number of preferences is wrong, or a preference is
/// NaN.
/// Complexity, memory: as visit_pairs of texts on one thread, but texts are compared with representatives only. The
/// calling thread does all of the work, whatever `options.run`; it calls check() of the runner between steps.
template <indexed_texts Texts, class Threshold>
  requires(!threshold_of_sets<Threshold>)
[[nodiscard]] std::vector<std::size_t> group(const Texts& texts, const Threshold& least,
                                             const group_options& options = {}) {
  return detail::label_similar_texts(detail::source_of_texts(texts), 0, detail::edit_of(least), options, 0);
}

/// Groups further texts around the representatives of earlier calls, which do not change: one batch after the other,
/// with the results that group() would give for all batches concatenated.
/// Returns: one position per text; positions count the representatives first, then the texts. It is the position of the
/// representative that the text joins. It is the text's own position if it becomes a representative, or, without
/// `options.among_themselves`, if it joins no representative.
/// Throws: as group() of texts; also std::invalid_argument if `options.by` is not grouping::representatives.
/// Complexity, memory: those of group() of the batch and all representatives, so batches should not be much smaller
/// than the number of representatives.
/// Example: `auto label = extend_groups(kept, batch, edit{0.8});  // label[i] == kept.size() + i: batch[i] is new`
template <indexed_texts Kept, indexed_texts Texts, class Threshold>
  requires(!threshold_of_sets<Threshold>)
[[nodiscard]] std::vector<std::size_t> extend_groups(const Kept& representatives, const Texts& texts,
                                                     const Threshold& least, const group_options& options = {}) {
  if (options.by != grouping::representatives) {
    detail::fail<std::invalid_argument>("extend_groups: only groups around representatives can be extended");
  }
  const std::size_t known = representatives.size();
  auto label = detail::label_similar_texts(detail::source_of_texts(representatives, texts), known,
                                           detail::edit_of(least), options, 0);
  label.erase(label.begin(), label.begin() + static_cast<std::ptrdiff_t>(known));
  return label;
}

}  // namespace neardup::inline v0
