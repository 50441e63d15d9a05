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
#include <type_traits>

#include "../../detail/bits.hpp"
#include "../../detail/instructions.hpp"
#include "../../instruction_set.hpp"

namespace neardup::inline v0::detail {

// What a bin holds, the smaller the better: of a feature that chose it a number below 2^31; of one that it took as it was
// empty, filled_bin and a number below 2^16.
inline constexpr std::uint32_t filled_bin = 0x80000000U;
inline constexpr std::uint32_t empty_bin = 0xffffffffU;

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
};

template <std::size_t Bins>
inline constexpr auto factors_of_bins = [] {
  std::array<bin_factor_block, words_for(Bins)> result{};
  for (std::size_t bin = 0; bin < word_bits * result.size(); ++bin) {
    result[bin / word_bits].of_lower[bin % word_bits] = factors_of_bin(bin).of_lower;
    result[bin / word_bits].of_upper[bin % word_bits] = factors_of_bin(bin).of_upper;
  }
  return result;
}();

/// Puts each hash, of which the lowest 32 bits count, into its bin.
inline void fill_bins(std::uint32_t* minima, std::uint64_t bins, const std::uint64_t* hashes, std::size_t n) noexcept {
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t place = (hashes[i] & 0xffffffffU) * bins;
    std::uint32_t& least = minima[place >> 32];
    least = (std::min)(least, static_cast<std::uint32_t>(place) >> 1);
  }
}

// ---- what empty bins take ------------------------------------------------------------------------------------------

/// For each of 32 or 64 pairs of factors the smallest product with any of n hashes, as a signed number.
template <std::size_t Lanes>
void least_products_portable(const std::uint64_t* hashes, std::size_t n, const bin_factor_block& factors,
                             std::int16_t* least) noexcept {
  std::int16_t smallest[Lanes];
  std::fill_n(smallest, Lanes, std::int16_t{0x7fff});
  for (std::size_t i = 0; i < n; ++i) {
    const auto lower = static_cast<std::uint16_t>(hashes[i]);
    const auto upper = static_cast<std::uint16_t>(hashes[i] >> 16);
    for (std::size_t lane = 0; lane < Lanes; ++lane) {
      const unsigned product = unsigned{lower} * factors.of_lower[lane] + unsigned{upper} * factors.of_upper[lane];
      smallest[lane] = (std::min)(smallest[lane], static_cast<std::int16_t>(product));
    }
  }
  std::copy_n(smallest, Lanes, least);
}

/// What an empty bin holds of a product: in the order of signed numbers.
constexpr std::uint32_t filled_with(std::int16_t product) noexcept {
  return filled_bin | (static_cast<std::uint16_t>(product) ^ 0x8000U);
}

/// Fills the bins of a word that are in the set `open`. `least_products(lanes, factors, least)` is one of the kernels,
/// `lanes` std::integral_constant of 32 or 64.
template <class LeastProducts>
void fill_open_bins(std::uint32_t* minima, std::uint64_t open, const bin_factor_block& factors,
                    const LeastProducts& least_products) noexcept {
  std::int16_t least[word_bits];
  const auto count = static_cast<std::size_t>(std::popcount(open));
  if (count > 32) {
    least_products(std::integral_constant<std::size_t, 64>(), factors, least);
    for (std::size_t bin = 0; open >> bin != 0; ++bin) {
      // Of a bin that is not open nothing is as large.
      const std::uint32_t taken = filled_with(least[bin]);
      minima[bin] = (std::min)(minima[bin], taken);
      if (bin == word_bits - 1) break;
    }
    return;
  }
  bin_factor_block chosen;
  std::fill_n(chosen.of_lower, 32, std::uint16_t{0});
  std::fill_n(chosen.of_upper, 32, std::uint16_t{0});
  std::uint8_t bins[32];
  for (std::size_t i = 0; i < count; ++i, open &= open - 1) {
    bins[i] = static_cast<std::uint8_t>(std::countr_zero(open));
    chosen.of_lower[i] = factors.of_lower[bins[i]];
    chosen.of_upper[i] = factors.of_upper[bins[i]];
  }
  least_products(std::integral_constant<std::size_t, 32>(), chosen, least);
  for (std::size_t i = 0; i < count; ++i) minima[bins[i]] = (std::min)(minima[bins[i]], filled_with(least[i]));
}

