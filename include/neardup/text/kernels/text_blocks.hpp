// SPDX-License-Identifier: MIT
// Masks of blocks of 64 bytes, the functions that process texts with these masks, and the kernels for each instruction
// set. A mask has one bit per byte. The lowest bit stands for the first byte.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "../../detail/bits.hpp"
#include "../../instruction_set.hpp"
#include "../../simd/forms.hpp"
#include "../unicode.hpp"

namespace neardup::inline v0::detail {

inline constexpr std::size_t text_block_size = 64;
inline constexpr std::size_t text_block_margin = 16;  // the number of bytes that kernels may read after a block

/// Collects the highest bits of eight bytes in one byte.
inline std::uint64_t top_bits(std::uint64_t bytes) noexcept {
  // One multiplication moves the eight bits next to each other.
  return ((bytes & byte_tops) >> 7) * 0x0102040810204080U >> 56;
}

/// Converts the ASCII letters among the eight bytes of `x` to lower case.
NEARDUP_ALWAYS_INLINE std::uint64_t fold_bytes(std::uint64_t x) noexcept {
  const std::uint64_t low = x & ~byte_tops;
  // The highest bit of a byte of `upper` is set if the byte of `x` is a letter from 'A' to 'Z'.
  const std::uint64_t upper = (low + byte_ones * (0x80 - 'A')) & ~(low + byte_ones * (0x80 - 'Z' - 1)) & ~x & byte_tops;
  return x | upper >> 2;
}

/// For each value of a byte, the positions of the bits that are set in the value.
struct alignas(8) set_bits {
  std::uint8_t positions[8];
};
inline constexpr std::array<set_bits, 256> set_bits_of = [] {
  std::array<set_bits, 256> result{};
  for (std::size_t byte = 0; byte < result.size(); ++byte) {
    std::size_t count = 0;
    for (std::size_t bit = 0; bit < 8; ++bit) {
      if ((byte >> bit & 1U) != 0) result[byte].positions[count++] = static_cast<std::uint8_t>(bit);
    }
  }
  return result;
}();

/// Writes `base` plus the position of each set bit of `mask` to `out`.
/// Returns: the number of set bits.
NEARDUP_ALWAYS_INLINE std::size_t bit_positions_portable(std::uint64_t mask, std::uint32_t base,
                                                         std::uint32_t* out) noexcept {
  std::size_t count = 0;
  for (; mask != 0; mask &= mask - 1) out[count++] = base + static_cast<std::uint32_t>(std::countr_zero(mask));
  return count;
}
constexpr auto bit_positions_of(portable_form) noexcept { return bit_positions_portable; }

// ---- which bytes belong to words ------------------------------------------------------------------------------------

/// Masks of the bytes that form the Latin-1 characters of a block. The masks are computed only if needed, because most
/// blocks have no such characters. at_XX is the mask of the bytes with value XX.
struct latin_values {
  std::uint64_t continuation, c2, c3;
  std::uint64_t letters;  // second bytes that form a letter with C2; none has a lower case
  std::uint64_t at_97, at_b7, at_ad;
  std::uint64_t upper;  // second bytes that form an upper-case letter with C3
};

/// Masks that classify the bytes of a block.
struct character_masks {
  std::uint64_t word;  // bytes of letters other than Han
  std::uint64_t han_leads;
  std::uint64_t han;    // bytes of U+4E00 to U+9FFF, and of U+4000 to U+4DBF
  std::uint64_t upper;  // bytes that become lower case by adding 0x20
  std::uint64_t known;  // bytes of characters that have a bit in a mask above, and of known separators

  /// Adds the characters of three bytes to these masks, which already cover ASCII. All parameters are masks of lead
  /// bytes. `of_three`: followed by two continuation bytes. Within `of_three`, `three` marks Han characters and known
  /// separators, and `han_here` marks Han characters.
  NEARDUP_ALWAYS_INLINE void add_three(std::uint64_t three, std::uint64_t han_here, std::uint64_t of_three) noexcept {
    han_leads = han_here & of_three;
    han = han_leads | han_leads << 1 | han_leads << 2;
    three &= of_three;
    known |= three | three << 1 | three << 2;
  }

  /// Adds the Latin-1 characters to the masks. The soft hyphen is not added, because words ignore it.
  NEARDUP_ALWAYS_INLINE void add_latin(const latin_values& is) noexcept {
    const std::uint64_t of_two = is.continuation >> 1;                        // lead bytes with a continuation byte
    const std::uint64_t c3 = is.c3 & of_two & ~((is.at_97 | is.at_b7) >> 1);  // not U+00D7, U+00F7
    const std::uint64_t words = c3 | (is.c2 & of_two & is.letters >> 1);
    word |= words | words << 1;
    upper |= c3 << 1 & is.upper;
    const std::uint64_t two = ((is.c2 & ~(is.at_ad >> 1)) | is.c3) & of_two;
    known |= two | two << 1;
  }

