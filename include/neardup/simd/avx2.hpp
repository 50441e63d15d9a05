// SPDX-License-Identifier: MIT
// Functions from which AVX2 kernels are built.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "../detail/bits.hpp"
#include "forms.hpp"
#include "portable.hpp"

#if NEARDUP_X86_KERNELS

namespace neardup::inline v0::detail::avx2 {

NEARDUP_AVX2_BEGIN

// ---- words of 64 bits, four at a time -------------------------------------------------------------------------------

struct words {
  using vector = __m256i;

  static vector load(const std::uint64_t* from) noexcept {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  }
  static void store(std::uint64_t* to, vector stored) noexcept {
    _mm256_store_si256(reinterpret_cast<__m256i*>(to), stored);
  }
  static vector zero() noexcept { return _mm256_setzero_si256(); }
  static void full_add(vector& carry, vector& sum, vector b, vector c) noexcept {
    const __m256i half = _mm256_xor_si256(sum, b);
    carry = _mm256_or_si256(_mm256_and_si256(sum, b), _mm256_and_si256(half, c));
    sum = _mm256_xor_si256(half, c);
  }
};

// ---- filters within k bits of one filter ---------------------------------------------------------------------------

/// Returns the number of set bits of each byte. A lookup table has these numbers for all values of four bits (Mula's
/// algorithm).
inline __m256i count_bytes(__m256i v) noexcept {
  const __m256i table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,  //
                                         0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
  const __m256i low = _mm256_set1_epi8(15);
  const __m256i high_nibbles = _mm256_and_si256(_mm256_srli_epi16(v, 4), low);
  return _mm256_add_epi8(_mm256_shuffle_epi8(table, _mm256_and_si256(v, low)),
                         _mm256_shuffle_epi8(table, high_nibbles));
}

/// Returns the words `word` and `word` + 1 of two fingerprints. The words of `a` are in the lower half, and the words
/// of `b` are in the upper half.
template <std::size_t Words>
inline __m256i load_pairs(const std::array<std::uint64_t, Words>& a, const std::array<std::uint64_t, Words>& b,
                          std::size_t word) noexcept {
  const __m128i of_a = _mm_loadu_si128(reinterpret_cast<const __m128i*>(a.data() + word));
  const __m128i of_b = _mm_loadu_si128(reinterpret_cast<const __m128i*>(b.data() + word));
  return _mm256_inserti128_si256(_mm256_castsi128_si256(of_a), of_b, 1);
}

/// Compares the words 2 * Part and 2 * Part + 1 of the four fingerprints at `y` with the same words of `x`. Returns for
/// each fingerprint and each byte of a word the number of bits that differ, summed over the two words.
template <std::size_t Part, std::size_t Words>
inline __m256i count_words(const std::array<std::uint64_t, Words>* y,
                           const std::array<std::uint64_t, Words>& x) noexcept {
  if constexpr (Words == 1) {
    const __m256i words = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(y));
    return count_bytes(_mm256_xor_si256(words, _mm256_set1_epi64x(static_cast<std::int64_t>(x[0]))));
  } else {
    // An odd last word is loaded together with the word before it, which has been counted already.
    constexpr bool is_alone = 2 * Part + 1 == Words;
    constexpr std::size_t first = is_alone ? 2 * Part - 1 : 2 * Part;
    // Unpacking works within halves of 128 bits. So `even` has the fingerprints 0 and 2, and `odd` has 1 and 3.
    const __m256i even = load_pairs(y[0], y[2], first);
    const __m256i odd = load_pairs(y[1], y[3], first);
    const __m256i second_of_x = _mm256_set1_epi64x(static_cast<std::int64_t>(x[first + 1]));
    const __m256i seconds = count_bytes(_mm256_xor_si256(_mm256_unpackhi_epi64(even, odd), second_of_x));
    if constexpr (is_alone) return seconds;
    const __m256i first_of_x = _mm256_set1_epi64x(static_cast<std::int64_t>(x[first]));
    const __m256i firsts = count_bytes(_mm256_xor_si256(_mm256_unpacklo_epi64(even, odd), first_of_x));
    return _mm256_add_epi8(firsts, seconds);
  }
}

