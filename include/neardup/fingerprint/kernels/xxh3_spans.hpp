// SPDX-License-Identifier: MIT
// Computes the XXH3 hashes of many short tokens of different lengths. Tokens are grouped by the formula for their
// length, and then hashed in lanes.
//
// If tokens were hashed one by one, the processor would mispredict the branch to the formula for most tokens. Each
// misprediction would cost about 10 cycles.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "../../detail/bits.hpp"
#include "../../simd/forms.hpp"
#include "../../text/kernels/text_blocks.hpp"
#include "../../text/kernels/word_spans.hpp"
#include "../hashers.hpp"
#include "hash_block.hpp"
#include "xxh3_short.hpp"

namespace neardup::inline v0::detail {

/// The greatest number of words of a hash that one call of hash_spans() computes.
inline constexpr std::size_t max_span_words = 4;

/// A token of a text.
struct token_range {
  std::uint32_t begin, length;
};

/// The tokens of a text, grouped by the formula for their length, so that a loop uses one formula. The classes have
/// tokens of 1 to 3, 4 to 8, 9 to 16, 17 to 32, and more bytes.
class span_classes {
 public:
  explicit span_classes(const span_view& spans) noexcept {
    const auto add = [&](std::size_t i) NEARDUP_INLINE_LAMBDA {
      const std::uint32_t length = spans.end[i] - spans.begin[i];
      *end_[class_of[(std::min)(length, std::uint32_t{33})]]++ = {spans.begin[i], length};
    };
    std::size_t i = 0;
    for (; i + 4 <= spans.count; i += 4) {  // unrolled by hand, because compilers do not unroll it
      add(i);
      add(i + 1);
      add(i + 2);
      add(i + 3);
    }
    for (; i < spans.count; ++i) add(i);
  }
  [[nodiscard]] std::span<const token_range> operator[](std::size_t which) const noexcept {
    return {sorted_[which], static_cast<std::size_t>(end_[which] - sorted_[which])};
  }

 private:
  static constexpr std::size_t classes = 5;
  /// class_of[length] is the class of a length. class_of[33] is the class of all tokens of more than 32 bytes.
  static constexpr auto class_of = [] {
    std::array<std::uint8_t, 34> result{};
    for (std::size_t length = 4; length < result.size(); ++length) {
      result[length] = static_cast<std::uint8_t>(length < 9 ? 1 : length < 17 ? 2 : length < 33 ? 3 : 4);
    }
    return result;
  }();

