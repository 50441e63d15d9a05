// The default hasher: XXH3. The only header that includes xxHash.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

// Inlined, so that nothing has to be linked; the values do not depend on it.
#ifndef XXH_INLINE_ALL
#define XXH_INLINE_ALL
#include <xxhash.h>
#undef XXH_INLINE_ALL
#else
#include <xxhash.h>
#endif

#include "../detail/bits.hpp"

namespace neardup::inline v0 {

/// Hashes a token to `Bits` bits with XXH3, seeded.
///
/// Word j of the result is XXH3_64bits_withSeed(token, seed + j * 0x9e3779b97f4a7c15 mod 2^64). Up to 64 bits it is one
/// std::uint64_t, always whole: two tokens are the same if all of it is equal. Above, an array of words, lowest first.
/// A seed that nobody knows keeps others from making texts with a chosen fingerprint.
/// Source: the xxHash specification, github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md.
template <std::size_t Bits = 64>
struct xxh3 {
  static_assert(Bits >= 16 && Bits % 8 == 0,
                "neardup: write xxh3<64>; the width is a whole number of bytes from 16 bits");

  static constexpr std::size_t bits = Bits;
  static constexpr std::size_t words = detail::words_for(Bits);
  using result_type = std::conditional_t<words == 1, std::uint64_t, std::array<std::uint64_t, words>>;

  /// The distance between the seeds of two words: 2^64 divided by the golden ratio.
  static constexpr std::uint64_t seed_step = 0x9e3779b97f4a7c15U;

  std::uint64_t seed = 0;

  [[nodiscard]] result_type operator()(std::string_view token) const noexcept {
    if constexpr (words == 1) {
      return XXH3_64bits_withSeed(token.data(), token.size(), seed);
    } else {
      result_type result{};
      for (std::size_t j = 0; j < words; ++j) {
        result[j] = XXH3_64bits_withSeed(token.data(), token.size(), seed + j * seed_step);
      }
      return result;
    }
  }
};

xxh3(std::uint64_t)->xxh3<64>;

namespace detail {

template <class T>
inline constexpr bool is_xxh3 = false;
template <std::size_t Bits>
inline constexpr bool is_xxh3<xxh3<Bits>> = true;

}  // namespace detail

}  // namespace neardup::inline v0
