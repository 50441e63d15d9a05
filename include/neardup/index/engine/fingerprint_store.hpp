// The content of an index: each distinct fingerprint once, with its ids.
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
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../../detail/bits.hpp"
#include "../../error.hpp"

namespace neardup::inline v0::detail {

/// The ids of one fingerprint, at least one, in ascending order: a view into id_lists.
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
    const Id* smallest_ = nullptr;  // null behind it
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
  const std::set<Id>* rest_;  // All others; null when there are none.
};

/// For each slot a non-empty set of ids. One id, which is the common case, costs no more than itself and a bit: the
/// smallest is in smallest_[slot], the bit has_more_[slot] tells whether the map more_ has a set of the others.
/// Complexity: O(log n) for n ids of one slot, so a million copies of one document stay cheap.
template <class Id>
class id_lists {
 public:
  [[nodiscard]] id_list<Id> operator[](std::size_t slot) const noexcept {
    return {first_id(slot), has_more_[slot] ? &more_.find(slot)->second : nullptr};
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

/// A part of a slot_finder: an open-addressing hash table that grows by itself.
///
/// Cells come in groups of a cache line, each looked at as a whole: what a search does next depends on whether it found
/// something, and not on how far it had to go, so that a processor can go on with other work while the line is loaded.
/// Complexity: O(1) expected for every operation but reserve.
template <class Offset>
class slot_segment {
 public:
  static constexpr Offset none = (std::numeric_limits<Offset>::max)();

  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// The slot with this hash for which `is_it(slot)`, or `none`.
  template <class IsIt>
  [[nodiscard]] Offset find(std::size_t hash, const IsIt& is_it) const {
    if (groups_.empty()) return none;
    const std::uint32_t tag = tag_of(hash);
    for (std::size_t g = home_of(tag);; g = next(g)) {
      for (unsigned same = groups_[g].where(tag); same != 0; same &= same - 1) {
        const Offset slot = groups_[g].slots[static_cast<std::size_t>(std::countr_zero(same))];
        if (is_it(slot)) return slot;
      }
      if (groups_[g].where(no_tag) != 0) return none;
    }
  }

  /// Visits the slots.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (const group& g : groups_) {
      for (std::size_t i = 0; i < group_size; ++i) {
        if (g.tags[i] != no_tag) visit(g.slots[i]);
      }
    }
  }

  [[nodiscard]] std::size_t memory_usage() const noexcept { return groups_.capacity() * sizeof(group); }

  /// Makes room for `count` slots in all. Guarantee: strong.
  void reserve(std::size_t count) {
    if (count <= groups_.size() * group_size / 4 * 3) return;
    std::size_t size = groups_.empty() ? 1 : groups_.size();
    while (size * group_size / 4 * 3 < count) size *= 2;
    slot_segment larger;
    larger.groups_.resize(size);
    larger.log_size_ = static_cast<int>(std::countr_zero(size));
    // Homes ascend with the tags, so this goes through both in order.
    for (const group& from : groups_) {
      for (std::size_t i = 0; i < group_size; ++i) {
        if (from.tags[i] != no_tag) larger.insert_tag(from.tags[i], from.slots[i]);
      }
    }
    groups_.swap(larger.groups_);
    std::swap(log_size_, larger.log_size_);
  }

  /// Precondition: reserve() made room, and the slot is not there.
  void insert(std::size_t hash, Offset slot) noexcept {
    insert_tag(tag_of(hash), slot);
    ++size_;
  }

  /// Precondition: `slot` is there under this hash.
  void renumber(std::size_t hash, Offset slot, Offset new_number) noexcept {
    const auto [g, i] = position(hash, slot);
    groups_[g].slots[i] = new_number;
  }

  /// Precondition: `slot` is there under this hash.
  void erase(std::size_t hash, Offset slot) noexcept {
    auto [gap, i] = position(hash, slot);
    --size_;
    // A group that was full may have sent cells on: one of those behind that belongs to the gap or before it takes it,
    // and leaves a gap itself, until a group had room. So searches need no tombstones.
    bool was_full = groups_[gap].where(no_tag) == 0;
    groups_[gap].tags[i] = no_tag;
    for (std::size_t g = next(gap); was_full; g = next(g)) {
      const bool is_full = groups_[g].where(no_tag) == 0;
      std::size_t moved = group_size;
      for (std::size_t j = 0; j < group_size; ++j) {
        const std::uint32_t tag = groups_[g].tags[j];
        if (tag != no_tag && distance(home_of(tag), g) >= distance(gap, g)) moved = j;
      }
      if (moved < group_size) {
        groups_[gap].tags[i] = groups_[g].tags[moved];
        groups_[gap].slots[i] = groups_[g].slots[moved];
        groups_[g].tags[moved] = no_tag;
        gap = g;
        i = moved;
      }
      was_full = is_full;
    }
  }

