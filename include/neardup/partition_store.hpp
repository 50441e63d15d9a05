// SPDX-License-Identifier: MIT
// The concept partition_store: a store for the data of a join that does not fit into memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "version.hpp"

namespace neardup::inline v0 {

/// A store for the data of a join that does not fit into memory. Such a store may be a set of files. Partitions are
/// numbered from 0. `store.append(partition, bytes)` adds bytes to a partition. `store.read(partition, to)` writes all
/// bytes of the partition to the span `to`, in the order in which they were added. `to` has the size of the partition.
/// A join may read a partition several times, but appends nothing to a partition that it has read. It makes one call at
/// a time, from any thread of its runner.
template <class T>
concept partition_store = requires(T& store, std::uint32_t partition, std::span<const std::byte> bytes,
                                   std::span<std::byte> to) {
  store.append(partition, bytes);
  store.read(partition, to);
};

namespace detail {

/// Refers to a partition_store of any type.
struct any_partition_store {
  std::function<void(std::uint32_t partition, std::span<const std::byte>)> append;
  std::function<void(std::uint32_t partition, std::span<std::byte>)> read;
};

/// Refers to `store`.
/// Precondition: the store outlives the result.
template <partition_store Store>
[[nodiscard]] any_partition_store any_store_of(Store& store) {
  return {[&store](std::uint32_t partition, std::span<const std::byte> bytes) { store.append(partition, bytes); },
          [&store](std::uint32_t partition, std::span<std::byte> to) { store.read(partition, to); }};
}

}  // namespace detail

}  // namespace neardup::inline v0