/// The bins of a word, at most 64, that no feature chose. Returns: bit i for bin i.
inline std::uint64_t open_word_portable(const std::uint32_t* minima, std::size_t bins) noexcept {
  std::uint64_t open = 0;
  for (std::size_t i = 0; i < bins; ++i) open |= std::uint64_t{minima[i] >> 31} << i;
  return open;
}

/// The bit of a bin: the highest of a multiplicative hash of what it holds.
constexpr std::uint32_t bit_multiplier = 0x9e3779b1U;

/// The bits of at most 64 bins.
inline std::uint64_t bits_of_bins_portable(const std::uint32_t* minima, std::size_t bins) noexcept {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < bins; ++i) bits |= std::uint64_t{minima[i] * bit_multiplier >> 31} << i;
  return bits;
}

#if NEARDUP_X86_KERNELS
NEARDUP_KERNELS_BEGIN

template <std::size_t Lanes>
NEARDUP_TARGET_AVX2 void least_products_avx2(const std::uint64_t* hashes, std::size_t n,
                                             const bin_factor_block& factors, std::int16_t* least) noexcept {
  const auto load = [](const std::uint16_t* from)
                        NEARDUP_AVX2_LAMBDA { return _mm256_load_si256(reinterpret_cast<const __m256i*>(from)); };
  for (std::size_t j = 0; j < Lanes; j += 32) {
    const __m256i a0 = load(factors.of_lower + j);
    const __m256i a1 = load(factors.of_lower + j + 16);
    const __m256i b0 = load(factors.of_upper + j);
    const __m256i b1 = load(factors.of_upper + j + 16);
    __m256i least0 = _mm256_set1_epi16(0x7fff);
    __m256i least1 = least0;
    for (std::size_t i = 0; i < n; ++i) {
      const __m256i lower = _mm256_set1_epi16(static_cast<short>(hashes[i]));
      const __m256i upper = _mm256_set1_epi16(static_cast<short>(hashes[i] >> 16));
      const __m256i product0 = _mm256_add_epi16(_mm256_mullo_epi16(lower, a0), _mm256_mullo_epi16(upper, b0));
      const __m256i product1 = _mm256_add_epi16(_mm256_mullo_epi16(lower, a1), _mm256_mullo_epi16(upper, b1));
      least0 = _mm256_min_epi16(least0, product0);
      least1 = _mm256_min_epi16(least1, product1);
    }
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(least + j), least0);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(least + j + 16), least1);
  }
}

NEARDUP_TARGET_AVX2 inline std::uint64_t open_word_avx2(const std::uint32_t* minima, std::size_t bins) noexcept {
  std::uint64_t open = 0;
  for (std::size_t i = 0; i < bins; i += 8) {  // bins come in eights
    const __m256i held = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(minima + i));
    open |= std::uint64_t{static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(held)))} << i;
  }
  return open;
}

NEARDUP_TARGET_AVX2 inline std::uint64_t bits_of_bins_avx2(const std::uint32_t* minima, std::size_t bins) noexcept {
  const __m256i factor = _mm256_set1_epi32(static_cast<int>(bit_multiplier));
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < bins; i += 8) {
    const __m256i held = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(minima + i));
    const __m256i hash = _mm256_mullo_epi32(held, factor);
    bits |= std::uint64_t{static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(hash)))} << i;
  }
  return bits;
}

/// The smallest of the products of n hashes with one vector of factors, or two.
struct factor_vectors {
  __m512i of_lower;
  __m512i of_upper;
};
NEARDUP_TARGET_AVX512 inline __m512i product_avx512(const factor_vectors& factors, std::uint64_t hash) noexcept {
  return _mm512_add_epi16(_mm512_mullo_epi16(_mm512_set1_epi16(static_cast<short>(hash)), factors.of_lower),
                          _mm512_mullo_epi16(_mm512_set1_epi16(static_cast<short>(hash >> 16)), factors.of_upper));
}

/// Makes 16 products what a bin holds, and puts them into the bins that are open.
NEARDUP_TARGET_AVX512 inline void take_products_avx512(std::uint32_t* minima, __mmask16 open,
                                                       __m256i products) noexcept {
  const __m256i in_order = _mm256_xor_si256(products, _mm256_set1_epi16(-0x8000));
  const __m512i taken = _mm512_or_si512(_mm512_cvtepu16_epi32(in_order), _mm512_set1_epi32(-0x7fffffff - 1));
  const __m512i held = _mm512_maskz_loadu_epi32(open, minima);
  _mm512_mask_storeu_epi32(minima, open, _mm512_min_epu32(held, taken));
}

