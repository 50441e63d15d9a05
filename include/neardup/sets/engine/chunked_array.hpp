// SPDX-License-Identifier: MIT
// An array that grows by chunks, so that growing never moves its elements.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "../../detail/bits.hpp"

namespace neardup::inline v0::detail {

/// Returns the bucket of a hash in a hash table of `buckets` buckets that grows by one bucket at a time (linear
/// hashing).
inline std::size_t growing_place(std::uint64_t hash, std::size_t buckets) noexcept {
  const std::size_t all = std::bit_ceil(buckets), at = to_size(hash) & (all - 1);
  return at < buckets ? at : at & (all / 2 - 1);
}

/// An array that grows by chunks of about `ChunkBytes` bytes. Growing allocates one chunk and moves no element, so
/// references stay valid. A std::vector of a million elements of 32 bytes takes 10 ms to grow.
/// Guarantee: strong. The array is movable, not copyable; a moved-from array is empty.
template <class T, std::size_t ChunkBytes = 1024>
class chunked_array {
  static constexpr std::size_t chunk = std::bit_floor((std::max)(ChunkBytes / sizeof(T), std::size_t{1}));

 public:
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] T& operator[](std::size_t i) noexcept { return chunks_[i / chunk][i % chunk]; }
  [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return chunks_[i / chunk][i % chunk]; }

  /// Appends value-initialised elements until there are `size` elements.
  /// Precondition: no element at index size() or above has been assigned.
  void grow_to(std::size_t size) {
    while (chunks_.size() * chunk < size) chunks_.push_back(std::make_unique<T[]>(chunk));
    if (size > size_) size_ = size;
  }

  void clear() noexcept {
    chunks_.clear();
    size_ = 0;
  }
  /// Frees the last chunk. After the first call, no other member may be called.
  /// Returns: false if no chunk was left.
  bool free_chunk() noexcept {
    if (chunks_.empty()) return false;
    chunks_.pop_back();
    return true;
  }

  [[nodiscard]] std::size_t memory_usage() const noexcept {
    return chunks_.capacity() * sizeof(chunks_[0]) + chunks_.size() * chunk * sizeof(T);
  }

 private:
  std::vector<std::unique_ptr<T[]>> chunks_;
  until_moved<std::size_t> size_;
};

}  // namespace neardup::inline v0::detail
