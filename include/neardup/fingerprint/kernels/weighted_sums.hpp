// Adds a weight to the sum of each column whose bit is set: 64 sums for each word.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "../../detail/instructions.hpp"

namespace neardup::inline v0::detail {

/// For each value of four bits the four masks that select what it sets.
inline constexpr std::array<std::array<std::uint64_t, 4>, 16> nibble_masks = [] {
  std::array<std::array<std::uint64_t, 4>, 16> masks{};
  for (std::size_t value = 0; value < 16; ++value) {
    for (std::size_t bit = 0; bit < 4; ++bit) masks[value][bit] = 0 - static_cast<std::uint64_t>(value >> bit & 1U);
  }
  return masks;
}();

/// The reference: sums[i] += weights[t * stride] for each bit i of words[t * stride]; 64 sums, exact modulo 2^64.
/// Four columns at a time, which every compiler makes vectors of.
inline void add_weighted_portable(std::uint64_t* sums, const std::uint64_t* words, const std::uint64_t* weights,
                                  std::size_t stride, std::size_t n) noexcept {
  for (std::size_t t = 0; t < n; ++t) {
    const std::uint64_t weight = weights[t * stride];
    for (std::size_t i = 0; i < 64; i += 4) {
      const auto& masks = nibble_masks[words[t * stride] >> i & 0xfU];
      for (std::size_t j = 0; j < 4; ++j) sums[i + j] += weight & masks[j];
    }
  }
}

#if NEARDUP_X86_KERNELS
NEARDUP_KERNELS_BEGIN

/// The same with AVX-512: a byte of the word is the mask of eight sums, which stay in registers. 12 cycles a token, of
/// which the portable loop takes 35 to 73.
NEARDUP_TARGET_AVX512 inline void add_weighted_avx512(std::uint64_t* sums, const std::uint64_t* words,
                                                      const std::uint64_t* weights, std::size_t stride,
                                                      std::size_t n) noexcept {
  __m512i s0 = _mm512_loadu_si512(sums);
  __m512i s1 = _mm512_loadu_si512(sums + 8);
  __m512i s2 = _mm512_loadu_si512(sums + 16);
  __m512i s3 = _mm512_loadu_si512(sums + 24);
  __m512i s4 = _mm512_loadu_si512(sums + 32);
  __m512i s5 = _mm512_loadu_si512(sums + 40);
  __m512i s6 = _mm512_loadu_si512(sums + 48);
  __m512i s7 = _mm512_loadu_si512(sums + 56);
  for (std::size_t t = 0; t < n; ++t) {
    const __m512i weight = _mm512_set1_epi64(static_cast<long long>(weights[t * stride]));
    const std::uint64_t word = words[t * stride];
    s0 = _mm512_mask_add_epi64(s0, static_cast<__mmask8>(word), s0, weight);
    s1 = _mm512_mask_add_epi64(s1, static_cast<__mmask8>(word >> 8), s1, weight);
    s2 = _mm512_mask_add_epi64(s2, static_cast<__mmask8>(word >> 16), s2, weight);
    s3 = _mm512_mask_add_epi64(s3, static_cast<__mmask8>(word >> 24), s3, weight);
    s4 = _mm512_mask_add_epi64(s4, static_cast<__mmask8>(word >> 32), s4, weight);
    s5 = _mm512_mask_add_epi64(s5, static_cast<__mmask8>(word >> 40), s5, weight);
    s6 = _mm512_mask_add_epi64(s6, static_cast<__mmask8>(word >> 48), s6, weight);
    s7 = _mm512_mask_add_epi64(s7, static_cast<__mmask8>(word >> 56), s7, weight);
  }
  _mm512_storeu_si512(sums, s0);
  _mm512_storeu_si512(sums + 8, s1);
  _mm512_storeu_si512(sums + 16, s2);
  _mm512_storeu_si512(sums + 24, s3);
  _mm512_storeu_si512(sums + 32, s4);
  _mm512_storeu_si512(sums + 40, s5);
  _mm512_storeu_si512(sums + 48, s6);
  _mm512_storeu_si512(sums + 56, s7);
}

NEARDUP_KERNELS_END
#endif

inline void add_weighted(std::uint64_t* sums, const std::uint64_t* words, const std::uint64_t* weights,
                         std::size_t stride, std::size_t n, instruction_set level) noexcept {
#if NEARDUP_X86_KERNELS
  if (level == instruction_set::avx512) return add_weighted_avx512(sums, words, weights, stride, n);
#endif
  static_cast<void>(level);
  add_weighted_portable(sums, words, weights, stride, n);
}

}  // namespace neardup::inline v0::detail
