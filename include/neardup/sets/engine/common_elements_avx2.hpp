// SPDX-License-Identifier: MIT
// Counts the common elements of two sorted sets by AVX2.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "../../detail/instructions.hpp"
#include "common_elements_portable.hpp"

#if NEARDUP_X86_KERNELS

namespace neardup::inline v0::detail {

NEARDUP_KERNELS_BEGIN

/// The number of common elements by AVX2. Compares eight elements of one set with eight of the other, each with each.
/// Then advances in the set whose eight elements have the smaller last one. 16 lanes of AVX-512 would double the
/// comparisons per element, which is slower.
NEARDUP_TARGET_AVX2 inline std::size_t count_common_avx2(std::span<const std::uint32_t> a,
                                                         std::span<const std::uint32_t> b, std::size_t least) noexcept {
  constexpr std::size_t lanes = 8;
  const __m256i turn = _mm256_setr_epi32(1, 2, 3, 4, 5, 6, 7, 0);
  const __m256i turn2 = _mm256_permutevar8x32_epi32(turn, turn);
  const __m256i turn3 = _mm256_permutevar8x32_epi32(turn2, turn);
  common_count at;
  while (a.size() - at.i >= lanes && b.size() - at.j >= lanes) {
    if (at.common + (std::min)(a.size() - at.i, b.size() - at.j) < least) return at.common;
    const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(a.data() + at.i));
    const __m256i y = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b.data() + at.j));
    const __m256i z = _mm256_permute2x128_si256(y, y, 1);
    const auto same = [&](__m256i other) NEARDUP_AVX2_LAMBDA { return _mm256_cmpeq_epi32(x, other); };
    const __m256i low = _mm256_or_si256(
        _mm256_or_si256(same(y), same(_mm256_permutevar8x32_epi32(y, turn))),
        _mm256_or_si256(same(_mm256_permutevar8x32_epi32(y, turn2)), same(_mm256_permutevar8x32_epi32(y, turn3))));
    const __m256i high = _mm256_or_si256(
        _mm256_or_si256(same(z), same(_mm256_permutevar8x32_epi32(z, turn))),
        _mm256_or_si256(same(_mm256_permutevar8x32_epi32(z, turn2)), same(_mm256_permutevar8x32_epi32(z, turn3))));
    const int found = _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_or_si256(low, high)));
    at.common += static_cast<std::size_t>(_mm_popcnt_u32(static_cast<unsigned>(found)));
    const std::uint32_t last_a = a[at.i + lanes - 1];
    const std::uint32_t last_b = b[at.j + lanes - 1];
    at.i += last_a <= last_b ? lanes : 0;
    at.j += last_b <= last_a ? lanes : 0;
  }
  return count_common_portable(a, b, least, at);
}

template <class A, class B>
  requires vector_elements<A, B>
constexpr auto count_common_of(avx2_form) noexcept { return count_common_avx2; }

NEARDUP_KERNELS_END

}  // namespace neardup::inline v0::detail

#endif  // NEARDUP_X86_KERNELS
