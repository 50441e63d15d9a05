// SPDX-License-Identifier: MIT
// Estimates the time and memory of a search in each layout, and chooses the number of blocks by these estimates.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>

#include "../detail/bits.hpp"
#include "../error.hpp"
#include "../simd/filters.hpp"
#include "engine/bucket_line.hpp"
#include "layout.hpp"

namespace neardup::inline v0 {

/// The expected cost of a search within k bits, in an index of `count` distinct fingerprints with a given layout. The
/// estimate assumes uniform fingerprints: each bit is 0 as often as 1. Real fingerprints are skewed, so searches with
/// short keys are slower than estimated.
struct expected_costs {
  int blocks;          ///< blocks of the layout
  std::size_t tables;  ///< tables of the layout, including tables that a search within k bits does not probe
  double probes;       ///< keys that a query looks up: sum over probed tables of choose_at_most(key width, radius)
  double candidates;   ///< fingerprints with these keys, counted per table: sum of probes * count / 2^key width
  double compared;     ///< fingerprints in the probed buckets; more than `candidates` if buckets contain several keys
  double bytes;        ///< bytes of the frozen index per fingerprint
  double seconds;      ///< per query in a batch on one thread; only comparable with other estimates
};

namespace detail {

/// The machine constants of the estimates. The defaults were fitted to batches on one core of a server of 2024. Other
/// constants change the estimates, but seldom the chosen layout.
struct cost_model {
  double id_bytes = 4;                  ///< bytes of an id
  double entries_per_bucket = 4;        ///< fingerprints per bucket of a directory, if the key has enough bits
  double cache_bytes = 24e6;            ///< usable cache per core: most of the last-level cache
  double line_seconds = 12e-9;          ///< load of a line at a random address, among a dozen other loads
  double cached_line_seconds = 7e-9;    ///< load of a cached line, and the work on it
  double bandwidth = 10e9;              ///< bytes per second compared within a bucket, from memory
  double cached_bandwidth = 20e9;       ///< bytes per second compared within a bucket, from the cache
  double scan_bandwidth = 35e9;         ///< bytes per second of a scan of all fingerprints, from memory
  double cached_scan_bandwidth = 80e9;  ///< bytes per second of a scan of all fingerprints, from the cache
  double query_seconds = 40e-9;         ///< fixed cost of a query
};

/// Returns x / 2^n. Returns 0 if the result is too small for a double.
constexpr double divided_by_power(double x, std::size_t n) noexcept {
  for (; n >= 64; n -= 64) x *= 0x1p-64;
  return x / static_cast<double>(std::uint64_t{1} << n);
}

/// Returns the sum of C(total, i) for i in 0..max, divided by 2^by. Returns infinity if the quotient is too large for a
/// double, which is possible only if by < total.
constexpr double scaled_choose_at_most(std::size_t total, std::size_t max, std::size_t by) noexcept {
  double sum = 0;
  for (std::size_t i = 0; i <= max && i <= total; ++i) {
    double ways = 1;
    std::size_t left = by;
    for (std::size_t j = 1; j <= i; ++j) {
      ways = ways * static_cast<double>(total - i + j) / static_cast<double>(j);
      for (; left >= 64 && ways >= 0x1p64; left -= 64) ways *= 0x1p-64;
      if (ways > 0x1p900) return std::numeric_limits<double>::infinity();
    }
    sum += divided_by_power(ways, left);
  }
  return sum;
}

constexpr double power_up_to(std::size_t n, double limit) noexcept {
  double power = 1;
  for (; n > 0 && power < limit; --n) power *= 2;
  return (std::min)(power, limit);
}

constexpr void check_count(double count) {
  if (!(count >= 0 && count <= 1e300)) {
    fail<std::invalid_argument>("count must be a number of fingerprints from 0 to 1e300");
  }
}

/// The time and memory of one table of a frozen_index.
///
/// A directory maps a bucket to a run of entries. Table 0 stores the fingerprints and ids themselves, ordered by
/// bucket. Each other table stores a filter and a slot number per fingerprint. A search reads the fingerprints whose
/// filters pass. The directory has min(2^key width, count / entries_per_bucket) buckets. If the table uses
/// bucket_lines, each bucket is one cache line, which contains nearly all of its entries.
class table_costs {
 public:
  constexpr table_costs(const layout& shape, std::size_t table, double count, const cost_model& model)
      : width_(shape.key_width(table)), count_(count), number_bytes_(count < 0x1p32 ? 4 : 8) {
    fingerprint_bytes_ = 8 * static_cast<double>(words_for(shape.bits()));
    is_first_ = table == 0;
    if (!is_first_ && shape.is_exact() && count <= static_cast<double>(bucket_line::overflow_limit)) {
      has_lines_ = bucket_lines_for(static_cast<std::size_t>(count), width_, shape.k()) != 0;
    }
    filter_bytes_ = narrow_filter_suffices(shape.k()) ? 4 : 8;
    entry_bytes_ = is_first_ ? fingerprint_bytes_ + model.id_bytes : filter_bytes_ + number_bytes_;
    if (has_lines_) {
      buckets_ = count / bucket_line::mean_count;
      entry_bytes_ *= bucket_line::overflow_share;
    } else {
      buckets_ = power_up_to(width_, (std::max)(count / model.entries_per_bucket, 1.0));
    }
  }

