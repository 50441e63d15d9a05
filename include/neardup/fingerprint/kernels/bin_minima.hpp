// The smallest hash in each of several bins: what a min-wise code is made of.
//
// Each feature goes into one bin, by its hash, and the bin keeps the smallest of what follows in the hash: one
// permutation for all bins. A bin that no feature reached takes the smallest of all features by a hash of its own. So
// any feature of a set is that of a bin with the same probability, and two sets agree in a bin with the probability of
// their Jaccard similarity. As the bins of one set share its features out, distances spread less than those of
// independent bits.
// Sources: Li, Owen, Zhang, One Permutation Hashing, NIPS 2012; Dahlgaard, Knudsen, Thorup, Fast Similarity Sketching,
// FOCS 2017, section 2, for filling with further hashes of all features in place of copies of other bins.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "../../detail/bits.hpp"
#include "../../detail/bytes.hpp"
#include "../../detail/instructions.hpp"
#include "../../instruction_set.hpp"

namespace neardup::inline v0::detail {

// What a bin holds, the smaller the better: of a feature that chose it a number below 2^31; of one that it took as it was
// empty, filled_bin and a number below 2^16.
inline constexpr std::uint32_t filled_bin = 0x80000000U;
inline constexpr std::uint32_t empty_bin = 0xffffffffU;

/// How many hashes are added at a time, at most.
inline constexpr std::size_t max_added_hashes = 1024;

/// The two odd numbers by which an empty bin hashes the lower and the upper half of a feature.
struct bin_factors {
  std::uint16_t of_lower;
  std::uint16_t of_upper;
};

constexpr bin_factors factors_of_bin(std::uint64_t bin) noexcept {
  const std::uint64_t x = mix((bin + 1) * golden_ratio);
  return {static_cast<std::uint16_t>(x | 1U), static_cast<std::uint16_t>(x >> 16 | 1U)};
}

/// The factors of 64 bins each, for which kernels have whole vectors.
struct alignas(64) bin_factor_block {
  std::uint16_t of_lower[word_bits];
  std::uint16_t of_upper[word_bits];
  std::uint32_t of_both[word_bits];  // those of the lower half in the lower one
};

template <std::size_t Bins>
inline constexpr auto factors_of_bins = [] {
  std::array<bin_factor_block, words_for(Bins)> result{};
  for (std::size_t bin = 0; bin < word_bits * result.size(); ++bin) {
    const bin_factors factors = factors_of_bin(bin);
    bin_factor_block& block = result[bin / word_bits];
    block.of_lower[bin % word_bits] = factors.of_lower;
    block.of_upper[bin % word_bits] = factors.of_upper;
    block.of_both[bin % word_bits] = factors.of_lower | std::uint32_t{factors.of_upper} << 16;
  }
  return result;
}();

/// The bit of a bin: the highest of a multiplicative hash of what it holds.
inline constexpr std::uint32_t bit_multiplier = 0x9e3779b1U;

/// What an empty bin holds of a product: in the order of signed numbers.
constexpr std::uint32_t filled_with(std::int16_t product) noexcept {
  return filled_bin | (static_cast<std::uint16_t>(product) ^ 0x8000U);
}

// ---- words of 64 bins -----------------------------------------------------------------------------------------------
// Hashes choose bins; those that are left open take products; each bin gives a bit. Vectors of 512 bits gained nothing
// over AVX2 (Intel Xeon of the Sapphire Rapids family).

/// The bin that a hash chooses, and its number there.
struct bin_choice {
  std::uint64_t bin;
  std::uint32_t number;

