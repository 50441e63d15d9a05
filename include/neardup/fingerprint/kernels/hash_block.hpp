// SPDX-License-Identifier: MIT
// Blocks of hashes, and the writer by which kernels fill them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace neardup::inline v0::detail {

/// A block of hashes of `Words` words, stored in columns. columns[j][i] is word j of hash i.
template <std::size_t Words>
struct hash_block {
  static constexpr std::size_t capacity = 1024;
  static constexpr std::size_t slack = 16;  // surplus elements for kernels that write whole vectors

  alignas(64) std::uint64_t columns[Words][capacity + slack];
  std::size_t count = 0;

  hash_block() noexcept {}  // NOLINT(modernize-use-equals-default): the columns stay uninitialised

  [[nodiscard]] std::size_t room() const noexcept { return capacity - count; }
};

/// A block that kernels fill, and the callback that consumes the full block. `consume` is type-erased, so that kernels
/// are instantiated once for all compositions of one width.
/// Precondition: block and callback outlive the writer.
template <std::size_t Words>
class hash_writer {
 public:
  template <class Consume>
  hash_writer(hash_block<Words>& target, const Consume& consume) noexcept
      : block(target),
        object_(&consume),
        call_([](const void* object, const hash_block<Words>& full) { (*static_cast<const Consume*>(object))(full); }) {
  }

  /// Flushes unless the block has space for `count` hashes.
  /// Returns: the number of hashes that fit.
  /// Precondition: count <= hash_block::capacity.
  std::size_t make_room(std::size_t count) const {
    if (block.room() < count) flush();
    return block.room();
  }

  /// Returns the end of column `j`.
  [[nodiscard]] std::uint64_t* end(std::size_t j) const noexcept { return block.columns[j] + block.count; }

  /// Adds a hash whose word j is word(j).
  template <class Word>
  void add(const Word& word) const {
    make_room(1);
    for (std::size_t j = 0; j < Words; ++j) *end(j) = word(j);
    ++block.count;
  }

  /// Passes the hashes so far to `consume`.
  void flush() const {
    call_(object_, block);
    block.count = 0;
  }

  hash_block<Words>& block;

 private:
  const void* object_;
  void (*call_)(const void* object, const hash_block<Words>& block);
};

}  // namespace neardup::inline v0::detail
