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
    for (std::size_t j = 0; j < count; ++j) {
      hash_all(text, spans, seeded_xxh3(seed + j * xxh3<>::seed_step), columns[j]);
    }
  }

 private:
  /// Hashes tokens of up to 8 bytes in lanes, and longer tokens one by one.
  static void hash_all(const char* text, const span_view& spans, const seeded_xxh3& formulas,
                       std::uint64_t* hashes) noexcept {
    alignas(16) std::uint32_t begin[span_view::capacity + 4], length[span_view::capacity + 4];
    std::uint32_t longer[span_view::capacity + 1];
    std::size_t brief_count = 0, longer_count = 0;
    for (std::size_t i = 0; i < spans.count; ++i) {
      begin[brief_count] = spans.begin[i];
      length[brief_count] = spans.end[i] - spans.begin[i];
      longer[longer_count] = static_cast<std::uint32_t>(i);
      const bool is_longer = spans.end[i] - spans.begin[i] > 8;
      brief_count += is_longer ? 0 : 1;
      longer_count += is_longer ? 1 : 0;
    }
    // If the last vector is not full, its remaining lanes repeat the first token.
    for (std::size_t i = brief_count; i % 4 != 0; ++i) {
      begin[i] = begin[0];
      length[i] = length[0];
    }
    const auto load_8 = [](const void* from) { return _mm_loadl_epi64(static_cast<const __m128i*>(from)); };
    const auto arrange_two = [&](std::size_t i) {
      const __m128i bytes = _mm_unpacklo_epi64(load_8(text + begin[i]), load_8(text + begin[i + 1]));
      const __m128i sources =
          _mm_unpacklo_epi64(load_8(&brief_sources[length[i] % 8]), load_8(&brief_sources[length[i + 1] % 8]));
      return _mm_shuffle_epi8(bytes, _mm_add_epi8(sources, _mm_set_epi64x(0x0808080808080808, 0)));
    };
    for (std::size_t i = 0; i < brief_count; i += 4) {
      const __m256i word = _mm256_inserti128_si256(_mm256_castsi128_si256(arrange_two(i)), arrange_two(i + 2), 1);
      const auto lengths = reinterpret_cast<hash_lanes>(
          _mm256_cvtepu32_epi64(_mm_load_si128(reinterpret_cast<const __m128i*>(length + i))));
      const hash_lanes some = brief_rounds(lengths, lengths - 4)(reinterpret_cast<hash_lanes>(word), formulas);
      std::memcpy(hashes + i, &some, sizeof some);
    }
    for (std::size_t j = 0; j < longer_count; ++j) {
      const std::uint32_t i = longer[j];
      hashes[brief_count + j] =
          XXH3_64bits_withSeed(text + spans.begin[i], spans.end[i] - spans.begin[i], formulas.seed);
    }
  }
};
span_kernels span_kernels_of(form);

#elif defined(NEARDUP_FORM) && NEARDUP_FORM == NEARDUP_PORTABLE

struct span_kernels {
  static void hash(const char* text, const span_view& spans, std::uint64_t seed, std::uint64_t* const* columns,
                   std::size_t count) noexcept {
    const span_classes classes(spans);
    for (std::size_t j = 0; j < count; ++j) {
      hash_classes(text, classes, seeded_xxh3(seed + j * xxh3<>::seed_step), columns[j]);
    }
  }

 private:
  static void hash_classes(const char* text, const span_classes& classes, const seeded_xxh3& formulas,
                           std::uint64_t* out) noexcept {
    const auto hash_class = [&](std::size_t which, const auto& hash) {
      for (const token_range& token : classes[which]) *out++ = hash(text + token.begin, std::uint64_t{token.length});
    };
    hash_class(0, [&](const char* bytes, std::uint64_t length) { return formulas.hash_1_to_3(bytes, length); });
    hash_class(1, [&](const char* bytes, std::uint64_t length) { return formulas.hash_4_to_8(bytes, length); });
    hash_class(2, [&](const char* bytes, std::uint64_t length) { return formulas.hash_9_to_16(bytes, length); });
    hash_class(3, [&](const char* bytes, std::uint64_t length) { return formulas.hash_17_to_32(bytes, length); });
    hash_class(4, [&](const char* bytes, std::uint64_t length) -> std::uint64_t {
      return XXH3_64bits_withSeed(bytes, to_size(length), formulas.seed);
    });
  }
};
span_kernels span_kernels_of(form);

#endif
