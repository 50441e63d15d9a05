// SPDX-License-Identifier: MIT
// Compares filters in bulk, and finds the pairs that differ in at most k bits.
//
// A filter is an unsigned integer of 16, 32 or 64 bits, or all words of a fingerprint. near_bits, one for each
// instruction set, is the primitive of searches, scans and joins: it tells which of several filters are within k bits
// of one. Nearly all pairs are non-matches, so joins test 64 pairs with one branch.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include "../instruction_set.hpp"
#include "bits.hpp"
#include "instructions.hpp"

namespace neardup::inline v0::detail {

/// The filter of a fingerprint: the fingerprint folded by exclusive or to the width of `Filter`, an unsigned type of 16
/// to 64 bits. If `Filter` is an array of words, the filter is the whole fingerprint.
/// Guarantee: two filters differ in no more bits than their fingerprints, so a filter never rejects a match. Folding
/// uses all bits of a fingerprint. A filter that copied only some bits would pass every candidate that differs in the
/// other bits.
template <class Filter, std::size_t Words>
[[nodiscard]] constexpr Filter fold_filter(const std::array<std::uint64_t, Words>& fingerprint) noexcept {
  if constexpr (std::is_same_v<Filter, std::array<std::uint64_t, Words>>) {
    return fingerprint;
  } else {
    static_assert(std::is_same_v<Filter, std::uint16_t> || std::is_same_v<Filter, std::uint32_t> ||
                  std::is_same_v<Filter, std::uint64_t>);
    std::uint64_t folded = 0;
    for (const std::uint64_t word : fingerprint) folded ^= word;
    if constexpr (sizeof(Filter) <= 4) folded ^= folded >> 32;
    if constexpr (sizeof(Filter) == 2) folded ^= folded >> 16;
    return static_cast<Filter>(folded);
  }
}

/// True if a 32-bit filter passes less than 1 % of non-matches at distance k; otherwise a 64-bit filter is worth its
/// memory. (The share is sum of C(32, i) for i <= k, over 2^32: 0.35 % at k = 8, 1.0 % at 9, 2.5 % at 10.)
[[nodiscard]] constexpr bool narrow_filter_suffices(int k) noexcept { return k <= 8; }

/// True if a 64-bit filter of a fingerprint of more than 64 bits passes less than 1 % of non-matches at distance k.
/// Otherwise comparing whole fingerprints is faster. (The share is 0.8 % at k = 22, 1.6 % at 23, 19 % at 28, 50 % at
/// 32.)
[[nodiscard]] constexpr bool wide_filter_suffices(int k) noexcept { return k <= 22; }

/// The most words of a fingerprint that vector kernels compare whole; wider ones are compared portably.
inline constexpr std::size_t max_vector_words = 8;

/// The number of bits in which two filters differ, computed without the popcount instruction, which a default build for
/// x86-64 lacks.
template <std::unsigned_integral Filter>
constexpr int portable_distance(Filter a, Filter b) noexcept {
  return portable_popcount(static_cast<Filter>(a ^ b));
}
template <std::size_t Words>
constexpr int portable_distance(const std::array<std::uint64_t, Words>& a,
                                const std::array<std::uint64_t, Words>& b) noexcept {
  return portable_popcount(differing_bits(a, b));
}

/// Two positions in an array of filters.
struct filter_pair {
  std::size_t x, y;
};

/// The comparisons that a join has still to make: each position in [x, x_end) with each position in [y_begin, y_end),
/// or, if `is_behind`, with each position in (x, y_end). (x, y) is the next pair: a join that stopped because its
/// buffer was full resumes there.
struct filter_join {
  std::size_t x, x_end;
  std::size_t y, y_begin, y_end;
  bool is_behind;

  /// A join of each position p in [x, x_end) with each position in (p, end). Precondition: x_end <= end.
  static constexpr filter_join within(std::size_t x, std::size_t x_end, std::size_t end) noexcept {
    return {x, x_end, x + 1, 0, end, true};
  }
  /// A join of each position in [x, x_end) with each position in [y, y_end).
  static constexpr filter_join across(std::size_t x, std::size_t x_end, std::size_t y, std::size_t y_end) noexcept {
    return {x, x_end, y, y, y_end, false};
  }

