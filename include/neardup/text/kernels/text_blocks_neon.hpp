// SPDX-License-Identifier: MIT
// Masks of blocks of 64 bytes by NEON.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "../../simd/forms.hpp"
#include "text_blocks_portable.hpp"

#if NEARDUP_NEON_KERNELS

namespace neardup::inline v0::detail {

/// A block of 64 bytes, or four masks of bytes that are 0 or 0xff.
struct block_neon {
  uint8x16_t parts[4];

  static block_neon load(const char* bytes) noexcept {
    const auto* const from = reinterpret_cast<const std::uint8_t*>(bytes);
    return {{vld1q_u8(from), vld1q_u8(from + 16), vld1q_u8(from + 32), vld1q_u8(from + 48)}};
  }
  template <class Use>
  [[nodiscard]] NEARDUP_ALWAYS_INLINE block_neon each(const Use& use) const noexcept {
    return {{use(parts[0]), use(parts[1]), use(parts[2]), use(parts[3])}};
  }

  /// One bit for each byte. Precondition: each byte is 0 or 0xff.
  [[nodiscard]] NEARDUP_ALWAYS_INLINE std::uint64_t bits() const noexcept {
    const uint8x16_t weights = vreinterpretq_u8_u64(vdupq_n_u64(0x8040201008040201U));
    const block_neon bit = each([&](uint8x16_t part) { return vandq_u8(part, weights); });
    const uint8x16_t low = vpaddq_u8(bit.parts[0], bit.parts[1]), high = vpaddq_u8(bit.parts[2], bit.parts[3]);
    const uint8x16_t both = vpaddq_u8(low, high);
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(both, both)), 0);
  }

  [[nodiscard]] NEARDUP_ALWAYS_INLINE std::uint64_t equal(std::uint8_t value) const noexcept {
    return each([&](uint8x16_t part) { return vceqq_u8(part, vdupq_n_u8(value)); }).bits();
  }
  [[nodiscard]] NEARDUP_ALWAYS_INLINE std::uint64_t range(std::uint8_t least, std::uint8_t most) const noexcept {
    return each([&](uint8x16_t part) { return is_in(part, least, most); }).bits();
  }
  static NEARDUP_ALWAYS_INLINE uint8x16_t is_in(uint8x16_t part, std::uint8_t least, std::uint8_t most) noexcept {
    return vcleq_u8(vsubq_u8(part, vdupq_n_u8(least)), vdupq_n_u8(static_cast<std::uint8_t>(most - least)));
  }
  [[nodiscard]] NEARDUP_ALWAYS_INLINE bool is_ascii() const noexcept {
    return vmaxvq_u8(vorrq_u8(vorrq_u8(parts[0], parts[1]), vorrq_u8(parts[2], parts[3]))) < 0x80;
  }
};

/// find_masks_portable by NEON. The masks also cover Latin-1; `upper` has only upper-case letters beyond ASCII.
/// Returns: the number of bytes before the first character that the masks do not cover; at most `size`.
NEARDUP_ALWAYS_INLINE std::size_t find_masks_neon(const char* text, std::size_t size, character_masks& masks) noexcept {
  const block_neon block = block_neon::load(text);
  const auto is_word = [](uint8x16_t part) {
    const uint8x16_t letter = block_neon::is_in(vorrq_u8(part, vdupq_n_u8(0x20)), 'a', 'z');
    return vorrq_u8(letter, block_neon::is_in(part, '0', '9'));
  };
  masks = {block.each(is_word).bits(), 0, 0, 0, ~std::uint64_t{0}};
  if (block.is_ascii()) return size;
  masks.known = ~block.range(0x80, 0xff);
  const std::uint64_t continuation = block.range(0x80, 0xbf);
  // Separators: U+2000 to U+203F except ignored characters and a pictograph; U+3000 to U+303F and U+FF00 to U+FF3F
  // except digits and letters.
  const std::uint64_t second_80 = block.equal(0x80) >> 1;
  const std::uint64_t ideographic = block.range(0x80, 0x84) | block.range(0x88, 0xa0);
  const std::uint64_t wide = block.range(0x90, 0x99) | block.range(0xa1, 0xba);
  const std::uint64_t han = block.range(0xe4, 0xe9) & ~(block.equal(0xe4) & block.equal(0xb7) >> 1);
  std::uint64_t general = block.equal(0xe2) & second_80;
  if (general != 0) general &= ~((block.range(0x8b, 0x8f) | block.range(0xaa, 0xae) | block.equal(0xbc)) >> 2);
  const std::uint64_t three = general | (block.equal(0xe3) & second_80 & ideographic >> 2) |
                              (block.equal(0xef) & block.equal(0xbc) >> 1 & ~(wide >> 2));
  masks.add_three(three | han, han, continuation >> 1 & continuation >> 2);
  const std::uint64_t c2 = block.equal(0xc2);
  const std::uint64_t c3 = block.equal(0xc3);
  if ((c2 | c3) != 0) {
    std::uint64_t letters = 0;
    for (std::uint64_t left = c2 << 1; left != 0; left &= left - 1) {
      const int i = std::countr_zero(left);
      letters |= std::uint64_t{latin_letters[static_cast<unsigned char>(text[i]) & 0x3fU] & 1U} << i;
    }
    masks.add_latin({continuation, c2, c3, letters, block.equal(0x97), block.equal(0xb7), block.equal(0xad),
                     block.range(0x80, 0x9e)});
  }
  return masks.known_bytes(continuation, size);
}

template <class Cursor>
void take_blocks_neon(Cursor& cursor, const char* limit) noexcept {
  take_blocks_by_words(neon_form{}, cursor, limit, find_masks_neon);
}

template <class Cursor>
constexpr auto take_blocks_of(neon_form) noexcept {
  return take_blocks_neon<Cursor>;
}

}  // namespace neardup::inline v0::detail

#endif  // NEARDUP_NEON_KERNELS
