// SPDX-License-Identifier: MIT
// Positional population counts: counts for each of 64 bit positions how many words set it, and finds the majority bits.
//
// Counts are bit-sliced: plane p holds bit p of the count of every column. One full adder (carry-save, two or five
// instructions) adds two words to all 64 counts at once. A carry into a plane waits until a second one arrives, and
// both are added at once, so each plane costs half as much as the plane below.
// Source: Clausecker, Lemire, Schintke, Faster Positional-Population Counts, CPE 2025, arXiv 2412.16370.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "../../detail/bits.hpp"
#include "../../simd/forms.hpp"

namespace neardup::inline v0::detail {

/// Bit-sliced counts of 64 columns (bit positions), in up to eight independent lanes. At the end the counts of the
/// lanes are added.
struct bit_tally {
  static constexpr std::size_t lanes = 8;
  static constexpr std::size_t max_planes = 48;  // a lane counts up to 2^48 words
  /// A block of 16 vectors is added to the lowest four planes, of weight 1, 2, 4 and 8. The carry of weight 16 goes to
  /// the next plane.
  static constexpr std::size_t block_planes = 4;

  // planes[p][lane] holds bit p of the counts of a lane. If bit p of `is_waiting` is set, waiting[p][lane] holds
  // another carry of weight 2^p. Not initialised beyond `used` planes.
  alignas(64) std::uint64_t planes[max_planes][lanes];
  alignas(64) std::uint64_t waiting[max_planes][lanes];
  std::uint64_t is_waiting;
  std::size_t used;
  std::uint64_t total;    // number of words counted
  instruction_set level;  // the same for all words, because it determines the number of lanes

  explicit bit_tally(instruction_set set = active_instruction_set()) noexcept { clear(set); }

  void clear(instruction_set set = active_instruction_set()) noexcept {
    is_waiting = 0;
    used = 0;
    total = 0;
    level = set;
  }

