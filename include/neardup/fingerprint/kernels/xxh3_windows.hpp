// SPDX-License-Identifier: MIT
// Computes XXH3_64bits_withSeed of all windows of 1 to 8 bytes of a text, without a call or a branch per window.
//
// All windows of a text have the same length, so one shuffle arranges the bytes of a whole vector of windows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "../../detail/bytes.hpp"
#include "../../simd/forms.hpp"
#include "../hashers.hpp"
#include "hash_block.hpp"
#include "token_kernel.hpp"
#include "xxh3_short.hpp"

namespace neardup::inline v0::detail {

/// The formula for windows of a given length, at most 8 bytes, and a given seed.
struct window_xxh3 {
  std::size_t n;
  std::uint64_t flip;

  window_xxh3(std::size_t length, std::uint64_t seed) noexcept : n(length), flip(seeded_xxh3(seed).flip_of(length)) {}

  /// Returns the hash of one window of 4 to 8 bytes.
  [[nodiscard]] NEARDUP_ALWAYS_INLINE std::uint64_t hash_4_to_8(const char* window) const noexcept {
    return short_xxh3::mix_4_to_8(short_xxh3::word_4_to_8(window, n) ^ flip, n);
  }
};

/// Hashes the `count` windows that begin at text, text + 1, ..., one by one. This is the reference implementation.
/// Precondition: 1 <= n <= 8; 8 bytes are readable from the beginning of the last window on.
inline void hash_windows_portable(const window_xxh3& hash, const char* text, std::size_t count,
                                  std::uint64_t* hashes) noexcept {
  if (hash.n >= 4) {
    for (std::size_t i = 0; i < count; ++i) hashes[i] = hash.hash_4_to_8(text + i);
  } else {
    const std::uint64_t flip = hash.flip;
    const int middle = static_cast<int>(8 * (hash.n >> 1));
    const int last = static_cast<int>(8 * (hash.n - 1));
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t bytes = load_little_endian(text + i);
      const std::uint64_t word = short_xxh3::word_1_to_3(bytes & 0xffU, bytes >> middle & 0xffU, bytes >> last & 0xffU);
      hashes[i] = short_xxh3::mix_1_to_3(word ^ flip);
    }
  }
}

#if NEARDUP_X86_KERNELS

// The shuffles for each length of a window. A shuffle arranges eight consecutive windows from 16 bytes.
struct alignas(64) window_shuffle {
  std::uint8_t sources[64];
};
inline constexpr std::array<window_shuffle, max_vector_window + 1> window_shuffles = [] {
  std::array<window_shuffle, max_vector_window + 1> shuffles{};
  for (std::size_t n = 1; n < shuffles.size(); ++n) {
    for (std::size_t i = 0; i < 64; ++i) {
      const std::uint8_t source = short_xxh3::source_of(n, i % 8);
      shuffles[n].sources[i] = source == 0x80 ? source : static_cast<std::uint8_t>(source + i / 8);
    }
  }
  return shuffles;
}();

// ---- AVX2: one load and one VPSHUFB arrange four windows ------------------------------------------------------------

NEARDUP_AVX2_BEGIN

/// Hashes four consecutive windows, the first of which begins at the given address. `Tiny`: windows have fewer than 4
/// bytes.
template <bool Tiny>
struct window_lanes_avx2 {
  __m256i arrange;
  lanes_avx2 flip, length;
  short_rounds<Tiny, lanes_avx2> rounds;

  explicit window_lanes_avx2(const window_xxh3& hash) noexcept
      : arrange(_mm256_load_si256(reinterpret_cast<const __m256i*>(window_shuffles[hash.n].sources))),
        flip(lanes_avx2{} + hash.flip),
        length(lanes_avx2{} + hash.n) {}

  NEARDUP_ALWAYS_INLINE __m256i operator()(const char* at) const noexcept {
    const __m256i bytes = _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at)));
    lanes_avx2 x = reinterpret_cast<lanes_avx2>(_mm256_shuffle_epi8(bytes, arrange)) ^ flip;
    if constexpr (!Tiny) rotate_lanes(x);
    rounds(x, length);
    return reinterpret_cast<__m256i>(x);
  }
};

/// The AVX2 version of hash_windows_portable.
/// Precondition: the precondition of hash_windows_portable; 16 bytes are readable from text + count - 1 on; `hashes`
/// has room for count + 3 elements.
template <bool Tiny>
inline void hash_windows_avx2(const window_xxh3& hash, const char* text, std::size_t count,
                              std::uint64_t* hashes) noexcept {
  const window_lanes_avx2<Tiny> lanes(hash);
  for (std::size_t i = 0; i < count; i += 4) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(hashes + i), lanes(text + i));
  }
}

