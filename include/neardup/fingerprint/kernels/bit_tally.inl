// SPDX-License-Identifier: MIT
// The kernels of bit_tally.hpp. See simd/for_each_form.hpp.
#if defined(NEARDUP_FORM) && NEARDUP_FORM != NEARDUP_NEON

/// Keeps the lowest planes of a tally in registers while blocks of 16 vectors are added.
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

  /// Adds 16 vectors, load(0) to load(15), by a tree of full adders. The carries go to `tally`.
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
  /// Adds 2^plane to the count in `tally` of each bit position that is set in `carry`.
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

  /// Returns the bits that are set in more than half of the counted words.
  static std::uint64_t majority(const bit_tally& tally) noexcept {
    alignas(64) std::uint64_t sums[bit_tally::max_planes + 4][lanes];
    // No count exceeds the number of words. So all higher planes are 0.
    const auto planes = to_size(std::bit_width(tally.total));
    words::vector carry = words::zero();
    for (std::size_t p = 0; p < planes; ++p) {
      words::vector sum = p < tally.used ? words::load(tally.planes[p]) : words::zero();
      const bool waits = (tally.is_waiting >> p & 1U) != 0;
      const words::vector old = carry;
      words::full_add(carry, sum, waits ? words::load(tally.waiting[p]) : words::zero(), old);
      words::store(sums[p], sum);
    }
    add_halves<lanes / 2>(sums, planes);
    std::uint64_t counts[bit_tally::max_planes + 4];
    for (std::size_t p = 0; p < planes; ++p) counts[p] = sums[p][0];
    return more_than_half(counts, planes, tally.total);
  }

 private:
  /// Adds the counts of lanes Half to 2 * Half - 1 to the first Half lanes, and so on until lane 0 has the sum of all.
  template <std::size_t Half>
  static NEARDUP_ALWAYS_INLINE void add_halves(std::uint64_t (*sums)[lanes], std::size_t planes) noexcept {
    if constexpr (Half > 0) {
      std::uint64_t carry[Half] = {};
      for (std::size_t p = 0; p < planes; ++p) {
        for (std::size_t lane = 0; lane < Half; ++lane) {
          const std::uint64_t a = sums[p][lane], b = sums[p][lane + Half], half = a ^ b;
          sums[p][lane] = half ^ carry[lane];
          carry[lane] = (a & b) | (half & carry[lane]);
        }
      }
      add_halves<Half / 2>(sums, planes);
    }
  }
};
tally_kernels tally_kernels_of(form);

#endif
