// SPDX-License-Identifier: MIT
// Classifies the characters of a text in blocks of 64 bytes. A mask has one bit per byte; the bit of the first byte is
// the lowest.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "../../detail/bits.hpp"
#include "../../detail/bytes.hpp"
#include "../../detail/instructions.hpp"
#include "../unicode.hpp"

namespace neardup::inline v0::detail {

inline constexpr std::size_t text_block_size = 64;
inline constexpr std::size_t text_block_margin = 16;  // the number of bytes that kernels may read behind a block

/// Collects the highest bits of eight bytes in one byte.
inline std::uint64_t top_bits(std::uint64_t bytes) noexcept {
  // One multiplication moves the bits next to each other.
  return ((bytes & byte_tops) >> 7) * 0x0102040810204080U >> 56;
}

/// For each value of a byte, the positions of its set bits.
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

#if NEARDUP_X86_KERNELS
NEARDUP_KERNELS_BEGIN

/// Writes `base` plus the position of each set bit of `mask` to `out`, by a table for eight bits at a time, without a
/// branch. Precondition: `out` has room for 71 numbers. Returns: the number of set bits.
NEARDUP_TARGET_AVX2 inline std::size_t bit_positions_avx2(std::uint64_t mask, std::uint32_t base,
                                                          std::uint32_t* out) noexcept {
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

alignas(64) inline constexpr std::array<std::uint8_t, 64> byte_indices = [] {
  std::array<std::uint8_t, 64> indices{};
  for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = static_cast<std::uint8_t>(i);
  return indices;
}();

/// bit_positions_avx2 by AVX-512: VPCOMPRESSB collects the indices of set bits, VPMOVZXBD widens them. Returns: the
/// number of set bits.
NEARDUP_TARGET_AVX512 inline std::size_t bit_positions_avx512(std::uint64_t mask, std::uint32_t base,
                                                              std::uint32_t* out) noexcept {
  const __m512i positions = _mm512_maskz_compress_epi8(mask, _mm512_load_si512(byte_indices.data()));
  const auto count = static_cast<std::size_t>(std::popcount(mask));
  const __m512i offset = _mm512_set1_epi32(static_cast<int>(base));
  const auto write = [&](std::size_t i, __m128i part) NEARDUP_AVX512_LAMBDA {
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

NEARDUP_KERNELS_END
#endif  // NEARDUP_X86_KERNELS

// ---- which bytes belong to words ------------------------------------------------------------------------------------

/// Masks of the bytes that Latin-1 characters of a block are made of. Most blocks have no such characters, so these
/// masks are computed only if needed. at_XX: bytes of value XX.
struct latin_values {
  std::uint64_t continuation, c2, c3;
  std::uint64_t letters;  // second bytes that form a letter with C2; none has a lower case
  std::uint64_t at_97, at_b7, at_ad;
  std::uint64_t upper;  // second bytes that form an upper-case letter with C3
};

/// The classification of a block as masks.
struct character_masks {
  std::uint64_t word;  // bytes of letters other than Han
  std::uint64_t han_leads;
  std::uint64_t han;    // bytes of U+4E00 to U+9FFF, and of U+4000 to U+4DBF
  std::uint64_t upper;  // bytes that become lower case by adding 0x20
  std::uint64_t known;  // bytes of the characters that the masks cover: those of the masks above, and known separators

  /// Adds characters of three bytes to the masks of ASCII. `of_three`: lead bytes that two continuation bytes follow.
  /// Where `of_three` is set, `three` tells whether the character is Han or a known separator, and `han_here` whether
  /// it is Han.
  NEARDUP_ALWAYS_INLINE void add_three(std::uint64_t three, std::uint64_t han_here, std::uint64_t of_three) noexcept {
    han_leads = han_here & of_three;
    han = han_leads | han_leads << 1 | han_leads << 2;
    three &= of_three;
    known |= three | three << 1 | three << 2;
  }

  /// Adds Latin-1 characters to the masks, except the soft hyphen, which is ignored in words.
  NEARDUP_ALWAYS_INLINE void add_latin(const latin_values& is) noexcept {
    const std::uint64_t of_two = is.continuation >> 1;                        // lead bytes with a continuation byte
    const std::uint64_t c3 = is.c3 & of_two & ~((is.at_97 | is.at_b7) >> 1);  // not U+00D7, U+00F7
    const std::uint64_t words = c3 | (is.c2 & of_two & is.letters >> 1);
    word |= words | words << 1;
    upper |= c3 << 1 & is.upper;
    const std::uint64_t two = ((is.c2 & ~(is.at_ad >> 1)) | is.c3) & of_two;
    known |= two | two << 1;
  }

  /// The number of bytes before the first character that the masks do not cover; at most `size`.
  [[nodiscard]] NEARDUP_ALWAYS_INLINE std::size_t known_bytes(std::uint64_t continuation,
                                                              std::size_t size) const noexcept {
    // In a whole block the last character is not counted, because it may continue in the next block.
    if (size == text_block_size) size = static_cast<std::size_t>(63 - std::countl_zero(~continuation | 1U));
    const std::uint64_t unknown = ~known & low_mask(size);
    if (unknown != 0) [[unlikely]] {
      size = static_cast<std::size_t>(std::countr_zero(unknown));
      NEARDUP_SCALAR(size);  // forces a branch, so that the next block does not wait for this result
    }
    return size;
  }
};

/// Computes the masks for ASCII, eight bytes at a time, and for Chinese, character by character. `upper` stays 0.
/// Returns: the number of bytes before the first character that the masks do not cover; at most `size`.
/// Precondition: 64 bytes are readable; bytes from `size` on are 0.
inline std::size_t find_masks_portable(const char* text, std::size_t size, character_masks& masks) noexcept {
  masks = {};
  for (std::size_t i = 0; i < 8; ++i) {
    const std::uint64_t x = load_little_endian(text + 8 * i);
    // The highest bits are cleared, so adding a constant to all bytes carries into no other byte. The highest bit of a
    // sum tells whether the byte is at least `c`.
    const std::uint64_t low = x & ~byte_tops;
    const std::uint64_t lower = low | byte_ones * 0x20;
    const auto at_least = [&](std::uint64_t bytes, unsigned char c) { return bytes + byte_ones * (0x80U - c); };
    const std::uint64_t digit = at_least(low, '0') & ~at_least(low, '9' + 1);
    const std::uint64_t letter = at_least(lower, 'a') & ~at_least(lower, 'z' + 1);
    masks.word |= top_bits((digit | letter) & ~x) << (8 * i);
    masks.known |= top_bits(~x) << (8 * i);
  }
  for (std::uint64_t unknown = ~masks.known; unknown != 0; unknown = ~masks.known) {
    const auto i = static_cast<std::size_t>(std::countr_zero(unknown));
    // The last character may continue in the next block.
    if (i > text_block_size - 3) return (std::min)(i, size);
    const auto byte = [&](std::size_t j) { return std::uint32_t{static_cast<unsigned char>(text[i + j])}; };
    const std::uint32_t bytes = byte(0) << 16 | byte(1) << 8 | byte(2);
    // U+4E00 to U+9FBF. Computed without a branch, which punctuation among Han characters would make unpredictable.
    const bool is_han = bytes - 0xe4b880U <= 0xe9bebfU - 0xe4b880U && (bytes & 0xc0c0U) == 0x8080U;
    // Separators: U+2000 to U+203F except ignored characters and the pictograph U+203C; U+3000 to U+3004 and U+3008 to
    // U+3020; and U+FF00 to U+FF3F except digits and letters.
    const auto is_in = [&](std::uint32_t least, std::uint32_t most) { return bytes - least <= most - least; };
    const bool is_between =
        (is_in(0xe28080, 0xe280bf) && !is_in(0xe2808b, 0xe2808f) && !is_in(0xe280aa, 0xe280ae) && bytes != 0xe280bc) ||
        is_in(0xe38080, 0xe38084) || is_in(0xe38088, 0xe380a0) || is_in(0xefbc80, 0xefbc8f) ||
        is_in(0xefbc9a, 0xefbca0) || is_in(0xefbcbb, 0xefbcbf);
    if (!is_han && !is_between) return (std::min)(i, size);
    masks.han_leads |= std::uint64_t{is_han} << i;
    masks.han |= (is_han ? std::uint64_t{7} : 0) << i;
    masks.known |= std::uint64_t{7} << i;
  }
  return size;
}

#if NEARDUP_X86_KERNELS
NEARDUP_KERNELS_BEGIN

/// Entry i is 0xff if U+0080 + i, whose lead byte is C2, is a letter, and 0 otherwise.
alignas(64) inline constexpr std::array<std::uint8_t, 64> latin_letters = [] {
  std::array<std::uint8_t, 64> result{};
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] = classify(static_cast<char32_t>(0x80 + i)) == character_class::letter ? 0xff : 0;
  }
  return result;
}();

/// find_masks_portable by AVX2. The masks also cover Latin-1; `upper` has only upper-case letters beyond ASCII.
/// Returns: the number of bytes before the first character that the masks do not cover; at most `size`.
NEARDUP_TARGET_AVX2 inline std::size_t find_masks_avx2(const char* text, std::size_t size,
                                                       character_masks& masks) noexcept {
  const __m256i first = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text));
  const __m256i second = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text + 32));
  const auto bits = [](__m256i low, __m256i high) NEARDUP_AVX2_LAMBDA {
    const std::uint64_t upper_half = static_cast<std::uint32_t>(_mm256_movemask_epi8(high));
    return static_cast<std::uint32_t>(_mm256_movemask_epi8(low)) | upper_half << 32;
  };
  const auto is_in = [](__m256i bytes, unsigned char least, unsigned char most) NEARDUP_AVX2_LAMBDA {
    const __m256i offset = _mm256_sub_epi8(bytes, _mm256_set1_epi8(static_cast<char>(least)));
    return _mm256_cmpeq_epi8(_mm256_min_epu8(offset, _mm256_set1_epi8(static_cast<char>(most - least))), offset);
  };
  const auto is_word = [&](__m256i bytes) NEARDUP_AVX2_LAMBDA {
    const __m256i letter = is_in(_mm256_or_si256(bytes, _mm256_set1_epi8(0x20)), 'a', 'z');
    return _mm256_or_si256(letter, is_in(bytes, '0', '9'));
  };
  masks = {bits(is_word(first), is_word(second)), 0, 0, 0, ~bits(first, second)};
  if (masks.known == ~std::uint64_t{0}) return size;
  const auto equal = [&](unsigned char value) NEARDUP_AVX2_LAMBDA {
    const __m256i values = _mm256_set1_epi8(static_cast<char>(value));
    return bits(_mm256_cmpeq_epi8(first, values), _mm256_cmpeq_epi8(second, values));
  };
  const auto range = [&](unsigned char least, unsigned char most)
                         NEARDUP_AVX2_LAMBDA { return bits(is_in(first, least, most), is_in(second, least, most)); };
  const __m256i min_lead = _mm256_set1_epi8(-0x40);
  const std::uint64_t continuation = bits(_mm256_cmpgt_epi8(min_lead, first), _mm256_cmpgt_epi8(min_lead, second));
  // Separators: U+2000 to U+203F except ignored characters and a pictograph; U+3000 to U+303F and U+FF00 to U+FF3F
  // except digits and letters.
  const std::uint64_t second_80 = equal(0x80) >> 1;
  const std::uint64_t ideographic = range(0x80, 0x84) | range(0x88, 0xa0);
  const std::uint64_t wide = range(0x90, 0x99) | range(0xa1, 0xba);
  const std::uint64_t han = range(0xe4, 0xe9) & ~(equal(0xe4) & equal(0xb7) >> 1);
  std::uint64_t general = equal(0xe2) & second_80;
  if (general != 0) general &= ~((range(0x8b, 0x8f) | range(0xaa, 0xae) | equal(0xbc)) >> 2);
  const std::uint64_t three =
      general | (equal(0xe3) & second_80 & ideographic >> 2) | (equal(0xef) & equal(0xbc) >> 1 & ~(wide >> 2));
  masks.add_three(three | han, han, continuation >> 1 & continuation >> 2);
  const std::uint64_t c2 = equal(0xc2);
  const std::uint64_t c3 = equal(0xc3);
  if ((c2 | c3) != 0) {
    std::uint64_t letters = 0;
    for (std::uint64_t left = c2 << 1; left != 0; left &= left - 1) {
      const int i = std::countr_zero(left);
      letters |= std::uint64_t{latin_letters[static_cast<unsigned char>(text[i]) & 0x3fU] & 1U} << i;
    }
    masks.add_latin({continuation, c2, c3, letters, equal(0x97), equal(0xb7), equal(0xad), range(0x80, 0x9e)});
  }
  return masks.known_bytes(continuation, size);
}

