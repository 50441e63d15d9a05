// SPDX-License-Identifier: MIT
// A hash table that finds equal sets.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../../detail/bits.hpp"

namespace neardup::inline v0::detail {

/// Numbers of sets by a hash of the set, of up to 2^32 - 2 sets.
class copy_table {
 public:
  /// Empties the table, and makes room for `sets` numbers. Throws: std::bad_alloc.
  void reset(std::size_t sets) {
    slots_.assign(std::bit_ceil((std::max)(2 * sets, std::size_t{16})), none);
    shift_ = 64 - std::countr_zero(slots_.size());
  }

  /// Returns: the number of a set with this hash for which is_equal(number) is true, or `number` after adding it.
  /// Precondition: fewer numbers were added than reset() made room for.
  template <class IsEqual>
  std::uint32_t find_or_add(std::uint64_t hash, std::uint32_t number, const IsEqual& is_equal) {
    std::size_t at = to_size((hash * golden_ratio) >> shift_);
    while (slots_[at] != none) {
      if (is_equal(slots_[at])) return slots_[at];
      at = (at + 1) & (slots_.size() - 1);
    }
    return slots_[at] = number;
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  std::vector<std::uint32_t> slots_;
  int shift_ = 60;
};

}  // namespace neardup::inline v0::detail
