// SPDX-License-Identifier: MIT
// Buckets of one cache line each, their scan, and which tables have them.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "../../detail/bits.hpp"
#include "../../simd/forms.hpp"
#include "filters.hpp"

namespace neardup::inline v0::detail {

/// A bucket of an immutable table, in one cache line. It holds up to ten entries. The table keeps further entries (the
/// overflow) in other arrays, and the line holds the position where they begin.
///
/// Most probes miss the cache once, for this line. With a directory and separate runs of filters and slots, a probe
/// costs three misses. A filter of 16 bits passes one non-match in 94 at k = 3, and the slot of that entry is in the
/// same line.
///
///   bytes  0..19  filters_: ten filters of 16 bits
///   bytes 20..59  slots_: their ten slots of 32 bits; in a bucket of 15 or more entries, slots_[9] is their number
///   bytes 60..63  state_: bits 0..3 the number of entries, 15 meaning "15 or more"; bits 4..31 where the overflow
///                 begins, if any
class alignas(64) bucket_line {
 public:
  /// The number of entries that fit a line. If the bucket has 15 or more entries, one slot holds their number, so one
  /// entry fewer fits.
  static constexpr std::size_t capacity = 10;
  /// A table of n entries has n / mean_count lines. If entries fall into lines at random (Poisson distribution),
  /// overflow_chance is the probability that a line overflows, and overflow_share the share of entries in the overflow.
  static constexpr std::size_t mean_count = 7;
  static constexpr double overflow_chance = 0.0985, overflow_share = 0.0296;
  /// Invariant: overflow() < overflow_limit.
  static constexpr std::size_t overflow_limit = std::size_t{1} << 28;

  bucket_line() = default;
  /// Makes a bucket of `count` entries with these 32-bit filters and slots. If there are more entries than fit, the
  /// caller stores the last ones in other arrays, from position `overflow` on.
  /// Precondition: both arrays have `capacity` readable values, even if count is less.
  bucket_line(std::size_t count, const std::uint32_t* filters, const std::uint32_t* slots,
              std::size_t overflow) noexcept {
    // The loop always covers the whole capacity. A loop that ended at `count` would be mispredicted.
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

/// True if a table of this type may have bucket_lines as buckets.
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
    std::uint32_t position;  ///< within the line
  };

  std::size_t hit_count = 0, overflow_count = 0;
  std::array<hit, Most * bucket_line::capacity> hits;
  std::array<std::uint32_t, Most> overflows;  ///< the overflow_count probes whose lines overflow
};

}  // namespace neardup::inline v0::detail

#define NEARDUP_KERNEL "../index/engine/bucket_line.inl"
#include "../../simd/for_each_form.hpp"

namespace neardup::inline v0::detail {

/// Returns the scan of lines for the active instruction set. `Most`: the template argument of that version.
template <std::size_t Most>
[[nodiscard]] auto line_scan() noexcept {
  return choose_form(active_instruction_set(),
                     [](auto form) { return &decltype(line_kernels_of(form))::template scan<Most>; });
}

/// Returns the number of bucket_lines for a table of `count` fingerprints; 0 if the table should have a directory
/// instead.
///
/// The result is 0 in four cases. (1) k > 3: filters of 16 bits would pass too many non-matches. (2) Keys of
/// `key_width` bits have so few distinct values that the lines would fill unevenly. (3) There are fewer than 2^17
/// fingerprints. (4) There are more than overflow_limit fingerprints: a line has 28 bits for the position of its
/// overflow, and building lines takes 8 bytes more per fingerprint.
[[nodiscard]] constexpr std::size_t bucket_lines_for(std::size_t count, std::size_t key_width, int k) noexcept {
  constexpr std::size_t min_count = std::size_t{1} << 17;
  constexpr int max_k = 3;  // at k = 3, 1.1 % of non-matches pass; at k = 4, 3.8 %
  const std::size_t lines = count / bucket_line::mean_count + 1;
  const bool spreads = key_width >= to_size(std::bit_width(lines)) + 1;
  return k <= max_k && spreads && count >= min_count && count <= bucket_line::overflow_limit ? lines : 0;
}

}  // namespace neardup::inline v0::detail
