// Compares filters with filters, many at a time, and tells which pairs differ in at most k bits.
//
// A filter is an unsigned integer of 32 or 64 bits, or all words of a fingerprint.
// Nearly all pairs are strangers, so the loops ask one question of 64 pairs at a time and branch on the answer.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "bits.hpp"
#include "instructions.hpp"
#include "wide_distances.hpp"

namespace neardup::inline v0::detail {

/// Two places in an array of filters.
struct filter_pair {
  std::size_t x, y;
};

/// Which filters are still to be compared: each of x..x_end with each of y_begin..y_end, or with those behind it. The
/// state of a join, too: one that has filled its buffer goes on where it stopped.
struct filter_join {
  std::size_t x, x_end;
  std::size_t y, y_begin, y_end;
  bool is_behind;

  /// Each of x..x_end with those behind it and before `end`. Precondition: x_end <= end.
  static constexpr filter_join within(std::size_t x, std::size_t x_end, std::size_t end) noexcept {
    return {x, x_end, x + 1, 0, end, true};
  }
  /// Each of x..x_end with each of y..y_end.
  static constexpr filter_join across(std::size_t x, std::size_t x_end, std::size_t y, std::size_t y_end) noexcept {
    return {x, x_end, y, y, y_end, false};
  }

  [[nodiscard]] constexpr bool is_done() const noexcept { return x >= x_end; }

  /// To the next x and the first y for it.
  constexpr void advance() noexcept {
    ++x;
    y = is_behind ? x + 1 : y_begin;
  }
};

/// The pairs that a kernel looks at in one step, and must have room for to take it.
inline constexpr std::size_t join_step = 64;

/// Appends the places of `places` whose bits are set in `hits` to `found`; gives the new count.
inline std::size_t append_hits(std::span<filter_pair> found, std::size_t count, std::size_t x, std::size_t y,
                               std::uint64_t hits) noexcept {
  for (; hits != 0; hits &= hits - 1) {
    found[count++] = {x, y + static_cast<std::size_t>(std::countr_zero(hits))};
  }
  return count;
}

/// Without the instruction that counts bits, which a default build for x86-64 lacks.
template <std::unsigned_integral Filter>
constexpr int portable_distance(Filter a, Filter b) noexcept {
  return portable_popcount(a ^ b);
}
template <std::size_t Words>
constexpr int portable_distance(const std::array<std::uint64_t, Words>& a,
                                const std::array<std::uint64_t, Words>& b) noexcept {
  int count = 0;
  for (std::size_t i = 0; i < Words; ++i) count += portable_popcount(a[i] ^ b[i]);
  return count;
}

/// The reference.
template <class Filter>
std::size_t join_filters_portable(const Filter* xs, const Filter* ys, filter_join& job, int k,
                                  std::span<filter_pair> found) noexcept {
  std::size_t count = 0;
  for (; !job.is_done(); job.advance()) {
    const Filter x = xs[job.x];
    for (; job.y < job.y_end; ++job.y) {
      if (portable_distance(x, ys[job.y]) > k) continue;
      if (count == found.size()) return count;
      found[count++] = {job.x, job.y};
    }
  }
  return count;
}

#if NEARDUP_X86_KERNELS
NEARDUP_KERNELS_BEGIN

// ---- AVX2: bits counted by nibbles, in a table of 16 (Mula's way) ---------------------------------------------------

/// One bit a filter at `y`, set where it is within k bits of x.
NEARDUP_TARGET_AVX2 inline std::uint32_t near_bits_avx2(const std::uint32_t* y, std::uint32_t x, int k) noexcept {
  const __m256i difference =
      _mm256_xor_si256(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(y)), _mm256_set1_epi32(static_cast<int>(x)));
  const __m256i pairs = _mm256_maddubs_epi16(count_bytes_avx2(difference), _mm256_set1_epi8(1));
  const __m256i far = _mm256_cmpgt_epi32(_mm256_madd_epi16(pairs, _mm256_set1_epi16(1)), _mm256_set1_epi32(k));
  return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(far))) ^ 0xffU;
}
NEARDUP_TARGET_AVX2 inline std::uint32_t near_bits_avx2(const std::uint64_t* y, std::uint64_t x, int k) noexcept {
  const __m256i difference = _mm256_xor_si256(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(y)),
                                              _mm256_set1_epi64x(static_cast<std::int64_t>(x)));
  const __m256i counts = _mm256_sad_epu8(count_bytes_avx2(difference), _mm256_setzero_si256());
  const __m256i far = _mm256_cmpgt_epi64(counts, _mm256_set1_epi64x(k));
  return static_cast<std::uint32_t>(_mm256_movemask_pd(_mm256_castsi256_pd(far))) ^ 0xfU;
}

