// SPDX-License-Identifier: MIT
// XXH3 of many short tokens on AArch64. NEON has no multiplication of 64 bits, so tokens are hashed one by one, by the
// formula of their length up to 32 bytes. On AArch64, a product of 128 bits takes two instructions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "../../detail/bits.hpp"
#include "../../detail/bytes.hpp"
#include "../../simd/forms.hpp"
#include "../../text/kernels/word_spans.hpp"
#include "../hashers.hpp"
#include "xxh3_short.hpp"

#if NEARDUP_NEON_KERNELS

namespace neardup::inline v0::detail {

/// The exclusive or of both halves of a product.
inline std::uint64_t fold_product_neon(std::uint64_t a, std::uint64_t b) noexcept {
  __extension__ using product_type = unsigned __int128;
  const product_type product = product_type{a} * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

inline std::uint64_t avalanche_neon(std::uint64_t x) noexcept {
  x ^= x >> 37;
  x *= 0x165667919e3779f9U;
  return x ^ x >> 32;
}

inline std::uint64_t hash_9_to_16_neon(const seeded_xxh3& formulas, const char* token, std::uint64_t length) noexcept {
  const std::uint64_t low = load_little_endian(token) ^ formulas.flip_low_9_to_16;
  const std::uint64_t high = load_little_endian(token + length - 8) ^ formulas.flip_high_9_to_16;
  return avalanche_neon(length + __builtin_bswap64(low) + high + fold_product_neon(low, high));
}

inline std::uint64_t hash_17_to_32_neon(const seeded_xxh3& formulas, const char* token, std::uint64_t length) noexcept {
  const auto& flips = formulas.flips_17_to_32;
  const char* const last = token + length - 16;
  const std::uint64_t first_half =
      fold_product_neon(load_little_endian(token) ^ flips[0], load_little_endian(token + 8) ^ flips[1]);
  const std::uint64_t second_half =
      fold_product_neon(load_little_endian(last) ^ flips[2], load_little_endian(last + 8) ^ flips[3]);
  return avalanche_neon(length * 0x9e3779b185ebca87U + first_half + second_half);
}

/// The NEON version of hash_spans_portable. It has formulas for spans of up to 32 bytes. It first collects the spans of
/// each length class, without a branch, so that each loop uses one formula.
inline void hash_spans_neon(const char* text, const span_view& spans, std::uint64_t seed,
                            std::uint64_t* hashes) noexcept {
  const seeded_xxh3 formulas(seed);
  constexpr std::size_t classes = 5;
  // The class of each length up to 33, which stands for all longer ones.
  static constexpr auto class_of = [] {
    std::array<std::uint8_t, 48> result{};
    for (std::size_t length = 4; length < result.size(); ++length) {
      result[length] = static_cast<std::uint8_t>(length < 9 ? 1 : length < 17 ? 2 : length < 33 ? 3 : 4);
    }
    return result;
  }();
  // Begin and length of the spans of each class.
  std::uint32_t sorted[classes][2 * span_view::capacity];
  std::uint32_t* end[classes] = {sorted[0], sorted[1], sorted[2], sorted[3], sorted[4]};
  const auto append = [&](std::uint32_t which, uint32x2_t span) {
    vst1_u32(end[which], span);
    end[which] += 2;
  };
  const uint8x16x3_t table = {{vld1q_u8(&class_of[0]), vld1q_u8(&class_of[16]), vld1q_u8(&class_of[32])}};
  std::size_t i = 0;
  for (; i + 4 <= spans.count; i += 4) {
    const uint32x4_t begin = vld1q_u32(spans.begin + i);
    const uint32x4_t length = vsubq_u32(vld1q_u32(spans.end + i), begin);
    // The upper bytes of each length are 0, and so is their class.
    const uint32x4_t which =
        vreinterpretq_u32_u8(vqtbl3q_u8(table, vreinterpretq_u8_u32(vminq_u32(length, vdupq_n_u32(33)))));
    const uint32x4_t low = vzip1q_u32(begin, length);
    const uint32x4_t high = vzip2q_u32(begin, length);
    append(vgetq_lane_u32(which, 0), vget_low_u32(low));
    append(vgetq_lane_u32(which, 1), vget_high_u32(low));
    append(vgetq_lane_u32(which, 2), vget_low_u32(high));
    append(vgetq_lane_u32(which, 3), vget_high_u32(high));
  }
  for (; i < spans.count; ++i) {
    const std::uint32_t length = spans.end[i] - spans.begin[i];
    const std::uint32_t span[2] = {spans.begin[i], length};
    append(class_of[length < 33 ? length : 33], vld1_u32(span));
  }
  std::uint64_t* out = hashes;
  const auto hash_class = [&](std::size_t which, const auto& hash) {
    for (const std::uint32_t* at = sorted[which]; at != end[which]; at += 2) *out++ = hash(text + at[0], at[1]);
  };
  hash_class(0, [&](const char* token, std::uint64_t length) { return formulas.hash_1_to_3(token, length); });
  hash_class(1, [&](const char* token, std::uint64_t length) { return formulas.hash_4_to_8(token, length); });
  hash_class(2, [&](const char* token, std::uint64_t length) { return hash_9_to_16_neon(formulas, token, length); });
  hash_class(3, [&](const char* token, std::uint64_t length) { return hash_17_to_32_neon(formulas, token, length); });
  hash_class(4, [&](const char* token, std::uint64_t length) -> std::uint64_t {
    return XXH3_64bits_withSeed(token, to_size(length), seed);
  });
}

template <std::size_t Words>
constexpr auto hash_spans_of(neon_form) noexcept {
  return [](const char* text, const span_view& spans, std::uint64_t seed, std::uint64_t* const* columns) noexcept {
    for (std::size_t j = 0; j < Words; ++j) hash_spans_neon(text, spans, seed + j * xxh3<>::seed_step, columns[j]);
  };
}

}  // namespace neardup::inline v0::detail

#endif  // NEARDUP_NEON_KERNELS
