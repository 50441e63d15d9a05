// SPDX-License-Identifier: MIT
// Filters compared by AVX-512: VPOPCNTD and VPOPCNTQ.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include "../../detail/bits.hpp"
#include "../../simd/forms.hpp"
#include "filters_portable.hpp"

#if NEARDUP_X86_KERNELS

namespace neardup::inline v0::detail {

// Arguments of intrinsics have types that do not depend on template parameters. Otherwise clang would not find the intrinsic
// when a program that imports the module instantiates the template.

NEARDUP_AVX512_BEGIN

inline __m512i broadcast_avx512(std::uint32_t x) noexcept { return _mm512_set1_epi32(static_cast<int>(x)); }
inline __m512i broadcast_avx512(std::uint64_t x) noexcept { return _mm512_set1_epi64(static_cast<std::int64_t>(x)); }
inline __m512i distances_avx512(const std::uint32_t* y, __m512i x) noexcept {
  return _mm512_popcnt_epi32(_mm512_xor_si512(_mm512_loadu_si512(y), x));
}
inline __m512i distances_avx512(const std::uint64_t* y, __m512i x) noexcept {
  return _mm512_popcnt_epi64(_mm512_xor_si512(_mm512_loadu_si512(y), x));
}
/// Loads the filters of the 64 bytes at `y` that are set in `mask`; others are not read. `IsAligned`: y is a multiple
/// of 64. On a Zen 5, an unaligned masked load waits for earlier stores, an aligned one does not.
template <class Filter, bool IsAligned>
inline __m512i load_some_avx512(const Filter* y, std::uint64_t mask) noexcept {
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
inline std::uint64_t near_bits_avx512(const std::uint32_t* y, std::uint64_t mask, __m512i x, __m512i k) noexcept {
  const __m512i some = load_some_avx512<std::uint32_t, IsAligned>(y, mask);
  const __m512i distances = _mm512_popcnt_epi32(_mm512_xor_si512(some, x));
  return _mm512_mask_cmple_epu32_mask(static_cast<__mmask16>(mask), distances, k);
}
template <bool IsAligned = false>
inline std::uint64_t near_bits_avx512(const std::uint64_t* y, std::uint64_t mask, __m512i x, __m512i k) noexcept {
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

/// The words of one fingerprint x, repeated eight times: lane `lane` of vector v is x[words_in_lanes<Words>[v][lane]].
template <std::size_t Words>
struct wide_broadcast {
  __m512i vectors[Words];
};

template <std::size_t Words>
inline wide_broadcast<Words> broadcast_avx512(const std::array<std::uint64_t, Words>& x) noexcept {
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
inline __m512i shifted_counts_avx512(const void* y, std::size_t words, const wide_broadcast<Words>& x) noexcept {
  const std::size_t rest = words > 8 * Part ? words - 8 * Part : 0;
  const auto mask = static_cast<__mmask8>(rest >= 8 ? 0xffU : (1U << rest) - 1);
  const __m512i vector = _mm512_maskz_loadu_epi64(mask, static_cast<const unsigned char*>(y) + 64 * Part);
  const __m512i of_x = x.vectors[Part];
  constexpr unsigned shift = 8 * Part;
  return _mm512_slli_epi64(_mm512_popcnt_epi64(_mm512_xor_si512(vector, of_x)), shift);
}

// A fold expression, because g++ does not unroll a loop over four vectors, which costs 3 times as much.
template <std::size_t Words, std::size_t... Part>
inline __m512i add_counts_avx512(const void* y, std::size_t words, const wide_broadcast<Words>& x,
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
inline __m512i some_distances_avx512(const std::array<std::uint64_t, Words>* y, std::size_t count,
                                     const wide_broadcast<Words>& x) noexcept {
  return add_counts_avx512(y, count * Words, x, std::make_index_sequence<Words>{});
}

template <std::size_t Words>
inline __m512i distances_avx512(const std::array<std::uint64_t, Words>* y, const wide_broadcast<Words>& x) noexcept {
  return some_distances_avx512(y, 8, x);
}

/// One bit for each lane, set if its distance is at most k.
template <std::unsigned_integral Lane>
inline std::uint64_t up_to_avx512(__m512i distances, __m512i k) noexcept {
  if constexpr (sizeof(Lane) == 4) return _mm512_cmple_epu32_mask(distances, k);
  return _mm512_cmple_epu64_mask(distances, k);
}
template <std::unsigned_integral Lane>
inline __m512i min_avx512(__m512i a, __m512i b) noexcept {
  if constexpr (sizeof(Lane) == 4) return _mm512_min_epu32(a, b);
  return _mm512_min_epu64(a, b);
}
/// near_bits_avx512 for filters of several words. Precondition: `mask` has only its lowest bits set.
template <std::size_t Words>
std::uint64_t near_bits_avx512(const std::array<std::uint64_t, Words>* y, std::uint64_t mask,
                               const wide_broadcast<Words>& x, __m512i k) noexcept {
  const auto count = static_cast<std::size_t>(_mm_popcnt_u64(mask));
  return _mm512_mask_cmple_epu64_mask(static_cast<__mmask8>(mask), some_distances_avx512(y, count, x), k);
}

template <class Filter>
std::size_t join_filters_avx512(const Filter* xs, const Filter* ys, filter_join& job, int k,
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
NEARDUP_END

template <vector_filter Filter>
constexpr auto join_filters_of(avx512_form) noexcept {
  return join_filters_avx512<Filter>;
}

}  // namespace neardup::inline v0::detail

#endif  // NEARDUP_X86_KERNELS
