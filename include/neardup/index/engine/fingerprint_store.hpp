// The content of an index: each distinct fingerprint once, with its ids.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../../detail/bits.hpp"
#include "../../error.hpp"
#include "slot_finder.hpp"

namespace neardup::inline v0::detail {

/// Makes room for one more element, growing geometrically.
template <class T>
void reserve_one_more(std::vector<T>& values) {
  if (values.size() == values.capacity()) values.reserve((std::max)(std::size_t{8}, 2 * values.size()));
}

/// The ids of one fingerprint, at least one, in ascending order: a view into id_lists.
template <class Id>
class id_list {
 public:
  id_list(const Id& smallest, const std::set<Id>* rest) noexcept : smallest_(smallest), rest_(rest) {}

  [[nodiscard]] const Id& smallest() const noexcept { return smallest_; }
  [[nodiscard]] std::size_t size() const noexcept { return 1 + (rest_ != nullptr ? rest_->size() : 0); }
  [[nodiscard]] bool contains(const Id& id) const {
    return id == smallest_ || (rest_ != nullptr && rest_->contains(id));
  }

  /// Walks the ids; a position past the end is told by done().
  class cursor {
   public:
    cursor() = default;
    explicit cursor(const id_list& ids) noexcept : smallest_(ids.smallest_), rest_(ids.rest_), done_(false) {
      if (rest_ != nullptr) next_ = rest_->begin();
    }
    [[nodiscard]] const Id& operator*() const noexcept { return on_rest_ ? *next_ : smallest_; }
    [[nodiscard]] bool done() const noexcept { return done_; }
    cursor& operator++() noexcept {
      if (on_rest_) ++next_;
      on_rest_ = true;
      done_ = rest_ == nullptr || next_ == rest_->end();
      return *this;
    }
    friend bool operator==(const cursor& a, const cursor& b) noexcept = default;

   private:
    Id smallest_{};
    const std::set<Id>* rest_ = nullptr;
    typename std::set<Id>::const_iterator next_{};
    bool on_rest_ = false;
    bool done_ = true;
  };

  friend bool operator==(const id_list& a, const id_list& b) {
    return a.size() == b.size() && a.smallest_ == b.smallest_ && (a.size() == 1 || *a.rest_ == *b.rest_);
  }

 private:
  Id smallest_;
  const std::set<Id>* rest_;  // All others; null when there are none.
};

/// For each slot a non-empty set of ids. One id, which is the common case, costs no more than itself and a bit.
/// Complexity: O(log n) for n ids of one slot, so a million copies of one document stay cheap.
template <class Id>
class id_lists {
 public:
  [[nodiscard]] id_list<Id> operator[](std::size_t slot) const noexcept {
    return {smallest_[slot], has_more_[slot] ? &more_.find(slot)->second : nullptr};
  }
  [[nodiscard]] const Id* first_id(std::size_t slot) const noexcept { return smallest_.data() + slot; }

  /// Adds an id to a slot. Returns: whether it is new there. Guarantee: strong.
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
      // Ids mostly come in ascending order; the hint makes that O(1).
      rest.insert(is_less ? rest.begin() : rest.end(), is_less ? smallest : id);
      if (rest.size() == before) return false;
    }
    if (is_less) smallest = id;
    return true;
  }

  /// Takes an id from a slot. Precondition: it is one of several there.
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

  /// Makes room for `count` slots in all. Guarantee: strong.
  void reserve(std::size_t count) {
    smallest_.reserve(count);
    has_more_.reserve(count);
  }

  /// Adds a slot with one id. Precondition: reserve() made room.
  void push_back(const Id& id) noexcept {
    smallest_.push_back(id);
    has_more_.push_back(false);
  }

  /// Removes a slot; the last slot takes its number.
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

  /// Bytes allocated; about what they are for slots with several ids.
  [[nodiscard]] std::size_t memory_usage() const noexcept {
    std::size_t sum =
        smallest_.capacity() * sizeof(Id) + has_more_.capacity() / 8 + more_.bucket_count() * sizeof(void*);
    // Nodes of a hash table and of a tree, by the words that every library has in them.
    for (const auto& [slot, rest] : more_) {
      sum += sizeof(std::set<Id>) + 3 * sizeof(void*) + rest.size() * (sizeof(Id) + 4 * sizeof(void*));
    }
    return sum;
  }

 private:
  std::vector<Id> smallest_;
  std::vector<bool> has_more_;
  std::unordered_map<std::size_t, std::set<Id>> more_;  // All but the smallest, of the slots that have others.
};