  [[nodiscard]] constexpr bool is_done() const noexcept { return x >= x_end; }

  /// Moves to the next x, and to the first y that x is compared with.
  constexpr void advance() noexcept {
    ++x;
    y = is_behind ? x + 1 : y_begin;
  }
};

/// The most pairs that a kernel tests in one step. A step is taken only if the buffer has room for all of them.
inline constexpr std::size_t join_step = 64;

/// Appends the pair (x, y + i) to `found` for each set bit i of `hits`. Returns: the new number of pairs.
inline std::size_t append_hits(std::span<filter_pair> found, std::size_t count, std::size_t x, std::size_t y,
                               std::uint64_t hits) noexcept {
  for (; hits != 0; hits &= hits - 1) {
    found[count++] = {x, y + static_cast<std::size_t>(std::countr_zero(hits))};
  }
  return count;
}

/// The reference implementation of filter joins: tests one pair of filters at a time.
template <class Filter>
std::size_t join_filters_portable(const Filter* xs, const Filter* ys, filter_join& job, int k,
                                  std::span<filter_pair> found) noexcept {
  std::size_t count = 0;
  for (; !job.is_done(); job.advance()) {
    const Filter x = xs[job.x];
    for (; job.y < job.y_end; ++job.y) {
      if (portable_distance(x, ys[job.y]) > k) continue;
      if (count == found.size()) return count;
      found[count++] = {job.x, job.y};
    }
  }
  return count;
}

#if NEARDUP_X86_KERNELS
NEARDUP_KERNELS_BEGIN

// ---- AVX2: population counts by a table of nibbles (Mula) -----------------------------------------------------------

NEARDUP_TARGET_AVX2 inline __m256i count_bytes_avx2(__m256i v) noexcept {
  const __m256i table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,  //
                                         0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
  const __m256i low = _mm256_set1_epi8(15);
  const __m256i high_nibbles = _mm256_and_si256(_mm256_srli_epi16(v, 4), low);
  return _mm256_add_epi8(_mm256_shuffle_epi8(table, _mm256_and_si256(v, low)),
                         _mm256_shuffle_epi8(table, high_nibbles));
}

/// Words `word` and `word` + 1 of fingerprints a and b, in the lower and upper half of a vector.
template <std::size_t Words>
NEARDUP_TARGET_AVX2 inline __m256i load_pairs_avx2(const std::array<std::uint64_t, Words>& a,
                                                   const std::array<std::uint64_t, Words>& b,
                                                   std::size_t word) noexcept {
  const __m128i of_a = _mm_loadu_si128(reinterpret_cast<const __m128i*>(a.data() + word));
  const __m128i of_b = _mm_loadu_si128(reinterpret_cast<const __m128i*>(b.data() + word));
  return _mm256_inserti128_si256(_mm256_castsi128_si256(of_a), of_b, 1);
}

/// The bytewise counts of differing bits in words 2 * Part and 2 * Part + 1 of four fingerprints.
template <std::size_t Part, std::size_t Words>
NEARDUP_TARGET_AVX2 inline __m256i count_words_avx2(const std::array<std::uint64_t, Words>* y,
                                                    const std::array<std::uint64_t, Words>& x) noexcept {
  if constexpr (Words == 1) {
    const __m256i words = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(y));
    return count_bytes_avx2(_mm256_xor_si256(words, _mm256_set1_epi64x(static_cast<std::int64_t>(x[0]))));
  } else {
    // An odd last word is loaded with the word before, which has been counted already.
    constexpr bool is_alone = 2 * Part + 1 == Words;
    constexpr std::size_t first = is_alone ? 2 * Part - 1 : 2 * Part;
    // Unpacking works within 128-bit halves, so `even` holds fingerprints 0 and 2, `odd` 1 and 3.
    const __m256i even = load_pairs_avx2(y[0], y[2], first);
    const __m256i odd = load_pairs_avx2(y[1], y[3], first);
    const __m256i second_of_x = _mm256_set1_epi64x(static_cast<std::int64_t>(x[first + 1]));
    const __m256i seconds = count_bytes_avx2(_mm256_xor_si256(_mm256_unpackhi_epi64(even, odd), second_of_x));
    if constexpr (is_alone) return seconds;
    const __m256i first_of_x = _mm256_set1_epi64x(static_cast<std::int64_t>(x[first]));
    const __m256i firsts = count_bytes_avx2(_mm256_xor_si256(_mm256_unpacklo_epi64(even, odd), first_of_x));
    return _mm256_add_epi8(firsts, seconds);
  }
}