/// Fills the bins of a word that are in the set `open`.
NEARDUP_TARGET_AVX512 inline void fill_open_bins_avx512(std::uint32_t* minima, std::uint64_t open,
                                                        const bin_factor_block& factors, const std::uint64_t* hashes,
                                                        std::size_t n) noexcept {
  const auto open0 = static_cast<__mmask32>(open);
  const auto open1 = static_cast<__mmask32>(open >> 32);
  factor_vectors first{_mm512_load_si512(factors.of_lower), _mm512_load_si512(factors.of_upper)};
  factor_vectors second{_mm512_load_si512(factors.of_lower + 32), _mm512_load_si512(factors.of_upper + 32)};
  const __m512i largest = _mm512_set1_epi16(0x7fff);
  __m512i least0 = largest;
  __m512i least1 = largest;
  if (_mm_popcnt_u64(open) <= 32) {
    // One vector for all: those of the second half behind those of the first, and back.
    const auto between = static_cast<std::size_t>(_mm_popcnt_u32(open0));
    alignas(64) std::uint16_t lower[64];
    alignas(64) std::uint16_t upper[64];
    _mm512_store_si512(lower, _mm512_maskz_compress_epi16(open0, first.of_lower));
    _mm512_store_si512(upper, _mm512_maskz_compress_epi16(open0, first.of_upper));
    _mm512_storeu_si512(lower + between, _mm512_maskz_compress_epi16(open1, second.of_lower));
    _mm512_storeu_si512(upper + between, _mm512_maskz_compress_epi16(open1, second.of_upper));
    const factor_vectors chosen{_mm512_load_si512(lower), _mm512_load_si512(upper)};
    __m512i least = largest;
    for (std::size_t i = 0; i < n; ++i) least = _mm512_min_epi16(least, product_avx512(chosen, hashes[i]));
    alignas(64) std::int16_t results[64];
    _mm512_store_si512(results, least);
    least0 = _mm512_maskz_expand_epi16(open0, least);
    least1 = _mm512_maskz_expand_epi16(open1, _mm512_loadu_si512(results + between));
  } else {
    for (std::size_t i = 0; i < n; ++i) {
      least0 = _mm512_min_epi16(least0, product_avx512(first, hashes[i]));
      least1 = _mm512_min_epi16(least1, product_avx512(second, hashes[i]));
    }
  }
  take_products_avx512(minima, static_cast<__mmask16>(open), _mm512_castsi512_si256(least0));
  take_products_avx512(minima + 16, static_cast<__mmask16>(open >> 16), _mm512_extracti64x4_epi64(least0, 1));
  take_products_avx512(minima + 32, static_cast<__mmask16>(open >> 32), _mm512_castsi512_si256(least1));
  take_products_avx512(minima + 48, static_cast<__mmask16>(open >> 48), _mm512_extracti64x4_epi64(least1, 1));
}

/// The lanes of 16 that are among n.
NEARDUP_TARGET_AVX512 inline __mmask16 lanes_among(std::size_t n) noexcept {
  return static_cast<__mmask16>(n >= 16 ? 0xffffU : (1U << n) - 1U);
}

NEARDUP_TARGET_AVX512 inline std::uint64_t open_word_avx512(const std::uint32_t* minima, std::size_t bins) noexcept {
  std::uint64_t open = 0;
  for (std::size_t i = 0; i < bins; i += 16) {
    const __m512i held = _mm512_maskz_loadu_epi32(lanes_among(bins - i), minima + i);
    open |= std::uint64_t{_mm512_movepi32_mask(held)} << i;
  }
  return open;
}

NEARDUP_TARGET_AVX512 inline std::uint64_t bits_of_bins_avx512(const std::uint32_t* minima, std::size_t bins) noexcept {
  const __m512i factor = _mm512_set1_epi32(static_cast<int>(bit_multiplier));
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < bins; i += 16) {
    const __m512i held = _mm512_maskz_loadu_epi32(lanes_among(bins - i), minima + i);
    bits |= std::uint64_t{_mm512_movepi32_mask(_mm512_mullo_epi32(held, factor))} << i;
  }
  return bits;
}

NEARDUP_KERNELS_END
#endif

// ---- by the best of these -------------------------------------------------------------------------------------------

