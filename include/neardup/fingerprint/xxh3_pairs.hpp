// XXH3 of pairs of code points, of 2 to 8 bytes, in the order of the text.
//
// What the lengths of three code points in a row are decides where in 16 bytes the two pairs that they form lie, and which
// formula each takes: one entry of a table, and one VPSHUFB arranges the bytes of both as XXH3 wants them. Nothing is
// sorted or branched upon, so that a text of mixed scripts costs what one of a single script costs.
// Source: the xxHash specification, XXH3 algorithm, "Small inputs".
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "../detail/instruction_set.hpp"
#include "xxh3_spans.hpp"
#include "xxh3_windows.hpp"

namespace neardup::inline v0::detail {

#if NEARDUP_X86_KERNELS
NEARDUP_KERNELS_BEGIN

/// Arranges the bytes of two pairs. VPSHUFB ignores the bits 4 to 6 of a byte: those of the last byte of a pair say what
/// kind of pair it is, `kind_of(length)`, and bit 7, which gives a zero there, that it has below 4 bytes.
struct alignas(16) pair_shuffle {
  std::uint8_t sources[16];

  static constexpr std::size_t kind_of(std::size_t length) noexcept { return length < 4 ? length + 4 : length - 3; }
};

/// For code points of a, b and c bytes at (a - 1) + 4 (b - 1) + 16 (c - 1).
inline constexpr std::array<pair_shuffle, 64> pair_shuffles = [] {
  std::array<pair_shuffle, 64> shuffles{};
  for (std::size_t i = 0; i < shuffles.size(); ++i) {
    const std::size_t lengths[3] = {1 + i % 4, 1 + i / 4 % 4, 1 + i / 16};
    for (std::size_t pair = 0; pair < 2; ++pair) {
      const std::size_t begin = pair == 0 ? 0 : lengths[0];
      const std::size_t length = lengths[pair] + lengths[pair + 1];
      std::uint8_t* const sources = shuffles[i].sources + 8 * pair;
      for (std::size_t j = 0; j < 8; ++j) {
        const std::uint8_t source = short_xxh3::source_of(length, j);
        sources[j] = source == 0x80 ? source : static_cast<std::uint8_t>(begin + source);
      }
      sources[7] = static_cast<std::uint8_t>(sources[7] | pair_shuffle::kind_of(length) << 4);
    }
  }
  return shuffles;
}();

/// What `hash_pairs` reads beyond the places of `count` pairs.
inline constexpr std::size_t pair_places_slack = 12;

/// Writes for each pair that begins at places[i] the place of the shuffle, in bytes, of it and the next one; `keys` has
/// room for count + 7.
NEARDUP_TARGET_AVX2 inline void find_pair_keys(const std::uint32_t* places, std::size_t count,
                                               std::uint32_t* keys) noexcept {
  const auto load = [](const std::uint32_t* from)
                        NEARDUP_AVX2_LAMBDA { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)); };
  for (std::size_t i = 0; i < count; i += 8) {
    const __m256i p1 = load(places + i + 1);
    const __m256i p2 = load(places + i + 2);
    const __m256i a = _mm256_sub_epi32(p1, load(places + i));
    const __m256i b = _mm256_sub_epi32(p2, p1);
    const __m256i c = _mm256_sub_epi32(load(places + i + 3), p2);
    const __m256i key = _mm256_add_epi32(_mm256_add_epi32(_mm256_slli_epi32(a, 4), _mm256_slli_epi32(b, 6)),
                                         _mm256_slli_epi32(c, 8));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(keys + i), _mm256_sub_epi32(key, _mm256_set1_epi32(16 + 64 + 256)));
  }
}

/// The constants of the formulas, without what the bytes change.
struct pair_flips {
  std::uint64_t from_4;
  std::uint64_t below_4;  // without the length

  explicit pair_flips(std::uint64_t seed) noexcept {
    const short_formulas formulas(seed);
    from_4 = formulas.flip_4_to_8 ^ std::rotl(formulas.flip_4_to_8, 49) ^ std::rotl(formulas.flip_4_to_8, 24);
    below_4 = formulas.flip_1_to_3 ^ formulas.flip_1_to_3 >> 33;
  }
};

