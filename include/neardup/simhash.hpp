// SPDX-License-Identifier: MIT
// The two kinds of fingerprints, simhash and minwise: a fixed number of bits. Two fingerprints of one kind are compared
// by the number of bits in which they differ.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "detail/bits.hpp"
#include "error.hpp"

namespace neardup::inline v0 {

/// The kind of a fingerprint. It says what a bit means, and so how likely the bits of two fingerprints differ. The
/// numbers are part of the file format.
enum class fingerprint_kind : std::uint8_t {
  simhash = 1,  // a weighted vote of the features: differs with probability acos(cosine) / pi
  minwise = 2,  // a bit of the feature of least hash: differs with probability (1 - Jaccard similarity) / 2
};

/// Returns the name of a kind: "simhash" or "minwise".
[[nodiscard]] constexpr std::string_view to_string(fingerprint_kind kind) noexcept {
  return kind == fingerprint_kind::minwise ? "minwise" : "simhash";
}

namespace detail {

/// Throws std::invalid_argument unless k is in 0..bits. The numbers 0..bits are the possible distances of fingerprints
/// of `bits` bits.
inline void check_distance(std::size_t bits, int k) {
  if (k < 0 || static_cast<std::size_t>(k) > bits) {
    fail<std::invalid_argument>(
        {"distance k = ", k, " is outside 0..", bits, ", the distances of fingerprints of ", bits, " bits"});
  }
}

}  // namespace detail

/// The common base class of simhash<Bits> and minwise<Bits>. `Self` is the derived class. Programs use only the derived
/// classes, so that fingerprints of different kinds cannot be compared.
template <class Self, std::size_t Bits>
class fingerprint_bits {
  static_assert(Bits >= 16, "neardup: a fingerprint has at least 16 bits; write simhash<64>");
  static_assert(Bits % 8 == 0, "neardup: the width of a fingerprint is a whole number of bytes: 16, 24, 32, ...");

 public:
  static constexpr std::size_t bits = Bits;                      ///< the number of bits
  static constexpr std::size_t words = detail::words_for(Bits);  ///< the number of 64-bit words
  /// The bits as words. The lowest word comes first.
  using words_type = std::array<std::uint64_t, words>;

  /// Makes a fingerprint whose bits are all zero.
  constexpr fingerprint_bits() noexcept = default;

  /// Makes a fingerprint from the bits of `value`. The lowest bit is bit 0.
  /// Throws: std::invalid_argument if `value` has a set bit at position `Bits` or above.
  constexpr explicit fingerprint_bits(std::uint64_t value) requires(Bits <= 64) : fingerprint_bits(words_type{value}) {}

  /// Makes a fingerprint from words. The lowest word comes first.
  /// Throws: std::invalid_argument if `value` has a set bit at position `Bits` or above.
  constexpr explicit fingerprint_bits(const words_type& value) : words_(value) {
    if ((value[words - 1] & ~last_mask) != 0) {
      detail::fail<std::invalid_argument>({"the value has bits beyond the ", Bits, " bits of the fingerprint"});
    }
  }

  /// Returns the words. The lowest word comes first, and the unused high bits of the last word are zero.
  [[nodiscard]] constexpr const words_type& to_words() const noexcept { return words_; }

  /// Returns the fingerprint as one number.
  [[nodiscard]] constexpr std::uint64_t to_uint64() const noexcept requires(Bits <= 64) { return words_[0]; }

  /// Returns true if bit `i` is set.
  /// Throws: std::out_of_range if i >= Bits.
  [[nodiscard]] constexpr bool test(std::size_t i) const {
    check(i);
    return ((words_[i / detail::word_bits] >> (i % detail::word_bits)) & 1U) != 0;
  }
  /// Returns test(i).
  /// Throws: std::out_of_range if i >= Bits.
  [[nodiscard]] constexpr bool operator[](std::size_t i) const { return test(i); }

  /// Sets bit `i` to `value`.
  /// Throws: std::out_of_range if i >= Bits.
  constexpr Self& set(std::size_t i, bool value = true) {
    check(i);
    const std::uint64_t bit = std::uint64_t{1} << (i % detail::word_bits);
    std::uint64_t& word = words_[i / detail::word_bits];
    word = value ? word | bit : word & ~bit;
    return static_cast<Self&>(*this);
  }

  /// Inverts bit `i`.
  /// Throws: std::out_of_range if i >= Bits.
  constexpr Self& flip(std::size_t i) { return set(i, !test(i)); }

  /// Returns the fingerprint as Bits / 4 lower-case hexadecimal digits, with the highest bits first.
  [[nodiscard]] std::string to_hex() const {
    std::string text(hex_digits, '0');
    for (std::size_t i = 0; i < hex_digits; ++i) {
      const std::size_t low_bit = 4 * (hex_digits - 1 - i);
      const std::uint64_t digit = (words_[low_bit / detail::word_bits] >> (low_bit % detail::word_bits)) & 0xfU;
      text[i] = "0123456789abcdef"[digit];
    }
    return text;
  }

