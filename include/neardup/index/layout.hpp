// SPDX-License-Identifier: MIT
// The layout of an index: its tables, the bits of each table's key, and the tables that a search probes. The pigeonhole
// principle guarantees that a search finds every match.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "../detail/bits.hpp"
#include "../error.hpp"
#include "match.hpp"

namespace neardup::inline v0 {

namespace detail {

inline constexpr std::uint64_t saturated = (std::numeric_limits<std::uint64_t>::max)();

/// Returns a + b, or `saturated` on overflow.
constexpr std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b) noexcept {
  return a > saturated - b ? saturated : a + b;
}

/// Returns C(total, chosen), or `saturated` if the result would be about 2^64 / total or more.
constexpr std::uint64_t choose(std::size_t total, std::size_t chosen) noexcept {
  if (chosen > total) return 0;
  if (chosen > total - chosen) chosen = total - chosen;
  std::uint64_t result = 1;
  for (std::size_t i = 1; i <= chosen; ++i) {
    const std::uint64_t factor = total - chosen + i;
    if (result > saturated / factor) return saturated;
    result = result * factor / i;  // exact: a product of i consecutive numbers is divisible by i!
  }
  return result;
}

/// Returns the number of keys within `max` bit flips of a key of `total` bits, saturating: the sum of C(total, i) for i
/// in 0..max.
constexpr std::uint64_t choose_at_most(std::size_t total, std::size_t max) noexcept {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i <= max && i <= total; ++i) {
    sum = saturating_add(sum, choose(total, i));
    if (sum == saturated) break;
  }
  return sum;
}

}  // namespace detail

/// The value of K and Blocks in pigeonhole_index<Bits, dynamic_layout>, whose layout is chosen at run time.
inline constexpr int dynamic_layout = (std::numeric_limits<int>::min)();

/// A table that a search probes, and its radius: the search flips at most that many bits of the key.
struct table_probe {
  std::size_t table;
  int radius;

  friend constexpr bool operator==(const table_probe&, const table_probe&) = default;
};

/// The division of fingerprints of `bits()` bits into blocks, and the blocks on which each table is keyed. Any two
/// fingerprints within `k()` bits share a key, or have keys within the radius, in at least one table.
///
/// Exact regime, blocks > k: one table for each choice of blocks - k blocks. k differing bits touch at most k blocks,
/// so at least one choice is untouched.
///
/// Radius regime, blocks <= k: one table per block. The radii of the blocks satisfy sum(radius + 1) = k + 1, so at
/// least one block differs in no more bits than its radius.
/// Source: Manku, Jain, Sarma, Detecting Near-Duplicates for Web Crawling, WWW 2007, section 3.1 (exact regime);
/// Norouzi, Punjani, Fleet, Fast Exact Search in Hamming Space with Multi-Index Hashing, PAMI 2014, section 3.
class layout {
 public:
  /// The largest number of tables.
  static constexpr std::size_t max_tables = 256;

  /// Makes a layout.
  /// Throws: std::invalid_argument unless is_valid(bits, k, blocks).
  constexpr layout(std::size_t bits, int k, int blocks) : bits_(bits), k_(k), blocks_(blocks) {
    if (!is_valid(bits, k, blocks)) refuse(bits, k, blocks);
  }

  /// Returns the number of tables, saturating.
  /// Precondition: 0 <= k and 1 <= blocks.
  static constexpr std::uint64_t count_tables(int k, int blocks) noexcept {
    return blocks > k ? detail::choose(static_cast<std::size_t>(blocks), static_cast<std::size_t>(k))
                      : static_cast<std::uint64_t>(blocks);
  }

  /// Returns true if 0 <= k < bits, 1 <= blocks <= bits and there are at most max_tables tables.
  static constexpr bool is_valid(std::size_t bits, int k, int blocks) noexcept {
    return k >= 0 && static_cast<std::size_t>(k) < bits && blocks >= 1 && static_cast<std::size_t>(blocks) <= bits &&
           count_tables(k, blocks) <= max_tables;
  }

