// Buckets that are a line of the cache each: directory, filters and slots in one.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "../../detail/filters.hpp"
#include "../../detail/instructions.hpp"

namespace neardup::inline v0::detail {

/// A bucket of a table that does not change. It holds as many entries as fit a line of the cache, and says where the
/// others are.
///
/// A probe waits for this one line, mostly, where a directory and runs of filters and slots apart from it are three.
/// Filters of 16 bits pass one non-match in 94 at k = 3, whose slot is at hand.
///
///   bytes  0..19  filters_: ten filters of 16 bits
///   bytes 20..59  slots_: their ten slots of 32 bits; from 15 entries on the last one is the number of all entries
///   bytes 60..63  state_: bits 0..3 the number of entries, 15 for "15 or more"; bits 4..31 where those begin that do
///                 not fit, if there are any
class alignas(64) bucket_line {
 public:
  /// How many entries fit. It is one less in a bucket of 15 or more, whose number of entries takes the room of a slot.
  static constexpr std::size_t capacity = 10;
  /// How many entries of a table of n lines a line has on average, and then, if they come to it at random: the chance
  /// that it overflows, and the share of the entries that are beyond it (Poisson's distribution).
  static constexpr std::size_t mean_count = 7;
  static constexpr double overflow_chance = 0.0985, overflow_share = 0.0296;
  /// overflow() is less than this.
  static constexpr std::size_t overflow_limit = std::size_t{1} << 28;

  bucket_line() = default;
  /// Of `count` entries, whose filters of 32 bits and slots are given; those that do not fit, the last ones, are at
  /// `overflow` in other arrays. Precondition: there are `capacity` values in both arrays, whatever they are.
  bucket_line(std::size_t count, const std::uint32_t* filters, const std::uint32_t* slots,
              std::size_t overflow) noexcept {
    // The loop covers the whole capacity, because the end of a loop up to `count` could not be predicted.
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

/// Whether tables of this type may have bucket_lines for some of their buckets.
template <class Table>
inline constexpr bool may_have_lines = requires(const Table& table) {
  table.has_lines();
};

/// A bucket to look through.
struct line_probe {
  const bucket_line* line;
  std::uint16_t filter;  ///< of the query
  std::uint32_t number;  ///< the caller's
};

/// What a scan of up to `Most` lines finds.
template <std::size_t Most>
struct line_findings {
  /// A filter in a line that is within k bits.
  struct hit {
    std::uint32_t probe;     ///< its number among those that were scanned
    std::uint32_t position;  ///< within the line
  };

  std::size_t hit_count = 0, overflow_count = 0;
  std::array<hit, Most * bucket_line::capacity> hits;
  std::array<std::uint32_t, Most> overflows;  ///< the probes whose lines overflow; beyond those counted, anything
};

/// Scans the lines of `count` probes. Precondition: count <= Most, and the findings are new.
template <std::size_t Most>
void scan_lines_portable(const line_probe* probes, std::size_t count, int k, line_findings<Most>& findings) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    const bucket_line& line = *probes[i].line;
    // Covers the whole capacity, so that compilers can vectorise the loop.
    std::array<std::uint16_t, bucket_line::capacity> counts;
    for (std::size_t j = 0; j < bucket_line::capacity; ++j) {
      counts[j] = static_cast<std::uint16_t>(portable_distance(line.filters()[j], probes[i].filter));
    }
    const std::size_t filled = line.inline_count();
    for (std::size_t j = 0; j < filled; ++j) {
      findings.hits[findings.hit_count] = {static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j)};
      findings.hit_count += counts[j] <= k ? 1 : 0;
    }
    findings.overflows[findings.overflow_count] = static_cast<std::uint32_t>(i);
    findings.overflow_count += line.overflows() ? 1 : 0;
  }
}

#if NEARDUP_X86_KERNELS
NEARDUP_KERNELS_BEGIN

template <std::size_t Most>
NEARDUP_TARGET_AVX2 void scan_lines_avx2(const line_probe* probes, std::size_t count, int k,
                                         line_findings<Most>& findings) noexcept {
  static_assert(bucket_line::capacity <= 16);
  auto* hit = findings.hits.data();
  std::uint32_t* overflow = findings.overflows.data();
  for (std::size_t i = 0; i < count; ++i) {
    const bucket_line& line = *probes[i].line;
    const std::uint32_t within = near_bits_avx2(line.filters(), probes[i].filter, k);
    *overflow = static_cast<std::uint32_t>(i);
    overflow += line.overflows() ? 1 : 0;
    // Each filter gives two equal bits, of which one is kept.
    const unsigned filled = _bzhi_u32(0x55555555U, static_cast<unsigned>(2 * line.inline_count()));
    for (unsigned matching = within & filled; matching != 0; matching = _blsr_u32(matching)) {
      *hit++ = {static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(_tzcnt_u32(matching) / 2)};
    }
  }
  findings.hit_count = static_cast<std::size_t>(hit - findings.hits.data());
  findings.overflow_count = static_cast<std::size_t>(overflow - findings.overflows.data());
}

NEARDUP_KERNELS_END
#endif

/// The scan of lines that the active instruction set has.
template <std::size_t Most>
[[nodiscard]] auto line_scan() noexcept {
  using scan = void (*)(const line_probe*, std::size_t, int, line_findings<Most>&) noexcept;
#if NEARDUP_X86_KERNELS
  // A line has too few filters for vectors of 512 bits.
  if (has_avx2(active_instruction_set())) return scan(scan_lines_avx2<Most>);
#endif
  return scan(scan_lines_portable<Most>);
}

/// How many lines suit `count` fingerprints. 0 if lines do not suit: where filters of 16 bits pass too many, or keys of
/// `key_width` bits are too few to spread over the lines, or where memory is what counts, for building them takes 8
/// bytes more for each fingerprint.
[[nodiscard]] constexpr std::size_t bucket_lines_for(std::size_t count, std::size_t key_width, int k) noexcept {
  constexpr std::size_t min_count = std::size_t{1} << 17;
  constexpr int max_k = 3;  // passes 1.1 % of non-matches, 3.8 % at k = 4
  const std::size_t lines = count / bucket_line::mean_count + 1;
  const bool spreads = key_width >= static_cast<std::size_t>(std::bit_width(lines)) + 1;
  return k <= max_k && spreads && count >= min_count && count <= bucket_line::overflow_limit ? lines : 0;
}

}  // namespace neardup::inline v0::detail
