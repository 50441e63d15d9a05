// SPDX-License-Identifier: MIT
// Collects candidate pairs from several threads, in limited memory. Each pair is stored once.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "../../detail/large_array.hpp"
#include "../../detail/mutex.hpp"
#include "../../detail/radix_partition.hpp"
#include "../../detail/visits.hpp"
#include "../../index/match.hpp"
#include "../../runner.hpp"

namespace neardup::inline v0::detail {

/// Collects candidate pairs. A candidate pair is a document and an earlier document. A document is named by its
/// position among the documents of a join. The parts of the runner find the pairs in any order, and many pairs several
/// times.
///
/// Pairs are collected in shards, of which there are several for each part. When a shard is full, it is sorted, and its
/// duplicates are removed. With several shards, parts seldom wait for each other, and sorting takes little additional
/// memory.
///
/// A limited collector always has memory for some pairs of each document. A document *has enough* if it is the later
/// document of `most` pairs, or, when its shard is full, of few_pairs pairs. Further pairs of such a document may be
/// dropped. The collector is a set_classes: all documents that have enough are one class; any other document is alone
/// in its class.
template <class Number>
class candidate_collector final : public set_classes {
 public:
  using candidate = near_pair<Number>;

  /// The number of consecutive documents in a block. All pairs of a block are in one shard.
  static constexpr std::size_t block = 64;

  /// Makes a collector for the pairs of `count` documents, with memory for about `room` pairs. `most`: 0, or the number
  /// of pairs with which a document has enough. If `most` is not 0, the collector is limited, and has memory for
  /// another few_pairs pairs of each document.
  /// Precondition: if the collector is limited, add(a, b) counts a pair before add(part, c) stores the pair.
  candidate_collector(std::size_t count, std::size_t room, std::size_t parts, std::uint8_t most = 0)
      : count_(count),
        most_(most),
        shards_(shards_a_part * parts),
        found_(parts),
        pairs_(most != 0 ? count : 0),
        taken_(most != 0 ? count : 0) {
    std::size_t of_each = room / shards_.size();
    // There are fewer than count^2 / 2 pairs. Few documents need little memory, which is faster to allocate.
    if (count != 0 && of_each / count > count) of_each = count * count;
    const std::size_t in_shard = of_each + (most != 0 ? few_pairs * documents_a_shard() : 0);
    handed_ = std::clamp<std::size_t>(of_each / 4, 1, 1024);
    memory_ = large_array<candidate>(in_shard * shards_.size());
    for (std::size_t i = 0; i < shards_.size(); ++i) {
      shards_[i].memory = memory_.span().subspan(i * in_shard, in_shard);
      shards_[i].limit = of_each;
    }
    for (auto& buffers : found_) buffers.resize(shards_.size());
  }

  [[nodiscard]] std::size_t of(std::size_t position) const override { return has_enough(position) ? count_ : position; }
  [[nodiscard]] bool leaves_out(std::size_t a, std::size_t b) const override { return has_enough((std::max)(a, b)); }
  /// Counts a pair for the later of the two documents at the positions `a` and `b`.
  void add(std::size_t a, std::size_t b) override { count_one(pairs_[(std::max)(a, b)]); }
  /// Returns true if some pairs of the document at `position` with earlier documents may be missing.
  [[nodiscard]] bool has_enough(std::size_t position) const {
    return !pairs_.empty() && pairs_[position].load(std::memory_order_relaxed) >= enough(position);
  }

  /// Adds a candidate pair that part number `part` of the runner has found. `c.first` is the later document, and
  /// `c.second` is the earlier document.
  /// Returns: false if memory is exhausted and the collector is not limited. Some pairs are then missing.
  bool add(std::size_t part, const candidate& c) {
    const auto position = static_cast<std::size_t>(c.first), row = position / block, number = row % shards_.size();
    if (!pairs_.empty()) {
      if (taken_[position].load(std::memory_order_relaxed) >= enough(position)) return true;
      count_one(taken_[position]);
    }
    std::vector<candidate>& own = found_[part][number];
    own.push_back({static_cast<Number>(row / shards_.size() * block + c.first % block), c.second, c.distance});
    if (own.size() < handed_) return true;
    // If another thread is sorting the shard, this thread does not wait. It buffers pairs up to a limit.
    shard& to = shards_[number];
    std::unique_lock lock(to.mutex, std::defer_lock);
    if (own.size() < max_waiting * handed_ && !lock.try_lock()) return true;
    if (!lock) lock.lock();
    return hand_over(to, own);
  }