/// Loads the first `size` bytes of a text, at most a block, followed by zeros. A whole block is loaded without a mask,
/// because on a Zen 5 a masked load waits for earlier stores.
NEARDUP_TARGET_AVX512 inline __m512i load_block_avx512(const char* text, std::size_t size) noexcept {
  return size < text_block_size ? _mm512_maskz_loadu_epi8(low_mask(size), text) : _mm512_loadu_si512(text);
}

/// The masks of a block for its ASCII characters, by AVX-512.
NEARDUP_TARGET_AVX512 inline character_masks ascii_masks_avx512(__m512i bytes) noexcept {
  const auto below = [&](__m512i from, char first, char count) NEARDUP_AVX512_LAMBDA {
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
NEARDUP_ALWAYS_INLINE NEARDUP_TARGET_AVX512 std::size_t add_multibyte_avx512(__m512i bytes, std::size_t size,
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
    const auto equal = [&](unsigned char value) NEARDUP_AVX512_LAMBDA {
      return std::uint64_t{_mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(static_cast<char>(value)))};
    };
    const __m512i upper = _mm512_sub_epi8(bytes, _mm512_set1_epi8(static_cast<char>(0x80)));
    const __m512i letters = _mm512_permutexvar_epi8(bytes, _mm512_load_si512(latin_letters.data()));
    masks.add_latin({continuation, equal(0xc2), equal(0xc3), _mm512_movepi8_mask(letters), equal(0x97), equal(0xb7),
                     equal(0xad), _mm512_cmple_epu8_mask(upper, _mm512_set1_epi8(0x1e))});
  }
  return masks.known_bytes(continuation, size);
}