  [[nodiscard]] constexpr double buckets() const noexcept { return buckets_; }
  [[nodiscard]] constexpr double directory_bytes() const noexcept {
    return buckets_ * (has_lines_ ? double{sizeof(bucket_line)} : number_bytes_);
  }
  [[nodiscard]] constexpr double entry_bytes() const noexcept { return entry_bytes_; }
  /// Returns how many bytes a search reads per compared entry, without the directory.
  [[nodiscard]] constexpr double compared_bytes() const noexcept {
    if (has_lines_) return filter_bytes_ * bucket_line::overflow_share;
    return is_first_ ? fingerprint_bytes_ : filter_bytes_;
  }
  /// Returns how many random cache lines a search reads per probe, without the line of the directory.
  [[nodiscard]] constexpr double entry_lines() const noexcept {
    return has_lines_ ? bucket_line::overflow_chance : (std::min)(count_ / buckets_, 1.0);
  }
  /// Returns how many random cache lines a search reads per entry that passes the filter.
  [[nodiscard]] constexpr double passing_lines() const noexcept { return has_lines_ ? 1 : 2; }

  [[nodiscard]] constexpr double probes(int radius) const noexcept {
    return scaled_choose_at_most(width_, static_cast<std::size_t>(radius), 0);
  }
  [[nodiscard]] constexpr double candidates(int radius) const noexcept {
    return count_ * scaled_choose_at_most(width_, static_cast<std::size_t>(radius), width_);
  }
  /// Returns the share of non-matches that pass the filter.
  [[nodiscard]] constexpr double passed(int k) const noexcept {
    if (is_first_) return 0;
    const auto bits = has_lines_ ? std::size_t{16} : static_cast<std::size_t>(8 * filter_bytes_);
    return scaled_choose_at_most(bits, static_cast<std::size_t>(k), bits);
  }