  /// Returns the number of bytes before the first character that the masks do not cover. The result is at most `size`.
  [[nodiscard]] NEARDUP_ALWAYS_INLINE std::size_t known_bytes(std::uint64_t continuation,
                                                              std::size_t size) const noexcept {
    // The last character of a whole block is not counted, because it may continue in the next block.
    if (size == text_block_size) size = static_cast<std::size_t>(63 - std::countl_zero(~continuation | 1U));
    const std::uint64_t unknown = ~known & low_mask(size);
    if (unknown != 0) [[unlikely]] {
      size = static_cast<std::size_t>(std::countr_zero(unknown));
      NEARDUP_SCALAR(size);  // forces a branch, so that the next block does not wait for this result
    }
    return size;
  }
};

/// latin_letters[i] is 0xff if U+0080 + i is a letter, and otherwise 0. The lead byte of these characters is C2.
alignas(64) inline constexpr std::array<std::uint8_t, 64> latin_letters = [] {
  std::array<std::uint8_t, 64> result{};
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] = classify(static_cast<char32_t>(0x80 + i)) == character_class::letter ? 0xff : 0;
  }
  return result;
}();

// ---- texts, block by block ------------------------------------------------------------------------------------------

/// Returns true if the text at `at`, of `left` bytes, begins with a soft hyphen.
NEARDUP_ALWAYS_INLINE bool is_soft_hyphen(const char* at, std::size_t left) noexcept {
  return left > 1 && at[0] == '\xc2' && at[1] == '\xad';
}

/// For a character at `at` that the masks do not cover, returns how many bytes to process one character at a time. The
/// result is at most `usual`: such characters rarely occur singly. For a soft hyphen, which does occur singly, the
/// result is 1.
NEARDUP_ALWAYS_INLINE std::ptrdiff_t unknown_run(const char* at, std::ptrdiff_t left, std::ptrdiff_t usual) noexcept {
  if (left > 1 && is_soft_hyphen(at, static_cast<std::size_t>(left))) return 1;
  return left < usual ? left : usual;
}

/// Processes a block of the text of `cursor` as if the block had no soft hyphen after its first `known` bytes. The
/// masks cover these bytes.
template <class Form, class Cursor, class FindMasks>
NEARDUP_ALWAYS_INLINE void take_without_soft_hyphen(Form form, Cursor& cursor, std::size_t known,
                                                    const FindMasks& find_masks) noexcept {
  constexpr std::size_t hyphen = 2, room = text_block_size + text_block_margin;
  const auto left = static_cast<std::size_t>(cursor.end - cursor.at) - hyphen;
  char block[room] = {};
  std::memcpy(block, cursor.at, known);
  std::memcpy(block + known, cursor.at + known + hyphen, (left < room ? left : room) - known);
  character_masks masks;
  const std::size_t found = find_masks(block, left < text_block_size ? left : text_block_size, masks);
  // An ill-formed continuation byte after the hyphen may look like a part of the character before the hyphen. Then
  // `found` is less than `known`.
  const std::size_t size = found > known ? found : known;
  if (size > 0) take_block(form, cursor, block, size, masks);
  cursor.at += hyphen;
}

/// Processes the characters of the text of `cursor` that begin before `limit`. `find_masks(bytes, size, masks)`
/// computes the masks of a block. take_block(form, cursor, ...) processes the characters before the first one that the
/// masks do not cover. take_characters(cursor, limit) processes the following bytes. `find_masks` is a template
/// parameter, because inlining it makes the portable normalising 5 % faster.
template <class Form, class Cursor, class FindMasks>
NEARDUP_ALWAYS_INLINE void take_blocks_by_words(Form form, Cursor& cursor, const char* limit,
                                                const FindMasks& find_masks) noexcept {
  while (cursor.at < limit) {
    const auto left = static_cast<std::size_t>(cursor.end - cursor.at);
    const std::size_t size = left < text_block_size ? left : text_block_size;
    const char* bytes = cursor.at;
    char rest[text_block_size + text_block_margin];
    if (left < sizeof rest) {
      std::memset(rest, 0, sizeof rest);
      std::memcpy(rest, bytes, left);
      bytes = rest;
    }
    character_masks masks;
    const std::size_t known = find_masks(bytes, size, masks);
    if constexpr (requires { Cursor::copies_characters; }) {
      if (known < size && is_soft_hyphen(cursor.at + known, left - known)) {
        take_without_soft_hyphen(form, cursor, known, find_masks);
        continue;
      }
    }
    if (known > 0) {
      take_block(form, cursor, bytes, known, masks);
    } else {
      take_characters(cursor, cursor.at + unknown_run(cursor.at, static_cast<std::ptrdiff_t>(left), text_block_size));
    }
  }
}

#if NEARDUP_X86_KERNELS

NEARDUP_AVX2_BEGIN

