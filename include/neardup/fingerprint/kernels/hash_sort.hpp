// SPDX-License-Identifier: MIT
// Sorts hashes in linear time: the highest bits of a hash nearly determine its final position.
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace neardup::inline v0::detail {

/// Scratch memory of hash_sort, reused from call to call.
template <class T>
struct hash_sort_scratch {
  std::vector<T> values;
  std::vector<std::size_t> bucket_ends;  // first the beginnings of the buckets, then their ends
};

/// Sorts distinct, uniformly distributed numbers, such as hashes, in ascending order.
///
/// There are as many buckets as numbers; the highest bits of a number choose its bucket. So no branch is mispredicted,
/// and hardly anything is left to sort within a bucket. If many numbers are in one bucket, as with a weak hasher,
/// std::sort is used instead.
/// Complexity: linear for uniform numbers, O(n log n) for any.
/// Throws: std::bad_alloc, before anything is changed.
template <std::unsigned_integral T>
void hash_sort(std::vector<T>& values, hash_sort_scratch<T>& scratch) {
  constexpr std::size_t min_size = 16;    // fewer numbers are sorted in place
  constexpr std::size_t max_bucket = 16;  // good hashes never fill a bucket more
  if (values.size() < min_size) {
    std::sort(values.begin(), values.end());
    return;
  }
  const int wanted_bits = static_cast<int>(std::bit_width(values.size()));
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
  // Insertion sort: each number is at most a bucket away from its final place.
  for (std::size_t i = 1; i < values.size(); ++i) {
    const T value = values[i];
    std::size_t j = i;
    for (; j > 0 && value < values[j - 1]; --j) values[j] = values[j - 1];
    values[j] = value;
  }
}

}  // namespace neardup::inline v0::detail
