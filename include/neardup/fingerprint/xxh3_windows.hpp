// XXH3 of every window of 1 to 8 bytes: the value of XXH3_64bits_withSeed, without a call or a branch for each.
//
// Up to 8 bytes XXH3 arranges the bytes of its input in one 64-bit word, flips bits by the secret and the seed, and
// multiplies twice. All windows of a text have the same length, so the arrangement is one shuffle for a whole vector.
// Source: the xxHash specification, XXH3 algorithm, "Small inputs".
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "../detail/instruction_set.hpp"

namespace neardup::inline v0::detail {

/// The longest windows that these kernels hash.
inline constexpr std::size_t max_vector_window = 8;

/// What XXH3 of one length up to 8 and one seed needs beside the bytes.
struct short_xxh3 {
  std::size_t n;
  std::uint64_t flip;  // by the secret, the seed and, below 4 bytes, the length

  // The first words of the default secret of XXH3, little-endian, as the specification lists them.
  static constexpr std::uint64_t secret_0 = 0xbe4ba423396cfeb8U;
  static constexpr std::uint64_t secret_8 = 0x1cad21f72c81017cU;
  static constexpr std::uint64_t secret_16 = 0xdb979083e96dd4deU;

  short_xxh3(std::size_t length, std::uint64_t seed) noexcept : n(length) {
    if (n >= 4) {
      const std::uint64_t low = seed & 0xffffffffU;
      const std::uint64_t swapped =
          low >> 24 | (low >> 8 & 0xff00U) | (low << 8 & 0xff0000U) | (low << 24 & 0xff000000U);
      flip = (secret_8 ^ secret_16) - (seed ^ swapped << 32);
    } else {
      flip = ((secret_0 ^ secret_0 >> 32) & 0xffffffffU) + seed;
      flip ^= static_cast<std::uint64_t>(n) << 8;
    }
  }

  /// Which byte of a window goes to byte i of the word; 0x80 for none.
  [[nodiscard]] std::uint8_t source_of(std::size_t i) const noexcept {
    if (n >= 4) return static_cast<std::uint8_t>(i < 4 ? n - 4 + i : i - 4);
    switch (i) {
      case 0: return static_cast<std::uint8_t>(n - 1);
      case 2: return 0;
      case 3: return static_cast<std::uint8_t>(n >> 1);
      default: return 0x80;
    }
  }

  // The constants of the mixing rounds.
  static constexpr std::uint64_t rrmxmx = 0x9fb21c651e98df25U;
  static constexpr std::uint64_t avalanche_1 = 0xc2b2ae3d27d4eb4fU;
  static constexpr std::uint64_t avalanche_2 = 0x165667b19e3779f9U;
};

/// Reads 8 bytes, the first lowest, on any machine.
inline std::uint64_t load_little_endian(const char* bytes) noexcept {
  if constexpr (std::endian::native == std::endian::little) {
    std::uint64_t word;
    std::memcpy(&word, bytes, sizeof word);
    return word;
  } else {
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < 8; ++i) word |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
    return word;
  }
}

/// The reference: hashes of the `count` windows that begin at text, text + 1, ..., with one scalar formula.
/// Precondition: 1 <= n <= 8, and 7 more bytes than the last window begins with may be read.
inline void hash_windows_portable(const short_xxh3& hash, const char* text, std::size_t count,
                                  std::uint64_t* hashes) noexcept {
  const std::uint64_t flip = hash.flip;
  const std::uint64_t length = hash.n;
  if (hash.n >= 4) {
    const int high = static_cast<int>(8 * (hash.n - 4));
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t word = load_little_endian(text + i);
      std::uint64_t x = (word << 32 | (word >> high & 0xffffffffU)) ^ flip;
      x ^= std::rotl(x, 49) ^ std::rotl(x, 24);
      x *= short_xxh3::rrmxmx;
      x ^= (x >> 35) + length;
      x *= short_xxh3::rrmxmx;
      hashes[i] = x ^ x >> 28;
    }
  } else {
    const int middle = static_cast<int>(8 * (hash.n >> 1));
    const int last = static_cast<int>(8 * (hash.n - 1));
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t word = load_little_endian(text + i);
      std::uint64_t x = ((word & 0xffU) << 16 | (word >> middle & 0xffU) << 24 | (word >> last & 0xffU)) ^ flip;
      x ^= x >> 33;
      x *= short_xxh3::avalanche_1;
      x ^= x >> 29;
      x *= short_xxh3::avalanche_2;
      hashes[i] = x ^ x >> 32;
    }
  }
}

#if NEARDUP_X86_KERNELS
NEARDUP_KERNELS_BEGIN

/// x * constant modulo 2^64 in four lanes: three 32-bit multiplications, for AVX2 has no wider one.
NEARDUP_TARGET_AVX2 inline __m256i multiply_avx2(__m256i x, __m256i constant, __m256i constant_high) noexcept {
  const __m256i crossed =
      _mm256_add_epi64(_mm256_mul_epu32(_mm256_srli_epi64(x, 32), constant), _mm256_mul_epu32(x, constant_high));
  return _mm256_add_epi64(_mm256_mul_epu32(x, constant), _mm256_slli_epi64(crossed, 32));
}