  /// Begins to use the lowest block_planes planes.
  /// Returns: true if they contain counts already, false if they are not initialised.
  bool begin() noexcept {
    if (used > 0) return true;
    used = block_planes;
    return false;
  }
};

// The kernels are the same for each instruction set except for `Adders`, a struct of this form:
//
//   using vector = …;                                       words, in lanes
//   static vector load(const std::uint64_t* words);
//   static void store(std::uint64_t* words, vector);
//   static vector zero();
//   static void full_add(vector& carry, vector& sum, vector b, vector c);   sum, carry = sum + b + c, bit by bit
//   static void add_carry(bit_tally&, std::size_t plane, vector carry);     by NEARDUP_DEFINE_ADD_CARRY
//
// Shared code is macros, because lambdas and templates do not carry target attributes on all compilers.

/// A tree of full adders: adds 16 vectors, load(0) to load(15), to the planes `ones`, `twos`, `fours` and `eights`, and
/// declares the variable `sixteens`, the carry.
#define NEARDUP_ADD_16(Vector, add, load)                                \
  Vector twos_a, twos_b, fours_a, fours_b, eights_a, eights_b, sixteens; \
  add(twos_a, ones, load(0), load(1));                                   \
  add(twos_b, ones, load(2), load(3));                                   \
  add(fours_a, twos, twos_a, twos_b);                                    \
  add(twos_a, ones, load(4), load(5));                                   \
  add(twos_b, ones, load(6), load(7));                                   \
  add(fours_b, twos, twos_a, twos_b);                                    \
  add(eights_a, fours, fours_a, fours_b);                                \
  add(twos_a, ones, load(8), load(9));                                   \
  add(twos_b, ones, load(10), load(11));                                 \
  add(fours_a, twos, twos_a, twos_b);                                    \
  add(twos_a, ones, load(12), load(13));                                 \
  add(twos_b, ones, load(14), load(15));                                 \
  add(fours_b, twos, twos_a, twos_b);                                    \
  add(eights_b, fours, fours_a, fours_b);                                \
  add(sixteens, eights, eights_a, eights_b)

/// Defines add_carry(tally, plane, carry), which adds 2^plane to the count of each column set in `carry`.
#define NEARDUP_DEFINE_ADD_CARRY(target)                                                     \
  target static void add_carry(bit_tally& tally, std::size_t plane, vector carry) noexcept { \
    for (; ((tally.is_waiting ^= std::uint64_t{1} << plane) >> plane & 1U) == 0; ++plane) {  \
      vector sum = load(tally.planes[plane]);                                                \
      const vector old = carry;                                                              \
      full_add(carry, sum, load(tally.waiting[plane]), old);                                 \
      store(tally.planes[plane], sum);                                                       \
    }                                                                                        \
    store(tally.waiting[plane], carry);                                                      \
    if (plane == tally.used) store(tally.planes[tally.used++], zero());                      \
  }                                                                                          \
  static_assert(true)

/// Two macros: load the lowest planes of a tally into registers, and store them back.
#define NEARDUP_LOAD_PLANES(Adders, tally)                                                  \
  const bool begun = (tally).begin();                                                       \
  typename Adders::vector ones = begun ? Adders::load((tally).planes[0]) : Adders::zero();  \
  typename Adders::vector twos = begun ? Adders::load((tally).planes[1]) : Adders::zero();  \
  typename Adders::vector fours = begun ? Adders::load((tally).planes[2]) : Adders::zero(); \
  typename Adders::vector eights = begun ? Adders::load((tally).planes[3]) : Adders::zero()
#define NEARDUP_STORE_PLANES(Adders, tally) \
  Adders::store((tally).planes[0], ones);   \
  Adders::store((tally).planes[1], twos);   \
  Adders::store((tally).planes[2], fours);  \
  Adders::store((tally).planes[3], eights)

/// Adds 16 vectors, load(0) to load(15), to a tally whose lowest planes NEARDUP_LOAD_PLANES has loaded.
#define NEARDUP_COUNT_16(Adders, tally, load)                        \
  {                                                                  \
    NEARDUP_ADD_16(typename Adders::vector, Adders::full_add, load); \
    Adders::add_carry(tally, bit_tally::block_planes, sixteens);     \
  }                                                                  \
  static_assert(true)

// ---- portable and baseline: C++ operators on a word, and on a vector of two words -----------------------------------
// A full adder takes 5 operations on words.

template <class Vector>
struct operator_adders {
  using vector = Vector;