  // Half the product, and a mask in place of a second shift, of which processors do fewer in a cycle.
  NEARDUP_ALWAYS_INLINE bin_choice(std::uint64_t hash, std::uint64_t bins) noexcept {
    const std::uint64_t half = static_cast<std::uint32_t>(hash) * (bins / 2);
    bin = half >> 31;
    number = static_cast<std::uint32_t>(half) & 0x7fffffffU;
  }
};

/// Puts each hash into the bin that it chooses.
inline void choose_bins_portable(std::uint32_t* minima, std::uint64_t bins, const std::uint64_t* hashes,
                                 std::size_t n) noexcept {
  for (std::size_t i = 0; i < n; ++i) {
    const bin_choice choice(hashes[i], bins);
    const std::uint32_t held = minima[choice.bin];
    minima[choice.bin] = held < choice.number ? held : choice.number;
  }
}

/// The highest bits of 64 numbers, each multiplied by an odd number.
template <std::uint32_t Factor>
std::uint64_t top_bits_portable(const std::uint32_t* numbers) noexcept {
  std::uint64_t bits = 0;
#if NEARDUP_X86_KERNELS
  for (std::size_t i = 0; i < word_bits; i += 4) {
    const __m128i four = _mm_loadu_si128(reinterpret_cast<const __m128i*>(numbers + i));
    __m128i product = four;
    if constexpr (Factor != 1) {
      const __m128i factor = _mm_set1_epi32(static_cast<int>(Factor));
      const __m128i even = _mm_mul_epu32(four, factor);
      const __m128i odd = _mm_mul_epu32(_mm_srli_epi64(four, 32), factor);
      product = _mm_or_si128(_mm_srli_epi64(_mm_slli_epi64(even, 32), 32), _mm_slli_epi64(odd, 32));
    }
    bits |= std::uint64_t{static_cast<unsigned>(_mm_movemask_ps(_mm_castsi128_ps(product)))} << i;
  }
#else
  for (std::size_t i = 0; i < word_bits; ++i) bits |= std::uint64_t{numbers[i] * Factor >> 31} << i;
#endif
  return bits;
}

/// Gives products to 64 bins: of what a feature chose nothing is as large.
NEARDUP_ALWAYS_INLINE void take_products(std::uint32_t* minima, const std::int16_t* products) noexcept {
  for (std::size_t i = 0; i < word_bits; ++i) minima[i] = (std::min)(minima[i], filled_with(products[i]));
}

/// If more of the 64 bins are open, all of them take products at once, otherwise one after the other: texts of up to some
/// 50 features, and longer ones.
inline constexpr int max_single_bins = 28;

/// Defines add_hashes_set(minima, bins, factors, hashes, n): adds n hashes, 0 < n <= max_added_hashes, to all words.
#define NEARDUP_DEFINE_ADD_HASHES(target, set)                                                                    \
  target inline void add_hashes_##set(std::uint32_t* minima, std::uint64_t bins, const bin_factor_block* factors, \
                                      const std::uint64_t* hashes, std::size_t n) noexcept {                      \
    choose_bins_##set(minima, bins, hashes, n);                                                                   \
    for (std::size_t j = 0; j < words_for(bins); ++j, minima += word_bits) {                                      \
      const std::uint64_t open = top_bits_##set<1>(minima);                                                       \
      if (open == 0) continue;                                                                                    \
      if (portable_popcount(open) > max_single_bins) {                                                            \
        fill_all_bins_##set(minima, factors[j], hashes, n);                                                       \
      } else {                                                                                                    \
        fill_each_bin_##set(minima, open, factors[j], hashes, n);                                                 \
      }                                                                                                           \
    }                                                                                                             \
  }                                                                                                               \
  static_assert(true)

#if defined(__GNUC__)
using words_portable = std::int16_t __attribute__((vector_size(16)));
#else
using words_portable = std::int16_t;
#endif
inline constexpr std::size_t word_lanes_portable = sizeof(words_portable) / sizeof(std::int16_t);

