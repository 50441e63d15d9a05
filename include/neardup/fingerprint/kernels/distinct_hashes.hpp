// SPDX-License-Identifier: MIT
// A set of hashes, with which each distinct token of a text is counted once.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "../../detail/bits.hpp"
#include "../../error.hpp"
#include "../hashers.hpp"
#include "hash_block.hpp"

namespace neardup::inline v0::detail {

/// The distinct hashes of a text. The memory is reused for the next text. With `Counts`, each hash is also counted.
/// With `Origins`, the position of the first occurrence of each hash in its block is also recorded.
///
/// The object has a list of the distinct hashes. It also has an open-addressing table of the numbers of these hashes.
/// The table is at most a quarter full, or half full for more than 2^20 hashes. Numbers continue from text to text. An
/// entry of the table with a number of an earlier text counts as free. So the table need not be cleared for each text.
/// A processor cannot predict whether a hash is new, so the code uses arithmetic instead of a branch.
/// (feature_bag and bucket_table can also erase elements, and give the strong guarantee. But they add one hash at a
/// time, which would be slower here.)
template <std::size_t Words, bool Counts = false, bool Origins = false>
class distinct_hashes {
 public:
  distinct_hashes() = default;

  /// Makes a set whose numbers start at `first_number`, as if first_number - 1 hashes had been added. Only tests use
  /// this constructor.
  /// Precondition: first_number > 0.
  explicit distinct_hashes(std::uint32_t first_number) noexcept : first_number_(first_number) {}

  /// Removes all hashes, and begins a new text.
  void clear() noexcept {
    // All used numbers are below first_number_ + count_. append() also adds to count_, but its hashes have no number.
    const std::uint64_t next_number = std::uint64_t{first_number_} + count_;
    if (next_number > max_number) std::fill(slots_.begin(), slots_.end(), std::uint32_t{0});
    first_number_ = next_number > max_number ? 1 : static_cast<std::uint32_t>(next_number);
    if (slots_.empty()) {
      size_ = 0;  // after a move, size_ may be another number
    } else if (size_ > small_size) {
      // Shrinks the table to the size for the last text. The next text probably needs the same size, and a larger table
      // would be slower. clear() never enlarges the table, because hashes that append() added need no entries in the
      // table.
      use((std::min)(size_, (std::max)(small_size, std::bit_ceil(sparsity(count_) * count_))));
    }
    count_ = 0;
  }

  void add(const hash_block<Words>& block) {
    for (std::size_t first = 0; first < block.count; first += batch) {
      const std::size_t n = (std::min)(batch, block.count - first);
      make_room(n);
      add_with_room(block, first, first + n);
    }
  }

  /// Appends a hash with its count.
  /// Precondition: `hash` differs from all other hashes, and add() is not called before the next clear().
  void append(const std::array<std::uint64_t, Words>& hash, std::uint64_t count) requires Counts {
    for (auto& column : distinct_) grow(column, count_ + 1);
    grow(counts_, count_ + 1);
    for (std::size_t j = 0; j < Words; ++j) distinct_[j][count_] = hash[j];
    counts_[count_] = count;
    ++count_;
  }

  [[nodiscard]] std::size_t size() const noexcept { return count_; }

  /// Returns word `j` of all distinct hashes.
  [[nodiscard]] const std::uint64_t* column(std::size_t j) const noexcept { return distinct_[j].data(); }

  /// Returns the count of each hash. A count is at least 1.
  [[nodiscard]] const std::uint64_t* counts() const noexcept requires Counts { return counts_.data(); }

  /// Returns for each hash the position of its first occurrence within its block.
  [[nodiscard]] const std::uint32_t* origins() const noexcept requires Origins { return origins_.data(); }

  /// Calls `visit(hash, "", count)` for each distinct hash. feature_bag has the same interface.
  template <class Visit>
  void for_each(const Visit& visit) const requires Counts {
    std::array<std::uint64_t, Words> hash;
    for (std::size_t i = 0; i < count_; ++i) {
      for (std::size_t j = 0; j < Words; ++j) hash[j] = distinct_[j][i];
      visit(hash, std::string_view(), counts_[i]);
    }
  }

 private:
  static constexpr std::size_t batch = 256;
  static constexpr std::size_t small_size = 1024;
  static constexpr std::uint64_t max_number = 0xffffffffU;

  // The hash table. The hash of entry s has the index slots_[s] - first_number_ in distinct_. If slots_[s] <
  // first_number_, entry s is free. Only the first `size_` entries are used, and size_ is a power of two.
  std::vector<std::uint32_t> slots_;
  std::array<std::vector<std::uint64_t>, Words> distinct_;  // `count_` hashes, and memory for another batch
  std::vector<std::uint64_t> counts_;
  std::vector<std::uint32_t> origins_;
  std::size_t size_ = 0;
  std::size_t count_ = 0;
  std::uint64_t multiplier_ = secret_multiplier();
  std::uint32_t first_number_ = 1;
  int shift_ = 0;  // 64 - log2(size_)

  /// Returns the least number of table entries per hash. A table for a million hashes does not fit the caches, so it
  /// has fewer entries per hash.
  static constexpr std::size_t sparsity(std::size_t count) noexcept { return count > std::size_t{1} << 20 ? 2 : 4; }

  /// Makes the table use only its first `size` entries.
  /// Precondition: size is a power of two.
  void use(std::size_t size) noexcept {
    size_ = size;
    shift_ = 64 - bit_width(size - 1);
  }