NEARDUP_TARGET_AVX2 inline __m256i sum_of_bytes_avx2(__m256i a, __m256i b) noexcept { return _mm256_add_epi8(a, b); }

template <std::size_t Words, std::size_t... Part>
NEARDUP_TARGET_AVX2 inline __m256i wide_distances_avx2(const std::array<std::uint64_t, Words>* y,
                                                       const std::array<std::uint64_t, Words>& x,
                                                       std::index_sequence<Part...>) noexcept {
  __m256i counts = _mm256_setzero_si256();
  ((counts = sum_of_bytes_avx2(counts, count_words_avx2<Part>(y, x))), ...);
  return _mm256_sad_epu8(counts, _mm256_setzero_si256());
}

/// The distances of the four fingerprints at `y`.
template <std::size_t Words>
NEARDUP_TARGET_AVX2 inline __m256i distances_avx2(const std::array<std::uint64_t, Words>* y,
                                                  const std::array<std::uint64_t, Words>& x) noexcept {
  static_assert(Words <= max_vector_words);
  return wide_distances_avx2(y, x, std::make_index_sequence<(Words + 1) / 2>{});
}

/// Two equal bits for each of the sixteen filters at `y`, set if the filter is within k bits of x.
NEARDUP_TARGET_AVX2 inline std::uint32_t near_bits_avx2(const std::uint16_t* y, std::uint16_t x, int k) noexcept {
  const __m256i difference = _mm256_xor_si256(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(y)),
                                              _mm256_set1_epi16(static_cast<short>(x)));
  const __m256i counts = _mm256_maddubs_epi16(count_bytes_avx2(difference), _mm256_set1_epi8(1));
  const __m256i beyond = _mm256_cmpgt_epi16(counts, _mm256_set1_epi16(static_cast<short>(k)));
  return ~static_cast<std::uint32_t>(_mm256_movemask_epi8(beyond));
}
/// One bit for each filter in the vector at `y`, set if the filter is within k bits of x.
NEARDUP_TARGET_AVX2 inline std::uint32_t near_bits_avx2(const std::uint32_t* y, std::uint32_t x, int k) noexcept {
  const __m256i difference =
      _mm256_xor_si256(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(y)), _mm256_set1_epi32(static_cast<int>(x)));
  const __m256i pairs = _mm256_maddubs_epi16(count_bytes_avx2(difference), _mm256_set1_epi8(1));
  const __m256i beyond = _mm256_cmpgt_epi32(_mm256_madd_epi16(pairs, _mm256_set1_epi16(1)), _mm256_set1_epi32(k));
  return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(beyond))) ^ 0xffU;
}
NEARDUP_TARGET_AVX2 inline std::uint32_t near_bits_avx2(const std::uint64_t* y, std::uint64_t x, int k) noexcept {
  const __m256i difference = _mm256_xor_si256(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(y)),
                                              _mm256_set1_epi64x(static_cast<std::int64_t>(x)));
  const __m256i counts = _mm256_sad_epu8(count_bytes_avx2(difference), _mm256_setzero_si256());
  const __m256i beyond = _mm256_cmpgt_epi64(counts, _mm256_set1_epi64x(k));
  return static_cast<std::uint32_t>(_mm256_movemask_pd(_mm256_castsi256_pd(beyond))) ^ 0xfU;
}

