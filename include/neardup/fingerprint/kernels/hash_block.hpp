// SPDX-License-Identifier: MIT
// Blocks of hashes, and the writer by which kernels fill them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace neardup::inline v0::detail {

/// The size of a hash_block.
struct hash_block_size {
  static constexpr std::size_t capacity = 1024;
  static constexpr std::size_t slack = 16;  // surplus elements for kernels that write whole vectors
};

/// A block of hashes of `Words` words, stored in columns. columns[j][i] is word j of hash i.
template <std::size_t Words>
struct hash_block : hash_block_size {
  alignas(64) std::uint64_t columns[Words][capacity + slack];
  std::size_t count = 0;

  hash_block() noexcept {}  // NOLINT(modernize-use-equals-default): the columns stay uninitialised

  [[nodiscard]] std::size_t room() const noexcept { return capacity - count; }
};

/// A block that kernels fill, and the callback that consumes the full block. The number of words is data and `consume`
/// is type-erased, so that kernels are instantiated once for all compositions.
/// Precondition: block and callback outlive the writer.
class hash_writer {
 public:
  template <std::size_t Words, class Consume>
  hash_writer(hash_block<Words>& target, const Consume& consume) noexcept
      : words_(Words),
        columns_(target.columns[0]),
        count_(&target.count),
        block_(&target),
        object_(&consume),
        call_([](const void* object, const void* full) {
          (*static_cast<const Consume*>(object))(*static_cast<const hash_block<Words>*>(full));
        }) {}

  /// Returns the number of words of a hash.
  [[nodiscard]] std::size_t words() const noexcept { return words_; }

  /// Flushes unless the block has space for `count` hashes.
  /// Returns: the number of hashes that fit.
  /// Precondition: count <= hash_block_size::capacity.
  std::size_t make_room(std::size_t count) const {
    if (hash_block_size::capacity - *count_ < count) flush();
    return hash_block_size::capacity - *count_;
  }

  /// Returns the end of column `j`.
  [[nodiscard]] std::uint64_t* end(std::size_t j) const noexcept {
    return columns_ + j * (hash_block_size::capacity + hash_block_size::slack) + *count_;
  }

  /// Counts the hashes that were written to the ends of all columns.
  void advance(std::size_t count) const noexcept { *count_ += count; }

  /// Adds a hash whose word j is word(j).
  template <class Word>
  void add(const Word& word) const {
    make_room(1);
    for (std::size_t j = 0; j < words_; ++j) *end(j) = word(j);
    advance(1);
  }

  /// Passes the hashes so far to `consume`.
  void flush() const {
    call_(object_, block_);
    *count_ = 0;
  }

 private:
  std::size_t words_;
  std::uint64_t* columns_;
  std::size_t* count_;
  const void* block_;
  const void* object_;
  void (*call_)(const void* object, const void* block);
};

}  // namespace neardup::inline v0::detail
