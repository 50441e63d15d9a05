// XXH3 of up to 32 bytes as formulas, once for each instruction set: what kernels put together for windows of a text,
// for tokens of different lengths, and for pairs of code points.
//
// Up to 8 bytes XXH3 arranges its input in one 64-bit word, flips bits by the secret and the seed, and multiplies
// twice.
// Source: the xxHash specification, XXH3 algorithm, "Small inputs".
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "../../detail/bytes.hpp"
#include "../../detail/instructions.hpp"

namespace neardup::inline v0::detail {

/// The formulas for up to 8 bytes: what does not depend on the seed.
struct short_xxh3 {
  // The first words of the default secret of XXH3, little-endian, as the specification lists them.
  static constexpr std::uint64_t secret_0 = 0xbe4ba423396cfeb8U;
  static constexpr std::uint64_t secret_8 = 0x1cad21f72c81017cU;
  static constexpr std::uint64_t secret_16 = 0xdb979083e96dd4deU;
  static constexpr std::uint64_t secret_24 = 0x1f67b3b7a4a44072U;

  // What the two rounds multiply by: those of 4 to 8 bytes by the first, the two of 1 to 3 bytes by one each.
  static constexpr std::uint64_t rrmxmx = 0x9fb21c651e98df25U;
  static constexpr std::uint64_t avalanche_1 = 0xc2b2ae3d27d4eb4fU;
  static constexpr std::uint64_t avalanche_2 = 0x165667b19e3779f9U;

  /// The word of 1 to 3 bytes: the first, the middle and the last byte.
  static constexpr std::uint64_t word_1_to_3(std::uint64_t first, std::uint64_t middle, std::uint64_t last) noexcept {
    return first << 16 | middle << 24 | last;
  }
  /// The word of 4 to 8 bytes.
  static NEARDUP_ALWAYS_INLINE std::uint64_t word_4_to_8(const char* bytes, std::uint64_t length) noexcept {
    const std::uint64_t first = load_little_endian<std::uint32_t>(bytes);
    return first << 32 | load_little_endian<std::uint32_t>(bytes + length - 4);
  }

  /// Which byte of n goes to byte i of the word; 0x80 for none.
  static constexpr std::uint8_t source_of(std::size_t n, std::size_t i) noexcept {
    if (n >= 4) return static_cast<std::uint8_t>(i < 4 ? n - 4 + i : i - 4);
    switch (i) {
      case 0: return static_cast<std::uint8_t>(n - 1);
      case 2: return 0;
      case 3: return static_cast<std::uint8_t>(n >> 1);
      default: return 0x80;
    }
  }

  /// The first step of 4 to 8 bytes; that of two words joined by exclusive or is that of each, joined.
  static constexpr std::uint64_t rotated(std::uint64_t x) noexcept { return x ^ std::rotl(x, 49) ^ std::rotl(x, 24); }

  // NEARDUP_SCALAR: compilers would make vectors of loops over these, and SSE2 has no multiplication of 64 bits (6.4
  // instead of 5.6 cycles per window, g++ 12).

  /// The hash of the flipped word of 1 to 3 bytes.
  static NEARDUP_ALWAYS_INLINE std::uint64_t mix_1_to_3(std::uint64_t x) noexcept {
    NEARDUP_SCALAR(x);
    x *= avalanche_1;
    x ^= x >> 29;
    x *= avalanche_2;
    x ^= x >> 32;
    NEARDUP_SCALAR(x);
    return x;
  }
  /// The hash of the flipped word of 4 to 8 bytes.
  static NEARDUP_ALWAYS_INLINE std::uint64_t mix_4_to_8(std::uint64_t x, std::uint64_t length) noexcept {
    NEARDUP_SCALAR(x);
    x = rotated(x);
    x *= rrmxmx;
    x ^= (x >> 35) + length;
    x *= rrmxmx;
    x ^= x >> 28;
    NEARDUP_SCALAR(x);
    return x;
  }
};

/// The formulas with one seed.
struct seeded_xxh3 {
  std::uint64_t seed;
  /// Without the length, which belongs to bits 8 to 15. What the formula shifts down by 33 bits first is of this alone,
  /// for the bytes and the length are in the lower half: it is done here.
  std::uint64_t flip_1_to_3;
  std::uint64_t flip_4_to_8;
  std::uint64_t flip_low_9_to_16;
  std::uint64_t flip_high_9_to_16;
  std::array<std::uint64_t, 4> flips_17_to_32;

