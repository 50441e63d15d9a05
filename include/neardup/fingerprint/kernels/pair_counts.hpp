// Counts the bits of the XXH3 hashes of all pairs of code points of a text, and validates it on the way.
//
// All pairs of a list have one length, so that they take one formula with the same constants. What hashes and what
// counts wait for different units of a processor: in one loop they go side by side. AVX-512 has kernels of its own,
// which hash pairs from the bytes of a block in registers: xxh3_pairs.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "bit_tally.hpp"
#include "../../detail/bytes.hpp"
#include "../../detail/instructions.hpp"
#include "../../text/kernels/text_blocks.hpp"
#include "pair_lists.hpp"
#include "../xxh3.hpp"
#include "xxh3_windows.hpp"

namespace neardup::inline v0::detail {

/// Whether the n-grams of code points of a text are counted so: pairs, but not by AVX-512.
inline bool are_counted_pairs(std::size_t n, std::size_t text_size) noexcept {
  return n == 2 && text_size > 4 && active_instruction_set() < instruction_set::avx512;
}

// ---- portable: hashes by multiplications of words, counts by vectors ------------------------------------------------
// 27 instructions a pair of 4 bytes and more, counted. From the text, with finding and validating: 9 cycles a pair of
// Chinese on a Zen 4, 22 with one list of places, a block of hashes and an automaton that validates.

/// The hashes of pairs of code points of one length. Nothing is read beyond a pair.
template <bool Tiny>
struct pair_hasher_portable {
  std::uint64_t n;
  std::uint64_t flip;
  const char* text;
  const char* last;  // what the formula takes from the end of a pair, by the place where that begins

  pair_hasher_portable(std::size_t length, std::uint64_t seed, const char* source) noexcept
      : n(length), flip(short_xxh3(length, seed).flip), text(source), last(source + length - (Tiny ? 1 : 4)) {
    // Of the bytes and the length nothing is shifted down.
    if constexpr (Tiny) flip ^= flip >> 33;
    // Otherwise compilers add the place to `text` first.
    NEARDUP_SCALAR(last);
  }

  [[nodiscard]] NEARDUP_ALWAYS_INLINE std::uint64_t operator()(std::size_t place) const noexcept {
    if constexpr (Tiny) {
      const std::uint64_t first = load_little_endian<std::uint16_t>(text + place);
      std::uint64_t x = (first << 16 | static_cast<unsigned char>(last[place])) ^ flip;
      NEARDUP_SCALAR(x);
      x *= short_xxh3::avalanche_1;
      x ^= x >> 29;
      x *= short_xxh3::avalanche_2;
      x ^= x >> 32;
      NEARDUP_SCALAR(x);
      return x;
    } else {
      const std::uint64_t first = load_little_endian<std::uint32_t>(text + place);
      std::uint64_t x = (first << 32 | load_little_endian<std::uint32_t>(last + place)) ^ flip;
      NEARDUP_SCALAR(x);
      x ^= std::rotl(x, 49) ^ std::rotl(x, 24);
      x *= short_xxh3::rrmxmx;
      x ^= (x >> 35) + n;
      x *= short_xxh3::rrmxmx;
      x ^= x >> 28;
      NEARDUP_SCALAR(x);
      return x;
    }
  }

