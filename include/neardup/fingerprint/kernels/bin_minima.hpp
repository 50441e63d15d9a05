// SPDX-License-Identifier: MIT
// One-permutation min-wise hashing: each of several bins has the smallest of its hashes. A min-wise code consists of
// these minima.
//
// The hash of a feature determines one bin, and a number for that bin. The bin keeps the smallest number. A bin that no
// feature chose has to be filled. Each bin has two factors, by which the hash of each feature of the set is multiplied.
// The bin is filled with the least product. So a bin is equally likely to contain any feature of a set, and the
// probability that two sets agree in a bin is their Jaccard similarity. The features of a set are divided among the
// bins. So distances have less variance than with independent bits.
// Sources: Li, Owen, Zhang, One Permutation Hashing, NIPS 2012; Dahlgaard, Knudsen, Thorup, Fast Similarity Sketching,
// FOCS 2017, section 2 (filling bins with further hashes of all features, not with copies of other bins).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include "../../detail/bits.hpp"
#include "../../detail/bytes.hpp"
#include "../../instruction_set.hpp"
#include "../../minwise.hpp"
#include "../../simd/forms.hpp"

namespace neardup::inline v0::detail {

// The content of a bin. The smallest content is kept. A bin that a feature chose contains the number of that feature,
// which is below 2^31. A filled bin contains filled_bin plus a 16-bit product. The initial content is empty_bin.
inline constexpr std::uint32_t filled_bin = 0x80000000U;
inline constexpr std::uint32_t empty_bin = 0xffffffffU;

/// The greatest number of hashes per call of add().
inline constexpr std::size_t max_added_hashes = 1024;

/// The two odd factors of a bin. An empty bin multiplies the lower and the upper 16 bits of a feature by its factors.
struct bin_factors {
  std::uint16_t of_lower;
  std::uint16_t of_upper;
};

constexpr bin_factors factors_of_bin(std::uint64_t bin) noexcept {
  const std::uint64_t x = mix((bin + 1) * golden_ratio);
  return {static_cast<std::uint16_t>(x | 1U), static_cast<std::uint16_t>(x >> 16 | 1U)};
}

/// The factors of 64 bins, with which hashes are multiplied. The array of_lower has the first factor of each bin, and
/// of_upper the second one, so that kernels can load whole vectors.
struct alignas(64) bin_factor_block {
  std::uint16_t of_lower[word_bits];
  std::uint16_t of_upper[word_bits];
  std::uint32_t of_both[word_bits];  // of_lower in the lower half, of_upper in the upper half
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

/// The bit of a bin in the code is the highest bit of (content * bit_multiplier).
inline constexpr std::uint32_t bit_multiplier = 0x9e3779b1U;

/// Returns the content of an empty bin that is filled with `product`. The function is monotonic: a smaller signed
/// product gives a smaller content.
constexpr std::uint32_t filled_with(std::int16_t product) noexcept {
  return filled_bin | (static_cast<std::uint16_t>(product) ^ 0x8000U);
}

// ---- words of 64 bins -----------------------------------------------------------------------------------------------
// Hashes choose bins. A bin is open if no hash chose the bin. Open bins are filled with products. Then each bin gives a
// bit of the code. A set of few hashes leaves most bins open. So products are computed for all 64 bins, in the loop in
// which hashes choose bins; products and choices use different units of the processor. A larger set leaves few bins
// open. So products are computed afterwards, for the open bins only.

/// The two values that the hash of a token determines: its bin, and the number that competes for the minimum of the
/// bin.
struct bin_choice {
  std::uint64_t bin;
  std::uint32_t number;

