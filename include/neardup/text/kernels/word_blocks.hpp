// Which bytes of a text are ASCII letters and digits, 64 bytes at a time. With the edges of the words that follow from
// it: 1.0 cycles a byte with AVX-512, 1.4 with AVX2, 2.2 portable.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../../detail/bytes.hpp"
#include "../../instruction_set.hpp"
#include "text_blocks.hpp"

namespace neardup::inline v0::detail {

/// A block of 64 bytes, the first lowest.
struct word_block {
  std::uint64_t word;   // bytes that are ASCII letters or digits
  std::uint64_t other;  // bytes beyond ASCII
};

/// The reference: eight bytes at a time in a word. Precondition: 64 * count bytes may be read.
inline void classify_blocks_portable(const char* text, std::size_t count, word_block* blocks) noexcept {
  // The top bit of each byte to 8 adjacent bits, the first byte lowest.
  const auto gather = [](std::uint64_t x) { return ((x & byte_tops) >> 7) * 0x0102040810204080U >> 56; };
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
      block.word |= gather((digit | letter) & ~x) << (8 * i);
      block.other |= gather(x) << (8 * i);
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

}  // namespace neardup::inline v0::detail
