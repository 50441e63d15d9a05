// SPDX-License-Identifier: MIT
// Chained hash tables that grow one bucket at a time, and id_table, which uses such a hash table.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "../../detail/bits.hpp"
#include "../../error.hpp"
#include "../../ids.hpp"
#include "chunked_array.hpp"

namespace neardup::inline v0::detail {

/// The chains of a hash table. Nodes have numbers that the caller chooses. The caller stores for each node its hash,
/// and the number of the next node in its chain. The number of buckets grows by one at a time (linear hashing, see
/// posting_lists), so no insertion has to rehash the whole table.
class hash_chains {
 public:
  static constexpr std::uint32_t none = (std::numeric_limits<std::uint32_t>::max)();

  /// Returns the first node in the chain of a hash; `none` if the chain is empty.
  [[nodiscard]] std::uint32_t first(std::uint64_t hash) const noexcept {
    return heads_.size() == 0 ? none : heads_[growing_place(hash, buckets_)] - 1;
  }

  /// Allocates memory for one more node, and may split a bucket. `next_of(node)` returns a reference to the number of
  /// the next node. `hash_of(node)` returns the hash of a node.
  /// Guarantee: strong.
  template <class NextOf, class HashOf>
  void make_room(const NextOf& next_of, const HashOf& hash_of) {
    if (heads_.size() == 0) heads_.grow_to(1);
    if (size_ < buckets_) return;
    heads_.grow_to(buckets_ + 1);
    std::uint32_t from = std::exchange(heads_[buckets_ - std::bit_floor(std::size_t{buckets_})], 0) - 1;
    ++buckets_;
    while (from != none) {
      std::uint32_t& next = next_of(from);
      std::uint32_t& head = heads_[growing_place(hash_of(from), buckets_)];
      const std::uint32_t after = std::exchange(next, head - 1);
      head = from + 1;
      from = after;
    }
  }
  /// Adds a node.
  /// Precondition: make_room() was called since the previous insertion.
  template <class NextOf>
  void insert(std::uint32_t node, std::uint64_t hash, const NextOf& next_of) noexcept {
    std::uint32_t& head = heads_[growing_place(hash, buckets_)];
    next_of(node) = head - 1;
    head = node + 1;
    ++size_;
  }
  /// Removes a node.
  /// Precondition: the node was added and not removed.
  template <class NextOf>
  void erase(std::uint32_t node, std::uint64_t hash, const NextOf& next_of) noexcept {
    --size_;
    std::uint32_t& head = heads_[growing_place(hash, buckets_)];
    if (head - 1 == node) {
      head = next_of(node) + 1;
      return;
    }
    std::uint32_t at = head - 1;
    while (next_of(at) != node) at = next_of(at);
    next_of(at) = next_of(node);
  }

  [[nodiscard]] std::size_t memory_usage() const noexcept { return heads_.memory_usage(); }

 private:
  chunked_array<std::uint32_t> heads_;  // heads_[bucket]: 1 + the first node of the chain, or 0
  until_moved<std::size_t, 1> buckets_;
  until_moved<std::size_t> size_;
};

/// Maps each id to a slot, such as the slot of its set. Ids are found by their hashes if std::hash<Id> exists, otherwise
/// by an ordered map. The ids of a slot form a circular list.
/// Guarantee: strong.
/// Memory: per id, about 20 bytes and the id; with an ordered map about 48 bytes more, for an id of 4 bytes.
template <class Id>
class id_table {
  static constexpr bool is_hashed = hashable_id<Id>;

 public:
  static constexpr std::uint32_t none = hash_chains::none;

  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// Returns the entry of an id, or `none` if the table does not have the id.
  [[nodiscard]] std::uint32_t find(const Id& id) const noexcept {
    if constexpr (is_hashed) {
      std::uint32_t at = chains_.first(hash_of(id));
      while (at != none && !(entries_[at].id == id)) at = entries_[at].next;
      return at;
    } else {
      const auto found = by_order_.find(id);
      return found == by_order_.end() ? none : found->second;
    }
  }
  [[nodiscard]] const Id& id(std::uint32_t at) const noexcept { return entries_[at].id; }
  [[nodiscard]] std::uint32_t slot(std::uint32_t at) const noexcept { return entries_[at].slot; }
  /// Returns the entry after entry `at` in the circular list of its slot.
  [[nodiscard]] std::uint32_t following(std::uint32_t at) const noexcept { return entries_[at].following; }

