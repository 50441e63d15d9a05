// SPDX-License-Identifier: MIT
// Counts the bits of the XXH3 hashes of all windows of a text, without storing the hashes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "../../detail/bytes.hpp"
#include "../../simd/forms.hpp"
#include "../../text/tokenizer.hpp"
#include "../hashers.hpp"
#include "bit_tally.hpp"
#include "token_kernel.hpp"
#include "xxh3_windows.hpp"

namespace neardup::inline v0::detail {

// ---- windows of 4 to 8 bytes: hashed and counted in one loop, because both use different units of the processor
// ---------

/// Returns the hashes of consecutive windows, one per word of a vector.
template <class Vector>
NEARDUP_ALWAYS_INLINE Vector window_hashes(const window_xxh3& hash, const char* text) noexcept {
  constexpr std::size_t lanes = sizeof(Vector) / sizeof(std::uint64_t);
  static_assert(lanes <= 2);
  // There is no loop over an array of hashes, because for AArch64 g++ 12 -O2 would build the vector in memory. The loop
  // takes 1.12 times the instructions of the portable form, this code .91 times.
  if constexpr (lanes == 1) {
    return Vector{hash.hash_4_to_8(text)};
  } else {
    return Vector{hash.hash_4_to_8(text), hash.hash_4_to_8(text + 1)};
  }
}

/// Counts the bits of the hashes of the windows that fill blocks of 16 vectors. This is the portable kernel, and with
/// other vectors the baseline kernel.
/// Returns: the number of windows counted.
template <class Adders>
std::size_t count_window_blocks_by(bit_tally& tally, const window_xxh3& hash, const char* text,
                                   std::size_t count) noexcept {
  constexpr std::size_t lanes = adder_lanes<Adders>;
  NEARDUP_LOAD_PLANES(Adders, tally);
  std::size_t i = 0;
  for (; i + 16 * lanes <= count; i += 16 * lanes) {
#define NEARDUP_LOAD(v) window_hashes<typename Adders::vector>(hash, text + i + lanes * (v))
    NEARDUP_COUNT_16(Adders, tally, NEARDUP_LOAD);
#undef NEARDUP_LOAD
  }
  NEARDUP_STORE_PLANES(Adders, tally);
  tally.total += i;
  return i;
}

#if NEARDUP_X86_KERNELS

// ---- AVX2: one of four vectors is hashed by scalar multiplications, which run beside the vector units ---------------

NEARDUP_AVX2_BEGIN

NEARDUP_ALWAYS_INLINE __m128i two_window_hashes_avx2(const window_xxh3& hash, const char* text) noexcept {
  const __m128i first = _mm_cvtsi64_si128(static_cast<long long>(hash.hash_4_to_8(text)));
  return _mm_insert_epi64(first, static_cast<long long>(hash.hash_4_to_8(text + 1)), 1);
}

NEARDUP_ALWAYS_INLINE __m256i window_hashes_avx2(const window_xxh3& hash, const char* text) noexcept {
  const __m128i low = two_window_hashes_avx2(hash, text);
  return _mm256_inserti128_si256(_mm256_castsi128_si256(low), two_window_hashes_avx2(hash, text + 2), 1);
}

inline std::size_t count_window_blocks_avx2(bit_tally& tally, const window_xxh3& hash, const char* text,
                                            std::size_t count) noexcept {
  const window_lanes_avx2<false> lanes(hash);
  NEARDUP_LOAD_PLANES(adders_avx2, tally);
  std::size_t i = 0;
  for (; i + 64 <= count; i += 64) {
#define NEARDUP_LOAD(v) ((v) % 4 == 0 ? window_hashes_avx2(hash, text + i + 4 * (v)) : lanes(text + i + 4 * (v)))
    NEARDUP_COUNT_16(adders_avx2, tally, NEARDUP_LOAD);
#undef NEARDUP_LOAD
  }
  NEARDUP_STORE_PLANES(adders_avx2, tally);
  tally.total += i;
  return i;
}
NEARDUP_END

NEARDUP_AVX512_BEGIN

// ---- AVX-512 --------------------------------------------------------------------------------------------------------
inline std::size_t count_window_blocks_avx512(bit_tally& tally, const window_xxh3& hash, const char* text,
                                              std::size_t count) noexcept {
  const window_lanes_avx512<false> lanes(hash);
  NEARDUP_LOAD_PLANES(adders_avx512, tally);
  std::size_t i = 0;
  for (; i + 128 <= count; i += 128) {
#define NEARDUP_LOAD(v) lanes(text + i + 8 * (v))
    NEARDUP_COUNT_16(adders_avx512, tally, NEARDUP_LOAD);
#undef NEARDUP_LOAD
  }
  NEARDUP_STORE_PLANES(adders_avx512, tally);
  tally.total += i;
  return i;
}
NEARDUP_END

constexpr auto count_window_blocks_of(avx2_form) noexcept { return count_window_blocks_avx2; }
constexpr auto count_window_blocks_of(avx512_form) noexcept { return count_window_blocks_avx512; }

#endif  // NEARDUP_X86_KERNELS

constexpr auto count_window_blocks_of(portable_form) noexcept { return count_window_blocks_by<adders_portable>; }
#if NEARDUP_BASELINE_KERNELS
constexpr auto count_window_blocks_of(baseline_form) noexcept { return count_window_blocks_by<adders_baseline>; }
#endif

inline std::size_t count_window_blocks(bit_tally& tally, const window_xxh3& hash, const char* text,
                                       std::size_t count) noexcept {
  return choose_form(tally.level, [&](auto form) { return count_window_blocks_of(form)(tally, hash, text, count); });
}

/// Counts the bits of the hashes of all windows of a text.
/// Precondition: 4 <= hash.n <= max_vector_window and hash.n <= text.size().
inline void count_windows(bit_tally& tally, const window_xxh3& hash, std::string_view text) noexcept {
  // Kernels read 16 bytes from the beginning of a window. So the last windows are hashed from a padded copy.
  constexpr std::size_t margin = 16;
  constexpr std::size_t max_block = 128;
  const std::size_t windows = text.size() - hash.n + 1;
  const std::size_t in_place = text.size() > margin ? text.size() - margin : 0;
  const std::size_t done = count_window_blocks(tally, hash, text.data(), in_place);
  alignas(64) std::uint64_t hashes[max_block + margin + 8];
  hash_windows(hash, text.data() + done, in_place - done, hashes, tally.level);
  char rest[2 * margin] = {};
  std::memcpy(rest, text.data() + in_place, text.size() - in_place);
  hash_windows(hash, rest, windows - in_place, hashes + (in_place - done), tally.level);
  count_bits(tally, hashes, windows - done);
}

// ---- any tokenizer --------------------------------------------------------------------------------------------------

/// A sink that takes windows of bytes (see token_source), and counts the bits of their hashes. tallies[j] counts word j.
template <std::size_t Words>
class window_counter {
 public:
  window_counter(std::uint64_t seed, std::array<bit_tally, Words>& tallies) noexcept : seed_(seed), tallies_(tallies) {}

  /// Counts windows of bytes.
  /// Returns: false unless windows have 4 to max_vector_window bytes, and the text is not shorter. Other windows are
  /// rare.
  [[nodiscard]] bool bytes(std::string_view text, std::size_t n) noexcept {
    if (n < 4 || n > max_vector_window || n > text.size()) return false;
    for (std::size_t j = 0; j < Words; ++j) {
      count_windows(tallies_[j], window_xxh3(n, seed_ + j * xxh3<>::seed_step), text);
    }
    return true;
  }

 private:
  std::uint64_t seed_;
  std::array<bit_tally, Words>& tallies_;
};

template <class Tokenizer, class Hasher, class Tallies>
bool count_tokens(const Tokenizer& tokenize, const Hasher& hash, std::string_view text, Tallies& tallies) {
  if constexpr (requires { token_kernel<Tokenizer, Hasher>::counts; }) {
    return token_kernel<Tokenizer, Hasher>::count(tokenize, hash, text, tallies);
  } else {
    window_counter<hasher_words<Hasher>> counter(hash.seed, tallies);
    return token_source<Tokenizer, true>::pass_windows(tokenize, text, counter);
  }
}

}  // namespace neardup::inline v0::detail
