// SPDX-License-Identifier: MIT
// Masks of blocks of 64 bytes by AVX-512.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "../../detail/bits.hpp"
#include "../../simd/forms.hpp"
#include "text_blocks_portable.hpp"

#if NEARDUP_X86_KERNELS

namespace neardup::inline v0::detail {

alignas(64) inline constexpr std::array<std::uint8_t, 64> byte_indices = [] {
  std::array<std::uint8_t, 64> indices{};
  for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = static_cast<std::uint8_t>(i);
  return indices;
}();

NEARDUP_AVX512_BEGIN

/// bit_positions_avx2 by AVX-512: VPCOMPRESSB collects the indices of set bits, VPMOVZXBD widens them. Returns: the
/// number of set bits.
inline std::size_t bit_positions_avx512(std::uint64_t mask, std::uint32_t base, std::uint32_t* out) noexcept {
  const __m512i positions = _mm512_maskz_compress_epi8(mask, _mm512_load_si512(byte_indices.data()));
  const auto count = static_cast<std::size_t>(std::popcount(mask));
  const __m512i offset = _mm512_set1_epi32(static_cast<int>(base));
  const auto write = [&](std::size_t i, __m128i part) {
    _mm512_storeu_si512(out + i, _mm512_add_epi32(_mm512_cvtepu8_epi32(part), offset));
  };
  write(0, _mm512_castsi512_si128(positions));
  if (count > 16) write(16, _mm512_extracti32x4_epi32(positions, 1));
  if (count > 32) {
    write(32, _mm512_extracti32x4_epi32(positions, 2));
    write(48, _mm512_extracti32x4_epi32(positions, 3));
  }
  return count;
}

/// Loads the first `size` bytes of a text, at most a block, followed by zeros. A whole block is loaded without a mask,
/// because on a Zen 5 a masked load waits for earlier stores.
inline __m512i load_block_avx512(const char* text, std::size_t size) noexcept {
  return size < text_block_size ? _mm512_maskz_loadu_epi8(low_mask(size), text) : _mm512_loadu_si512(text);
}

/// The masks of a block for its ASCII characters, by AVX-512.
inline character_masks ascii_masks_avx512(__m512i bytes) noexcept {
  const auto below = [&](__m512i from, char first, char count) {
    return std::uint64_t{
        _mm512_cmplt_epu8_mask(_mm512_sub_epi8(from, _mm512_set1_epi8(first)), _mm512_set1_epi8(count))};
  };
  const std::uint64_t letters = below(_mm512_or_si512(bytes, _mm512_set1_epi8(0x20)), 'a', 26);
  return {letters | below(bytes, '0', 10), 0, 0, below(bytes, 'A', 26), ~std::uint64_t{_mm512_movepi8_mask(bytes)}};
}

/// Lookup tables by the low six bits of the first, second and third byte of a character. The masks cover a character of
/// three bytes if its three entries have a bit in common.
struct byte_roles {
  static constexpr unsigned han = 1, han_e4 = 2;      // U+5000 to U+9FFF; U+4000 to U+4FFF except the hexagrams
  static constexpr unsigned e2 = 4, e3 = 8, ef = 16;  // separators from U+2000, U+3000 and U+FF00 on
  static constexpr unsigned latin = 32;               // first bytes of Latin-1 characters

