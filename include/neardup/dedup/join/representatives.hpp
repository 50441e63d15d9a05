// Groups around representatives: who joins whom, decided in an order of preference by several threads at a time.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "../../runner.hpp"
#include "../../simhash.hpp"
#include "join_input.hpp"

namespace neardup::inline v0::detail {

/// Decides for one document after the other, in an order of preference, whether an earlier representative takes it.
///
/// It searches an index of the representatives only, so a crowd of near-duplicates costs as many searches as it has
/// members, and each finds few. Documents are decided in batches, the index grows in between. Within a batch a document
/// waits for those before it that are near it; so exactly those checks are made that one thread would make.
template <std::size_t Bits, class Index>
class representative_finder {
 public:
  using number = typename Index::id_type;

  using assign_type = std::function<void(std::size_t document, std::size_t representative)>;

  /// `order`: the documents, the most preferred one first. `index`: empty, for searches within k bits; without one all
  /// documents are near each other.
  representative_finder(std::span<const simhash<Bits>> fingerprints, std::span<const number> order, int k,
                        const pair_check& check, Index* index)
      : fingerprints_(fingerprints), order_(order), k_(k), check_(check), index_(index) {}

  /// Calls `assign` for each document, from several threads; a representative is its own.
  void run(const any_runner& run, const assign_type& assign) {
    std::vector<std::atomic<fate>> fates((std::min)(batch_size, order_.size()));
    for (std::size_t first = 0; first < order_.size(); first += batch_size) {
      const std::size_t count = (std::min)(batch_size, order_.size() - first);
      const batch now{first, std::span(fates).first(count)};
      for (std::atomic<fate>& f : now.fates) f.store(fate::undecided, std::memory_order_relaxed);
      decide(now, run, assign);
      for (std::size_t i = 0; i < count; ++i) {
        if (now.fates[i].load(std::memory_order_relaxed) != fate::representative) continue;
        const auto rank = static_cast<number>(first + i);
        if (index_ == nullptr) {
          ranks_.push_back(rank);
        } else {
          index_->insert(fingerprints_[order_[rank]], rank);
        }
      }
    }
  }

 private:
  // Large enough that threads start seldom, small enough that comparing a batch with itself is little beside searches.
  static constexpr std::size_t batch_size = 1024;
  static constexpr std::size_t min_for_a_part = 64;

  enum class fate : int { undecided, representative, other };

  /// The documents of the ranks from `first` on.
  struct batch {
    std::size_t first;
    std::span<std::atomic<fate>> fates;
  };

  void decide(const batch& now, const any_runner& run, const assign_type& assign) {
    const std::size_t parts = (std::min)(run.parts(), now.fates.size() / min_for_a_part + 1);
    std::atomic<std::size_t> next = 0;
    first_failure failure;
    run(parts, [&](std::size_t /*part*/) {
      std::vector<number> near;
      while (true) {
        // Taken in order: whoever is waited for has been taken, by a part that runs, and the first never waits.
        const std::size_t i = next.fetch_add(1, std::memory_order_relaxed);
        if (i >= now.fates.size()) return;
        fate decided = fate::other;
        const bool done = failure.guard(i, [&] {
          const number document = order_[now.first + i];
          const number representative = representative_of(document, now, i, near);
          assign(document, representative);
          if (representative == document) decided = fate::representative;
        });
        if (!done) next.store(now.fates.size(), std::memory_order_relaxed);
        now.fates[i].store(decided, std::memory_order_release);
        now.fates[i].notify_all();
      }
    });
    failure.rethrow();
  }

  /// The first representative that takes `document`, the i-th of the batch; itself if none does.
  number representative_of(number document, const batch& now, std::size_t i, std::vector<number>& near) const {
    const simhash<Bits>& fingerprint = fingerprints_[document];
    near = ranks_;
    if (index_ != nullptr) {
      index_->for_each_match(fingerprint, k_, [&](const auto& match) { near.push_back(match.id); });
      std::sort(near.begin(), near.end());
    }
    for (const number rank : near) {
      if (accepts(order_[rank], document)) return order_[rank];
    }
    for (std::size_t j = 0; j < i; ++j) {
      const number before = order_[now.first + j];
      if (now.fates[j].load(std::memory_order_acquire) == fate::other) continue;
      if (hamming_distance(fingerprint, fingerprints_[before]) > k_) continue;
      now.fates[j].wait(fate::undecided, std::memory_order_acquire);
      if (now.fates[j].load(std::memory_order_acquire) != fate::representative) continue;
      if (accepts(before, document)) return before;
    }
    return document;
  }

  bool accepts(number representative, number document) const {
    return !check_ || check_(static_cast<std::size_t>(representative), static_cast<std::size_t>(document));
  }

  std::span<const simhash<Bits>> fingerprints_;
  std::span<const number> order_;
  int k_;
  const pair_check& check_;
  Index* index_;
  std::vector<number> ranks_;  // of the representatives, without an index
};

}  // namespace neardup::inline v0::detail