  // A mask is used instead of a second shift, because processors do fewer shifts than logical operations per cycle.
  NEARDUP_ALWAYS_INLINE bin_choice(std::uint64_t hash, std::uint64_t bins) noexcept {
    const std::uint64_t half = static_cast<std::uint32_t>(hash) * (bins / 2);
    bin = half >> 31;
    number = static_cast<std::uint32_t>(half) & 0x7fffffffU;
  }
};

/// A hash chooses its bin. The bin keeps the smaller of its content and the number of the hash.
NEARDUP_ALWAYS_INLINE void choose_bin_portable(std::uint32_t* minima, std::uint64_t bins, std::uint64_t hash) noexcept {
  const bin_choice choice(hash, bins);
  const std::uint32_t held = minima[choice.bin];
  minima[choice.bin] = held < choice.number ? held : choice.number;
}

/// Each hash chooses its bin.
inline void choose_bins_portable(std::uint32_t* minima, std::uint64_t bins, const std::uint64_t* hashes,
                                 std::size_t n) noexcept {
  for (std::size_t i = 0; i < n; ++i) choose_bin_portable(minima, bins, hashes[i]);
}

/// Multiplies each of 64 numbers by Factor.
/// Returns: the highest bit of each 32-bit product. Bit i of the result is the bit of number i.
template <std::uint32_t Factor>
std::uint64_t top_bits_portable(const std::uint32_t* numbers) noexcept {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < word_bits; ++i) bits |= std::uint64_t{numbers[i] * Factor >> 31} << i;
  return bits;
}

/// Returns the product of a hash for an empty bin: lower * of_lower + upper * of_upper mod 2^16. `lower` and `upper`
/// are the two halves of the lowest 32 bits of the hash. The bin is filled with the least product of all hashes.
NEARDUP_ALWAYS_INLINE std::int16_t bin_product(std::uint64_t hash, std::uint16_t of_lower,
                                               std::uint16_t of_upper) noexcept {
  const auto lower = static_cast<std::uint16_t>(hash);
  const auto upper = static_cast<std::uint16_t>(hash >> 16);
  return static_cast<std::int16_t>(std::uint32_t{lower} * of_lower + std::uint32_t{upper} * of_upper);
}

/// Fills 64 bins with products. A bin that a hash chose keeps its number, because the number is smaller than any filled
/// content.
NEARDUP_ALWAYS_INLINE void take_products(std::uint32_t* minima, const std::int16_t* products) noexcept {
  for (std::size_t i = 0; i < word_bits; ++i) minima[i] = (std::min)(minima[i], filled_with(products[i]));
}

/// Fills each of 64 bins with the least product of the bin's factors and one of n hashes. If `Chooses`, the hashes also
/// choose their bins, in the same loop. `minima` is then the first of `bins` bins.
template <bool Chooses>
void fill_all_bins_portable(std::uint32_t* minima, std::uint64_t bins, const bin_factor_block& factors,
                            const std::uint64_t* hashes, std::size_t n) noexcept {
  std::int16_t least[word_bits];
  std::fill_n(least, word_bits, std::int16_t{0x7fff});
  for (std::size_t i = 0; i < n; ++i) {
    if (Chooses) choose_bin_portable(minima, bins, hashes[i]);
    for (std::size_t bin = 0; bin < word_bits; ++bin) {
      least[bin] = (std::min)(least[bin], bin_product(hashes[i], factors.of_lower[bin], factors.of_upper[bin]));
    }
  }
  take_products(minima, least);
}

/// Fills the bins in the bit set `open`, each with the least product of the bin's factors and one of n hashes.
inline void fill_each_bin_portable(std::uint32_t* minima, std::uint64_t open, const bin_factor_block& factors,
                                   const std::uint64_t* hashes, std::size_t n) noexcept {
  for (; open != 0; open &= open - 1) {
    const auto bin = static_cast<std::size_t>(std::countr_zero(open));
    std::int16_t least = 0x7fff;
    for (std::size_t i = 0; i < n; ++i) {
      least = (std::min)(least, bin_product(hashes[i], factors.of_lower[bin], factors.of_upper[bin]));
    }
    minima[bin] = (std::min)(minima[bin], filled_with(least));
  }
}

#if NEARDUP_BASELINE_KERNELS
// ---- baseline x86-64: eight 16-bit lanes; C++ operators where their machine code is as good as intrinsics ----------

inline constexpr std::size_t short_lanes = sizeof(baseline_shorts) / sizeof(std::int16_t);

inline baseline_shorts load_shorts(const std::uint16_t* from) noexcept {
  baseline_shorts shorts;
  std::memcpy(&shorts, from, sizeof shorts);
  return shorts;
}
inline baseline_shorts lesser_shorts(baseline_shorts a, baseline_shorts b) noexcept { return a < b ? a : b; }

/// Two vectors: one has the lower 16 bits of a number in all lanes, and the other has the upper 16 bits in all lanes.
struct halves_baseline {
  baseline_shorts lower;
  baseline_shorts upper;