/// The two pairs from text + place on, and the next two.
NEARDUP_TARGET_AVX2 inline __m128i load_128(const void* from) noexcept {
  return _mm_loadu_si128(static_cast<const __m128i*>(from));
}

/// Hashes the pairs that begin at `count` places. Precondition: the places and the three behind them are of code points, and
/// 16 bytes may be read at each; pair_places_slack places can be read behind, their distances 1 to 4.
NEARDUP_TARGET_AVX2 inline void hash_pairs_avx2(const char* text, const std::uint32_t* places,
                                                const std::uint32_t* keys, std::size_t count, std::uint64_t seed,
                                                std::uint64_t* hashes) noexcept {
  const auto set1 = [](std::uint64_t value)
                        NEARDUP_AVX2_LAMBDA { return _mm256_set1_epi64x(static_cast<long long>(value)); };
  const pair_flips flips(seed);
  const factor_avx2 tiny_first(short_xxh3::avalanche_1);
  const factor_avx2 tiny_second(short_xxh3::avalanche_2);
  const factor_avx2 factor(short_xxh3::rrmxmx);
  const __m256i flip = set1(flips.from_4);
  const __m256i tiny_flip = set1(flips.below_4);
  const __m256i rotate_24 = _mm256_setr_epi8(5, 6, 7, 0, 1, 2, 3, 4, 13, 14, 15, 8, 9, 10, 11, 12, 5, 6, 7, 0, 1, 2, 3,
                                             4, 13, 14, 15, 8, 9, 10, 11, 12);
  // By kind, in the lower half of a lane; the upper half is of kind 0.
  const __m256i lengths = _mm256_setr_epi32(0, 4, 5, 6, 7, 8, 0, 0);
  const __m256i tiny_lengths = _mm256_setr_epi32(0, 0, 0, 0, 0, 0, 0x200, 0x300);
  const char* const shuffles = reinterpret_cast<const char*>(pair_shuffles.data());
  for (std::size_t i = 0; i < count; i += 4) {
    const __m256i bytes = _mm256_inserti128_si256(_mm256_castsi128_si256(load_128(text + places[i])),
                                                  load_128(text + places[i + 2]), 1);
    const __m256i shuffle = _mm256_inserti128_si256(_mm256_castsi128_si256(load_128(shuffles + keys[i])),
                                                    load_128(shuffles + keys[i + 2]), 1);
    // Blended as doubles, by the upper bit of a lane.
    const auto choose = [&](__m256i if_tiny, __m256i otherwise) NEARDUP_AVX2_LAMBDA {
      return _mm256_castpd_si256(
          _mm256_blendv_pd(_mm256_castsi256_pd(otherwise), _mm256_castsi256_pd(if_tiny), _mm256_castsi256_pd(shuffle)));
    };
    const __m256i kind = _mm256_srli_epi64(shuffle, 60);
    __m256i x = _mm256_shuffle_epi8(bytes, shuffle);
    const __m256i rotated_49 = _mm256_xor_si256(_mm256_slli_epi64(x, 49), _mm256_srli_epi64(x, 15));
    const __m256i rotated_24 = _mm256_xor_si256(_mm256_shuffle_epi8(x, rotate_24), flip);
    const __m256i tiny_rest = _mm256_xor_si256(_mm256_permutevar8x32_epi32(tiny_lengths, kind), tiny_flip);
    x = _mm256_xor_si256(x, choose(tiny_rest, _mm256_xor_si256(rotated_49, rotated_24)));
    x = multiply_avx2(x, choose(tiny_first.whole, factor.whole), choose(tiny_first.swapped, factor.swapped));
    const __m256i shifted = _mm256_srlv_epi64(x, choose(set1(29), set1(35)));
    x = _mm256_xor_si256(x, _mm256_add_epi64(shifted, _mm256_permutevar8x32_epi32(lengths, kind)));
    x = multiply_avx2(x, choose(tiny_second.whole, factor.whole), choose(tiny_second.swapped, factor.swapped));
    x = _mm256_xor_si256(x, _mm256_srlv_epi64(x, choose(set1(32), set1(28))));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(hashes + i), x);
  }
}

