// SPDX-License-Identifier: MIT
// Filters compared by AVX2: population counts by a table of nibbles (Mula).
#pragma once

#include <array>
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

NEARDUP_AVX2_BEGIN

inline __m256i count_bytes_avx2(__m256i v) noexcept {
  const __m256i table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,  //
                                         0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
  const __m256i low = _mm256_set1_epi8(15);
  const __m256i high_nibbles = _mm256_and_si256(_mm256_srli_epi16(v, 4), low);
  return _mm256_add_epi8(_mm256_shuffle_epi8(table, _mm256_and_si256(v, low)),
                         _mm256_shuffle_epi8(table, high_nibbles));
}

/// Words `word` and `word` + 1 of fingerprints a and b, in the lower and upper half of a vector.
template <std::size_t Words>
inline __m256i load_pairs_avx2(const std::array<std::uint64_t, Words>& a, const std::array<std::uint64_t, Words>& b,
                               std::size_t word) noexcept {
  const __m128i of_a = _mm_loadu_si128(reinterpret_cast<const __m128i*>(a.data() + word));
  const __m128i of_b = _mm_loadu_si128(reinterpret_cast<const __m128i*>(b.data() + word));
  return _mm256_inserti128_si256(_mm256_castsi128_si256(of_a), of_b, 1);
}

/// The bytewise counts of differing bits in words 2 * Part and 2 * Part + 1 of four fingerprints.
template <std::size_t Part, std::size_t Words>
inline __m256i count_words_avx2(const std::array<std::uint64_t, Words>* y,
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

inline __m256i sum_of_bytes_avx2(__m256i a, __m256i b) noexcept { return _mm256_add_epi8(a, b); }

template <std::size_t Words, std::size_t... Part>
inline __m256i wide_distances_avx2(const std::array<std::uint64_t, Words>* y, const std::array<std::uint64_t, Words>& x,
                                   std::index_sequence<Part...>) noexcept {
  __m256i counts = _mm256_setzero_si256();
  ((counts = sum_of_bytes_avx2(counts, count_words_avx2<Part>(y, x))), ...);
  return _mm256_sad_epu8(counts, _mm256_setzero_si256());
}

/// The distances of the four fingerprints at `y`.
template <std::size_t Words>
inline __m256i distances_avx2(const std::array<std::uint64_t, Words>* y,
                              const std::array<std::uint64_t, Words>& x) noexcept {
  static_assert(Words <= max_vector_words);
  return wide_distances_avx2(y, x, std::make_index_sequence<(Words + 1) / 2>{});
}

/// Two equal bits for each of the sixteen filters at `y`, set if the filter is within k bits of x.
inline std::uint32_t near_bits_avx2(const std::uint16_t* y, std::uint16_t x, int k) noexcept {
  const __m256i difference = _mm256_xor_si256(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(y)),
                                              _mm256_set1_epi16(static_cast<short>(x)));
  const __m256i counts = _mm256_maddubs_epi16(count_bytes_avx2(difference), _mm256_set1_epi8(1));
  const __m256i beyond = _mm256_cmpgt_epi16(counts, _mm256_set1_epi16(static_cast<short>(k)));
  return ~static_cast<std::uint32_t>(_mm256_movemask_epi8(beyond));
}
/// One bit for each filter in the vector at `y`, set if the filter is within k bits of x.
inline std::uint32_t near_bits_avx2(const std::uint32_t* y, std::uint32_t x, int k) noexcept {
  const __m256i difference =
      _mm256_xor_si256(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(y)), _mm256_set1_epi32(static_cast<int>(x)));
  const __m256i pairs = _mm256_maddubs_epi16(count_bytes_avx2(difference), _mm256_set1_epi8(1));
  const __m256i beyond = _mm256_cmpgt_epi32(_mm256_madd_epi16(pairs, _mm256_set1_epi16(1)), _mm256_set1_epi32(k));
  return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(beyond))) ^ 0xffU;
}
inline std::uint32_t near_bits_avx2(const std::uint64_t* y, std::uint64_t x, int k) noexcept {
  const __m256i difference = _mm256_xor_si256(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(y)),
                                              _mm256_set1_epi64x(static_cast<std::int64_t>(x)));
  const __m256i counts = _mm256_sad_epu8(count_bytes_avx2(difference), _mm256_setzero_si256());
  const __m256i beyond = _mm256_cmpgt_epi64(counts, _mm256_set1_epi64x(k));
  return static_cast<std::uint32_t>(_mm256_movemask_pd(_mm256_castsi256_pd(beyond))) ^ 0xfU;
}

template <std::size_t Words>
std::uint32_t near_bits_avx2(const std::array<std::uint64_t, Words>* y, const std::array<std::uint64_t, Words>& x,
                             int k) noexcept {
  const __m256i distances = distances_avx2(y, x);
  const __m256i beyond = _mm256_cmpgt_epi64(distances, _mm256_set1_epi64x(k));
  return static_cast<std::uint32_t>(_mm256_movemask_pd(_mm256_castsi256_pd(beyond))) ^ 0xfU;
}

template <class Filter>
std::size_t join_filters_avx2(const Filter* xs, const Filter* ys, filter_join& job, int k,
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
NEARDUP_END

template <vector_filter Filter>
constexpr auto join_filters_of(avx2_form) noexcept {
  return join_filters_avx2<Filter>;
}

}  // namespace neardup::inline v0::detail

#endif  // NEARDUP_X86_KERNELS