/// The same with AVX2, four windows at a time: one load and one VPSHUFB arrange the bytes of four windows.
/// Precondition: as above, and 16 bytes may be read at text + count - 1; `hashes` has room for count + 3.
NEARDUP_TARGET_AVX2 inline void hash_windows_avx2(const short_xxh3& hash, const char* text, std::size_t count,
                                                  std::uint64_t* hashes) noexcept {
  alignas(32) std::uint8_t sources[32];
  for (std::size_t i = 0; i < 32; ++i) {
    const std::uint8_t source = hash.source_of(i % 8);
    sources[i] = source == 0x80 ? source : static_cast<std::uint8_t>(source + i / 8);
  }
  const __m256i arrange = _mm256_load_si256(reinterpret_cast<const __m256i*>(sources));
  const __m256i flip = _mm256_set1_epi64x(static_cast<long long>(hash.flip));
  const auto constant = [](std::uint64_t value) __attribute__((always_inline, target("avx2,bmi,bmi2,popcnt"))) {
    return _mm256_set1_epi64x(static_cast<long long>(value));
  };
  const auto windows = [&](std::size_t i) __attribute__((always_inline, target("avx2,bmi,bmi2,popcnt"))) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text + i));
    return _mm256_xor_si256(_mm256_shuffle_epi8(_mm256_broadcastsi128_si256(bytes), arrange), flip);
  };
  if (hash.n >= 4) {
    const __m256i factor = constant(short_xxh3::rrmxmx);
    const __m256i factor_high = constant(short_xxh3::rrmxmx >> 32);
    const __m256i length = constant(hash.n);
    for (std::size_t i = 0; i < count; i += 4) {
      __m256i x = windows(i);
      const __m256i rotated_49 = _mm256_or_si256(_mm256_slli_epi64(x, 49), _mm256_srli_epi64(x, 15));
      const __m256i rotated_24 = _mm256_or_si256(_mm256_slli_epi64(x, 24), _mm256_srli_epi64(x, 40));
      x = _mm256_xor_si256(x, _mm256_xor_si256(rotated_49, rotated_24));
      x = multiply_avx2(x, factor, factor_high);
      x = _mm256_xor_si256(x, _mm256_add_epi64(_mm256_srli_epi64(x, 35), length));
      x = multiply_avx2(x, factor, factor_high);
      x = _mm256_xor_si256(x, _mm256_srli_epi64(x, 28));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(hashes + i), x);
    }
  } else {
    const __m256i factor_1 = constant(short_xxh3::avalanche_1);
    const __m256i factor_1_high = constant(short_xxh3::avalanche_1 >> 32);
    const __m256i factor_2 = constant(short_xxh3::avalanche_2);
    const __m256i factor_2_high = constant(short_xxh3::avalanche_2 >> 32);
    for (std::size_t i = 0; i < count; i += 4) {
      __m256i x = windows(i);
      x = _mm256_xor_si256(x, _mm256_srli_epi64(x, 33));
      x = multiply_avx2(x, factor_1, factor_1_high);
      x = _mm256_xor_si256(x, _mm256_srli_epi64(x, 29));
      x = multiply_avx2(x, factor_2, factor_2_high);
      x = _mm256_xor_si256(x, _mm256_srli_epi64(x, 32));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(hashes + i), x);
    }
  }
}

/// The same with AVX-512, eight windows at a time: VPMULLQ multiplies, VPROLQ rotates, VPTERNLOGQ joins three.
/// Precondition: as above; `hashes` has room for count + 7.
NEARDUP_TARGET_AVX512 inline void hash_windows_avx512(const short_xxh3& hash, const char* text, std::size_t count,
                                                      std::uint64_t* hashes) noexcept {
  alignas(64) std::uint8_t sources[64];
  for (std::size_t i = 0; i < 64; ++i) {
    const std::uint8_t source = hash.source_of(i % 8);
    sources[i] = source == 0x80 ? source : static_cast<std::uint8_t>(source + i / 8);
  }
  const __m512i arrange = _mm512_load_si512(sources);
  const __m512i flip = _mm512_set1_epi64(static_cast<long long>(hash.flip));
#define NEARDUP_AVX512_LAMBDA   \
  __attribute__((always_inline, \
                 target("avx2,bmi,bmi2,popcnt,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2")))
  const auto windows = [&](std::size_t i) NEARDUP_AVX512_LAMBDA {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text + i));
    return _mm512_xor_si512(_mm512_shuffle_epi8(_mm512_broadcast_i32x4(bytes), arrange), flip);
  };
  if (hash.n >= 4) {
    const __m512i factor = _mm512_set1_epi64(static_cast<long long>(short_xxh3::rrmxmx));
    const __m512i length = _mm512_set1_epi64(static_cast<long long>(hash.n));
    for (std::size_t i = 0; i < count; i += 8) {
      __m512i x = windows(i);
      x = _mm512_ternarylogic_epi64(x, _mm512_rol_epi64(x, 49), _mm512_rol_epi64(x, 24), 0x96);
      x = _mm512_mullo_epi64(x, factor);
      x = _mm512_xor_si512(x, _mm512_add_epi64(_mm512_srli_epi64(x, 35), length));
      x = _mm512_mullo_epi64(x, factor);
      _mm512_storeu_si512(hashes + i, _mm512_xor_si512(x, _mm512_srli_epi64(x, 28)));
    }
  } else {
    const __m512i factor_1 = _mm512_set1_epi64(static_cast<long long>(short_xxh3::avalanche_1));
    const __m512i factor_2 = _mm512_set1_epi64(static_cast<long long>(short_xxh3::avalanche_2));
    for (std::size_t i = 0; i < count; i += 8) {
      __m512i x = windows(i);
      x = _mm512_mullo_epi64(_mm512_xor_si512(x, _mm512_srli_epi64(x, 33)), factor_1);
      x = _mm512_mullo_epi64(_mm512_xor_si512(x, _mm512_srli_epi64(x, 29)), factor_2);
      _mm512_storeu_si512(hashes + i, _mm512_xor_si512(x, _mm512_srli_epi64(x, 32)));
    }
  }
#undef NEARDUP_AVX512_LAMBDA
}

NEARDUP_KERNELS_END
#endif  // NEARDUP_X86_KERNELS

}  // namespace neardup::inline v0::detail