  template <class Value>
  static void grow(std::vector<Value>& values, std::size_t size) {
    if (values.size() < size) values.resize(2 * size);
  }

  void make_room(std::size_t n) {
    // Each vector is checked separately. If an allocation failed before, only some of the vectors may have grown.
    for (auto& column : distinct_) grow(column, count_ + n + 1);
    if constexpr (Counts) grow(counts_, count_ + n + 1);
    if constexpr (Origins) grow(origins_, count_ + n + 1);
    const std::uint64_t needed = std::uint64_t{count_} + n;
    if (needed >= max_number) fail<std::length_error>("a text has 2^32 or more distinct tokens");
    const std::size_t slots = sparsity(count_ + n);
    const bool is_full = slots * needed > size_;
    if (!is_full && first_number_ + needed <= max_number) return;
    const std::size_t size = is_full ? (std::max)(small_size, std::bit_ceil(2 * slots * (count_ + n))) : size_;
    if (slots_.size() < size) slots_.resize(size);
    use(size);
    // All hashes get new numbers, which frees their old table entries.
    if (first_number_ + count_ + needed > max_number) {
      std::fill(slots_.begin(), slots_.end(), std::uint32_t{0});
      first_number_ = 1;
    } else {
      first_number_ += static_cast<std::uint32_t>(count_);
    }
    // A local copy of a member stays in a register. The member itself would not, because the compiler must assume that
    // stores change it.
    const std::uint32_t first_number = first_number_;
    const std::uint64_t multiplier = multiplier_;
    const int shift = shift_;
    std::uint32_t* const all = slots_.data();
    for (std::size_t i = 0; i < count_; ++i) {
      std::size_t slot = to_size(key_of([&](std::size_t j) { return distinct_[j][i]; }) * multiplier >> shift);
      while (all[slot] >= first_number) slot = next(slot);
      all[slot] = first_number + static_cast<std::uint32_t>(i);
    }
  }

  // Multiplies by a secret odd number, and shifts. So nobody can craft a text whose hashes collide, and weak low bits
  // of a hash do no harm.
  // Source: Dietzfelbinger et al., A Reliable Randomized Algorithm for the Closest-Pair Problem, 1997 (multiply-shift).
  [[nodiscard]] std::size_t slot_of(std::uint64_t key) const noexcept { return to_size(key * multiplier_ >> shift_); }
  [[nodiscard]] std::size_t next(std::size_t slot) const noexcept { return (slot + 1) & (size_ - 1); }

  /// Combines all words of a hash into one word.
  template <class Word>
  static std::uint64_t key_of(const Word& word) noexcept {
    std::uint64_t key = word(0);
    for (std::size_t j = 1; j < Words; ++j) key = std::rotl(key, 23) * golden_ratio + word(j);
    return key;
  }

  /// Adds hashes without branches. Each hash is new, or known, or its table entry belongs to another hash. Few hashes
  /// are of the last kind. These hashes are tried again together, each at the next entry.
  void add_with_room(const hash_block<Words>& block, std::size_t first, std::size_t last) noexcept {
    std::uint32_t left[batch + 1];
    std::size_t left_count = 0;
    // Local copies stay in registers; see make_room().
    std::size_t count = count_;
    const std::uint32_t first_number = first_number_;
    const std::uint64_t multiplier = multiplier_;
    const int shift = shift_;
    const std::size_t last_slot = size_ - 1;
    std::uint32_t* const slots = slots_.data();
    std::array<std::uint64_t*, Words> distinct;
    for (std::size_t j = 0; j < Words; ++j) distinct[j] = distinct_[j].data();
    const auto add_at = [&](std::size_t i, const auto& slot_from) NEARDUP_INLINE_LAMBDA {
      const std::uint64_t key = key_of([&](std::size_t j) { return block.columns[j][i]; });
      for (std::size_t j = 0; j < Words; ++j) distinct[j][count] = block.columns[j][i];
      if constexpr (Counts) counts_[count] = 0;
      if constexpr (Origins) origins_[count] = static_cast<std::uint32_t>(i);
      std::uint32_t& entry = slots[slot_from(to_size(key * multiplier >> shift))];
      const bool is_free = entry < first_number;
      // If the table entry is free, `entry - first_number` wraps around to a large number. The minimum is then `count`,
      // which is the index of a new hash.
      const std::uint32_t number = (std::min)(entry - first_number, static_cast<std::uint32_t>(count));
      std::uint64_t difference = 0;
      for (std::size_t j = 0; j < Words; ++j) difference |= distinct[j][number] ^ block.columns[j][i];
      const bool is_there = difference == 0;  // true if the hash was known, or is new and stored now
      entry = first_number + number;
      if constexpr (Counts) counts_[number] += is_there ? 1 : 0;
      left[left_count] = static_cast<std::uint32_t>(i);
      left_count += is_there ? 0 : 1;
      count += is_free ? 1 : 0;
    };
    for (std::size_t i = first; i < last; ++i) add_at(i, [](std::size_t home) { return home; });
    for (std::size_t distance = 1; left_count > 0; ++distance) {
      const std::size_t n = left_count;
      left_count = 0;
      for (std::size_t k = 0; k < n; ++k) {
        add_at(left[k], [&](std::size_t home) { return (home + distance) & last_slot; });
      }
    }
    count_ = count;
  }
};

}  // namespace neardup::inline v0::detail
