// From the hash of a fingerprint to the slot that holds it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace neardup::inline v0::detail {

/// An open-addressing hash table of slot numbers; the fingerprints themselves stay with the owner.
/// `hash_of(slot)` below gives the hash of the fingerprint in a slot.
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

  /// Makes room for `count` slots in all; `used` are there now.
  /// Guarantee: strong.
  template <class HashOf>
  void reserve(std::size_t count, std::size_t used, const HashOf& hash_of) {
    if (count <= cells_.size() / 4 * 3) return;
    std::size_t size = cells_.empty() ? 8 : cells_.size();
    while (size / 4 * 3 < count) size *= 2;
    slot_finder larger;
    larger.cells_.resize(size);
    for (std::size_t slot = 0; slot < used; ++slot) {
      larger.insert(hash_of(static_cast<Offset>(slot)), static_cast<Offset>(slot));
    }
    cells_.swap(larger.cells_);
  }

  /// Precondition: reserve() made room, and the slot is not there.
  void insert(std::size_t hash, Offset slot) noexcept {
    std::size_t i = home(hash);
    while (cells_[i].slot != none) i = next(i);
    cells_[i] = {slot, tag_of(hash)};
  }

  /// Precondition: `slot` is there under this hash.
  void renumber(std::size_t hash, Offset slot, Offset new_number) noexcept {
    cells_[position(hash, slot)].slot = new_number;
  }

  /// Precondition: `slot` is there under this hash.
  template <class HashOf>
  void erase(std::size_t hash, Offset slot, const HashOf& hash_of) noexcept {
    std::size_t gap = position(hash, slot);
    // Those behind move up, so that searches need no tombstones: one that sits at or past its home and whose home is
    // not between the gap and itself may take the gap.
    for (std::size_t i = next(gap); cells_[i].slot != none; i = next(i)) {
      const std::size_t from_home = (i - home(hash_of(cells_[i].slot))) & (cells_.size() - 1);
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

  static std::uint32_t tag_of(std::size_t hash) noexcept {
    return static_cast<std::uint32_t>(hash >> (std::numeric_limits<std::size_t>::digits - 32));
  }
  std::size_t home(std::size_t hash) const noexcept { return hash & (cells_.size() - 1); }
  std::size_t next(std::size_t i) const noexcept { return (i + 1) & (cells_.size() - 1); }
  std::size_t position(std::size_t hash, Offset slot) const noexcept {
    std::size_t i = home(hash);
    while (cells_[i].slot != slot) i = next(i);
    return i;
  }

  std::vector<cell> cells_;  // A power of two of them, at most three quarters in use.
};

}  // namespace neardup::inline v0::detail
