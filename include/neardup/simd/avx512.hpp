// SPDX-License-Identifier: MIT
// Functions from which AVX-512 kernels are built.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "forms.hpp"
#include "portable.hpp"

#if NEARDUP_X86_KERNELS

namespace neardup::inline v0::detail::avx512 {

NEARDUP_AVX512_BEGIN

// ---- words of 64 bits, eight at a time: a full adder takes two operations (VPTERNLOGQ) ------------------------------

struct words {
  using vector = __m512i;

  static vector load(const std::uint64_t* from) noexcept {
    __m512i loaded = _mm512_loadu_si512(from);
    // Keeps the value in a register. Otherwise g++ loads it again for each of its two uses, which takes 1.5 times as
    // long.
    asm("" : "+v"(loaded));
    return loaded;
  }
  static void store(std::uint64_t* to, vector stored) noexcept { _mm512_store_si512(to, stored); }
  static vector zero() noexcept { return _mm512_setzero_si512(); }
  static void full_add(vector& carry, vector& sum, vector b, vector c) noexcept {
    const __m512i old = sum;
    sum = _mm512_ternarylogic_epi64(old, b, c, 0x96);    // old ^ b ^ c
    carry = _mm512_ternarylogic_epi64(old, b, c, 0xe8);  // majority of old, b and c
  }
};

/// The first n of 128 words, as vectors. The other words are not read, and are 0 in the vectors.
class first_words {
 public:
  NEARDUP_ALWAYS_INLINE first_words(const std::uint64_t* from, std::size_t n) noexcept
      : from_(from),
        low_(n < 64 ? ~(~std::uint64_t{0} << n) : ~std::uint64_t{0}),
        high_(n < 64 ? 0 : ~(~std::uint64_t{0} << (n - 64))) {}

  NEARDUP_ALWAYS_INLINE __m512i operator()(std::size_t v) const noexcept {
    return _mm512_maskz_loadu_epi64(static_cast<__mmask8>((v < 8 ? low_ : high_) >> 8 * (v % 8)), from_ + 8 * v);
  }

