// SPDX-License-Identifier: MIT
// Buckets that are one cache line each, the scan of such buckets, and the choice of tables that have them.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "../../detail/bits.hpp"
#include "../../simd/filters.hpp"
#include "../../simd/forms.hpp"

namespace neardup::inline v0::detail {

/// A bucket of an immutable table, in one cache line. A line has at most ten entries. Other arrays of the table have
/// the further entries of a bucket (the overflow), and the line has the position of its overflow.
///
/// Most probes cause one cache miss, which is this line. With a directory and separate arrays of filters and slots, a
/// probe causes three cache misses. At k = 3, a filter of 16 bits passes one non-match in 94, whose slot is in the same
/// line.
///
///   bytes  0..19  filters_: ten filters of 16 bits
///   bytes 20..59  slots_: their ten slots of 32 bits; in a bucket of 15 or more entries, slots_[9] is the number of
///                 entries
///   bytes 60..63  state_: bits 0..3 the number of entries, where 15 stands for 15 or more; bits 4..31 the position of
///                 the overflow, if there is one
class alignas(64) bucket_line {
 public:
  /// The greatest number of entries in a line. If the bucket has 15 or more entries, the last slot of the line is their
  /// number, so the line has only nine entries.
  static constexpr std::size_t capacity = 10;
  /// A table of n entries has n / mean_count lines. If entries are distributed over the lines at random (Poisson
  /// distribution), overflow_chance is the probability that a line overflows, and overflow_share is the share of the
  /// entries that are in the overflow.
  static constexpr std::size_t mean_count = 7;
  static constexpr double overflow_chance = 0.0985, overflow_share = 0.0296;
  /// Invariant: overflow() < overflow_limit.
  static constexpr std::size_t overflow_limit = std::size_t{1} << 28;

  bucket_line() = default;
  /// Makes a bucket of `count` entries with the given filters and slots of 32 bits. If there are more entries than a
  /// line has room for, the caller stores the last entries in other arrays, from position `overflow` on.
  /// Precondition: `filters` and `slots` have `capacity` readable values each, even if `count` is less.
  bucket_line(std::size_t count, const std::uint32_t* filters, const std::uint32_t* slots,
              std::size_t overflow) noexcept {
    // The loop always has `capacity` iterations. The end of a loop with `count` iterations would be mispredicted.
    for (std::size_t i = 0; i < capacity; ++i) {
      filters_[i] = fold_filter<std::uint16_t>(std::array<std::uint64_t, 1>{filters[i]});
    }
    for (std::size_t i = 0; i < capacity; ++i) slots_[i] = slots[i];
    state_ = static_cast<std::uint32_t>((std::min)(count, many));
    if (count > capacity) state_ |= static_cast<std::uint32_t>(overflow << code_bits);
    if (count >= many) slots_[capacity - 1] = static_cast<std::uint32_t>(count);
  }

  [[nodiscard]] static constexpr std::size_t inline_count(std::size_t count) noexcept {
    return count < many ? (std::min)(count, capacity) : capacity - 1;
  }
  [[nodiscard]] std::size_t inline_count() const noexcept { return inline_count(code()); }
  [[nodiscard]] bool overflows() const noexcept { return code() > capacity; }
  [[nodiscard]] std::size_t overflow() const noexcept { return state_ >> code_bits; }
  [[nodiscard]] std::size_t overflow_count() const noexcept {
    const std::size_t count = code() == many ? slots_[capacity - 1] : code();
    return count - inline_count();
  }

  [[nodiscard]] const std::uint16_t* filters() const noexcept { return filters_.data(); }
  [[nodiscard]] std::uint32_t slot(std::size_t i) const noexcept { return slots_[i]; }

 private:
  static constexpr int code_bits = 4;
  static constexpr std::size_t many = (std::size_t{1} << code_bits) - 1;

  [[nodiscard]] std::size_t code() const noexcept { return state_ & many; }

  std::array<std::uint16_t, capacity> filters_;
  std::array<std::uint32_t, capacity> slots_;
  std::uint32_t state_;
};
static_assert(sizeof(bucket_line) == 64);

/// True if the buckets of a table of this type may be bucket_lines.
template <class Table>
inline constexpr bool may_have_lines = requires(const Table& table) {
  table.has_lines();
};

/// A line to scan for a query.
struct line_probe {
  const bucket_line* line;
  std::uint16_t filter;  ///< the query's filter
  std::uint32_t number;  ///< chosen by the caller; the scan does not use it
};

/// The result of a scan of up to `Most` lines.
template <std::size_t Most>
struct line_findings {
  /// A filter within k bits of the filter of the query.
  struct hit {
    std::uint32_t probe;     ///< index of the probe
    std::uint32_t position;  ///< of the filter within the line
  };

  std::size_t hit_count = 0, overflow_count = 0;
  std::array<hit, Most * bucket_line::capacity> hits;
  std::array<std::uint32_t, Most> overflows;  ///< the overflow_count probes whose lines overflow
};

}  // namespace neardup::inline v0::detail

#define NEARDUP_KERNEL "../index/engine/bucket_line.inl"
#include "../../simd/for_each_form.hpp"

namespace neardup::inline v0::detail {

/// Returns the function line_kernels::scan<Most>() of the active instruction set.
template <std::size_t Most>
[[nodiscard]] auto line_scan() noexcept {
  return choose_form(active_instruction_set(),
                     [](auto form) { return &decltype(line_kernels_of(form))::template scan<Most>; });
}

/// Returns the number of bucket_lines for a table of `count` fingerprints, or 0 if the table should have a directory
/// instead.
///
/// The result is 0 in four cases. (1) k > 3: filters of 16 bits would pass too many non-matches. (2) Keys of
/// `key_width` bits have so few distinct values that some lines would be crowded. (3) There are fewer than 2^17
/// fingerprints. (4) There are more than overflow_limit fingerprints: a line has 28 bits for the position of its
/// overflow, and building lines takes another 8 bytes per fingerprint.
[[nodiscard]] constexpr std::size_t bucket_lines_for(std::size_t count, std::size_t key_width, int k) noexcept {
  constexpr std::size_t min_count = std::size_t{1} << 17;
  constexpr int max_k = 3;  // at k = 3, 1.1 % of non-matches pass; at k = 4, 3.8 %
  const std::size_t lines = count / bucket_line::mean_count + 1;
  const bool spreads = key_width >= to_size(std::bit_width(lines)) + 1;
  return k <= max_k && spreads && count >= min_count && count <= bucket_line::overflow_limit ? lines : 0;
}

}  // namespace neardup::inline v0::detail
