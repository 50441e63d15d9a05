// SPDX-License-Identifier: MIT
// The content of an index: the distinct fingerprints, each with the set of its ids.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <span>
#include <stdexcept>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../../detail/bits.hpp"
#include "../../error.hpp"
#include "bucket_table.hpp"

namespace neardup::inline v0::detail {

/// A view of the ids of one fingerprint in id_lists. There is at least one id, and ids ascend.
template <class Id>
class id_list {
  using rest_iterator = typename std::set<Id>::const_iterator;

 public:
  id_list(const Id* smallest, const std::set<Id>* rest) noexcept : smallest_(smallest), rest_(rest) {}

  class iterator {
   public:
    iterator() = default;
    iterator(const Id* smallest, rest_iterator rest) noexcept : smallest_(smallest), rest_(rest) {}

    [[nodiscard]] const Id& operator*() const noexcept { return smallest_ != nullptr ? *smallest_ : *rest_; }
    iterator& operator++() noexcept {
      if (std::exchange(smallest_, nullptr) == nullptr) ++rest_;
      return *this;
    }
    friend bool operator==(const iterator&, const iterator&) noexcept = default;

   private:
    const Id* smallest_ = nullptr;  // the smallest id; null after the first increment
    rest_iterator rest_{};
  };

  [[nodiscard]] iterator begin() const noexcept {
    return {smallest_, rest_ != nullptr ? rest_->begin() : rest_iterator{}};
  }
  [[nodiscard]] iterator end() const noexcept { return {nullptr, rest_ != nullptr ? rest_->end() : rest_iterator{}}; }
  [[nodiscard]] const Id& front() const noexcept { return *smallest_; }
  [[nodiscard]] std::size_t size() const noexcept { return 1 + (rest_ != nullptr ? rest_->size() : 0); }
  [[nodiscard]] bool contains(const Id& id) const {
    return id == *smallest_ || (rest_ != nullptr && rest_->contains(id));
  }

 private:
  const Id* smallest_;
  const std::set<Id>* rest_;  // the other ids; null if there are none
};

/// A non-empty set of ids for each slot. smallest_[slot] is the smallest id. If has_more_[slot] is true, the map more_
/// has the other ids. Most slots have one id, which takes its own size and one bit.
/// Complexity: O(log n) for a slot with n ids. So a million copies of one document are cheap.
template <class Id>
class id_lists {
 public:
  [[nodiscard]] id_list<Id> operator[](std::size_t slot) const noexcept {
    return {first_id(slot), has_more_[slot] ? &more_.find(slot)->second : nullptr};
  }
  [[nodiscard]] const Id* first_id(std::size_t slot) const noexcept { return smallest_.data() + slot; }

  /// Adds an id to a slot.
  /// Returns: false if the slot has the id already.
  /// Guarantee: strong.
  bool insert(std::size_t slot, const Id& id) {
    Id& smallest = smallest_[slot];
    if (id == smallest) return false;
    const bool is_less = id < smallest;
    if (!has_more_[slot]) {
      more_.emplace(slot, std::set<Id>{is_less ? smallest : id});
      has_more_[slot] = true;
    } else {
      std::set<Id>& rest = more_.find(slot)->second;
      const std::size_t before = rest.size();
      // Ids mostly come in ascending order. If the set gets the likely position of an id as a hint, the insertion of
      // the id is O(1).
      rest.insert(is_less ? rest.begin() : rest.end(), is_less ? smallest : id);
      if (rest.size() == before) return false;
    }
    if (is_less) smallest = id;
    return true;
  }

  /// Removes an id from a slot.
  /// Precondition: the slot has this id, and at least one other id.
  void erase(std::size_t slot, const Id& id) noexcept {
    const auto found = more_.find(slot);
    std::set<Id>& rest = found->second;
    if (id == smallest_[slot]) {
      smallest_[slot] = *rest.begin();
      rest.erase(rest.begin());
    } else {
      rest.erase(id);
    }
    if (!rest.empty()) return;
    more_.erase(found);
    has_more_[slot] = false;
  }

  /// Reserves memory for `count` slots in total.
  /// Guarantee: strong.
  void reserve(std::size_t count) {
    smallest_.reserve(count);
    has_more_.reserve(count);
  }

  /// Adds a slot that has one id.
  /// Precondition: reserve() has reserved memory for the slot.
  void push_back(const Id& id) noexcept {
    smallest_.push_back(id);
    has_more_.push_back(false);
  }

