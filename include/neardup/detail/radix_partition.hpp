// SPDX-License-Identifier: MIT
// Partitions records by an address, which is the number of a bucket, in cache-friendly passes.
//
// A plain counting sort into 2^16 buckets or more would miss the cache and the TLB at each record. Two passes avoid
// these misses. The first pass writes to at most 2^10 buckets at a time. The second pass works within a part that fits
// the cache. On a Zen 5, a pass takes 2 ns per 16-byte record. Buffers for whole cache lines, or non-temporal stores,
// were not faster (4 to 8 ns).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "../runner.hpp"
#include "bits.hpp"
#include "large_array.hpp"

namespace neardup::inline v0::detail {

/// Scratch memory for records. It is not initialised, and is reused for the next call.
template <class Record>
class scratch_array {
 public:
  /// Returns memory for `count` records. Their content is unspecified.
  /// Throws: std::bad_alloc.
  std::span<Record> take(std::size_t count) {
    if (count > records_.size()) {
      release();  // frees the old array before it allocates a new one
      records_ = large_array<Record>(count);
    }
    return {records_.data(), count};
  }

  void release() noexcept { records_ = {}; }

 private:
  large_array<Record> records_;
};

/// The greatest number of address bits in one pass. A pass writes to one cache line of each bucket at a time. The lines
/// of 2^10 buckets fit the cache, and their pages fit the TLB.
inline constexpr int max_pass_bits = 10;

/// Returns how many of the `bits` address bits the first pass uses. A bucket of the first pass then has fewer than 2^15
/// records on average, unless `bits` or max_pass_bits is too small.
[[nodiscard]] constexpr int first_pass_bits(std::size_t count, int bits) noexcept {
  return (std::min)(bits, std::clamp(bit_width(count >> 15), 8, max_pass_bits));
}

/// Runs one pass over the records of some items: each(i, use) calls use(record) for each record of item i. Calls
/// store(position, record) for each record. `position` is the index of the record in a stable sort by address(record).
/// 2^bits + 1 positions are written to `starts`: bucket b is [starts[b], starts[b + 1]). each(i, use) is called twice
/// for each i < items. Each thread calls a copy of `each`.
/// Precondition: 0 <= address(record) < 2^bits.
/// Thread safety: several threads may call `each`, `address` and `store` at once.
/// Guarantee: the result is the same for every runner.
/// Throws: std::bad_alloc before the first record is stored; an exception of these functions, after all threads have
/// ended.
template <class Each, class Address, class Store>
void radix_scatter_each(std::size_t items, int bits, const Each& each, const Address& address, const Store& store,
                        std::vector<std::size_t>& starts, const any_runner& run) {
  const std::size_t buckets = std::size_t{1} << bits;
  const std::size_t parts = parts_for(run, items, std::size_t{1} << 14);
  const auto begin_of = [&](std::size_t part) { return items / parts * part + (std::min)(part, items % parts); };
  starts.assign(buckets + 1, 0);
  std::vector<std::size_t> next(parts * buckets, 0);  // counts of each part, later its next positions
  first_failure failure;
  run(parts, [&](std::size_t part) {
    failure.guard(part, [&] {
      std::size_t* const counts = next.data() + part * buckets;
      Each each_here = each;  // a local copy stays in registers, because counting cannot change it
      for (std::size_t i = begin_of(part), end = begin_of(part + 1); i < end; ++i) {
        each_here(i, [&](const auto& record) { ++counts[address(record)]; });
      }
    });
  });
  failure.rethrow();
  std::size_t sum = 0;
  for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
    starts[bucket] = sum;
    for (std::size_t part = 0; part < parts; ++part) {
      const std::size_t size = next[part * buckets + bucket];
      next[part * buckets + bucket] = sum;
      sum += size;
    }
  }
  starts[buckets] = sum;
  run(parts, [&](std::size_t part) {
    failure.guard(part, [&] {
      std::size_t* const next_of_part = next.data() + part * buckets;
      Each each_here = each;
      for (std::size_t i = begin_of(part), end = begin_of(part + 1); i < end; ++i) {
        each_here(i, [&](const auto& record) { store(next_of_part[address(record)]++, record); });
      }
    });
  });
  failure.rethrow();
}

