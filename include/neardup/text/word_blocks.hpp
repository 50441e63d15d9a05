// Which bytes of a text are ASCII letters and digits, 64 bytes at a time.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "../detail/instruction_set.hpp"

namespace neardup::inline v0::detail {

/// A block of 64 bytes, the first lowest.
struct word_block {
  std::uint64_t word;   // bytes that are ASCII letters or digits
  std::uint64_t other;  // bytes beyond ASCII
};

inline constexpr std::size_t word_block_size = 64;

/// The reference: eight bytes at a time in a word. Precondition: 64 * count bytes may be read.
inline void classify_blocks_portable(const char* text, std::size_t count, word_block* blocks) noexcept {
  constexpr std::uint64_t ones = 0x0101010101010101U;
  constexpr std::uint64_t tops = ones << 7;
  // The top bit of each byte to 8 adjacent bits, the first byte lowest.
  const auto gather = [](std::uint64_t x) { return ((x & tops) >> 7) * 0x0102040810204080U >> 56; };
  for (std::size_t b = 0; b < count; ++b) {
    word_block block{0, 0};
    for (std::size_t i = 0; i < 8; ++i) {
      std::uint64_t x;
      std::memcpy(&x, text + word_block_size * b + 8 * i, sizeof x);
      if constexpr (std::endian::native == std::endian::big) {
        std::uint64_t reversed = 0;
        for (int j = 0; j < 8; ++j) reversed |= (x >> (8 * j) & 0xffU) << (56 - 8 * j);
        x = reversed;
      }
      // Without top bits, sums of a byte and a constant do not carry into the next: the top bit says "at least".
      const std::uint64_t low = x & ~tops;
      const std::uint64_t lower = low | ones * 0x20;
      const auto at_least = [&](std::uint64_t bytes, unsigned char c) { return bytes + ones * (0x80U - c); };
      const std::uint64_t digit = at_least(low, '0') & ~at_least(low, '9' + 1);
      const std::uint64_t letter = at_least(lower, 'a') & ~at_least(lower, 'z' + 1);
      block.word |= gather((digit | letter) & ~x) << (8 * i);
      block.other |= gather(x) << (8 * i);
    }
    blocks[b] = block;
  }
}

#if NEARDUP_X86_KERNELS
NEARDUP_KERNELS_BEGIN

#define NEARDUP_AVX2_LAMBDA __attribute__((always_inline, target("avx2,bmi,bmi2,popcnt")))

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
          _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text + word_block_size * b + 32 * half));
      const __m256i letter = below(_mm256_or_si256(bytes, _mm256_set1_epi8(0x20)), 'a', 26);
      block.word |= bits(_mm256_or_si256(letter, below(bytes, '0', 10))) << (32 * half);
      block.other |= bits(bytes) << (32 * half);
    }
    blocks[b] = block;
  }
}

#undef NEARDUP_AVX2_LAMBDA

/// The same with AVX-512: a comparison gives the mask of 64 bytes at once.
NEARDUP_TARGET_AVX512 inline void classify_blocks_avx512(const char* text, std::size_t count,
                                                         word_block* blocks) noexcept {
  for (std::size_t b = 0; b < count; ++b) {
    const __m512i bytes = _mm512_loadu_si512(text + word_block_size * b);
    const __m512i lower = _mm512_or_si512(bytes, _mm512_set1_epi8(0x20));
    const __mmask64 letter =
        _mm512_cmplt_epu8_mask(_mm512_sub_epi8(lower, _mm512_set1_epi8('a')), _mm512_set1_epi8(26));
    const __mmask64 digit = _mm512_cmplt_epu8_mask(_mm512_sub_epi8(bytes, _mm512_set1_epi8('0')), _mm512_set1_epi8(10));
    blocks[b] = {letter | digit, _mm512_movepi8_mask(bytes)};
  }
}

/// Appends the positions of the set bits of `mask`, from `base` on, to `out`, which has room for 64.
/// VPCOMPRESSB gathers the indices of set bits, and VPMOVZXBD widens them. Returns: how many there are.
NEARDUP_TARGET_AVX512 inline std::size_t bit_positions_avx512(std::uint64_t mask, std::uint32_t base,
                                                              std::uint32_t* out) noexcept {
  alignas(64) static constexpr std::uint8_t iota[64] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                                        16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
                                                        32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
                                                        48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
  const __m512i positions = _mm512_maskz_compress_epi8(mask, _mm512_load_si512(iota));
  const auto count = static_cast<std::size_t>(std::popcount(mask));
  const __m512i offset = _mm512_set1_epi32(static_cast<int>(base));
  _mm512_storeu_si512(out, _mm512_add_epi32(_mm512_cvtepu8_epi32(_mm512_castsi512_si128(positions)), offset));
  if (count > 16) {  // at most 32: words are at least one byte apart
    _mm512_storeu_si512(out + 16,
                        _mm512_add_epi32(_mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(positions, 1)), offset));
  }
  return count;
}

NEARDUP_KERNELS_END
#endif  // NEARDUP_X86_KERNELS

}  // namespace neardup::inline v0::detail