  /// The hashes of as many pairs as a vector has words.
  [[nodiscard]] NEARDUP_ALWAYS_INLINE portable_vector vector(std::size_t place, std::size_t next) const noexcept {
    const std::uint64_t first = (*this)(place);
    if constexpr (sizeof(portable_vector) == sizeof first) {
      return portable_vector{first};
    } else {
      return portable_vector{first, (*this)(next)};
    }
  }
};

/// Counts the pairs of a list; the hashes of the last ones, less than 32, go to `rest`. Returns: how many these are.
template <bool Tiny>
std::size_t count_pair_list_portable(bit_tally& tally, const pair_hasher_portable<Tiny> hash,
                                     const std::uint16_t* places, std::size_t count, std::uint64_t* rest) noexcept {
  constexpr std::size_t lanes = sizeof(portable_vector) / sizeof(std::uint64_t);
  std::size_t i = 0;
  if (count >= 16 * lanes) {
    NEARDUP_LOAD_PLANES_PORTABLE(tally);
    for (; i + 16 * lanes <= count; i += 16 * lanes) {
#define NEARDUP_LOAD(v) hash.vector(places[i + lanes * (v)], places[i + lanes * (v) + lanes - 1])
      NEARDUP_ADD_16(portable_vector, full_add_portable, NEARDUP_LOAD);
#undef NEARDUP_LOAD
      add_carry_portable(tally, bit_tally::block_planes, sixteens);
    }
    NEARDUP_STORE_PLANES_PORTABLE(tally);
    tally.total += i;
  }
  for (std::size_t j = i; j < count; ++j) rest[j - i] = hash(places[j]);
  return count - i;
}

/// Counts the 64 pairs that begin in each block of ASCII.
inline void count_ascii_pairs_portable(bit_tally& tally, std::uint64_t seed, const char* text,
                                       const std::uint16_t* blocks, std::size_t count) noexcept {
  constexpr std::size_t lanes = sizeof(portable_vector) / sizeof(std::uint64_t);
  const pair_hasher_portable<true> hash(2, seed, text);
  NEARDUP_LOAD_PLANES_PORTABLE(tally);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t at = blocks[i], end = at + text_block_size; at != end; at += 16 * lanes) {
#define NEARDUP_LOAD(v) hash.vector(at + lanes * (v), at + lanes * (v) + 1)
      NEARDUP_ADD_16(portable_vector, full_add_portable, NEARDUP_LOAD);
#undef NEARDUP_LOAD
      add_carry_portable(tally, bit_tally::block_planes, sixteens);
    }
  }
  NEARDUP_STORE_PLANES_PORTABLE(tally);
  tally.total += count * text_block_size;
}

inline bool find_pairs_portable(pair_finder& finder, const char* text, std::size_t count, std::size_t end,
                                std::size_t base, pair_lists& lists) noexcept {
  return finder.find(text, count, end, base, lists);
}

#if NEARDUP_X86_KERNELS
NEARDUP_KERNELS_BEGIN

// ---- AVX2: four pairs a vector, each loaded by itself; every fourth vector by multiplications of words --------------
// 1.19 GB/s of Chinese on a Zen 4, busy, with g++ 12; 1.14 by places in the order of the text, both formulas and a
// blend.

/// The same code for a compiler that knows of three operands and BMI.
NEARDUP_TARGET_AVX2 inline bool find_pairs_avx2(pair_finder& finder, const char* text, std::size_t count,
                                                std::size_t end, std::size_t base, pair_lists& lists) noexcept {
  return finder.find(text, count, end, base, lists);
}

/// For each length the shuffle that arranges two pairs of eight bytes each in both halves of a vector.
inline constexpr std::array<window_shuffle, max_vector_window + 1> two_pair_shuffles = [] {
  std::array<window_shuffle, max_vector_window + 1> shuffles{};
  for (std::size_t n = 1; n < shuffles.size(); ++n) {
    for (std::size_t i = 0; i < 64; ++i) {
      const std::uint8_t source = short_xxh3::source_of(n, i % 8);
      shuffles[n].sources[i] = source == 0x80 ? source : static_cast<std::uint8_t>(source + i % 16 / 8 * 8);
    }
  }
  return shuffles;
}();

/// The hashes of four pairs of one length. Precondition: eight bytes may be read at each.
template <bool Tiny>
struct pair_lanes_avx2 {
  window_lanes_avx2<Tiny> lanes;
  const char* text;

  NEARDUP_TARGET_AVX2 pair_lanes_avx2(const short_xxh3& hash, const char* source) noexcept : lanes(hash), text(source) {
    lanes.arrange = _mm256_load_si256(reinterpret_cast<const __m256i*>(two_pair_shuffles[hash.n].sources));
    lanes.arrange_rotated = _mm256_or_si256(_mm256_slli_epi64(lanes.arrange, 24), _mm256_srli_epi64(lanes.arrange, 40));
  }

  NEARDUP_TARGET_AVX2 NEARDUP_ALWAYS_INLINE __m256i operator()(const std::uint16_t* places) const noexcept {
    const auto two = [&](std::size_t a, std::size_t b) NEARDUP_AVX2_LAMBDA {
      const __m128i first = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(text + a));
      return _mm_castps_si128(_mm_loadh_pi(_mm_castsi128_ps(first), reinterpret_cast<const __m64*>(text + b)));
    };
    return lanes.hashes(
        _mm256_inserti128_si256(_mm256_castsi128_si256(two(places[0], places[1])), two(places[2], places[3]), 1));
  }
};

