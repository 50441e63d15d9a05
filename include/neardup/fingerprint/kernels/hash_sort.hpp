// SPDX-License-Identifier: MIT
// Sorts hashes in linear time. The highest bits of a hash nearly determine its final position.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "../../detail/bits.hpp"
#include "../../instruction_set.hpp"
#include "../../simd/sort_few.hpp"

namespace neardup::inline v0::detail {

/// Scratch memory of hash_sort, reused for the next call.
template <class T>
struct hash_sort_scratch {
  std::vector<T> values;
  std::vector<std::size_t> bucket_ends;  // first the beginnings of the buckets, then their ends
};

/// Sorts `values` in ascending order. The values are distinct and uniformly distributed, as hashes are.
///
/// There are up to twice as many buckets as numbers. The highest bits of a number determine its bucket. So no branch is
/// mispredicted, and hardly anything has to be sorted within a bucket. If many numbers are in one bucket, as with a
/// weak hasher, std::sort is used.
/// Complexity: linear for uniformly distributed numbers, and O(n log n) for any n numbers.
/// Throws: std::bad_alloc, before anything is changed.
template <std::unsigned_integral T>
void hash_sort(std::vector<T>& values, hash_sort_scratch<T>& scratch) {
  constexpr std::size_t min_size = 16;    // fewer numbers are sorted in place
  constexpr std::size_t max_bucket = 16;  // good hashes never fill a bucket more
  if (values.size() < min_size) {
    std::sort(values.begin(), values.end());
    return;
  }
  if constexpr (std::is_same_v<T, std::uint32_t>) {
    if (values.size() <= most_few) {
      scratch.values.resize(values.size());
      if (sort_few<T>(values, values.data(), scratch.values.data(), active_instruction_set())) {
        return values.swap(scratch.values);
      }
    }
  }
  const int wanted_bits = bit_width(values.size());
  const int shift = (std::max)(std::numeric_limits<T>::digits - wanted_bits, 0);
  const auto bucket_of = [shift](T value) { return static_cast<std::size_t>(value >> shift); };
  scratch.bucket_ends.assign(bucket_of((std::numeric_limits<T>::max)()) + 1, 0);
  scratch.values.resize(values.size());
  for (const T value : values) ++scratch.bucket_ends[bucket_of(value)];
  std::size_t begin = 0, fullest = 0;
  for (std::size_t& bucket : scratch.bucket_ends) {
    const std::size_t count = bucket;
    fullest = (std::max)(fullest, count);
    bucket = begin;
    begin += count;
  }
  if (fullest > max_bucket) {
    std::sort(values.begin(), values.end());
    return;
  }
  for (const T value : values) scratch.values[scratch.bucket_ends[bucket_of(value)]++] = value;
  values.swap(scratch.values);
  // Insertion sort. Each number is in its bucket already, so it moves only within the bucket.
  for (std::size_t i = 1; i < values.size(); ++i) {
    const T value = values[i];
    std::size_t j = i;
    for (; j > 0 && value < values[j - 1]; --j) values[j] = values[j - 1];
    values[j] = value;
  }
}

}  // namespace neardup::inline v0::detail