NEARDUP_KERNELS_END
#endif  // NEARDUP_X86_KERNELS

// ---- texts, block by block ------------------------------------------------------------------------------------------

/// Whether the text of `left` bytes at `at` begins with a soft hyphen.
NEARDUP_ALWAYS_INLINE bool is_soft_hyphen(const char* at, std::size_t left) noexcept {
  return left > 1 && at[0] == '\xc2' && at[1] == '\xad';
}

/// The number of bytes to process one character at a time, where the masks do not cover the next character: `usual`,
/// because such characters rarely occur singly; but 1 for a soft hyphen, which does.
NEARDUP_ALWAYS_INLINE std::ptrdiff_t unknown_run(const char* at, std::ptrdiff_t left, std::ptrdiff_t usual) noexcept {
  if (left > 1 && is_soft_hyphen(at, static_cast<std::size_t>(left))) return 1;
  return left < usual ? left : usual;
}

/// Processes a block of the text of `cursor` after removing a soft hyphen from it. The masks cover the first `known`
/// bytes; the soft hyphen follows them.
template <class Cursor, class FindMasks>
NEARDUP_ALWAYS_INLINE void take_without_soft_hyphen(Cursor& cursor, std::size_t known,
                                                    const FindMasks& find_masks) noexcept {
  constexpr std::size_t hyphen = 2, room = text_block_size + text_block_margin;
  const auto left = static_cast<std::size_t>(cursor.end - cursor.at) - hyphen;
  char block[room] = {};
  std::memcpy(block, cursor.at, known);
  std::memcpy(block + known, cursor.at + known + hyphen, (left < room ? left : room) - known);
  character_masks masks;
  const std::size_t found = find_masks(block, left < text_block_size ? left : text_block_size, masks);
  // An ill-formed continuation byte behind the hyphen may look like a part of the character before it.
  const std::size_t size = found > known ? found : known;
  if (size > 0) take_block(cursor, block, size, masks);
  cursor.at += hyphen;
}