/// The same by words.
template <bool Tiny>
NEARDUP_TARGET_AVX2 NEARDUP_ALWAYS_INLINE __m256i pair_words_avx2(const pair_hasher_portable<Tiny>& hash,
                                                           const std::uint16_t* places) noexcept {
  const auto two = [&](std::size_t a, std::size_t b) NEARDUP_AVX2_LAMBDA {
    return _mm_insert_epi64(_mm_cvtsi64_si128(static_cast<long long>(hash(a))), static_cast<long long>(hash(b)), 1);
  };
  return _mm256_inserti128_si256(_mm256_castsi128_si256(two(places[0], places[1])), two(places[2], places[3]), 1);
}

/// The same as count_pair_list_portable; less than 64 go to `rest`.
template <bool Tiny>
NEARDUP_TARGET_AVX2 inline std::size_t count_pair_list_avx2(bit_tally& tally, std::size_t n, std::uint64_t seed,
                                                            const char* text, const std::uint16_t* places,
                                                            std::size_t count, std::uint64_t* rest) noexcept {
  const pair_lanes_avx2<Tiny> lanes(short_xxh3(n, seed), text);
  const pair_hasher_portable<Tiny> words(n, seed, text);
  std::size_t i = 0;
  if (count >= 64) {
    NEARDUP_LOAD_PLANES_AVX2(tally);
    for (; i + 64 <= count; i += 64) {
#define NEARDUP_LOAD(v) \
  ((v) % 4 == 0 ? pair_words_avx2<Tiny>(words, places + i + 4 * (v)) : lanes(places + i + 4 * (v)))
      NEARDUP_COUNT_16_AVX2(tally, NEARDUP_LOAD);
#undef NEARDUP_LOAD
    }
    NEARDUP_STORE_PLANES_AVX2(tally);
    tally.total += i;
  }
  std::uint64_t* out = rest;
  for (; i + 4 <= count; i += 4, out += 4) _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), lanes(places + i));
  for (; i < count; ++i) *out++ = words(places[i]);
  return static_cast<std::size_t>(out - rest);
}

NEARDUP_TARGET_AVX2 inline void count_ascii_pairs_avx2(bit_tally& tally, std::uint64_t seed, const char* text,
                                                       const std::uint16_t* blocks, std::size_t count) noexcept {
  const window_lanes_avx2<true> lanes(short_xxh3(2, seed));
  NEARDUP_LOAD_PLANES_AVX2(tally);
  for (std::size_t i = 0; i < count; ++i) {
    const char* const at = text + blocks[i];
#define NEARDUP_LOAD(v) lanes(at + 4 * (v))
    NEARDUP_COUNT_16_AVX2(tally, NEARDUP_LOAD);
#undef NEARDUP_LOAD
  }
  NEARDUP_STORE_PLANES_AVX2(tally);
  tally.total += count * text_block_size;
}

NEARDUP_KERNELS_END
#endif  // NEARDUP_X86_KERNELS

/// Counts the bits of the hashes of all pairs of code points of a text of more than four bytes, hashed with several
/// seeds.
template <std::size_t Words>
class pair_counter {
 public:
  pair_counter(std::array<bit_tally, Words>& tallies, std::uint64_t seed) noexcept
      : tallies_(tallies), level_(tallies[0].level), seed_(seed) {}

  /// Returns: whether the text is well-formed; what is counted is of no use if it is not.
  bool count(std::string_view text) noexcept {
    // The last code point begins no pair. Of an ill-formed text it does not matter where that is.
    const std::size_t last = code_point_before(text, text.size());
    // Vectors are read whole: what begins in the last bytes goes one by one.
    std::size_t end = last;
    if (level_ != instruction_set::portable) {
      end = text.size() < sizeof(std::uint64_t) ? 0 : code_point_before(text, text.size() - sizeof(std::uint64_t) + 1);
    }
    std::size_t position = 0;
    for (bool at_end = false; !at_end;) {
      std::size_t left = text.size() - position;
      const std::size_t blocks =
          left < 2 * text_block_size ? 0 : (std::min)(max_pair_list_blocks, left / text_block_size - 1);
      const std::size_t size = blocks * text_block_size;
      const char* const from = text.data() + position;
      const auto limit = [&] { return end > position ? end - position : 0; };
      lists_.clear();
      if (blocks > 0 && !find(from, blocks, limit(), 0)) return false;
      position += size;
      left -= size;
      at_end = left < 2 * text_block_size;
      if (at_end) {
        // Zeros end the text, one at least: they continue nothing.
        char rest[3 * text_block_size] = {};
        std::memcpy(rest, from + size, left);
        if (!find(rest, 2, limit(), size)) return false;
      }
      count_lists(from);
    }
    for (std::size_t next; end < last; end = next) {
      next = code_point_behind(text, end);
      add_rest(text.substr(end, code_point_behind(text, next) - end));
    }
    count_rest();
    return true;
  }

