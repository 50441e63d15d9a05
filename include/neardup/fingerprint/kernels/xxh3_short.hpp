// SPDX-License-Identifier: MIT
// The formulas of XXH3 for inputs of up to 32 bytes. Kernels use the formulas for windows of a text, and for tokens of
// different lengths.
//
// For up to 8 bytes, XXH3 arranges its input in one 64-bit word. It flips bits of the word, as the secret and the seed
// say, and multiplies twice.
// Source: the xxHash specification, XXH3 algorithm, "Small inputs".
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "../../detail/bits.hpp"
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

  /// Returns the word for an input of 1 to 3 bytes. It is made of the first, the middle and the last byte.
  static constexpr std::uint64_t word_1_to_3(std::uint64_t first, std::uint64_t middle, std::uint64_t last) noexcept {
    return first << 16 | middle << 24 | last;
  }
  /// Returns the word for an input of 4 to 8 bytes.
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

  /// Returns the hash of an input of 1 to 3 bytes. `x`: its word, after the secret and the seed have flipped bits.
  static NEARDUP_ALWAYS_INLINE std::uint64_t mix_1_to_3(std::uint64_t x) noexcept {
    NEARDUP_SCALAR(x);
    x *= avalanche_1;
    x ^= x >> 29;
    x *= avalanche_2;
    x ^= x >> 32;
    NEARDUP_SCALAR(x);
    return x;
  }
  /// Returns the hash of an input of 4 to 8 bytes. `x`: its word, after the secret and the seed have flipped bits.
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

/// Returns the exclusive or of the two halves of the 128-bit product a * b.
NEARDUP_ALWAYS_INLINE std::uint64_t fold_product(std::uint64_t a, std::uint64_t b) noexcept {
#if defined(__SIZEOF_INT128__)
  __extension__ using product_type = unsigned __int128;
  const product_type product = product_type{a} * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
#else
  const std::uint64_t half = 0xffffffffU;
  const std::uint64_t low = (a & half) * (b & half);
  const std::uint64_t first = (a >> 32) * (b & half) + (low >> 32);
  const std::uint64_t second = (a & half) * (b >> 32) + (first & half);
  return (second << 32 | (low & half)) ^ ((a >> 32) * (b >> 32) + (first >> 32) + (second >> 32));
#endif
}

/// The formulas of XXH3 for a seed. A member `flip_…` has the bits that are flipped in a word; these bits depend on the
/// secret and the seed.
struct seeded_xxh3 {
  std::uint64_t seed;
  /// The bits to flip in the word of 1 to 3 bytes, except the bits of the length, which the caller flips in bits 8 to
  /// 15. The formula begins with x ^= x >> 33. The value x >> 33 depends only on the secret and the seed, because the
  /// word has 32 bits. So this step is computed in advance.
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

  [[nodiscard]] NEARDUP_ALWAYS_INLINE std::uint64_t hash_9_to_16(const char* token,
                                                                 std::uint64_t length) const noexcept {
    const std::uint64_t low = load_little_endian(token) ^ flip_low_9_to_16;
    const std::uint64_t high = load_little_endian(token + length - 8) ^ flip_high_9_to_16;
    return avalanche(length + swapped_bytes(low) + high + fold_product(low, high));
  }
  [[nodiscard]] NEARDUP_ALWAYS_INLINE std::uint64_t hash_17_to_32(const char* token,
                                                                  std::uint64_t length) const noexcept {
    const auto& flips = flips_17_to_32;
    const char* const last = token + length - 16;
    const std::uint64_t first_half =
        fold_product(load_little_endian(token) ^ flips[0], load_little_endian(token + 8) ^ flips[1]);
    const std::uint64_t second_half =
        fold_product(load_little_endian(last) ^ flips[2], load_little_endian(last + 8) ^ flips[3]);
    return avalanche(length * 0x9e3779b185ebca87U + first_half + second_half);
  }

 private:
  static NEARDUP_ALWAYS_INLINE std::uint64_t avalanche(std::uint64_t x) noexcept {
    x ^= x >> 37;
    x *= 0x165667919e3779f9U;
    return x ^ x >> 32;
  }
  static constexpr std::uint64_t swapped_low_half(std::uint64_t x) noexcept {
    return (x >> 24 & 0xffU) | (x >> 8 & 0xff00U) | (x << 8 & 0xff0000U) | (x << 24 & 0xff000000U);
  }
  static constexpr std::uint64_t swapped_bytes(std::uint64_t x) noexcept {
    return swapped_low_half(x) << 32 | swapped_low_half(x >> 32);
  }
};

}  // namespace neardup::inline v0::detail

#define NEARDUP_KERNEL "../fingerprint/kernels/xxh3_lanes.inl"
#include "../../simd/for_each_form.hpp"