/// Writes `base` plus the position of each set bit of `mask` to `out`. A lookup table has the positions for eight bits
/// at a time, so no branch is needed.
/// Precondition: `out` has room for 71 numbers.
/// Returns: the number of set bits.
inline std::size_t bit_positions_avx2(std::uint64_t mask, std::uint32_t base, std::uint32_t* out) noexcept {
  std::size_t count = 0;
  for (std::uint32_t i = 0; i < text_block_size; i += 8) {
    const std::uint64_t byte = mask >> i & 0xffU;
    const __m128i positions = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(set_bits_of[byte].positions));
    _mm256_storeu_si256(
        reinterpret_cast<__m256i*>(out + count),
        _mm256_add_epi32(_mm256_cvtepu8_epi32(positions), _mm256_set1_epi32(static_cast<int>(base + i))));
    count += static_cast<std::size_t>(std::popcount(byte));
  }
  return count;
}

NEARDUP_END

constexpr auto bit_positions_of(avx2_form) noexcept { return bit_positions_avx2; }

alignas(64) inline constexpr std::array<std::uint8_t, 64> byte_indices = [] {
  std::array<std::uint8_t, 64> indices{};
  for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = static_cast<std::uint8_t>(i);
  return indices;
}();

NEARDUP_AVX512_BEGIN

/// The AVX-512 version of bit_positions_avx2. VPCOMPRESSB collects the indices of the set bits, and VPMOVZXBD widens
/// them to 32 bits.
/// Returns: the number of set bits.
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

/// Loads the first `size` bytes of a text, at most a block. The other bytes of the vector are 0. A whole block is
/// loaded without a mask, because a masked load waits for earlier stores on a Zen 5.
inline __m512i load_block_avx512(const char* text, std::size_t size) noexcept {
  return size < text_block_size ? _mm512_maskz_loadu_epi8(low_mask(size), text) : _mm512_loadu_si512(text);
}

/// Computes the masks of the ASCII characters of a block with AVX-512.
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
    // Excludes ignored characters, and U+203C, which is a pictograph.
    if (!is_in(next, 0x8b, 0x8f) && !is_in(next, 0xaa, 0xae) && next != 0xbc) third |= byte_roles::e2;
    if (is_in(next, 0x80, 0x84) || is_in(next, 0x88, 0xa0)) third |= byte_roles::e3;
    if (!is_in(next, 0x90, 0x99) && !is_in(next, 0xa1, 0xba)) third |= byte_roles::ef;
    result.first[i] = static_cast<std::uint8_t>(first);
    result.second[i] = static_cast<std::uint8_t>(second);
    result.third[i] = static_cast<std::uint8_t>(third);
  }
  return result;
}();

/// Adds the characters beyond ASCII to `masks`.
/// Returns: the number of bytes before the first character that the masks do not cover, at most `size`.
NEARDUP_ALWAYS_INLINE std::size_t add_multibyte_avx512(__m512i bytes, std::size_t size,
                                                       character_masks& masks) noexcept {
  const std::uint64_t continuation = _mm512_cmplt_epi8_mask(bytes, _mm512_set1_epi8(-0x40));
  const std::uint64_t leads = ~masks.known & ~continuation;
  // At each position, `second` has the next byte and `third` has the byte after it. At the last positions, they have
  // the first bytes of the block, because VPERMB uses only the low six bits of an index. These first bytes do no harm:
  // only lead bytes that two continuation bytes follow are used.
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

#endif  // NEARDUP_X86_KERNELS

/// Processes the characters that begin before `limit`. take_blocks_avx512() processes the characters that the masks
/// cover, and take_characters() processes the other characters. For a class of cursors without take_blocks_avx512(),
/// take_blocks() uses AVX2. This template is declared on all machines, because clang looks up its name everywhere.
template <class Cursor>
void take_all_blocks_avx512(Cursor& cursor, const char* limit) noexcept {
  for (;;) {
    take_blocks_avx512(cursor, limit);
    if (cursor.at >= limit) return;
    take_characters(cursor, cursor.at + unknown_run(cursor.at, limit - cursor.at, 24));
  }
}

}  // namespace neardup::inline v0::detail

#define NEARDUP_KERNEL "../text/kernels/text_blocks.inl"
#include "../../simd/for_each_form.hpp"

namespace neardup::inline v0::detail {

/// Processes the characters of the text of `cursor` that begin before `limit`, with the kernels of `level`.
/// Precondition: the output has memory for the result.
template <class Cursor>
void take_blocks(Cursor& cursor, const char* limit, instruction_set level) noexcept {
  choose_form(level, [&](auto form) {
    if constexpr (std::is_same_v<decltype(form), avx512_form> && requires { take_blocks_avx512(cursor, limit); }) {
      take_all_blocks_avx512(cursor, limit);
    } else {
      decltype(text_kernels_of(form))::take_blocks(cursor, limit);
    }
  });
}

}  // namespace neardup::inline v0::detail
