// SPDX-License-Identifier: MIT
// The concept token_hasher, which hashers of tokens satisfy, and the default hasher XXH3.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "../detail/bits.hpp"
#include "../detail/xxh3.hpp"

namespace neardup::inline v0 {

namespace detail {

template <class T>
struct hash_result {
  // Excludes integers of more than 64 bits, which some compilers have. A hash of more than 64 bits has to be an array
  // of words.
  static constexpr bool valid =
      std::unsigned_integral<T> && !std::same_as<T, bool> && sizeof(T) <= sizeof(std::uint64_t);
  static constexpr std::size_t bits = 8 * sizeof(T);
};
template <std::size_t Words>
struct hash_result<std::array<std::uint64_t, Words>> {
  static constexpr bool valid = Words > 0;
  static constexpr std::size_t bits = word_bits * Words;
};

template <class Hasher>
using hash_result_of = hash_result<std::remove_cvref_t<std::invoke_result_t<const Hasher&, std::string_view>>>;

/// Returns a hash as 64-bit words, the lowest word first.
template <std::unsigned_integral T>
constexpr std::array<std::uint64_t, 1> to_hash_words(T hash) noexcept {
  return {hash};
}
template <std::size_t Words>
constexpr const std::array<std::uint64_t, Words>& to_hash_words(const std::array<std::uint64_t, Words>& hash) noexcept {
  return hash;
}

}  // namespace detail

/// A hasher of tokens: a const callable `hasher(token)`. `token` is a std::string_view, and the result is an unsigned
/// integer or a std::array of std::uint64_t.
///
/// Each bit of the hash must be uniformly random, because bit i of a fingerprint is the weighted majority of the bits i
/// of the hashes.
template <class T>
concept token_hasher =
    std::copy_constructible<T> && std::invocable<const T&, std::string_view> && detail::hash_result_of<T>::valid;

namespace detail {

/// Returns the width in bits of the fingerprints of a hasher: its member `bits` if it has one, otherwise the width of
/// its result. For types that are not hashers, the result has no meaning, and checked_parts reports the error.
template <class Hasher>
constexpr std::size_t hasher_width() {
  if constexpr (requires { Hasher::bits; }) {
    return Hasher::bits;
  } else if constexpr (token_hasher<Hasher>) {
    return hash_result_of<Hasher>::bits;
  } else {
    return word_bits;
  }
}

/// The number of 64-bit words of a hasher's result.
template <token_hasher Hasher>
inline constexpr std::size_t hasher_words = words_for(hash_result_of<Hasher>::bits);

}  // namespace detail

/// XXH3: hashes a token to `Bits` bits, with a seed.
///
/// Word j of the hash is XXH3_64bits_withSeed(token, seed + j * 0x9e3779b97f4a7c15 mod 2^64). If `Bits` is at most 64,
/// the hash is a whole std::uint64_t. So two tokens count as equal only if all 64 bits are equal. If `Bits` is greater,
/// the hash is an array of words, the lowest word first. With a secret seed, nobody can craft a text that has a chosen
/// fingerprint.
/// Source: the xxHash specification, github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md.
template <std::size_t Bits = 64>
struct xxh3 {
  static_assert(Bits >= 16 && Bits % 8 == 0,
                "neardup: write xxh3<64>; the width is a whole number of bytes from 16 bits");

  static constexpr std::size_t bits = Bits;
  static constexpr std::size_t words = detail::words_for(Bits);
  using result_type = std::conditional_t<words == 1, std::uint64_t, std::array<std::uint64_t, words>>;

  /// The difference between the seeds of two adjacent words.
  static constexpr std::uint64_t seed_step = detail::golden_ratio;

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
