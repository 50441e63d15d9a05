// SPDX-License-Identifier: MIT
// Joins the fingerprints of one corpus, or of two corpora, bucket by bucket. The join needs no index.
//
// For each table, cache-friendly passes move the records into bucket order. Then the records are read sequentially. An
// index would be slower: building it costs a cache miss per entry, and searching it costs further cache misses.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "../../detail/bits.hpp"
#include "../../detail/equal_groups.hpp"
#include "../../detail/radix_partition.hpp"
#include "../../instruction_set.hpp"
#include "../../runner.hpp"
#include "../../simd/filters.hpp"
#include "join_input.hpp"
#include "join_plan.hpp"

namespace neardup::inline v0::detail {

/// The data that a join compares first: a fingerprint folded to 32 bits, a fingerprint folded to 64 bits, or the whole
/// fingerprint.
enum class join_filter { narrow, wide, whole };

template <std::size_t Words>
[[nodiscard]] constexpr join_filter filter_for(std::size_t bits, int k) noexcept {
  if (bits <= 32 || narrow_filter_suffices(k)) return join_filter::narrow;
  return Words > 1 && wide_filter_suffices(k) ? join_filter::wide : join_filter::whole;
}

/// Records in bucket order. A record is a fingerprint with its position. The filters are in an array of their own,
/// because the filters of all pairs are compared. Words and positions are in other arrays, because few pairs need words
/// or positions. The kind of filter is a value at run time, so that the join is instantiated once.
template <std::size_t Words, class Offset>
class bucket_arrays {
 public:
  using words_type = std::array<std::uint64_t, Words>;

  explicit bucket_arrays(join_filter filter) noexcept : filter_(filter) {}

  /// Allocates `count` records. Their content is unspecified.
  /// Throws: std::bad_alloc.
  void take(std::size_t count) {
    if (filter_ == join_filter::narrow) narrow_ = narrow_memory_.take(count);
    if (filter_ == join_filter::wide) wide_ = wide_memory_.take(count);
    words_ = words_memory_.take(count);
    positions_ = position_memory_.take(count);
  }

  [[nodiscard]] const words_type& words(std::size_t i) const noexcept { return words_[i]; }
  [[nodiscard]] Offset position(std::size_t i) const noexcept { return positions_[i]; }

  /// Returns the first record in [begin, end) whose position is at least `least`, or `end` if there is none.
  /// Precondition: positions ascend in [begin, end).
  [[nodiscard]] std::size_t first_from(std::size_t least, std::size_t begin, std::size_t end) const noexcept {
    const Offset* const first = positions_.data();
    return static_cast<std::size_t>(std::lower_bound(first + begin, first + end, least) - first);
  }

  void set(std::size_t i, const words_type& fingerprint, Offset position) noexcept {
    if (filter_ == join_filter::narrow) narrow_[i] = fold_filter<std::uint32_t>(fingerprint);
    if (filter_ == join_filter::wide) wide_[i] = fold_filter<std::uint64_t>(fingerprint);
    words_[i] = fingerprint;
    positions_[i] = position;
  }

  /// The arrays that the first pass writes. The second pass computes the filters from the words in these arrays.
  struct unfiltered {
    words_type* words;
    Offset* positions;
  };
  [[nodiscard]] unfiltered without_filters() noexcept { return {words_.data(), positions_.data()}; }

  void release() noexcept { *this = bucket_arrays(filter_); }

  void swap(std::size_t a, std::size_t b) noexcept {
    if (filter_ == join_filter::narrow) std::swap(narrow_[a], narrow_[b]);
    if (filter_ == join_filter::wide) std::swap(wide_[a], wide_[b]);
    std::swap(words_[a], words_[b]);
    std::swap(positions_[a], positions_[b]);
  }

  /// Continues `job`: writes pairs of records whose filters differ in at most k bits to `found`. See join_filters().
  std::size_t find_near(filter_join& job, int k, std::span<filter_pair> found, instruction_set level) const noexcept {
    const auto join = [&](const auto* filters) { return join_filters(filters, filters, job, k, found, level); };
    if (filter_ == join_filter::narrow) return join(narrow_.data());
    if constexpr (Words == 1) {
      return join(reinterpret_cast<const std::uint64_t*>(words_.data()));
    } else {
      return filter_ == join_filter::wide ? join(wide_.data()) : join(words_.data());
    }
  }