/// Runs one pass, as radix_scatter_each() does, over the records read(0), ..., read(count - 1).
template <class Read, class Address, class Store>
void radix_scatter(std::size_t count, int bits, const Read& read, const Address& address, const Store& store,
                   std::vector<std::size_t>& starts, const any_runner& run) {
  radix_scatter_each(
      count, bits, [read](std::size_t i, const auto& use) { use(read(i)); }, address, store, starts, run);
}

/// Partitions a group, all records of one bucket of a first pass, by the lowest bits of their addresses. Calls
/// write(position, record) for each record. The first position is `first`. The beginning of each bucket is written to
/// `starts`, which has an element for each bucket. `next` is scratch memory of the same size.
template <class Record, class Offset, class Address, class Write>
void radix_partition_group(std::span<const Record> records, std::size_t first, const Address& address,
                           const Write& write, std::span<Offset> starts, std::span<Offset> next) {
  const std::size_t mask = starts.size() - 1;
  std::fill(next.begin(), next.end(), Offset{0});
  for (const Record& record : records) ++next[address(record) & mask];
  auto sum = static_cast<Offset>(first);
  for (std::size_t bucket = 0; bucket < starts.size(); ++bucket) {
    starts[bucket] = sum;
    sum = static_cast<Offset>(sum + std::exchange(next[bucket], sum));
  }
  for (const Record& record : records) write(static_cast<std::size_t>(next[address(record) & mask]++), record);
}

/// Partitions `count` records into 2^bits buckets. Calls write(position, record) for each of the records read(0), ...,
/// read(count - 1). `position` is the index of the record in a stable sort by address(record). 2^bits + 1 positions are
/// written to `starts`: bucket b is [starts[b], starts[b + 1]).
/// read(i) is called twice for each i, always before the first write. So `write` may overwrite the memory that `read`
/// reads.
/// Precondition: 0 <= address(record) < 2^bits; Offset can represent `count`; starts.size() == 2^bits + 1; `write` does
/// not throw.
/// Thread safety: several threads may call the functions at once. One thread writes all records of a bucket of the
/// first pass.
/// Guarantee: the result is the same for every runner.
/// Throws: std::bad_alloc before anything is written; the exception that `read` throws on any thread.
/// Memory: `scratch` grows to `count` records.
template <class Record, class Offset, class Read, class Address, class Write>
void radix_partition(std::size_t count, int bits, const Read& read, const Address& address, const Write& write,
                     std::span<Offset> starts, scratch_array<Record>& scratch, const any_runner& run = {}) {
  const int high = first_pass_bits(count, bits);
  const int low = bits - high;
  std::vector<std::size_t> begin;
  const std::size_t buckets = std::size_t{1} << low;
  const std::size_t parts = parts_for(run, count, std::size_t{1} << 14);
  std::vector<Offset> memory(parts * buckets);
  const std::span<Record> records = scratch.take(count);
  radix_scatter(
      count, high, read, [&](const Record& record) { return static_cast<std::size_t>(address(record)) >> low; },
      [&](std::size_t position, const Record& record) { records[position] = record; }, begin, run);
  in_steps(run, parts, std::size_t{1} << high, 1, [&](std::size_t part, std::size_t group, std::size_t) {
    const std::span<const Record> of_group = records.subspan(begin[group], begin[group + 1] - begin[group]);
    radix_partition_group(of_group, begin[group], address, write, starts.subspan(group * buckets, buckets),
                          std::span<Offset>(memory).subspan(part * buckets, buckets));
    return true;
  });
  starts[std::size_t{1} << bits] = static_cast<Offset>(count);
}

/// Partitions the records of some items into 2^bits buckets in `records`, which has the size of all records. All else
/// is the same as in radix_partition(). For `each`, see radix_scatter_each().
/// Memory: each part of the runner copies one group of the first pass at a time.
template <class Record, class Offset, class Each, class Address>
void radix_partition_each(std::size_t items, int bits, const Each& each, const Address& address,
                          std::span<Record> records, std::span<Offset> starts, const any_runner& run) {
  const int high = first_pass_bits(records.size(), bits);
  const int low = bits - high;
  const std::size_t buckets = std::size_t{1} << low;
  const std::size_t parts = parts_for(run, records.size(), std::size_t{1} << 14);
  struct memory {
    std::vector<Offset> next;
    std::vector<Record> group;
  };
  std::vector<memory> memories(parts);
  std::vector<std::size_t> begin;
  radix_scatter_each(
      items, high, each, [&](const Record& record) { return static_cast<std::size_t>(address(record)) >> low; },
      [to = records.data()](std::size_t position, const Record& record) { to[position] = record; }, begin, run);
  in_steps(run, parts, std::size_t{1} << high, 1, [&](std::size_t part, std::size_t group, std::size_t) {
    memory& own = memories[part];
    own.next.resize(buckets);
    own.group.assign(records.begin() + static_cast<std::ptrdiff_t>(begin[group]),
                     records.begin() + static_cast<std::ptrdiff_t>(begin[group + 1]));
    radix_partition_group(
        std::span<const Record>(own.group), begin[group], address,
        [to = records.data()](std::size_t position, const Record& record) { to[position] = record; },
        starts.subspan(group * buckets, buckets), std::span<Offset>(own.next));
    return true;
  });
  starts[std::size_t{1} << bits] = static_cast<Offset>(records.size());
}