template <std::size_t Words>
NEARDUP_TARGET_AVX2 std::uint32_t near_bits_avx2(const std::array<std::uint64_t, Words>* y,
                                                 const std::array<std::uint64_t, Words>& x, int k) noexcept {
  const __m256i distances = distances_avx2(y, x);
  const __m256i beyond = _mm256_cmpgt_epi64(distances, _mm256_set1_epi64x(k));
  return static_cast<std::uint32_t>(_mm256_movemask_pd(_mm256_castsi256_pd(beyond))) ^ 0xfU;
}

// Arguments of intrinsics have types that do not depend on template parameters. Otherwise clang would not find the intrinsic
// when a program that imports the module instantiates the template.

// ---- AVX-512: VPOPCNTD and VPOPCNTQ ---------------------------------------------------------------------------------

NEARDUP_TARGET_AVX512 inline __m512i broadcast_avx512(std::uint32_t x) noexcept {
  return _mm512_set1_epi32(static_cast<int>(x));
}
NEARDUP_TARGET_AVX512 inline __m512i broadcast_avx512(std::uint64_t x) noexcept {
  return _mm512_set1_epi64(static_cast<std::int64_t>(x));
}
NEARDUP_TARGET_AVX512 inline __m512i distances_avx512(const std::uint32_t* y, __m512i x) noexcept {
  return _mm512_popcnt_epi32(_mm512_xor_si512(_mm512_loadu_si512(y), x));
}
NEARDUP_TARGET_AVX512 inline __m512i distances_avx512(const std::uint64_t* y, __m512i x) noexcept {
  return _mm512_popcnt_epi64(_mm512_xor_si512(_mm512_loadu_si512(y), x));
}
/// Loads the filters of the 64 bytes at `y` that are set in `mask`; others are not read. `IsAligned`: y is a multiple
/// of 64. On a Zen 5, an unaligned masked load waits for earlier stores, an aligned one does not.
template <class Filter, bool IsAligned>
NEARDUP_TARGET_AVX512 inline __m512i load_some_avx512(const Filter* y, std::uint64_t mask) noexcept {
  const void* const bytes = y;
  if constexpr (sizeof(Filter) == 4) {
    const auto lanes = static_cast<__mmask16>(mask);
    return IsAligned ? _mm512_maskz_load_epi32(lanes, bytes) : _mm512_maskz_loadu_epi32(lanes, bytes);
  } else {
    const auto lanes = static_cast<__mmask8>(mask);
    return IsAligned ? _mm512_maskz_load_epi64(lanes, bytes) : _mm512_maskz_loadu_epi64(lanes, bytes);
  }
}
/// One bit for each filter at `y` that is set in `mask`: 1 if the filter is within k bits of x. Other filters are not
/// read.
template <bool IsAligned = false>
NEARDUP_TARGET_AVX512 inline std::uint64_t near_bits_avx512(const std::uint32_t* y, std::uint64_t mask, __m512i x,
                                                            __m512i k) noexcept {
  const __m512i some = load_some_avx512<std::uint32_t, IsAligned>(y, mask);
  const __m512i distances = _mm512_popcnt_epi32(_mm512_xor_si512(some, x));
  return _mm512_mask_cmple_epu32_mask(static_cast<__mmask16>(mask), distances, k);
}
template <bool IsAligned = false>
NEARDUP_TARGET_AVX512 inline std::uint64_t near_bits_avx512(const std::uint64_t* y, std::uint64_t mask, __m512i x,
                                                            __m512i k) noexcept {
  const __m512i some = load_some_avx512<std::uint64_t, IsAligned>(y, mask);
  const __m512i distances = _mm512_popcnt_epi64(_mm512_xor_si512(some, x));
  return _mm512_mask_cmple_epu64_mask(static_cast<__mmask8>(mask), distances, k);
}