 private:
  join_filter filter_;
  scratch_array<std::uint32_t> narrow_memory_;
  scratch_array<std::uint64_t> wide_memory_;
  scratch_array<words_type> words_memory_;
  scratch_array<Offset> position_memory_;
  std::span<std::uint32_t> narrow_;
  std::span<std::uint64_t> wide_;
  std::span<words_type> words_;
  std::span<Offset> positions_;
};

/// A join of the distinct fingerprints of a corpus within k bits. The join is divided into jobs. If kept > 0, each pair
/// has one of the first `kept` fingerprints and one of the other fingerprints.
template <std::size_t Words, class Offset>
class fingerprint_join {
 public:
  using words_type = std::array<std::uint64_t, Words>;
  using arrays = bucket_arrays<Words, Offset>;

  /// Plans the join; run() does the work.
  /// Throws: the exceptions of join_plan; std::bad_alloc.
  fingerprint_join(const chosen_words<Words, Offset>& fingerprints, std::size_t bits, int k, int blocks,
                   const any_runner& run, copies_as as = copies_as::one, std::size_t kept = 0)
      : fingerprints_(fingerprints),
        k_(k),
        kept_(kept),
        copies_as_(as),
        filter_(filter_for<Words>(bits, k)),
        copies_(as == copies_as::one ? find_copies(fingerprints, run) : equal_groups<Offset>(fingerprints.size())),
        positions_(copies_.distinct() < copies_.size() ? copies_.firsts() : std::vector<Offset>()),
        plan_(bits, k, blocks, copies_.distinct(), kept, sample(), level_) {}

  [[nodiscard]] int k() const noexcept { return k_; }
  [[nodiscard]] instruction_set level() const noexcept { return level_; }
  [[nodiscard]] join_filter filter() const noexcept { return filter_; }
  /// Returns the groups of equal fingerprints. The join has only the first member of each group. With copies_as::others
  /// there are no groups.
  [[nodiscard]] const equal_groups<Offset>& copies() const noexcept { return copies_; }
  [[nodiscard]] const join_plan<Words>& plan() const noexcept { return plan_; }

  /// Returns the greatest number of parts that run() uses, for callers that allocate memory for each part.
  [[nodiscard]] std::size_t parts(const any_runner& run) const {
    return parts_for(run, copies_.distinct(), std::size_t{1} << 12);
  }

  /// Frees the memory of the records, which only run() needs.
  void release() noexcept { records_.release(); }

  /// Receives a job, the part of the runner that does the job, and the table. The type is a std::function, so that the
  /// join is instantiated once.
  using use_type = std::function<bool(std::size_t part, std::size_t table, const arrays& records, const filter_join&)>;

  /// Calls `use` for each job of each table. A job of a table compares two fingerprints if they share a bucket, or have
  /// buckets within the radius. Tables are processed one after the other, and all parts process the same table. If
  /// `splits` is true, several parts may share a crowded bucket. If `use` returns false, the join ends soon.
  /// Throws: the first exception of `use`; std::bad_alloc.
  void run(const any_runner& run, bool splits, const use_type& use) {
    if (k_ == 0 && copies_as_ == copies_as::one) return;  // distinct fingerprints always differ
    for (std::size_t table = 0; table < plan_.tables().size(); ++table) {
      const bool has_radius = plan_.tables()[table].radius > 0 || plan_.tables()[table].address_bits == 0;
      if (!(has_radius ? join_by_buckets(table, run, splits, use) : join_by_groups(table, run, use))) return;
    }
  }

 private:
  /// The records of a table after the first pass. A group is the records of consecutive buckets. The second pass orders
  /// the records of each group by bucket.
  struct table_groups {
    std::vector<std::size_t> begin;
    int low_bits;  // number of address bits within a group

    [[nodiscard]] std::size_t size() const noexcept { return begin.size() - 1; }
    [[nodiscard]] std::size_t size_of(std::size_t group) const noexcept { return begin[group + 1] - begin[group]; }
  };

  /// Scratch memory of one part of the runner in the second pass.
  struct group_memory {
    std::vector<std::uint32_t> addresses;
    std::vector<std::size_t> ends;  // ends of the buckets
    // A copy of the records of a group. second_pass_in_place() writes the records back in bucket order.
    std::vector<words_type> words;
    std::vector<Offset> positions;
  };

  static equal_groups<Offset> find_copies(const chosen_words<Words, Offset>& fingerprints, const any_runner& run) {
    const auto compare = [&](Offset a, Offset b) {
      const words_type x = fingerprints[a], y = fingerprints[b];
      if (are_equal(x, y)) return std::strong_ordering::equal;
      return x < y ? std::strong_ordering::less : std::strong_ordering::greater;
    };
    const auto hash_of = [fingerprints](std::size_t i) { return mix_words(fingerprints[i]); };
    return {fingerprints.size(), hash_of, compare, run};
  }

