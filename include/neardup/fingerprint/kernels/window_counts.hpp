// SPDX-License-Identifier: MIT
// Counts the bits of the XXH3 hashes of all windows of a text. The hashes are not stored.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "../../detail/bytes.hpp"
#include "../../simd/forms.hpp"
#include "../../text/tokenizer.hpp"
#include "../hashers.hpp"
#include "bit_tally.hpp"
#include "token_kernel.hpp"
#include "xxh3_windows.hpp"

namespace neardup::inline v0::detail {

// ---- windows of 4 to 8 bytes: hashed and counted in one loop, because both use different units of the processor -----

}  // namespace neardup::inline v0::detail

#define NEARDUP_KERNEL "../fingerprint/kernels/window_counts.inl"
#include "../../simd/for_each_form.hpp"

namespace neardup::inline v0::detail {

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