// The words of one fingerprint are adjacent, so their counts are in adjacent lanes and must be added across lanes. A
// count fits a byte: the counts of vector j are shifted to byte j, one permutation collects the bytes of each
// fingerprint in its lane, and VPSADBW adds them. This works for any number of words up to eight, and keeps the order.

/// Eight fingerprints of `Words` words fill `Words` vectors. words_in_lanes[v][lane] is the word of its fingerprint
/// that lane `lane` of vector v holds.
template <std::size_t Words>
inline constexpr std::array<std::array<std::uint64_t, 8>, Words> words_in_lanes = [] {
  std::array<std::array<std::uint64_t, 8>, Words> result{};
  for (std::size_t i = 0; i < 8 * Words; ++i) result[i / 8][i % 8] = i % Words;
  return result;
}();

/// The permutation that collects the counts of each fingerprint. Its input has the count of lane i of vector j in byte
/// j of lane i.
template <std::size_t Words>
inline constexpr std::array<std::uint8_t, 64> bytes_of_counts = [] {
  std::array<std::uint8_t, 64> result{};
  for (std::size_t i = 0; i < 8 * Words; ++i) {
    result[i / Words * 8 + i % Words] = static_cast<std::uint8_t>(i % 8 * 8 + i / 8);
  }
  return result;
}();

/// The words of one fingerprint, repeated in the order of eight consecutive fingerprints.
template <std::size_t Words>
struct wide_broadcast {
  __m512i vectors[Words];
};

template <std::size_t Words>
NEARDUP_TARGET_AVX512 inline wide_broadcast<Words> broadcast_avx512(
    const std::array<std::uint64_t, Words>& x) noexcept {
  static_assert(Words <= max_vector_words);
  const void* const words_of_x = x.data();
  const __m512i words = _mm512_maskz_loadu_epi64(static_cast<__mmask8>((1U << Words) - 1), words_of_x);
  wide_broadcast<Words> result;
  for (std::size_t i = 0; i < Words; ++i) {
    const void* const order = words_in_lanes<Words>[i].data();
    result.vectors[i] = _mm512_permutexvar_epi64(_mm512_loadu_si512(order), words);
  }
  return result;
}

/// The counts of differing bits in vector `Part` of the words at `y`, shifted to byte `Part` of each lane.
template <std::size_t Part, std::size_t Words>
NEARDUP_TARGET_AVX512 inline __m512i shifted_counts_avx512(const void* y, std::size_t words,
                                                           const wide_broadcast<Words>& x) noexcept {
  const std::size_t rest = words > 8 * Part ? words - 8 * Part : 0;
  const auto mask = static_cast<__mmask8>(rest >= 8 ? 0xffU : (1U << rest) - 1);
  const __m512i vector = _mm512_maskz_loadu_epi64(mask, static_cast<const unsigned char*>(y) + 64 * Part);
  const __m512i of_x = x.vectors[Part];
  constexpr unsigned shift = 8 * Part;
  return _mm512_slli_epi64(_mm512_popcnt_epi64(_mm512_xor_si512(vector, of_x)), shift);
}

// A fold expression, because g++ does not unroll a loop over four vectors, which costs 3 times as much.
template <std::size_t Words, std::size_t... Part>
NEARDUP_TARGET_AVX512 inline __m512i add_counts_avx512(const void* y, std::size_t words, const wide_broadcast<Words>& x,
                                                       std::index_sequence<Part...>) noexcept {
  __m512i counts = _mm512_setzero_si512();
  ((counts |= shifted_counts_avx512<Part>(y, words, x)), ...);
  if constexpr (Words == 1) return counts;
  constexpr std::uint64_t bytes_of_lane = (1U << Words) - 1;
  const void* const table = bytes_of_counts<Words>.data();
  const __m512i places = _mm512_loadu_si512(table);
  const __m512i gathered = _mm512_maskz_permutexvar_epi8(bytes_of_lane * 0x0101010101010101U, places, counts);
  return _mm512_sad_epu8(gathered, _mm512_setzero_si512());
}