  /// Prefetches an entry. No-op for `none`.
  void prefetch(std::uint32_t at) const noexcept {
    if (at != none) detail::prefetch(&entries_[at]);
  }

  /// Adds an id without a slot. link() sets the slot.
  /// Returns: the entry of the id.
  /// Precondition: the table does not have the id.
  std::uint32_t insert(const Id& id) {
    if (free_ == none) {
      if (entries_.size() >= none - 1) fail<std::length_error>("an index of ids has at most 2^32 - 2 ids");
      entries_.grow_to(entries_.size() + 1);
      entries_[entries_.size() - 1].next = none;
      free_ = static_cast<std::uint32_t>(entries_.size() - 1);
    }
    entries_[free_].id = id;
    if constexpr (is_hashed) {
      chains_.make_room([&](std::uint32_t e) -> std::uint32_t& { return entries_[e].next; },
                        [&](std::uint32_t e) { return hash_of(entries_[e].id); });
    } else {
      by_order_.emplace(id, free_);
    }
    const std::uint32_t added = std::exchange(free_, entries_[free_].next);
    entries_[added].slot = none;
    if constexpr (is_hashed) {
      chains_.insert(added, hash_of(id), [&](std::uint32_t e) -> std::uint32_t& { return entries_[e].next; });
    }
    ++size_;
    heap_bytes_ += heap_bytes(entries_[added].id);
    return added;
  }
  void erase(std::uint32_t at) noexcept {
    heap_bytes_ -= heap_bytes(entries_[at].id);
    if constexpr (is_hashed) {
      chains_.erase(at, hash_of(entries_[at].id), [&](std::uint32_t e) -> std::uint32_t& { return entries_[e].next; });
    } else {
      by_order_.erase(entries_[at].id);
    }
    static_cast<void>(std::exchange(entries_[at].id, Id()));  // frees the memory of a string, assigning alone does not
    entries_[at].next = std::exchange(free_, at);
    --size_;
  }

  /// Adds entry `at` to the list of a slot. `first` is any entry of this list, or `none` if the list is empty.
  /// Returns: an entry of the list.
  std::uint32_t link(std::uint32_t at, std::uint32_t slot, std::uint32_t first) noexcept {
    entry& added = entries_[at];
    added.slot = slot;
    if (first == none) {
      added.previous = added.following = at;
      return at;
    }
    added.following = first;
    added.previous = std::exchange(entries_[first].previous, at);
    entries_[added.previous].following = at;
    return first;
  }
  /// Removes entry `at` from the list of its slot.
  /// Returns: another entry of the list; `none` if the list is now empty.
  std::uint32_t unlink(std::uint32_t at) noexcept {
    const entry& gone = entries_[at];
    if (gone.following == at) return none;
    entries_[gone.previous].following = gone.following;
    entries_[gone.following].previous = gone.previous;
    return gone.following;
  }

  [[nodiscard]] std::size_t memory_usage() const noexcept {
    constexpr std::size_t node = sizeof(std::pair<Id, std::uint32_t>) + 5 * sizeof(void*);
    return entries_.memory_usage() + chains_.memory_usage() + heap_bytes_ + (is_hashed ? 0 : size_ * node);
  }

 private:
  struct entry {
    Id id;
    std::uint32_t slot, next;  // `next`: the next entry in a chain, or of the free entries
    std::uint32_t previous, following;
  };
  struct nothing {};

  /// Returns the hash of an id. Consecutive numbers have hashes in blocks of 16, so that the chains of numbers that
  /// follow each other are in one cache line.
  static std::uint64_t hash_of(const Id& id) noexcept {
    const std::uint64_t hash = std::hash<Id>{}(id);
    return mix(hash / 16) ^ hash % 16;
  }

  /// Returns the number of bytes that an id has allocated, without the bytes of the id object itself.
  static std::size_t heap_bytes([[maybe_unused]] const Id& id) noexcept {
    if constexpr (std::is_same_v<Id, std::string>) {
      if (id.capacity() > std::string().capacity()) return id.capacity() + 1;
    }
    return 0;
  }

  chunked_array<entry> entries_;
  hash_chains chains_;
  std::conditional_t<is_hashed, nothing, std::map<Id, std::uint32_t>> by_order_;
  until_moved<std::uint32_t, none> free_;
  until_moved<std::size_t> size_;
  until_moved<std::size_t> heap_bytes_;  // sum of heap_bytes() of all ids
};

}  // namespace neardup::inline v0::detail
