// SPDX-License-Identifier: MIT
// The formulas of XXH3 for inputs of up to 32 bytes, for each instruction set. Kernels use the formulas for windows of
// a text, for tokens of different lengths, and for pairs of code points.
//
// For up to 8 bytes, XXH3 arranges its input in one 64-bit word. It flips bits of the word, as the secret and the seed
// say, and multiplies twice.
// Source: the xxHash specification, XXH3 algorithm, "Small inputs".
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "../../detail/bytes.hpp"
#include "../../simd/forms.hpp"

namespace neardup::inline v0::detail {

/// The formulas for up to 8 bytes, without the seed.
struct short_xxh3 {
  // The first words of the default secret of XXH3, little-endian, as the specification lists them.
  static constexpr std::uint64_t secret_0 = 0xbe4ba423396cfeb8U;
  static constexpr std::uint64_t secret_8 = 0x1cad21f72c81017cU;
  static constexpr std::uint64_t secret_16 = 0xdb979083e96dd4deU;
  static constexpr std::uint64_t secret_24 = 0x1f67b3b7a4a44072U;

  // The multipliers of the two rounds: rrmxmx twice for 4 to 8 bytes; avalanche_1 and avalanche_2 for 1 to 3 bytes.
  static constexpr std::uint64_t rrmxmx = 0x9fb21c651e98df25U;
  static constexpr std::uint64_t avalanche_1 = 0xc2b2ae3d27d4eb4fU;
  static constexpr std::uint64_t avalanche_2 = 0x165667b19e3779f9U;

  /// Returns the word for 1 to 3 bytes. It is made of the first, the middle and the last byte.
  static constexpr std::uint64_t word_1_to_3(std::uint64_t first, std::uint64_t middle, std::uint64_t last) noexcept {
    return first << 16 | middle << 24 | last;
  }
  /// Returns the word for 4 to 8 bytes.
  static NEARDUP_ALWAYS_INLINE std::uint64_t word_4_to_8(const char* bytes, std::uint64_t length) noexcept {
    const std::uint64_t first = load_little_endian<std::uint32_t>(bytes);
    return first << 32 | load_little_endian<std::uint32_t>(bytes + length - 4);
  }

  /// Returns which byte of an input of n bytes is byte i of the word. Returns 0x80 if byte i of the word is zero.
  static constexpr std::uint8_t source_of(std::size_t n, std::size_t i) noexcept {
    if (n >= 4) return static_cast<std::uint8_t>(i < 4 ? n - 4 + i : i - 4);
    switch (i) {
      case 0: return static_cast<std::uint8_t>(n - 1);
      case 2: return 0;
      case 3: return static_cast<std::uint8_t>(n >> 1);
      default: return 0x80;
    }
  }

  /// The first operation for 4 to 8 bytes. The operation is linear: rotated(x ^ y) == rotated(x) ^ rotated(y).
  static constexpr std::uint64_t rotated(std::uint64_t x) noexcept { return x ^ std::rotl(x, 49) ^ std::rotl(x, 24); }

  // NEARDUP_SCALAR prevents the vectorisation of loops over the two functions below. SSE2 has no 64-bit multiplication,
  // so vector code takes 6.4 cycles per window, and scalar code takes 5.6 (g++ 12).

  /// Returns the hash of 1 to 3 bytes. `x`: the word for these bytes, combined with the secret and the seed by
  /// exclusive or.
  static NEARDUP_ALWAYS_INLINE std::uint64_t mix_1_to_3(std::uint64_t x) noexcept {
    NEARDUP_SCALAR(x);
    x *= avalanche_1;
    x ^= x >> 29;
    x *= avalanche_2;
    x ^= x >> 32;
    NEARDUP_SCALAR(x);
    return x;
  }
  /// Returns the hash of 4 to 8 bytes. `x`: the word for these bytes, after the secret and the seed have flipped its
  /// bits.
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

/// The formulas of XXH3 for a seed. A member `flip_…` has the bits that are flipped in a word; these bits depend on the
/// secret and the seed.
struct seeded_xxh3 {
  std::uint64_t seed;
  /// The bits to flip in the word of 1 to 3 bytes, without the length, which the caller adds in bits 8 to 15. The
  /// formula begins with x ^= x >> 33. This shift moves only the upper half of x, which depends on the seed alone. So
  /// this step is computed in advance.
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

