// The ids that fingerprints stand under.
#pragma once

#include <cstddef>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace neardup::inline v0::detail {

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
  [[nodiscard]] const Id* address(std::size_t slot) const noexcept { return smallest_.data() + slot; }

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

}  // namespace neardup::inline v0::detail
