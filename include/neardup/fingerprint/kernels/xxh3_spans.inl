// SPDX-License-Identifier: MIT
// The kernels of xxh3_spans.hpp. See simd/for_each_form.hpp.
#if defined(NEARDUP_FORM) && NEARDUP_FORM == NEARDUP_AVX512

struct span_kernels {
  static void hash(const char* text, const span_view& spans, std::uint64_t seed, std::uint64_t* const* columns,
                   std::size_t count) noexcept {
    if (count == 1) {  // with loops over one formula, a text would take a quarter longer
      const seeded_xxh3 formula(seed);
      return hash_spans_avx512(text, spans, std::span<const seeded_xxh3, 1>(&formula, 1), columns);
    }
    seeded_xxh3 formulas[max_span_words];
    for (std::size_t j = 0; j < count; ++j) formulas[j] = seeded_xxh3(seed + j * xxh3<>::seed_step);
    hash_spans_avx512(text, spans, std::span<const seeded_xxh3>(formulas, count), columns);
  }
};
span_kernels span_kernels_of(form);

#elif defined(NEARDUP_FORM) && NEARDUP_FORM == NEARDUP_AVX2

struct span_kernels {
  static void hash(const char* text, const span_view& spans, std::uint64_t seed, std::uint64_t* const* columns,
                   std::size_t count) noexcept {
    const span_classes classes(spans);
    for (std::size_t j = 0; j < count; ++j) {
      const seeded_xxh3 formulas(seed + j * xxh3<>::seed_step);
      std::uint64_t* out = hash_brief<true>(text, classes[0], formulas, columns[j]);
      out = hash_brief<false>(text, classes[1], formulas, out);
      portable::span_kernels::hash_longer(text, classes, formulas, out);
    }
  }

 private:
  /// Hashes tokens of 1 to 3 bytes (`Tiny`) or of 4 to 8 bytes in lanes.
  template <bool Tiny>
  static std::uint64_t* hash_brief(const char* text, std::span<const token_range> tokens, const seeded_xxh3& formulas,
                                   std::uint64_t* out) noexcept {
    constexpr std::size_t lanes = 4;
    const short_rounds<Tiny> rounds;
    const hash_lanes flip = broadcast_lanes(Tiny ? formulas.flip_1_to_3 : formulas.flip_4_to_8);
    const auto load_8 = [](const void* from) { return _mm_loadl_epi64(static_cast<const __m128i*>(from)); };
    const auto arrange_two = [&](const token_range* at) {
      const __m128i bytes = _mm_unpacklo_epi64(load_8(text + at[0].begin), load_8(text + at[1].begin));
      const __m128i sources =
          _mm_unpacklo_epi64(load_8(&brief_sources[at[0].length % 8]), load_8(&brief_sources[at[1].length % 8]));
      return _mm_shuffle_epi8(bytes, _mm_add_epi8(sources, _mm_set_epi64x(0x0808080808080808, 0)));
    };
    for (std::size_t i = 0; i < tokens.size(); i += lanes) {
      const token_range* at = tokens.data() + i;
      token_range last[lanes];
      if (tokens.size() - i < lanes) {  // the lanes without a token repeat token i
        for (std::size_t j = 0; j < lanes; ++j) last[j] = at[i + j < tokens.size() ? j : 0];
        at = last;
      }
      hash_lanes ranges;
      std::memcpy(&ranges, at, sizeof ranges);
      const hash_lanes lengths = ranges >> 32;  // the beginning of a token is in the lower half
      const __m256i word = _mm256_inserti128_si256(_mm256_castsi128_si256(arrange_two(at)), arrange_two(at + 2), 1);
      hash_lanes x = reinterpret_cast<hash_lanes>(word) ^ flip;
      if constexpr (Tiny) x ^= lengths << 8;
      const hash_lanes some = rounds(x, lengths);
      std::memcpy(out + i, &some, sizeof some);
    }
    return out + tokens.size();
  }
};
span_kernels span_kernels_of(form);

#elif defined(NEARDUP_FORM) && NEARDUP_FORM == NEARDUP_PORTABLE

struct span_kernels {
  static void hash(const char* text, const span_view& spans, std::uint64_t seed, std::uint64_t* const* columns,
                   std::size_t count) noexcept {
    const span_classes classes(spans);
    for (std::size_t j = 0; j < count; ++j) {
      const seeded_xxh3 formulas(seed + j * xxh3<>::seed_step);
      std::uint64_t* out = hash_class(text, classes[0], columns[j], [&](const char* bytes, std::uint64_t length) {
        return formulas.hash_1_to_3(bytes, length);
      });
      out = hash_class(text, classes[1], out,
                       [&](const char* bytes, std::uint64_t length) { return formulas.hash_4_to_8(bytes, length); });
      hash_longer(text, classes, formulas, out);
    }
  }

  /// Hashes the tokens of 9 bytes and more.
  static NEARDUP_ALWAYS_INLINE void hash_longer(const char* text, const span_classes& classes,
                                                const seeded_xxh3& formulas, std::uint64_t* out) noexcept {
    out = hash_class(text, classes[2], out,
                     [&](const char* bytes, std::uint64_t length) { return formulas.hash_9_to_16(bytes, length); });
    out = hash_class(text, classes[3], out,
                     [&](const char* bytes, std::uint64_t length) { return formulas.hash_17_to_32(bytes, length); });
    hash_class(text, classes[4], out, [&](const char* bytes, std::uint64_t length) -> std::uint64_t {
      return XXH3_64bits_withSeed(bytes, to_size(length), formulas.seed);
    });
  }

 private:
  template <class Hash>
  static NEARDUP_ALWAYS_INLINE std::uint64_t* hash_class(const char* text, std::span<const token_range> tokens,
                                                         std::uint64_t* out, const Hash& hash) noexcept {
    for (const token_range& token : tokens) *out++ = hash(text + token.begin, std::uint64_t{token.length});
    return out;
  }
};
span_kernels span_kernels_of(form);

#endif