template <std::size_t Words>
NEARDUP_TARGET_AVX2 std::uint32_t near_bits_avx2(const std::array<std::uint64_t, Words>* y,
                                                 const std::array<std::uint64_t, Words>& x, int k) noexcept {
  const __m256i far = _mm256_cmpgt_epi64(distances_avx2(y, x), _mm256_set1_epi64x(k));
  return static_cast<std::uint32_t>(_mm256_movemask_pd(_mm256_castsi256_pd(far))) ^ 0xfU;
}

template <class Filter>
NEARDUP_TARGET_AVX2 std::size_t join_filters_avx2(const Filter* xs, const Filter* ys, filter_join& job, int k,
                                                  std::span<filter_pair> found) noexcept {
  constexpr std::size_t lanes = std::is_same_v<Filter, std::uint32_t> ? 8 : 4;
  std::size_t count = 0;
  for (; !job.is_done(); job.advance()) {
    const Filter x = xs[job.x];
    std::size_t y = job.y;
    for (; y + lanes <= job.y_end; y += lanes) {
      const std::uint32_t hits = near_bits_avx2(ys + y, x, k);
      if (hits == 0) continue;
      if (found.size() - count < lanes) {
        job.y = y;
        return count;
      }
      count = append_hits(found, count, job.x, y, hits);
    }
    for (; y < job.y_end; ++y) {
      if (count_differing_bits(x, ys[y]) > k) continue;
      if (count == found.size()) {
        job.y = y;
        return count;
      }
      found[count++] = {job.x, y};
    }
  }
  return count;
}

// ---- AVX-512: VPOPCNTD and VPOPCNTQ ---------------------------------------------------------------------------------

NEARDUP_TARGET_AVX512 inline __m512i broadcast_avx512(std::uint32_t x) noexcept {
  return _mm512_set1_epi32(static_cast<int>(x));
}
NEARDUP_TARGET_AVX512 inline __m512i broadcast_avx512(std::uint64_t x) noexcept {
  return _mm512_set1_epi64(static_cast<std::int64_t>(x));
}
NEARDUP_TARGET_AVX512 inline __m512i distances_avx512(const std::uint32_t* y, __m512i x) noexcept {
  return _mm512_popcnt_epi32(_mm512_xor_si512(_mm512_loadu_si512(y), x));
}
NEARDUP_TARGET_AVX512 inline __m512i distances_avx512(const std::uint64_t* y, __m512i x) noexcept {
  return _mm512_popcnt_epi64(_mm512_xor_si512(_mm512_loadu_si512(y), x));
}
/// The pointer only says how wide a filter is.
NEARDUP_TARGET_AVX512 inline std::uint64_t up_to_avx512(const std::uint32_t*, __m512i distances, __m512i k) noexcept {
  return _mm512_cmple_epu32_mask(distances, k);
}
NEARDUP_TARGET_AVX512 inline std::uint64_t up_to_avx512(const std::uint64_t*, __m512i distances, __m512i k) noexcept {
  return _mm512_cmple_epu64_mask(distances, k);
}
template <std::size_t Words>
NEARDUP_TARGET_AVX512 std::uint64_t up_to_avx512(const std::array<std::uint64_t, Words>*, __m512i distances,
                                                 __m512i k) noexcept {
  return _mm512_cmple_epu64_mask(distances, k);
}
NEARDUP_TARGET_AVX512 inline __m512i least_avx512(const std::uint32_t*, __m512i a, __m512i b) noexcept {
  return _mm512_min_epu32(a, b);
}
NEARDUP_TARGET_AVX512 inline __m512i least_avx512(const std::uint64_t*, __m512i a, __m512i b) noexcept {
  return _mm512_min_epu64(a, b);
}
template <std::size_t Words>
NEARDUP_TARGET_AVX512 __m512i least_avx512(const std::array<std::uint64_t, Words>*, __m512i a, __m512i b) noexcept {
  return _mm512_min_epu64(a, b);
}
/// The first `rest` filters at `y`, at least one.
NEARDUP_TARGET_AVX512 inline std::uint64_t near_bits_avx512(const std::uint32_t* y, std::size_t rest, __m512i x,
                                                            __m512i k) noexcept {
  const auto mask = static_cast<__mmask16>(rest >= 16 ? 0xffffU : (1U << rest) - 1);
  const __m512i distances = _mm512_popcnt_epi32(_mm512_xor_si512(_mm512_maskz_loadu_epi32(mask, y), x));
  return _mm512_mask_cmple_epu32_mask(mask, distances, k);
}
NEARDUP_TARGET_AVX512 inline std::uint64_t near_bits_avx512(const std::uint64_t* y, std::size_t rest, __m512i x,
                                                            __m512i k) noexcept {
  const auto mask = static_cast<__mmask8>(rest >= 8 ? 0xffU : (1U << rest) - 1);
  const __m512i distances = _mm512_popcnt_epi64(_mm512_xor_si512(_mm512_maskz_loadu_epi64(mask, y), x));
  return _mm512_mask_cmple_epu64_mask(mask, distances, k);
}