  /// Removes a slot. The last slot gets the number of the removed slot.
  void remove_slot(std::size_t slot) noexcept {
    const std::size_t last = smallest_.size() - 1;
    if (has_more_[slot]) more_.erase(slot);
    if (slot != last) {
      smallest_[slot] = smallest_[last];
      has_more_[slot] = has_more_[last];
      if (has_more_[last]) {
        auto node = more_.extract(last);
        node.key() = slot;
        more_.insert(std::move(node));
      }
    }
    smallest_.pop_back();
    has_more_.pop_back();
  }

  void clear() noexcept {
    smallest_.clear();
    has_more_.clear();
    more_.clear();
  }

  /// Returns the number of allocated bytes. The number is estimated if some slots have several ids.
  [[nodiscard]] std::size_t memory_usage() const noexcept {
    std::size_t sum =
        smallest_.capacity() * sizeof(Id) + has_more_.capacity() / 8 + more_.bucket_count() * sizeof(void*);
    // The estimated size of a node is the size of its value and of the pointers that every implementation of these
    // containers has.
    for (const auto& [slot, rest] : more_) {
      sum += sizeof(std::set<Id>) + 3 * sizeof(void*) + rest.size() * (sizeof(Id) + 4 * sizeof(void*));
    }
    return sum;
  }

 private:
  std::vector<Id> smallest_;
  std::vector<bool> has_more_;
  std::unordered_map<std::size_t, std::set<Id>> more_;  // all ids of a slot but the smallest
};

/// The distinct fingerprints of an index, in the slots 0..slots() - 1. A slot has one fingerprint, and the set of its
/// ids. A hash table finds the slot of a fingerprint. If a slot is removed, the last slot gets the number of the
/// removed slot. All other slots keep their numbers.
template <std::size_t Words, class Id, class Offset>
class fingerprint_store {
 public:
  using words_type = std::array<std::uint64_t, Words>;

  /// The result of find() for a fingerprint that is not stored. No slot has this number.
  static constexpr Offset none = (std::numeric_limits<Offset>::max)();
  /// The greatest possible number of distinct fingerprints.
  static constexpr std::size_t max_slots = static_cast<std::size_t>(
      (std::min)(std::uint64_t{none}, std::uint64_t{(std::numeric_limits<std::size_t>::max)()}));

  fingerprint_store() = default;
  fingerprint_store(const fingerprint_store&) = default;
  fingerprint_store(fingerprint_store&& other) noexcept { swap(other); }
  fingerprint_store& operator=(const fingerprint_store& other) { return *this = fingerprint_store(other); }
  fingerprint_store& operator=(fingerprint_store&& other) noexcept {
    fingerprint_store taken(std::move(other));
    swap(taken);
    return *this;
  }
  ~fingerprint_store() = default;

  void swap(fingerprint_store& other) noexcept {
    fingerprints_.swap(other.fingerprints_);
    std::swap(ids_, other.ids_);
    std::swap(finder_, other.finder_);
    std::swap(pairs_, other.pairs_);
  }

  [[nodiscard]] std::size_t slots() const noexcept { return fingerprints_.size(); }
  [[nodiscard]] std::size_t pairs() const noexcept { return pairs_; }
  [[nodiscard]] std::span<const words_type> fingerprints() const noexcept { return fingerprints_; }
  [[nodiscard]] const words_type& fingerprint(std::size_t slot) const noexcept { return fingerprints_[slot]; }
  [[nodiscard]] id_list<Id> ids(std::size_t slot) const noexcept { return ids_[slot]; }
  [[nodiscard]] bool has_id(std::size_t slot, const Id& id) const { return ids_[slot].contains(id); }

  /// Returns the address of the first id of a slot, so that the caller can prefetch the id.
  [[nodiscard]] const Id* first_id(std::size_t slot) const noexcept { return ids_.first_id(slot); }

  /// Returns the slot of a fingerprint, or `none`.
  [[nodiscard]] Offset find(const words_type& fingerprint) const noexcept {
    const std::uint64_t hash = mix_words(fingerprint);
    const bucket_view<Offset> bucket = finder_.view(hash);
    const auto* const tags = static_cast<const std::uint32_t*>(bucket.filters);
    // Compares eight tags at a time, so that compilers vectorise the loop. The memory of a bucket has
    // room for a multiple of eight tags, so the loop reads no byte after that memory.
    for (std::size_t first = 0; first < bucket.count; first += 8) {
      unsigned same = 0;
      for (std::size_t i = 0; i < 8; ++i) same |= (tags[first + i] == tag_of(hash) ? 1U : 0U) << i;
      for (; same != 0; same &= same - 1) {
        const std::size_t i = first + static_cast<std::size_t>(std::countr_zero(same));
        if (i < bucket.count && are_equal(fingerprints_[bucket.slots[i]], fingerprint)) return bucket.slots[i];
      }
    }
    return none;
  }