  explicit seeded_xxh3(std::uint64_t value = 0) noexcept
      : seed(value),
        flip_1_to_3(((short_xxh3::secret_0 ^ short_xxh3::secret_0 >> 32) & 0xffffffffU) + seed),
        flip_4_to_8((short_xxh3::secret_8 ^ short_xxh3::secret_16) - (seed ^ swapped_low_half(seed) << 32)),
        flip_low_9_to_16((short_xxh3::secret_24 ^ 0x78e5c0cc4ee679cbU) + seed),
        flip_high_9_to_16((0x2172ffcc7dd05a82U ^ 0x8e2443f7744608b8U) - seed),
        flips_17_to_32{short_xxh3::secret_0 + seed, short_xxh3::secret_8 - seed, short_xxh3::secret_16 + seed,
                       short_xxh3::secret_24 - seed} {
    flip_1_to_3 ^= flip_1_to_3 >> 33;
  }

  /// What the word of `length` bytes, up to 8, is flipped by.
  [[nodiscard]] std::uint64_t flip_of(std::uint64_t length) const noexcept {
    return length < 4 ? flip_1_to_3 ^ length << 8 : flip_4_to_8;
  }

  [[nodiscard]] std::uint64_t hash_1_to_3(const char* token, std::uint64_t length) const noexcept {
    const auto byte = [&](std::uint64_t i) { return std::uint64_t{static_cast<unsigned char>(token[i])}; };
    const std::uint64_t word = short_xxh3::word_1_to_3(byte(0), byte(length >> 1), byte(length - 1));
    return short_xxh3::mix_1_to_3(word ^ length << 8 ^ flip_1_to_3);
  }
  [[nodiscard]] NEARDUP_ALWAYS_INLINE std::uint64_t hash_4_to_8(const char* token,
                                                                std::uint64_t length) const noexcept {
    return short_xxh3::mix_4_to_8(short_xxh3::word_4_to_8(token, length) ^ flip_4_to_8, length);
  }

 private:
  static constexpr std::uint64_t swapped_low_half(std::uint64_t x) noexcept {
    return (x >> 24 & 0xffU) | (x >> 8 & 0xff00U) | (x << 8 & 0xff0000U) | (x << 24 & 0xff000000U);
  }
};

#if NEARDUP_X86_KERNELS
NEARDUP_KERNELS_BEGIN

// ---- AVX2: four lanes; a product of 64 bits is three of 32, rotations are shifts ------------------------------------

NEARDUP_TARGET_AVX2 inline __m256i set1_avx2(std::uint64_t value) noexcept {
  return _mm256_set1_epi64x(static_cast<long long>(value));
}

struct factor_avx2 {
  __m256i whole;
  __m256i swapped;  // the halves of each lane

