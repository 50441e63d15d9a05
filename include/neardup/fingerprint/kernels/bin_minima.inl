// SPDX-License-Identifier: MIT
// The kernels of bin_minima.hpp. See simd/for_each_form.hpp.
#if defined(NEARDUP_FORM) && (NEARDUP_FORM != NEARDUP_BASELINE || NEARDUP_X86_KERNELS)

struct bin_kernels {
  /// The greatest number of hashes for which add() computes the products of all bins. With more hashes, it is faster to
  /// compute the products of the open bins only. Measured with min-wise codes of 64 bits on an Intel Xeon Sapphire
  /// Rapids.
  static constexpr std::size_t few_hashes = NEARDUP_FORM == NEARDUP_AVX512 ? 88
                                            : NEARDUP_FORM == NEARDUP_AVX2 ? 56
                                                                           : 44;

  /// Lets a hash choose its bin in `minima`. The bin keeps the smaller of its content and the number of the hash.
  static NEARDUP_ALWAYS_INLINE void choose_bin(std::uint32_t* minima, std::uint64_t bins, std::uint64_t hash) noexcept {
    const bin_choice choice(hash, bins);
    std::uint32_t& held = minima[choice.bin];
#if NEARDUP_FORM == NEARDUP_AVX2 || NEARDUP_FORM == NEARDUP_AVX512
    // VPMINUD computes the minimum, because CMOV would need the same two units of the processor as the shifts.
    const auto vector = [](std::uint32_t x) NEARDUP_INLINE_LAMBDA { return _mm_cvtsi32_si128(static_cast<int>(x)); };
    held = static_cast<std::uint32_t>(_mm_cvtsi128_si32(_mm_min_epu32(vector(held), vector(choice.number))));
#else
    held = held < choice.number ? held : choice.number;
#endif
  }

  /// Multiplies each of 64 numbers by a factor.
  /// Returns: the highest bit of each 32-bit product. Bit i of the result is the bit of number i.
  static std::uint64_t top_bits(const std::uint32_t* numbers, std::uint32_t factor) noexcept {
    std::uint64_t bits = 0;
#if NEARDUP_FORM == NEARDUP_AVX2 || NEARDUP_FORM == NEARDUP_AVX512
    for (std::size_t i = 0; i < word_bits; i += 8) {
      const __m256i product = _mm256_mullo_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(numbers + i)),
                                                 _mm256_set1_epi32(static_cast<int>(factor)));
      bits |= std::uint64_t{static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(product)))} << i;
    }
#else
    for (std::size_t i = 0; i < word_bits; ++i) bits |= std::uint64_t{numbers[i] * factor >> 31} << i;
#endif
    return bits;
  }

