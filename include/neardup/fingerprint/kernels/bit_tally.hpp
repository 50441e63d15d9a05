// Counts in how many of many words each bit is set, and tells which bits are set in more than half.
//
// The counts are bit-sliced: plane p holds bit p of the count of every column, so that one full adder (a carry-save
// adder, two or five instructions) takes two words into all 64 counts at once. Carries of a plane are paired the same
// way: one waits for the next, so that a plane costs half of what the one below it costs.
// Figures in this and the other kernels: cycles on a Zen 4, g++ 12, by ./dev bench fingerprint (accumulate, kernel).
// Source: Clausecker, Lemire, Schintke, Faster Positional-Population Counts, CPE 2025, arXiv 2412.16370.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "../../detail/instructions.hpp"

namespace neardup::inline v0::detail {

/// Bit-sliced counts of the 64 columns of many words, in up to eight lanes that are added at the end.
struct bit_tally {
  static constexpr std::size_t lanes = 8;
  static constexpr std::size_t max_planes = 48;  // a lane counts to 2^48
  /// The planes that a block of 16 vectors goes through before its carry: counts of 1, 2, 4 and 8.
  static constexpr std::size_t block_planes = 4;

  // planes[p][lane]: bit p of the counts of a lane; waiting[p][lane]: one more 2^p, if bit p of `is_waiting` is set.
  // Not initialised: `used` says how many planes are.
  alignas(64) std::uint64_t planes[max_planes][lanes];
  alignas(64) std::uint64_t waiting[max_planes][lanes];
  std::uint64_t is_waiting;
  std::size_t used;
  std::uint64_t total;    // words counted
  instruction_set level;  // the same for all words, for each level has lanes of its own

  explicit bit_tally(instruction_set set = active_instruction_set()) noexcept { clear(set); }

  void clear(instruction_set set = active_instruction_set()) noexcept {
    is_waiting = 0;
    used = 0;
    total = 0;
    level = set;
  }

