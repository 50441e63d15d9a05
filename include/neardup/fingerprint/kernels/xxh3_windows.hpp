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

#include "../../detail/bytes.hpp"
#include "../../detail/instructions.hpp"
#include "hash_block.hpp"
#include "../xxh3.hpp"

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

  /// The hash of one window of 4 to 8 bytes.
  [[nodiscard]] NEARDUP_ALWAYS_INLINE std::uint64_t hash_4_to_8(const char* window) const noexcept {
    const std::uint64_t high = load_little_endian<std::uint32_t>(window);
    const std::uint64_t low = load_little_endian<std::uint32_t>(window + n - 4);
    std::uint64_t x = (high << 32 | low) ^ flip;
    NEARDUP_SCALAR(x);
    x ^= std::rotl(x, 49) ^ std::rotl(x, 24);
    x *= rrmxmx;
    x ^= (x >> 35) + n;
    x *= rrmxmx;
    x ^= x >> 28;
    NEARDUP_SCALAR(x);
    return x;
  }

  /// Which byte of a window of n bytes goes to byte i of the word; 0x80 for none.
  static constexpr std::uint8_t source_of(std::size_t n, std::size_t i) noexcept {
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

// NEARDUP_SCALAR: compilers would make vectors of the loops below, and SSE2 has no multiplication of 64 bits (6.4
// instead of 5.6 cycles a window, g++ 12).

/// The reference: hashes of the `count` windows that begin at text, text + 1, ..., with one scalar formula.
/// Precondition: 1 <= n <= 8, and 7 more bytes than the last window begins with may be read.
inline void hash_windows_portable(const short_xxh3& hash, const char* text, std::size_t count,
                                  std::uint64_t* hashes) noexcept {
  if (hash.n >= 4) {
    for (std::size_t i = 0; i < count; ++i) hashes[i] = hash.hash_4_to_8(text + i);
  } else {
    const std::uint64_t flip = hash.flip;
    const int middle = static_cast<int>(8 * (hash.n >> 1));
    const int last = static_cast<int>(8 * (hash.n - 1));
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t word = load_little_endian(text + i);
      std::uint64_t x = ((word & 0xffU) << 16 | (word >> middle & 0xffU) << 24 | (word >> last & 0xffU)) ^ flip;
      NEARDUP_SCALAR(x);
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

// For each length the shuffle that arranges eight windows from the 16 bytes at the first.
struct alignas(64) window_shuffle {
  std::uint8_t sources[64];
};
inline constexpr std::array<window_shuffle, max_vector_window + 1> window_shuffles = [] {
  std::array<window_shuffle, max_vector_window + 1> shuffles{};
  for (std::size_t n = 1; n < shuffles.size(); ++n) {
    for (std::size_t i = 0; i < 64; ++i) {
      const std::uint8_t source = short_xxh3::source_of(n, i % 8);
      shuffles[n].sources[i] = source == 0x80 ? source : static_cast<std::uint8_t>(source + i / 8);
    }
  }
  return shuffles;
}();

// ---- AVX2: four windows a vector; a product of 64 bits is three of 32, rotations are shifts -------------------------
// One load and VPSHUFB arrange four windows. 2.2 cycles a window.

struct factor_avx2 {
  __m256i whole;
  __m256i swapped;  // the halves of each lane

  NEARDUP_TARGET_AVX2 explicit factor_avx2(std::uint64_t value) noexcept
      : whole(_mm256_set1_epi64x(static_cast<long long>(value))),
        swapped(_mm256_set1_epi64x(static_cast<long long>(std::rotl(value, 32)))) {}
};

/// x * factor modulo 2^64 in four lanes; `swapped` is the factor with the halves of each lane exchanged.
NEARDUP_TARGET_AVX2 NEARDUP_ALWAYS_INLINE __m256i multiply_avx2(__m256i x, __m256i factor, __m256i swapped) noexcept {
  // The two crossed products, of which 32 bits count, come from one multiplication; their sum goes to the upper half.
  const __m256i crossed = _mm256_mullo_epi32(x, swapped);
  const __m256i sum = _mm256_add_epi32(crossed, _mm256_slli_epi64(crossed, 32));
  const __m256i upper = _mm256_blend_epi32(sum, _mm256_setzero_si256(), 0x55);
  return _mm256_add_epi64(_mm256_mul_epu32(x, factor), upper);
}
NEARDUP_TARGET_AVX2 NEARDUP_ALWAYS_INLINE __m256i multiply_avx2(__m256i x, const factor_avx2& factor) noexcept {
  return multiply_avx2(x, factor.whole, factor.swapped);
}

/// The hashes of the four windows from a place on; `Tiny` says that they are below 4 bytes.
template <bool Tiny>
struct window_lanes_avx2 {
  static constexpr std::size_t lanes = 4;

  __m256i arrange;
  __m256i arrange_rotated;  // by 24 bits, which are whole bytes
  __m256i flip;
  __m256i length;
  factor_avx2 first;
  factor_avx2 second;

  NEARDUP_TARGET_AVX2 explicit window_lanes_avx2(const short_xxh3& hash) noexcept
      : arrange(_mm256_load_si256(reinterpret_cast<const __m256i*>(window_shuffles[hash.n].sources))),
        arrange_rotated(_mm256_or_si256(_mm256_slli_epi64(arrange, 24), _mm256_srli_epi64(arrange, 40))),
        flip(_mm256_set1_epi64x(static_cast<long long>(
            Tiny ? hash.flip : hash.flip ^ std::rotl(hash.flip, 49) ^ std::rotl(hash.flip, 24)))),
        length(_mm256_set1_epi64x(static_cast<long long>(hash.n))),
        first(Tiny ? short_xxh3::avalanche_1 : short_xxh3::rrmxmx),
        second(Tiny ? short_xxh3::avalanche_2 : short_xxh3::rrmxmx) {}

  NEARDUP_TARGET_AVX2 NEARDUP_ALWAYS_INLINE __m256i operator()(const char* at) const noexcept {
    return hashes(_mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at))));
  }

  /// The hashes of what `arrange` takes from bytes.
  NEARDUP_TARGET_AVX2 NEARDUP_ALWAYS_INLINE __m256i hashes(__m256i bytes) const noexcept {
    __m256i x = _mm256_shuffle_epi8(bytes, arrange);
    if constexpr (Tiny) {
      x = _mm256_xor_si256(x, flip);
      x = multiply_avx2(_mm256_xor_si256(x, _mm256_srli_epi64(x, 33)), first);
      x = multiply_avx2(_mm256_xor_si256(x, _mm256_srli_epi64(x, 29)), second);
      return _mm256_xor_si256(x, _mm256_srli_epi64(x, 32));
    } else {
      // Rotations and the flip commute: exclusive ors of x, of x rotated by 49 and by 24 bits, and of both for the
      // flip.
      const __m256i rotated_49 = _mm256_xor_si256(_mm256_slli_epi64(x, 49), _mm256_srli_epi64(x, 15));
      const __m256i rotated_24 = _mm256_xor_si256(_mm256_shuffle_epi8(bytes, arrange_rotated), flip);
      x = multiply_avx2(_mm256_xor_si256(x, _mm256_xor_si256(rotated_49, rotated_24)), first);
      x = multiply_avx2(_mm256_xor_si256(x, _mm256_add_epi64(_mm256_srli_epi64(x, 35), length)), second);
      return _mm256_xor_si256(x, _mm256_srli_epi64(x, 28));
    }
  }
};