  /// Moves the buffered pairs of all parts to the shards, and sorts all shards.
  /// Returns: false if memory is exhausted and the collector is not limited.
  bool close(const any_runner& run) {
    return in_steps(run, (std::min)(run.parts(), shards_.size()), shards_.size(), 1,
                    [&](std::size_t /*part*/, std::size_t number, std::size_t) {
                      for (auto& buffers : found_) {
                        if (!hand_over(shards_[number], buffers[number])) return false;
                        buffers[number] = {};
                      }
                      sort(shards_[number]);
                      return true;
                    });
  }

  /// Returns the pairs of the document at `position` with earlier documents, ordered by the earlier document. `before`:
  /// the result of of(position - 1) if the two positions are in one block, which saves a search; otherwise empty.
  /// Precondition: the last call was close(), and returned true.
  [[nodiscard]] std::span<const candidate> of(std::size_t position, std::span<const candidate> before) const {
    const shard& from = shards_[position / block % shards_.size()];
    const auto local = static_cast<Number>(position / block / shards_.size() * block + position % block);
    const candidate* const end = from.memory.data() + from.size;
    const candidate* first = before.data() + before.size();
    if (before.data() == nullptr) {
      first = std::partition_point(static_cast<const candidate*>(from.memory.data()), end,
                                   [=](const candidate& c) { return c.first < local; });
    }
    const candidate* last = first;
    while (last != end && last->first == local) ++last;
    return {first, last};
  }

 private:
  static constexpr std::size_t shards_a_part = 8;
  static constexpr std::size_t max_waiting = 16;  // greatest size of a buffer: max_waiting * handed_ pairs
  static constexpr std::uint8_t few_pairs = 4;

  [[nodiscard]] std::uint8_t enough(std::size_t position) const {
    const bool is_full = shards_[position / block % shards_.size()].is_full.load(std::memory_order_relaxed);
    return is_full ? few_pairs : most_;
  }
  void count_one(std::atomic<std::uint8_t>& pairs) const {
    std::uint8_t count = pairs.load(std::memory_order_relaxed);
    while (count < most_ &&
           !pairs.compare_exchange_weak(count, static_cast<std::uint8_t>(count + 1), std::memory_order_relaxed)) {
    }
  }

  struct shard {
    detail::mutex_type mutex;
    std::span<candidate> memory;
    std::size_t limit = 0;  // number of pairs at which the shard is full
    std::size_t size = 0;
    std::atomic<bool> is_full = false;
  };

  [[nodiscard]] std::size_t documents_a_shard() const noexcept {
    return ((count_ - 1) / block / shards_.size() + 1) * block;
  }

  bool hand_over(shard& to, std::vector<candidate>& some) {
    const bool is_limited = !pairs_.empty();
    for (std::size_t taken = 0; taken < some.size();) {
      if (to.size == to.limit) {
        sort(to);
        if (to.size >= to.limit - to.limit / 8) {
          if (!is_limited || to.is_full) {
            leave_out(to, std::span(some).subspan(taken));
            break;
          }
          to.is_full = true;
          to.limit = to.memory.size();
        }
      }
      const std::size_t count = (std::min)(some.size() - taken, to.limit - to.size);
      std::copy_n(some.data() + taken, count, to.memory.data() + to.size);
      to.size += count;
      taken += count;
    }
    some.clear();
    return is_limited || !to.is_full;
  }

  /// Marks the shard `of` as full. For each pair in `some`, notes that its later document has enough pairs.
  void leave_out(shard& of, std::span<const candidate> some) {
    of.is_full = true;
    if (pairs_.empty()) return;
    const auto number = static_cast<std::size_t>(&of - shards_.data());
    for (const candidate& c : some) {
      const auto local = static_cast<std::size_t>(c.first);
      pairs_[(local / block * shards_.size() + number) * block + local % block] = most_;
    }
  }

  void sort(shard& of) const {
    const std::size_t documents = documents_a_shard();
    const std::span<candidate> own = of.memory.first(of.size);
    sort_pairs(own, 0, documents, {});
    of.size = static_cast<std::size_t>(std::unique(own.begin(), own.end()) - own.begin());
  }

  std::size_t count_;
  std::uint8_t most_;
  std::vector<shard> shards_;
  std::vector<std::vector<std::vector<candidate>>> found_;  // indexed by part and shard
  // Only in a limited collector, indexed by position: the number of pairs that were found, and the number of pairs that
  // were stored.
  std::vector<std::atomic<std::uint8_t>> pairs_, taken_;
  std::size_t handed_;
  large_array<candidate> memory_;
};

}  // namespace neardup::inline v0::detail
