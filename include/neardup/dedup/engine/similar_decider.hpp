// Sets decided in an order: each by those before it that are similar and were kept, found by exact joins.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "../../runner.hpp"
#include "../../sets/engine/distinct_sets.hpp"
#include "../../sets/engine/overlap_bounds.hpp"
#include "../../sets/engine/set_join.hpp"
#include "../../sets/engine/set_prefixes.hpp"

namespace neardup::inline v0::detail {

/// Each set joins the first one before it that was kept and is similar, or is kept.
///
/// All are joined at once, if there are not too many pairs. In a crowd of sets that are all similar there are: then the
/// first half is decided before what was kept of it is joined with the second one. So the work does not grow with the
/// number of pairs, but with the number of those of which one was kept.
template <class Feature>
class similar_decider {
 public:
  /// `places` says where each distinct set, by rank, stands in the order: all are different.
  similar_decider(const distinct_sets<Feature>& sets, const set_prefixes& prefixes, const overlap_bounds& bounds,
                  std::span<const std::uint32_t> places, const any_runner& run, const set_join_sizes& sizes,
                  std::size_t min_pairs)
      : sets_(sets),
        prefixes_(prefixes),
        bounds_(bounds),
        places_(places),
        run_(run),
        how_(sizes),
        min_pairs_(min_pairs),
        is_marked_(sets.size()),
        index_(sets.size()),
        taker_(sets.size()) {
    for (std::size_t rank = 0; rank < taker_.size(); ++rank) {
      taker_[rank].store(places[rank], std::memory_order_relaxed);
    }
  }

  /// Of sets, by their ranks, the first similar one of those that are kept, all of which stand before them.
  void consider_kept(std::span<const std::uint32_t> kept, std::span<const std::uint32_t> sets) {
    if (kept.empty() || sets.empty()) return;
    std::vector<std::uint32_t> both(kept.begin(), kept.end());
    both.insert(both.end(), sets.begin(), sets.end());
    std::sort(both.begin(), both.end());
    for (const std::uint32_t rank : kept) is_marked_[rank] = true;
    set_join<Feature> join(sets_, prefixes_, bounds_, run_, how_);
    join.choose(both);
    join.join_across(is_marked_);
    join.visit([&](std::size_t /*part*/, std::span<const similar_ranks> pairs) {
      for (const similar_ranks& pair : pairs) {
        const bool is_first = is_marked_[pair.a];
        std::atomic<std::uint32_t>& taker = taker_[is_first ? pair.b : pair.a];
        const std::uint32_t place = places_[is_first ? pair.a : pair.b];
        std::uint32_t now = taker.load(std::memory_order_relaxed);
        while (place < now && !taker.compare_exchange_weak(now, place, std::memory_order_relaxed)) {
        }
      }
      return true;
    });
    for (const std::uint32_t rank : kept) is_marked_[rank] = false;
  }

  /// Decides about sets, by their ranks in the order of their places, none of which is decided by those before all.
  void settle(std::span<const std::uint32_t> sets) {
    if (sets.empty() || settle_at_once(sets)) return;
    const std::size_t half = sets.size() / 2;
    settle(sets.first(half));
    std::vector<std::uint32_t> kept, open;
    for (const std::uint32_t rank : sets.first(half)) {
      if (is_kept(rank)) kept.push_back(rank);
    }
    consider_kept(kept, sets.subspan(half));
    for (const std::uint32_t rank : sets.subspan(half)) {
      if (is_kept(rank)) open.push_back(rank);
    }
    settle(open);
  }

  /// The place of the set that takes this one; its own if it is kept, or not decided yet.
  [[nodiscard]] std::uint32_t taker(std::size_t rank) const noexcept {
    return taker_[rank].load(std::memory_order_relaxed);
  }
  [[nodiscard]] bool is_kept(std::size_t rank) const noexcept { return taker(rank) == places_[rank]; }

 private:
  /// Returns: false if there are too many pairs; then nothing was decided.
  bool settle_at_once(std::span<const std::uint32_t> sets) {
    const std::size_t most = (std::max)(min_pairs_, 4 * sets.size());
    std::vector<std::uint32_t> by_rank(sets.begin(), sets.end());
    std::sort(by_rank.begin(), by_rank.end());
    for (std::size_t i = 0; i < sets.size(); ++i) index_[sets[i]] = static_cast<std::uint32_t>(i);
    struct pair {
      std::uint32_t later, earlier;
    };
    std::vector<pair> pairs;
    std::mutex mutex;
    set_join<Feature> join(sets_, prefixes_, bounds_, run_, how_);
    join.choose(by_rank);
    const bool is_all = join.visit([&](std::size_t /*part*/, std::span<const similar_ranks> found) {
      const std::lock_guard<std::mutex> lock(mutex);
      for (const similar_ranks& both : found) {
        const std::uint32_t i = index_[both.a], j = index_[both.b];
        pairs.push_back({(std::max)(i, j), (std::min)(i, j)});
      }
      return pairs.size() <= most;
    });
    if (!is_all) return false;
    std::vector<std::size_t> begins(sets.size() + 1);
    for (const pair& p : pairs) ++begins[p.later + 1];
    for (std::size_t i = 0; i < sets.size(); ++i) begins[i + 1] += begins[i];
    std::vector<std::uint32_t> earlier(pairs.size());
    std::vector<std::size_t> next(begins.begin(), begins.end() - 1);
    for (const pair& p : pairs) earlier[next[p.later]++] = p.earlier;
    for (std::size_t i = 0; i < sets.size(); ++i) {
      std::uint32_t place = places_[sets[i]];
      for (std::size_t k = begins[i]; k < begins[i + 1]; ++k) {
        const std::uint32_t other = sets[earlier[k]];
        if (is_kept(other)) place = (std::min)(place, places_[other]);
      }
      taker_[sets[i]].store(place, std::memory_order_relaxed);
    }
    return true;
  }

  const distinct_sets<Feature>& sets_;
  const set_prefixes& prefixes_;
  const overlap_bounds& bounds_;
  std::span<const std::uint32_t> places_;
  any_runner run_;
  set_join_sizes how_;
  std::size_t min_pairs_;
  std::vector<bool> is_marked_;
  std::vector<std::uint32_t> index_;
  std::vector<std::atomic<std::uint32_t>> taker_;
};

}  // namespace neardup::inline v0::detail