inline void fill_open_bins(std::uint32_t* minima, std::uint64_t open, const bin_factor_block& factors,
                           const std::uint64_t* hashes, std::size_t n, instruction_set level) noexcept {
#if NEARDUP_X86_KERNELS
  if (level == instruction_set::avx512) return fill_open_bins_avx512(minima, open, factors, hashes, n);
  if (level == instruction_set::avx2) {
    return fill_open_bins(minima, open, factors, [&](auto lanes, const auto& chosen, std::int16_t* least) {
      least_products_avx2<lanes>(hashes, n, chosen, least);
    });
  }
#endif
  static_cast<void>(level);
  fill_open_bins(minima, open, factors, [&](auto lanes, const auto& chosen, std::int16_t* least) {
    least_products_portable<lanes>(hashes, n, chosen, least);
  });
}

inline std::uint64_t open_word(const std::uint32_t* minima, std::size_t bins, instruction_set level) noexcept {
#if NEARDUP_X86_KERNELS
  if (level == instruction_set::avx512) return open_word_avx512(minima, bins);
  if (level == instruction_set::avx2) return open_word_avx2(minima, bins);
#endif
  static_cast<void>(level);
  return open_word_portable(minima, bins);
}

inline std::uint64_t bits_of_bins(const std::uint32_t* minima, std::size_t bins, instruction_set level) noexcept {
#if NEARDUP_X86_KERNELS
  if (level == instruction_set::avx512) return bits_of_bins_avx512(minima, bins);
  if (level == instruction_set::avx2) return bits_of_bins_avx2(minima, bins);
#endif
  static_cast<void>(level);
  return bits_of_bins_portable(minima, bins);
}

/// Leaves out most hashes that came before: where few are distinct, all of them would go into each empty bin.
/// Returns: how many are left.
inline std::size_t drop_repeated(const std::uint64_t* hashes, std::size_t n, std::uint64_t* left) noexcept {
  constexpr std::size_t size = 256;
  std::uint64_t seen[size];
  std::fill_n(seen, size, ~hashes[0]);
  std::size_t count = 0;
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t& last = seen[hashes[i] % size];
    left[count] = hashes[i];
    count += last != hashes[i] ? 1 : 0;
    last = hashes[i];
  }
  return count;
}

/// The minima of a set, bin by bin. Adding a hash twice changes nothing, nor does the order.
template <std::size_t Bins>
class bin_minima {
 public:
  static constexpr std::size_t max_hashes = 1024;

  bin_minima() noexcept { clear(); }

  void clear() noexcept { minima_.fill(empty_bin); }

  [[nodiscard]] bool empty() const noexcept { return minima_[0] == empty_bin; }

  /// Adds hashes, at most max_hashes.
  void add(const std::uint64_t* hashes, std::size_t n) noexcept {
    if (n == 0) return;
    fill_bins(minima_.data(), Bins, hashes, n);
    const instruction_set level = active_instruction_set();
    std::uint64_t left[max_hashes];
    for (std::size_t j = 0; j < words_for(Bins); ++j) {
      std::uint32_t* const minima = &minima_[j * word_bits];
      const std::uint64_t open = open_word(minima, width(j), level);
      if (open == 0) continue;
      if (n > 4 * Bins) {  // more than chance lets miss a bin
        n = drop_repeated(hashes, n, left);
        hashes = left;
      }
      fill_open_bins(minima, open, factors_of_bins<Bins>[j], hashes, n, level);
    }
  }

  /// Makes these the minima of the union of both sets.
  void merge(const bin_minima& other) noexcept {
    for (std::size_t bin = 0; bin < Bins; ++bin) minima_[bin] = (std::min)(minima_[bin], other.minima_[bin]);
  }

  /// The bits of the code.
  [[nodiscard]] std::array<std::uint64_t, words_for(Bins)> bits() const noexcept {
    const instruction_set level = active_instruction_set();
    std::array<std::uint64_t, words_for(Bins)> result;
    for (std::size_t j = 0; j < result.size(); ++j) result[j] = bits_of_bins(&minima_[j * word_bits], width(j), level);
    return result;
  }

  friend bool operator==(const bin_minima&, const bin_minima&) noexcept = default;

 private:
  /// The number of bins in word j.
  static constexpr std::size_t width(std::size_t j) noexcept { return (std::min)(word_bits, Bins - j * word_bits); }

  std::array<std::uint32_t, Bins> minima_;
};

}  // namespace neardup::inline v0::detail
