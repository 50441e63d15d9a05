// Which block count to take: estimates of what a search costs in each layout, and in how much memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

#include "../detail/bits.hpp"
#include "../detail/filters.hpp"
#include "../error.hpp"
#include "engine/bucket_line.hpp"
#include "layout.hpp"

namespace neardup::inline v0 {

/// The time and the memory that the estimates below count with. The defaults were fitted to batches on one core
/// of a server of 2024; other numbers for another machine change the estimates, and seldom the choice.
struct cost_model {
  double id_bytes = 4;                  ///< of an id
  double entries_per_bucket = 4;        ///< of a directory, where the key has enough bits
  double cache_bytes = 24e6;            ///< what stays near the core: most of the last cache
  double line_seconds = 12e-9;          ///< a line of memory at a random place, with a dozen others under way
  double cached_line_seconds = 7e-9;    ///< the same in the cache, and what is computed for it
  double bandwidth = 10e9;              ///< bytes per second of what is compared in a bucket, from memory
  double cached_bandwidth = 20e9;       ///< the same from the cache
  double scan_bandwidth = 35e9;         ///< bytes per second of a scan of all fingerprints, from memory
  double cached_scan_bandwidth = 80e9;  ///< the same from the cache
  double query_seconds = 40e-9;         ///< of each query, whatever it finds
};

/// What to expect of an index in a layout that holds `count` different fingerprints, each bit of which is 0 as often as
/// 1, when it is searched within k bits. Real fingerprints are not uniform, which costs short keys most.
struct expected_costs {
  int blocks;          ///< of the layout
  std::size_t tables;  ///< of the layout, whether a search within k bits looks into them or not
  double probes;       ///< keys that a query looks up: sum over probed tables of choose_at_most(key width, radius)
  double candidates;   ///< stored fingerprints with such keys, once for each table: sum of probes * count / 2^key width
  double compared;     ///< what is in the buckets looked into: more than the candidates where buckets hold several keys
  double bytes;        ///< of the frozen index, for each fingerprint
  double seconds;      ///< of a query among many on one thread; to be compared with other estimates, not with a clock
};

namespace detail {

/// x / 2^n, 0 where that is too small for a double.
constexpr double divided_by_power(double x, std::size_t n) noexcept {
  for (; n >= 64; n -= 64) x *= 0x1p-64;
  return x / static_cast<double>(std::uint64_t{1} << n);
}

/// The number of ways to choose at most `max` out of `total` things, over 2^`by`; never more than a double holds for
/// by == total.
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

/// min(2^n, limit)
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

/// What one table of a frozen index costs, in time and in bytes.
///
/// A directory of buckets leads to runs of entries. Table 0 orders the fingerprints themselves with their ids; each
/// other table has a filter and a number for every fingerprint, and reads those that pass. The directory has
/// as many buckets as the key has values, and no more than one for entries_per_bucket fingerprints; or its buckets are
/// lines of memory, which hold nearly all that the table has.
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
  /// What a search reads of each entry that it compares, besides the directory.
  [[nodiscard]] constexpr double compared_bytes() const noexcept {
    if (has_lines_) return filter_bytes_ * bucket_line::overflow_share;
    return is_first_ ? fingerprint_bytes_ : filter_bytes_;
  }
  /// How many random lines of memory a probe reads besides that of the directory.
  [[nodiscard]] constexpr double entry_lines() const noexcept {
    return has_lines_ ? bucket_line::overflow_chance : (std::min)(count_ / buckets_, 1.0);
  }
  /// How many random lines of memory an entry needs that passes the filter.
  [[nodiscard]] constexpr double passing_lines() const noexcept { return has_lines_ ? 1 : 2; }

