// SPDX-License-Identifier: MIT
// The layout of an index: which tables it has, which bits are the key of each table, and which tables a search probes.
// By the pigeonhole principle, a search finds every match.
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

/// Returns a + b, or `saturated` if the sum overflows.
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

/// Returns the number of keys that differ from a key of `total` bits in at most `max` bits: the sum of C(total, i) for
/// i in 0..max. Returns `saturated` if the sum overflows.
constexpr std::uint64_t choose_at_most(std::size_t total, std::size_t max) noexcept {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i <= max && i <= total; ++i) {
    sum = saturating_add(sum, choose(total, i));
    if (sum == saturated) break;
  }
  return sum;
}

}  // namespace detail

/// Stands for K and Blocks in pigeonhole_index<Bits, dynamic_layout>, whose layout is chosen at run time.
inline constexpr int dynamic_layout = (std::numeric_limits<int>::min)();

/// A layout divides fingerprints of `bits()` bits into blocks. The key of each table consists of some of the blocks.
/// Any two fingerprints within `k()` bits have keys within the radius in at least one table. In the exact regime the
/// radius is 0, so the keys are equal.
///
/// Exact regime, blocks > k: there is one table for each way to choose (blocks - k) of the blocks. k differing bits are
/// in at most k blocks. So at least one choice of blocks has no differing bit.
///
/// Radius regime, blocks <= k: there is one table per block. The radii of the blocks satisfy sum(radius + 1) = k + 1.
/// So in at least one block, at most `radius` bits differ.
/// Source: Manku, Jain, Sarma, Detecting Near-Duplicates for Web Crawling, WWW 2007, section 3.1 (exact regime);
/// Norouzi, Punjani, Fleet, Fast Exact Search in Hamming Space with Multi-Index Hashing, PAMI 2014, section 3.
class layout {
 public:
  /// A table that a search probes, and its radius. The search flips at most `radius` bits of the key.
  struct table_probe {
    std::size_t table;
    int radius;

    friend constexpr bool operator==(const table_probe&, const table_probe&) = default;
  };

  /// The largest possible number of tables.
  static constexpr std::size_t max_tables = 256;

  /// Makes a layout.
  /// Throws: std::invalid_argument unless is_valid(bits, k, blocks).
  constexpr layout(std::size_t bits, int k, int blocks) : bits_(bits), k_(k), blocks_(blocks) {
    if (!is_valid(bits, k, blocks)) refuse(bits, k, blocks);
  }

  /// Returns the number of tables, or `saturated` if the number overflows.
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
  /// Returns true in the exact regime (blocks > k), where a search looks up only the key of the query. Returns false in
  /// the radius regime, where a search also looks up keys with flipped bits.
  constexpr bool is_exact() const noexcept { return blocks_ > k_; }
  constexpr std::size_t table_count() const noexcept { return detail::to_size(count_tables(k_, blocks_)); }

  /// Returns the number of the first bit of a block. block_begin(blocks()) == bits(). The first bits() % blocks()
  /// blocks are one bit wider than the others.
  constexpr std::size_t block_begin(std::size_t block) const noexcept {
    const std::size_t count = block_count();
    return block * (bits_ / count) + (std::min)(block, bits_ % count);
  }
  constexpr std::size_t block_width(std::size_t block) const noexcept {
    return block_begin(block + 1) - block_begin(block);
  }

  /// Calls `visit(block)` for each element of table_blocks(table). Unlike table_blocks(), this function is usable in
  /// constant expressions.
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

  /// Returns the blocks that form the key of a table, ascending. Tables are numbered in the lexicographic order of
  /// their lists of blocks.
  std::vector<std::size_t> table_blocks(std::size_t table) const {
    std::vector<std::size_t> chosen;
    for_each_block(table, [&](std::size_t block) { chosen.push_back(block); });
    return chosen;
  }

  /// Returns the number of bits of the key of a table.
  constexpr std::size_t key_width(std::size_t table) const {
    std::size_t width = 0;
    for_each_block(table, [&](std::size_t block) { width += block_width(block); });
    return width;
  }

  /// Returns the bits of the key of a table, as a mask with as many words as a fingerprint.
  std::vector<std::uint64_t> table_mask(std::size_t table) const {
    std::vector<std::uint64_t> mask(detail::words_for(bits_), 0);
    for_each_block(table, [&](std::size_t block) {
      for (std::size_t bit = block_begin(block); bit < block_begin(block + 1); ++bit) {
        mask[bit / detail::word_bits] |= std::uint64_t{1} << (bit % detail::word_bits);
      }
    });
    return mask;
  }

  /// Calls `visit(probe)` for each element of plan(k). Unlike plan(), this function is usable in constant expressions.
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

  /// Returns the probes of a search within `k` bits. Whichever k bits differ, at least one of the probed tables finds
  /// the match. In the exact regime, a search probes some of the tables; see cheapest_parts(). If the layout has 5
  /// blocks for k() = 3, a search probes 1, 2, 4 and 10 tables for k = 0, 1, 2 and 3. In the radius regime, the radii
  /// satisfy sum(radius + 1) = k + 1 over the probed tables.
  /// Throws: std::invalid_argument if k < 0 or k > k().
  std::vector<table_probe> plan(int k) const {
    std::vector<table_probe> result;
    for_each_probe(k, [&](const table_probe& probe) { result.push_back(probe); });
    return result;
  }

  /// Returns the number of keys that a search within k bits looks up, or `saturated` if the number overflows.
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

  // Divides the first `blocks` blocks into `count` nearly equal parts. A search probes the tables whose blocks are all
  // in one part.
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

  // Returns the parts with the fewest tables to probe. These tables find every match (Turan's construction). Proof: let
  // n be the number of divided blocks, and r = key_blocks() >= 2. At most k of the n blocks differ, so at least n - k
  // are equal. With p = floor((n - k - 1) / (r - 1)) parts, n - k > p * (r - 1). So one part has r equal blocks, and
  // the table with these blocks finds the match. The function tries every n.
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

/// Returns the default number of blocks for fingerprints of `bits` bits and searches within `k` bits. The default is k
/// + 1 if each block then has at least 16 bits, otherwise bits / 16. The default is at least 1 and at most
/// layout::max_tables. With keys below 16 bits, a table of a million fingerprints has crowded buckets, so fewer blocks
/// and a radius are faster.
constexpr int default_blocks(std::size_t bits, int k) noexcept {
  const std::size_t exact = k < 0 ? 1 : static_cast<std::size_t>(k) + 1;
  if (exact <= layout::max_tables && bits / exact >= 16) return static_cast<int>(exact);
  return static_cast<int>(std::clamp<std::size_t>(bits / 16, 1, layout::max_tables));
}

}  // namespace neardup::inline v0
