// SPDX-License-Identifier: MIT
// Masks of blocks of 64 bytes, the functions that process texts by such masks, and their portable form. A mask has one
// bit per byte; the bit of the first byte is the lowest.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "../../detail/bits.hpp"
#include "../../detail/bytes.hpp"
#include "../../simd/forms.hpp"
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

/// Writes `base` plus the position of each set bit of `mask` to `out`. Returns: the number of set bits.
NEARDUP_ALWAYS_INLINE std::size_t bit_positions_portable(std::uint64_t mask, std::uint32_t base,
                                                         std::uint32_t* out) noexcept {
  std::size_t count = 0;
  for (; mask != 0; mask &= mask - 1) out[count++] = base + static_cast<std::uint32_t>(std::countr_zero(mask));
  return count;
}
constexpr auto bit_positions_of(portable_form) noexcept { return bit_positions_portable; }

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
  std::uint64_t known;  // bytes of characters that have a bit in a mask above, and of known separators

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
NEARDUP_ALWAYS_INLINE std::size_t find_masks_portable(const char* text, std::size_t size,
                                                      character_masks& masks) noexcept {
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

/// Entry i is 0xff if U+0080 + i, whose lead byte is C2, is a letter, and 0 otherwise.
alignas(64) inline constexpr std::array<std::uint8_t, 64> latin_letters = [] {
  std::array<std::uint8_t, 64> result{};
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] = classify(static_cast<char32_t>(0x80 + i)) == character_class::letter ? 0xff : 0;
  }
  return result;
}();

// ---- texts, block by block ------------------------------------------------------------------------------------------

/// Returns true if the text of `left` bytes at `at` begins with a soft hyphen.
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
  // An ill-formed continuation byte behind the hyphen may look like a part of the character before it.
  const std::size_t size = found > known ? found : known;
  if (size > 0) take_block(form, cursor, block, size, masks);
  cursor.at += hyphen;
}

/// Processes the characters of the text of `cursor` that begin before `limit`. Calls take_block(form, cursor, ...) for the
/// characters that the masks of `find_masks(bytes, size, masks)` cover, and take_characters(cursor, limit) for the rest
/// of a block. `find_masks` is a template parameter because inlining it makes portable normalising 5 % faster.
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

template <class Cursor>
void take_blocks_portable(Cursor& cursor, const char* limit) noexcept {
  take_blocks_by_words(portable_form{}, cursor, limit, find_masks_portable);
}

template <class Cursor>
constexpr auto take_blocks_of(portable_form) noexcept {
  return take_blocks_portable<Cursor>;
}

}  // namespace neardup::inline v0::detail