  NEARDUP_ALWAYS_INLINE explicit halves_baseline(std::uint64_t of) noexcept {
#if NEARDUP_X86_KERNELS

    const __m128i once = _mm_cvtsi32_si128(static_cast<int>(of));
    const __m128i twice = _mm_unpacklo_epi16(once, once);
    lower = reinterpret_cast<baseline_shorts>(_mm_shuffle_epi32(twice, 0));
    upper = reinterpret_cast<baseline_shorts>(_mm_shuffle_epi32(twice, 0x55));
#else
    lower = baseline_shorts{} + static_cast<std::int16_t>(of);
    upper = baseline_shorts{} + static_cast<std::int16_t>(of >> 16);

#endif
  }
};

/// Returns the least lane of each of four vectors. The four 16-bit results are packed; the result of the first vector
/// has the lowest bits.
inline std::uint64_t min_lanes_baseline(const baseline_shorts (&of)[4]) noexcept {
#if NEARDUP_X86_KERNELS

  const auto lesser = [](__m128i a, __m128i b) { return _mm_min_epi16(a, b); };
  const auto pair = [&](std::size_t i) {
    const auto a = reinterpret_cast<__m128i>(of[i]);
    const auto b = reinterpret_cast<__m128i>(of[i + 1]);
    return lesser(_mm_unpacklo_epi16(a, b), _mm_unpackhi_epi16(a, b));
  };
  const __m128i twice = lesser(_mm_unpacklo_epi32(pair(0), pair(2)), _mm_unpackhi_epi32(pair(0), pair(2)));
  return static_cast<std::uint64_t>(_mm_cvtsi128_si64(lesser(twice, _mm_unpackhi_epi64(twice, twice))));
#else
  std::uint64_t result = 0;
  for (std::size_t v = 0; v < 4; ++v) {
    std::int16_t lanes[short_lanes];
    std::memcpy(lanes, &of[v], sizeof lanes);
    const std::int16_t least = *std::min_element(lanes, lanes + short_lanes);
    result |= std::uint64_t{static_cast<std::uint16_t>(least)} << (16 * v);
  }
  return result;

#endif
}

template <std::uint32_t Factor>
std::uint64_t top_bits_baseline(const std::uint32_t* numbers) noexcept {
#if NEARDUP_X86_KERNELS

  const auto product = [&](std::size_t i) {
    const __m128i four = _mm_loadu_si128(reinterpret_cast<const __m128i*>(numbers + i));
    if constexpr (Factor == 1) return four;
    const __m128i factor = _mm_set1_epi32(static_cast<int>(Factor));
    const __m128i even = _mm_mul_epu32(four, factor);
    const __m128i odd = _mm_mul_epu32(_mm_srli_epi64(four, 32), factor);
    return _mm_unpacklo_epi32(_mm_shuffle_epi32(even, 0x88), _mm_shuffle_epi32(odd, 0x88));
  };
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < word_bits; i += 16) {
    const __m128i signs =
        _mm_packs_epi16(_mm_packs_epi32(product(i), product(i + 4)), _mm_packs_epi32(product(i + 8), product(i + 12)));
    bits |= std::uint64_t{static_cast<unsigned>(_mm_movemask_epi8(signs))} << i;
  }
  return bits;
#else
  return top_bits_portable<Factor>(numbers);

#endif
}