  token_range* end_[classes] = {sorted_[0], sorted_[1], sorted_[2], sorted_[3], sorted_[4]};
  token_range sorted_[classes][span_view::capacity];
};

#if NEARDUP_X86_KERNELS

/// Shuffles for tokens of 1 to 8 bytes. Entry n % 8 is for tokens of n bytes: it says which bytes of the token form the
/// word.
alignas(64) inline constexpr std::array<std::uint64_t, 8> brief_sources = [] {
  std::array<std::uint64_t, 8> sources{};
  for (std::size_t n = 1; n <= sources.size(); ++n) {
    for (std::size_t i = 0; i < 8; ++i) sources[n % 8] |= std::uint64_t{short_xxh3::source_of(n, i)} << (8 * i);
  }
  return sources;
}();

// Returns the smaller of `count` and `lanes`. The limit is needed, because BZHI uses only the lowest 8 bits of its
// operand.
inline unsigned lanes_left(std::size_t count, std::size_t lanes) noexcept {
  return static_cast<unsigned>(count < lanes ? count : lanes);
}

// ---- AVX-512: grouped by length, up to 32 bytes hashed in lanes, with several seeds at a time -----------------------

/// The beginnings and lengths of the spans of one length class.
struct span_class {
  alignas(64) std::uint32_t begin[span_view::capacity + 16];
  alignas(64) std::uint32_t length[span_view::capacity + 16];
  std::size_t count;
};

/// The spans by length class: 1 to 8, 9 to 16, and 17 to 32 bytes, and the indices of the spans of more than 32 bytes.
struct sorted_spans {
  span_class brief;
  span_class middle;
  span_class large;
  std::uint32_t longer[span_view::capacity + 16];
  std::size_t longer_count;
};

NEARDUP_AVX512_BEGIN

/// Appends some of sixteen spans to `spans`: the spans whose bits in `which` are set. VPCOMPRESSD selects these spans.
inline void append_class_avx512(span_class& spans, __mmask16 which, __m512i begin, __m512i length) noexcept {
  _mm512_storeu_si512(spans.begin + spans.count, _mm512_maskz_compress_epi32(which, begin));
  _mm512_storeu_si512(spans.length + spans.count, _mm512_maskz_compress_epi32(which, length));
  spans.count += static_cast<std::size_t>(std::popcount(which));
}

inline void sort_spans_avx512(const span_view& spans, sorted_spans& sorted) noexcept {
  sorted.brief.count = sorted.middle.count = sorted.large.count = sorted.longer_count = 0;
  __m512i numbers = _mm512_cvtepu8_epi32(_mm_load_si128(reinterpret_cast<const __m128i*>(byte_indices.data())));
  for (std::size_t i = 0; i < spans.count; i += 16) {
    const auto lanes = static_cast<__mmask16>(_bzhi_u32(0xffff, lanes_left(spans.count - i, 16)));
    const __m512i begin = _mm512_loadu_si512(spans.begin + i);
    const __m512i length = _mm512_sub_epi32(_mm512_loadu_si512(spans.end + i), begin);
    const __mmask16 to_8 = _mm512_mask_cmple_epu32_mask(lanes, length, _mm512_set1_epi32(8));
    const __mmask16 to_16 = _mm512_mask_cmple_epu32_mask(lanes, length, _mm512_set1_epi32(16));
    const __mmask16 to_32 = _mm512_mask_cmple_epu32_mask(lanes, length, _mm512_set1_epi32(32));
    append_class_avx512(sorted.brief, to_8, begin, length);
    append_class_avx512(sorted.middle, to_16 & ~to_8, begin, length);
    append_class_avx512(sorted.large, to_32 & ~to_16, begin, length);
    const __mmask16 longer = lanes & ~to_32;
    _mm512_storeu_si512(sorted.longer + sorted.longer_count, _mm512_maskz_compress_epi32(longer, numbers));
    sorted.longer_count += static_cast<std::size_t>(std::popcount(longer));
    numbers = _mm512_add_epi32(numbers, _mm512_set1_epi32(16));
  }
}

/// Eight spans of a class, beginning with span number `i` of the class.
struct span_lanes_avx512 {
  __m512i begin;
  __m512i length;
  const char* text;
  __mmask8 valid;

  span_lanes_avx512(const char* source, const span_class& spans, std::size_t i) noexcept
      : begin(widen(spans.begin + i)),
        length(widen(spans.length + i)),
        text(source),
        valid(static_cast<__mmask8>(_bzhi_u32(0xff, lanes_left(spans.count - i, 8)))) {}

  /// Returns the eight bytes at `offset` of each span.
  __m512i bytes(__m512i offset) const noexcept {
    return _mm512_mask_i64gather_epi64(_mm512_setzero_si512(), valid, _mm512_add_epi64(begin, offset), text, 1);
  }

 private:
  static __m512i widen(const std::uint32_t* values) noexcept {
    return _mm512_cvtepu32_epi64(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(values)));
  }
};

inline __m512i set1_avx512(std::uint64_t value) noexcept { return _mm512_set1_epi64(static_cast<long long>(value)); }

/// Hashes tokens of 1 to 8 bytes. The words of the tokens do not depend on the seed, and are computed once.
template <std::size_t Words>
NEARDUP_ALWAYS_INLINE void hash_brief_avx512(const span_lanes_avx512& lanes,
                                             std::span<const seeded_xxh3, Words> formulas,
                                             std::uint64_t* const* out) noexcept {
  // VPERMQ uses the lowest three bits of a length, so it selects entry length % 8 of brief_sources. The indices of
  // VPSHUFB are relative to 16 bytes, so 8 is added for the upper token in each 16 bytes.
  const __m512i halves = _mm512_broadcast_i32x4(_mm_set_epi64x(0x0808080808080808, 0));
  const __m512i sources = _mm512_permutexvar_epi64(lanes.length, _mm512_load_si512(brief_sources.data()));
  const __m512i word = _mm512_shuffle_epi8(lanes.bytes(_mm512_setzero_si512()), _mm512_add_epi8(sources, halves));
  // `sources` also marks the tokens of fewer than 4 bytes: the highest byte of their word is zero, so the highest bit
  // of their lane is set.
  using avx512::hash_lanes;
  const avx512::brief_rounds rounds(reinterpret_cast<hash_lanes>(lanes.length), reinterpret_cast<hash_lanes>(sources));
  for (std::size_t j = 0; j < formulas.size(); ++j) {
    const hash_lanes hashes = rounds(reinterpret_cast<hash_lanes>(word), formulas[j]);
    _mm512_storeu_si512(out[j], reinterpret_cast<__m512i>(hashes));
  }
}

