// Texts in blocks of 64 bytes: one bit for each byte in a word.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "../../instruction_set.hpp"

namespace neardup::inline v0::detail {

inline constexpr std::size_t text_block_size = 64;

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

}  // namespace neardup::inline v0::detail