 private:
  // Of each length less than 64 may be left.
  static constexpr std::size_t most_rest = 7 * 64;

  static bool continues(char byte) noexcept { return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80; }
  static std::size_t code_point_before(std::string_view text, std::size_t place) noexcept {
    do --place;
    while (place > 0 && continues(text[place]));
    return place;
  }
  static std::size_t code_point_behind(std::string_view text, std::size_t place) noexcept {
    do ++place;
    while (place < text.size() && continues(text[place]));
    return place;
  }

  bool find(const char* text, std::size_t count, std::size_t end, std::size_t base) noexcept {
#if NEARDUP_X86_KERNELS
    if (level_ == instruction_set::avx2) return find_pairs_avx2(finder_, text, count, end, base, lists_);
#endif
    return find_pairs_portable(finder_, text, count, end, base, lists_);
  }

  void count_lists(const char* text) noexcept {
    for (std::size_t j = 0; j < Words && lists_.ascii_count() > 0; ++j) {
      count_ascii_pairs(tallies_[j], seed_ + j * xxh3<>::seed_step, text);
    }
    for (std::size_t n = 2; n <= pair_lists::max_length; ++n) {
      if (lists_.size(n) == 0) continue;
      std::size_t left = 0;
      for (std::size_t j = 0; j < Words; ++j) {
        const std::uint64_t seed = seed_ + j * xxh3<>::seed_step;
        std::uint64_t* const rest = rest_[j] + rest_count_;
        left = n < 4 ? count_list<true>(tallies_[j], n, seed, text, rest)
                     : count_list<false>(tallies_[j], n, seed, text, rest);
      }
      rest_count_ += left;
    }
    if (rest_count_ > most_rest) count_rest();
  }

  void count_ascii_pairs(bit_tally& tally, std::uint64_t seed, const char* text) noexcept {
#if NEARDUP_X86_KERNELS
    if (level_ == instruction_set::avx2) {
      return count_ascii_pairs_avx2(tally, seed, text, lists_.ascii_blocks(), lists_.ascii_count());
    }
#endif
    count_ascii_pairs_portable(tally, seed, text, lists_.ascii_blocks(), lists_.ascii_count());
  }

  template <bool Tiny>
  std::size_t count_list(bit_tally& tally, std::size_t n, std::uint64_t seed, const char* text,
                         std::uint64_t* rest) noexcept {
#if NEARDUP_X86_KERNELS
    if (level_ == instruction_set::avx2) {
      return count_pair_list_avx2<Tiny>(tally, n, seed, text, lists_.begin(n), lists_.size(n), rest);
    }
#endif
    const pair_hasher_portable<Tiny> hash(n, seed, text);
    return count_pair_list_portable(tally, hash, lists_.begin(n), lists_.size(n), rest);
  }

  void add_rest(std::string_view pair) noexcept {
    for (std::size_t j = 0; j < Words; ++j) {
      rest_[j][rest_count_] = XXH3_64bits_withSeed(pair.data(), pair.size(), seed_ + j * xxh3<>::seed_step);
    }
    ++rest_count_;
  }

  void count_rest() noexcept {
    for (std::size_t j = 0; j < Words; ++j) count_bits(tallies_[j], rest_[j], rest_count_);
    rest_count_ = 0;
  }

  std::array<bit_tally, Words>& tallies_;
  instruction_set level_;
  std::uint64_t seed_;
  pair_finder finder_;
  pair_lists lists_;
  std::size_t rest_count_ = 0;
  std::uint64_t rest_[Words][2 * most_rest + 16];
};

}  // namespace neardup::inline v0::detail
