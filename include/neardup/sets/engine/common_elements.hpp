// SPDX-License-Identifier: MIT
// Compares two sorted sets, and counts their common elements. Most of the time of verifying candidates is spent here.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "../../detail/bits.hpp"
#include "../../instruction_set.hpp"
#include "../../simd/forms.hpp"

namespace neardup::inline v0::detail {

/// A position in each of two sorted sets, and the number of common elements before the two positions.
struct common_count {
  std::size_t i = 0, j = 0, common = 0;
};

/// Returns at.common plus the number of common elements at the positions `at` and later. The result may be any number
/// below `least` if the total is below `least`. This is the reference implementation.
template <class A, class B>
std::size_t count_common_portable(std::span<const A> a, std::span<const B> b, std::size_t least,
                                  common_count at = {}) noexcept {
  std::size_t i = at.i, j = at.j, common = at.common;
  // No processor can predict which of two hashes is smaller. So the loop advances both positions without branches.
  const auto step = [&] {
    const bool in_a = !(b[j] < a[i]), in_b = !(a[i] < b[j]);
    common += static_cast<std::size_t>(in_a && in_b);
    i += static_cast<std::size_t>(in_a);
    j += static_cast<std::size_t>(in_b);
  };
  constexpr std::size_t stride = 32;  // loop iterations between two tests of whether `least` is in reach
  while (a.size() - i >= stride && b.size() - j >= stride) {
    if (common + (std::min)(a.size() - i, b.size() - j) < least) return common;
    for (std::size_t steps = 0; steps < stride; ++steps) step();
  }
  while (i < a.size() && j < b.size()) step();
  return common;
}

/// True for the types of elements that the vector kernels compare.
template <class A, class B>
concept vector_elements = std::is_same_v<A, std::uint32_t> && std::is_same_v<B, std::uint32_t>;

template <class A, class B>
constexpr auto count_common_of(portable_form) noexcept {
  return [](std::span<const A> a, std::span<const B> b, std::size_t least) noexcept {
    return count_common_portable(a, b, least);
  };
}

#if NEARDUP_X86_KERNELS

NEARDUP_AVX2_BEGIN

/// Counts the common elements with AVX2. Each iteration compares eight elements of one set with eight elements of the
/// other set, all with all. Then the set whose eighth element is smaller advances by eight elements. AVX-512 would
/// compare 16 with 16, which is slower: it doubles the number of comparisons per element.
inline std::size_t count_common_avx2(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                                     std::size_t least) noexcept {
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
    const auto same = [&](__m256i other) { return _mm256_cmpeq_epi32(x, other); };
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
NEARDUP_END

template <class A, class B>
  requires vector_elements<A, B>
constexpr auto count_common_of(avx2_form) noexcept { return count_common_avx2; }

#endif  // NEARDUP_X86_KERNELS

#if NEARDUP_NEON_KERNELS

/// Counts the common elements with NEON. Each iteration compares four elements of one set with four elements of the
/// other set, all with all. Then the set whose fourth element is smaller advances by four elements.
inline std::size_t count_common_neon(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                                     std::size_t least) noexcept {
  constexpr std::size_t lanes = 4;
  constexpr std::size_t stride = 8;  // loop iterations between two tests of whether `least` is in reach
  const std::uint32_t* i = a.data();
  const std::uint32_t* j = b.data();
  const std::uint32_t* const a_end = i + a.size();
  const std::uint32_t* const b_end = j + b.size();
  std::size_t common = 0;
  uint32x4_t found = vdupq_n_u32(0);
  const auto step = [&] {
    const uint32x4_t x = vld1q_u32(i), y = vld1q_u32(j);
    const uint32x4_t even = vorrq_u32(vceqq_u32(x, y), vceqq_u32(x, vextq_u32(y, y, 2)));
    const uint32x4_t odd = vorrq_u32(vceqq_u32(x, vextq_u32(y, y, 1)), vceqq_u32(x, vextq_u32(y, y, 3)));
    found = vsubq_u32(found, vorrq_u32(even, odd));
    const std::uint32_t last_a = i[lanes - 1], last_b = j[lanes - 1];
    const bool in_a = !(last_b < last_a), in_b = !(last_a < last_b);
    std::size_t steps_a{in_a}, steps_b{in_b};
    NEARDUP_SCALAR(steps_a);  // prevents a branch, which could not be predicted
    NEARDUP_SCALAR(steps_b);
    i += lanes * steps_a;
    j += lanes * steps_b;
  };
  const auto left = [&] {
    return (std::min)(static_cast<std::size_t>(a_end - i), static_cast<std::size_t>(b_end - j));
  };
  while (left() >= stride * lanes) {
    if (common + left() < least) return common;
    for (std::size_t steps = 0; steps < stride; ++steps) step();
    common += vaddvq_u32(found);
    found = vdupq_n_u32(0);
  }
  while (a_end - i >= static_cast<std::ptrdiff_t>(lanes) && b_end - j >= static_cast<std::ptrdiff_t>(lanes)) step();
  common += vaddvq_u32(found);
  return count_common_portable(
      a, b, least, {static_cast<std::size_t>(i - a.data()), static_cast<std::size_t>(j - b.data()), common});
}

template <class A, class B>
  requires vector_elements<A, B>
constexpr auto count_common_of(neon_form) noexcept { return count_common_neon; }

#endif  // NEARDUP_NEON_KERNELS

/// Returns the Jaccard similarity of two sets that have `a` and `b` elements, and an overlap of `common` elements.
inline double jaccard_of_sizes(std::size_t a, std::size_t b, std::size_t common) noexcept {
  const std::size_t all = a + b - common;
  return all == 0 ? 0.0 : static_cast<double>(common) / static_cast<double>(all);
}

/// Orders sets by size. Sets of one size are ordered by the first element that differs.
template <class Feature>
[[nodiscard]] std::strong_ordering compare_sets(std::span<const Feature> a, std::span<const Feature> b) noexcept {
  if (a.size() != b.size()) return a.size() <=> b.size();
  if (a.data() == b.data()) return std::strong_ordering::equal;
  const auto [x, y] = std::mismatch(a.begin(), a.end(), b.begin());
  return x != a.end() ? *x <=> *y : std::strong_ordering::equal;
}

/// Counts the common elements of a small set `few` and a large set `many`. Each element of `few` is searched in `many`
/// by galloping search: strides of doubling length, then bisection. The result may be any number below `least` if the
/// count is below `least`.
/// Complexity: O(|few| * log(|many| / |few|)).
template <class A, class B>
std::size_t count_common_galloping(std::span<const A> few, std::span<const B> many, std::size_t least) noexcept {
  std::size_t j = 0, common = 0;  // invariant: many[j - 1] < few[i]
  for (std::size_t i = 0; i < few.size() && j < many.size(); ++i) {
    if (common + (few.size() - i) < least) return common;
    std::size_t step = 1;
    for (; step < many.size() - j && many[j + step] < few[i]; step *= 2) j += step;
    const auto begin = many.begin() + static_cast<std::ptrdiff_t>(j);
    const auto end = many.begin() + static_cast<std::ptrdiff_t>((std::min)(many.size(), j + step + 1));
    j = static_cast<std::size_t>(std::lower_bound(begin, end, few[i]) - many.begin());
    if (j == many.size() || few[i] < many[j]) continue;
    ++common;
    ++j;
  }
  return common;
}

/// Counts the common elements of two sorted sets. The result may be any number below `least` if the count is below
/// `least`.
template <class A, class B>
std::size_t count_common(std::span<const A> a, std::span<const B> b, std::size_t least) noexcept {
  constexpr std::size_t much = 256;  // above this ratio of sizes, galloping search is faster
  if (a.size() / much > b.size()) return count_common_galloping(b, a, least);
  if (b.size() / much > a.size()) return count_common_galloping(a, b, least);
  return choose_form(active_instruction_set(), [&](auto form) { return count_common_of<A, B>(form)(a, b, least); });
}

}  // namespace neardup::inline v0::detail
