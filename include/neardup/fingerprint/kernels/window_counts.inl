// SPDX-License-Identifier: MIT
// The kernel of window_counts.hpp. See simd/for_each_form.hpp.
#if defined(NEARDUP_FORM) && NEARDUP_FORM != NEARDUP_NEON

/// Hashes consecutive windows: `hashes(text, v)` returns vector v of a block.
class window_vectors {
 public:
  explicit window_vectors(const window_xxh3& hash) noexcept
#if NEARDUP_FORM == NEARDUP_AVX512
      : lanes_(hash) {
  }

  NEARDUP_ALWAYS_INLINE words::vector operator()(const char* text, std::size_t) const noexcept { return lanes_(text); }

 private:
  window_lanes<false> lanes_;
#elif NEARDUP_FORM == NEARDUP_AVX2
      : hash_(hash), lanes_(hash) {
  }

  /// One of four vectors is hashed by scalar multiplications, which run at the same time as the vector units.
  NEARDUP_ALWAYS_INLINE words::vector operator()(const char* text, std::size_t v) const noexcept {
    if (v % 4 != 0) return lanes_(text);
    const auto one = [&](std::size_t i)
                         NEARDUP_INLINE_LAMBDA { return static_cast<long long>(hash_.hash_4_to_8(text + i)); };
    const __m128i low = _mm_insert_epi64(_mm_cvtsi64_si128(one(0)), one(1), 1);
    return _mm256_inserti128_si256(_mm256_castsi128_si256(low), _mm_insert_epi64(_mm_cvtsi64_si128(one(2)), one(3), 1),
                                   1);
  }

 private:
  const window_xxh3& hash_;
  window_lanes<false> lanes_;
#else
      : hash_(hash) {
  }

  /// There is no loop over an array of hashes, because g++ 12 -O2 for AArch64 would build the vector in memory. With a
  /// loop, this version has 1.12 times as many instructions as the portable version. Without a loop, it has .91 times
  /// as many.
  NEARDUP_ALWAYS_INLINE words::vector operator()(const char* text, std::size_t) const noexcept {
#if NEARDUP_FORM == NEARDUP_PORTABLE
    return hash_.hash_4_to_8(text);
#else
    return words::vector{hash_.hash_4_to_8(text), hash_.hash_4_to_8(text + 1)};
#endif
  }

 private:
  const window_xxh3& hash_;
#endif
};

struct window_kernels {
  /// Counts in `tally` the hashes of the first of `count` windows: only the windows that fill blocks of 16 vectors.
  /// Returns: the number of windows counted.
  static std::size_t count_blocks(bit_tally& tally, const window_xxh3& hash, const char* text,
                                  std::size_t count) noexcept {
    constexpr std::size_t lanes = tally_kernels::lanes;
    const window_vectors hashes(hash);
    lowest_planes planes(tally);
    std::size_t i = 0;
    for (; i + 16 * lanes <= count; i += 16 * lanes) {
      planes.add(tally, [&](std::size_t v) NEARDUP_INLINE_LAMBDA { return hashes(text + i + lanes * v, v); });
    }
    planes.store(tally);
    tally.total += i;
    return i;
  }
};
window_kernels window_kernels_of(form);

#endif