/// The same as hash_windows_portable. Precondition: as there, and 16 bytes may be read from text + count - 1 on;
/// `hashes` has room for count + 3.
template <bool Tiny>
NEARDUP_TARGET_AVX2 inline void hash_windows_avx2(const short_xxh3& hash, const char* text, std::size_t count,
                                                  std::uint64_t* hashes) noexcept {
  const window_lanes_avx2<Tiny> lanes(hash);
  for (std::size_t i = 0; i < count; i += 4) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(hashes + i), lanes(text + i));
  }
}

// ---- AVX-512: eight windows a vector; VPMULLQ multiplies, VPROLQ rotates, VPTERNLOGQ joins three --------------------
// 0.98 cycles a window; 12 operations for eight take 0.86 at the least on a Zen 4.

template <bool Tiny>
struct window_lanes_avx512 {
  static constexpr std::size_t lanes = 8;

  __m512i arrange;
  __m512i flip;
  __m512i length;
  __m512i first;
  __m512i second;

  NEARDUP_TARGET_AVX512 explicit window_lanes_avx512(const short_xxh3& hash) noexcept
      : arrange(_mm512_load_si512(window_shuffles[hash.n].sources)),
        flip(_mm512_set1_epi64(static_cast<long long>(hash.flip))),
        length(_mm512_set1_epi64(static_cast<long long>(hash.n))),
        first(_mm512_set1_epi64(static_cast<long long>(Tiny ? short_xxh3::avalanche_1 : short_xxh3::rrmxmx))),
        second(_mm512_set1_epi64(static_cast<long long>(Tiny ? short_xxh3::avalanche_2 : short_xxh3::rrmxmx))) {}

