// SPDX-License-Identifier: MIT
// Kernels that find the prefixes of sets.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "../../simd/forms.hpp"

namespace neardup::inline v0::detail {

/// Returns the number of counts below `limit`. This is the reference implementation.
/// Precondition: all counts are below 2^15.
inline std::size_t count_below_portable(std::span<const std::uint16_t> counts, std::uint32_t limit) noexcept {
  std::size_t result = 0;
  for (const std::uint16_t count : counts) result += count < limit ? 1 : 0;
  return result;
}

/// Writes the keys to `to` in ascending order.
/// Precondition: the keys are below 2^63.
inline void sort_keys_portable(std::span<std::uint64_t> keys, std::uint64_t* to) {
  std::sort(keys.begin(), keys.end());
  std::copy(keys.begin(), keys.end(), to);
}

constexpr auto count_below_of(portable_form) noexcept { return count_below_portable; }
constexpr auto sort_keys_of(portable_form) noexcept { return sort_keys_portable; }

#if NEARDUP_X86_KERNELS

NEARDUP_AVX2_BEGIN

inline std::size_t count_below_avx2(std::span<const std::uint16_t> counts, std::uint32_t limit) noexcept {
  constexpr std::size_t lanes = 16;
  const __m256i limits = _mm256_set1_epi16(static_cast<short>(limit));
  std::size_t i = 0, bits = 0;
  for (; i + lanes <= counts.size(); i += lanes) {
    const __m256i some = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(counts.data() + i));
    const int below = _mm256_movemask_epi8(_mm256_cmpgt_epi16(limits, some));
    bits += static_cast<std::size_t>(_mm_popcnt_u32(static_cast<unsigned>(below)));
  }
  return bits / 2 + count_below_portable(counts.subspan(i), limit);
}

/// Sorts without branches: writes each key to the index that equals the number of smaller keys. To find this number,
/// each key is compared with all keys, four at a time. Up to about 64 keys this sort is faster than the portable sort,
/// whose branches cannot be predicted.
inline void sort_keys_avx2(std::span<std::uint64_t> keys, std::uint64_t* to) {
  constexpr std::size_t most = 64, lanes = 4;
  if (keys.size() > most) return sort_keys_portable(keys, to);
  alignas(32) std::uint64_t padded[most];
  const std::size_t rows = (keys.size() + lanes - 1) / lanes;
  for (std::size_t i = 0; i < rows * lanes; ++i) padded[i] = i < keys.size() ? keys[i] : ~std::uint64_t{0} >> 1;
  for (std::size_t i = 0; i < keys.size(); ++i) to[i] = ~std::uint64_t{0};
  for (const std::uint64_t key : keys) {
    const __m256i own = _mm256_set1_epi64x(static_cast<long long>(key));
    __m256i smaller = _mm256_setzero_si256();
    for (std::size_t row = 0; row < rows; ++row) {
      const __m256i some = _mm256_load_si256(reinterpret_cast<const __m256i*>(padded + row * lanes));
      smaller = _mm256_sub_epi64(smaller, _mm256_cmpgt_epi64(own, some));
    }
    const __m128i sum = _mm_add_epi64(_mm256_castsi256_si128(smaller), _mm256_extracti128_si256(smaller, 1));
    to[static_cast<std::size_t>(_mm_cvtsi128_si64(sum) + _mm_extract_epi64(sum, 1))] = key;
  }
  for (std::size_t i = 1; i < keys.size(); ++i) {
    if (to[i] == ~std::uint64_t{0}) to[i] = to[i - 1];  // equal keys leave gaps: fills these gaps
  }
}
NEARDUP_END

constexpr auto count_below_of(avx2_form) noexcept { return count_below_avx2; }
constexpr auto sort_keys_of(avx2_form) noexcept { return sort_keys_avx2; }

#endif  // NEARDUP_X86_KERNELS

#if NEARDUP_NEON_KERNELS

// There is no NEON version of sort_keys(). A NEON vector has only two keys, so comparing all pairs of keys would take
// more instructions than the portable sort.
inline std::size_t count_below_neon(std::span<const std::uint16_t> counts, std::uint32_t limit) noexcept {
  constexpr std::size_t lanes = 8;
  constexpr std::size_t most = lanes * 0xffff;  // a lane counts up to 2^16 - 1
  const uint16x8_t limits = vdupq_n_u16(static_cast<std::uint16_t>(limit));
  std::size_t result = 0;
  std::size_t i = 0;
  while (i + lanes <= counts.size()) {
    const std::size_t end = i + (std::min)(counts.size() - i, most) / lanes * lanes;
    uint16x8_t below = vdupq_n_u16(0);
    for (; i < end; i += lanes) below = vsubq_u16(below, vcltq_u16(vld1q_u16(counts.data() + i), limits));
    result += vaddlvq_u16(below);
  }
  return result + count_below_portable(counts.subspan(i), limit);
}

constexpr auto count_below_of(neon_form) noexcept { return count_below_neon; }

#endif  // NEARDUP_NEON_KERNELS

}  // namespace neardup::inline v0::detail
