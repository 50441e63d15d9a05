// SPDX-License-Identifier: MIT
// The last steps of the XXH3 formulas for inputs of up to 8 bytes, in 64-bit lanes. See simd/for_each_form.hpp.
#if defined(NEARDUP_FORM) && (NEARDUP_FORM == NEARDUP_AVX2 || NEARDUP_FORM == NEARDUP_AVX512)

/// A vector of hashes. An operator on it, such as `*`, computes all lanes at once.
using hash_lanes = std::uint64_t __attribute__((vector_size(sizeof(words::vector))));

/// Returns a vector whose lanes all equal `value`. NEARDUP_SCALAR keeps the vector in a register. Otherwise g++ would
/// build it again from an immediate at each use in a loop.
NEARDUP_ALWAYS_INLINE hash_lanes broadcast_lanes(std::uint64_t value) noexcept {
  NEARDUP_SCALAR(value);
  return hash_lanes{} + value;
}

/// Multiplies 64-bit lanes by a factor.
struct lane_factor {
  hash_lanes whole;
#if NEARDUP_FORM == NEARDUP_AVX2
  hash_lanes swapped;  // `whole`, with the 32-bit halves of each lane swapped
#endif

  NEARDUP_ALWAYS_INLINE explicit lane_factor(std::uint64_t value) noexcept : lane_factor(broadcast_lanes(value)) {}
  NEARDUP_ALWAYS_INLINE explicit lane_factor(hash_lanes values) noexcept : whole(values) {
#if NEARDUP_FORM == NEARDUP_AVX2
    swapped = reinterpret_cast<hash_lanes>(_mm256_shuffle_epi32(reinterpret_cast<__m256i>(values), 0xb1));
#endif
  }

  NEARDUP_ALWAYS_INLINE hash_lanes multiply(hash_lanes x) const noexcept {
#if NEARDUP_FORM == NEARDUP_AVX2
    // One multiplication gives the lower 32 bits of the two cross products. Their sum is added to the upper half of the
    // lane.
    const __m256i crossed = _mm256_mullo_epi32(reinterpret_cast<__m256i>(x), reinterpret_cast<__m256i>(swapped));
    const __m256i sum = _mm256_add_epi32(crossed, _mm256_slli_epi64(crossed, 32));
    const __m256i upper = _mm256_blend_epi32(sum, _mm256_setzero_si256(), 0x55);
    const __m256i lower = _mm256_mul_epu32(reinterpret_cast<__m256i>(x), reinterpret_cast<__m256i>(whole));
    return reinterpret_cast<hash_lanes>(_mm256_add_epi64(lower, upper));
#else
    return x * whole;
#endif
  }
};

/// Computes short_xxh3::rotated() of each lane.
NEARDUP_ALWAYS_INLINE hash_lanes rotated(hash_lanes x) noexcept {
#if NEARDUP_FORM == NEARDUP_AVX2
  // A rotation by 24 bits only moves whole bytes.
  const __m256i bytes = _mm256_setr_epi8(5, 6, 7, 0, 1, 2, 3, 4, 13, 14, 15, 8, 9, 10, 11, 12, 5, 6, 7, 0, 1, 2, 3, 4,
                                         13, 14, 15, 8, 9, 10, 11, 12);
  const auto rotated_24 = reinterpret_cast<hash_lanes>(_mm256_shuffle_epi8(reinterpret_cast<__m256i>(x), bytes));
#else
  const hash_lanes rotated_24 = x << 24 | x >> 40;
#endif
  return x ^ (x << 49 | x >> 15) ^ rotated_24;
}

/// Computes hashes from the words of inputs; the secret and the seed have already flipped bits of the words. `Tiny`:
/// the inputs have 1 to 3 bytes, and their lengths are not used. Otherwise the inputs have 4 to 8 bytes.
template <bool Tiny>
class short_rounds {
 public:
  NEARDUP_ALWAYS_INLINE short_rounds() noexcept
      : first_(Tiny ? short_xxh3::avalanche_1 : short_xxh3::rrmxmx), second_(first_) {
    if constexpr (Tiny) second_ = lane_factor(short_xxh3::avalanche_2);
  }

  NEARDUP_ALWAYS_INLINE hash_lanes operator()(hash_lanes x, hash_lanes length) const noexcept {
    if constexpr (!Tiny) x = rotated(x);
    x = first_.multiply(x);
    x ^= Tiny ? x >> 29 : (x >> 35) + length;
    x = second_.multiply(x);
    return x ^ x >> (Tiny ? 32 : 28);
  }

 private:
  lane_factor first_, second_;
};

/// Computes the hashes of inputs of 1 to 8 bytes. Their lengths may differ, so each lane has the formula, factors and
/// shifts for its own length. The rounds are the same as in short_rounds. One class in place of short_rounds and
/// brief_rounds was slower (docs/decisions/0009-kernels.md).
class brief_rounds {
 public:
  /// Prepares the rounds for inputs of the given `lengths`. `are_tiny`: the highest bit of a lane is set if the input
  /// of the lane has fewer than 4 bytes.
  NEARDUP_ALWAYS_INLINE brief_rounds(hash_lanes lengths, hash_lanes are_tiny) noexcept
      : tiny_(reinterpret_cast<signed_lanes>(are_tiny)),
        marks_(lengths << 8),
        added_(choose(hash_lanes{}, lengths)),
        first_(choose(short_xxh3::avalanche_1, short_xxh3::rrmxmx)),
        second_(choose(short_xxh3::avalanche_2, short_xxh3::rrmxmx)),
        first_shift_(choose(29, 35)),
        second_shift_(choose(32, 28)) {}

  NEARDUP_ALWAYS_INLINE hash_lanes operator()(hash_lanes word, const seeded_xxh3& formulas) const noexcept {
    hash_lanes x = choose(word ^ marks_ ^ formulas.flip_1_to_3, rotated(word ^ formulas.flip_4_to_8));
    x = first_.multiply(x);
    x ^= (x >> first_shift_) + added_;
    x = second_.multiply(x);
    return x ^ x >> second_shift_;
  }

 private:
  using signed_lanes = std::int64_t __attribute__((vector_size(sizeof(hash_lanes))));

  [[nodiscard]] NEARDUP_ALWAYS_INLINE hash_lanes choose(hash_lanes of_tiny, hash_lanes otherwise) const noexcept {
    return tiny_ < 0 ? of_tiny : otherwise;
  }
  [[nodiscard]] NEARDUP_ALWAYS_INLINE hash_lanes choose(std::uint64_t of_tiny, std::uint64_t otherwise) const noexcept {
    return choose(hash_lanes{} + of_tiny, hash_lanes{} + otherwise);
  }

  signed_lanes tiny_;
  hash_lanes marks_, added_;
  lane_factor first_, second_;
  hash_lanes first_shift_, second_shift_;
};

#endif
