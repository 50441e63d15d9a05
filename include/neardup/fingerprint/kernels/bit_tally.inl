// SPDX-License-Identifier: MIT
// The kernels of bit_tally.hpp. See simd/for_each_form.hpp.
#if defined(NEARDUP_FORM) && NEARDUP_FORM != NEARDUP_NEON

/// The lowest planes of a tally in registers, to which blocks of 16 vectors are added.
class lowest_planes {
 public:
  using vector = words::vector;

  NEARDUP_ALWAYS_INLINE explicit lowest_planes(bit_tally& tally) noexcept {
    const bool begun = tally.begin();
    ones_ = begun ? words::load(tally.planes[0]) : words::zero();
    twos_ = begun ? words::load(tally.planes[1]) : words::zero();
    fours_ = begun ? words::load(tally.planes[2]) : words::zero();
    eights_ = begun ? words::load(tally.planes[3]) : words::zero();
  }

  /// Adds 16 vectors, load(0) to load(15), by a tree of full adders.
  template <class Load>
  NEARDUP_ALWAYS_INLINE void add(bit_tally& tally, const Load& load) noexcept {
    vector twos_a, twos_b, fours_a, fours_b, eights_a, eights_b, sixteens;
    words::full_add(twos_a, ones_, load(0), load(1));
    words::full_add(twos_b, ones_, load(2), load(3));
    words::full_add(fours_a, twos_, twos_a, twos_b);
    words::full_add(twos_a, ones_, load(4), load(5));
    words::full_add(twos_b, ones_, load(6), load(7));
    words::full_add(fours_b, twos_, twos_a, twos_b);
    words::full_add(eights_a, fours_, fours_a, fours_b);
    words::full_add(twos_a, ones_, load(8), load(9));
    words::full_add(twos_b, ones_, load(10), load(11));
    words::full_add(fours_a, twos_, twos_a, twos_b);
    words::full_add(twos_a, ones_, load(12), load(13));
    words::full_add(twos_b, ones_, load(14), load(15));
    words::full_add(fours_b, twos_, twos_a, twos_b);
    words::full_add(eights_b, fours_, fours_a, fours_b);
    words::full_add(sixteens, eights_, eights_a, eights_b);
    add_carry(tally, bit_tally::block_planes, sixteens);
  }

  NEARDUP_ALWAYS_INLINE void store(bit_tally& tally) const noexcept {
    words::store(tally.planes[0], ones_);
    words::store(tally.planes[1], twos_);
    words::store(tally.planes[2], fours_);
    words::store(tally.planes[3], eights_);
  }

 private:
  /// Adds 2^plane to the count of each bit position that is set in `carry`.
  static void add_carry(bit_tally& tally, std::size_t plane, vector carry) noexcept {
    for (; ((tally.is_waiting ^= std::uint64_t{1} << plane) >> plane & 1U) == 0; ++plane) {
      vector sum = words::load(tally.planes[plane]);
      const vector old = carry;
      words::full_add(carry, sum, words::load(tally.waiting[plane]), old);
      words::store(tally.planes[plane], sum);
    }
    words::store(tally.waiting[plane], carry);
    if (plane == tally.used) words::store(tally.planes[tally.used++], words::zero());
  }

  vector ones_, twos_, fours_, eights_;
};

struct tally_kernels {
  static constexpr std::size_t lanes = sizeof(words::vector) / sizeof(std::uint64_t);

  static void count_bits(bit_tally& tally, const std::uint64_t* from, std::size_t n) noexcept {
    constexpr std::size_t block = 16 * lanes;
    tally.total += n;
    lowest_planes planes(tally);
    std::size_t i = 0;
    for (; i + block <= n; i += block) {
      planes.add(tally, [&](std::size_t v) NEARDUP_INLINE_LAMBDA { return words::load(from + i + lanes * v); });
    }
    if (i < n) {
#if NEARDUP_FORM == NEARDUP_AVX512
      planes.add(tally, first_words(from + i, n - i));
#else
      std::uint64_t rest[block] = {};
      std::memcpy(rest, from + i, (n - i) * sizeof *rest);
      planes.add(tally, [&](std::size_t v) NEARDUP_INLINE_LAMBDA { return words::load(rest + lanes * v); });
#endif
    }
    planes.store(tally);
  }

#if NEARDUP_FORM == NEARDUP_AVX512
  /// The AVX-512 version of majority_of_lanes(). Each of three additions adds one half of the lanes to the other half.
  /// The first addition also adds the waiting carries.
  static std::uint64_t majority(const bit_tally& tally) noexcept {
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
    // The carry of the second addition and the carry of the third addition are not added yet.
    const __m128i other = _mm_unpackhi_epi64(pair_carry, pair_carry);
    count[planes] =
        static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm_ternarylogic_epi64(pair_carry, other, carry, 0x96)));
    const auto needed = to_size(std::bit_width(tally.total));
    return more_than_half(count, needed < planes + 1 ? needed : planes + 1, tally.total);
  }
#else
  static std::uint64_t majority(const bit_tally& tally) noexcept { return majority_of_lanes<lanes>(tally); }
#endif
};
tally_kernels tally_kernels_of(form);

#endif