/// The distances of `count` fingerprints at `y`, 1 <= count <= 8, one per lane; other lanes are unspecified.
template <std::size_t Words>
NEARDUP_TARGET_AVX512 inline __m512i some_distances_avx512(const std::array<std::uint64_t, Words>* y, std::size_t count,
                                                           const wide_broadcast<Words>& x) noexcept {
  return add_counts_avx512(y, count * Words, x, std::make_index_sequence<Words>{});
}

template <std::size_t Words>
NEARDUP_TARGET_AVX512 inline __m512i distances_avx512(const std::array<std::uint64_t, Words>* y,
                                                      const wide_broadcast<Words>& x) noexcept {
  return some_distances_avx512(y, 8, x);
}

/// The lanes whose distance is at most k.
template <std::unsigned_integral Lane>
NEARDUP_TARGET_AVX512 inline std::uint64_t up_to_avx512(__m512i distances, __m512i k) noexcept {
  if constexpr (sizeof(Lane) == 4) return _mm512_cmple_epu32_mask(distances, k);
  return _mm512_cmple_epu64_mask(distances, k);
}
template <std::unsigned_integral Lane>
NEARDUP_TARGET_AVX512 inline __m512i min_avx512(__m512i a, __m512i b) noexcept {
  if constexpr (sizeof(Lane) == 4) return _mm512_min_epu32(a, b);
  return _mm512_min_epu64(a, b);
}
/// near_bits_avx512 for filters of several words. Precondition: `mask` has only its lowest bits set.
template <std::size_t Words>
NEARDUP_TARGET_AVX512 std::uint64_t near_bits_avx512(const std::array<std::uint64_t, Words>* y, std::uint64_t mask,
                                                     const wide_broadcast<Words>& x, __m512i k) noexcept {
  const auto count = static_cast<std::size_t>(_mm_popcnt_u64(mask));
  return _mm512_mask_cmple_epu64_mask(static_cast<__mmask8>(mask), some_distances_avx512(y, count, x), k);
}

// ---- Joins ----------------------------------------------------------------------------------------------------------

template <class Filter>
NEARDUP_TARGET_AVX2 std::size_t join_filters_avx2(const Filter* xs, const Filter* ys, filter_join& job, int k,
                                                  std::span<filter_pair> found) noexcept {
  constexpr std::size_t lanes = std::is_same_v<Filter, std::uint32_t> ? 8 : 4;
  std::size_t count = 0;
  for (; !job.is_done(); job.advance()) {
    const Filter x = xs[job.x];
    std::size_t y = job.y;
    for (; y + lanes <= job.y_end; y += lanes) {
      const std::uint32_t hits = near_bits_avx2(ys + y, x, k);
      if (hits == 0) continue;
      if (found.size() - count < lanes) {
        job.y = y;
        return count;
      }
      count = append_hits(found, count, job.x, y, hits);
    }
    for (; y < job.y_end; ++y) {
      if (count_differing_bits(x, ys[y]) > k) continue;
      if (count == found.size()) {
        job.y = y;
        return count;
      }
      found[count++] = {job.x, y};
    }
  }
  return count;
}