template <std::size_t Words>
NEARDUP_TARGET_AVX512 std::uint64_t near_bits_avx512(const std::array<std::uint64_t, Words>* y, std::size_t rest,
                                                     const wide_broadcast<Words>& x, __m512i k) noexcept {
  const std::size_t some = rest < 8 ? rest : 8;
  return _mm512_mask_cmple_epu64_mask(static_cast<__mmask8>((1U << some) - 1), some_distances_avx512(y, some, x), k);
}

template <class Filter>
NEARDUP_TARGET_AVX512 std::size_t join_filters_avx512(const Filter* xs, const Filter* ys, filter_join& job, int k,
                                                      std::span<filter_pair> found) noexcept {
  using lane_type = std::conditional_t<std::is_same_v<Filter, std::uint32_t>, std::uint32_t, std::uint64_t>;
  constexpr std::size_t lanes = 64 / sizeof(lane_type);
  const __m512i most = broadcast_avx512(static_cast<lane_type>(k));
  std::size_t count = 0;
  for (; !job.is_done(); job.advance()) {
    const auto x = broadcast_avx512(xs[job.x]);
    const std::size_t end = job.y_end;
    std::size_t y = job.y;
    for (; y + 4 * lanes <= end; y += 4 * lanes) {
      const __m512i a = distances_avx512(ys + y, x);
      const __m512i b = distances_avx512(ys + y + lanes, x);
      const __m512i c = distances_avx512(ys + y + 2 * lanes, x);
      const __m512i d = distances_avx512(ys + y + 3 * lanes, x);
      const __m512i least = least_avx512(ys, least_avx512(ys, a, b), least_avx512(ys, c, d));
      if (up_to_avx512(ys, least, most) == 0) continue;
      if (found.size() - count < 4 * lanes) {
        job.y = y;
        return count;
      }
      const std::uint64_t low = up_to_avx512(ys, a, most) | up_to_avx512(ys, b, most) << lanes;
      const std::uint64_t high = up_to_avx512(ys, c, most) | up_to_avx512(ys, d, most) << lanes;
      count = append_hits(found, count, job.x, y, low | high << (2 * lanes));
    }
    for (; y < end; y += lanes) {
      const std::uint64_t hits = near_bits_avx512(ys + y, end - y, x, most);
      if (hits == 0) continue;
      if (found.size() - count < lanes) {
        job.y = y;
        return count;
      }
      count = append_hits(found, count, job.x, y, hits);
    }
  }
  return count;
}

NEARDUP_KERNELS_END
#endif  // NEARDUP_X86_KERNELS

/// Writes the pairs of one of `xs` and one of `ys` that `job` finds within k bits to `found`, by x, then y, until it is
/// done or the next step might not fit. Returns: how many. Each pair comes once, over all calls until job.is_done();
/// one that stops early has found some.
/// Precondition: found.size() >= join_step; 0 <= k.
template <class Filter>
std::size_t join_filters(const Filter* xs, const Filter* ys, filter_join& job, int k, std::span<filter_pair> found,
                         [[maybe_unused]] instruction_set level) noexcept {
#if NEARDUP_X86_KERNELS
  if constexpr (sizeof(Filter) <= most_vector_words * sizeof(std::uint64_t)) {
    if (level == instruction_set::avx512) return join_filters_avx512(xs, ys, job, k, found);
    if (level == instruction_set::avx2) return join_filters_avx2(xs, ys, job, k, found);
  }
#endif
  return join_filters_portable(xs, ys, job, k, found);
}

/// The same within one array.
template <class Filter>
std::size_t join_filters(const Filter* filters, filter_join& job, int k, std::span<filter_pair> found,
                         instruction_set level) noexcept {
  return join_filters(filters, filters, job, k, found, level);
}

}  // namespace neardup::inline v0::detail
