// SPDX-License-Identifier: MIT
// Computes XXH3_64bits_withSeed of all windows of 1 to 8 bytes of a text, without a call or a branch per window.
//
// All windows of a text have the same length, so one shuffle arranges the bytes of a whole vector of windows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "../../detail/bits.hpp"
#include "../../simd/forms.hpp"
#include "../../text/tokenizer.hpp"
#include "../hashers.hpp"
#include "bit_tally.hpp"
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

// ---- hashes that are counted, but not stored ------------------------------------------------------------------------

inline std::size_t count_window_blocks(bit_tally& tally, const window_xxh3& hash, const char* text,
                                       std::size_t count) noexcept {
  return choose_form(tally.level, [&](auto form) {
    return decltype(window_kernels_of(form))::count_blocks(tally, hash, text, count);
  });
}

/// Counts in `tally` the bits of the hashes of all windows of a text.
/// Precondition: 4 <= hash.n <= max_vector_window and hash.n <= text.size().
inline void count_windows(bit_tally& tally, const window_xxh3& hash, std::string_view text) noexcept {
  // Kernels read 16 bytes from the beginning of each window, so the last windows are hashed in a padded copy.
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

/// A sink (see token_source) that counts the bits of the hashes of windows. tallies[j] counts word j of each hash.
class window_counter {
 public:
  window_counter(std::uint64_t seed, std::span<bit_tally> tallies) noexcept : seed_(seed), tallies_(tallies) {}

  /// Counts the windows of `n` bytes of a text.
  /// Returns: false, without counting, if `n` is not in 4..max_vector_window or the text is shorter than `n` bytes.
  /// Both are rare.
  [[nodiscard]] bool bytes(std::string_view text, std::size_t n) noexcept {
    if (n < 4 || n > max_vector_window || n > text.size()) return false;
    for (std::size_t j = 0; j < tallies_.size(); ++j) {
      count_windows(tallies_[j], window_xxh3(n, seed_ + j * xxh3<>::seed_step), text);
    }
    return true;
  }

 private:
  std::uint64_t seed_;
  std::span<bit_tally> tallies_;
};

template <class Tokenizer, class Hasher, class Tallies>
bool count_tokens(const Tokenizer& tokenize, const Hasher& hash, std::string_view text, Tallies& tallies) {
  if constexpr (requires { token_kernel<Tokenizer, Hasher>::counts; }) {
    return token_kernel<Tokenizer, Hasher>::count(tokenize, hash, text, tallies);
  } else {
    window_counter counter(hash.seed, tallies);
    return token_source<Tokenizer, true>::pass_windows(tokenize, text, counter);
  }
}

}  // namespace neardup::inline v0::detail
