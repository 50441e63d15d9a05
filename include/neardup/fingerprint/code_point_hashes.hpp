// The hashes of the n-grams of code points of a text, many at a time.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "../detail/bytes.hpp"
#include "../detail/instruction_set.hpp"
#include "../text/text_blocks.hpp"
#include "../text/utf8_blocks.hpp"
#include "../text/word_spans.hpp"
#include "hash_block.hpp"
#include "xxh3.hpp"
#include "xxh3_spans.hpp"
#include "xxh3_windows.hpp"

namespace neardup::inline v0::detail {

/// The longest n-grams that go by kernels.
inline constexpr std::size_t max_kernel_gram = 64;

/// Memory for the n-grams of code points: where they begin, and end n places later.
struct gram_scratch {
  static constexpr std::size_t capacity = 1024;

  static constexpr std::size_t slack = 2 * text_block_size + 16;  // kernels write, and read, whole vectors

  alignas(64) std::uint32_t places[max_kernel_gram + capacity + slack];
};

#if NEARDUP_X86_KERNELS
NEARDUP_KERNELS_BEGIN

// lane_bytes[i] selects byte i + lane, eight times, for each of eight lanes.
inline constexpr std::array<window_shuffle, 8> lane_bytes = [] {
  std::array<window_shuffle, 8> result{};
  for (std::size_t i = 0; i < result.size(); ++i) {
    for (std::size_t j = 0; j < 64; ++j) result[i].sources[j] = static_cast<std::uint8_t>(8 * i + j / 8);
  }
  return result;
}();

/// A value that stays in a register: g++ would make it anew from an immediate at each use in a loop.
NEARDUP_TARGET_AVX512 inline __m512i kept_avx512(std::uint64_t value) noexcept {
  __m512i vector = _mm512_set1_epi64(static_cast<long long>(value));
  asm("" : "+v"(vector));
  return vector;
}

/// The hashes of the pairs of code points that begin at `count` positions of a block and the next one; `Tiny` says that
/// some may be below 4 bytes. VPERMI2B takes the eight bytes from each position: no gather. Where a pair ends follows from
/// its bytes. 2.3 cycles a byte of Chinese with its share of ASCII.
template <bool Tiny>
NEARDUP_TARGET_AVX512 inline void hash_pairs_avx512(__m512i bytes, __m512i next, __m512i positions, std::size_t count,
                                                    const short_formulas& formulas, std::uint64_t* hashes) noexcept {
  const __m512i offsets = kept_avx512(0x0706050403020100U);
  const __m512i low_bits = kept_avx512(byte_ones << 8);
  const __m512i minus_1 = kept_avx512(~std::uint64_t{0});
  const __m512i bits_4 = kept_avx512(32);
  const __m512i flip_4_to_8 = kept_avx512(formulas.flip_4_to_8);
  const __m512i factor = kept_avx512(short_xxh3::rrmxmx);
  const __m512i flip_2_to_3 = kept_avx512(formulas.flip_1_to_3);
  const __m512i factor_1 = kept_avx512(short_xxh3::avalanche_1);
  const __m512i factor_2 = kept_avx512(short_xxh3::avalanche_2);
  const __m512i first_two = _mm512_broadcast_i32x4(
      _mm_set_epi64x(static_cast<long long>(0x8080808009088080U), static_cast<long long>(0x8080808001008080U)));
  for (std::size_t i = 0; i < count; i += 8) {
    const __m512i begin = _mm512_permutexvar_epi8(_mm512_load_si512(lane_bytes[i / 8].sources), positions);
    __m512i word = _mm512_permutex2var_epi8(bytes, _mm512_add_epi8(begin, offsets), next);
    // A bit for each byte but the first that begins a code point, 10...... aside; then without the lowest.
    __m512i ends = _mm512_ternarylogic_epi64(_mm512_srli_epi64(word, 7), _mm512_srli_epi64(word, 6), low_bits, 0x8a);
    ends = _mm512_and_si512(ends, _mm512_add_epi64(ends, minus_1));
    // The bits below the one that is lowest now, or all.
    const __m512i inside = _mm512_andnot_si512(ends, _mm512_add_epi64(ends, minus_1));
    word = _mm512_and_si512(word, inside);
    const __m512i bits = _mm512_popcnt_epi64(inside);
    const __m512i length = _mm512_srli_epi64(bits, 3);
    const __m512i high = _mm512_srlv_epi64(word, _mm512_sub_epi64(bits, bits_4));
    __m512i x = _mm512_ternarylogic_epi64(_mm512_slli_epi64(word, 32), high, flip_4_to_8, 0x56);
    x = _mm512_ternarylogic_epi64(x, _mm512_rol_epi64(x, 49), _mm512_rol_epi64(x, 24), 0x96);
    if constexpr (!Tiny) {
      x = _mm512_mullo_epi64(x, factor);
      x = _mm512_xor_si512(x, _mm512_add_epi64(_mm512_srli_epi64(x, 35), length));
      x = _mm512_mullo_epi64(x, factor);
      x = _mm512_xor_si512(x, _mm512_srli_epi64(x, 28));
    } else {
      // 2 or 3 bytes: the first to bits 16, the second to 24, the last to 0, the length to 8.
      const __mmask8 tiny = _mm512_cmplt_epu64_mask(bits, bits_4);
      const __m512i last = _mm512_srlv_epi64(word, _mm512_sub_epi64(bits, _mm512_set1_epi64(8)));
      __m512i a =
          _mm512_ternarylogic_epi64(_mm512_shuffle_epi8(word, first_two), last, _mm512_slli_epi64(bits, 5), 0x96);
      a = _mm512_xor_si512(a, flip_2_to_3);
      x = _mm512_mask_xor_epi64(x, tiny, a, _mm512_srli_epi64(a, 33));
      x = _mm512_mullo_epi64(x, _mm512_mask_blend_epi64(tiny, factor, factor_1));
      __m512i shifted = _mm512_add_epi64(_mm512_srli_epi64(x, 35), length);
      shifted = _mm512_mask_srli_epi64(shifted, tiny, x, 29);
      x = _mm512_xor_si512(x, shifted);
      x = _mm512_mullo_epi64(x, _mm512_mask_blend_epi64(tiny, factor, factor_2));
      x = _mm512_xor_si512(x, _mm512_mask_srli_epi64(_mm512_srli_epi64(x, 28), tiny, x, 32));
    }
    _mm512_storeu_si512(hashes + i, x);
  }
}

/// Hashes the pairs of code points that begin in whole blocks of well-formed UTF-8, for as long as they fit in `room`.
/// Gives their number in `count`. Returns: how many bytes of the text are done; those behind them hold the pairs whole.
NEARDUP_TARGET_AVX512 inline std::size_t hash_code_point_pairs_avx512(std::string_view text, std::uint64_t seed,
                                                                      std::uint64_t* hashes, std::size_t room,
                                                                      std::size_t& count) noexcept {
  const short_formulas formulas(seed);
  const window_lanes_avx512<true> ascii_pairs(short_xxh3(2, seed));
  std::size_t done = 0;
  count = 0;
  for (; done + 2 * text_block_size <= text.size() && count + text_block_size <= room; done += text_block_size) {
    const char* const at = text.data() + done;
    std::uint64_t* const out = hashes + count;
    const __m512i bytes = _mm512_loadu_si512(at);
    const __m512i next = _mm512_loadu_si512(at + text_block_size);
    const std::uint64_t ascii = ~std::uint64_t{_mm512_movepi8_mask(bytes)};
    const std::uint64_t ascii_next = ascii >> 1 | std::uint64_t{static_cast<signed char>(at[text_block_size]) >= 0}
                                                      << 63;
    if ((ascii & ascii_next) == ~std::uint64_t{0}) {
      for (std::size_t i = 0; i < text_block_size; i += 8) _mm512_storeu_si512(out + i, ascii_pairs(at + i));
      count += text_block_size;
      continue;
    }
    const __mmask64 starts = _mm512_cmpgt_epi8_mask(bytes, _mm512_set1_epi8(-0x41));
    const __m512i positions = _mm512_maskz_compress_epi8(starts, _mm512_load_si512(byte_indices.data()));
    const auto found = static_cast<std::size_t>(std::popcount(starts));
    // Two of ASCII, or one beside a character of two bytes.
    const __mmask64 of_two =
        _mm512_cmplt_epu8_mask(_mm512_sub_epi8(bytes, _mm512_set1_epi8(-0x40)), _mm512_set1_epi8(0x20));
    if (((ascii & ascii_next) | of_two) == 0 && static_cast<unsigned char>(at[text_block_size]) >= 0xe0) {
      hash_pairs_avx512<false>(bytes, next, positions, found, formulas, out);
    } else {
      hash_pairs_avx512<true>(bytes, next, positions, found, formulas, out);
    }
    count += found;
  }
  return done;
}

NEARDUP_KERNELS_END
#endif  // NEARDUP_X86_KERNELS

/// Calls `consume(block)`, which empties it, whenever the hashes of the n-grams of code points of a text fill a block; the
/// last ones stay there. Precondition: the text is well-formed UTF-8 below 4 GiB, and 1 <= n <= max_kernel_gram.
template <std::size_t Words>
void hash_code_points(std::string_view text, std::size_t n, std::uint64_t seed, gram_scratch& scratch,
                      hash_block<Words>& block, const block_consumer<Words>& consume) {
  const instruction_set level = active_instruction_set();
  std::size_t position = 0;
#if NEARDUP_X86_KERNELS
  if (level == instruction_set::avx512 && n == 2) {
    while (position + 2 * text_block_size <= text.size()) {
      if (block.room() < text_block_size) consume(block);
      std::size_t done = 0;
      std::size_t count = 0;
      for (std::size_t j = 0; j < Words; ++j) {
        done = hash_code_point_pairs_avx512(text.substr(position), seed + j * xxh3<>::seed_step,
                                            block.columns[j] + block.count, block.room(), count);
      }
      block.count += count;
      position += done;
    }
  }
#endif
  // From here on as places in the text: an n-gram ends where the one n places later begins.
  std::uint32_t* const places = scratch.places;
  const bool is_whole = position == 0;
  std::size_t count = 0;  // of places that are known
  for (bool at_end = false; !at_end;) {
    while (count < max_kernel_gram + gram_scratch::capacity && position + text_block_size <= text.size()) {
      count += find_code_points(text.data() + position, 1, static_cast<std::uint32_t>(position), places + count, level);
      position += text_block_size;
    }
    at_end = position + text_block_size > text.size();
    if (at_end) {
      char rest[text_block_size];
      std::memset(rest, 0x80, sizeof rest);  // begins nothing
      if (position < text.size()) std::memcpy(rest, text.data() + position, text.size() - position);
      count += find_code_points(rest, 1, static_cast<std::uint32_t>(position), places + count, level);
      places[count++] = static_cast<std::uint32_t>(text.size());
      if (is_whole && count <= n && !text.empty()) {
        // Fewer code points than n are one token.
        places[0] = 0;
        places[n] = static_cast<std::uint32_t>(text.size());
        count = n + 1;
      }
    }
    std::size_t grams = count > n ? count - n : 0;
    if (at_end) {
      // What begins in the last bytes cannot be loaded whole.
      for (; grams > 0 && places[grams - 1] + sizeof(std::uint64_t) > text.size(); --grams) {
        if (block.room() == 0) consume(block);
        const std::uint32_t begin = places[grams - 1];
        for (std::size_t j = 0; j < Words; ++j) {
          block.columns[j][block.count] =
              XXH3_64bits_withSeed(text.data() + begin, places[grams - 1 + n] - begin, seed + j * xxh3<>::seed_step);
        }
        ++block.count;
      }
    }
    for (std::size_t i = 0; i < grams; i += span_places::capacity) {
      const std::size_t part = (std::min)(grams - i, span_places::capacity);
      add_span_hashes(text.data(), span_places{places + i, places + i + n, part}, seed, block, level, consume);
    }
    if (!at_end) {
      std::copy(places + grams, places + count, places);
      count -= grams;
    }
  }
}

}  // namespace neardup::inline v0::detail