/// The baseline version of fill_all_bins_portable: one bin per lane, one hash per iteration.
template <bool Chooses>
void fill_all_bins_baseline(std::uint32_t* minima, std::uint64_t bins, const bin_factor_block& factors,
                            const std::uint64_t* hashes, std::size_t n) noexcept {
  static_assert(8 * short_lanes == word_bits);
  std::int16_t products[word_bits];
  const auto fill = [&]<std::size_t... V>(std::index_sequence<V...>) {
    baseline_shorts least[] = {(static_cast<void>(V), baseline_shorts{} + std::int16_t{0x7fff})...};
    for (std::size_t i = 0; i < n; ++i) {
      if (Chooses) choose_bin_portable(minima, bins, hashes[i]);
      const halves_baseline hash(hashes[i]);
      const auto product = [&](std::size_t bin) {
        return hash.lower * load_shorts(factors.of_lower + bin) + hash.upper * load_shorts(factors.of_upper + bin);
      };
      ((least[V] = lesser_shorts(least[V], product(V * short_lanes))), ...);
    }
    std::memcpy(products, least, sizeof least);
  };
  fill(std::make_index_sequence<8>{});
  take_products(minima, products);
}

/// Does what fill_each_bin_portable does, with the vectors of every x86-64: one hash per lane, four bins per iteration.
inline void fill_each_bin_baseline(std::uint32_t* minima, std::uint64_t open, const bin_factor_block& factors,
                                   const std::uint64_t* hashes, std::size_t n) noexcept {
  alignas(baseline_shorts) std::uint16_t lower[max_added_hashes + short_lanes];
  alignas(baseline_shorts) std::uint16_t upper[max_added_hashes + short_lanes];
  for (std::size_t i = 0; i < n; ++i) {
    lower[i] = static_cast<std::uint16_t>(hashes[i]);
    upper[i] = static_cast<std::uint16_t>(hashes[i] >> 16);
  }
  std::fill_n(lower + n, short_lanes, lower[n - 1]);
  std::fill_n(upper + n, short_lanes, upper[n - 1]);
  while (open != 0) {
    std::size_t bins[4];
    for (std::size_t v = 0; v < 4; ++v) {
      bins[v] = open == 0 ? bins[v - 1] : static_cast<std::size_t>(std::countr_zero(open));
      open &= open - 1;
    }
    const auto min_of_bins = [&]<std::size_t... V>(std::index_sequence<V...>) {
      const halves_baseline of[] = {halves_baseline(factors.of_both[bins[V]])...};
      baseline_shorts result[] = {(static_cast<void>(V), baseline_shorts{} + std::int16_t{0x7fff})...};
      for (std::size_t i = 0; i < n; i += short_lanes) {
        const baseline_shorts low = load_shorts(lower + i);
        const baseline_shorts high = load_shorts(upper + i);
        ((result[V] = lesser_shorts(result[V], low * of[V].lower + high * of[V].upper)), ...);
      }
      return min_lanes_baseline(result);
    };
    const std::uint64_t least = min_of_bins(std::make_index_sequence<4>{});
    for (std::size_t v = 0; v < 4; ++v) {
      minima[bins[v]] = (std::min)(minima[bins[v]], filled_with(static_cast<std::int16_t>(least >> (16 * v))));
    }
  }
}
#endif  // NEARDUP_BASELINE_KERNELS

#if NEARDUP_X86_KERNELS

NEARDUP_AVX2_BEGIN

/// The AVX2 version of choose_bin_portable. It uses VPMINUD. CMOV would compete with the shifts for the same two units
/// of the processor.
NEARDUP_ALWAYS_INLINE void choose_bin_avx2(std::uint32_t* minima, std::uint64_t bins, std::uint64_t hash) noexcept {
  const bin_choice choice(hash, bins);
  std::uint32_t& held = minima[choice.bin];
  held = static_cast<std::uint32_t>(_mm_cvtsi128_si32(
      _mm_min_epu32(_mm_cvtsi32_si128(static_cast<int>(held)), _mm_cvtsi32_si128(static_cast<int>(choice.number)))));
}