inline words_portable load_words_portable(const std::uint16_t* from) noexcept {
  words_portable words;
  std::memcpy(&words, from, sizeof words);
  return words;
}
inline words_portable set1_words_portable(std::uint64_t word) noexcept {
  return words_portable{} + static_cast<std::int16_t>(word);
}
inline words_portable lesser_portable(words_portable a, words_portable b) noexcept {
#if NEARDUP_X86_KERNELS
  return reinterpret_cast<words_portable>(_mm_min_epi16(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
#else
  return a < b ? a : b;
#endif
}

/// Gives each bin its least product with any of n hashes: lanes are bins, and hashes come one after the other.
inline void fill_all_bins_portable(std::uint32_t* minima, const bin_factor_block& factors, const std::uint64_t* hashes,
                                   std::size_t n) noexcept {
  std::int16_t products[word_bits];
  for (std::size_t j = 0; j < word_bits; j += 4 * word_lanes_portable) {
    words_portable least0 = set1_words_portable(0x7fff);
    words_portable least1 = least0;
    words_portable least2 = least0;
    words_portable least3 = least0;
    for (std::size_t i = 0; i < n; ++i) {
      const words_portable lower = set1_words_portable(hashes[i]);
      const words_portable upper = set1_words_portable(hashes[i] >> 16);
      const auto product = [&](std::size_t v) {
        return lower * load_words_portable(factors.of_lower + j + v * word_lanes_portable) +
               upper * load_words_portable(factors.of_upper + j + v * word_lanes_portable);
      };
      least0 = lesser_portable(least0, product(0));
      least1 = lesser_portable(least1, product(1));
      least2 = lesser_portable(least2, product(2));
      least3 = lesser_portable(least3, product(3));
    }
    std::memcpy(products + j, &least0, sizeof least0);
    std::memcpy(products + j + word_lanes_portable, &least1, sizeof least1);
    std::memcpy(products + j + 2 * word_lanes_portable, &least2, sizeof least2);
    std::memcpy(products + j + 3 * word_lanes_portable, &least3, sizeof least3);
  }
  take_products(minima, products);
}

/// The same for the bins in the set `open`: lanes are hashes, and bins come one after the other.
inline void fill_each_bin_portable(std::uint32_t* minima, std::uint64_t open, const bin_factor_block& factors,
                                   const std::uint64_t* hashes, std::size_t n) noexcept {
  std::uint16_t lower[max_added_hashes + word_lanes_portable];
  std::uint16_t upper[max_added_hashes + word_lanes_portable];
  for (std::size_t i = 0; i < n; ++i) {
    lower[i] = static_cast<std::uint16_t>(hashes[i]);
    upper[i] = static_cast<std::uint16_t>(hashes[i] >> 16);
  }
  // The last one again, for whole vectors.
  std::fill_n(lower + n, word_lanes_portable, lower[n - 1]);
  std::fill_n(upper + n, word_lanes_portable, upper[n - 1]);
  for (; open != 0; open &= open - 1) {
    const auto bin = static_cast<std::size_t>(std::countr_zero(open));
    const words_portable of_lower = set1_words_portable(factors.of_lower[bin]);
    const words_portable of_upper = set1_words_portable(factors.of_upper[bin]);
    words_portable least = set1_words_portable(0x7fff);
    for (std::size_t i = 0; i < n; i += word_lanes_portable) {
      least =
          lesser_portable(least, load_words_portable(lower + i) * of_lower + load_words_portable(upper + i) * of_upper);
    }
    std::int16_t each[word_lanes_portable];
    std::memcpy(each, &least, sizeof least);
    minima[bin] = (std::min)(minima[bin], filled_with(*std::min_element(each, each + word_lanes_portable)));
  }
}

NEARDUP_DEFINE_ADD_HASHES(, portable);

#if NEARDUP_X86_KERNELS
NEARDUP_KERNELS_BEGIN

/// By VPMINUD, for CMOV waits for the two units that shifts need.
NEARDUP_TARGET_AVX2 inline void choose_bins_avx2(std::uint32_t* minima, std::uint64_t bins, const std::uint64_t* hashes,
                                                 std::size_t n) noexcept {
  for (std::size_t i = 0; i < n; ++i) {
    const bin_choice choice(hashes[i], bins);
    std::uint32_t& held = minima[choice.bin];
    held = static_cast<std::uint32_t>(_mm_cvtsi128_si32(
        _mm_min_epu32(_mm_cvtsi32_si128(static_cast<int>(held)), _mm_cvtsi32_si128(static_cast<int>(choice.number)))));
  }
}

template <std::uint32_t Factor>
NEARDUP_TARGET_AVX2 std::uint64_t top_bits_avx2(const std::uint32_t* numbers) noexcept {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < word_bits; i += 8) {
    const __m256i product = _mm256_mullo_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(numbers + i)),
                                               _mm256_set1_epi32(static_cast<int>(Factor)));
    bits |= std::uint64_t{static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(product)))} << i;
  }
  return bits;
}

NEARDUP_TARGET_AVX2 inline void fill_all_bins_avx2(std::uint32_t* minima, const bin_factor_block& factors,
                                                   const std::uint64_t* hashes, std::size_t n) noexcept {
  const auto load = [](const std::uint16_t* from)
                        NEARDUP_AVX2_LAMBDA { return _mm256_load_si256(reinterpret_cast<const __m256i*>(from)); };
  __m256i least0 = _mm256_set1_epi16(0x7fff);
  __m256i least1 = least0;
  __m256i least2 = least0;
  __m256i least3 = least0;
  for (std::size_t i = 0; i < n; ++i) {
    const __m256i lower = _mm256_set1_epi16(static_cast<short>(hashes[i]));
    const __m256i upper = _mm256_set1_epi16(static_cast<short>(hashes[i] >> 16));
    const auto product = [&](std::size_t bin) NEARDUP_AVX2_LAMBDA {
      return _mm256_add_epi16(_mm256_mullo_epi16(lower, load(factors.of_lower + bin)),
                              _mm256_mullo_epi16(upper, load(factors.of_upper + bin)));
    };
    least0 = _mm256_min_epi16(least0, product(0));
    least1 = _mm256_min_epi16(least1, product(16));
    least2 = _mm256_min_epi16(least2, product(32));
    least3 = _mm256_min_epi16(least3, product(48));
  }
  alignas(32) std::int16_t products[word_bits];
  const auto store = [&](std::size_t bin, __m256i least)
                         NEARDUP_AVX2_LAMBDA { _mm256_store_si256(reinterpret_cast<__m256i*>(products + bin), least); };
  store(0, least0);
  store(16, least1);
  store(32, least2);
  store(48, least3);
  take_products(minima, products);
}