  /// Forgets all slots and keeps the memory.
  void clear() noexcept {
    for (group& g : groups_) g.tags.fill(no_tag);
    size_ = 0;
  }

 private:
  static constexpr std::size_t group_size = 8;
  static constexpr std::uint32_t no_tag = 0;  // of a free cell

  // The tag decides nearly all comparisons without touching the memory of the fingerprints.
  //
  //   bytes  0..31  tags: of eight cells, 32 bits each; 0 if the cell is free
  //   bytes 32..63  slots: of the same cells, with an Offset of 32 bits; otherwise as many bytes as eight of these have
  struct alignas(8 * (4 + sizeof(Offset)) == 64 ? 64 : 16) group {
    std::array<std::uint32_t, group_size> tags{};
    std::array<Offset, group_size> slots;

    // A bit for each cell with this tag.
    [[nodiscard]] unsigned where(std::uint32_t tag) const noexcept {
      unsigned result = 0;
      for (std::size_t i = 0; i < group_size; ++i) result |= (tags[i] == tag ? 1U : 0U) << i;
      return result;
    }
  };

  // The highest bits of a hash, but never no_tag.
  static std::uint32_t tag_of(std::size_t hash) noexcept {
    const auto tag = static_cast<std::uint32_t>(hash >> (std::numeric_limits<std::size_t>::digits - 32));
    return tag == no_tag ? 1 : tag;
  }
  // Tags in proportion to groups. (Beyond 2^32 groups some are no one's home, which costs steps.)
  std::size_t home_of(std::uint32_t tag) const noexcept {
    return log_size_ == 0 ? 0 : static_cast<std::size_t>((std::uint64_t{tag} << 32) >> (64 - log_size_));
  }
  std::size_t next(std::size_t g) const noexcept { return (g + 1) & (groups_.size() - 1); }
  std::size_t distance(std::size_t from, std::size_t to) const noexcept { return (to - from) & (groups_.size() - 1); }

  void insert_tag(std::uint32_t tag, Offset slot) noexcept {
    std::size_t g = home_of(tag);
    while (groups_[g].where(no_tag) == 0) g = next(g);
    const auto i = static_cast<std::size_t>(std::countr_zero(groups_[g].where(no_tag)));
    groups_[g].tags[i] = tag;
    groups_[g].slots[i] = slot;
  }

  std::pair<std::size_t, std::size_t> position(std::size_t hash, Offset slot) const noexcept {
    const std::uint32_t tag = tag_of(hash);
    for (std::size_t g = home_of(tag);; g = next(g)) {
      for (unsigned same = groups_[g].where(tag); same != 0; same &= same - 1) {
        const auto i = static_cast<std::size_t>(std::countr_zero(same));
        if (groups_[g].slots[i] == slot) return {g, i};
      }
    }
  }

  std::vector<group> groups_;  // A power of two of them; three quarters of their cells in use at most.
  int log_size_ = 0;
  std::size_t size_ = 0;
};

/// From the hash of a fingerprint to the slot that holds it: slot numbers only, the fingerprints stay with the owner.
///
/// Segments by the highest bits of the hash grow each on its own, so that no insertion waits for more than a share of
/// the whole to be arranged anew.
/// Complexity: O(1) expected for every operation but reserve.
///
/// A table of its own, and not the one that counts tokens (fingerprint/kernels/distinct_hashes.hpp): that one is filled
/// for one text, keeps whole hashes, and never erases. This one keeps no key, only a tag and where the key is; it erases
/// without leaving tombstones; and what may throw, prepare(), is apart from what must not, insert().
template <class Offset>
class slot_finder {
 public:
  /// Tells that nothing was found; never the number of a slot.
  static constexpr Offset none = slot_segment<Offset>::none;

  /// The slot with this hash for which `is_it(slot)`, or `none`.
  template <class IsIt>
  [[nodiscard]] Offset find(std::size_t hash, const IsIt& is_it) const {
    return segments_.empty() ? none : segments_[index_of(hash)].find(hash << log_segments_, is_it);
  }

  /// Makes room so that insert() cannot fail for this hash; `hash_of(slot)` is the hash of what is stored.
  /// Guarantee: strong; only the arrangement may change.
  template <class HashOf>
  void prepare(std::size_t hash, const HashOf& hash_of) {
    if (segments_.empty()) segments_.resize(1);
    if (log_segments_ == 0 && segments_[0].size() >= split_size) split(hash_of);
    segment& s = segment_of(hash);
    s.reserve(s.size() + 1);
  }

  /// Makes room for `count` slots in all, if their hashes are evenly spread. Guarantee: strong; only the arrangement
  /// may change.
  template <class HashOf>
  void reserve(std::size_t count, const HashOf& hash_of) {
    if (segments_.empty()) segments_.resize(1);
    if (log_segments_ == 0 && count >= split_size) split(hash_of);
    for (segment& s : segments_) s.reserve(count >> log_segments_);
  }

