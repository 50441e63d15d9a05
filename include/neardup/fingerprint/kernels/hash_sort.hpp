// SPDX-License-Identifier: MIT
// Sorts hashes in linear time. The highest bits of a hash nearly determine its final position.
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "../../instruction_set.hpp"
#include "../../simd/forms.hpp"

namespace neardup::inline v0::detail {

/// The greatest number of hashes that are sorted by comparing each with each. For 38 numbers such a sort takes 90 ns on
/// a Sapphire Rapids, where a sort with buckets takes 210 ns. For 120 numbers or more, buckets are as fast.
inline constexpr std::size_t most_few = 64;

/// Returns a function that writes up to most_few numbers to `to` in ascending order. The portable function sorts
/// nothing, because it would not be faster than buckets.
/// The function returns false if the numbers were not sorted.
template <class T>
constexpr auto sort_few_of(portable_form) noexcept {
  return [](std::span<const T> /*numbers*/, T* /*to*/) noexcept { return false; };
}

#if NEARDUP_X86_KERNELS

NEARDUP_AVX2_BEGIN

/// Writes `numbers` to `to`, in ascending order. The index of a number in `to` follows from how many numbers are
/// greater. Each number is compared with all numbers, eight at a time, without branches that cannot be predicted. Two
/// equal numbers would get the same index. The function detects equal numbers, because the sum of all comparisons is
/// then too low.
/// Returns: false if two numbers are equal.
/// Precondition: numbers.size() <= 8 * sizeof...(Row).
template <std::size_t... Row>
inline bool sort_rows_avx2(std::span<const std::uint32_t> numbers, std::uint32_t* to,
                           std::index_sequence<Row...> /*rows*/) noexcept {
  constexpr std::size_t lanes = 8, rows = sizeof...(Row);
  constexpr std::uint32_t sign = 0x80000000U;  // is flipped in each number, because AVX2 compares signed numbers
  alignas(32) std::uint32_t flipped[lanes * rows], greater[lanes * rows];
  const std::size_t count = numbers.size();
  for (std::size_t i = 0; i < count; ++i) flipped[i] = numbers[i] ^ sign;
  for (std::size_t i = count; i < lanes * rows; ++i) flipped[i] = ~sign;  // padding: no number is greater
  __m256i above[rows] = {((void)Row, _mm256_setzero_si256())...};
  for (std::size_t i = 0; i < count; ++i) {
    const __m256i own = _mm256_set1_epi32(static_cast<int>(flipped[i]));
    ((above[Row] = _mm256_sub_epi32(
          above[Row],
          _mm256_cmpgt_epi32(own, _mm256_load_si256(reinterpret_cast<const __m256i*>(flipped + lanes * Row))))),
     ...);
  }
  (_mm256_store_si256(reinterpret_cast<__m256i*>(greater + lanes * Row), above[Row]), ...);
  std::size_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    sum += greater[i];
    to[count - 1 - greater[i]] = numbers[i];
  }
  return 2 * sum == count * (count - 1);
}

inline bool sort_few_avx2(std::span<const std::uint32_t> numbers, std::uint32_t* to) noexcept {
  if (numbers.size() <= 32) return sort_rows_avx2(numbers, to, std::make_index_sequence<4>());
  if (numbers.size() <= 48) return sort_rows_avx2(numbers, to, std::make_index_sequence<6>());
  return sort_rows_avx2(numbers, to, std::make_index_sequence<8>());
}
NEARDUP_END

template <class T>
  requires std::same_as<T, std::uint32_t>
constexpr auto sort_few_of(avx2_form) noexcept { return sort_few_avx2; }

#endif  // NEARDUP_X86_KERNELS

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
/// Complexity: linear for uniformly distributed numbers, O(n log n) for any numbers.
/// Throws: std::bad_alloc, before anything is changed.
template <std::unsigned_integral T>
void hash_sort(std::vector<T>& values, hash_sort_scratch<T>& scratch) {
  constexpr std::size_t min_size = 16;    // fewer numbers are sorted in place
  constexpr std::size_t max_bucket = 16;  // good hashes never fill a bucket more
  if (values.size() < min_size) {
    std::sort(values.begin(), values.end());
    return;
  }
  if (values.size() <= most_few) {
    scratch.values.resize(values.size());
    const auto sort = [&](auto form) { return sort_few_of<T>(form)(values, scratch.values.data()); };
    if (choose_form(active_instruction_set(), sort)) return values.swap(scratch.values);
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
  // Insertion sort. Each number is in its bucket already, so it moves only within the bucket.
  for (std::size_t i = 1; i < values.size(); ++i) {
    const T value = values[i];
    std::size_t j = i;
    for (; j > 0 && value < values[j - 1]; --j) values[j] = values[j - 1];
    values[j] = value;
  }
}

}  // namespace neardup::inline v0::detail