/// Returns for each lane the exclusive or of the two halves of a 128-bit product. Four VPMULUDQ compute the product.
inline __m512i fold_product_avx512(__m512i low, __m512i high) noexcept {
  const __m512i low_half = set1_avx512(0xffffffffU);
  const __m512i low_top = _mm512_srli_epi64(low, 32);
  const __m512i high_top = _mm512_srli_epi64(high, 32);
  const __m512i ll = _mm512_mul_epu32(low, high);
  const __m512i lh = _mm512_mul_epu32(low, high_top);
  const __m512i hl = _mm512_mul_epu32(low_top, high);
  const __m512i hh = _mm512_mul_epu32(low_top, high_top);
  const __m512i cross =
      _mm512_add_epi64(_mm512_add_epi64(_mm512_srli_epi64(ll, 32), _mm512_and_si512(hl, low_half)), lh);
  const __m512i upper = _mm512_add_epi64(_mm512_add_epi64(_mm512_srli_epi64(hl, 32), _mm512_srli_epi64(cross, 32)), hh);
  const __m512i lower = _mm512_or_si512(_mm512_slli_epi64(cross, 32), _mm512_and_si512(ll, low_half));
  return _mm512_xor_si512(lower, upper);
}

inline __m512i avalanche_avx512(__m512i x) noexcept {
  x = _mm512_xor_si512(x, _mm512_srli_epi64(x, 37));
  x = _mm512_mullo_epi64(x, set1_avx512(0x165667919e3779f9U));
  return _mm512_xor_si512(x, _mm512_srli_epi64(x, 32));
}

/// Hashes tokens of 9 to 16 bytes: multiplies the first eight bytes by the last eight bytes.
template <std::size_t Words>
void hash_middle_avx512(const span_lanes_avx512& lanes, std::span<const seeded_xxh3, Words> formulas,
                        std::uint64_t* const* out) noexcept {
  const __m512i swap_bytes = _mm512_broadcast_i32x4(_mm_set_epi64x(0x08090a0b0c0d0e0f, 0x0001020304050607));
  const __m512i first = lanes.bytes(_mm512_setzero_si512());
  const __m512i last = lanes.bytes(_mm512_sub_epi64(lanes.length, set1_avx512(8)));
  for (std::size_t j = 0; j < formulas.size(); ++j) {
    const __m512i low = _mm512_xor_si512(first, set1_avx512(formulas[j].flip_low_9_to_16));
    const __m512i high = _mm512_xor_si512(last, set1_avx512(formulas[j].flip_high_9_to_16));
    const __m512i sum = _mm512_add_epi64(_mm512_add_epi64(lanes.length, _mm512_shuffle_epi8(low, swap_bytes)), high);
    _mm512_storeu_si512(out[j], avalanche_avx512(_mm512_add_epi64(sum, fold_product_avx512(low, high))));
  }
}

/// Hashes tokens of 17 to 32 bytes: multiplies the two halves of the first 16 bytes, and the two halves of the last 16
/// bytes.
template <std::size_t Words>
void hash_large_avx512(const span_lanes_avx512& lanes, std::span<const seeded_xxh3, Words> formulas,
                       std::uint64_t* const* out) noexcept {
  const __m512i last = _mm512_sub_epi64(lanes.length, set1_avx512(16));
  const __m512i words[4] = {lanes.bytes(_mm512_setzero_si512()), lanes.bytes(set1_avx512(8)), lanes.bytes(last),
                            lanes.bytes(_mm512_add_epi64(last, set1_avx512(8)))};
  const __m512i scaled = _mm512_mullo_epi64(lanes.length, set1_avx512(0x9e3779b185ebca87U));
  for (std::size_t j = 0; j < formulas.size(); ++j) {
    const auto& flips = formulas[j].flips_17_to_32;
    const __m512i products = _mm512_add_epi64(fold_product_avx512(_mm512_xor_si512(words[0], set1_avx512(flips[0])),
                                                                  _mm512_xor_si512(words[1], set1_avx512(flips[1]))),
                                              fold_product_avx512(_mm512_xor_si512(words[2], set1_avx512(flips[2])),
                                                                  _mm512_xor_si512(words[3], set1_avx512(flips[3]))));
    _mm512_storeu_si512(out[j], avalanche_avx512(_mm512_add_epi64(scaled, products)));
  }
}