/// Distinct fingerprints in dense slots 0..slots() - 1, found by value, each with the set of its ids.
/// A slot keeps its number until it, or one in its stead, is removed: the last one fills the gap.
template <std::size_t Words, class Id, class Offset>
class fingerprint_store {
 public:
  using words_type = std::array<std::uint64_t, Words>;
  using id_list_type = id_list<Id>;

  static constexpr Offset none = slot_finder<Offset>::none;
  /// The most distinct fingerprints; the number after the last slot means "none".
  static constexpr std::size_t max_slots = static_cast<std::size_t>(
      (std::min)(std::uint64_t{none}, std::uint64_t{(std::numeric_limits<std::size_t>::max)()}));

  [[nodiscard]] std::size_t slots() const noexcept { return fingerprints_.size(); }
  [[nodiscard]] std::size_t pairs() const noexcept { return pairs_; }
  [[nodiscard]] std::span<const words_type> fingerprints() const noexcept { return fingerprints_; }
  [[nodiscard]] const words_type& fingerprint(std::size_t slot) const noexcept { return fingerprints_[slot]; }
  [[nodiscard]] id_list<Id> ids(std::size_t slot) const noexcept { return ids_[slot]; }

  /// Where the ids of a slot begin, to load it ahead.
  [[nodiscard]] const Id* first_id(std::size_t slot) const noexcept { return ids_.first_id(slot); }

  /// The slot of a fingerprint, or `none`.
  [[nodiscard]] Offset find(const words_type& fingerprint) const noexcept {
    return finder_.find(hash_words(fingerprint), [&](Offset slot) { return fingerprints_[slot] == fingerprint; });
  }

  /// Adds an id to a slot. Returns: whether it is new there. Guarantee: strong.
  bool add_id(std::size_t slot, const Id& id) {
    const bool added = ids_.insert(slot, id);
    pairs_ += added ? 1 : 0;
    return added;
  }

  /// Makes room so that append() cannot fail for this fingerprint.
  /// Throws: std::length_error if max_slots are in use. Guarantee: strong.
  void prepare_append(const words_type& fingerprint) {
    if (slots() >= max_slots) refuse(slots() + 1);
    reserve_one_more(fingerprints_);
    ids_.reserve(fingerprints_.capacity());
    finder_.prepare(hash_words(fingerprint), hash_of_slot());
  }

  /// Gives a new fingerprint the slot after the last. Precondition: prepare_append() for it, and it is not there.
  void append(const words_type& fingerprint, const Id& id) noexcept {
    finder_.insert(hash_words(fingerprint), static_cast<Offset>(slots()));
    fingerprints_.push_back(fingerprint);
    ids_.push_back(id);
    ++pairs_;
  }

  /// Takes an id from a slot that has others. Precondition: it is one of several there.
  void remove_id(std::size_t slot, const Id& id) noexcept {
    ids_.erase(slot, id);
    --pairs_;
  }

  /// Removes a slot with all its ids; the last slot takes its number.
  void remove_slot(std::size_t slot) noexcept {
    const std::size_t last = slots() - 1;
    pairs_ -= ids_[slot].size();
    finder_.erase(hash_words(fingerprints_[slot]), static_cast<Offset>(slot));
    if (slot != last) {
      finder_.renumber(hash_words(fingerprints_[last]), static_cast<Offset>(last), static_cast<Offset>(slot));
      fingerprints_[slot] = fingerprints_[last];
    }
    fingerprints_.pop_back();
    ids_.remove_slot(slot);
  }

  /// Makes room for `count` fingerprints in all.
  /// Throws: std::length_error if that is more than max_slots. Guarantee: strong.
  void reserve(std::size_t count) {
    if (count > max_slots) refuse(count);
    fingerprints_.reserve(count);
    ids_.reserve(count);
    finder_.reserve(count, hash_of_slot());
  }

  void clear() noexcept {
    fingerprints_.clear();
    ids_.clear();
    finder_.clear();
    pairs_ = 0;
  }

  /// Bytes allocated.
  [[nodiscard]] std::size_t memory_usage() const noexcept {
    return fingerprints_.capacity() * sizeof(words_type) + ids_.memory_usage() + finder_.memory_usage();
  }

 private:
  [[nodiscard]] auto hash_of_slot() const noexcept {
    return [this](Offset slot) { return hash_words(fingerprints_[slot]); };
  }

  [[noreturn]] static void refuse(std::size_t count) {
    fail<std::length_error>("no room for " + std::to_string(count) +
                            " distinct fingerprints: the index holds at most " + std::to_string(max_slots) +
                            "; give it a wider Offset");
  }

  std::vector<words_type> fingerprints_;
  id_lists<Id> ids_;
  slot_finder<Offset> finder_;
  std::size_t pairs_ = 0;
};

}  // namespace neardup::inline v0::detail
