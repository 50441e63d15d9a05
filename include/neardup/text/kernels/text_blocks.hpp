// Texts in blocks of 64 bytes: one bit per byte in a word, the first byte lowest.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "../../detail/bits.hpp"
#include "../../detail/bytes.hpp"
#include "../../detail/instructions.hpp"
#include "../unicode.hpp"

namespace neardup::inline v0::detail {

inline constexpr std::size_t text_block_size = 64;

/// The highest bit of each of eight bytes, in one byte.
inline std::uint64_t top_bits(std::uint64_t bytes) noexcept {
  // One product moves the bits side by side.
  return ((bytes & byte_tops) >> 7) * 0x0102040810204080U >> 56;
}

/// For each byte the positions of its set bits.
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

/// Writes the positions of the set bits of `mask`, from `base` on, to `out`, which has room for 71: always eight, so
/// that a branch decides once for eight of them. Returns: how many there are.
NEARDUP_TARGET_AVX2 inline std::size_t bit_positions_avx2(std::uint64_t mask, std::uint32_t base,
                                                          std::uint32_t* out) noexcept {
  const auto count = static_cast<std::size_t>(std::popcount(mask));
  for (std::size_t i = 0; i < count; i += 8) {
    for (std::size_t j = 0; j < 8; ++j) {
      out[i + j] = base + static_cast<std::uint32_t>(_tzcnt_u64(mask));
      mask &= mask - 1;
    }
  }
  return count;
}

/// The same as bit_positions_avx2, for masks of which many bits are set: by a table for eight at a time, without a
/// branch.
NEARDUP_TARGET_AVX2 inline std::size_t many_bit_positions_avx2(std::uint64_t mask, std::uint32_t base,
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

/// The same with AVX-512. VPCOMPRESSB gathers the indices of set bits, and VPMOVZXBD widens them. Returns: how many
/// there are.
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

// ---- which bytes are ASCII letters and digits -----------------------------------------------------------------------
// With the edges of the words that follow from it: 1.0 cycles per byte with AVX-512, 1.4 with AVX2, 2.2 portable.

/// A block of 64 bytes, the first lowest.
struct word_block {
  std::uint64_t word;   // bytes that are ASCII letters or digits
  std::uint64_t other;  // bytes beyond ASCII
};

/// The reference: eight bytes at a time in a word. Precondition: 64 * count bytes may be read.
inline void classify_blocks_portable(const char* text, std::size_t count, word_block* blocks) noexcept {
  for (std::size_t b = 0; b < count; ++b) {
    word_block block{0, 0};
    for (std::size_t i = 0; i < 8; ++i) {
      const std::uint64_t x = load_little_endian(text + text_block_size * b + 8 * i);
      // Without top bits, sums of a byte and a constant do not carry into the next: the top bit says "at least".
      const std::uint64_t low = x & ~byte_tops;
      const std::uint64_t lower = low | byte_ones * 0x20;
      const auto at_least = [&](std::uint64_t bytes, unsigned char c) { return bytes + byte_ones * (0x80U - c); };
      const std::uint64_t digit = at_least(low, '0') & ~at_least(low, '9' + 1);
      const std::uint64_t letter = at_least(lower, 'a') & ~at_least(lower, 'z' + 1);
      block.word |= top_bits((digit | letter) & ~x) << (8 * i);
      block.other |= top_bits(x) << (8 * i);
    }
    blocks[b] = block;
  }
}

#if NEARDUP_X86_KERNELS
NEARDUP_KERNELS_BEGIN

/// The same with AVX2: a range is tested by subtracting its begin and taking the minimum with its size.
NEARDUP_TARGET_AVX2 inline void classify_blocks_avx2(const char* text, std::size_t count, word_block* blocks) noexcept {
  const auto below = [](__m256i bytes, char begin, char size) NEARDUP_AVX2_LAMBDA {
    const __m256i offset = _mm256_sub_epi8(bytes, _mm256_set1_epi8(begin));
    return _mm256_cmpeq_epi8(_mm256_min_epu8(offset, _mm256_set1_epi8(static_cast<char>(size - 1))), offset);
  };
  const auto bits = [](__m256i bytes) NEARDUP_AVX2_LAMBDA {
    return std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(bytes))};
  };
  for (std::size_t b = 0; b < count; ++b) {
    word_block block{0, 0};
    for (int half = 0; half < 2; ++half) {
      const __m256i bytes =
          _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text + text_block_size * b + 32 * half));
      const __m256i letter = below(_mm256_or_si256(bytes, _mm256_set1_epi8(0x20)), 'a', 26);
      block.word |= bits(_mm256_or_si256(letter, below(bytes, '0', 10))) << (32 * half);
      block.other |= bits(bytes) << (32 * half);
    }
    blocks[b] = block;
  }
}

/// The same with AVX-512: a comparison gives the mask of 64 bytes at once.
NEARDUP_TARGET_AVX512 inline void classify_blocks_avx512(const char* text, std::size_t count,
                                                         word_block* blocks) noexcept {
  for (std::size_t b = 0; b < count; ++b) {
    const __m512i bytes = _mm512_loadu_si512(text + text_block_size * b);
    const __m512i lower = _mm512_or_si512(bytes, _mm512_set1_epi8(0x20));
    const __mmask64 letter =
        _mm512_cmplt_epu8_mask(_mm512_sub_epi8(lower, _mm512_set1_epi8('a')), _mm512_set1_epi8(26));
    const __mmask64 digit = _mm512_cmplt_epu8_mask(_mm512_sub_epi8(bytes, _mm512_set1_epi8('0')), _mm512_set1_epi8(10));
    blocks[b] = {letter | digit, _mm512_movepi8_mask(bytes)};
  }
}

NEARDUP_KERNELS_END
#endif  // NEARDUP_X86_KERNELS