 private:
  std::size_t width_;
  double count_;
  double number_bytes_;
  double fingerprint_bytes_ = 0;
  double filter_bytes_ = 0;
  double entry_bytes_ = 0;
  double buckets_ = 0;
  bool is_first_ = false;
  bool has_lines_ = false;
};

/// Returns the seconds of one query that compares all `count` fingerprints.
constexpr double scan_costs(std::size_t bits, double count, const cost_model& model) noexcept {
  const double bytes = 8 * static_cast<double>(words_for(bits)) * count;
  return model.query_seconds +
         bytes / (bytes <= model.cache_bytes ? model.cached_scan_bandwidth : model.scan_bandwidth);
}

/// Returns the result of costs_of() for a machine with the constants `model`.
constexpr expected_costs modelled_costs(const layout& shape, double count, int k, const cost_model& model) {
  check_count(count);
  expected_costs result{shape.blocks(), shape.table_count(), 0, 0, 0, 0, 0};
  double directory_bytes = 0;
  double entry_bytes = 0;
  for (std::size_t table = 0; table < shape.table_count(); ++table) {
    const table_costs costs(shape, table, count, model);
    directory_bytes += costs.directory_bytes();
    entry_bytes += costs.entry_bytes();
  }
  result.bytes = directory_bytes / (std::max)(count, 1.0) + entry_bytes;

  // The directories and the entries of all probed tables share one cache.
  double probed_directories = 0;
  double probed_entries = 0;
  shape.for_each_probe(k, [&](const layout::table_probe& probe) {
    const table_costs costs(shape, probe.table, count, model);
    probed_directories += costs.directory_bytes();
    probed_entries += costs.compared_bytes() * count;
  });
  const auto share = [](double room, double bytes) { return bytes <= room ? 1.0 : room / bytes; };
  const double directories_in_cache = share(model.cache_bytes, probed_directories);
  const double entries_in_cache = share((std::max)(model.cache_bytes - probed_directories, 0.0), probed_entries);
  const auto blend = [](double share_in_cache, double in_cache, double in_memory) {
    return share_in_cache * in_cache + (1 - share_in_cache) * in_memory;
  };

  double seconds = model.query_seconds;
  shape.for_each_probe(k, [&](const layout::table_probe& probe) {
    const table_costs costs(shape, probe.table, count, model);
    const double probes = costs.probes(probe.radius);
    const double bucket = count / costs.buckets();
    result.probes += probes;
    result.candidates += costs.candidates(probe.radius);
    result.compared += probes * bucket;
    const double line = blend(entries_in_cache, model.cached_line_seconds, model.line_seconds);
    const double a_byte = blend(entries_in_cache, 1 / model.cached_bandwidth, 1 / model.bandwidth);
    seconds += probes * (blend(directories_in_cache, model.cached_line_seconds, model.line_seconds) +
                         costs.entry_lines() * line + bucket * costs.compared_bytes() * a_byte +
                         bucket * costs.passed(k) * costs.passing_lines() * line);
  });
  if (!(result.probes < count)) {
    result.compared = count;
    seconds = scan_costs(shape.bits(), count, model);
  }
  result.seconds = seconds;
  return result;
}

[[noreturn]] inline void refuse_bytes(double max_bytes, double min) {
  fail<std::invalid_argument>({"max_bytes = ", max_bytes, " is less than the leanest layout takes, ", min});
}

}  // namespace detail

/// Returns the expected cost of a search within k bits among `count` fingerprints in a given layout.
///
/// Bytes per fingerprint: the first table has 8 bytes for each word, and the id. Each table except the first has a
/// filter (4 bytes, or 8 if shape.k() > 8) and a slot number (4 bytes). Each table has a directory of 4 bytes per
/// bucket. For 2^32 fingerprints or more, slot numbers and directory entries have 8 bytes. With 64 bits, 32-bit ids and
/// shape.k() <= 8, the sum is 12 + 8 * (tables - 1), plus at most 1 per table. If shape.k() <= 3 and count is in
/// 2^17..2^28, the buckets of a table with long keys are cache lines, which take 9.4 bytes per fingerprint.
///
/// Seconds: a probe reads a random line of the directory and a random line of the entries. The rest of the bucket is
/// read at `bandwidth` of cost_model. An entry that passes its filter costs two more lines. If buckets are cache lines,
/// one probe in ten reads a second line, and an entry that passes costs one line. Directories fill the cache first, and
/// entries fill the rest of the cache. If there would be more probes than fingerprints, the search scans instead, and
/// the estimate is the cost of the scan.
/// Throws: std::invalid_argument if k is not in 0..shape.k(), or count is not in 0..1e300.
[[nodiscard]] constexpr expected_costs costs_of(const layout& shape, double count, int k) {
  return detail::modelled_costs(shape, count, k, {});
}

/// Returns the expected cost of a search within shape.k() bits.
/// Example: `costs_of(layout(64, 3, 4), 1e9)`.
[[nodiscard]] constexpr expected_costs costs_of(const layout& shape, double count) {
  return costs_of(shape, count, shape.k());
}

/// Returns the seconds of one query of a flat_index, which compares all `count` fingerprints. You can compare the
/// result with expected_costs::seconds: a layout with a larger estimate is slower than a scan.
/// Throws: std::invalid_argument if count is not in 0..1e300.
[[nodiscard]] constexpr double scan_seconds(std::size_t bits, double count) {
  detail::check_count(count);
  return detail::scan_costs(bits, count, {});
}

/// Finds the number of blocks with the fastest searches, for searches within k bits among `count` fingerprints of
/// `bits` bits. Layouts that take more than `max_bytes` per fingerprint are excluded. Of equally fast layouts,
/// the layout with less memory is chosen.
/// Returns: the costs of the chosen layout. The member `blocks` is the number of blocks of the layout.
/// Throws: std::invalid_argument if bits is 0, k is not in 0..bits - 1, count is not in 0..1e300, or every layout takes
/// more than max_bytes. In the last case, the message has the least possible number of bytes.
/// Example: `fastest_blocks(64, 8, 1e7, 60).blocks`
[[nodiscard]] constexpr expected_costs fastest_blocks(std::size_t bits, int k, double count,
                                                      double max_bytes = std::numeric_limits<double>::infinity()) {
  expected_costs best = costs_of(layout(bits, k, 1), count);
  for (int blocks = 2; layout::is_valid(bits, k, blocks); ++blocks) {
    const expected_costs costs = costs_of(layout(bits, k, blocks), count);
    const bool fits = costs.bytes <= max_bytes;
    const bool better = costs.seconds < best.seconds || (costs.seconds == best.seconds && costs.bytes < best.bytes);
    if (fits ? !(best.bytes <= max_bytes) || better : costs.bytes < best.bytes) best = costs;
  }
  if (!(best.bytes <= max_bytes)) detail::refuse_bytes(max_bytes, best.bytes);
  return best;
}

/// Finds the number of blocks with the least memory, among the layouts that are at most `max_slowdown` times as
/// slow as the fastest. A layout that only scans is excluded, because a flat_index scans with less memory. If all
/// layouts only scan, none is excluded. `max_slowdown` may be infinity.
/// Returns: the costs of the chosen layout. The member `blocks` is the number of blocks of the layout.
/// Throws: the exceptions of fastest_blocks(); std::invalid_argument unless max_slowdown >= 1.
[[nodiscard]] constexpr expected_costs leanest_blocks(std::size_t bits, int k, double count, double max_slowdown = 10) {
  if (!(max_slowdown >= 1)) detail::fail<std::invalid_argument>("max_slowdown must be 1 or more");
  expected_costs best = fastest_blocks(bits, k, count);
  const double max_seconds = best.seconds * max_slowdown;
  for (int blocks = 1; layout::is_valid(bits, k, blocks); ++blocks) {
    const expected_costs costs = costs_of(layout(bits, k, blocks), count);
    const bool scans = !(costs.probes < count);
    if (scans && best.probes < count) continue;
    if (costs.seconds <= max_seconds && costs.bytes < best.bytes) best = costs;
  }
  return best;
}

}  // namespace neardup::inline v0