  [[nodiscard]] constexpr double probes(int radius) const noexcept {
    return scaled_choose_at_most(width_, static_cast<std::size_t>(radius), 0);
  }
  [[nodiscard]] constexpr double candidates(int radius) const noexcept {
    return count_ * scaled_choose_at_most(width_, static_cast<std::size_t>(radius), width_);
  }
  /// The share of non-matches that a filter lets through.
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

}  // namespace detail

/// The time, in seconds, of a query that looks at all of `count` fingerprints, as those of flat_index do. It is
/// estimated like expected_costs::seconds: a layout for which that is more is slower than a scan.
/// Throws: std::invalid_argument if count is not in 0..1e300.
[[nodiscard]] constexpr double scan_seconds(std::size_t bits, double count, const cost_model& model = {}) {
  detail::check_count(count);
  const double bytes = 8 * static_cast<double>(detail::words_for(bits)) * count;
  return model.query_seconds +
         bytes / (bytes <= model.cache_bytes ? model.cached_scan_bandwidth : model.scan_bandwidth);
}

/// What a search within k bits costs in this layout among `count` fingerprints.
///
/// Bytes: 8 for each word of the fingerprint and an id, once; for each table but the first a filter (4 bytes, 8 from
/// k = 9 on) and a number; for each table the directory, 4 bytes per bucket. Numbers and buckets have 8 bytes from
/// 2^32 fingerprints on. So for 64 bits and 32-bit ids 12 + 8 * (tables - 1) and up to one byte a table. For k up to 3
/// and 2^17 to 2^28 fingerprints, tables with long keys have it all in lines of 64 bytes: 9.4 for each of them.
/// Seconds: each probe takes a random line of the directory and one of the entries, then reads the bucket at
/// bandwidth; an entry that passes its filter takes two lines more. Where buckets are lines, one in ten probes takes
/// another, and an entry that passes takes one. The cache holds directories first, then entries.
/// A search whose probes would outnumber the fingerprints scans these instead, and has the time of that.
/// Throws: std::invalid_argument if k is not in 0..shape.k(), or count is not in 0..1e300.
[[nodiscard]] constexpr expected_costs costs_of(const layout& shape, double count, int k,
                                                const cost_model& model = {}) {
  detail::check_count(count);
  expected_costs result{shape.blocks(), shape.table_count(), 0, 0, 0, 0, 0};
  double directory_bytes = 0;
  double entry_bytes = 0;
  for (std::size_t table = 0; table < shape.table_count(); ++table) {
    const detail::table_costs costs(shape, table, count, model);
    directory_bytes += costs.directory_bytes();
    entry_bytes += costs.entry_bytes();
  }
  result.bytes = directory_bytes / (std::max)(count, 1.0) + entry_bytes;

  // The probed tables share the cache.
  double probed_directories = 0;
  double probed_entries = 0;
  shape.for_each_probe(k, [&](const table_probe& probe) {
    const detail::table_costs costs(shape, probe.table, count, model);
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
  shape.for_each_probe(k, [&](const table_probe& probe) {
    const detail::table_costs costs(shape, probe.table, count, model);
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
    seconds = scan_seconds(shape.bits(), count, model);
  }
  result.seconds = seconds;
  return result;
}

/// The same, searched within the k of the layout: `costs_of(layout(64, 3, 4), 1e9)`.
[[nodiscard]] constexpr expected_costs costs_of(const layout& shape, double count) {
  return costs_of(shape, count, shape.k());
}

/// What fastest_blocks and leanest_blocks may choose.
struct block_limits {
  /// Of fastest_blocks: bytes for each fingerprint.
  double max_bytes = std::numeric_limits<double>::infinity();
  /// Of leanest_blocks: how many times as long as the fastest a search may take, 1 or more. Infinity: the least memory
  /// of all that do not merely scan.
  double max_slowdown = 10;
  cost_model model = {};
};

namespace detail {

[[noreturn]] inline void refuse_bytes(double max_bytes, double min) {
  fail<std::invalid_argument>("max_bytes = " + std::to_string(max_bytes) + " is less than the leanest layout takes, " +
                              std::to_string(min));
}

/// Calls visit(costs) for every block count that (bits, k) allows.
template <class Visit>
constexpr void for_each_block_count(std::size_t bits, int k, double count, const cost_model& model,
                                    const Visit& visit) {
  for (int blocks = 1; static_cast<std::size_t>(blocks) <= bits && layout::is_valid(bits, k, blocks); ++blocks) {
    visit(costs_of(layout(bits, k, blocks), count, k, model));
  }
}

}  // namespace detail

/// The block count whose searches within k bits are the fastest among `count` fingerprints of `bits` bits, with no more
/// than `limits.max_bytes` for each; of equally fast ones the leanest.
/// Throws: std::invalid_argument if bits is 0, k is not in 0..bits - 1, count is not in 0..1e300, or no layout is as
/// lean as max_bytes; the message names the least that there is.
/// Example: `fastest_blocks(64, 8, 1e7, {.max_bytes = 60}).blocks`
[[nodiscard]] constexpr expected_costs fastest_blocks(std::size_t bits, int k, double count,
                                                      const block_limits& limits = {}) {
  const double max_bytes = limits.max_bytes;
  expected_costs best = costs_of(layout(bits, k, 1), count, k, limits.model);
  detail::for_each_block_count(bits, k, count, limits.model, [&](const expected_costs& costs) {
    const bool fits = costs.bytes <= max_bytes;
    const bool better = costs.seconds < best.seconds || (costs.seconds == best.seconds && costs.bytes < best.bytes);
    if (fits ? !(best.bytes <= max_bytes) || better : costs.bytes < best.bytes) best = costs;
  });
  if (!(best.bytes <= max_bytes)) detail::refuse_bytes(max_bytes, best.bytes);
  return best;
}

/// The block count that takes the least memory, of those whose searches take at most `limits.max_slowdown` times those
/// of the fastest. A layout whose searches only scan counts if all do: flat_index does that in less memory.
/// Returns: its costs; `.blocks` is the block count.
/// Throws: std::invalid_argument as fastest_blocks() does, and unless max_slowdown >= 1.
[[nodiscard]] constexpr expected_costs leanest_blocks(std::size_t bits, int k, double count,
                                                      const block_limits& limits = {}) {
  if (!(limits.max_slowdown >= 1)) detail::fail<std::invalid_argument>("max_slowdown must be 1 or more");
  expected_costs best = fastest_blocks(bits, k, count, {.model = limits.model});
  const double max_seconds = best.seconds * limits.max_slowdown;
  detail::for_each_block_count(bits, k, count, limits.model, [&](const expected_costs& costs) {
    const bool scans = !(costs.probes < count);
    if (scans && best.probes < count) return;
    if (costs.seconds <= max_seconds && costs.bytes < best.bytes) best = costs;
  });
  return best;
}

}  // namespace neardup::inline v0