/// Sorts 64-bit words by their bits from bit `low` on. Words that are equal in these bits keep their order. All callers
/// pack their records into such words, so that a program contains only one sort.
/// Precondition: `scratch` is as large as `words`; low < 64.
/// Complexity: one pass for each byte in which words differ. Quadratic for fewer than 32 words.
inline void sort_words(std::span<std::uint64_t> words, std::span<std::uint64_t> scratch, int low = 0) noexcept {
  const std::size_t count = words.size();
  if (count < 32) {
    for (std::size_t i = 1; i < count; ++i) {
      for (std::size_t j = i; j > 0 && words[j - 1] >> low > words[j] >> low; --j) std::swap(words[j - 1], words[j]);
    }
    return;
  }
  std::uint64_t differing = 0;
  for (const std::uint64_t word : words) differing |= word ^ words.front();
  std::uint64_t *from = words.data(), *to = scratch.data();
  for (int shift = low; shift < 64; shift += 8) {
    if ((differing >> shift & 0xffU) == 0) continue;
    std::array<std::size_t, 256> next{};
    for (std::size_t i = 0; i < count; ++i) ++next[from[i] >> shift & 0xffU];
    std::size_t sum = 0;
    for (std::size_t& place : next) sum += std::exchange(place, sum);
    for (std::size_t i = 0; i < count; ++i) to[next[from[i] >> shift & 0xffU]++] = from[i];
    std::swap(from, to);
  }
  if (from == words.data()) return;
  for (std::size_t i = 0; i < count; ++i) words[i] = from[i];
}

/// Sorts pairs by (first, second). `Pair` has the members first and second.
/// Precondition: begin <= first < end for all pairs.
/// Complexity: O(pairs) unless many pairs share one `first`.
/// Memory: temporarily a copy of the pairs.
template <class Pair>
void sort_pairs(std::span<Pair> pairs, std::size_t begin, std::size_t end, const any_runner& run) {
  const auto is_before = [](const Pair& a, const Pair& b) {
    return a.first != b.first ? a.first < b.first : a.second < b.second;
  };
  constexpr std::size_t few = std::size_t{1} << 14;
  if (pairs.size() < few) {
    std::sort(pairs.begin(), pairs.end(), is_before);
    return;
  }
  const int width = bit_width(end - begin);
  const int bits = (std::min)(width, bit_width(pairs.size() >> 2));
  std::vector<std::size_t> starts((std::size_t{1} << bits) + 1);
  {
    scratch_array<Pair> scratch;  // receives all pairs before any pair is written back
    radix_partition(
        pairs.size(), bits, [&](std::size_t i) { return pairs[i]; },
        [&](const Pair& pair) { return (static_cast<std::size_t>(pair.first) - begin) >> (width - bits); },
        [&](std::size_t place, const Pair& pair) { pairs[place] = pair; }, std::span<std::size_t>(starts), scratch,
        run);
  }
  const std::size_t parts = parts_for(run, starts.size() - 1, few);
  run(parts, [&](std::size_t part) {
    const std::size_t buckets = starts.size() - 1;
    for (std::size_t b = buckets / parts * part, last = part + 1 == parts ? buckets : buckets / parts * (part + 1);
         b < last; ++b) {
      std::sort(pairs.begin() + static_cast<std::ptrdiff_t>(starts[b]),
                pairs.begin() + static_cast<std::ptrdiff_t>(starts[b + 1]), is_before);
    }
  });
}

}  // namespace neardup::inline v0::detail