/// Processes the characters of the text of `cursor` that begin before `limit`. Calls take_block(cursor, ...) for the
/// characters that the masks of `find_masks(bytes, size, masks)` cover, and take_characters(cursor, limit) for the rest
/// of a block. `find_masks` is a template parameter because inlining it makes portable normalising 5 % faster.
template <class Cursor, class FindMasks>
NEARDUP_ALWAYS_INLINE void take_blocks_by_words(Cursor& cursor, const char* limit,
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
        take_without_soft_hyphen(cursor, known, find_masks);
        continue;
      }
    }
    if (known > 0) {
      take_block(cursor, bytes, known, masks);
    } else {
      take_characters(cursor, cursor.at + unknown_run(cursor.at, static_cast<std::ptrdiff_t>(left), text_block_size));
    }
  }
}

#if NEARDUP_X86_KERNELS
/// take_blocks_by_words with AVX2.
template <class Cursor>
NEARDUP_TARGET_AVX2 void take_blocks_avx2(Cursor& cursor, const char* limit) noexcept {
  take_blocks_by_words(cursor, limit, find_masks_avx2);
}
#endif

/// Processes the characters of the text of `cursor` that begin before `limit`, by the kernels of an instruction set.
/// With AVX-512, take_blocks_avx512(cursor, limit) processes the characters that its masks cover.
/// Precondition: the output has room for the result.
template <class Cursor>
void take_blocks(Cursor& cursor, const char* limit, instruction_set level) noexcept {
#if NEARDUP_X86_KERNELS
  if (has_avx512(level)) {
    for (;;) {
      take_blocks_avx512(cursor, limit);
      if (cursor.at >= limit) return;
      take_characters(cursor, cursor.at + unknown_run(cursor.at, limit - cursor.at, 24));
    }
  }
  if (has_avx2(level)) return take_blocks_avx2(cursor, limit);
#endif
  static_cast<void>(level);
  take_blocks_by_words(cursor, limit, find_masks_portable);
}

}  // namespace neardup::inline v0::detail