inline void classify_blocks(const char* text, std::size_t count, word_block* blocks,
                            [[maybe_unused]] instruction_set level) noexcept {
#if NEARDUP_X86_KERNELS
  if (level == instruction_set::avx512) return classify_blocks_avx512(text, count, blocks);
  if (level == instruction_set::avx2) return classify_blocks_avx2(text, count, blocks);
#endif
  classify_blocks_portable(text, count, blocks);
}

#if NEARDUP_X86_KERNELS
NEARDUP_KERNELS_BEGIN

// ---- which bytes are of words, in ASCII, Latin-1 and Chinese, by AVX-512 --------------------------------------------

/// Which second bytes make a letter of lead byte C2, U+0080 to U+00BF: none of them has a lower case.
alignas(64) inline constexpr std::array<std::uint8_t, 64> latin_letters = [] {
  std::array<std::uint8_t, 64> result{};
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] = classify(static_cast<char32_t>(0x80 + i)) == character_class::letter ? 0xff : 0;
  }
  return result;
}();

/// A block as masks: a bit for each byte.
struct character_masks {
  std::uint64_t word;  // of letters that are not Han
  std::uint64_t han_leads;
  std::uint64_t han;    // of U+4E00 to U+9FFF, and what is below from U+4000
  std::uint64_t upper;  // those to which adding 0x20 gives the lower case
  std::uint64_t known;  // all of the characters above, and of separators
};

/// The masks of ASCII.
NEARDUP_TARGET_AVX512 inline character_masks ascii_masks_avx512(__m512i bytes) noexcept {
  const auto below = [&](__m512i from, char first, char count) NEARDUP_AVX512_LAMBDA {
    return std::uint64_t{
        _mm512_cmplt_epu8_mask(_mm512_sub_epi8(from, _mm512_set1_epi8(first)), _mm512_set1_epi8(count))};
  };
  const std::uint64_t letters = below(_mm512_or_si512(bytes, _mm512_set1_epi8(0x20)), 'a', 26);
  return {letters | below(bytes, '0', 10), 0, 0, below(bytes, 'A', 26), ~std::uint64_t{_mm512_movepi8_mask(bytes)}};
}

/// Adds the characters beyond ASCII that the masks can tell: Han, the punctuation beside it, and Latin-1.
/// Returns: how many of the first `size` bytes are of characters that the masks tell, up to the first other one.
NEARDUP_ALWAYS_INLINE NEARDUP_TARGET_AVX512 std::size_t add_multibyte_avx512(__m512i bytes, std::size_t size,
                                                                             character_masks& masks) noexcept {
  const auto equal = [&](unsigned char value) NEARDUP_AVX512_LAMBDA {
    return std::uint64_t{_mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(static_cast<char>(value)))};
  };
  const auto range = [&](unsigned char first, unsigned char last) NEARDUP_AVX512_LAMBDA {
    const __m512i offset = _mm512_sub_epi8(bytes, _mm512_set1_epi8(static_cast<char>(first)));
    return std::uint64_t{_mm512_cmple_epu8_mask(offset, _mm512_set1_epi8(static_cast<char>(last - first)))};
  };
  const std::uint64_t continuation = _mm512_cmplt_epi8_mask(bytes, _mm512_set1_epi8(-0x40));
  const std::uint64_t of_two = continuation >> 1;       // lead bytes that one continues
  const std::uint64_t of_three = of_two & of_two >> 1;  // that two continue
  const std::uint64_t han_leads = range(0xe4, 0xe9) & ~(equal(0xe4) & equal(0xb7) >> 1) & of_three;
  const std::uint64_t second_80 = equal(0x80) >> 1;
  // All from U+2000 to U+203F; of U+3000 to U+303F and U+FF00 to U+FF3F what no numbers and letters are.
  std::uint64_t separators = equal(0xe2) & second_80;
  separators |= equal(0xe3) & second_80 & (range(0x80, 0x84) | range(0x88, 0xa0)) >> 2;
  separators |= equal(0xef) & equal(0xbc) >> 1 & ~((range(0x90, 0x99) | range(0xa1, 0xba)) >> 2);
  separators &= of_three;
  const std::uint64_t three = han_leads | separators;
  masks.han_leads = han_leads;
  masks.han = han_leads | han_leads << 1 | han_leads << 2;
  masks.known |= three | three << 1 | three << 2;
  const std::uint64_t c3 = equal(0xc3) & of_two;
  const std::uint64_t c2 = equal(0xc2) & of_two;
  if ((c2 | c3) != 0) {
    const std::uint64_t multiplied = (equal(0x97) | equal(0xb7)) >> 1;  // U+00D7, U+00F7
    const __m512i letters = _mm512_permutexvar_epi8(bytes, _mm512_load_si512(latin_letters.data()));
    const std::uint64_t words = (c3 & ~multiplied) | (c2 & std::uint64_t{_mm512_movepi8_mask(letters)} >> 1);
    masks.word |= words | words << 1;
    masks.upper |= (c3 & ~multiplied) << 1 & range(0x80, 0x9e);
    masks.known |= (c2 | c3) | (c2 | c3) << 1;
  }
  // Not the last character of a whole block: it may go on in the next one.
  if (size == text_block_size) {
    const std::uint64_t begins = _mm512_cmpge_epi8_mask(bytes, _mm512_set1_epi8(-0x40));
    size = static_cast<std::size_t>(63 - std::countl_zero(begins | 1U));
  }
  const std::uint64_t unknown = ~masks.known & low_mask(size);
  return unknown == 0 ? size : static_cast<std::size_t>(std::countr_zero(unknown));
}

NEARDUP_KERNELS_END
#endif  // NEARDUP_X86_KERNELS

}  // namespace neardup::inline v0::detail
