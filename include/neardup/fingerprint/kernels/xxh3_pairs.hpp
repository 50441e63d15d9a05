// SPDX-License-Identifier: MIT
// XXH3 of pairs of code points, 2 to 8 bytes, without a branch on their lengths.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "../../detail/bytes.hpp"
#include "../../detail/instructions.hpp"
#include "../../text/kernels/text_blocks.hpp"
#include "xxh3_short.hpp"
#include "xxh3_windows.hpp"

namespace neardup::inline v0::detail {

#if NEARDUP_X86_KERNELS
NEARDUP_KERNELS_BEGIN

// ---- AVX2: four pairs per vector, in text order ---------------------------------------------------------------------
// Three consecutive code points make two pairs. The lengths of the code points determine where both pairs lie within 16
// bytes, and which formula each pair takes; a table has an entry for each combination of lengths. VPSHUFB arranges the
// bytes of both pairs, and the constants of both formulas are blended.

/// Arranges the bytes of two pairs, eight bytes each. VPSHUFB ignores bits 4 to 6 of its control bytes, so the last
/// control byte of a pair also stores the length:
///
///   byte 0 .. 6   the index of the source byte; bit 7 set: a zero
///   byte 7        the same; bits 4 to 6: length - 1
struct alignas(16) pair_shuffle {
  std::uint8_t sources[16];
};

/// pair_shuffles[(a - 1) + 4 (b - 1) + 16 (c - 1)] is for code points of a, b and c bytes.
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
      sources[7] = static_cast<std::uint8_t>(sources[7] | (length - 1) << 4);
    }
  }
  return shuffles;
}();

/// The number of places beyond the first `count` that hash_pairs_avx2 may read.
inline constexpr std::size_t pair_places_slack = 12;

/// Sets keys[i] to the byte offset in pair_shuffles of the shuffle for pairs i and i + 1, for i < count.
/// Precondition: `keys` has space for count + 7 elements.
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
    const __m256i key =
        _mm256_add_epi32(_mm256_add_epi32(_mm256_slli_epi32(a, 4), _mm256_slli_epi32(b, 6)), _mm256_slli_epi32(c, 8));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(keys + i), _mm256_sub_epi32(key, _mm256_set1_epi32(16 + 64 + 256)));
  }
}

NEARDUP_TARGET_AVX2 inline __m128i load_128(const void* from) noexcept {
  return _mm_loadu_si128(static_cast<const __m128i*>(from));
}

/// Hashes the pairs that begin at the first `count` places.
/// Precondition: 16 bytes are readable at each of these places. pair_places_slack further places follow, each 1 to 4
/// above the one before; the first two of them belong to code points.
NEARDUP_TARGET_AVX2 inline void hash_pairs_avx2(const char* text, const std::uint32_t* places,
                                                const std::uint32_t* keys, std::size_t count, std::uint64_t seed,
                                                std::uint64_t* hashes) noexcept {
  const seeded_xxh3 formulas(seed);
  const __m256i lengths = _mm256_setr_epi32(0, 0x200, 0x300, 4, 5, 6, 7, 8);  // for the lower half of a lane
  const char* const shuffles = reinterpret_cast<const char*>(pair_shuffles.data());
  for (std::size_t i = 0; i < count; i += 4) {
    const __m256i bytes =
        _mm256_inserti128_si256(_mm256_castsi128_si256(load_128(text + places[i])), load_128(text + places[i + 2]), 1);
    const __m256i shuffle = _mm256_inserti128_si256(_mm256_castsi128_si256(load_128(shuffles + keys[i])),
                                                    load_128(shuffles + keys[i + 2]), 1);
    lanes_avx2 word = reinterpret_cast<lanes_avx2>(_mm256_shuffle_epi8(bytes, shuffle));
    // `shuffle` also marks the pairs below 4 bytes. Their word has a zero in its highest byte, so the highest bit of
    // their lane is set.
    const __m256i length = _mm256_permutevar8x32_epi32(lengths, _mm256_srli_epi64(shuffle, 60));
    const brief_rounds<lanes_avx2> rounds(reinterpret_cast<lanes_avx2>(length), reinterpret_cast<lanes_avx2>(shuffle));
    rounds(word, formulas);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(hashes + i), reinterpret_cast<__m256i>(word));
  }
}

