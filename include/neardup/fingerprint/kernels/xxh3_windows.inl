// SPDX-License-Identifier: MIT
// The kernels of xxh3_windows.hpp. See simd/for_each_form.hpp.
#if defined(NEARDUP_FORM) && NEARDUP_FORM == NEARDUP_PORTABLE

struct window_hashes {
  /// Hashes the `count` windows that begin at text, text + 1, ..., one by one.
  /// Precondition: 1 <= n <= 8; 8 bytes are readable from the beginning of the last window on.
  static void hash(const window_xxh3& hash, const char* text, std::size_t count, std::uint64_t* hashes) noexcept {
    if (hash.n >= 4) {
      for (std::size_t i = 0; i < count; ++i) hashes[i] = hash.hash_4_to_8(text + i);
      return;
    }
    const std::uint64_t flip = hash.flip;
    const int middle = static_cast<int>(8 * (hash.n >> 1));
    const int last = static_cast<int>(8 * (hash.n - 1));
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t bytes = load_little_endian(text + i);
      const std::uint64_t word = short_xxh3::word_1_to_3(bytes & 0xffU, bytes >> middle & 0xffU, bytes >> last & 0xffU);
      hashes[i] = short_xxh3::mix_1_to_3(word ^ flip);
    }
  }
};
window_hashes window_hashes_of(form);

#elif defined(NEARDUP_FORM) && (NEARDUP_FORM == NEARDUP_AVX2 || NEARDUP_FORM == NEARDUP_AVX512)

/// Hashes consecutive windows, the first of which begins at the given address. `Tiny`: windows have fewer than 4 bytes.
template <bool Tiny>
class window_lanes {
 public:
  explicit window_lanes(const window_xxh3& hash) noexcept
      : flip_(hash_lanes{} + hash.flip), length_(hash_lanes{} + hash.n) {
    std::memcpy(&arrange_, window_shuffles[hash.n].sources, sizeof arrange_);
  }

  NEARDUP_ALWAYS_INLINE words::vector operator()(const char* at) const noexcept {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
#if NEARDUP_FORM == NEARDUP_AVX2
    const auto x =
        reinterpret_cast<hash_lanes>(_mm256_shuffle_epi8(_mm256_broadcastsi128_si256(bytes), arrange_)) ^ flip_;
#else
    const auto x = reinterpret_cast<hash_lanes>(_mm512_shuffle_epi8(_mm512_broadcast_i32x4(bytes), arrange_)) ^ flip_;
#endif
    return reinterpret_cast<words::vector>(rounds_(x, length_));
  }

 private:
  words::vector arrange_;
  hash_lanes flip_, length_;
  short_rounds<Tiny> rounds_;
};

struct window_hashes {
  /// Hashes the `count` windows that begin at text, text + 1, ..., with a window in each lane.
  /// Precondition: 16 bytes are readable from text + count - 1 on; `hashes` has room for count + 7 elements.
  static void hash(const window_xxh3& hash, const char* text, std::size_t count, std::uint64_t* hashes) noexcept {
    hash.n < 4 ? hash_all<true>(hash, text, count, hashes) : hash_all<false>(hash, text, count, hashes);
  }

 private:
  template <bool Tiny>
  static void hash_all(const window_xxh3& hash, const char* text, std::size_t count, std::uint64_t* hashes) noexcept {
    const window_lanes<Tiny> lanes(hash);
    for (std::size_t i = 0; i < count; i += sizeof(hash_lanes) / sizeof *hashes) {
      const words::vector some = lanes(text + i);
      std::memcpy(hashes + i, &some, sizeof some);
    }
  }
};
window_hashes window_hashes_of(form);

#endif

#if defined(NEARDUP_FORM) && NEARDUP_FORM != NEARDUP_NEON

/// Hashes consecutive windows. `window_vectors(hash)(text, v)` returns a vector of hashes: the hashes of the windows
/// that begin at `text` and at the next bytes. `v` is the number of this vector in its block.
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

  /// Computes one of four vectors by scalar multiplications. The processor runs them at the same time as vector
  /// instructions.
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

  /// The vector of two hashes is not written in a loop, because g++ 12 -O2 for AArch64 would build it in memory. With a
  /// loop, this version would take 1.12 times as many instructions as the portable version. Without a loop, this
  /// version takes .91 times as many.
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
  /// Counts the bits of the hashes of windows in `tally`. Counts only whole blocks of 16 vectors of windows, so some of
  /// the last of the `count` windows are left.
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