  /// Returns the bits to flip in the word of an input of `length` bytes, at most 8.
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

// ---- the formulas in 64-bit lanes, four (AVX2) or eight (AVX-512) per vector ----------------------------------------
// The code uses vector types of the compiler, so that each formula is written once for the two widths. The code is
// always inlined into functions for AVX2 or AVX-512. Vectors are passed by reference, because the calling convention
// for vector values depends on the instruction set.

using lanes_avx2 = std::uint64_t __attribute__((vector_size(32)));
using lanes_avx512 = std::uint64_t __attribute__((vector_size(64)));

template <class Lanes>
inline constexpr bool are_lanes_avx2 = sizeof(Lanes) == sizeof(lanes_avx2);

NEARDUP_AVX2_BEGIN

/// Computes short_xxh3::rotated() for each lane.
template <class Lanes>
NEARDUP_ALWAYS_INLINE void rotate_lanes(Lanes& x) noexcept {
  if constexpr (are_lanes_avx2<Lanes>) {
    // A rotation by 24 bits only moves whole bytes.
    const __m256i bytes_24 = _mm256_setr_epi8(5, 6, 7, 0, 1, 2, 3, 4, 13, 14, 15, 8, 9, 10, 11, 12, 5, 6, 7, 0, 1, 2, 3,
                                              4, 13, 14, 15, 8, 9, 10, 11, 12);
    const __m256i rotated_24 = _mm256_shuffle_epi8(reinterpret_cast<__m256i>(x), bytes_24);
    x ^= (x << 49 | x >> 15) ^ reinterpret_cast<lanes_avx2>(rotated_24);
  } else {
    x ^= (x << 49 | x >> 15) ^ (x << 24 | x >> 40);
  }
}

/// Broadcasts a value to all lanes, and keeps the result in a register. g++ would build it again from an immediate at
/// each use in a loop.
template <class Lanes>
NEARDUP_ALWAYS_INLINE void fill_lanes(Lanes& lanes, std::uint64_t value) noexcept {
  NEARDUP_SCALAR(value);
  lanes = Lanes{} + value;
}

/// The multipliers of a vector. Each lane has its own multiplier.
template <class Lanes>
struct lane_factor {
  Lanes whole;
  Lanes swapped;  // each with its 32-bit halves swapped, for AVX2

  /// Multiplies each lane of x by its multiplier, modulo 2^64.
  NEARDUP_ALWAYS_INLINE void multiply(Lanes& x) const noexcept {
    if constexpr (are_lanes_avx2<Lanes>) {
      // One multiplication gives the lower 32 bits of the two cross products. Their sum is added to the upper half of
      // the lane.
      const __m256i crossed = _mm256_mullo_epi32(reinterpret_cast<__m256i>(x), reinterpret_cast<__m256i>(swapped));
      const __m256i sum = _mm256_add_epi32(crossed, _mm256_slli_epi64(crossed, 32));
      const __m256i upper = _mm256_blend_epi32(sum, _mm256_setzero_si256(), 0x55);
      const __m256i lower = _mm256_mul_epu32(reinterpret_cast<__m256i>(x), reinterpret_cast<__m256i>(whole));
      x = reinterpret_cast<lanes_avx2>(_mm256_add_epi64(lower, upper));
    } else {
      x *= whole;
    }
  }