// ---- AVX-512: eight pairs per vector, the pairs of each formula separately ------------------------------------------
// VPCOMPRESSB collects the places where the pairs of a formula begin and end; VPERMI2B takes the bytes of the pairs
// from a block and the next one. The dependency chain from bytes to places to hashes is long. With two loops (places,
// then hashes) over 16 blocks at a time, more blocks are in flight: 0.225 ns per byte of cached Chinese, validated and
// counted, against 0.27 with one loop (Zen 5). Pairs below 4 bytes are kept as 32-bit words until the end of the 16
// blocks, so that they fill whole vectors.

// The permutations that arrange vector i of pairs in lanes: pairs 8 i to 8 i + 7 in lanes of 8 bytes, or, for pairs
// below 4 bytes, pairs 16 i to 16 i + 15 in lanes of 4 bytes. `places`: an index below 64 selects from the vector of
// begins, an index from 64 on from the vector of ends. `numbers`: the number of the pair, which selects its length.
struct pair_lanes {
  window_shuffle places;  // per lane: the end four times (below 4 bytes: once), then the begin
  window_shuffle numbers;
};
template <std::size_t Lane>
inline constexpr std::array<pair_lanes, Lane> pair_lanes_of = [] {
  std::array<pair_lanes, Lane> result{};
  for (std::size_t i = 0; i < 64 * Lane; ++i) {
    const std::size_t number = i / Lane;
    result[i / 64].numbers.sources[i % 64] = static_cast<std::uint8_t>(number);
    result[i / 64].places.sources[i % 64] = static_cast<std::uint8_t>(number + (i % Lane < Lane * Lane / 16 ? 64 : 0));
  }
  return result;
}();

/// The two sources of VPERMI2B: a block and the next one.
struct pair_bytes {
  __m512i block;
  __m512i next;
};

/// The pairs of a block that take one formula: the places where they begin and end, and their lengths, one pair per
/// byte.
struct pair_class {
  __m512i begin;
  __m512i end;
  __m512i length;

  NEARDUP_TARGET_AVX512 pair_class(const std::uint8_t* begins, const std::uint8_t* ends) noexcept
      : begin(_mm512_load_si512(begins)), end(_mm512_load_si512(ends)), length(_mm512_sub_epi8(end, begin)) {}
};

/// The greatest number of blocks whose pairs are hashed at a time.
inline constexpr std::size_t max_pair_blocks = 16;

/// The places where the pairs of each block begin and end, and the number of pairs, separately for pairs of at least 4
/// bytes and pairs below 4 bytes.
struct pair_places {
  struct places_of_block {
    alignas(64) std::uint8_t begin[text_block_size];
    alignas(64) std::uint8_t end[text_block_size];
  };
  places_of_block from_4[max_pair_blocks];
  places_of_block below_4[max_pair_blocks];
  std::uint8_t count_from_4[max_pair_blocks];
  std::uint8_t count_below_4[max_pair_blocks];
};

/// Hashes pairs of at least 4 bytes, and pairs below 4 bytes, by the formula of each.
class pair_hasher_avx512 {
 public:
  NEARDUP_TARGET_AVX512 explicit pair_hasher_avx512(std::uint64_t seed) noexcept {
    const seeded_xxh3 formulas(seed);
    fill_lanes(flip_, formulas.flip_4_to_8);
    fill_lanes(offsets_, 0x03020100fffefdfcU);
    fill_lanes(tiny_flip_, formulas.flip_1_to_3);
    fill_lanes(tiny_offsets_, 0x010000ff010000ffU);
  }