#if NEARDUP_FORM == NEARDUP_PORTABLE
  /// Fills each of 64 bins with the least product of the bin's factors and one of n hashes. If `Chooses`, the hashes
  /// also choose their bins, in the same loop. `minima` then has `bins` bins, and the first 64 are filled.
  template <bool Chooses>
  static void fill_all(std::uint32_t* minima, std::uint64_t bins, const bin_factor_block& factors,
                       const std::uint64_t* hashes, std::size_t n) noexcept {
    std::int16_t least[word_bits];
    std::fill_n(least, word_bits, std::int16_t{0x7fff});
    for (std::size_t i = 0; i < n; ++i) {
      if (Chooses) choose_bin(minima, bins, hashes[i]);
      for (std::size_t bin = 0; bin < word_bits; ++bin) {
        least[bin] = (std::min)(least[bin], bin_product(hashes[i], factors.of_lower[bin], factors.of_upper[bin]));
      }
    }
    take_products(minima, least);
  }

  /// Fills the bins of `minima` in the bit set `open`, each with the least product of its factors and one of n hashes.
  static void fill_each(std::uint32_t* minima, std::uint64_t open, const bin_factor_block& factors,
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
#elif NEARDUP_FORM == NEARDUP_AVX2 || NEARDUP_FORM == NEARDUP_AVX512
  // VPMADDWD multiplies the halves of a hash by two factors, and adds both. The lower half of a lane is bin_product().
#if NEARDUP_FORM == NEARDUP_AVX2
  using vector = __m256i;

  static NEARDUP_ALWAYS_INLINE vector most() noexcept { return _mm256_set1_epi16(0x7fff); }
  // The factors stay in memory, because there are too few registers.
  static NEARDUP_ALWAYS_INLINE const std::uint32_t* factors_at(const std::uint32_t* at) noexcept { return at; }
  static NEARDUP_ALWAYS_INLINE vector product(std::uint64_t hash, const std::uint32_t* factors) noexcept {
    return _mm256_madd_epi16(_mm256_set1_epi32(static_cast<int>(hash)),
                             _mm256_load_si256(reinterpret_cast<const __m256i*>(factors)));
  }
  static NEARDUP_ALWAYS_INLINE vector lesser(vector a, vector b) noexcept { return _mm256_min_epi16(a, b); }
  static NEARDUP_ALWAYS_INLINE void take(std::uint32_t* minima, vector least) noexcept {
    const __m256i filled = _mm256_blend_epi16(_mm256_xor_si256(least, _mm256_set1_epi32(0x8000)),
                                              _mm256_set1_epi32(static_cast<int>(filled_bin)), 0xaa);
    auto* const at = reinterpret_cast<__m256i*>(minima);
    _mm256_store_si256(at, _mm256_min_epu32(_mm256_load_si256(at), filled));
  }

  static void fill_each(std::uint32_t* minima, std::uint64_t open, const bin_factor_block& factors,
                        const std::uint64_t* hashes, std::size_t n) noexcept {
    alignas(32) std::uint32_t halves[max_added_hashes + 16];
    for (std::size_t i = 0; i < n; ++i) halves[i] = static_cast<std::uint32_t>(hashes[i]);
    std::fill_n(halves + n, 16, halves[n - 1]);
    for (; open != 0; open &= open - 1) {
      const auto bin = static_cast<std::size_t>(std::countr_zero(open));
      vector least[] = {most(), most()};
      for (std::size_t i = 0; i < n; i += 16) {
        least[0] = lesser(least[0], product(factors.of_both[bin], halves + i));
        least[1] = lesser(least[1], product(factors.of_both[bin], halves + i + 8));
      }
      // VPHMINPOSUW finds the least of eight unsigned 16-bit numbers. So the sign bits of the products are flipped, and
      // the unused upper halves of the lanes are set to the maximum.
      const __m256i both = lesser(least[0], least[1]);
      const __m128i half = _mm_min_epi16(_mm256_castsi256_si128(both), _mm256_extracti128_si256(both, 1));
      const __m128i numbers = _mm_or_si128(_mm_xor_si128(half, _mm_set1_epi16(-0x8000)), _mm_set1_epi32(-0x10000));
      const auto number = static_cast<std::uint16_t>(_mm_cvtsi128_si32(_mm_minpos_epu16(numbers)));
      minima[bin] = (std::min)(minima[bin], filled_bin | number);
    }
  }
#else
  using vector = __m512i;

  static NEARDUP_ALWAYS_INLINE vector most() noexcept { return _mm512_set1_epi16(0x7fff); }
  static NEARDUP_ALWAYS_INLINE vector factors_at(const std::uint32_t* at) noexcept { return _mm512_load_si512(at); }
  static NEARDUP_ALWAYS_INLINE vector product(std::uint64_t hash, vector factors) noexcept {
    return _mm512_madd_epi16(_mm512_set1_epi32(static_cast<int>(hash)), factors);
  }
  static NEARDUP_ALWAYS_INLINE vector lesser(vector a, vector b) noexcept { return _mm512_min_epi16(a, b); }
  static NEARDUP_ALWAYS_INLINE void take(std::uint32_t* minima, vector least) noexcept {
    const __m512i filled = _mm512_mask_blend_epi16(0xaaaaaaaaU, _mm512_xor_si512(least, _mm512_set1_epi32(0x8000)),
                                                   _mm512_set1_epi32(static_cast<int>(filled_bin)));
    _mm512_store_si512(minima, _mm512_min_epu32(_mm512_load_si512(minima), filled));
  }
  static constexpr auto fill_each = avx2::bin_kernels::fill_each;
#endif

  template <bool Chooses>
  static void fill_all(std::uint32_t* minima, std::uint64_t bins, const bin_factor_block& factors,
                       const std::uint64_t* hashes, std::size_t n) noexcept {
    constexpr std::size_t lanes = sizeof(vector) / sizeof *minima;
    const auto fill = [&]<std::size_t... V>(std::index_sequence<V...>) {
      const decltype(factors_at(nullptr)) of_bins[] = {factors_at(factors.of_both + lanes * V)...};
      vector least[] = {(static_cast<void>(V), most())...};
      for (std::size_t i = 0; i < n; ++i) {
        if (Chooses) choose_bin(minima, bins, hashes[i]);
        ((least[V] = lesser(least[V], product(hashes[i], of_bins[V]))), ...);
      }
      (take(minima + lanes * V, least[V]), ...);
    };
    fill(std::make_index_sequence<word_bits / lanes>{});
  }
#else
  static constexpr std::size_t lanes = sizeof(shorts) / sizeof(std::int16_t);

  static NEARDUP_ALWAYS_INLINE shorts load(const std::uint16_t* from) noexcept {
    shorts loaded;
    std::memcpy(&loaded, from, sizeof loaded);
    return loaded;
  }
  static NEARDUP_ALWAYS_INLINE shorts lesser(shorts a, shorts b) noexcept { return a < b ? a : b; }
  static NEARDUP_ALWAYS_INLINE shorts broadcast(std::uint64_t x) noexcept {
    return shorts{} + static_cast<std::int16_t>(x);
  }

  /// Computes the same as the portable fill_all(). Each lane has a bin, and each iteration uses one hash.
  template <bool Chooses>
  static void fill_all(std::uint32_t* minima, std::uint64_t bins, const bin_factor_block& factors,
                       const std::uint64_t* hashes, std::size_t n) noexcept {
    std::int16_t products[word_bits];
    const auto fill = [&]<std::size_t... V>(std::index_sequence<V...>) {
      shorts least[] = {(static_cast<void>(V), broadcast(0x7fff))...};
      for (std::size_t i = 0; i < n; ++i) {
        if (Chooses) choose_bin(minima, bins, hashes[i]);
        const shorts lower = broadcast(hashes[i]), upper = broadcast(hashes[i] >> 16);
        ((least[V] = lesser(least[V],
                            lower * load(factors.of_lower + lanes * V) + upper * load(factors.of_upper + lanes * V))),
         ...);
      }
      std::memcpy(products, least, sizeof least);
    };
    fill(std::make_index_sequence<word_bits / lanes>{});
    take_products(minima, products);
  }

  /// Computes the same as the portable fill_each(). Each lane has a hash, and each iteration fills four bins.
  static void fill_each(std::uint32_t* minima, std::uint64_t open, const bin_factor_block& factors,
                        const std::uint64_t* hashes, std::size_t n) noexcept {
    std::uint16_t lower[max_added_hashes + lanes], upper[max_added_hashes + lanes];
    for (std::size_t i = 0; i < n; ++i) {
      lower[i] = static_cast<std::uint16_t>(hashes[i]);
      upper[i] = static_cast<std::uint16_t>(hashes[i] >> 16);
    }
    std::fill_n(lower + n, lanes, lower[n - 1]);
    std::fill_n(upper + n, lanes, upper[n - 1]);
    while (open != 0) {
      std::size_t bins[4];
      for (std::size_t v = 0; v < 4; ++v) {
        bins[v] = open == 0 ? bins[v - 1] : static_cast<std::size_t>(std::countr_zero(open));
        open &= open - 1;
      }
      const auto fill = [&]<std::size_t... V>(std::index_sequence<V...>) {
        const shorts of_lower[] = {broadcast(factors.of_lower[bins[V]])...};
        const shorts of_upper[] = {broadcast(factors.of_upper[bins[V]])...};
        shorts least[] = {(static_cast<void>(V), broadcast(0x7fff))...};
        for (std::size_t i = 0; i < n; i += lanes) {
          const shorts low = load(lower + i), high = load(upper + i);
          ((least[V] = lesser(least[V], low * of_lower[V] + high * of_upper[V])), ...);
        }
        ((minima[bins[V]] = (std::min)(minima[bins[V]], filled_with(least_of(least[V])))), ...);
      };
      fill(std::make_index_sequence<4>{});
    }
  }
#endif

  /// Adds n hashes to `minima`. Few hashes leave most bins open, so products are computed for all bins. Many hashes
  /// leave few bins open, so products are computed only for the open bins.
  /// Precondition: 0 < n <= max_added_hashes.
  static void add(std::uint32_t* minima, std::uint64_t bins, const bin_factor_block* factors,
                  const std::uint64_t* hashes, std::size_t n) noexcept {
    const std::size_t count = words_for(to_size(bins));
    if (n <= few_hashes) {
      fill_all<true>(minima, bins, factors[0], hashes, n);
      for (std::size_t j = 1; j < count; ++j) fill_all<false>(minima + j * word_bits, bins, factors[j], hashes, n);
      return;
    }
    for (std::size_t i = 0; i < n; ++i) choose_bin(minima, bins, hashes[i]);
    for (std::size_t j = 0; j < count; ++j, minima += word_bits) {
      if (const std::uint64_t open = top_bits(minima, 1); open != 0) fill_each(minima, open, factors[j], hashes, n);
    }
  }
};
bin_kernels bin_kernels_of(form);

#endif
