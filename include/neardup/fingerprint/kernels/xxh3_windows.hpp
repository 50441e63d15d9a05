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
#include "../../simd/avx2.hpp"
#include "../../simd/avx512.hpp"
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

#if NEARDUP_X86_KERNELS

// The shuffle for each length of a window. It arranges 16 bytes of a text as the words of eight consecutive windows.
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

#endif  // NEARDUP_X86_KERNELS

}  // namespace neardup::inline v0::detail

#define NEARDUP_KERNEL "../fingerprint/kernels/xxh3_windows.inl"
#include "../../simd/for_each_form.hpp"

namespace neardup::inline v0::detail {

/// Hashes the `count` windows that begin at text, text + 1, ...
/// Precondition: 16 bytes are readable from the beginning of the last window on; `hashes` has room for count + 7
/// elements.
inline void hash_windows(const window_xxh3& hash, const char* text, std::size_t count, std::uint64_t* hashes,
                         instruction_set level) noexcept {
  choose_form(level, [&](auto form) { decltype(window_hashes_of(form))::hash(hash, text, count, hashes); });
}

/// Writes to `out` the hashes of the `count` windows of `n` bytes that begin at text, text + 1, ...
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

/// Writes to `out` the hashes of all windows of `n` bytes of a text.
/// Precondition: 1 <= n <= max_vector_window, and n <= text.size().
inline void add_byte_windows(std::string_view text, std::size_t n, std::uint64_t seed, instruction_set level,
                             const hash_writer& out) {
  // Kernels read whole vectors, also after the last window. So the last windows are hashed in a padded copy.
  constexpr std::size_t margin = 32;
  const std::size_t windows = text.size() - n + 1;
  const std::size_t in_place = text.size() > margin ? text.size() - margin : 0;
  add_window_hashes(text.data(), in_place, n, seed, level, out);
  char rest[2 * margin + 16] = {};
  std::memcpy(rest, text.data() + in_place, text.size() - in_place);
  add_window_hashes(rest, windows - in_place, n, seed, level, out);
}

}  // namespace neardup::inline v0::detail
