// Joins fingerprints with themselves, table by table and bucket by bucket, without an index.
//
// All that a table needs lies in one array at a time, moved there by passes that the cache can follow, and is read from
// its buckets in order. An index would be built by a cache miss an entry and searched by some more.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "../../detail/bits.hpp"
#include "../../detail/filter_join.hpp"
#include "../../instruction_set.hpp"
#include "../../detail/radix_partition.hpp"
#include "../../fingerprint/fingerprint_all.hpp"
#include "../../index/engine/filter.hpp"
#include "../../runner.hpp"
#include "copy_groups.hpp"
#include "fingerprint_range.hpp"
#include "join_plan.hpp"

namespace neardup::inline v0::detail {

/// Records in the order of their buckets: filters, which are compared, in one array, and what few pairs need in others.
/// Whole fingerprints are filters and words at once.
template <std::size_t Words, class Filter, class Offset>
struct bucket_arrays {
  using words_type = std::array<std::uint64_t, Words>;

  static constexpr bool is_whole = std::is_same_v<Filter, words_type>;

  scratch_array<Filter> filter_memory;
  scratch_array<words_type> words_memory;
  scratch_array<Offset> position_memory;
  std::span<Filter> filters;
  std::span<words_type> words;
  std::span<Offset> positions;

  void take(std::size_t count) {
    filters = filter_memory.take(count);
    if constexpr (is_whole) {
      words = filters;
    } else {
      words = words_memory.take(count);
    }
    positions = position_memory.take(count);
  }

  void set(std::size_t place, const words_type& fingerprint, Offset position) noexcept {
    filters[place] = fold_filter<Filter>(fingerprint);
    words[place] = fingerprint;
    positions[place] = position;
  }

  void swap(std::size_t a, std::size_t b) noexcept {
    std::swap(filters[a], filters[b]);
    if constexpr (!is_whole) std::swap(words[a], words[b]);
    std::swap(positions[a], positions[b]);
  }
};

/// The distinct ones of some fingerprints, and the jobs by which all pairs of them within k bits are found.
template <std::size_t Words, class Offset, class Filter>
class self_join {
 public:
  using words_type = std::array<std::uint64_t, Words>;
  using arrays = bucket_arrays<Words, Filter, Offset>;

  /// Throws: std::invalid_argument as join_plan does; std::bad_alloc.
  self_join(const fingerprint_words<Words>& fingerprints, std::size_t bits, int k, int blocks, const any_runner& run,
            copies_as as = copies_as::one)
      : fingerprints_(fingerprints),
        k_(k),
        copies_as_(as),
        distinct_(fingerprints, as, scratch_, run),
        plan_(bits, k, blocks, distinct_.size(), sample(), level_) {}

  [[nodiscard]] int k() const noexcept { return k_; }
  [[nodiscard]] instruction_set level() const noexcept { return level_; }
  [[nodiscard]] const copy_groups<Words, Offset>& distinct() const noexcept { return distinct_; }
  [[nodiscard]] const join_plan<Words>& plan() const noexcept { return plan_; }

  /// How many parts run() has at most: what needs memory of its own for each part can count on it.
  [[nodiscard]] std::size_t parts(const any_runner& run) const {
    return parts_for(run, distinct_.size(), least_for_a_part);
  }

  /// Gives back the memory that only run() needs.
  void release() noexcept { scratch_.release(); }

  /// What is done with a job of a part in a table. A function by its type, so that each program has one join of a kind.
  using use_type = std::function<bool(std::size_t part, std::size_t table, const arrays& records, filter_join job)>;

