// Which of many token hashes are new: the set that makes each distinct token count once.
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
#include "../../detail/bytes.hpp"
#include "../../error.hpp"
#include "../hashers.hpp"
#include "token_kernel.hpp"

namespace neardup::inline v0::detail {

/// The distinct hashes of a text; memory is reused from text to text.
///
/// An open-addressing table of numbers, at most a quarter full, beside the list of hashes that they number. Numbers go
/// on from text to text, so that those of earlier texts are told by being too low, and nothing need be cleared. "Is it
/// new?", which no processor predicts, is answered by arithmetic instead of a branch.
/// With `Counts` it also tells how often each hash came, and with `Origins` where in its block it came first. (Other
/// tables of the library, feature_bag and bucket_table of the index, delete and keep strong guarantees, one hash at a
/// time; neither could be used here without a loss of speed.)
template <std::size_t Words, bool Counts = false, bool Origins = false>
class distinct_hashes {
 public:
  distinct_hashes() = default;

  /// As after so many hashes less 1, so that a test comes to the end of the numbers. Precondition: first_number > 0.
  explicit distinct_hashes(std::uint32_t first_number) noexcept : first_number_(first_number) {}

  /// Forgets the hashes of the last text.
  void clear() noexcept {
    // append() takes no numbers, so that those of add() may not reach as far as the hashes.
    const std::uint64_t next_number = std::uint64_t{first_number_} + count_;
    if (next_number > max_number) std::fill(slots_.begin(), slots_.end(), std::uint32_t{0});
    first_number_ = next_number > max_number ? 1 : static_cast<std::uint32_t>(next_number);
    if (slots_.empty()) {
      size_ = 0;  // also of a table that was moved away
    } else if (size_ > small_size) {
      // The next text is likely to be as long; a table for a longer one would only be slower.
      // Not a larger one: hashes that were appended have no slots.
      use((std::min)(size_, (std::max)(small_size, std::bit_ceil(sparsity * count_))));
    }
    count_ = 0;
  }

  /// Adds the hashes of a block.
  void add(const hash_block<Words>& block) {
    for (std::size_t first = 0; first < block.count; first += batch) {
      const std::size_t n = (std::min)(batch, block.count - first);
      make_room(n);
      add_with_room(block, first, first + n);
    }
  }

  /// Adds a hash that came `count` times, and is known to be none of the others; after it nothing may be add()ed until
  /// clear().
  void append(const std::array<std::uint64_t, Words>& hash, std::uint64_t count) requires Counts {
    for (auto& column : distinct_) grow(column, count_ + 1);
    grow(counts_, count_ + 1);
    for (std::size_t j = 0; j < Words; ++j) distinct_[j][count_] = hash[j];
    counts_[count_] = count;
    ++count_;
  }

  /// The number of distinct hashes.
  [[nodiscard]] std::size_t size() const noexcept { return count_; }

  /// Word `j` of all distinct hashes.
  [[nodiscard]] const std::uint64_t* column(std::size_t j) const noexcept { return distinct_[j].data(); }

  /// How often each of them came, at least once.
  [[nodiscard]] const std::uint64_t* counts() const noexcept requires Counts { return counts_.data(); }

  /// The position of each of them in the block with which it came first.
  [[nodiscard]] const std::uint32_t* origins() const noexcept requires Origins { return origins_.data(); }

  /// Calls `visit(hash, "", count)` for each distinct hash, as feature_bag does.
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
  static constexpr std::size_t sparsity = 4;  // slots for each hash, at least
  static constexpr std::uint64_t max_number = 0xffffffffU;

  // The number of the hash in each slot; a number below first_number_ means that the slot is free. The first `size_`
  // slots, a power of two, are in use.
  std::vector<std::uint32_t> slots_;
  std::array<std::vector<std::uint64_t>, Words> distinct_;  // `count_` hashes, with room for a batch more
  std::vector<std::uint64_t> counts_;
  std::vector<std::uint32_t> origins_;
  std::size_t size_ = 0;
  std::size_t count_ = 0;
  std::uint64_t multiplier_ = secret_multiplier();
  std::uint32_t first_number_ = 1;
  int shift_ = 0;  // 64 - log2(size_)

  /// Uses the first `size` slots, a power of two, of the table.
  void use(std::size_t size) noexcept {
    size_ = size;
    shift_ = static_cast<int>(64 - std::bit_width(size - 1));
  }

  template <class Value>
  static void grow(std::vector<Value>& values, std::size_t size) {
    if (values.size() < size) values.resize(2 * size);
  }