  /// Returns the hashes of eight pairs of at least 4 bytes: pairs 8 i to 8 i + 7.
  NEARDUP_TARGET_AVX512 __m512i hashes(const pair_bytes& bytes, const pair_class& pairs, std::size_t i) const noexcept {
    const pair_lanes& lanes = pair_lanes_of<8>[i];
    const __m512i places =
        _mm512_add_epi8(_mm512_permutex2var_epi8(pairs.begin, _mm512_load_si512(lanes.places.sources), pairs.end),
                        reinterpret_cast<__m512i>(offsets_));
    const __m512i length =
        _mm512_maskz_permutexvar_epi8(byte_ones, _mm512_load_si512(lanes.numbers.sources), pairs.length);
    lanes_avx512 x = reinterpret_cast<lanes_avx512>(_mm512_permutex2var_epi8(bytes.block, places, bytes.next)) ^ flip_;
    rotate_lanes(x);
    rounds_(x, reinterpret_cast<lanes_avx512>(length));
    return reinterpret_cast<__m512i>(x);
  }

  /// Returns sixteen pairs of 2 or 3 bytes, pairs 16 i to 16 i + 15. Each is the 32-bit word of the formula, with its
  /// length in byte 1.
  NEARDUP_TARGET_AVX512 __m512i tiny_words(const pair_bytes& bytes, const pair_class& pairs,
                                           std::size_t i) const noexcept {
    const pair_lanes& lanes = pair_lanes_of<4>[i];
    const __m512i places =
        _mm512_add_epi8(_mm512_permutex2var_epi8(pairs.begin, _mm512_load_si512(lanes.places.sources), pairs.end),
                        reinterpret_cast<__m512i>(tiny_offsets_));
    return _mm512_mask_permutexvar_epi8(_mm512_permutex2var_epi8(bytes.block, places, bytes.next), byte_ones_of_4 << 1,
                                        _mm512_load_si512(lanes.numbers.sources), pairs.length);
  }

  /// Returns the hashes of eight words of tiny_words().
  NEARDUP_TARGET_AVX512 __m512i tiny_hashes(const std::uint32_t* words) const noexcept {
    const __m256i loaded = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(words));
    lanes_avx512 x = reinterpret_cast<lanes_avx512>(_mm512_cvtepu32_epi64(loaded)) ^ tiny_flip_;
    tiny_rounds_(x, x);
    return reinterpret_cast<__m512i>(x);
  }

 private:
  static constexpr std::uint64_t byte_ones_of_4 = 0x1111111111111111U;  // one bit per four bytes

  short_rounds<false, lanes_avx512> rounds_;
  short_rounds<true, lanes_avx512> tiny_rounds_;
  lanes_avx512 flip_, offsets_, tiny_flip_, tiny_offsets_;
};

/// Returns for each byte of a block the length of the code point that begins there.
NEARDUP_TARGET_AVX512 inline __m512i code_point_lengths_avx512(__m512i block) noexcept {
  const __m512i by_half = _mm512_broadcast_i32x4(_mm_setr_epi8(1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 2, 2, 3, 4));
  return _mm512_shuffle_epi8(by_half, _mm512_and_si512(_mm512_srli_epi16(block, 4), _mm512_set1_epi8(0x0f)));
}

constexpr bool is_ascii(char byte) noexcept { return static_cast<unsigned char>(byte) < 0x80; }