  static vector load(const std::uint64_t* words) noexcept {
    vector loaded;
    std::memcpy(&loaded, words, sizeof loaded);
    return loaded;
  }
  static void store(std::uint64_t* words, vector stored) noexcept { std::memcpy(words, &stored, sizeof stored); }
  static vector zero() noexcept { return vector{}; }
  static void full_add(vector& carry, vector& sum, vector b, vector c) noexcept {
    const vector half = sum ^ b;
    carry = (sum & b) | (half & c);
    sum = half ^ c;
  }
  NEARDUP_DEFINE_ADD_CARRY();
};

using adders_portable = operator_adders<std::uint64_t>;
#if NEARDUP_BASELINE_KERNELS
using adders_baseline = operator_adders<baseline_words>;
#endif

/// The number of words in a vector.
template <class Adders>
inline constexpr std::size_t adder_lanes = sizeof(typename Adders::vector) / sizeof(std::uint64_t);

/// Adds the bits of `n` more words to the counts. This is the portable kernel, and with other vectors the baseline kernel.
template <class Adders>
void count_bits_by(bit_tally& tally, const std::uint64_t* words, std::size_t n) noexcept {
  constexpr std::size_t lanes = adder_lanes<Adders>;
  tally.total += n;
  NEARDUP_LOAD_PLANES(Adders, tally);
  // Uses macros, because g++ would call a lambda and keep the planes in memory.
  std::size_t i = 0;
  for (; i + 16 * lanes <= n; i += 16 * lanes) {
#define NEARDUP_LOAD(v) Adders::load(words + i + lanes * (v))
    NEARDUP_COUNT_16(Adders, tally, NEARDUP_LOAD);
#undef NEARDUP_LOAD
  }
  if (i < n) {
    std::uint64_t rest[16 * lanes] = {};
    std::memcpy(rest, words + i, (n - i) * sizeof *rest);
#define NEARDUP_LOAD(v) Adders::load(rest + lanes * (v))
    NEARDUP_COUNT_16(Adders, tally, NEARDUP_LOAD);
#undef NEARDUP_LOAD
  }
  NEARDUP_STORE_PLANES(Adders, tally);
}

/// Returns the columns with a count greater than total / 2, as a bit set. count[p] is plane p of the counts.
inline std::uint64_t more_than_half(const std::uint64_t* count, std::size_t planes, std::uint64_t total) noexcept {
  // Compares all columns with the threshold at once, from the highest plane down.
  const std::uint64_t threshold = total / 2;
  std::uint64_t greater = 0;
  std::uint64_t equal = ~std::uint64_t{0};
  for (std::size_t p = planes; p-- > 0;) {
    const std::uint64_t bit = 0 - ((threshold >> p) & 1U);
    greater |= equal & count[p] & ~bit;
    equal &= ~(count[p] ^ bit);
  }
  return greater;
}

/// Returns the bits that are set in more than half of the counted words. Adds the counts of all lanes, then compares
/// them with half of the total.
inline std::uint64_t majority_of_lanes(const bit_tally& tally, std::size_t lanes) noexcept {
  std::uint64_t sum[bit_tally::max_planes + 4] = {};
  // No count exceeds the number of words, so higher planes are 0.
  const auto planes = to_size(std::bit_width(tally.total));
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    // Each lane is the sum of two numbers: its counts, and its waiting carries.
    std::uint64_t carry = 0;
    std::uint64_t waiting_carry = 0;
    for (std::size_t p = 0; p < planes; ++p) {
      const std::uint64_t word = p < tally.used ? tally.planes[p][lane] : 0;
      const std::uint64_t waiting = (tally.is_waiting >> p & 1U) != 0 ? tally.waiting[p][lane] : 0;
      std::uint64_t half = sum[p] ^ word;
      const std::uint64_t next = (sum[p] & word) | (half & carry);
      const std::uint64_t first = half ^ carry;
      carry = next;
      half = first ^ waiting;
      const std::uint64_t waiting_next = (first & waiting) | (half & waiting_carry);
      sum[p] = half ^ waiting_carry;
      waiting_carry = waiting_next;
    }
  }
  return more_than_half(sum, planes, tally.total);
}

#if NEARDUP_X86_KERNELS

// ---- AVX2: the same five operations, four words per vector ----------------------------------------------------------

NEARDUP_AVX2_BEGIN

struct adders_avx2 {
  using vector = __m256i;

  static vector load(const std::uint64_t* words) noexcept {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(words));
  }
  static void store(std::uint64_t* words, vector stored) noexcept {
    _mm256_store_si256(reinterpret_cast<__m256i*>(words), stored);
  }
  static vector zero() noexcept { return _mm256_setzero_si256(); }
  static void full_add(vector& carry, vector& sum, vector b, vector c) noexcept {
    const __m256i half = _mm256_xor_si256(sum, b);
    carry = _mm256_or_si256(_mm256_and_si256(sum, b), _mm256_and_si256(half, c));
    sum = _mm256_xor_si256(half, c);
  }
  NEARDUP_DEFINE_ADD_CARRY();
};

