// SPDX-License-Identifier: MIT
// Collects candidates from several threads, without duplicates and in limited memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <span>
#include <vector>

#include "../../detail/large_array.hpp"
#include "../../detail/mutex.hpp"
#include "../../index/join/join_pairs.hpp"
#include "../../index/join_options.hpp"
#include "../../runner.hpp"

namespace neardup::inline v0::detail {

/// Candidate pairs: a document and an earlier document, by their positions among the chosen documents. The parts of a
/// join find these pairs in any order, and many pairs several times.
///
/// Pairs are collected in shards, a few for each part. When a shard is full, it is sorted, and duplicates are removed.
/// With several shards, parts seldom wait for each other, and sorting takes little additional memory.
template <class Number>
class candidate_collector {
 public:
  using candidate = near_pair<Number>;

  /// The number of consecutive documents whose pairs share a shard. The first position of such a block of documents is
  /// a multiple of it.
  static constexpr std::size_t block = 64;

  /// A collector for pairs of `count` documents, with room for about `room` pairs.
  candidate_collector(std::size_t count, std::size_t room, std::size_t parts)
      : count_(count), shards_(shards_a_part * parts), found_(parts) {
    const std::size_t of_each = room / shards_.size();
    handed_ = std::clamp<std::size_t>(of_each / 4, 1, 1024);
    memory_ = large_array<candidate>(of_each * shards_.size());
    for (std::size_t i = 0; i < shards_.size(); ++i) {
      shards_[i].memory = memory_.span().subspan(i * of_each, of_each);
    }
    for (auto& buffers : found_) buffers.resize(shards_.size());
  }

  /// Adds a pair that `part` has found; `first` is the later document, `second` the earlier one.
  /// Returns: false if there is no room; the collection is incomplete then.
  bool add(std::size_t part, const candidate& c) {
    const std::size_t row = static_cast<std::size_t>(c.first) / block, number = row % shards_.size();
    std::vector<candidate>& own = found_[part][number];
    own.push_back({static_cast<Number>(row / shards_.size() * block + c.first % block), c.second, c.distance});
    if (own.size() < handed_) return true;
    // If another part is sorting the shard, this part does not wait, but buffers pairs up to a limit.
    shard& to = shards_[number];
    std::unique_lock lock(to.mutex, std::defer_lock);
    if (own.size() < max_waiting * handed_ && !lock.try_lock()) return true;
    if (!lock) lock.lock();
    return hand_over(to, own);
  }

  /// Adds the pairs that parts have buffered, and sorts all shards. Returns: false if there was no room.
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

  /// The pairs of the document at `position` with earlier documents, their second members, which ascend. `before`: the
  /// result for the previous document, if that is in the same block, which saves a search; otherwise empty.
  /// Precondition: close() was the last call, and returned true.
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
  static constexpr std::size_t max_waiting = 16;  // pairs in a buffer, in multiples of handed_

  struct shard {
    detail::mutex_type mutex;
    std::span<candidate> memory;
    std::size_t size = 0;
    bool is_full = false;
  };

  bool hand_over(shard& to, std::vector<candidate>& some) const {
    for (std::size_t taken = 0; taken < some.size() && !to.is_full;) {
      if (to.size == to.memory.size()) {
        sort(to);
        to.is_full = to.size >= to.memory.size() - to.memory.size() / 8;
      }
      const std::size_t count = (std::min)(some.size() - taken, to.memory.size() - to.size);
      std::copy_n(some.data() + taken, count, to.memory.data() + to.size);
      to.size += count;
      taken += count;
    }
    some.clear();
    return !to.is_full;
  }

  void sort(shard& of) const {
    const std::size_t documents = ((count_ - 1) / block / shards_.size() + 1) * block;
    const std::span<candidate> own = of.memory.first(of.size);
    sort_pairs(own, 0, documents, {});
    of.size = static_cast<std::size_t>(std::unique(own.begin(), own.end()) - own.begin());
  }

  std::size_t count_;
  std::vector<shard> shards_;
  std::vector<std::vector<std::vector<candidate>>> found_;  // by part and shard
  std::size_t handed_;
  large_array<candidate> memory_;
};

}  // namespace neardup::inline v0::detail