// ---- AVX-512: eight windows per vector --------------------------------------------------------------------------
NEARDUP_END

NEARDUP_AVX512_BEGIN

template <bool Tiny>
struct window_lanes_avx512 {
  __m512i arrange;
  lanes_avx512 flip, length;
  short_rounds<Tiny, lanes_avx512> rounds;

  explicit window_lanes_avx512(const window_xxh3& hash) noexcept
      : arrange(_mm512_load_si512(window_shuffles[hash.n].sources)),
        flip(lanes_avx512{} + hash.flip),
        length(lanes_avx512{} + hash.n) {}

  NEARDUP_ALWAYS_INLINE __m512i operator()(const char* at) const noexcept {
    const __m512i bytes = _mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at)));
    lanes_avx512 x = reinterpret_cast<lanes_avx512>(_mm512_shuffle_epi8(bytes, arrange)) ^ flip;
    if constexpr (!Tiny) rotate_lanes(x);
    rounds(x, length);
    return reinterpret_cast<__m512i>(x);
  }
};

/// The AVX-512 version of hash_windows_portable.
/// Precondition: the precondition of hash_windows_avx2; `hashes` has room for count + 7 elements.
template <bool Tiny>
inline void hash_windows_avx512(const window_xxh3& hash, const char* text, std::size_t count,
                                std::uint64_t* hashes) noexcept {
  const window_lanes_avx512<Tiny> lanes(hash);
  for (std::size_t i = 0; i < count; i += 8) _mm512_storeu_si512(hashes + i, lanes(text + i));
}
NEARDUP_END

constexpr auto hash_windows_of(avx2_form) noexcept {
  return [](const window_xxh3& hash, const char* text, std::size_t count, std::uint64_t* hashes) noexcept {
    hash.n < 4 ? hash_windows_avx2<true>(hash, text, count, hashes)
               : hash_windows_avx2<false>(hash, text, count, hashes);
  };
}
constexpr auto hash_windows_of(avx512_form) noexcept {
  return [](const window_xxh3& hash, const char* text, std::size_t count, std::uint64_t* hashes) noexcept {
    hash.n < 4 ? hash_windows_avx512<true>(hash, text, count, hashes)
               : hash_windows_avx512<false>(hash, text, count, hashes);
  };
}

#endif  // NEARDUP_X86_KERNELS

constexpr auto hash_windows_of(portable_form) noexcept { return hash_windows_portable; }

/// Hashes the `count` windows that begin at text, text + 1, ...
/// Precondition: 16 bytes are readable from the beginning of the last window on; `hashes` has room for count + 7
/// elements.
inline void hash_windows(const window_xxh3& hash, const char* text, std::size_t count, std::uint64_t* hashes,
                         instruction_set level) noexcept {
  choose_form(level, [&](auto form) { hash_windows_of(form)(hash, text, count, hashes); });
}

/// Writes the hashes of the `count` windows of `n` bytes that begin at text, text + 1, ...
inline void add_window_hashes(const char* text, std::size_t count, std::size_t n, std::uint64_t seed,
                              instruction_set level, const hash_writer& out) {
  while (count > 0) {
    const std::size_t room = out.make_room(1);
    const std::size_t part = room < count ? room : count;
    for (std::size_t j = 0; j < out.words(); ++j) {
      hash_windows(window_xxh3(n, seed + j * xxh3<>::seed_step), text, part, out.end(j), level);
    }
    out.advance(part);
    text += part;
    count -= part;
  }
}

/// Writes the hashes of all windows of n bytes of a text.
/// Precondition: 1 <= n <= max_vector_window, and n <= text.size().
inline void add_byte_windows(std::string_view text, std::size_t n, std::uint64_t seed, instruction_set level,
                             const hash_writer& out) {
  // Kernels read whole vectors. So the last windows are hashed in a padded copy.
  constexpr std::size_t margin = 32;
  const std::size_t windows = text.size() - n + 1;
  const std::size_t in_place = text.size() > margin ? text.size() - margin : 0;
  add_window_hashes(text.data(), in_place, n, seed, level, out);
  char rest[2 * margin + 16] = {};
  std::memcpy(rest, text.data() + in_place, text.size() - in_place);
  add_window_hashes(rest, windows - in_place, n, seed, level, out);
}

}  // namespace neardup::inline v0::detail