  NEARDUP_TARGET_AVX512 NEARDUP_ALWAYS_INLINE __m512i operator()(const char* at) const noexcept {
    const __m512i bytes = _mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at)));
    __m512i x = _mm512_xor_si512(_mm512_shuffle_epi8(bytes, arrange), flip);
    if constexpr (Tiny) {
      x = _mm512_mullo_epi64(_mm512_xor_si512(x, _mm512_srli_epi64(x, 33)), first);
      x = _mm512_mullo_epi64(_mm512_xor_si512(x, _mm512_srli_epi64(x, 29)), second);
      return _mm512_xor_si512(x, _mm512_srli_epi64(x, 32));
    } else {
      x = _mm512_ternarylogic_epi64(x, _mm512_rol_epi64(x, 49), _mm512_rol_epi64(x, 24), 0x96);
      x = _mm512_mullo_epi64(x, first);
      x = _mm512_xor_si512(x, _mm512_add_epi64(_mm512_srli_epi64(x, 35), length));
      x = _mm512_mullo_epi64(x, second);
      return _mm512_xor_si512(x, _mm512_srli_epi64(x, 28));
    }
  }
};

/// The same as hash_windows_avx2; `hashes` has room for count + 7.
template <bool Tiny>
NEARDUP_TARGET_AVX512 inline void hash_windows_avx512(const short_xxh3& hash, const char* text, std::size_t count,
                                                      std::uint64_t* hashes) noexcept {
  const window_lanes_avx512<Tiny> lanes(hash);
  for (std::size_t i = 0; i < count; i += 8) _mm512_storeu_si512(hashes + i, lanes(text + i));
}

NEARDUP_KERNELS_END
#endif  // NEARDUP_X86_KERNELS

/// Hashes of the `count` windows that begin at text, text + 1, ... Precondition: 16 bytes may be read from the last one
/// on, and `hashes` has room for count + 7.
inline void hash_windows(const short_xxh3& hash, const char* text, std::size_t count, std::uint64_t* hashes,
                         instruction_set level) noexcept {
#if NEARDUP_X86_KERNELS
  const bool tiny = hash.n < 4;
  if (level == instruction_set::avx512) {
    return tiny ? hash_windows_avx512<true>(hash, text, count, hashes)
                : hash_windows_avx512<false>(hash, text, count, hashes);
  }
  if (level == instruction_set::avx2) {
    return tiny ? hash_windows_avx2<true>(hash, text, count, hashes)
                : hash_windows_avx2<false>(hash, text, count, hashes);
  }
#endif
  static_cast<void>(level);
  hash_windows_portable(hash, text, count, hashes);
}

/// Appends the hashes of these windows of `n` bytes to a block, which `consume` empties whenever it is full.
template <std::size_t Words>
void add_window_hashes(const char* text, std::size_t count, std::size_t n, std::uint64_t seed, hash_block<Words>& block,
                       instruction_set level, const block_consumer<Words>& consume) {
  while (count > 0) {
    if (block.room() == 0) consume(block);
    const std::size_t part = block.room() < count ? block.room() : count;
    for (std::size_t j = 0; j < Words; ++j) {
      hash_windows(short_xxh3(n, seed + j * xxh3<>::seed_step), text, part, block.columns[j] + block.count, level);
    }
    block.count += part;
    text += part;
    count -= part;
  }
}

}  // namespace neardup::inline v0::detail