  /// Parses the digits that to_hex() returns. Upper-case digits are accepted, too.
  /// Returns: nullopt if `text` is not exactly Bits / 4 hexadecimal digits.
  [[nodiscard]] static constexpr std::optional<Self> from_hex(std::string_view text) noexcept {
    if (text.size() != hex_digits) return std::nullopt;
    Self result;
    for (std::size_t i = 0; i < hex_digits; ++i) {
      const char c = text[i];
      std::uint64_t digit = 0;
      if (c >= '0' && c <= '9') {
        digit = static_cast<std::uint64_t>(c - '0');
      } else if (c >= 'a' && c <= 'f') {
        digit = static_cast<std::uint64_t>(c - 'a') + 10;
      } else if (c >= 'A' && c <= 'F') {
        digit = static_cast<std::uint64_t>(c - 'A') + 10;
      } else {
        return std::nullopt;
      }
      const std::size_t low_bit = 4 * (hex_digits - 1 - i);
      result.words_[low_bit / detail::word_bits] |= digit << (low_bit % detail::word_bits);
    }
    return result;
  }

  friend constexpr bool operator==(const fingerprint_bits& a, const fingerprint_bits& b) noexcept {
    return detail::are_equal(a.words_, b.words_);
  }

  /// Orders fingerprints as unsigned numbers.
  friend constexpr std::strong_ordering operator<=>(const fingerprint_bits& a, const fingerprint_bits& b) noexcept {
    for (std::size_t i = words; i-- > 0;) {
      if (const auto order = a.words_[i] <=> b.words_[i]; order != 0) return order;
    }
    return std::strong_ordering::equal;
  }

 private:
  static constexpr std::size_t hex_digits = Bits / 4;
  static constexpr std::uint64_t last_mask = detail::low_mask(Bits - detail::word_bits * (words - 1));

  static constexpr void check(std::size_t i) {
    if (i >= Bits) {
      detail::fail<std::out_of_range>({"bit ", i, " of a fingerprint of ", Bits, " bits"});
    }
  }

  words_type words_{};
};

/// A SimHash fingerprint of `Bits` bits. The fingerprints of similar texts differ in few bits.
///
/// A regular value type: copyable, equality-comparable, ordered as a number, hashable, and usable in constant
/// expressions. Bit i is bit i % 64 of word i / 64. Bits at position `Bits` and above are always zero. See
/// fingerprint_bits for the members. You can make a simhash without an argument (all bits are zero), from a number if
/// Bits <= 64, from words (`words_type`), or from digits (from_hex()). to_words(), to_uint64(), to_hex() and test()
/// return its bits.
/// Source: Charikar, Similarity Estimation Techniques from Rounding Algorithms, STOC 2002, section 3.
template <std::size_t Bits>
class simhash : public fingerprint_bits<simhash<Bits>, Bits> {
  using base = fingerprint_bits<simhash<Bits>, Bits>;

 public:
  /// The kind of these fingerprints. It says what a bit means.
  static constexpr fingerprint_kind kind = fingerprint_kind::simhash;

  using base::base;
};

/// A min-wise code: `Bits` one-bit min-wise hashes of a feature set. The min-wise codes of two sets with the Jaccard
/// similarity J differ in Bits * (1 - J) / 2 bits on average. The variance of this number is at most that of
/// independent bits.
///
/// For sets without weights, min-wise codes reach the recall of SimHash at a smaller distance, so there are far fewer
/// candidates. This class is a value type like simhash<Bits>, and has the members of fingerprint_bits. The two classes
/// are separate types: you cannot compare a simhash with a minwise, or put both into one index. minwise_hasher computes
/// min-wise codes.
/// Source: Li and König, b-Bit Minwise Hashing, WWW 2010, section 3, for b = 1.
template <std::size_t Bits>
class minwise : public fingerprint_bits<minwise<Bits>, Bits> {
  using base = fingerprint_bits<minwise<Bits>, Bits>;

 public:
  /// The kind of these fingerprints. It says what a bit means.
  static constexpr fingerprint_kind kind = fingerprint_kind::minwise;

  using base::base;
};

/// Returns the number of bits in which two fingerprints of one kind differ, from 0 to Bits.
template <class Self, std::size_t Bits>
[[nodiscard]] constexpr int hamming_distance(const fingerprint_bits<Self, Bits>& a,
                                             const fingerprint_bits<Self, Bits>& b) noexcept {
  return detail::count_differing_bits(a.to_words(), b.to_words());
}

namespace detail {

struct fingerprint_hash {
  template <class Self, std::size_t Bits>
  std::size_t operator()(const fingerprint_bits<Self, Bits>& fingerprint) const noexcept {
    return hash_words(fingerprint.to_words());
  }
};

}  // namespace detail

}  // namespace neardup::inline v0

template <std::size_t Bits>
struct std::hash<neardup::simhash<Bits>> : neardup::detail::fingerprint_hash {};
template <std::size_t Bits>
struct std::hash<neardup::minwise<Bits>> : neardup::detail::fingerprint_hash {};
