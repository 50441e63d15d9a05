// XXH3 of many short tokens of different lengths: sorted by the formula that their length takes, then hashed in lanes.
//
// One token after the other, a processor mispredicts the length class of most words, about 10 cycles each.
// Source: the xxHash specification, XXH3 algorithm, "Small inputs".
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../detail/instruction_set.hpp"
#include "../text/word_spans.hpp"
#include "xxh3.hpp"
#include "xxh3_windows.hpp"

namespace neardup::inline v0::detail {

/// The short formulas of XXH3 with one seed.
struct short_formulas {
  std::uint64_t flip_1_to_3;  // without the length
  std::uint64_t flip_4_to_8;
  std::uint64_t flip_low_9_to_16;
  std::uint64_t flip_high_9_to_16;

  explicit short_formulas(std::uint64_t seed) noexcept
      : flip_1_to_3(short_xxh3(1, seed).flip ^ 0x100U),
        flip_4_to_8(short_xxh3(4, seed).flip),
        flip_low_9_to_16((0x1f67b3b7a4a44072U ^ 0x78e5c0cc4ee679cbU) + seed),
        flip_high_9_to_16((0x2172ffcc7dd05a82U ^ 0x8e2443f7744608b8U) - seed) {}

  /// The hash of a token of 1 to 8 bytes, lowest first in `word`, zeros above; no branch depends on its length.
  [[nodiscard]] std::uint64_t hash_1_to_8(std::uint64_t word, std::uint64_t length) const noexcept {
    const bool tiny = length < 4;
    // 1 to 3 bytes: last, length, first, middle.
    std::uint64_t a = (word & 0xffU) << 16 | (word >> (8 * (length >> 1)) & 0xffU) << 24 |
                      (word >> (8 * (length - 1)) & 0xffU) | length << 8;
    a ^= flip_1_to_3;
    a ^= a >> 33;
    std::uint64_t b = (word << 32 | (word >> (8 * (length - 4) & 63) & 0xffffffffU)) ^ flip_4_to_8;
    b ^= std::rotl(b, 49) ^ std::rotl(b, 24);
    std::uint64_t x = (tiny ? a : b) * (tiny ? short_xxh3::avalanche_1 : short_xxh3::rrmxmx);
    x ^= tiny ? x >> 29 : (x >> 35) + length;
    x *= tiny ? short_xxh3::avalanche_2 : short_xxh3::rrmxmx;
    return x ^ (tiny ? x >> 32 : x >> 28);
  }
};

/// Hashes the tokens of spans, in any order. Precondition: 8 bytes may be read at each beginning.
inline void hash_spans_portable(const char* text, const token_spans& spans, std::uint64_t seed,
                                std::uint64_t* hashes) noexcept {
  const short_formulas formulas(seed);
  std::uint32_t longer[token_spans::capacity];
  std::size_t longer_count = 0;
  std::size_t n = 0;
  for (std::size_t i = 0; i < spans.count; ++i) {
    const bool fits = spans.end[i] - spans.begin[i] <= 8;
    const std::uint64_t length = fits ? spans.end[i] - spans.begin[i] : 8;
    const std::uint64_t word = load_little_endian(text + spans.begin[i]);
    const std::uint64_t kept = length < 8 ? word & ~(~std::uint64_t{0} << (8 * length & 63)) : word;
    hashes[n] = formulas.hash_1_to_8(kept, length);  // of a longer token it will be overwritten
    longer[longer_count] = static_cast<std::uint32_t>(i);
    n += fits ? 1 : 0;
    longer_count += fits ? 0 : 1;
  }
  for (std::size_t j = 0; j < longer_count; ++j) {
    const std::uint32_t i = longer[j];
    hashes[n++] = XXH3_64bits_withSeed(text + spans.begin[i], spans.end[i] - spans.begin[i], seed);
  }
}

#if NEARDUP_X86_KERNELS
NEARDUP_KERNELS_BEGIN

#define NEARDUP_AVX512_LAMBDA   \
  __attribute__((always_inline, \
                 target("avx2,bmi,bmi2,popcnt,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2")))

// BZHI looks at the lowest 8 bits of a count only.
inline unsigned lanes_left(std::size_t count, std::size_t lanes) noexcept {
  return static_cast<unsigned>(count < lanes ? count : lanes);
}

/// The same with AVX-512: VPCOMPRESSD sorts by length class, VPGATHERQQ loads eight tokens.
/// 9 to 16 bytes need the 128-bit product of two words, which four VPMULUDQ make.
NEARDUP_TARGET_AVX512 inline void hash_spans_avx512(const char* text, const token_spans& spans, std::uint64_t seed,
                                                    std::uint64_t* hashes) noexcept {
  const short_formulas formulas(seed);
  alignas(64) std::uint32_t small_begin[token_spans::capacity + 16];
  alignas(64) std::uint32_t small_length[token_spans::capacity + 16];
  alignas(64) std::uint32_t middle_begin[token_spans::capacity + 16];
  alignas(64) std::uint32_t middle_length[token_spans::capacity + 16];
  std::size_t small_count = 0;
  std::size_t middle_count = 0;
  std::uint64_t* out = hashes;
  for (std::size_t i = 0; i < spans.count; i += 16) {
    const auto lanes = static_cast<__mmask16>(_bzhi_u32(0xffff, lanes_left(spans.count - i, 16)));
    const __m512i begin = _mm512_load_si512(spans.begin + i);
    const __m512i length = _mm512_sub_epi32(_mm512_load_si512(spans.end + i), begin);
    const __mmask16 is_small = _mm512_mask_cmple_epu32_mask(lanes, length, _mm512_set1_epi32(8));
    const __mmask16 middle = _mm512_mask_cmple_epu32_mask(lanes & ~is_small, length, _mm512_set1_epi32(16));
    _mm512_storeu_si512(small_begin + small_count, _mm512_maskz_compress_epi32(is_small, begin));
    _mm512_storeu_si512(small_length + small_count, _mm512_maskz_compress_epi32(is_small, length));
    _mm512_storeu_si512(middle_begin + middle_count, _mm512_maskz_compress_epi32(middle, begin));
    _mm512_storeu_si512(middle_length + middle_count, _mm512_maskz_compress_epi32(middle, length));
    small_count += static_cast<std::size_t>(std::popcount(is_small));
    middle_count += static_cast<std::size_t>(std::popcount(middle));
    for (unsigned rest = static_cast<unsigned>(lanes & ~is_small & ~middle); rest != 0; rest &= rest - 1) {
      const std::size_t j = i + static_cast<std::size_t>(std::countr_zero(rest));
      *out++ = XXH3_64bits_withSeed(text + spans.begin[j], spans.end[j] - spans.begin[j], seed);
    }
  }
  const auto set1 = [](std::uint64_t value)
                        NEARDUP_AVX512_LAMBDA { return _mm512_set1_epi64(static_cast<long long>(value)); };
  const auto widen = [](const std::uint32_t* values) NEARDUP_AVX512_LAMBDA {
    return _mm512_cvtepu32_epi64(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(values)));
  };
  const __m512i all = set1(~std::uint64_t{0});
  for (std::size_t i = 0; i < small_count; i += 8) {
    const auto lanes = static_cast<__mmask8>(_bzhi_u32(0xff, lanes_left(small_count - i, 8)));
    const __m512i begin = widen(small_begin + i);
    const __m512i length = widen(small_length + i);
    const __m512i bits = _mm512_slli_epi64(length, 3);
    __m512i word = _mm512_mask_i64gather_epi64(_mm512_setzero_si512(), lanes, begin, text, 1);
    word = _mm512_andnot_si512(_mm512_sllv_epi64(all, bits), word);
    const __mmask8 tiny = _mm512_cmplt_epu64_mask(length, set1(4));
    // Below 4 bytes: first byte to bits 16, middle to 24, last to 0, length to 8.
    const __m512i byte = set1(0xff);
    const __m512i middle =
        _mm512_and_si512(_mm512_srlv_epi64(word, _mm512_slli_epi64(_mm512_srli_epi64(length, 1), 3)), byte);
    const __m512i last = _mm512_and_si512(_mm512_srlv_epi64(word, _mm512_sub_epi64(bits, set1(8))), byte);
    __m512i a = _mm512_ternarylogic_epi64(_mm512_slli_epi64(_mm512_and_si512(word, byte), 16),
                                          _mm512_slli_epi64(middle, 24), last, 0xfe);
    a = _mm512_ternarylogic_epi64(a, _mm512_slli_epi64(length, 8), set1(formulas.flip_1_to_3), 0x96);
    a = _mm512_xor_si512(a, _mm512_srli_epi64(a, 33));
    const __m512i high = _mm512_and_si512(_mm512_srlv_epi64(word, _mm512_sub_epi64(bits, set1(32))), set1(0xffffffffU));
    __m512i b = _mm512_ternarylogic_epi64(_mm512_slli_epi64(word, 32), high, set1(formulas.flip_4_to_8), 0x56);
    b = _mm512_ternarylogic_epi64(b, _mm512_rol_epi64(b, 49), _mm512_rol_epi64(b, 24), 0x96);
    const __m512i factor_b = set1(short_xxh3::rrmxmx);
    __m512i x = _mm512_mullo_epi64(_mm512_mask_blend_epi64(tiny, b, a),
                                   _mm512_mask_blend_epi64(tiny, factor_b, set1(short_xxh3::avalanche_1)));
    const __m512i shifted = _mm512_srlv_epi64(x, _mm512_mask_blend_epi64(tiny, set1(35), set1(29)));
    x = _mm512_xor_si512(x, _mm512_mask_add_epi64(shifted, static_cast<__mmask8>(~tiny), shifted, length));
    x = _mm512_mullo_epi64(x, _mm512_mask_blend_epi64(tiny, factor_b, set1(short_xxh3::avalanche_2)));
    x = _mm512_xor_si512(x, _mm512_srlv_epi64(x, _mm512_mask_blend_epi64(tiny, set1(28), set1(32))));
    _mm512_storeu_si512(out, x);
    out += std::popcount(lanes);
  }
  const __m512i swap_bytes = _mm512_broadcast_i32x4(_mm_set_epi64x(0x08090a0b0c0d0e0f, 0x0001020304050607));
  const __m512i low_half = set1(0xffffffffU);
  for (std::size_t i = 0; i < middle_count; i += 8) {
    const auto lanes = static_cast<__mmask8>(_bzhi_u32(0xff, lanes_left(middle_count - i, 8)));
    const __m512i begin = widen(middle_begin + i);
    const __m512i length = widen(middle_length + i);
    const __m512i zero = _mm512_setzero_si512();
    const __m512i low =
        _mm512_xor_si512(_mm512_mask_i64gather_epi64(zero, lanes, begin, text, 1), set1(formulas.flip_low_9_to_16));
    const __m512i high = _mm512_xor_si512(
        _mm512_mask_i64gather_epi64(zero, lanes, _mm512_add_epi64(begin, _mm512_sub_epi64(length, set1(8))), text, 1),
        set1(formulas.flip_high_9_to_16));
    // The product of low and high, 128 bits, its two halves joined by exclusive or.
    const __m512i low_top = _mm512_srli_epi64(low, 32);
    const __m512i high_top = _mm512_srli_epi64(high, 32);
    const __m512i ll = _mm512_mul_epu32(low, high);
    const __m512i lh = _mm512_mul_epu32(low, high_top);
    const __m512i hl = _mm512_mul_epu32(low_top, high);
    const __m512i hh = _mm512_mul_epu32(low_top, high_top);
    const __m512i cross =
        _mm512_add_epi64(_mm512_add_epi64(_mm512_srli_epi64(ll, 32), _mm512_and_si512(hl, low_half)), lh);
    const __m512i upper =
        _mm512_add_epi64(_mm512_add_epi64(_mm512_srli_epi64(hl, 32), _mm512_srli_epi64(cross, 32)), hh);
    const __m512i lower = _mm512_or_si512(_mm512_slli_epi64(cross, 32), _mm512_and_si512(ll, low_half));
    __m512i x = _mm512_add_epi64(_mm512_add_epi64(length, _mm512_shuffle_epi8(low, swap_bytes)),
                                 _mm512_add_epi64(high, _mm512_xor_si512(lower, upper)));
    x = _mm512_xor_si512(x, _mm512_srli_epi64(x, 37));
    x = _mm512_mullo_epi64(x, set1(0x165667919e3779f9U));
    x = _mm512_xor_si512(x, _mm512_srli_epi64(x, 32));
    _mm512_storeu_si512(out, x);
    out += std::popcount(lanes);
  }
}

#undef NEARDUP_AVX512_LAMBDA

NEARDUP_KERNELS_END
#endif  // NEARDUP_X86_KERNELS

}  // namespace neardup::inline v0::detail