  /// Puts the lowest planes to use. Returns: whether they hold counts already.
  bool begin() noexcept {
    if (used > 0) return true;
    used = block_planes;
    return false;
  }
};

/// The tree of full adders that takes 16 vectors, load(0) to load(15), into the planes ones, twos, fours and eights,
/// and declares and sets `sixteens`, their carry. `add(carry, sum, b, c)` is: sum, carry = sum + b + c, bit by bit.
/// A macro, because lambdas and templates do not carry target attributes on all compilers.
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

// ---- Portable: vectors of two words where the compiler has them (SSE2, NEON), otherwise one word --------------------
// 5 operations an adder. 0.88 cycles a hash.

#if defined(__GNUC__) && (defined(__x86_64__) || defined(__aarch64__))
using portable_vector = std::uint64_t __attribute__((vector_size(16)));
#else
using portable_vector = std::uint64_t;
#endif

inline portable_vector load_portable(const std::uint64_t* words) noexcept {
  portable_vector vector;
  std::memcpy(&vector, words, sizeof vector);
  return vector;
}

inline void full_add_portable(portable_vector& carry, portable_vector& sum, portable_vector b,
                              portable_vector c) noexcept {
  const portable_vector half = sum ^ b;
  carry = (sum & b) | (half & c);
  sum = half ^ c;
}

/// Adds 2^plane to the counts of the columns that are set in `carry`.
inline void add_carry_portable(bit_tally& tally, std::size_t plane, portable_vector carry) noexcept {
  for (; ((tally.is_waiting ^= std::uint64_t{1} << plane) >> plane & 1U) == 0; ++plane) {
    portable_vector sum = load_portable(tally.planes[plane]);
    const portable_vector old = carry;
    full_add_portable(carry, sum, load_portable(tally.waiting[plane]), old);
    std::memcpy(tally.planes[plane], &sum, sizeof sum);
  }
  std::memcpy(tally.waiting[plane], &carry, sizeof carry);
  if (plane == tally.used) {
    carry = portable_vector{};
    std::memcpy(tally.planes[tally.used++], &carry, sizeof carry);
  }
}

/// Declares the lowest planes of a tally in registers, and stores them again.
#define NEARDUP_LOAD_PLANES_PORTABLE(tally)                                             \
  const bool begun = (tally).begin();                                                   \
  portable_vector ones = begun ? load_portable((tally).planes[0]) : portable_vector{};  \
  portable_vector twos = begun ? load_portable((tally).planes[1]) : portable_vector{};  \
  portable_vector fours = begun ? load_portable((tally).planes[2]) : portable_vector{}; \
  portable_vector eights = begun ? load_portable((tally).planes[3]) : portable_vector {}
#define NEARDUP_STORE_PLANES_PORTABLE(tally)            \
  std::memcpy((tally).planes[0], &ones, sizeof ones);   \
  std::memcpy((tally).planes[1], &twos, sizeof twos);   \
  std::memcpy((tally).planes[2], &fours, sizeof fours); \
  std::memcpy((tally).planes[3], &eights, sizeof eights)

/// The reference.
inline void count_bits_portable(bit_tally& tally, const std::uint64_t* words, std::size_t n) noexcept {
  constexpr std::size_t lanes = sizeof(portable_vector) / sizeof(std::uint64_t);
  tally.total += n;
  NEARDUP_LOAD_PLANES_PORTABLE(tally);
  // Written out, for g++ would call a lambda and keep the planes in memory.
  std::size_t i = 0;
  for (; i + 16 * lanes <= n; i += 16 * lanes) {
#define NEARDUP_LOAD(v) load_portable(words + i + lanes * (v))
    NEARDUP_ADD_16(portable_vector, full_add_portable, NEARDUP_LOAD);
#undef NEARDUP_LOAD
    add_carry_portable(tally, bit_tally::block_planes, sixteens);
  }
  if (i < n) {
    std::uint64_t rest[16 * lanes] = {};
    std::memcpy(rest, words + i, (n - i) * sizeof *rest);
#define NEARDUP_LOAD(v) load_portable(rest + lanes * (v))
    NEARDUP_ADD_16(portable_vector, full_add_portable, NEARDUP_LOAD);
#undef NEARDUP_LOAD
    add_carry_portable(tally, bit_tally::block_planes, sixteens);
  }
  NEARDUP_STORE_PLANES_PORTABLE(tally);
}

/// The columns whose bit-sliced count is more than half of the total.
inline std::uint64_t more_than_half(const std::uint64_t* count, std::size_t planes, std::uint64_t total) noexcept {
  // Compared with total / 2 from the highest plane down, in all columns at once.
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

/// The sum of `lanes` lanes, bit-sliced in one, compared.
inline std::uint64_t majority_portable(const bit_tally& tally, std::size_t lanes) noexcept {
  std::uint64_t sum[bit_tally::max_planes + 4] = {};
  // No column counts more than all words.
  const auto planes = static_cast<std::size_t>(std::bit_width(tally.total));
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    // Twice: what is counted, and what waits.
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
NEARDUP_KERNELS_BEGIN

// ---- AVX2: the same five operations, four words a vector ------------------------------------------------------------
// 0.44 cycles a hash.

NEARDUP_TARGET_AVX2 inline __m256i* vector_avx2(std::uint64_t* words) noexcept {
  return reinterpret_cast<__m256i*>(words);
}

NEARDUP_TARGET_AVX2 inline void full_add_avx2(__m256i& carry, __m256i& sum, __m256i b, __m256i c) noexcept {
  const __m256i half = _mm256_xor_si256(sum, b);
  carry = _mm256_or_si256(_mm256_and_si256(sum, b), _mm256_and_si256(half, c));
  sum = _mm256_xor_si256(half, c);
}

NEARDUP_TARGET_AVX2 inline void add_carry_avx2(bit_tally& tally, std::size_t plane, __m256i carry) noexcept {
  for (; ((tally.is_waiting ^= std::uint64_t{1} << plane) >> plane & 1U) == 0; ++plane) {
    __m256i sum = _mm256_load_si256(vector_avx2(tally.planes[plane]));
    const __m256i old = carry;
    full_add_avx2(carry, sum, _mm256_load_si256(vector_avx2(tally.waiting[plane])), old);
    _mm256_store_si256(vector_avx2(tally.planes[plane]), sum);
  }
  _mm256_store_si256(vector_avx2(tally.waiting[plane]), carry);
  if (plane == tally.used) _mm256_store_si256(vector_avx2(tally.planes[tally.used++]), _mm256_setzero_si256());
}

/// Adds 16 vectors, load(0) to load(15), to a tally whose lowest planes are in registers.
#define NEARDUP_COUNT_16_AVX2(tally, load)                    \
  {                                                           \
    NEARDUP_ADD_16(__m256i, full_add_avx2, load);             \
    add_carry_avx2(tally, bit_tally::block_planes, sixteens); \
  }                                                           \
  static_assert(true)

/// Declares the lowest planes of a tally in registers, and stores them again.
#define NEARDUP_LOAD_PLANES_AVX2(tally)                                                               \
  const bool begun = (tally).begin();                                                                 \
  __m256i ones = begun ? _mm256_load_si256(vector_avx2((tally).planes[0])) : _mm256_setzero_si256();  \
  __m256i twos = begun ? _mm256_load_si256(vector_avx2((tally).planes[1])) : _mm256_setzero_si256();  \
  __m256i fours = begun ? _mm256_load_si256(vector_avx2((tally).planes[2])) : _mm256_setzero_si256(); \
  __m256i eights = begun ? _mm256_load_si256(vector_avx2((tally).planes[3])) : _mm256_setzero_si256()
#define NEARDUP_STORE_PLANES_AVX2(tally)                     \
  _mm256_store_si256(vector_avx2((tally).planes[0]), ones);  \
  _mm256_store_si256(vector_avx2((tally).planes[1]), twos);  \
  _mm256_store_si256(vector_avx2((tally).planes[2]), fours); \
  _mm256_store_si256(vector_avx2((tally).planes[3]), eights)

NEARDUP_TARGET_AVX2 inline void count_bits_avx2(bit_tally& tally, const std::uint64_t* words, std::size_t n) noexcept {
  constexpr std::size_t block = 64;
  tally.total += n;
  NEARDUP_LOAD_PLANES_AVX2(tally);
  const auto load_at = [](const std::uint64_t* from)
                           NEARDUP_AVX2_LAMBDA { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)); };
  std::size_t i = 0;
  for (; i + block <= n; i += block) {
#define NEARDUP_LOAD(v) load_at(words + i + 4 * (v))
    NEARDUP_COUNT_16_AVX2(tally, NEARDUP_LOAD);
#undef NEARDUP_LOAD
  }
  if (i < n) {
    std::uint64_t rest[block] = {};
    std::memcpy(rest, words + i, (n - i) * sizeof *rest);
#define NEARDUP_LOAD(v) load_at(rest + 4 * (v))
    NEARDUP_COUNT_16_AVX2(tally, NEARDUP_LOAD);
#undef NEARDUP_LOAD
  }
  NEARDUP_STORE_PLANES_AVX2(tally);
}

// ---- AVX-512: two operations an adder (VPTERNLOGQ), eight words a vector --------------------------------------------
// 0.27 cycles a hash.

NEARDUP_TARGET_AVX512 inline __m512i load_avx512(const std::uint64_t* words) noexcept {
  __m512i vector = _mm512_loadu_si512(words);
  // Otherwise g++ reads it from memory for each of its two uses: half as much again in all.
  asm("" : "+v"(vector));
  return vector;
}

NEARDUP_TARGET_AVX512 inline void full_add_avx512(__m512i& carry, __m512i& sum, __m512i b, __m512i c) noexcept {
  const __m512i old = sum;
  sum = _mm512_ternarylogic_epi64(old, b, c, 0x96);    // a ^ b ^ c
  carry = _mm512_ternarylogic_epi64(old, b, c, 0xe8);  // majority
}

NEARDUP_TARGET_AVX512 inline void add_carry_avx512(bit_tally& tally, std::size_t plane, __m512i carry) noexcept {
  for (; ((tally.is_waiting ^= std::uint64_t{1} << plane) >> plane & 1U) == 0; ++plane) {
    __m512i sum = _mm512_load_si512(tally.planes[plane]);
    const __m512i old = carry;
    full_add_avx512(carry, sum, _mm512_load_si512(tally.waiting[plane]), old);
    _mm512_store_si512(tally.planes[plane], sum);
  }
  _mm512_store_si512(tally.waiting[plane], carry);
  if (plane == tally.used) _mm512_store_si512(tally.planes[tally.used++], _mm512_setzero_si512());
}

#define NEARDUP_COUNT_16_AVX512(tally, load)                    \
  {                                                             \
    NEARDUP_ADD_16(__m512i, full_add_avx512, load);             \
    add_carry_avx512(tally, bit_tally::block_planes, sixteens); \
  }                                                             \
  static_assert(true)

#define NEARDUP_LOAD_PLANES_AVX512(tally)                                                \
  const bool begun = (tally).begin();                                                    \
  __m512i ones = begun ? _mm512_load_si512((tally).planes[0]) : _mm512_setzero_si512();  \
  __m512i twos = begun ? _mm512_load_si512((tally).planes[1]) : _mm512_setzero_si512();  \
  __m512i fours = begun ? _mm512_load_si512((tally).planes[2]) : _mm512_setzero_si512(); \
  __m512i eights = begun ? _mm512_load_si512((tally).planes[3]) : _mm512_setzero_si512()
#define NEARDUP_STORE_PLANES_AVX512(tally)      \
  _mm512_store_si512((tally).planes[0], ones);  \
  _mm512_store_si512((tally).planes[1], twos);  \
  _mm512_store_si512((tally).planes[2], fours); \
  _mm512_store_si512((tally).planes[3], eights)

NEARDUP_TARGET_AVX512 inline void count_bits_avx512(bit_tally& tally, const std::uint64_t* words,
                                                    std::size_t n) noexcept {
  constexpr std::size_t block = 128;
  tally.total += n;
  NEARDUP_LOAD_PLANES_AVX512(tally);
  std::size_t i = 0;
  for (; i + block <= n; i += block) {
#define NEARDUP_LOAD(v) load_avx512(words + i + 8 * (v))
    NEARDUP_COUNT_16_AVX512(tally, NEARDUP_LOAD);
#undef NEARDUP_LOAD
  }
  if (i < n) {
    // Masked loads read nothing where the mask is 0.
    const std::size_t rest = n - i;
    const std::uint64_t low = rest < 64 ? ~(~std::uint64_t{0} << rest) : ~std::uint64_t{0};
    const std::uint64_t high = rest < 64 ? 0 : ~(~std::uint64_t{0} << (rest - 64));
#define NEARDUP_LOAD(v) \
  _mm512_maskz_loadu_epi64(static_cast<__mmask8>(((v) < 8 ? low : high) >> 8 * ((v) % 8)), words + i + 8 * (v))
    NEARDUP_COUNT_16_AVX512(tally, NEARDUP_LOAD);
#undef NEARDUP_LOAD
  }
  NEARDUP_STORE_PLANES_AVX512(tally);
}

/// The same as majority_portable: lanes are added half to half, what waits in the first step.
NEARDUP_TARGET_AVX512 inline std::uint64_t majority_avx512(const bit_tally& tally) noexcept {
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
  // The two last carries: of a pair of lanes, and of both.
  const __m128i other = _mm_unpackhi_epi64(pair_carry, pair_carry);
  count[planes] = static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm_ternarylogic_epi64(pair_carry, other, carry, 0x96)));
  const auto needed = static_cast<std::size_t>(std::bit_width(tally.total));
  return more_than_half(count, needed < planes + 1 ? needed : planes + 1, tally.total);
}

NEARDUP_KERNELS_END
#endif  // NEARDUP_X86_KERNELS

/// Counts the bits of `n` words more.
inline void count_bits(bit_tally& tally, const std::uint64_t* words, std::size_t n) noexcept {
#if NEARDUP_X86_KERNELS
  if (tally.level == instruction_set::avx512) return count_bits_avx512(tally, words, n);
  if (tally.level == instruction_set::avx2) return count_bits_avx2(tally, words, n);
#endif
  count_bits_portable(tally, words, n);
}

/// The bits that are set in more than half of the words counted. Precondition: at most 2^48 words.
inline std::uint64_t majority(const bit_tally& tally) noexcept {
#if NEARDUP_X86_KERNELS
  if (tally.level == instruction_set::avx512) return majority_avx512(tally);
  if (tally.level == instruction_set::avx2) return majority_portable(tally, 4);
#endif
  return majority_portable(tally, sizeof(portable_vector) / sizeof(std::uint64_t));
}

}  // namespace neardup::inline v0::detail