inline void choose_bins_avx2(std::uint32_t* minima, std::uint64_t bins, const std::uint64_t* hashes,
                             std::size_t n) noexcept {
  for (std::size_t i = 0; i < n; ++i) choose_bin_avx2(minima, bins, hashes[i]);
}

template <std::uint32_t Factor>
std::uint64_t top_bits_avx2(const std::uint32_t* numbers) noexcept {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < word_bits; i += 8) {
    const __m256i product = _mm256_mullo_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(numbers + i)),
                                               _mm256_set1_epi32(static_cast<int>(Factor)));
    bits |= std::uint64_t{static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(product)))} << i;
  }
  return bits;
}

template <bool Chooses>
void fill_all_bins_avx2(std::uint32_t* minima, std::uint64_t bins, const bin_factor_block& factors,
                        const std::uint64_t* hashes, std::size_t n) noexcept {
  const auto load = [](const std::uint16_t* from) { return _mm256_load_si256(reinterpret_cast<const __m256i*>(from)); };
  alignas(32) std::int16_t products[word_bits];
  const auto fill = [&]<std::size_t... V>(std::index_sequence<V...>) {
    __m256i least[] = {(static_cast<void>(V), _mm256_set1_epi16(0x7fff))...};
    for (std::size_t i = 0; i < n; ++i) {
      if (Chooses) choose_bin_avx2(minima, bins, hashes[i]);
      const __m256i lower = _mm256_set1_epi16(static_cast<short>(hashes[i]));
      const __m256i upper = _mm256_set1_epi16(static_cast<short>(hashes[i] >> 16));
      ((least[V] =
            _mm256_min_epi16(least[V], _mm256_add_epi16(_mm256_mullo_epi16(lower, load(factors.of_lower + 16 * V)),
                                                        _mm256_mullo_epi16(upper, load(factors.of_upper + 16 * V))))),
       ...);
    }
    (_mm256_store_si256(reinterpret_cast<__m256i*>(products + 16 * V), least[V]), ...);
  };
  fill(std::make_index_sequence<4>{});
  take_products(minima, products);
}

/// Returns the content of a bin that is filled with the least of eight products. The products are in the lower halves
/// of the 32-bit lanes.
NEARDUP_ALWAYS_INLINE std::uint32_t least_filled_avx2(__m256i products) noexcept {
  const __m128i half = _mm_min_epi16(_mm256_castsi256_si128(products), _mm256_extracti128_si256(products, 1));
  // VPHMINPOSUW finds the least of eight unsigned 16-bit numbers. So the sign bits of the signed products are flipped,
  // and the unused upper halves of the 32-bit lanes are set to the maximum.
  const __m128i numbers = _mm_or_si128(_mm_xor_si128(half, _mm_set1_epi16(-0x8000)), _mm_set1_epi32(-0x10000));
  // The lower 16 bits of the result of VPHMINPOSUW are the least number, and the bits above are the lane of that
  // number.
  return filled_bin | static_cast<std::uint16_t>(_mm_cvtsi128_si32(_mm_minpos_epu16(numbers)));
}