  /// Calls `use` for jobs that have all pairs that meet in some table, one table after the other, parts at the same
  /// time.
  /// If it returns false, all ends soon. A job is all that a bucket has to be joined with, or if `splits`, some of it.
  /// Throws: what `use` does, of one part; std::bad_alloc.
  void run(const any_runner& run, bool splits, const use_type& use) {
    if (k_ == 0 && copies_as_ == copies_as::one) return;  // Distinct ones are not within 0 bits.
    std::atomic<bool> goes_on = true;
    for (std::size_t table = 0; table < plan_.tables().size() && goes_on; ++table) {
      const use_table use_here = [&](std::size_t part, const arrays& own, const filter_join& job) {
        if (!use(part, table, own, job)) goes_on = false;
        return goes_on.load(std::memory_order_relaxed);
      };
      if (plan_.tables()[table].radius == 0 && plan_.tables()[table].address_bits > 0) {
        run_by_groups(plan_.tables()[table], run, use_here);
      } else {
        run_by_places(plan_.tables()[table], run, splits, use_here);
      }
    }
  }

 private:
  using record = join_record<Words, Offset>;
  using use_table = std::function<bool(std::size_t part, const arrays& records, const filter_join& job)>;

  static constexpr std::size_t least_for_a_part = std::size_t{1} << 12;

  std::vector<words_type> sample() const {
    constexpr std::size_t most = 4096;
    const std::size_t size = (std::min)(most, distinct_.size() / 8);
    std::vector<words_type> result;
    result.reserve(size);
    for (std::size_t i = 0; i < size; ++i) {
      result.push_back(fingerprints_[distinct_.position(distinct_.size() / size * i)]);
    }
    return result;
  }

  record read(std::size_t i) const noexcept {
    const std::size_t position = distinct_.position(i);
    return record::of(fingerprints_[position], static_cast<Offset>(position));
  }

  /// What a group of buckets needs while it is joined, in the cache: a part's own.
  struct group_memory {
    arrays records;
    std::vector<std::uint32_t> addresses;
    std::vector<std::size_t> ends;
  };

  /// The first pass; then group by group the second pass and the join, as long as the group is in the cache.
  void run_by_groups(const join_table<Words>& table, const any_runner& run, const use_table& use) {
    const std::size_t count = distinct_.size();
    const int high = first_pass_bits(count, table.address_bits);
    const int low = table.address_bits - high;
    const std::size_t buckets = std::size_t{1} << low;
    const std::span<record> records = scratch_.take(count);
    std::vector<std::size_t> begin;
    radix_scatter(
        count, high, [&](std::size_t i) { return read(i); },
        [&](const record& r) { return table.address(r.words()) >> low; },
        [&](std::size_t place, const record& r) { records[place] = r; }, begin, run);
    std::atomic<std::size_t> next = 0;
    first_failure failure;
    run(parts(run), [&](std::size_t part) {
      const bool done = failure.guard(part, [&] {
        group_memory own;
        while (true) {
          const std::size_t group = next.fetch_add(1, std::memory_order_relaxed);
          if (group >= std::size_t{1} << high) return;
          sort_group(table, records.subspan(begin[group], begin[group + 1] - begin[group]), buckets, own);
          std::size_t place = 0;
          for (const std::size_t end : own.ends) {
            if (end - place > 1 && !use(part, own.records, filter_join::within(place, end, end))) return;
            place = end;
          }
        }
      });
      if (!done) next.store(begin.size(), std::memory_order_relaxed);
    });
    failure.rethrow();
  }

  static void sort_group(const join_table<Words>& table, std::span<const record> records, std::size_t buckets,
                         group_memory& own) {
    own.records.take(records.size());
    own.addresses.resize((std::max)(own.addresses.size(), records.size()));
    own.ends.assign(buckets, 0);
    for (std::size_t i = 0; i < records.size(); ++i) {
      own.addresses[i] = static_cast<std::uint32_t>(table.address(records[i].words()) & (buckets - 1));
      ++own.ends[own.addresses[i]];
    }
    std::size_t sum = 0;
    for (std::size_t& end : own.ends) {
      const std::size_t size = end;
      end = sum;
      sum += size;
    }
    for (std::size_t i = 0; i < records.size(); ++i) {
      own.records.set(own.ends[own.addresses[i]]++, records[i].words(), records[i].position);
    }
  }

