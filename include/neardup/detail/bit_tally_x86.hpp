// count_bits with AVX2 and AVX-512: the portable kernel in 4 and in 8 lanes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bit_tally.hpp"
#include "instruction_set.hpp"

#if NEARDUP_X86_KERNELS

NEARDUP_KERNELS_BEGIN

namespace neardup::inline v0::detail {

/// The tree of full adders that takes 16 vectors into the planes of 1, 2, 4 and 8, and gives the carry of 16.
/// A macro, because lambdas and templates do not carry target attributes on all compilers.
#define NEARDUP_ADD_16(add, load)         \
  add(twos_a, ones, load(0), load(1));    \
  add(twos_b, ones, load(2), load(3));    \
  add(fours_a, twos, twos_a, twos_b);     \
  add(twos_a, ones, load(4), load(5));    \
  add(twos_b, ones, load(6), load(7));    \
  add(fours_b, twos, twos_a, twos_b);     \
  add(eights_a, fours, fours_a, fours_b); \
  add(twos_a, ones, load(8), load(9));    \
  add(twos_b, ones, load(10), load(11));  \
  add(fours_a, twos, twos_a, twos_b);     \
  add(twos_a, ones, load(12), load(13));  \
  add(twos_b, ones, load(14), load(15));  \
  add(fours_b, twos, twos_a, twos_b);     \
  add(eights_b, fours, fours_a, fours_b); \
  add(sixteens, eights, eights_a, eights_b)

// ---- AVX2: five operations an adder, four words a vector -------------------------------------------------------------

NEARDUP_TARGET_AVX2 inline void ripple_avx2(bit_tally& tally, std::size_t plane, __m256i carry) noexcept {
  for (; _mm256_testz_si256(carry, carry) == 0; ++plane) {
    tally.extend(plane + 1);
    auto* const sum = reinterpret_cast<__m256i*>(tally.planes[plane]);
    const __m256i old = _mm256_load_si256(sum);
    _mm256_store_si256(sum, _mm256_xor_si256(old, carry));
    carry = _mm256_and_si256(old, carry);
  }
}

NEARDUP_TARGET_AVX2 inline void count_bits_avx2(bit_tally& tally, const std::uint64_t* words, std::size_t n) noexcept {
  tally.total += n;
  tally.extend(block_planes);
  const auto plane = [&](std::size_t p) { return reinterpret_cast<__m256i*>(tally.planes[p]); };
  __m256i ones = _mm256_load_si256(plane(0));
  __m256i twos = _mm256_load_si256(plane(1));
  __m256i fours = _mm256_load_si256(plane(2));
  __m256i eights = _mm256_load_si256(plane(3));
  const auto add = [](__m256i & carry, __m256i & sum, __m256i b, __m256i c)
      __attribute__((always_inline, target("avx2,bmi,bmi2,popcnt"))) {
    const __m256i half = _mm256_xor_si256(sum, b);
    carry = _mm256_or_si256(_mm256_and_si256(sum, b), _mm256_and_si256(half, c));
    sum = _mm256_xor_si256(half, c);
  };
  const auto add_one = [&](__m256i carry) __attribute__((always_inline, target("avx2,bmi,bmi2,popcnt"))) {
    for (__m256i* const sum : {&ones, &twos, &fours, &eights}) {
      const __m256i next = _mm256_and_si256(*sum, carry);
      *sum = _mm256_xor_si256(*sum, carry);
      carry = next;
    }
    ripple_avx2(tally, block_planes, carry);
  };
  std::size_t i = 0;
  for (; i + 64 <= n; i += 64) {
    const auto load = [&](std::size_t v) __attribute__((always_inline, target("avx2,bmi,bmi2,popcnt"))) {
      return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(words + i + 4 * v));
    };
    __m256i twos_a, twos_b, fours_a, fours_b, eights_a, eights_b, sixteens;
    NEARDUP_ADD_16(add, load);
    ripple_avx2(tally, block_planes, sixteens);
  }
  for (; i + 4 <= n; i += 4) add_one(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(words + i)));
  if (i < n) {
    std::uint64_t rest[4] = {};
    for (std::size_t j = 0; i + j < n; ++j) rest[j] = words[i + j];
    add_one(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(rest)));
  }
  _mm256_store_si256(plane(0), ones);
  _mm256_store_si256(plane(1), twos);
  _mm256_store_si256(plane(2), fours);
  _mm256_store_si256(plane(3), eights);
}

// ---- AVX-512: two operations an adder (VPTERNLOGQ), eight words a vector ---------------------------------------------

NEARDUP_TARGET_AVX512 inline void ripple_avx512(bit_tally& tally, std::size_t plane, __m512i carry) noexcept {
  for (; _mm512_test_epi64_mask(carry, carry) != 0; ++plane) {
    tally.extend(plane + 1);
    const __m512i old = _mm512_load_si512(tally.planes[plane]);
    _mm512_store_si512(tally.planes[plane], _mm512_xor_si512(old, carry));
    carry = _mm512_and_si512(old, carry);
  }
}

NEARDUP_TARGET_AVX512 inline void count_bits_avx512(bit_tally& tally, const std::uint64_t* words,
                                                    std::size_t n) noexcept {
  tally.total += n;
  tally.extend(block_planes);
  __m512i ones = _mm512_load_si512(tally.planes[0]);
  __m512i twos = _mm512_load_si512(tally.planes[1]);
  __m512i fours = _mm512_load_si512(tally.planes[2]);
  __m512i eights = _mm512_load_si512(tally.planes[3]);
#define NEARDUP_AVX512_LAMBDA   \
  __attribute__((always_inline, \
                 target("avx2,bmi,bmi2,popcnt,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2")))
  const auto add = [](__m512i& carry, __m512i& sum, __m512i b, __m512i c) NEARDUP_AVX512_LAMBDA {
    const __m512i old = sum;
    sum = _mm512_ternarylogic_epi64(old, b, c, 0x96);    // a ^ b ^ c
    carry = _mm512_ternarylogic_epi64(old, b, c, 0xe8);  // majority
  };
  const auto add_one = [&](__m512i carry) NEARDUP_AVX512_LAMBDA {
    for (__m512i* const sum : {&ones, &twos, &fours, &eights}) {
      const __m512i next = _mm512_and_si512(*sum, carry);
      *sum = _mm512_xor_si512(*sum, carry);
      carry = next;
    }
    ripple_avx512(tally, block_planes, carry);
  };
  std::size_t i = 0;
  for (; i + 128 <= n; i += 128) {
    const auto load = [&](std::size_t v) NEARDUP_AVX512_LAMBDA { return _mm512_loadu_si512(words + i + 8 * v); };
    __m512i twos_a, twos_b, fours_a, fours_b, eights_a, eights_b, sixteens;
    NEARDUP_ADD_16(add, load);
    ripple_avx512(tally, block_planes, sixteens);
  }
  for (; i < n; i += 8) {
    const auto lanes = static_cast<__mmask8>(_bzhi_u32(0xff, static_cast<unsigned>(n - i)));
    add_one(_mm512_maskz_loadu_epi64(lanes, words + i));
  }
#undef NEARDUP_AVX512_LAMBDA
  _mm512_store_si512(tally.planes[0], ones);
  _mm512_store_si512(tally.planes[1], twos);
  _mm512_store_si512(tally.planes[2], fours);
  _mm512_store_si512(tally.planes[3], eights);
}

#undef NEARDUP_ADD_16

}  // namespace neardup::inline v0::detail

NEARDUP_KERNELS_END

#endif  // NEARDUP_X86_KERNELS
