// SPDX-License-Identifier: MIT
// Blocks of hashes, and the class with which kernels write hashes to a block.
#pragma once

#include <cstddef>
#include <cstdint>

namespace neardup::inline v0::detail {

/// The number of hashes for which a hash_block has room.
struct hash_block_size {
  static constexpr std::size_t capacity = 1024;
  static constexpr std::size_t slack = 16;  // surplus elements for kernels that write whole vectors
};

/// A block of hashes. A hash has `Words` words, and columns[j][i] is word j of hash i.
template <std::size_t Words>
struct hash_block : hash_block_size {
  alignas(64) std::uint64_t columns[Words][capacity + slack];
  std::size_t count = 0;

  hash_block() noexcept {}  // NOLINT(modernize-use-equals-default): the columns stay uninitialised

  [[nodiscard]] std::size_t room() const noexcept { return capacity - count; }
};

/// A writer of hashes: a block that kernels fill, and a callback `consume`, which gets the full block. The number of
/// words is a value, and `consume` is type-erased. So kernels are instantiated once for all compositions.
/// Precondition: the block and the callback outlive the writer.
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

  [[nodiscard]] std::size_t words() const noexcept { return words_; }

  /// Calls flush() if the block has no room for `count` hashes.
  /// Returns: the number of hashes for which the block has room.
  /// Precondition: count <= hash_block_size::capacity.
  std::size_t make_room(std::size_t count) const {
    if (hash_block_size::capacity - *count_ < count) flush();
    return hash_block_size::capacity - *count_;
  }

  [[nodiscard]] std::uint64_t* end(std::size_t j) const noexcept {
    return columns_ + j * (hash_block_size::capacity + hash_block_size::slack) + *count_;
  }

  /// Counts `count` hashes, which the caller has written to the ends of all columns.
  void advance(std::size_t count) const noexcept { *count_ += count; }

  /// Adds a hash. Word j of the hash is word(j).
  template <class Word>
  void add(const Word& word) const {
    make_room(1);
    for (std::size_t j = 0; j < words_; ++j) *end(j) = word(j);
    advance(1);
  }

  /// Passes the hashes in the block to `consume`, and empties the block.
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