/// Finds the pairs that begin before byte `end` in `count` blocks of 64 bytes.
/// Precondition: 64 more bytes are readable.
NEARDUP_TARGET_AVX512 inline void find_pairs_avx512(const char* text, std::size_t count, std::size_t end,
                                                    pair_places& places) noexcept {
  const __m512i numbers = _mm512_load_si512(byte_indices.data());
  const auto compress = [&](std::uint64_t which, __m512i ends, pair_places::places_of_block& out)
                            NEARDUP_AVX512_LAMBDA {
                              _mm512_store_si512(out.begin, _mm512_maskz_compress_epi8(which, numbers));
                              _mm512_store_si512(out.end, _mm512_maskz_compress_epi8(which, ends));
                              return static_cast<std::uint8_t>(std::popcount(which));
                            };
  __m512i next = _mm512_loadu_si512(text);
  __m512i next_lengths = code_point_lengths_avx512(next);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = i * text_block_size;
    const __m512i block = next;
    const __m512i lengths = next_lengths;
    next = _mm512_loadu_si512(text + at + text_block_size);
    next_lengths = code_point_lengths_avx512(next);
    const __m512i second = _mm512_add_epi8(numbers, lengths);
    const __m512i second_lengths = _mm512_permutex2var_epi8(lengths, second, next_lengths);
    std::uint64_t starts = _mm512_cmpgt_epi8_mask(block, _mm512_set1_epi8(-0x41));
    if (at + text_block_size > end) starts = end > at ? _bzhi_u64(starts, static_cast<unsigned>(end - at)) : 0;
    const std::uint64_t below_4 =
        starts & _mm512_cmplt_epu8_mask(_mm512_add_epi8(lengths, second_lengths), _mm512_set1_epi8(4));
    const __m512i ends = _mm512_add_epi8(second, second_lengths);
    if (below_4 == ~std::uint64_t{0} && is_ascii(text[at + text_block_size])) {
      places.count_from_4[i] = 0;
      places.count_below_4[i] = text_block_size;
      continue;
    }
    places.count_from_4[i] = compress(starts & ~below_4, ends, places.from_4[i]);
    places.count_below_4[i] = compress(below_4, ends, places.below_4[i]);
  }
}

/// Hashes the pairs that begin before byte `end` in `count` blocks of 64 bytes, in unspecified order.
/// Precondition: 64 more bytes are readable; `hashes` has space for 64 per block and 16 more.
/// Returns: the number of pairs.
NEARDUP_TARGET_AVX512 inline std::size_t hash_pairs_avx512(const char* text, std::size_t count, std::size_t end,
                                                           std::uint64_t seed, std::uint64_t* hashes) noexcept {
  pair_places places;
  find_pairs_avx512(text, count, end, places);
  const pair_hasher_avx512 hasher(seed);
  const window_lanes_avx512<true> ascii_pairs(window_xxh3(2, seed));
  std::uint32_t tiny_words[(max_pair_blocks + 1) * text_block_size];
  std::size_t tiny_count = 0;
  std::uint64_t* out = hashes;
  for (std::size_t block = 0; block < count; ++block) {
    const char* const at = text + block * text_block_size;
    const std::size_t count_below_4 = places.count_below_4[block];
    const std::size_t count_from_4 = places.count_from_4[block];
    if (count_below_4 == text_block_size && is_ascii(at[text_block_size])) {
      for (std::size_t i = 0; i < text_block_size; i += 8) _mm512_storeu_si512(out + i, ascii_pairs(at + i));
      out += text_block_size;
      continue;
    }
    const pair_bytes bytes{_mm512_loadu_si512(at), _mm512_loadu_si512(at + text_block_size)};
    // Most blocks of Chinese have 17 to 24 pairs of at least 4 bytes, and at most 16 shorter pairs. Such blocks are
    // processed without a loop.
    const pair_class pairs(places.from_4[block].begin, places.from_4[block].end);
    for (std::size_t i = 0; i < 24; i += 8) _mm512_storeu_si512(out + i, hasher.hashes(bytes, pairs, i / 8));
    for (std::size_t i = 24; i < count_from_4; i += 8) {
      _mm512_storeu_si512(out + i, hasher.hashes(bytes, pairs, i / 8));
    }
    out += count_from_4;
    const pair_class tiny_pairs(places.below_4[block].begin, places.below_4[block].end);
    _mm512_storeu_si512(tiny_words + tiny_count, hasher.tiny_words(bytes, tiny_pairs, 0));
    for (std::size_t i = 16; i < count_below_4; i += 16) {
      _mm512_storeu_si512(tiny_words + tiny_count + i, hasher.tiny_words(bytes, tiny_pairs, i / 16));
    }
    tiny_count += count_below_4;
  }
  for (std::size_t i = 0; i < tiny_count; i += 8) _mm512_storeu_si512(out + i, hasher.tiny_hashes(tiny_words + i));
  return static_cast<std::size_t>(out - hashes) + tiny_count;
}

NEARDUP_KERNELS_END
#endif  // NEARDUP_X86_KERNELS

}  // namespace neardup::inline v0::detail