template <class Filter>
NEARDUP_TARGET_AVX512 std::size_t join_filters_avx512(const Filter* xs, const Filter* ys, filter_join& job, int k,
                                                      std::span<filter_pair> found) noexcept {
  using lane_type = std::conditional_t<std::is_same_v<Filter, std::uint32_t>, std::uint32_t, std::uint64_t>;
  constexpr std::size_t lanes = 64 / sizeof(lane_type);
  const __m512i limit = broadcast_avx512(static_cast<lane_type>(k));
  std::size_t count = 0;
  for (; !job.is_done(); job.advance()) {
    const auto x = broadcast_avx512(xs[job.x]);
    const std::size_t end = job.y_end;
    std::size_t y = job.y;
    for (; y + 4 * lanes <= end; y += 4 * lanes) {
      const __m512i a = distances_avx512(ys + y, x);
      const __m512i b = distances_avx512(ys + y + lanes, x);
      const __m512i c = distances_avx512(ys + y + 2 * lanes, x);
      const __m512i d = distances_avx512(ys + y + 3 * lanes, x);
      const __m512i nearest = min_avx512<lane_type>(min_avx512<lane_type>(a, b), min_avx512<lane_type>(c, d));
      if (up_to_avx512<lane_type>(nearest, limit) == 0) continue;
      if (found.size() - count < 4 * lanes) {
        job.y = y;
        return count;
      }
      const std::uint64_t low = up_to_avx512<lane_type>(a, limit) | up_to_avx512<lane_type>(b, limit) << lanes;
      const std::uint64_t high = up_to_avx512<lane_type>(c, limit) | up_to_avx512<lane_type>(d, limit) << lanes;
      count = append_hits(found, count, job.x, y, low | high << (2 * lanes));
    }
    for (; y < end; y += lanes) {
      const std::uint64_t mask = _bzhi_u64(~std::uint64_t{0}, static_cast<unsigned>(end - y < lanes ? end - y : lanes));
      const std::uint64_t hits = near_bits_avx512(ys + y, mask, x, limit);
      if (hits == 0) continue;
      if (found.size() - count < lanes) {
        job.y = y;
        return count;
      }
      count = append_hits(found, count, job.x, y, hits);
    }
  }
  return count;
}

NEARDUP_KERNELS_END
#endif  // NEARDUP_X86_KERNELS

/// Joins filters: writes the pairs of `job` within k bits to `found`, sorted by (x, y), until the job is done or
/// `found` might be too small for the pairs of the next step.
/// Returns: the number of pairs written. A call may stop before job.is_done(); the next call continues. All calls
/// together write each pair once.
/// Precondition: found.size() >= join_step; 0 <= k.
template <class Filter>
std::size_t join_filters(const Filter* xs, const Filter* ys, filter_join& job, int k, std::span<filter_pair> found,
                         [[maybe_unused]] instruction_set level) noexcept {
#if NEARDUP_X86_KERNELS
  if constexpr (sizeof(Filter) <= max_vector_words * sizeof(std::uint64_t)) {
    if (has_avx512(level)) return join_filters_avx512(xs, ys, job, k, found);
    if (has_avx2(level)) return join_filters_avx2(xs, ys, job, k, found);
  }
#endif
  return join_filters_portable(xs, ys, job, k, found);
}

/// Scans all fingerprints: visits (query, position, distance) for each fingerprint within k bits of each query, in
/// unspecified order. Ends early if `visit` returns false. Returns: false if `visit` ended it.
template <std::size_t Words, class Visit>
bool scan_all(std::span<const std::array<std::uint64_t, Words>> fingerprints,
              std::span<const std::array<std::uint64_t, Words>> queries, int k, const Visit& visit) {
  constexpr std::size_t tile = (std::size_t{1} << 17) / sizeof(fingerprints[0]);  // fits the cache for all queries
  const instruction_set level = active_instruction_set();
  filter_pair found[4 * join_step];
  for (std::size_t begin = 0; begin < fingerprints.size(); begin += tile) {
    const std::size_t end = (std::min)(begin + tile, fingerprints.size());
    for (filter_join job = filter_join::across(0, queries.size(), begin, end); !job.is_done();) {
      const std::size_t count = join_filters(queries.data(), fingerprints.data(), job, k, std::span(found), level);
      for (const auto& [query, position] : std::span(found).first(count)) {
        const int distance = portable_distance(queries[query], fingerprints[position]);
        if (!visit(query, position, distance)) return false;
      }
    }
  }
  return true;
}

/// Scans all fingerprints for one query: visits (position, distance).
template <std::size_t Words, class Visit>
bool scan_all(std::span<const std::array<std::uint64_t, Words>> fingerprints,
              const std::array<std::uint64_t, Words>& query, int k, const Visit& visit) {
  return scan_all(fingerprints, std::span(&query, 1), k,
                  [&](std::size_t, std::size_t position, int distance) { return visit(position, distance); });
}

}  // namespace neardup::inline v0::detail