/// The least of what a bin is filled with by products, each in the lower half of 32 bits.
NEARDUP_TARGET_AVX2 NEARDUP_ALWAYS_INLINE std::uint32_t least_filled_avx2(__m256i products) noexcept {
  const __m128i half = _mm_min_epi16(_mm256_castsi256_si128(products), _mm256_extracti128_si256(products, 1));
  // VPHMINPOSUW takes the least of unsigned numbers.
  const __m128i numbers = _mm_or_si128(_mm_xor_si128(half, _mm_set1_epi16(-0x8000)), _mm_set1_epi32(-0x10000));
  return filled_bin | static_cast<std::uint16_t>(_mm_cvtsi128_si32(_mm_minpos_epu16(numbers)));  // its place is above
}

/// VPMADDWD multiplies both halves of a hash, and adds up.
NEARDUP_TARGET_AVX2 inline void fill_each_bin_avx2(std::uint32_t* minima, std::uint64_t open,
                                                   const bin_factor_block& factors, const std::uint64_t* hashes,
                                                   std::size_t n) noexcept {
  alignas(32) std::uint32_t halves[max_added_hashes + 16];
  for (std::size_t i = 0; i < n; ++i) halves[i] = static_cast<std::uint32_t>(hashes[i]);
  std::fill_n(halves + n, 16, halves[n - 1]);
  const auto load = [&](std::size_t i)
                        NEARDUP_AVX2_LAMBDA { return _mm256_load_si256(reinterpret_cast<const __m256i*>(halves + i)); };
  for (; open != 0; open &= open - 1) {
    const auto bin = static_cast<std::size_t>(std::countr_zero(open));
    const __m256i factor = _mm256_set1_epi32(static_cast<int>(factors.of_both[bin]));
    __m256i least0 = _mm256_set1_epi16(0x7fff);
    __m256i least1 = least0;
    for (std::size_t i = 0; i < n; i += 16) {
      least0 = _mm256_min_epi16(least0, _mm256_madd_epi16(factor, load(i)));
      least1 = _mm256_min_epi16(least1, _mm256_madd_epi16(factor, load(i + 8)));
    }
    minima[bin] = (std::min)(minima[bin], least_filled_avx2(_mm256_min_epi16(least0, least1)));
  }
}

NEARDUP_DEFINE_ADD_HASHES(NEARDUP_TARGET_AVX2, avx2);

NEARDUP_KERNELS_END
#endif

// ---- by the best of these -------------------------------------------------------------------------------------------

inline void add_hashes(std::uint32_t* minima, std::uint64_t bins, const bin_factor_block* factors,
                       const std::uint64_t* hashes, std::size_t n) noexcept {
#if NEARDUP_X86_KERNELS
  if (active_instruction_set() >= instruction_set::avx2) return add_hashes_avx2(minima, bins, factors, hashes, n);
#endif
  add_hashes_portable(minima, bins, factors, hashes, n);
}

/// The bits of the code, those of a word.
inline std::uint64_t bits_of_bins(const std::uint32_t* minima) noexcept {
#if NEARDUP_X86_KERNELS
  if (active_instruction_set() >= instruction_set::avx2) return top_bits_avx2<bit_multiplier>(minima);
#endif
  return top_bits_portable<bit_multiplier>(minima);
}

/// The minima of a set, bin by bin. Adding a hash twice changes nothing, nor does the order.
template <std::size_t Bins>
class bin_minima {
 public:
  bin_minima() noexcept { clear(); }

  void clear() noexcept { std::fill_n(minima_.begin(), Bins, empty_bin); }

  [[nodiscard]] bool empty() const noexcept { return minima_[0] == empty_bin; }

  /// Adds hashes, at most max_added_hashes.
  void add(const std::uint64_t* hashes, std::size_t n) noexcept {
    if (n > 0) add_hashes(minima_.data(), Bins, factors_of_bins<Bins>.data(), hashes, n);
  }

  /// Makes these the minima of the union of both sets.
  void merge(const bin_minima& other) noexcept {
    for (std::size_t bin = 0; bin < Bins; ++bin) minima_[bin] = (std::min)(minima_[bin], other.minima_[bin]);
  }

  /// The bits of the code.
  [[nodiscard]] std::array<std::uint64_t, words_for(Bins)> bits() const noexcept {
    std::array<std::uint64_t, words> result;
    for (std::size_t j = 0; j < words; ++j) result[j] = bits_of_bins(&minima_[j * word_bits]);
    return result;
  }

  friend bool operator==(const bin_minima&, const bin_minima&) noexcept = default;

 private:
  static constexpr std::size_t words = words_for(Bins);

  std::array<std::uint32_t, word_bits * words> minima_{};  // behind the bins zeros, as if hashes had chosen them
};

}  // namespace neardup::inline v0::detail