inline void count_bits_avx2(bit_tally& tally, const std::uint64_t* words, std::size_t n) noexcept {
  constexpr std::size_t block = 64;
  tally.total += n;
  NEARDUP_LOAD_PLANES(adders_avx2, tally);
  std::size_t i = 0;
  for (; i + block <= n; i += block) {
#define NEARDUP_LOAD(v) adders_avx2::load(words + i + 4 * (v))
    NEARDUP_COUNT_16(adders_avx2, tally, NEARDUP_LOAD);
#undef NEARDUP_LOAD
  }
  if (i < n) {
    std::uint64_t rest[block] = {};
    std::memcpy(rest, words + i, (n - i) * sizeof *rest);
#define NEARDUP_LOAD(v) adders_avx2::load(rest + 4 * (v))
    NEARDUP_COUNT_16(adders_avx2, tally, NEARDUP_LOAD);
#undef NEARDUP_LOAD
  }
  NEARDUP_STORE_PLANES(adders_avx2, tally);
}

// ---- AVX-512: two operations an adder (VPTERNLOGQ), eight words per vector ------------------------------------------
NEARDUP_END

NEARDUP_AVX512_BEGIN

struct adders_avx512 {
  using vector = __m512i;

  static vector load(const std::uint64_t* words) noexcept {
    __m512i loaded = _mm512_loadu_si512(words);
    // Keeps the value in a register. g++ reloads it for both uses otherwise, which costs 1.5x.
    asm("" : "+v"(loaded));
    return loaded;
  }
  static void store(std::uint64_t* words, vector stored) noexcept { _mm512_store_si512(words, stored); }
  static vector zero() noexcept { return _mm512_setzero_si512(); }
  static void full_add(vector& carry, vector& sum, vector b, vector c) noexcept {
    const __m512i old = sum;
    sum = _mm512_ternarylogic_epi64(old, b, c, 0x96);    // a ^ b ^ c
    carry = _mm512_ternarylogic_epi64(old, b, c, 0xe8);  // majority
  }
  NEARDUP_DEFINE_ADD_CARRY();
};

inline void count_bits_avx512(bit_tally& tally, const std::uint64_t* words, std::size_t n) noexcept {
  constexpr std::size_t block = 128;
  tally.total += n;
  NEARDUP_LOAD_PLANES(adders_avx512, tally);
  std::size_t i = 0;
  for (; i + block <= n; i += block) {
#define NEARDUP_LOAD(v) adders_avx512::load(words + i + 8 * (v))
    NEARDUP_COUNT_16(adders_avx512, tally, NEARDUP_LOAD);
#undef NEARDUP_LOAD
  }
  if (i < n) {
    // A masked load reads nothing where the mask is 0.
    const std::size_t rest = n - i;
    const std::uint64_t low = rest < 64 ? ~(~std::uint64_t{0} << rest) : ~std::uint64_t{0};
    const std::uint64_t high = rest < 64 ? 0 : ~(~std::uint64_t{0} << (rest - 64));
#define NEARDUP_LOAD(v) \
  _mm512_maskz_loadu_epi64(static_cast<__mmask8>(((v) < 8 ? low : high) >> 8 * ((v) % 8)), words + i + 8 * (v))
    NEARDUP_COUNT_16(adders_avx512, tally, NEARDUP_LOAD);
#undef NEARDUP_LOAD
  }
  NEARDUP_STORE_PLANES(adders_avx512, tally);
}