inline __m256i sum_of_bytes(__m256i a, __m256i b) noexcept { return _mm256_add_epi8(a, b); }

template <std::size_t Words, std::size_t... Part>
inline __m256i wide_distances(const std::array<std::uint64_t, Words>* y, const std::array<std::uint64_t, Words>& x,
                              std::index_sequence<Part...>) noexcept {
  __m256i counts = _mm256_setzero_si256();
  ((counts = sum_of_bytes(counts, count_words<Part>(y, x))), ...);
  return _mm256_sad_epu8(counts, _mm256_setzero_si256());
}

/// Returns the distance between `x` and each of the four fingerprints at `y`.
template <std::size_t Words>
inline __m256i distances(const std::array<std::uint64_t, Words>* y,
                         const std::array<std::uint64_t, Words>& x) noexcept {
  static_assert(Words <= max_vector_words);
  return wide_distances(y, x, std::make_index_sequence<(Words + 1) / 2>{});
}

/// Compares the sixteen filters at `y` with x. Returns a mask with two bits for each filter: both 1 if the filter is
/// within k bits of x, otherwise both 0.
inline std::uint32_t close_bits(const std::uint16_t* y, std::uint16_t x, int k) noexcept {
  const __m256i difference = _mm256_xor_si256(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(y)),
                                              _mm256_set1_epi16(static_cast<short>(x)));
  const __m256i counts = _mm256_maddubs_epi16(count_bytes(difference), _mm256_set1_epi8(1));
  const __m256i beyond = _mm256_cmpgt_epi16(counts, _mm256_set1_epi16(static_cast<short>(k)));
  return ~static_cast<std::uint32_t>(_mm256_movemask_epi8(beyond));
}
/// Compares the filters in the vector at `y` with x. Returns one bit for each filter, which is set if the filter is
/// within k bits of x.
inline std::uint32_t close_bits(const std::uint32_t* y, std::uint32_t x, int k) noexcept {
  const __m256i difference =
      _mm256_xor_si256(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(y)), _mm256_set1_epi32(static_cast<int>(x)));
  const __m256i pairs = _mm256_maddubs_epi16(count_bytes(difference), _mm256_set1_epi8(1));
  const __m256i beyond = _mm256_cmpgt_epi32(_mm256_madd_epi16(pairs, _mm256_set1_epi16(1)), _mm256_set1_epi32(k));
  return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(beyond))) ^ 0xffU;
}
inline std::uint32_t close_bits(const std::uint64_t* y, std::uint64_t x, int k) noexcept {
  const __m256i difference = _mm256_xor_si256(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(y)),
                                              _mm256_set1_epi64x(static_cast<std::int64_t>(x)));
  const __m256i counts = _mm256_sad_epu8(count_bytes(difference), _mm256_setzero_si256());
  const __m256i beyond = _mm256_cmpgt_epi64(counts, _mm256_set1_epi64x(k));
  return static_cast<std::uint32_t>(_mm256_movemask_pd(_mm256_castsi256_pd(beyond))) ^ 0xfU;
}

template <std::size_t Words>
std::uint32_t close_bits(const std::array<std::uint64_t, Words>* y, const std::array<std::uint64_t, Words>& x,
                         int k) noexcept {
  const __m256i counts = distances(y, x);
  const __m256i beyond = _mm256_cmpgt_epi64(counts, _mm256_set1_epi64x(k));
  return static_cast<std::uint32_t>(_mm256_movemask_pd(_mm256_castsi256_pd(beyond))) ^ 0xfU;
}

/// filter_lanes: the number of filters that close_bits() compares. lane_bits: the number of bits for each filter in the
/// result of close_bits().
template <class Filter>
inline constexpr std::size_t filter_lanes = sizeof(Filter) < 8 ? 32 / sizeof(Filter) : 4;
template <class Filter>
inline constexpr std::size_t lane_bits = sizeof(Filter) == 2 ? 2 : 1;