  alignas(64) std::array<std::uint8_t, 64> first;
  alignas(64) std::array<std::uint8_t, 64> second;
  alignas(64) std::array<std::uint8_t, 64> third;
};
alignas(64) inline constexpr byte_roles roles_of_bytes = [] {
  byte_roles result{};
  const auto is_in = [](unsigned c, unsigned least, unsigned most) { return c >= least && c <= most; };
  for (unsigned i = 0; i < 64; ++i) {
    const unsigned lead = 0xc0 + i;
    unsigned first = 0;
    if (is_in(lead, 0xe5, 0xe9)) first = byte_roles::han;
    if (lead == 0xe4) first = byte_roles::han_e4;
    if (lead == 0xe2) first = byte_roles::e2;
    if (lead == 0xe3) first = byte_roles::e3;
    if (lead == 0xef) first = byte_roles::ef;
    if (is_in(lead, 0xc2, 0xc3)) first = byte_roles::latin;
    const unsigned next = 0x80 + i;
    unsigned second = byte_roles::han;
    if (next != 0xb7) second |= byte_roles::han_e4;
    if (next == 0x80) second |= byte_roles::e2 | byte_roles::e3;
    if (next == 0xbc) second |= byte_roles::ef;
    unsigned third = byte_roles::han | byte_roles::han_e4;
    // Excludes ignored characters and U+203C, a pictograph.
    if (!is_in(next, 0x8b, 0x8f) && !is_in(next, 0xaa, 0xae) && next != 0xbc) third |= byte_roles::e2;
    if (is_in(next, 0x80, 0x84) || is_in(next, 0x88, 0xa0)) third |= byte_roles::e3;
    if (!is_in(next, 0x90, 0x99) && !is_in(next, 0xa1, 0xba)) third |= byte_roles::ef;
    result.first[i] = static_cast<std::uint8_t>(first);
    result.second[i] = static_cast<std::uint8_t>(second);
    result.third[i] = static_cast<std::uint8_t>(third);
  }
  return result;
}();

/// Adds the characters beyond ASCII to the masks.
/// Returns: the number of bytes before the first character that the masks do not cover; at most `size`.
NEARDUP_ALWAYS_INLINE std::size_t add_multibyte_avx512(__m512i bytes, std::size_t size,
                                                       character_masks& masks) noexcept {
  const std::uint64_t continuation = _mm512_cmplt_epi8_mask(bytes, _mm512_set1_epi8(-0x40));
  const std::uint64_t leads = ~masks.known & ~continuation;
  // `second` and `third` hold, at each position, the next byte and the one after it. At the last positions they hold
  // the first bytes of the block, because VPERMB uses the low six bits of an index. These are not used: only lead bytes
  // that two continuation bytes follow count.
  const __m512i places = _mm512_load_si512(byte_indices.data());
  const __m512i second = _mm512_permutexvar_epi8(_mm512_add_epi8(places, _mm512_set1_epi8(1)), bytes);
  const __m512i third = _mm512_permutexvar_epi8(_mm512_add_epi8(places, _mm512_set1_epi8(2)), bytes);
  const __m512i of_first = _mm512_permutexvar_epi8(bytes, _mm512_load_si512(roles_of_bytes.first.data()));
  const __m512i of_second = _mm512_permutexvar_epi8(second, _mm512_load_si512(roles_of_bytes.second.data()));
  const __m512i of_third = _mm512_permutexvar_epi8(third, _mm512_load_si512(roles_of_bytes.third.data()));
  const __m512i common = _mm512_and_si512(of_first, _mm512_and_si512(of_second, of_third));
  masks.add_three(_mm512_test_epi8_mask(common, common),
                  _mm512_test_epi8_mask(common, _mm512_set1_epi8(byte_roles::han | byte_roles::han_e4)),
                  leads & continuation >> 1 & continuation >> 2);
  if ((leads & _mm512_test_epi8_mask(of_first, _mm512_set1_epi8(byte_roles::latin))) != 0) {
    const auto equal = [&](unsigned char value) {
      return std::uint64_t{_mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(static_cast<char>(value)))};
    };
    const __m512i upper = _mm512_sub_epi8(bytes, _mm512_set1_epi8(static_cast<char>(0x80)));
    const __m512i letters = _mm512_permutexvar_epi8(bytes, _mm512_load_si512(latin_letters.data()));
    masks.add_latin({continuation, equal(0xc2), equal(0xc3), _mm512_movepi8_mask(letters), equal(0x97), equal(0xb7),
                     equal(0xad), _mm512_cmple_epu8_mask(upper, _mm512_set1_epi8(0x1e))});
  }
  return masks.known_bytes(continuation, size);
}
NEARDUP_END

/// take_blocks_avx512(cursor, limit) processes the characters that its masks cover. A class of cursors has its own, or
/// is processed by AVX2.
template <class Cursor>
void take_all_blocks_avx512(Cursor& cursor, const char* limit) noexcept {
  for (;;) {
    take_blocks_avx512(cursor, limit);
    if (cursor.at >= limit) return;
    take_characters(cursor, cursor.at + unknown_run(cursor.at, limit - cursor.at, 24));
  }
}

template <class Cursor>
  requires requires(Cursor& cursor, const char* limit) { take_blocks_avx512(cursor, limit); }
constexpr auto take_blocks_of(avx512_form) noexcept { return take_all_blocks_avx512<Cursor>; }

}  // namespace neardup::inline v0::detail

#endif  // NEARDUP_X86_KERNELS