  void make_room(std::size_t n) {
    // Each vector by itself: an allocation that failed may have left some grown and others not.
    for (auto& column : distinct_) grow(column, count_ + n + 1);
    if constexpr (Counts) grow(counts_, count_ + n + 1);
    if constexpr (Origins) grow(origins_, count_ + n + 1);
    const std::uint64_t needed = std::uint64_t{count_} + n;
    if (needed >= max_number) fail<std::length_error>("a text has 2^32 or more distinct tokens");
    const bool is_full = sparsity * needed > size_;
    if (!is_full && first_number_ + needed <= max_number) return;
    const std::size_t size = is_full ? (std::max)(small_size, std::bit_ceil(2 * sparsity * (count_ + n))) : size_;
    if (slots_.size() < size) slots_.resize(size);
    use(size);
    // All hashes get new numbers, so that their old slots are free.
    if (first_number_ + count_ + needed > max_number) {
      std::fill(slots_.begin(), slots_.end(), std::uint32_t{0});
      first_number_ = 1;
    } else {
      first_number_ += static_cast<std::uint32_t>(count_);
    }
    for (std::size_t i = 0; i < count_; ++i) {
      std::size_t slot = slot_of(key_of([&](std::size_t j) { return distinct_[j][i]; }));
      while (slots_[slot] >= first_number_) slot = next(slot);
      slots_[slot] = first_number_ + static_cast<std::uint32_t>(i);
    }
  }

  // Multiplied by a secret odd number: no text can be made whose hashes crowd, and poor low bits do not matter.
  // Source: Dietzfelbinger et al., A Reliable Randomized Algorithm for the Closest-Pair Problem, 1997 (multiply-shift).
  [[nodiscard]] std::size_t slot_of(std::uint64_t key) const noexcept {
    return static_cast<std::size_t>(key * multiplier_ >> shift_);
  }
  [[nodiscard]] std::size_t next(std::size_t slot) const noexcept { return (slot + 1) & (size_ - 1); }

  /// A digest of all words of a hash.
  template <class Word>
  static std::uint64_t key_of(const Word& word) noexcept {
    std::uint64_t key = word(0);
    for (std::size_t j = 1; j < Words; ++j) key = std::rotl(key, 23) * golden_ratio + word(j);
    return key;
  }

  /// Adds hashes without a branch: each is new, or known, or its slot belongs to another. These, which are few, go on
  /// to the next slot, all of them at a time.
  void add_with_room(const hash_block<Words>& block, std::size_t first, std::size_t last) noexcept {
    std::uint32_t left[batch + 1];
    std::size_t left_count = 0;
    // These copies stay in registers. A compiler has to assume that a store changes the members.
    std::size_t count = count_;
    const std::uint32_t first_number = first_number_;
    const std::uint64_t multiplier = multiplier_;
    const int shift = shift_;
    const std::size_t last_slot = size_ - 1;
    std::uint32_t* const slots = slots_.data();
    std::array<std::uint64_t*, Words> distinct;
    for (std::size_t j = 0; j < Words; ++j) distinct[j] = distinct_[j].data();
    const auto add_at = [&](std::size_t i, std::size_t distance) NEARDUP_INLINE_LAMBDA {
      const std::uint64_t key = key_of([&](std::size_t j) { return block.columns[j][i]; });
      for (std::size_t j = 0; j < Words; ++j) distinct[j][count] = block.columns[j][i];
      if constexpr (Counts) counts_[count] = 0;
      if constexpr (Origins) origins_[count] = static_cast<std::uint32_t>(i);
      std::uint32_t& entry = slots[(static_cast<std::size_t>(key * multiplier >> shift) + distance) & last_slot];
      const bool is_free = entry < first_number;
      // The entry of a free slot is below first_number, so that the difference wraps around and the next number is taken.
      const std::uint32_t number = (std::min)(entry - first_number, static_cast<std::uint32_t>(count));
      std::uint64_t difference = 0;
      for (std::size_t j = 0; j < Words; ++j) difference |= distinct[j][number] ^ block.columns[j][i];
      const bool is_there = difference == 0;  // known, or new and just written
      entry = first_number + number;
      if constexpr (Counts) counts_[number] += is_there ? 1 : 0;
      left[left_count] = static_cast<std::uint32_t>(i);
      left_count += is_there ? 0 : 1;
      count += is_free ? 1 : 0;
    };
    for (std::size_t i = first; i < last; ++i) add_at(i, 0);
    for (std::size_t distance = 1; left_count > 0; ++distance) {
      const std::size_t n = left_count;
      left_count = 0;
      for (std::size_t k = 0; k < n; ++k) add_at(left[k], distance);
    }
    count_ = count;
  }
};

}  // namespace neardup::inline v0::detail