  NEARDUP_TARGET_AVX2 explicit factor_avx2(std::uint64_t value) noexcept
      : whole(set1_avx2(value)), swapped(set1_avx2(std::rotl(value, 32))) {}
  NEARDUP_TARGET_AVX2 factor_avx2(__m256i value, __m256i halves) noexcept : whole(value), swapped(halves) {}
};

/// x * factor modulo 2^64.
NEARDUP_TARGET_AVX2 NEARDUP_ALWAYS_INLINE __m256i multiply_avx2(__m256i x, const factor_avx2& factor) noexcept {
  // The two crossed products, of which 32 bits count, come from one multiplication; their sum goes to the upper half.
  const __m256i crossed = _mm256_mullo_epi32(x, factor.swapped);
  const __m256i sum = _mm256_add_epi32(crossed, _mm256_slli_epi64(crossed, 32));
  const __m256i upper = _mm256_blend_epi32(sum, _mm256_setzero_si256(), 0x55);
  return _mm256_add_epi64(_mm256_mul_epu32(x, factor.whole), upper);
}

/// The two rounds in which both formulas end: multiply, shift down, add the length from 4 bytes on.
template <bool Tiny>
struct short_rounds_avx2 {
  factor_avx2 first;
  factor_avx2 second;

  NEARDUP_TARGET_AVX2 short_rounds_avx2() noexcept
      : first(Tiny ? short_xxh3::avalanche_1 : short_xxh3::rrmxmx),
        second(Tiny ? short_xxh3::avalanche_2 : short_xxh3::rrmxmx) {}

  NEARDUP_TARGET_AVX2 NEARDUP_ALWAYS_INLINE __m256i operator()(__m256i x, __m256i length) const noexcept {
    x = multiply_avx2(x, first);
    const __m256i shifted = _mm256_srli_epi64(x, Tiny ? 29 : 35);
    x = multiply_avx2(_mm256_xor_si256(x, Tiny ? shifted : _mm256_add_epi64(shifted, length)), second);
    return _mm256_xor_si256(x, _mm256_srli_epi64(x, Tiny ? 32 : 28));
  }
};

/// The same where the highest bit of a lane of `tiny` says that it has below 4 bytes; `length` is 0 in these.
struct blended_rounds_avx2 {
  short_rounds_avx2<true> tiny_rounds;
  short_rounds_avx2<false> rounds;

  // Blended as doubles: g++ 12 with -funsigned-char takes the wrong side of a blend of bytes.
  static NEARDUP_TARGET_AVX2 NEARDUP_ALWAYS_INLINE __m256i choose(__m256i tiny, __m256i if_tiny,
                                                                  __m256i otherwise) noexcept {
    return _mm256_castpd_si256(
        _mm256_blendv_pd(_mm256_castsi256_pd(otherwise), _mm256_castsi256_pd(if_tiny), _mm256_castsi256_pd(tiny)));
  }

  NEARDUP_TARGET_AVX2 NEARDUP_ALWAYS_INLINE __m256i operator()(__m256i x, __m256i length, __m256i tiny) const noexcept {
    const auto factor = [&](const factor_avx2& if_tiny, const factor_avx2& otherwise) NEARDUP_AVX2_LAMBDA {
      return factor_avx2(choose(tiny, if_tiny.whole, otherwise.whole),
                         choose(tiny, if_tiny.swapped, otherwise.swapped));
    };
    x = multiply_avx2(x, factor(tiny_rounds.first, rounds.first));
    const __m256i shifted = _mm256_srlv_epi64(x, choose(tiny, set1_avx2(29), set1_avx2(35)));
    x = multiply_avx2(_mm256_xor_si256(x, _mm256_add_epi64(shifted, length)),
                      factor(tiny_rounds.second, rounds.second));
    return _mm256_xor_si256(x, _mm256_srlv_epi64(x, choose(tiny, set1_avx2(32), set1_avx2(28))));
  }
};

/// short_xxh3::rotated; to be flipped by the rotated flip.
NEARDUP_TARGET_AVX2 NEARDUP_ALWAYS_INLINE __m256i rotated_avx2(__m256i x) noexcept {
  // Rotating by 24 bits moves whole bytes.
  const __m256i bytes_24 = _mm256_setr_epi8(5, 6, 7, 0, 1, 2, 3, 4, 13, 14, 15, 8, 9, 10, 11, 12, 5, 6, 7, 0, 1, 2, 3,
                                            4, 13, 14, 15, 8, 9, 10, 11, 12);
  const __m256i rotated_49 = _mm256_xor_si256(_mm256_slli_epi64(x, 49), _mm256_srli_epi64(x, 15));
  return _mm256_xor_si256(x, _mm256_xor_si256(rotated_49, _mm256_shuffle_epi8(x, bytes_24)));
}

// ---- AVX-512: eight lanes; VPMULLQ multiplies, VPROLQ rotates, VPTERNLOGQ joins three -------------------------------

NEARDUP_TARGET_AVX512 inline __m512i set1_avx512(std::uint64_t value) noexcept {
  return _mm512_set1_epi64(static_cast<long long>(value));
}

/// A value that stays in a register: g++ would make it anew from an immediate at each use in a loop.
NEARDUP_TARGET_AVX512 inline __m512i kept_avx512(std::uint64_t value) noexcept {
  __m512i vector = set1_avx512(value);
  asm("" : "+v"(vector));
  return vector;
}

/// The same as short_rounds_avx2.
template <bool Tiny>
struct short_rounds_avx512 {
  __m512i first = kept_avx512(Tiny ? short_xxh3::avalanche_1 : short_xxh3::rrmxmx);
  __m512i second = Tiny ? kept_avx512(short_xxh3::avalanche_2) : first;