  NEARDUP_ALWAYS_INLINE void fill(std::uint64_t value) noexcept {
    fill_lanes(whole, value);
    if constexpr (are_lanes_avx2<Lanes>) fill_lanes(swapped, std::rotl(value, 32));
  }
  /// Sets each lane to `negative` where `sign` is negative, and to `otherwise` elsewhere.
  template <class Signed>
  NEARDUP_ALWAYS_INLINE void choose(const Signed& sign, std::uint64_t negative, std::uint64_t otherwise) noexcept {
    whole = sign < 0 ? Lanes{} + negative : Lanes{} + otherwise;
    if constexpr (are_lanes_avx2<Lanes>) {
      swapped = sign < 0 ? Lanes{} + std::rotl(negative, 32) : Lanes{} + std::rotl(otherwise, 32);
    }
  }
};

/// The two last rounds of a formula: multiplications and shifts. For 4 bytes or more, the first round also adds the
/// length. `Tiny`: true for the formula for 1 to 3 bytes.
template <bool Tiny, class Lanes>
struct short_rounds {
  lane_factor<Lanes> first, second;

  NEARDUP_ALWAYS_INLINE short_rounds() noexcept {
    first.fill(Tiny ? short_xxh3::avalanche_1 : short_xxh3::rrmxmx);
    second = first;
    if constexpr (Tiny) second.fill(short_xxh3::avalanche_2);
  }

  NEARDUP_ALWAYS_INLINE void operator()(Lanes& x, const Lanes& length) const noexcept {
    first.multiply(x);
    x ^= Tiny ? x >> 29 : (x >> 35) + length;
    second.multiply(x);
    x ^= x >> (Tiny ? 32 : 28);
  }
};

/// Computes the hashes of arranged words of 1 to 8 bytes, whose lengths differ. The formulas for 1 to 3 and for 4 to 8
/// bytes are computed and blended. The rounds are the same as in short_rounds, but each lane is shifted by its own
/// amount. A class that united brief_rounds and short_rounds was slower (docs/decisions/0009-kernels.md).
template <class Lanes>
struct brief_rounds {
  using signed_lanes = decltype(Lanes{} < Lanes{});

  Lanes marks;
  signed_lanes tiny;
  lane_factor<Lanes> first, second;
  Lanes first_shift, second_shift, added;

  /// Prepares the rounds for words of these lengths. `are_tiny`: the highest bit of a lane is set if the word of the
  /// lane has fewer than 4 bytes. In these lanes, `lengths` must be shifted up by 8 bits, as the formula requires; see
  /// mark().
  NEARDUP_ALWAYS_INLINE brief_rounds(const Lanes& lengths, const Lanes& are_tiny) noexcept
      : marks(lengths), tiny(reinterpret_cast<const signed_lanes&>(are_tiny)) {
    first.choose(tiny, short_xxh3::avalanche_1, short_xxh3::rrmxmx);
    first_shift = tiny < 0 ? Lanes{} + 29 : Lanes{} + 35;
    second.choose(tiny, short_xxh3::avalanche_2, short_xxh3::rrmxmx);
    second_shift = tiny < 0 ? Lanes{} + 32 : Lanes{} + 28;
    added = marks & 0xff;
  }
  /// Shifts the length up by 8 bits in each lane with fewer than 4 bytes.
  static NEARDUP_ALWAYS_INLINE void mark(Lanes& lengths, const Lanes& are_tiny) noexcept {
    lengths = reinterpret_cast<const signed_lanes&>(are_tiny) < 0 ? lengths << 8 : lengths;
  }

  NEARDUP_ALWAYS_INLINE void operator()(Lanes& word, const seeded_xxh3& formulas) const noexcept {
    Lanes longer = word ^ formulas.flip_4_to_8;
    rotate_lanes(longer);
    const Lanes shorter = word ^ marks ^ formulas.flip_1_to_3;
    word = tiny < 0 ? shorter : longer;
    first.multiply(word);
    word ^= (word >> first_shift) + added;
    second.multiply(word);
    word ^= word >> second_shift;
  }
};
NEARDUP_END

#endif  // NEARDUP_X86_KERNELS

}  // namespace neardup::inline v0::detail
