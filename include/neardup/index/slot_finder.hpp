// From the hash of a fingerprint to the slot that holds it.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "../detail/prefetch.hpp"

namespace neardup::inline v0::detail {

/// An open-addressing hash table of slot numbers; the fingerprints themselves stay with the owner.
/// Complexity: O(1) expected for every operation but reserve.
template <class Offset>
class slot_finder {
 public:
  /// Marks a free cell, and tells that nothing was found; never the number of a slot.
  static constexpr Offset none = (std::numeric_limits<Offset>::max)();

  /// The slot with this hash for which `is_it(slot)`, or `none`.
  template <class IsIt>
  [[nodiscard]] Offset find(std::size_t hash, const IsIt& is_it) const {
    if (cells_.empty()) return none;
    for (std::size_t i = home(hash); cells_[i].slot != none; i = next(i)) {
      if (cells_[i].tag == tag_of(hash) && is_it(cells_[i].slot)) return cells_[i].slot;
    }
    return none;
  }

  /// Starts to load where find() begins.
  void prefetch(std::size_t hash) const noexcept {
    if (!cells_.empty()) detail::prefetch(&cells_[home(hash)]);
  }

  [[nodiscard]] std::size_t memory_usage() const noexcept { return cells_.capacity() * sizeof(cell); }

  /// Makes room for `count` slots in all. Guarantee: strong.
  void reserve(std::size_t count) {
    if (count <= cells_.size() / 4 * 3) return;
    std::size_t size = cells_.empty() ? 8 : cells_.size();
    while (size / 4 * 3 < count) size *= 2;
    slot_finder larger;
    larger.cells_.resize(size);
    larger.log_size_ = std::countr_zero(size);
    // Homes ascend with the hashes, so this goes through both in order.
    for (const cell& c : cells_) {
      if (c.slot != none) larger.insert_cell(c);
    }
    std::swap(*this, larger);
  }

  /// Precondition: reserve() made room, and the slot is not there.
  void insert(std::size_t hash, Offset slot) noexcept { insert_cell({slot, tag_of(hash)}); }

  /// Precondition: `slot` is there under this hash.
  void renumber(std::size_t hash, Offset slot, Offset new_number) noexcept {
    cells_[position(hash, slot)].slot = new_number;
  }

  /// Precondition: `slot` is there under this hash.
  void erase(std::size_t hash, Offset slot) noexcept {
    std::size_t gap = position(hash, slot);
    // Those behind move up, so that searches need no tombstones: one that sits at or past its home and whose home is
    // not between the gap and itself may take the gap.
    for (std::size_t i = next(gap); cells_[i].slot != none; i = next(i)) {
      const std::size_t from_home = (i - home_of(cells_[i].tag)) & (cells_.size() - 1);
      if (from_home >= ((i - gap) & (cells_.size() - 1))) {
        cells_[gap] = cells_[i];
        gap = i;
      }
    }
    cells_[gap] = {};
  }

  /// Forgets all slots and keeps the memory.
  void clear() noexcept {
    for (cell& c : cells_) c = {};
  }

 private:
  // The tag decides nearly all comparisons without touching the memory of the fingerprints.
  struct cell {
    Offset slot = none;
    std::uint32_t tag = 0;
  };

  // The highest bits of a hash.
  static std::uint32_t tag_of(std::size_t hash) noexcept {
    return static_cast<std::uint32_t>(hash >> (std::numeric_limits<std::size_t>::digits - 32));
  }
  // Tags in proportion to cells. (Beyond 2^32 cells every second one or fewer are homes, which costs a step.)
  std::size_t home_of(std::uint32_t tag) const noexcept {
    return static_cast<std::size_t>((std::uint64_t{tag} << 32) >> (64 - log_size_));
  }
  std::size_t home(std::size_t hash) const noexcept { return home_of(tag_of(hash)); }
  void insert_cell(const cell& c) noexcept {
    std::size_t i = home_of(c.tag);
    while (cells_[i].slot != none) i = next(i);
    cells_[i] = c;
  }
  std::size_t next(std::size_t i) const noexcept { return (i + 1) & (cells_.size() - 1); }
  std::size_t position(std::size_t hash, Offset slot) const noexcept {
    std::size_t i = home(hash);
    while (cells_[i].slot != slot) i = next(i);
    return i;
  }

  int log_size_ = 0;
  std::vector<cell> cells_;  // A power of two of them, at most three quarters in use.
};

}  // namespace neardup::inline v0::detail