 private:
  const std::uint64_t* from_;
  std::uint64_t low_, high_;
};

// ---- filters within k bits of one filter (VPOPCNTD, VPOPCNTQ) ------------------------------------------------------

// The types of the arguments of intrinsics do not depend on template parameters. Otherwise clang would not find the
// intrinsic when a program that imports the module instantiates the template.

inline __m512i broadcast(std::uint32_t x) noexcept { return _mm512_set1_epi32(static_cast<int>(x)); }
inline __m512i broadcast(std::uint64_t x) noexcept { return _mm512_set1_epi64(static_cast<std::int64_t>(x)); }
inline __m512i distances(const std::uint32_t* y, __m512i x) noexcept {
  return _mm512_popcnt_epi32(_mm512_xor_si512(_mm512_loadu_si512(y), x));
}
inline __m512i distances(const std::uint64_t* y, __m512i x) noexcept {
  return _mm512_popcnt_epi64(_mm512_xor_si512(_mm512_loadu_si512(y), x));
}
/// Compares with x the filters at `y` whose bits in `mask` are set. Returns one bit for each filter, which is 1 if the
/// filter is within k bits of x. Other filters are not read.
inline std::uint64_t close_bits(const std::uint32_t* y, std::uint64_t mask, __m512i x, __m512i k) noexcept {
  const auto lanes = static_cast<__mmask16>(mask);
  const __m512i distances = _mm512_popcnt_epi32(_mm512_xor_si512(_mm512_maskz_loadu_epi32(lanes, y), x));
  return _mm512_mask_cmple_epu32_mask(lanes, distances, k);
}
inline std::uint64_t close_bits(const std::uint64_t* y, std::uint64_t mask, __m512i x, __m512i k) noexcept {
  const auto lanes = static_cast<__mmask8>(mask);
  const __m512i distances = _mm512_popcnt_epi64(_mm512_xor_si512(_mm512_maskz_loadu_epi64(lanes, y), x));
  return _mm512_mask_cmple_epu64_mask(lanes, distances, k);
}

// The words of one fingerprint are adjacent. So the counts of their differing bits are in adjacent lanes, and have to
// be added across lanes. Each count fits into a byte. The counts of vector j are shifted to byte j. One permutation
// collects the bytes of each fingerprint in its lane, and VPSADBW adds them. The method works for up to eight words,
// and keeps the order of the fingerprints.

/// Eight fingerprints of `Words` words fill `Words` vectors. Lane `lane` of vector v has word number
/// words_in_lanes[v][lane] of its fingerprint.
template <std::size_t Words>
inline constexpr std::array<std::array<std::uint64_t, 8>, Words> words_in_lanes = [] {
  std::array<std::array<std::uint64_t, 8>, Words> result{};
  for (std::size_t i = 0; i < 8 * Words; ++i) result[i / 8][i % 8] = i % Words;
  return result;
}();

/// The permutation that collects the counts of each fingerprint. In its input, byte j of lane i is the count of lane i
/// of vector j.
template <std::size_t Words>
inline constexpr std::array<std::uint8_t, 64> bytes_of_counts = [] {
  std::array<std::uint8_t, 64> result{};
  for (std::size_t i = 0; i < 8 * Words; ++i) {
    result[i / Words * 8 + i % Words] = static_cast<std::uint8_t>(i % 8 * 8 + i / 8);
  }
  return result;
}();

/// The words of one fingerprint x, repeated eight times. Lane `lane` of vector v is x[words_in_lanes<Words>[v][lane]].
template <std::size_t Words>
struct wide_broadcast {
  __m512i vectors[Words];
};

template <std::size_t Words>
inline wide_broadcast<Words> broadcast(const std::array<std::uint64_t, Words>& x) noexcept {
  static_assert(Words <= max_vector_words);
  const void* const words_of_x = x.data();
  const __m512i words = _mm512_maskz_loadu_epi64(static_cast<__mmask8>((1U << Words) - 1), words_of_x);
  wide_broadcast<Words> result;
  for (std::size_t i = 0; i < Words; ++i) {
    const void* const order = words_in_lanes<Words>[i].data();
    result.vectors[i] = _mm512_permutexvar_epi64(_mm512_loadu_si512(order), words);
  }
  return result;
}

/// Compares vector `Part` of the `words` words at `y` with vector `Part` of `x`. Returns for each lane the number of
/// bits that differ, shifted to byte `Part`.
template <std::size_t Part, std::size_t Words>
inline __m512i shifted_counts(const void* y, std::size_t words, const wide_broadcast<Words>& x) noexcept {
  const std::size_t rest = words > 8 * Part ? words - 8 * Part : 0;
  const auto mask = static_cast<__mmask8>(rest >= 8 ? 0xffU : (1U << rest) - 1);
  const __m512i vector = _mm512_maskz_loadu_epi64(mask, static_cast<const unsigned char*>(y) + 64 * Part);
  const __m512i of_x = x.vectors[Part];
  constexpr unsigned shift = 8 * Part;
  return _mm512_slli_epi64(_mm512_popcnt_epi64(_mm512_xor_si512(vector, of_x)), shift);
}

// A fold expression is used, because g++ does not unroll a loop over four vectors, which takes 3 times as long.
template <std::size_t Words, std::size_t... Part>
inline __m512i add_counts(const void* y, std::size_t words, const wide_broadcast<Words>& x,
                          std::index_sequence<Part...>) noexcept {
  __m512i counts = _mm512_setzero_si512();
  ((counts |= shifted_counts<Part>(y, words, x)), ...);
  if constexpr (Words == 1) return counts;
  constexpr std::uint64_t bytes_of_lane = (1U << Words) - 1;
  const void* const table = bytes_of_counts<Words>.data();
  const __m512i places = _mm512_loadu_si512(table);
  const __m512i gathered = _mm512_maskz_permutexvar_epi8(bytes_of_lane * 0x0101010101010101U, places, counts);
  return _mm512_sad_epu8(gathered, _mm512_setzero_si512());
}

/// Returns the distances of `count` fingerprints at `y`, 1 <= count <= 8, one per lane. Other lanes are unspecified.
template <std::size_t Words>
inline __m512i some_distances(const std::array<std::uint64_t, Words>* y, std::size_t count,
                              const wide_broadcast<Words>& x) noexcept {
  return add_counts(y, count * Words, x, std::make_index_sequence<Words>{});
}

template <std::size_t Words>
inline __m512i distances(const std::array<std::uint64_t, Words>* y, const wide_broadcast<Words>& x) noexcept {
  return some_distances(y, 8, x);
}

/// Returns one bit for each lane, which is set if the distance in the lane is at most k.
template <std::unsigned_integral Lane>
inline std::uint64_t up_to(__m512i distances, __m512i k) noexcept {
  if constexpr (sizeof(Lane) == 4) return _mm512_cmple_epu32_mask(distances, k);
  return _mm512_cmple_epu64_mask(distances, k);
}
template <std::unsigned_integral Lane>
inline __m512i lesser(__m512i a, __m512i b) noexcept {
  if constexpr (sizeof(Lane) == 4) return _mm512_min_epu32(a, b);
  return _mm512_min_epu64(a, b);
}
/// The version of close_bits for filters of several words.
/// Precondition: only the lowest bits of `mask` are set.
template <std::size_t Words>
std::uint64_t close_bits(const std::array<std::uint64_t, Words>* y, std::uint64_t mask, const wide_broadcast<Words>& x,
                         __m512i k) noexcept {
  const auto count = static_cast<std::size_t>(_mm_popcnt_u64(mask));
  return _mm512_mask_cmple_epu64_mask(static_cast<__mmask8>(mask), some_distances(y, count, x), k);
}

/// The greatest number of filters whose results visit_close() passes at once.
template <class Filter>
inline constexpr std::size_t filter_lanes = sizeof(Filter) == 4 ? 64 : 32;

/// The AVX-512 version of avx2::visit_close. It tests four vectors with one branch.
template <class Filter, class Take>
NEARDUP_ALWAYS_INLINE std::size_t visit_close(const Filter* y, std::size_t from, std::size_t end, const Filter& filter,
                                              int k, const Take& take) noexcept {
  using lane_type = std::conditional_t<std::is_same_v<Filter, std::uint32_t>, std::uint32_t, std::uint64_t>;
  constexpr std::size_t lanes = 64 / sizeof(lane_type);
  const __m512i limit = broadcast(static_cast<lane_type>(k));
  const auto x = broadcast(filter);
  for (; from + 4 * lanes <= end; from += 4 * lanes) {
    const __m512i a = distances(y + from, x);
    const __m512i b = distances(y + from + lanes, x);
    const __m512i c = distances(y + from + 2 * lanes, x);
    const __m512i d = distances(y + from + 3 * lanes, x);
    const __m512i least = lesser<lane_type>(lesser<lane_type>(a, b), lesser<lane_type>(c, d));
    if (up_to<lane_type>(least, limit) == 0) [[likely]]
      continue;
    const std::uint64_t low = up_to<lane_type>(a, limit) | up_to<lane_type>(b, limit) << lanes;
    const std::uint64_t high = up_to<lane_type>(c, limit) | up_to<lane_type>(d, limit) << lanes;
    if (!take(from, low | high << (2 * lanes), 1)) return from;
  }
  for (; from < end; from += lanes) {
    const std::uint64_t mask =
        _bzhi_u64(~std::uint64_t{0}, static_cast<unsigned>(end - from < lanes ? end - from : lanes));
    const std::uint64_t hits = close_bits(y + from, mask, x, limit);
    if (hits != 0 && !take(from, hits, 1)) return from;
  }
  return end;
}

NEARDUP_END

}  // namespace neardup::inline v0::detail::avx512

#endif  // NEARDUP_X86_KERNELS
