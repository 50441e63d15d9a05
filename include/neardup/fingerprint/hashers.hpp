// What a hasher is, and how wide.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "../detail/bits.hpp"

namespace neardup::inline v0 {

namespace detail {

template <class T>
struct hash_result {
  // Some compilers have wider integers: these come as an array of words.
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

template <class Hasher>
constexpr std::size_t hasher_width() {
  if constexpr (requires { Hasher::bits; }) {
    return Hasher::bits;
  } else {
    return hash_result_of<Hasher>::bits;
  }
}

/// A hash as words, lowest first.
template <std::unsigned_integral T>
constexpr std::array<std::uint64_t, 1> to_hash_words(T hash) noexcept {
  return {hash};
}
template <std::size_t Words>
constexpr const std::array<std::uint64_t, Words>& to_hash_words(const std::array<std::uint64_t, Words>& hash) noexcept {
  return hash;
}

}  // namespace detail

/// A callable `hasher(token)`, const, from std::string_view to an unsigned integer or a std::array of std::uint64_t.
///
/// Each bit of the result must be as good as random: a bit of the fingerprint is the weighted vote of that bit.
template <class T>
concept token_hasher =
    std::copy_constructible<T> && std::invocable<const T&, std::string_view> && detail::hash_result_of<T>::valid;

/// The width of a hasher's fingerprints, bits: its member `bits` if it has one, otherwise that of its result.
template <token_hasher Hasher>
inline constexpr std::size_t hasher_bits = detail::hasher_width<Hasher>();

/// The number of 64-bit words of a hasher's result.
template <token_hasher Hasher>
inline constexpr std::size_t hasher_words = detail::words_for(detail::hash_result_of<Hasher>::bits);

}  // namespace neardup::inline v0