  std::vector<words_type> sample() const {
    constexpr std::size_t most = 4096;
    const std::size_t count = copies_.distinct(), size = (std::min)(most, count / 8);
    std::vector<words_type> result;
    result.reserve(size);
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t at = count / size * i;
      result.push_back(fingerprints_[positions_.empty() ? at : positions_[at]]);
    }
    return result;
  }

  table_groups first_pass(const join_table<Words>& table, const any_runner& run) {
    struct record {
      words_type words;
      Offset position;
    };
    const std::size_t count = copies_.distinct();
    const int high = first_pass_bits(count, table.address_bits);
    const int low = table.address_bits - high;
    records_.take(count);
    table_groups groups{{}, low};
    radix_scatter(
        count, high,
        [from = fingerprints_, first = positions_.empty() ? nullptr : positions_.data()](std::size_t i) {
          const auto position = first == nullptr ? static_cast<Offset>(i) : first[i];
          return record{from[static_cast<std::size_t>(position)], position};
        },
        [&table, low](const record& r) { return table.address(r.words) >> low; },
        [to = records_.without_filters()](std::size_t i, const record& r) {
          to.words[i] = r.words;
          to.positions[i] = r.position;
        },
        groups.begin, run);
    return groups;
  }

  /// Writes the `size` records of a group to `to` in bucket order, beginning at index `first`. Sets scratch.ends.
  static void second_pass(const join_table<Words>& table, const words_type* words, const Offset* positions,
                          std::size_t size, int low_bits, std::size_t first, group_memory& scratch, arrays& to) {
    const std::size_t mask = (std::size_t{1} << low_bits) - 1;
    scratch.addresses.resize((std::max)(scratch.addresses.size(), size));
    scratch.ends.assign(mask + 1, 0);
    for (std::size_t i = 0; i < size; ++i) {
      scratch.addresses[i] = static_cast<std::uint32_t>(table.address(words[i]) & mask);
      ++scratch.ends[scratch.addresses[i]];
    }
    for (std::size_t& end : scratch.ends) first += std::exchange(end, first);
    for (std::size_t i = 0; i < size; ++i) to.set(scratch.ends[scratch.addresses[i]]++, words[i], positions[i]);
  }

  /// Runs the second pass of a group. The ordered records replace the unordered records.
  static void second_pass_in_place(const join_table<Words>& table, const table_groups& groups, std::size_t group,
                                   group_memory& scratch, arrays& records) {
    const std::size_t begin = groups.begin[group], size = groups.size_of(group);
    const auto from = records.without_filters();
    scratch.words.assign(from.words + begin, from.words + begin + size);
    scratch.positions.assign(from.positions + begin, from.positions + begin + size);
    second_pass(table, scratch.words.data(), scratch.positions.data(), size, groups.low_bits, begin, scratch, records);
  }

  /// Runs the first pass for all groups. Then, for each group, runs the second pass and joins the group while it is in
  /// the cache.
  bool join_by_groups(std::size_t table, const any_runner& run, const use_type& use) {
    const join_table<Words>& shape = plan_.tables()[table];
    const table_groups groups = first_pass(shape, run);
    struct part_memory : group_memory {
      arrays records;
    };
    std::vector<part_memory> memory;
    for (std::size_t part = parts(run); part > 0; --part) memory.push_back({{}, arrays(filter_)});
    return in_steps(run, memory.size(), groups.size(), 1, [&](std::size_t part, std::size_t group, std::size_t) {
      part_memory& scratch = memory[part];
      const auto from = records_.without_filters();
      const std::size_t begin = groups.begin[group], size = groups.size_of(group);
      scratch.records.take(size);
      second_pass(shape, from.words + begin, from.positions + begin, size, groups.low_bits, 0, scratch,
                  scratch.records);
      std::size_t first = 0;
      for (const std::size_t end : scratch.ends) {
        const auto use_here = [&](const filter_join& job) { return use(part, table, scratch.records, job); };
        if (!join_bucket(scratch.records, {first, end}, first, end, use_here)) return false;
        first = end;
      }
      return true;
    });
  }