  /// Precondition: prepare() for the same hash, and the slot is not there.
  void insert(std::size_t hash, Offset slot) noexcept { segment_of(hash).insert(hash << log_segments_, slot); }
  /// Precondition: `slot` is there under this hash.
  void renumber(std::size_t hash, Offset slot, Offset new_number) noexcept {
    segment_of(hash).renumber(hash << log_segments_, slot, new_number);
  }
  /// Precondition: `slot` is there under this hash.
  void erase(std::size_t hash, Offset slot) noexcept { segment_of(hash).erase(hash << log_segments_, slot); }

  /// Forgets all slots and keeps the memory.
  void clear() noexcept {
    for (segment& s : segments_) s.clear();
  }

  [[nodiscard]] std::size_t memory_usage() const noexcept {
    std::size_t sum = segments_.capacity() * sizeof(segment);
    for (const segment& s : segments_) sum += s.memory_usage();
    return sum;
  }

 private:
  using segment = slot_segment<Offset>;

  // With fewer slots than this there is one segment, so that a small index is a small thing.
  static constexpr std::size_t split_size = 8192;
  static constexpr std::size_t log_split = 4;

  segment& segment_of(std::size_t hash) noexcept { return segments_[index_of(hash)]; }
  std::size_t index_of(std::size_t hash) const noexcept {
    return log_segments_ == 0 ? 0 : hash >> (std::numeric_limits<std::size_t>::digits - log_segments_);
  }

  template <class HashOf>
  void split(const HashOf& hash_of) {
    slot_finder larger;
    larger.segments_.resize(std::size_t{1} << log_split);
    larger.log_segments_ = log_split;
    segments_[0].for_each([&](Offset slot) {
      const std::size_t hash = hash_of(slot);
      larger.prepare(hash, hash_of);
      larger.insert(hash, slot);
    });
    segments_.swap(larger.segments_);
    log_segments_ = log_split;
  }

  std::vector<segment> segments_;  // None, one, or 2^log_split.
  std::size_t log_segments_ = 0;
};

/// Distinct fingerprints in dense slots 0..slots() - 1, found by value, each with the set of its ids.
/// A slot keeps its number until it, or one in its stead, is removed: the last one fills the gap.
template <std::size_t Words, class Id, class Offset>
class fingerprint_store {
 public:
  using words_type = std::array<std::uint64_t, Words>;

  static constexpr Offset none = slot_finder<Offset>::none;
  /// The most distinct fingerprints; the number after the last slot means "none".
  static constexpr std::size_t max_slots = static_cast<std::size_t>(
      (std::min)(std::uint64_t{none}, std::uint64_t{(std::numeric_limits<std::size_t>::max)()}));

  fingerprint_store() = default;
  fingerprint_store(const fingerprint_store&) = default;
  fingerprint_store(fingerprint_store&& other) noexcept { swap(other); }
  fingerprint_store& operator=(const fingerprint_store& other) {
    fingerprint_store copy(other);
    swap(copy);
    return *this;
  }
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

  /// Where the ids of a slot begin, to load it ahead.
  [[nodiscard]] const Id* first_id(std::size_t slot) const noexcept { return ids_.first_id(slot); }

  /// The slot of a fingerprint, or `none`.
  [[nodiscard]] Offset find(const words_type& fingerprint) const noexcept {
    return finder_.find(hash_words(fingerprint), [&](Offset slot) { return fingerprints_[slot] == fingerprint; });
  }

  /// Stores a pair. Of a new fingerprint `add(slot)` is called before anything changes, and may throw.
  /// Returns: whether the pair is new. Throws: std::length_error if max_slots are in use. Guarantee: strong.
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
    const std::size_t hash = hash_words(fingerprint);
    finder_.prepare(hash, hash_of_slot());
    add(slots());
    // From here on nothing throws.
    finder_.insert(hash, static_cast<Offset>(slots()));
    fingerprints_.push_back(fingerprint);
    ids_.push_back(id);
    ++pairs_;
    return true;
  }

  /// Removes a pair. If the fingerprint goes with it, `remove(slot)` is called first; then the last slot takes its number.
  /// Returns: whether the pair was there.
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

  /// The same for a fingerprint with all its ids. Returns: the number of ids that it had.
  template <class Remove>
  std::size_t erase(const words_type& fingerprint, const Remove& remove) noexcept {
    const Offset slot = find(fingerprint);
    if (slot == none) return 0;
    const std::size_t count = ids_[slot].size();
    remove(std::size_t{slot});
    remove_slot(slot);
    return count;
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
  // Removes a slot with all its ids; the last slot takes its number.
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