/// The AVX2 version of fill_each_bin_portable. VPMADDWD multiplies the two halves of a hash, and adds the two products.
inline void fill_each_bin_avx2(std::uint32_t* minima, std::uint64_t open, const bin_factor_block& factors,
                               const std::uint64_t* hashes, std::size_t n) noexcept {
  alignas(32) std::uint32_t halves[max_added_hashes + 16];
  for (std::size_t i = 0; i < n; ++i) halves[i] = static_cast<std::uint32_t>(hashes[i]);
  std::fill_n(halves + n, 16, halves[n - 1]);
  const auto load = [&](std::size_t i) { return _mm256_load_si256(reinterpret_cast<const __m256i*>(halves + i)); };
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
NEARDUP_END

NEARDUP_AVX512_BEGIN

/// The AVX-512 version of fill_all_bins_portable. It uses VPMADDWD, whose products have 32 bits. 16-bit products would
/// need 16-bit broadcasts. Such broadcasts are shuffles, and compete with products for the same two units of the
/// processor. A 32-bit broadcast load needs no shuffle.
template <bool Chooses>
void fill_all_bins_avx512(std::uint32_t* minima, std::uint64_t bins, const bin_factor_block& factors,
                          const std::uint64_t* hashes, std::size_t n) noexcept {
  const auto fill = [&]<std::size_t... V>(std::index_sequence<V...>) {
    const __m512i factor[] = {_mm512_load_si512(factors.of_both + 16 * V)...};
    __m512i least[] = {(static_cast<void>(V), _mm512_set1_epi16(0x7fff))...};
    for (std::size_t i = 0; i < n; ++i) {
      if (Chooses) choose_bin_avx2(minima, bins, hashes[i]);
      const __m512i hash = _mm512_set1_epi32(static_cast<int>(hashes[i]));
      ((least[V] = _mm512_min_epi16(least[V], _mm512_madd_epi16(hash, factor[V]))), ...);
    }
    // Computes filled_with() of each lane. The upper half of a lane is replaced, because it has the upper bits of the
    // 32-bit product.
    const __m512i filled = _mm512_set1_epi32(static_cast<int>(filled_bin));
    ((least[V] = _mm512_mask_blend_epi16(0xaaaaaaaaU, _mm512_xor_si512(least[V], _mm512_set1_epi32(0x8000)), filled),
      _mm512_storeu_si512(minima + 16 * V, _mm512_min_epu32(_mm512_loadu_si512(minima + 16 * V), least[V]))),
     ...);
  };
  fill(std::make_index_sequence<4>{});
}
NEARDUP_END

#endif

// ---- dispatch by instruction set ------------------------------------------------------------------------------------

/// Adds a few hashes, most of which choose different bins. Products are computed for all bins.
template <auto ChooseAndFill, auto Fill>
void add_few_hashes(std::uint32_t* minima, std::uint64_t bins, const bin_factor_block* factors,
                    const std::uint64_t* hashes, std::size_t n) noexcept {
  ChooseAndFill(minima, bins, factors[0], hashes, n);
  for (std::size_t j = 1; j < words_for(to_size(bins)); ++j) Fill(minima + j * word_bits, bins, factors[j], hashes, n);
}

/// Adds many hashes. Products are computed only for the bins that no hash chose.
template <auto Choose, auto TopBits, auto FillEach>
void add_many_hashes(std::uint32_t* minima, std::uint64_t bins, const bin_factor_block* factors,
                     const std::uint64_t* hashes, std::size_t n) noexcept {
  Choose(minima, bins, hashes, n);
  for (std::size_t j = 0; j < words_for(to_size(bins)); ++j, minima += word_bits) {
    const std::uint64_t open = TopBits(minima);
    if (open != 0) FillEach(minima, open, factors[j], hashes, n);
  }
}

// Each struct adds n hashes with one instruction set, 0 < n <= max_added_hashes. The struct calls add_few_hashes for
// small n, and add_many_hashes for larger n. At the limit between them, the two functions take the same time for 64-bit
// codes (measured on an Intel Xeon Sapphire Rapids). bits_of_bins computes one word of the code: the bits of 64 bins.

inline constexpr std::size_t few_hashes = 44;

inline void add_hashes_portable(std::uint32_t* minima, std::uint64_t bins, const bin_factor_block* factors,
                                const std::uint64_t* hashes, std::size_t n) noexcept {
  constexpr auto add_few = add_few_hashes<fill_all_bins_portable<true>, fill_all_bins_portable<false>>;
  constexpr auto add_many = add_many_hashes<choose_bins_portable, top_bits_portable<1>, fill_each_bin_portable>;
  (n <= few_hashes ? add_few : add_many)(minima, bins, factors, hashes, n);
}

constexpr auto add_hashes_of(portable_form) noexcept { return add_hashes_portable; }
constexpr auto bits_of_bins_of(portable_form) noexcept { return top_bits_portable<bit_multiplier>; }

#if NEARDUP_BASELINE_KERNELS
inline void add_hashes_baseline(std::uint32_t* minima, std::uint64_t bins, const bin_factor_block* factors,
                                const std::uint64_t* hashes, std::size_t n) noexcept {
  constexpr auto add_few = add_few_hashes<fill_all_bins_baseline<true>, fill_all_bins_baseline<false>>;
  constexpr auto add_many = add_many_hashes<choose_bins_portable, top_bits_baseline<1>, fill_each_bin_baseline>;
  (n <= few_hashes ? add_few : add_many)(minima, bins, factors, hashes, n);
}

constexpr auto add_hashes_of(baseline_form) noexcept { return add_hashes_baseline; }
constexpr auto bits_of_bins_of(baseline_form) noexcept { return top_bits_baseline<bit_multiplier>; }
#endif

#if NEARDUP_X86_KERNELS

inline void add_hashes_avx2(std::uint32_t* minima, std::uint64_t bins, const bin_factor_block* factors,
                            const std::uint64_t* hashes, std::size_t n) noexcept {
  constexpr auto add_few = add_few_hashes<fill_all_bins_avx2<true>, fill_all_bins_avx2<false>>;
  constexpr auto add_many = add_many_hashes<choose_bins_avx2, top_bits_avx2<1>, fill_each_bin_avx2>;
  (n <= 56 ? add_few : add_many)(minima, bins, factors, hashes, n);
}

inline void add_hashes_avx512(std::uint32_t* minima, std::uint64_t bins, const bin_factor_block* factors,
                              const std::uint64_t* hashes, std::size_t n) noexcept {
  if (n > 88) return add_hashes_avx2(minima, bins, factors, hashes, n);
  add_few_hashes<fill_all_bins_avx512<true>, fill_all_bins_avx512<false>>(minima, bins, factors, hashes, n);
}

constexpr auto add_hashes_of(avx2_form) noexcept { return add_hashes_avx2; }
constexpr auto add_hashes_of(avx512_form) noexcept { return add_hashes_avx512; }
constexpr auto bits_of_bins_of(avx2_form) noexcept { return top_bits_avx2<bit_multiplier>; }

#endif  // NEARDUP_X86_KERNELS

inline void add_hashes(std::uint32_t* minima, std::uint64_t bins, const bin_factor_block* factors,
                       const std::uint64_t* hashes, std::size_t n) noexcept {
  choose_form(active_instruction_set(), [&](auto form) { add_hashes_of(form)(minima, bins, factors, hashes, n); });
}

inline std::uint64_t bits_of_bins(const std::uint32_t* minima) noexcept {
  return choose_form(active_instruction_set(), [&](auto form) { return bits_of_bins_of(form)(minima); });
}

/// The minima of a set of hashes, one per bin. The order of the hashes does not matter, nor do repetitions.
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

  /// Merges the minima of another set. The result is the minima of the union of the two sets.
  void merge(const bin_minima& other) noexcept {
    for (std::size_t bin = 0; bin < Bins; ++bin) minima_[bin] = (std::min)(minima_[bin], other.minima_[bin]);
  }

  /// Returns the code of the set, or nullopt if the set is empty.
  [[nodiscard]] std::optional<minwise<Bins>> code() const noexcept {
    if (empty()) return std::nullopt;
    return minwise<Bins>(bits());
  }

  friend bool operator==(const bin_minima&, const bin_minima&) noexcept = default;

 private:
  static constexpr std::size_t words = words_for(Bins);

  [[nodiscard]] std::array<std::uint64_t, words> bits() const noexcept {
    std::array<std::uint64_t, words> result;
    for (std::size_t j = 0; j < words; ++j) result[j] = bits_of_bins(&minima_[j * word_bits]);
    return result;
  }

  // The elements at index `Bins` and above are 0, as if a hash had chosen these bins. So they never count as open bins.
  alignas(64) std::array<std::uint32_t, word_bits * words> minima_{};
};

}  // namespace neardup::inline v0::detail