  /// Stores a pair. If the fingerprint is new, `add(slot)` is called before anything is changed. `add` may throw.
  /// Returns: false if the pair is stored already.
  /// Throws: std::length_error if max_slots are in use.
  /// Guarantee: strong.
  template <class Add>
  bool insert(const words_type& fingerprint, const Id& id, const Add& add) {
    if (const Offset slot = find(fingerprint); slot != none) {
      const bool added = ids_.insert(slot, id);
      pairs_ += added ? 1 : 0;
      return added;
    }
    if (slots() >= max_slots) refuse(slots() + 1);
    if (slots() == fingerprints_.capacity()) fingerprints_.reserve((std::max)(std::size_t{8}, 2 * slots()));
    ids_.reserve(fingerprints_.capacity());
    const std::uint64_t hash = mix_words(fingerprint);
    finder_.prepare(hash, hash_of_slot{fingerprints_});
    add(slots());
    // None of the following statements can throw.
    finder_.push(hash, tag_of(hash), slots());
    fingerprints_.push_back(fingerprint);
    ids_.push_back(id);
    ++pairs_;
    return true;
  }

  /// Removes a pair. If the fingerprint has no other id, `remove(slot)` is called first. Afterwards the last slot gets
  /// the number of the removed slot.
  /// Returns: false if the pair was not stored.
  template <class Remove>
  bool erase(const words_type& fingerprint, const Id& id, const Remove& remove) noexcept {
    const Offset slot = find(fingerprint);
    if (slot == none || !ids_[slot].contains(id)) return false;
    if (ids_[slot].size() > 1) {
      ids_.erase(slot, id);
      --pairs_;
    } else {
      remove(std::size_t{slot});
      remove_slot(slot);
    }
    return true;
  }

  /// Removes a fingerprint with all its ids. `remove(slot)` is called first. Afterwards the last slot gets the number
  /// of the removed slot.
  /// Returns: the number of ids that the fingerprint had, or 0 if the fingerprint was not stored.
  template <class Remove>
  std::size_t erase(const words_type& fingerprint, const Remove& remove) noexcept {
    const Offset slot = find(fingerprint);
    if (slot == none) return 0;
    const std::size_t count = ids_[slot].size();
    remove(std::size_t{slot});
    remove_slot(slot);
    return count;
  }

  /// Reserves memory for `count` fingerprints in total.
  /// Throws: std::length_error if count > max_slots.
  /// Guarantee: strong.
  void reserve(std::size_t count) {
    if (count > max_slots) refuse(count);
    fingerprints_.reserve(count);
    ids_.reserve(count);
    finder_.reserve(count, hash_of_slot{fingerprints_});
  }

  void clear() noexcept {
    fingerprints_.clear();
    ids_.clear();
    finder_.clear();
    pairs_ = 0;
  }

  [[nodiscard]] std::size_t memory_usage() const noexcept {
    return fingerprints_.capacity() * sizeof(words_type) + ids_.memory_usage() + finder_.memory_usage();
  }

 private:
  // Removes a slot with all its ids. The last slot gets the number of the removed slot.
  void remove_slot(std::size_t slot) noexcept {
    const std::size_t last = slots() - 1;
    pairs_ -= ids_[slot].size();
    finder_.erase(mix_words(fingerprints_[slot]), slot);
    if (slot != last) {
      finder_.renumber(mix_words(fingerprints_[last]), last, slot);
      fingerprints_[slot] = fingerprints_[last];
    }
    fingerprints_.pop_back();
    ids_.remove_slot(slot);
  }

  // A function object that returns the hash of the fingerprint in a slot. prefetch() prefetches the fingerprint.
  struct hash_of_slot {
    const std::vector<words_type>& fingerprints;

    std::uint64_t operator()(std::size_t slot) const noexcept { return mix_words(fingerprints[slot]); }
    void prefetch(std::size_t slot) const noexcept { detail::prefetch(&fingerprints[slot]); }
  };
  // Returns the tag of a fingerprint, which is the low bits of its hash. The highest bits of the hash determine the
  // bucket. Tags are compared first, so that few other fingerprints of a bucket have to be read.
  static std::uint32_t tag_of(std::uint64_t hash) noexcept { return static_cast<std::uint32_t>(hash); }

  [[noreturn]] static void refuse(std::size_t count) {
    fail<std::length_error>({"no room for ", count, " distinct fingerprints: the index holds at most ", max_slots,
                             "; give it a wider Offset"});
  }

  std::vector<words_type> fingerprints_;
  id_lists<Id> ids_;
  bucket_table<Offset> finder_{word_bits, false};  // maps the hash of a fingerprint to its slot
  std::size_t pairs_ = 0;
};

}  // namespace neardup::inline v0::detail
