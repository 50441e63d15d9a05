// From the hash of a fingerprint to the slot that holds it.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace neardup::inline v0::detail {

/// A part of a slot_finder: an open-addressing hash table that grows by itself.
///
/// Cells come in groups of a cache line, each looked at as a whole: what a search does next depends on whether it found
/// something, and not on how far it had to go, so that a processor can go on with other work while the line is loaded.
/// Complexity: O(1) expected for every operation but reserve.
///
/// A table of its own, and not the one that counts tokens (fingerprint/kernels/distinct_hashes.hpp): that one is filled
/// for one text, keeps whole hashes, and never erases. This one keeps no key, only a tag and where the key is; it erases
/// without leaving tombstones; and what may throw, prepare(), is apart from what must not, insert().
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

}  // namespace neardup::inline v0::detail