  /// Both passes; then bucket by bucket the joins with itself and with those within the radius.
  void run_by_places(const join_table<Words>& table, const any_runner& run, bool splits, const use_table& use) {
    const std::size_t count = distinct_.size();
    std::vector<Offset> starts((std::size_t{1} << table.address_bits) + 1);
    arrays all;
    all.take(count);
    radix_partition(
        count, table.address_bits, [&](std::size_t i) { return read(i); },
        [&](const record& r) { return table.address(r.words()); },
        [&](std::size_t place, const record& r) { all.set(place, r.words(), r.position); }, std::span<Offset>(starts),
        scratch_, run);
    const std::vector<std::size_t> flips = flips_of(table);
    // In runs of places rather than of buckets, so that a crowded bucket can be the work of several parts.
    const std::size_t step = (std::max)(std::size_t{64}, count / 1024);
    std::atomic<std::size_t> next = 0;
    first_failure failure;
    run(parts(run), [&](std::size_t part) {
      const bool done = failure.guard(part, [&] {
        while (true) {
          std::size_t first = next.fetch_add(step, std::memory_order_relaxed);
          if (first >= count) return;
          std::size_t last = (std::min)(first + step, count);
          if (!splits) {  // The buckets that begin here.
            first = *std::lower_bound(starts.begin(), starts.end(), static_cast<Offset>(first));
            last = *std::lower_bound(starts.begin(), starts.end(), static_cast<Offset>(last));
          }
          if (!join_places(part, starts, flips, all, first, last, use)) return;
        }
      });
      if (!done) next.store(count, std::memory_order_relaxed);
    });
    failure.rethrow();
  }

  /// The addresses' differences, none of them 0, that are within the radius.
  static std::vector<std::size_t> flips_of(const join_table<Words>& table) {
    std::vector<std::size_t> result;
    if (table.radius == 0) return result;
    for (std::size_t flip = 1; flip < std::size_t{1} << table.address_bits; ++flip) {
      if (std::popcount(flip) <= table.radius) result.push_back(flip);
    }
    return result;
  }

  static bool join_places(std::size_t part, const std::vector<Offset>& starts, const std::vector<std::size_t>& flips,
                          const arrays& all, std::size_t first, std::size_t last, const use_table& use) {
    if (first >= last) return true;
    auto bucket = static_cast<std::size_t>(std::upper_bound(starts.begin(), starts.end(), static_cast<Offset>(first)) -
                                           starts.begin() - 1);
    for (; first < last; ++bucket) {
      const std::size_t end = starts[bucket + 1];
      const std::size_t stop = (std::min)(end, last);
      if (first == stop) continue;
      if (end - first > 1 && !use(part, all, filter_join::within(first, stop, end))) return false;
      for (const std::size_t flip : flips) {
        const std::size_t other = bucket ^ flip;
        if (other < bucket || starts[other] == starts[other + 1]) continue;
        if (!use(part, all, filter_join::across(first, stop, starts[other], starts[other + 1]))) return false;
      }
      first = stop;
    }
    return true;
  }

  fingerprint_words<Words> fingerprints_;
  int k_;
  copies_as copies_as_;
  instruction_set level_ = active_instruction_set();
  scratch_array<record> scratch_;
  copy_groups<Words, Offset> distinct_;
  join_plan<Words> plan_;
};

/// Calls `use(offset, filter)` with zeros of the types that suit `count` fingerprints of `Bits` bits joined within k
/// bits.
template <std::size_t Bits, class Use>
auto with_join_types(std::size_t count, int k, const Use& use) {
  if (count >= (std::numeric_limits<std::uint32_t>::max)()) return use(std::uint64_t{0}, std::uint64_t{0});
  if (Bits <= 32 || narrow_filter_suffices(k)) return use(std::uint32_t{0}, std::uint32_t{0});
  if constexpr (Bits > word_bits) {
    if (!wide_filter_suffices(k)) return use(std::uint32_t{0}, std::array<std::uint64_t, words_for(Bits)>{});
  }
  return use(std::uint32_t{0}, std::uint64_t{0});
}

}  // namespace neardup::inline v0::detail