/// A value that stays in a register: g++ would make it anew from an immediate at each use in a loop.
NEARDUP_TARGET_AVX512 inline __m512i kept_avx512(std::uint64_t value) noexcept {
  __m512i vector = _mm512_set1_epi64(static_cast<long long>(value));
  asm("" : "+v"(vector));
  return vector;
}

/// The same with AVX-512, eight pairs at a time.
NEARDUP_TARGET_AVX512 inline void hash_pairs_avx512(const char* text, const std::uint32_t* places,
                                                    const std::uint32_t* keys, std::size_t count, std::uint64_t seed,
                                                    std::uint64_t* hashes) noexcept {
  const pair_flips flips(seed);
  const __m512i factor = kept_avx512(short_xxh3::rrmxmx);
  const __m512i tiny_first = kept_avx512(short_xxh3::avalanche_1);
  const __m512i tiny_second = kept_avx512(short_xxh3::avalanche_2);
  // By kind; VPERMQ looks at its lowest three bits.
  const __m512i lengths = _mm512_setr_epi64(0, 4, 5, 6, 7, 8, 0, 0);
  const auto flip_of = [](std::uint64_t value) { return static_cast<long long>(value); };
  const long long flip = flip_of(flips.from_4);
  const __m512i all_flips = _mm512_setr_epi64(flip, flip, flip, flip, flip, flip, flip_of(flips.below_4 ^ 0x200U),
                                              flip_of(flips.below_4 ^ 0x300U));
  const char* const shuffles = reinterpret_cast<const char*>(pair_shuffles.data());
#define NEARDUP_LOAD_4(from, at)                                                                                       \
  _mm512_inserti64x4(                                                                                                  \
      _mm512_castsi256_si512(_mm256_inserti128_si256(                                                                  \
          _mm256_castsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>((from) + (at)[i]))),                 \
          _mm_loadu_si128(reinterpret_cast<const __m128i*>((from) + (at)[i + 2])), 1)),                                \
      _mm256_inserti128_si256(                                                                                         \
          _mm256_castsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>((from) + (at)[i + 4]))),             \
          _mm_loadu_si128(reinterpret_cast<const __m128i*>((from) + (at)[i + 6])), 1),                                 \
      1)
  for (std::size_t i = 0; i < count; i += 8) {
    const __m512i bytes = NEARDUP_LOAD_4(text, places);
    const __m512i shuffle = NEARDUP_LOAD_4(shuffles, keys);
    const __mmask8 tiny = _mm512_movepi64_mask(shuffle);
    const auto from_4 = static_cast<__mmask8>(~tiny);
    const __m512i kind = _mm512_srli_epi64(shuffle, 60);
    __m512i x = _mm512_shuffle_epi8(bytes, shuffle);
    x = _mm512_mask_ternarylogic_epi64(x, from_4, _mm512_rol_epi64(x, 49), _mm512_rol_epi64(x, 24), 0x96);
    x = _mm512_xor_si512(x, _mm512_permutexvar_epi64(kind, all_flips));
    x = _mm512_mullo_epi64(x, _mm512_mask_blend_epi64(tiny, factor, tiny_first));
    const __m512i shifted = _mm512_mask_srli_epi64(_mm512_srli_epi64(x, 35), tiny, x, 29);
    x = _mm512_xor_si512(x, _mm512_add_epi64(shifted, _mm512_permutexvar_epi64(kind, lengths)));
    x = _mm512_mullo_epi64(x, _mm512_mask_blend_epi64(tiny, factor, tiny_second));
    x = _mm512_xor_si512(x, _mm512_mask_srli_epi64(_mm512_srli_epi64(x, 28), tiny, x, 32));
    _mm512_storeu_si512(hashes + i, x);
  }
#undef NEARDUP_LOAD_4
}

NEARDUP_KERNELS_END
#endif  // NEARDUP_X86_KERNELS

}  // namespace neardup::inline v0::detail
