// SPDX-License-Identifier: MIT
// A layout prepared for searches: masks as words, hashes of keys, and the probes for every k.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "../../detail/bits.hpp"
#include "../../detail/compiled.hpp"
#include "../layout.hpp"

namespace neardup::inline v0::detail {

/// The key of a table: some bits of a fingerprint, packed into one word. The mask of the table says which bits.
///
/// If the mask has more than `max_width` bits, the key has only the lowest `max_width` of these bits. No match is lost:
/// two fingerprints that differ in at most r bits of the mask differ in at most r bits of the shorter key.
template <std::size_t Words>
class table_key {
 public:
  using words_type = std::array<std::uint64_t, Words>;

  explicit table_key(const std::vector<std::uint64_t>& mask, std::size_t max_width = word_bits) {
    for (std::size_t i = 0; i < Words; ++i) {
      for (std::uint64_t rest = mask[i]; rest != 0;) {
        const auto begin = static_cast<std::size_t>(std::countr_zero(rest));
        const auto run = static_cast<std::size_t>(std::countr_one(rest >> begin));
        const std::size_t taken = (std::min)(run, max_width - width_);
        if (taken > 0) add({i, begin, low_mask(taken), width_});
        mask_[i] |= low_mask(taken) << begin;
        width_ += taken;
        rest &= ~(low_mask(run) << begin);
      }
    }
    key_mask_ = low_mask(width_);
    fold_shift_ = static_cast<int>((std::min)(width_ / 2 + 1, word_bits - 1));
    top_shift_ = static_cast<int>(word_bits - width_);
  }

  /// Returns the number of bits of a key, at most 64.
  [[nodiscard]] std::size_t width() const noexcept { return width_; }

  /// Returns the key of a fingerprint. The key is in the lowest width() bits of the result.
  [[nodiscard]] std::uint64_t of(const words_type& x) const noexcept {
    std::uint64_t key = first_.of(x) | second_.of(x);
    for (const piece& p : more_) key |= p.of(x);
    return key;
  }

  /// Returns a hash of a key. The highest bits are mixed best. The highest width() bits are a permutation of the keys,
  /// so a directory with one bucket per key has no collisions. The hash multiplies by an odd number modulo 2^width,
  /// shifts high bits down, and multiplies again.
  [[nodiscard]] std::uint64_t hash_of_key(std::uint64_t key) const noexcept {
    const std::uint64_t once = (key * 0xbf58476d1ce4e5b9U) & key_mask_;
    return ((once ^ (once >> fold_shift_)) * 0x94d049bb133111ebU) << top_shift_;
  }
  [[nodiscard]] std::uint64_t hash(const words_type& x) const noexcept { return hash_of_key(of(x)); }

  /// Returns the number of key bits that are set in `difference`, the exclusive or of two fingerprints.
  [[nodiscard]] int distance(const words_type& difference) const noexcept {
    int count = 0;
    for (std::size_t i = 0; i < Words; ++i) count += std::popcount(difference[i] & mask_[i]);
    return count;
  }

  /// Returns true if two fingerprints have the same key. `difference` is the exclusive or of the fingerprints.
  [[nodiscard]] bool is_same(const words_type& difference) const noexcept {
    std::uint64_t differing = 0;
    for (std::size_t i = 0; i < Words; ++i) differing |= difference[i] & mask_[i];
    return differing == 0;
  }

  /// Returns true if the keys of two fingerprints differ in at most `radius` bits. `difference` is the exclusive or of
  /// the two fingerprints.
  [[nodiscard]] bool is_within(const words_type& difference, int radius) const noexcept {
    return radius == 0 ? is_same(difference) : distance(difference) <= radius;
  }

 private:
  // A run of adjacent bits of a key within one word of the fingerprint.
  struct piece {
    std::size_t word = 0, shift = 0;
    std::uint64_t mask = 0;
    std::size_t to = 0;

    [[nodiscard]] std::uint64_t of(const words_type& x) const noexcept {
      return ((x[Words == 1 ? 0 : word] >> shift) & mask) << to;
    }
  };

  void add(const piece& p) {
    if (first_.mask == 0) {
      first_ = p;
    } else if (second_.mask == 0) {
      second_ = p;
    } else {
      more_.push_back(p);
    }
  }

  // Nearly all keys consist of one or two blocks, which need at most two pieces.
  piece first_, second_;
  std::vector<piece> more_;
  words_type mask_{};
  std::size_t width_ = 0;
  std::uint64_t key_mask_ = 0;
  int fold_shift_ = 0, top_shift_ = 0;
};

/// The keys of the tables of a layout, and the plan of a search for each k. Objects are immutable. Indexes with the
/// same layout share an object.
template <std::size_t Words>
class search_plans {
 public:
  using words_type = std::array<std::uint64_t, Words>;