/// Compares the filters y[from] to y[end - 1] with `filter`. Calls `take(first, bits, spacing)` if some filters are
/// within k bits of `filter`. Bit `spacing` * i of `bits` is set if y[first + i] is within k bits of `filter`. Other
/// bits are not set. The comparison ends if `take` returns false.
/// Precondition: the filters y[0] to y[end - 1] are readable.
/// Returns: `end`, or the position at which to continue if `take` returned false.
template <class Filter, class Take>
NEARDUP_ALWAYS_INLINE std::size_t visit_close(const Filter* y, std::size_t from, std::size_t end, const Filter& filter,
                                              int k, const Take& take) noexcept {
  static_assert(sizeof(Filter) > 2, "close_bits() gives two bits for each filter of 16 bits");
  constexpr std::size_t lanes = filter_lanes<Filter>;
  const Filter x = filter;  // g++ would read the filter from memory in each iteration
  for (; from + lanes <= end; from += lanes) {
    const std::uint32_t hits = close_bits(y + from, x, k);
    if (hits != 0 && !take(from, hits, lane_bits<Filter>)) return from;
  }
  return portable::visit_close_by([](const Filter& a, const Filter& b) { return count_differing_bits(a, b); }, y, from,
                                  end, x, k, take);
}

/// Compares the first `Count` filters at `y` with x. Returns a mask with lane_bits bits for each filter: all 1 if the
/// filter is within k bits of x, otherwise all 0.
/// Precondition: Count <= 16, and 16 filters are readable.
template <std::size_t Count>
NEARDUP_ALWAYS_INLINE std::uint64_t close_shorts(const std::uint16_t* y, std::uint16_t x, int k) noexcept {
  static_assert(Count <= filter_lanes<std::uint16_t>);
  return close_bits(y, x, k);
}

// ---- vectors of bytes, for text_blocks.inl --------------------------------------------------------------------------

using byte_vector = std::uint8_t __attribute__((vector_size(32)));

/// Returns the entries of a lookup table of 16 bytes at the given indices.
/// Precondition: all indices are below 16.
NEARDUP_ALWAYS_INLINE byte_vector look_up(const std::uint8_t* table, byte_vector indices) noexcept {
  const __m256i twice = _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(table)));
  return reinterpret_cast<byte_vector>(_mm256_shuffle_epi8(twice, reinterpret_cast<__m256i>(indices)));
}
/// Returns a vector whose bytes all equal `value`. The assembler statement keeps the vector in a register. Otherwise
/// g++ would build it again in each iteration of a loop, which takes 1.15 times as long to validate Chinese UTF-8.
NEARDUP_ALWAYS_INLINE byte_vector broadcast(std::uint8_t value) noexcept {
  byte_vector result = byte_vector{} + value;
  asm("" : "+x"(result));
  return result;
}
/// Subtracts the bytes of `b` from the bytes of `a`. Negative differences become 0.
NEARDUP_ALWAYS_INLINE byte_vector subtract_to_zero(byte_vector a, byte_vector b) noexcept {
  return reinterpret_cast<byte_vector>(_mm256_subs_epu8(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
}
NEARDUP_ALWAYS_INLINE bool are_ascii(byte_vector some) noexcept {
  return _mm256_movemask_epi8(reinterpret_cast<__m256i>(some)) == 0;
}
NEARDUP_ALWAYS_INLINE bool is_zero(byte_vector some) noexcept {
  return _mm256_testz_si256(reinterpret_cast<__m256i>(some), reinterpret_cast<__m256i>(some)) != 0;
}
/// Returns the highest bits of 64 bytes.
NEARDUP_ALWAYS_INLINE std::uint64_t mask_of(const byte_vector (&parts)[2]) noexcept {
  const auto mask = [](byte_vector part) NEARDUP_INLINE_LAMBDA {
    return std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(reinterpret_cast<__m256i>(part)))};
  };
  return mask(parts[0]) | mask(parts[1]) << 32;
}

NEARDUP_END

}  // namespace neardup::inline v0::detail::avx2

#endif  // NEARDUP_X86_KERNELS
