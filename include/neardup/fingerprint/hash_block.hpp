// The hashes of many tokens, as the kernels take them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace neardup::inline v0::detail {

/// Hashes of `Words` words, column by column: word j of hash i is columns[j][i].
template <std::size_t Words>
struct hash_block {
  static constexpr std::size_t capacity = 1024;
  static constexpr std::size_t slack = 16;  // kernels write whole vectors

  alignas(64) std::uint64_t columns[Words][capacity + slack];
  std::size_t count = 0;

  hash_block() noexcept {}  // NOLINT(modernize-use-equals-default): the columns stay uninitialised

  [[nodiscard]] std::size_t room() const noexcept { return capacity - count; }
};

}  // namespace neardup::inline v0::detail