/// The AVX-512 version of majority_of_lanes. Each of three steps adds one half of the lanes to the other half. The
/// first step also adds the waiting carries.
inline std::uint64_t majority_avx512(const bit_tally& tally) noexcept {
  __m256i sums[bit_tally::max_planes + 4];
  std::size_t planes = tally.used;
  __m512i whole_carry = _mm512_setzero_si512();
  __m256i half_carry = _mm256_setzero_si256();
  for (std::size_t p = 0; p < planes; ++p) {
    const auto waits = static_cast<__mmask8>(0 - (tally.is_waiting >> p & 1U));
    const __m512i waiting = _mm512_maskz_load_epi64(waits, tally.waiting[p]);
    const __m512i plane = _mm512_load_si512(tally.planes[p]);
    const __m512i whole = _mm512_ternarylogic_epi64(plane, waiting, whole_carry, 0x96);
    whole_carry = _mm512_ternarylogic_epi64(plane, waiting, whole_carry, 0xe8);
    const __m256i low = _mm512_castsi512_si256(whole);
    const __m256i high = _mm512_extracti64x4_epi64(whole, 1);
    sums[p] = _mm256_ternarylogic_epi64(low, high, half_carry, 0x96);
    half_carry = _mm256_ternarylogic_epi64(low, high, half_carry, 0xe8);
  }
  const __m256i low = _mm512_castsi512_si256(whole_carry);
  const __m256i high = _mm512_extracti64x4_epi64(whole_carry, 1);
  sums[planes] = _mm256_ternarylogic_epi64(low, high, half_carry, 0x96);
  sums[planes + 1] = _mm256_ternarylogic_epi64(low, high, half_carry, 0xe8);
  planes += 2;
  std::uint64_t count[bit_tally::max_planes + 4];
  __m128i pair_carry = _mm_setzero_si128();
  __m128i carry = _mm_setzero_si128();
  for (std::size_t p = 0; p < planes; ++p) {
    const __m128i a = _mm256_castsi256_si128(sums[p]);
    const __m128i b = _mm256_extracti128_si256(sums[p], 1);
    const __m128i pair = _mm_ternarylogic_epi64(a, b, pair_carry, 0x96);
    pair_carry = _mm_ternarylogic_epi64(a, b, pair_carry, 0xe8);
    const __m128i other = _mm_unpackhi_epi64(pair, pair);
    count[p] = static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm_ternarylogic_epi64(pair, other, carry, 0x96)));
    carry = _mm_ternarylogic_epi64(pair, other, carry, 0xe8);
  }
  // The carry of the second step and the carry of the third step are not added yet.
  const __m128i other = _mm_unpackhi_epi64(pair_carry, pair_carry);
  count[planes] = static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm_ternarylogic_epi64(pair_carry, other, carry, 0x96)));
  const auto needed = to_size(std::bit_width(tally.total));
  return more_than_half(count, needed < planes + 1 ? needed : planes + 1, tally.total);
}
NEARDUP_END

constexpr auto count_bits_of(avx2_form) noexcept { return count_bits_avx2; }
constexpr auto count_bits_of(avx512_form) noexcept { return count_bits_avx512; }
constexpr auto majority_of(avx2_form) noexcept {
  return [](const bit_tally& tally) noexcept { return majority_of_lanes(tally, 4); };
}
constexpr auto majority_of(avx512_form) noexcept { return majority_avx512; }

#endif  // NEARDUP_X86_KERNELS

constexpr auto count_bits_of(portable_form) noexcept { return count_bits_by<adders_portable>; }
constexpr auto majority_of(portable_form) noexcept {
  return [](const bit_tally& tally) noexcept { return majority_of_lanes(tally, adder_lanes<adders_portable>); };
}
#if NEARDUP_BASELINE_KERNELS
constexpr auto count_bits_of(baseline_form) noexcept { return count_bits_by<adders_baseline>; }
constexpr auto majority_of(baseline_form) noexcept {
  return [](const bit_tally& tally) noexcept { return majority_of_lanes(tally, adder_lanes<adders_baseline>); };
}
#endif

/// Adds the bits of `n` more words to the counts.
inline void count_bits(bit_tally& tally, const std::uint64_t* words, std::size_t n) noexcept {
  choose_form(tally.level, [&](auto form) { count_bits_of(form)(tally, words, n); });
}

/// Returns the bits that are set in more than half of the counted words.
/// Precondition: at most 2^48 words were counted.
inline std::uint64_t majority(const bit_tally& tally) noexcept {
  return choose_form(tally.level, [&](auto form) { return majority_of(form)(tally); });
}

}  // namespace neardup::inline v0::detail