  /// A table to probe, with its key and its radius.
  struct step {
    table_key<Words> key;
    std::size_t table;
    int radius;

    /// Calls `visit(key)` once for each key within the radius of the key of a query, until `visit` returns false.
    /// Returns: false if `visit` returned false.
    template <class Visit>
    bool visit_keys(const words_type& query, const Visit& visit) const {
      return visit_near(key.of(query), 0, radius, visit);
    }
    /// Calls `visit(hash)` with the hash of each key that visit_keys() visits.
    template <class Visit>
    bool visit_hashes(const words_type& query, const Visit& visit) const {
      return visit_keys(query, [&](std::uint64_t found) { return visit(key.hash_of_key(found)); });
    }

    /// Returns true if `hash` is the hash of the key of `fingerprint`, which differs from the query in `difference`. If
    /// false, a probe of `hash` finds the fingerprint only because two keys share a bucket.
    [[nodiscard]] bool is_own_key(const words_type& difference, const words_type& fingerprint,
                                  std::uint64_t hash) const noexcept {
      return radius == 0 ? key.is_same(difference) : key.hash(fingerprint) == hash;
    }

   private:
    // Visits `start`, and all keys that differ from `start` in at most `flips` of the bits numbered `first` and above.
    template <class Visit>
    bool visit_near(std::uint64_t start, std::size_t first, int flips, const Visit& visit) const {
      if (!visit(start)) return false;
      if (flips == 0) return true;
      for (std::size_t bit = first; bit < key.width(); ++bit) {
        const std::uint64_t flipped = start ^ (std::uint64_t{1} << bit);
        // Most keys are visited at the last flip, for which the loop makes no recursive call.
        if (!(flips == 1 ? visit(flipped) : visit_near(flipped, bit + 1, flips - 1, visit))) {
          return false;
        }
      }
      return true;
    }
  };
  struct plan {
    std::vector<step> steps;
    std::uint64_t keys = 0;  ///< number of keys that are looked up, saturating

    /// Returns true if one of the elements before steps[number] finds a match with this difference from the query.
    [[nodiscard]] bool is_found_before(std::size_t number, const words_type& difference) const noexcept {
      for (std::size_t i = 0; i < number; ++i) {
        if (steps[i].key.is_within(difference, steps[i].radius)) return true;
      }
      return false;
    }
  };

  /// Makes the plans of a layout. If searches flip bits of keys, keys are cut to at most `max_radius_width` bits: each
  /// bit of a key then costs a probe, and is useless if the directory does not depend on the bit.
  explicit search_plans(const layout& shape, std::size_t max_radius_width = word_bits);

  [[nodiscard]] const layout& shape() const noexcept { return shape_; }
  [[nodiscard]] std::size_t max_radius_width() const noexcept { return max_radius_width_; }
  [[nodiscard]] std::span<const table_key<Words>> keys() const noexcept { return keys_; }

  /// Returns the plan of a search within k bits.
  /// Precondition: 0 <= k <= shape().k().
  [[nodiscard]] const plan& within(int k) const noexcept { return plans_[static_cast<std::size_t>(k)]; }

 private:
  layout shape_;
  std::size_t max_radius_width_;
  std::vector<table_key<Words>> keys_;
  std::vector<plan> plans_;
};

template <std::size_t Words>
search_plans<Words>::search_plans(const layout& shape, std::size_t max_radius_width)
    : shape_(shape), max_radius_width_(max_radius_width) {
  const std::size_t max_width = shape.is_exact() ? word_bits : max_radius_width;
  for (std::size_t table = 0; table < shape.table_count(); ++table) {
    keys_.emplace_back(shape.table_mask(table), max_width);
  }
  for (int k = 0; k <= shape.k(); ++k) {
    plan& next = plans_.emplace_back();
    shape.for_each_probe(k, [&](const layout::table_probe& probe) {
      const table_key<Words>& key = keys_[probe.table];
      next.steps.push_back({key, probe.table, probe.radius});
      next.keys = saturating_add(next.keys, choose_at_most(key.width(), static_cast<std::size_t>(probe.radius)));
    });
  }
}

#if defined(NEARDUP_COMPILED)
NEARDUP_INDEX_TEMPLATE class search_plans<1>;
NEARDUP_INDEX_TEMPLATE class search_plans<2>;
NEARDUP_INDEX_TEMPLATE class search_plans<4>;
#endif

}  // namespace neardup::inline v0::detail