  constexpr std::size_t bits() const noexcept { return bits_; }
  /// Returns the largest k of a search.
  constexpr int k() const noexcept { return k_; }
  constexpr int blocks() const noexcept { return blocks_; }
  /// True in the exact regime (blocks > k), where a search looks up the key of the query itself. False in the radius
  /// regime, where a search also looks up keys with flipped bits.
  constexpr bool is_exact() const noexcept { return blocks_ > k_; }
  constexpr std::size_t table_count() const noexcept { return detail::to_size(count_tables(k_, blocks_)); }

  /// Returns the number of the first bit of a block; block_begin(blocks()) == bits(). The first bits() % blocks()
  /// blocks are one bit wider than the others.
  constexpr std::size_t block_begin(std::size_t block) const noexcept {
    const std::size_t count = block_count();
    return block * (bits_ / count) + (std::min)(block, bits_ % count);
  }
  constexpr std::size_t block_width(std::size_t block) const noexcept {
    return block_begin(block + 1) - block_begin(block);
  }

  /// Calls `visit(block)` for each element of table_blocks(table), also in constant expressions.
  template <class Visit>
  constexpr void for_each_block(std::size_t table, const Visit& visit) const {
    std::uint64_t rank = table;
    std::size_t missing = key_blocks();
    for (std::size_t block = 0; missing > 0; ++block) {
      const std::uint64_t with_this = detail::choose(block_count() - block - 1, missing - 1);
      if (rank < with_this) {
        visit(block);
        --missing;
      } else {
        rank -= with_this;
      }
    }
  }

  /// Returns the blocks on which a table is keyed, ascending. Tables are numbered in the lexicographic order of their
  /// block lists.
  std::vector<std::size_t> table_blocks(std::size_t table) const {
    std::vector<std::size_t> chosen;
    for_each_block(table, [&](std::size_t block) { chosen.push_back(block); });
    return chosen;
  }

  /// Returns the number of bits of a table's key.
  constexpr std::size_t key_width(std::size_t table) const {
    std::size_t width = 0;
    for_each_block(table, [&](std::size_t block) { width += block_width(block); });
    return width;
  }

  /// Returns the bits on which a table is keyed, as a mask of as many words as a fingerprint has.
  std::vector<std::uint64_t> table_mask(std::size_t table) const {
    std::vector<std::uint64_t> mask(detail::words_for(bits_), 0);
    for_each_block(table, [&](std::size_t block) {
      for (std::size_t bit = block_begin(block); bit < block_begin(block + 1); ++bit) {
        mask[bit / detail::word_bits] |= std::uint64_t{1} << (bit % detail::word_bits);
      }
    });
    return mask;
  }

  /// Calls `visit(probe)` for each element of plan(k), also in constant expressions.
  template <class Visit>
  constexpr void for_each_probe(int k, const Visit& visit) const {
    if (k < 0 || k > k_) detail::refuse_distance(k, k_);
    const auto differing = static_cast<std::size_t>(k);
    if (is_exact()) {
      const parts probed = cheapest_parts(differing);
      for (std::size_t table = 0; table < table_count(); ++table) {
        std::size_t first = block_count(), last = 0;
        for_each_block(table, [&](std::size_t block) {
          first = (std::min)(first, block);
          last = block;
        });
        if (last < probed.blocks && probed.part_of(first) == probed.part_of(last)) visit(table_probe{table, 0});
      }
    } else {
      for (std::size_t block = 0; block < block_count(); ++block) {
        const std::size_t share = (differing + 1) / block_count() + (block < (differing + 1) % block_count() ? 1 : 0);
        if (share > 0) visit(table_probe{block, static_cast<int>(share) - 1});
      }
    }
  }

