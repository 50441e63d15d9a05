// SPDX-License-Identifier: MIT
// Sorts few numbers by comparing each with each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "../instruction_set.hpp"
#include "forms.hpp"

namespace neardup::inline v0::detail {

/// sort_few() compares each number with each other number, so it sorts at most this many. For 38 numbers, sort_few()
/// takes 90 ns on a Sapphire Rapids, where a sort with buckets takes 210 ns. For 120 numbers or more, buckets are as
/// fast.
inline constexpr std::size_t most_few = 64;

/// Returns a function that counts, for each of up to most_few numbers, how many of the numbers are greater. The
/// function writes these counts to an array of most_few numbers. It returns false if two numbers are equal; the counts
/// are then unspecified. The portable function always returns false, because it would not be faster than another sort.
constexpr auto count_greater_of(portable_form) noexcept {
  return [](std::span<const std::uint32_t> /*numbers*/, std::uint32_t* /*greater*/) noexcept { return false; };
}

#if NEARDUP_X86_KERNELS

NEARDUP_AVX2_BEGIN

/// Compares each number with all numbers, eight at a time, without branches that cannot be predicted. If two of
/// n numbers are equal, the sum of all counts is less than n * (n - 1) / 2, and the function returns false.
/// Precondition: numbers.size() <= 8 * sizeof...(Row).
template <std::size_t... Row>
inline bool count_rows_avx2(std::span<const std::uint32_t> numbers, std::uint32_t* greater,
                            std::index_sequence<Row...> /*rows*/) noexcept {
  constexpr std::size_t lanes = 8, rows = sizeof...(Row);
  constexpr std::uint32_t sign = 0x80000000U;  // is flipped in each number, because AVX2 compares signed numbers
  alignas(32) std::uint32_t flipped[lanes * rows];
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
  (_mm256_storeu_si256(reinterpret_cast<__m256i*>(greater + lanes * Row), above[Row]), ...);
  std::size_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += greater[i];
  return 2 * sum == count * (count - 1);
}

inline bool count_greater_avx2(std::span<const std::uint32_t> numbers, std::uint32_t* greater) noexcept {
  if (numbers.size() <= 32) return count_rows_avx2(numbers, greater, std::make_index_sequence<4>());
  if (numbers.size() <= 48) return count_rows_avx2(numbers, greater, std::make_index_sequence<6>());
  return count_rows_avx2(numbers, greater, std::make_index_sequence<8>());
}
NEARDUP_END

constexpr auto count_greater_of(avx2_form) noexcept { return count_greater_avx2; }

#endif  // NEARDUP_X86_KERNELS

/// Writes `values` to `to` in ascending order of `numbers`. numbers[i] belongs to values[i].
/// Precondition: numbers.size() <= most_few.
/// Returns: false, without writing, if two numbers are equal, or if the instruction set `level` has no kernel for it.
template <class T>
bool sort_few(std::span<const std::uint32_t> numbers, const T* values, T* to, instruction_set level) noexcept {
  std::uint32_t greater[most_few];
  if (!choose_form(level, [&](auto form) { return count_greater_of(form)(numbers, greater); })) return false;
  for (std::size_t i = 0; i < numbers.size(); ++i) to[numbers.size() - 1 - greater[i]] = values[i];
  return true;
}

}  // namespace neardup::inline v0::detail
