// Which of many token hashes are new: the set that makes each distinct token count once.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "../detail/error.hpp"
#include "../detail/secret.hpp"
#include "hash_block.hpp"

namespace neardup::inline v0::detail {

/// The distinct hashes of a text, in the order in which they first came; memory is reused from text to text.
///
/// An open-addressing table of the hashes themselves, at most half full, so that few probes go on to a second place,
/// and "is it new?", which no processor predicts, is answered by arithmetic instead of a branch. It begins small and
/// grows with the text, so that a short text clears and touches little memory.
/// With `Counts` it also tells how often each hash came.
template <std::size_t Words, bool Counts = false>
class distinct_hashes {
 public:
  distinct_hashes() = default;
  distinct_hashes(const distinct_hashes&) = default;
  distinct_hashes& operator=(const distinct_hashes&) = default;
  /// Leaves `other` empty.
  distinct_hashes(distinct_hashes&& other) noexcept { swap(other); }
  distinct_hashes& operator=(distinct_hashes&& other) noexcept {
    distinct_hashes(std::move(other)).swap(*this);
    return *this;
  }
  ~distinct_hashes() = default;

  void swap(distinct_hashes& other) noexcept {
    table_.swap(other.table_);
    numbers_.swap(other.numbers_);
    distinct_.swap(other.distinct_);
    counts_.swap(other.counts_);
    std::swap(size_, other.size_);
    std::swap(count_, other.count_);
    std::swap(shift_, other.shift_);
    std::swap(has_zero_, other.has_zero_);
  }

  /// Forgets the hashes of the last text.
  void clear() noexcept {
    std::fill_n(table_.begin(), size_, std::uint64_t{0});
    if (size_ > small_size) use(small_size);  // The next text may be short again.
    count_ = 0;
    has_zero_ = false;
  }

  /// Adds the hashes of a block.
  void add(const hash_block<Words>& block) {
    for (std::size_t first = 0; first < block.count; first += batch) {
      const std::size_t n = (std::min)(batch, block.count - first);
      make_room(n);
      add_with_room(block, first, first + n);
    }
  }

  /// The number of distinct hashes.
  [[nodiscard]] std::size_t size() const noexcept { return count_; }

  /// Word `j` of all distinct hashes.
  [[nodiscard]] const std::uint64_t* column(std::size_t j) const noexcept { return distinct_[j].data(); }

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
  // Wide hashes are compared beyond their first word, and counts are found, through the number of the hash.
  static constexpr bool has_numbers = Words > 1 || Counts;

  std::vector<std::uint64_t> table_;    // first words; a power of two in use, `size_`, and zeros beyond it
  std::vector<std::uint32_t> numbers_;  // beside each place the number of its hash
  std::array<std::vector<std::uint64_t>, Words> distinct_;  // `count_` hashes, with room for a batch more
  std::vector<std::uint64_t> counts_;
  std::size_t size_ = 0;
  std::size_t count_ = 0;
  std::uint64_t multiplier_ = secret_multiplier();
  int shift_ = 0;          // 64 - log2(size_)
  bool has_zero_ = false;  // An empty place holds 0, so without numbers the hash 0 is not in the table.

  /// Uses the first `size` places, a power of two, of the table.
  void use(std::size_t size) noexcept {
    size_ = size;
    shift_ = static_cast<int>(64 - std::bit_width(size - 1));
  }

  static void grow(std::vector<std::uint64_t>& values, std::size_t size) {
    if (values.size() < size) values.resize(2 * size);
  }

  void make_room(std::size_t n) {
    // Each vector by itself: an allocation that failed may have left some grown and others not.
    for (auto& column : distinct_) grow(column, count_ + n + 1);
    if constexpr (Counts) grow(counts_, count_ + n + 1);
    if (2 * (count_ + n) <= size_) return;
    if (has_numbers && count_ + n > 0xffffffffU) {
      fail<std::length_error>("a text of more than 2^32 distinct tokens");
    }
    const std::size_t size = (std::max)(small_size, std::bit_ceil(4 * (count_ + n)));
    if (table_.size() < size) table_.resize(size);
    if constexpr (has_numbers) {
      if (numbers_.size() < size) numbers_.resize(size);
    }
    std::fill_n(table_.begin(), size_, std::uint64_t{0});
    use(size);
    for (std::size_t i = 0; i < count_; ++i) {
      const std::uint64_t key = key_of([&](std::size_t j) { return distinct_[j][i]; });
      if (key == 0) continue;
      std::size_t place = place_of(key);
      while (table_[place] != 0) place = next(place);
      table_[place] = key;
      if constexpr (has_numbers) numbers_[place] = static_cast<std::uint32_t>(i);
    }
  }

  // Multiplied by a secret odd number: no text can be made whose hashes crowd, and poor low bits do not matter.
  // Source: Dietzfelbinger et al., A Reliable Randomized Algorithm for the Closest-Pair Problem, 1997 (multiply-shift).
  [[nodiscard]] std::size_t place_of(std::uint64_t key) const noexcept { return key * multiplier_ >> shift_; }
  [[nodiscard]] std::size_t next(std::size_t place) const noexcept { return (place + 1) & (size_ - 1); }

  /// What the table keeps of a hash: with numbers a digest that is never 0, otherwise the hash itself.
  template <class Word>
  static std::uint64_t key_of(const Word& word) noexcept {
    std::uint64_t key = word(0);
    for (std::size_t j = 1; j < Words; ++j) key = std::rotl(key, 23) * 0x9e3779b97f4a7c15U + word(j);
    return has_numbers && key == 0 ? 1 : key;
  }

  /// Whether hash `number` is the i-th of the block.
  [[nodiscard]] bool is_same(std::size_t number, const hash_block<Words>& block, std::size_t i) const noexcept {
    std::uint64_t difference = 0;
    for (std::size_t j = 0; j < Words; ++j) difference |= distinct_[j][number] ^ block.columns[j][i];
    return difference == 0;
  }

  void add_with_room(const hash_block<Words>& block, std::size_t first, std::size_t last) noexcept {
    for (std::size_t i = first; i < last; ++i) {
      const std::uint64_t key = key_of([&](std::size_t j) { return block.columns[j][i]; });
      std::size_t place = place_of(key);
      bool is_new = false;
      if constexpr (has_numbers) {
        while (table_[place] != 0 && !(table_[place] == key && is_same(numbers_[place], block, i))) place = next(place);
        is_new = table_[place] == 0;
        const std::uint32_t number = is_new ? static_cast<std::uint32_t>(count_) : numbers_[place];
        numbers_[place] = number;
        if constexpr (Counts) counts_[number] = is_new ? 1 : counts_[number] + 1;
      } else {
        while (table_[place] != 0 && table_[place] != key) place = next(place);
        is_new = table_[place] == 0;
        if (key == 0) [[unlikely]] {
          is_new = !has_zero_;
          has_zero_ = true;
        }
      }
      table_[place] = key;
      for (std::size_t j = 0; j < Words; ++j) distinct_[j][count_] = block.columns[j][i];
      count_ += is_new ? 1 : 0;
    }
  }
};

}  // namespace neardup::inline v0::detail