  /// Returns the probes of a search within `k` bits. Whichever k bits differ, at least one of these tables finds the
  /// match. Exact regime: a subset of the tables; see cheapest_parts(). With 5 blocks and K = 3 these are 1, 2, 4 and
  /// 10 tables for k = 0, 1, 2 and 3. Radius regime: radii with sum(radius + 1) = k + 1. A table without a share of
  /// that sum is not probed.
  /// Throws: std::invalid_argument if k < 0 or k > k().
  std::vector<table_probe> plan(int k) const {
    std::vector<table_probe> result;
    for_each_probe(k, [&](const table_probe& probe) { result.push_back(probe); });
    return result;
  }

  /// Returns the number of keys that a search within k bits looks up, saturating.
  constexpr std::uint64_t probe_count(int k) const {
    std::uint64_t sum = 0;
    for_each_probe(k, [&](const table_probe& probe) {
      sum = detail::saturating_add(
          sum, detail::choose_at_most(key_width(probe.table), static_cast<std::size_t>(probe.radius)));
    });
    return sum;
  }

  friend constexpr bool operator==(const layout&, const layout&) noexcept = default;

 private:
  [[noreturn]] static void refuse(std::size_t bits, int k, int blocks) {
    detail::fail<std::invalid_argument>({"no index layout for bits = ", bits, ", k = ", k, ", blocks = ", blocks,
                                         ": it needs 0 <= k < bits, 1 <= blocks <= bits and at most 256 tables"});
  }

  constexpr std::size_t block_count() const noexcept { return static_cast<std::size_t>(blocks_); }
  constexpr std::size_t key_blocks() const noexcept { return is_exact() ? static_cast<std::size_t>(blocks_ - k_) : 1; }

  // A division of the first `blocks` blocks into `count` nearly equal parts. A search probes the tables whose blocks
  // are all in one part.
  struct parts {
    std::size_t blocks, count;

    constexpr std::size_t size(std::size_t part) const { return blocks / count + (part < blocks % count ? 1 : 0); }
    constexpr std::size_t part_of(std::size_t block) const {
      const std::size_t wide = blocks % count, size = blocks / count;
      return block < wide * (size + 1) ? block / (size + 1) : wide + (block - wide * (size + 1)) / size;
    }
    constexpr std::uint64_t tables(std::size_t key_blocks) const {
      std::uint64_t sum = 0;
      for (std::size_t i = 0; i < count; ++i) sum += detail::choose(size(i), key_blocks);
      return sum;
    }
  };

  // Returns the parts with the fewest tables to probe. These tables find every match (Turan's construction): of n
  // blocks at most k differ, so at least n - k are equal. Let r = key_blocks() >= 2, and divide the n blocks into p =
  // floor((n - k - 1) / (r - 1)) parts. Then n - k > p * (r - 1), so a part has r equal blocks, and the table keyed on
  // these finds the match. All n are tried.
  constexpr parts cheapest_parts(std::size_t k) const {
    const std::size_t r = key_blocks();
    if (r == 1) return {k + 1, 1};
    parts best{r + k, 1};
    for (std::size_t n = r + k; n <= block_count(); ++n) {
      const parts candidate{n, (n - k - 1) / (r - 1)};
      if (candidate.tables(r) < best.tables(r)) best = candidate;
    }
    return best;
  }

  std::size_t bits_;
  int k_;
  int blocks_;
};

/// Returns the default block count for fingerprints of `bits` bits and searches within `k` bits: k + 1 if that leaves
/// blocks of at least 16 bits, otherwise bits / 16, clamped to 1..layout::max_tables. Keys below 16 bits would crowd
/// the buckets of a table of a million fingerprints. Fewer blocks, searched with a radius, are then faster.
constexpr int default_blocks(std::size_t bits, int k) noexcept {
  const std::size_t exact = k < 0 ? 1 : static_cast<std::size_t>(k) + 1;
  if (exact <= layout::max_tables && bits / exact >= 16) return static_cast<int>(exact);
  return static_cast<int>(std::clamp<std::size_t>(bits / 16, 1, layout::max_tables));
}

}  // namespace neardup::inline v0