/// The AVX-512 version of hash_spans_portable. It computes at most max_span_words formulas, and writes the hashes of
/// formula j to columns[j]. `Words` is the number of formulas, or std::dynamic_extent.
template <std::size_t Words>
void hash_spans_avx512(const char* text, const span_view& spans, std::span<const seeded_xxh3, Words> formulas,
                       std::uint64_t* const* columns) noexcept {
  sorted_spans sorted;
  sort_spans_avx512(spans, sorted);
  std::uint64_t* out[max_span_words];
  for (std::size_t j = 0; j < formulas.size(); ++j) out[j] = columns[j];
  const auto advance = [&](std::size_t count) {
    for (std::size_t j = 0; j < formulas.size(); ++j) out[j] += count;
  };
  for (std::size_t i = 0; i < sorted.brief.count; i += 8) {
    hash_brief_avx512(span_lanes_avx512(text, sorted.brief, i), formulas, out);
    advance(lanes_left(sorted.brief.count - i, 8));
  }
  for (std::size_t i = 0; i < sorted.middle.count; i += 8) {
    hash_middle_avx512(span_lanes_avx512(text, sorted.middle, i), formulas, out);
    advance(lanes_left(sorted.middle.count - i, 8));
  }
  for (std::size_t i = 0; i < sorted.large.count; i += 8) {
    hash_large_avx512(span_lanes_avx512(text, sorted.large, i), formulas, out);
    advance(lanes_left(sorted.large.count - i, 8));
  }
  for (std::size_t i = 0; i < sorted.longer_count; ++i) {
    const std::uint32_t n = sorted.longer[i];
    const char* const token = text + spans.begin[n];
    for (std::size_t j = 0; j < formulas.size(); ++j) {
      *out[j] = XXH3_64bits_withSeed(token, spans.end[n] - spans.begin[n], formulas[j].seed);
    }
    advance(1);
  }
}
NEARDUP_END

#endif  // NEARDUP_X86_KERNELS

}  // namespace neardup::inline v0::detail

#define NEARDUP_KERNEL "../fingerprint/kernels/xxh3_spans.inl"
#include "../../simd/for_each_form.hpp"

namespace neardup::inline v0::detail {

/// Hashes the tokens at the ranges `spans` of a text, in unspecified order. Word j of each hash is written to
/// columns[j].
/// Precondition: words <= max_span_words; each column has room for 7 more hashes than there are spans; 8 bytes are
/// readable from the beginning of each span on.
inline void hash_spans(const char* text, const span_view& spans, std::uint64_t seed, std::uint64_t* const* columns,
                       std::size_t words, instruction_set level) noexcept {
  choose_form(level, [&](auto form) { decltype(span_kernels_of(form))::hash(text, spans, seed, columns, words); });
}

/// Writes the hash of a token to `out`.
inline void add_token_hash(std::string_view token, std::uint64_t seed, const hash_writer& out) {
  out.add(
      [&](std::size_t j) { return XXH3_64bits_withSeed(token.data(), token.size(), seed + j * xxh3<>::seed_step); });
}

/// Writes the hashes of the tokens at the ranges `spans` of a text to `out`.
inline void add_span_hashes(const char* text, const span_view& spans, std::uint64_t seed, instruction_set level,
                            const hash_writer& out) {
  out.make_room(spans.count);
  for (std::size_t first = 0; first < out.words(); first += max_span_words) {
    const std::size_t words = (std::min)(max_span_words, out.words() - first);
    std::uint64_t* columns[max_span_words];
    for (std::size_t j = 0; j < words; ++j) columns[j] = out.end(first + j);
    hash_spans(text, spans, seed + first * xxh3<>::seed_step, columns, words, level);
  }
  out.advance(spans.count);
}

}  // namespace neardup::inline v0::detail