  /// Runs the two passes for all groups. Then joins each bucket with itself, and with the later buckets whose addresses
  /// are within the radius.
  bool join_by_buckets(std::size_t table, const any_runner& run, bool splits, const use_type& use) {
    const join_table<Words>& shape = plan_.tables()[table];
    const std::size_t count = copies_.distinct();
    std::vector<Offset> starts((std::size_t{1} << shape.address_bits) + 1);
    arrays& all = records_;
    {
      const table_groups groups = first_pass(shape, run);
      std::vector<group_memory> memory(parts(run));
      in_steps(run, memory.size(), groups.size(), 1, [&](std::size_t part, std::size_t group, std::size_t) {
        group_memory& scratch = memory[part];
        second_pass_in_place(shape, groups, group, scratch, all);
        std::transform(scratch.ends.begin(), scratch.ends.end(),
                       starts.begin() + static_cast<std::ptrdiff_t>((group << groups.low_bits) + 1),
                       [](std::size_t end) { return static_cast<Offset>(end); });
        return true;
      });
    }
    std::vector<Offset> others;  // the first record of each bucket with position >= kept_
    if (kept_ > 0) {
      others.resize(starts.size() - 1);
      for (std::size_t b = 0; b < others.size(); ++b) {
        others[b] = static_cast<Offset>(all.first_from(kept_, starts[b], starts[b + 1]));
      }
    }
    const std::vector<std::size_t> flips = flips_of(shape);
    // A step is a number of records, not of buckets, so that several parts can share a crowded bucket.
    const std::size_t step = (std::max)(std::size_t{64}, count / 1024);
    return in_steps(run, parts(run), count, step, [&](std::size_t part, std::size_t first, std::size_t last) {
      if (!splits) {  // whole buckets: the buckets that begin in this step
        first = *std::lower_bound(starts.begin(), starts.end(), static_cast<Offset>(first));
        last = *std::lower_bound(starts.begin(), starts.end(), static_cast<Offset>(last));
      }
      const auto use_here = [&](const filter_join& job) { return use(part, table, all, job); };
      return join_range(all, starts, others, flips, first, last, use_here);
    });
  }

  /// Returns the masks m > 0 for which the addresses a and a ^ m of two buckets are within the radius.
  static std::vector<std::size_t> flips_of(const join_table<Words>& table) {
    std::vector<std::size_t> result;
    if (table.radius == 0) return result;
    for (std::size_t flip = 1; flip < std::size_t{1} << table.address_bits; ++flip) {
      if (std::popcount(flip) <= table.radius) result.push_back(flip);
    }
    return result;
  }

  /// The records [begin, end) in the arrays of a table.
  struct range {
    std::size_t begin, end;
  };

  /// Joins the records [first, last) of a bucket with all later records. If kept_ > 0, joins the records of [first,
  /// last) that are not kept with all kept records of the bucket instead.
  template <class Use>
  bool join_bucket(const arrays& records, range bucket, std::size_t first, std::size_t last, const Use& use) const {
    if (bucket.end - bucket.begin < 2) return true;
    if (kept_ == 0) return use(filter_join::within(first, last, bucket.end));
    const std::size_t others = records.first_from(kept_, bucket.begin, bucket.end);
    first = (std::max)(first, others);
    return first >= last || bucket.begin == others || use(filter_join::across(first, last, bucket.begin, others));
  }

  /// Joins the records [first, last) with their own buckets, and with the later buckets within the radius. The records
  /// may be a part of a bucket, or belong to several buckets.
  template <class Use>
  bool join_range(const arrays& records, const std::vector<Offset>& starts, const std::vector<Offset>& others,
                  const std::vector<std::size_t>& flips, std::size_t first, std::size_t last, const Use& use) const {
    if (first >= last) return true;
    auto bucket = static_cast<std::size_t>(std::upper_bound(starts.begin(), starts.end(), static_cast<Offset>(first)) -
                                           starts.begin() - 1);
    const auto across = [&](std::size_t begin, std::size_t end, std::size_t other_begin, std::size_t other_end) {
      return begin >= end || other_begin >= other_end || use(filter_join::across(begin, end, other_begin, other_end));
    };
    for (; first < last; ++bucket) {
      const std::size_t end = starts[bucket + 1];
      const std::size_t stop = (std::min)(end, last);
      if (first == stop) continue;
      if (!join_bucket(records, {starts[bucket], end}, first, stop, use)) return false;
      for (const std::size_t flip : flips) {
        const std::size_t other = bucket ^ flip;
        if (other < bucket || starts[other] == starts[other + 1]) continue;
        if (kept_ == 0) {
          if (!across(first, stop, starts[other], starts[other + 1])) return false;
        } else {
          const std::size_t middle = std::clamp<std::size_t>(others[bucket], first, stop);
          if (!across(first, middle, others[other], starts[other + 1])) return false;
          if (!across(middle, stop, starts[other], others[other])) return false;
        }
      }
      first = stop;
    }
    return true;
  }

  chosen_words<Words, Offset> fingerprints_;
  int k_;
  std::size_t kept_;  // above 0 only with copies_as::others
  copies_as copies_as_;
  join_filter filter_;
  instruction_set level_ = active_instruction_set();
  equal_groups<Offset> copies_;
  std::vector<Offset> positions_;  // positions of the distinct fingerprints, by number; empty if all are distinct
  join_plan<Words> plan_;
  arrays records_{filter_};  // in the order of the current table
};

}  // namespace neardup::inline v0::detail