  NEARDUP_TARGET_AVX512 short_rounds_avx512() noexcept {}

  NEARDUP_TARGET_AVX512 NEARDUP_ALWAYS_INLINE __m512i operator()(__m512i x, __m512i length) const noexcept {
    x = _mm512_mullo_epi64(x, first);
    const __m512i shifted = _mm512_srli_epi64(x, Tiny ? 29 : 35);
    x = _mm512_mullo_epi64(_mm512_xor_si512(x, Tiny ? shifted : _mm512_add_epi64(shifted, length)), second);
    return _mm512_xor_si512(x, _mm512_srli_epi64(x, Tiny ? 32 : 28));
  }
};

/// The same as blended_rounds_avx2, for several hashes with the same lengths.
struct blended_rounds_avx512 {
  __mmask8 tiny;
  __m512i first = blend(short_xxh3::avalanche_1, short_xxh3::rrmxmx);
  __m512i first_shift = blend(29, 35);
  __m512i second = blend(short_xxh3::avalanche_2, short_xxh3::rrmxmx);
  __m512i second_shift = blend(32, 28);

  NEARDUP_TARGET_AVX512 explicit blended_rounds_avx512(__mmask8 lanes) noexcept : tiny(lanes) {}

  NEARDUP_TARGET_AVX512 NEARDUP_ALWAYS_INLINE __m512i operator()(__m512i x, __m512i length) const noexcept {
    x = _mm512_mullo_epi64(x, first);
    const __m512i shifted = _mm512_srlv_epi64(x, first_shift);
    x = _mm512_xor_si512(x, _mm512_mask_add_epi64(shifted, static_cast<__mmask8>(~tiny), shifted, length));
    x = _mm512_mullo_epi64(x, second);
    return _mm512_xor_si512(x, _mm512_srlv_epi64(x, second_shift));
  }

 private:
  NEARDUP_TARGET_AVX512 __m512i blend(std::uint64_t if_tiny, std::uint64_t otherwise) const noexcept {
    return _mm512_mask_blend_epi64(tiny, set1_avx512(otherwise), set1_avx512(if_tiny));
  }
};

/// short_xxh3::rotated.
NEARDUP_TARGET_AVX512 NEARDUP_ALWAYS_INLINE __m512i rotated_avx512(__m512i x) noexcept {
  return _mm512_ternarylogic_epi64(x, _mm512_rol_epi64(x, 49), _mm512_rol_epi64(x, 24), 0x96);
}

NEARDUP_KERNELS_END
#endif  // NEARDUP_X86_KERNELS

}  // namespace neardup::inline v0::detail
