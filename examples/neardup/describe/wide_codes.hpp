// Codes whose width is not the width of a type of the library. The width is any number of whole bytes up to 1,024 bits.
#pragma once

#include <algorithm>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "../read/code.hpp"

namespace command {

inline constexpr std::size_t most_code_words = most_code_bits / 64;

/// Returns true if fingerprints of this width have a type: 32, 64, 128 or 256 bits. Codes of any other width are wide
/// codes, also those with fewer than 256 bits.
inline constexpr bool has_type(std::size_t bits) { return bits == 32 || bits == 64 || bits == 128 || bits == 256; }

/// A view of a code in an array of codes.
class wide_code {
 public:
  explicit wide_code(std::span<const std::uint64_t> words) : words_(words) {}

  [[nodiscard]] std::span<const std::uint64_t> to_words() const noexcept { return words_; }

  friend bool operator==(const wide_code& a, const wide_code& b) { return std::ranges::equal(a.words_, b.words_); }
  friend std::strong_ordering operator<=>(const wide_code& a, const wide_code& b) {
    return std::lexicographical_compare_three_way(a.words_.begin(), a.words_.end(), b.words_.begin(), b.words_.end());
  }

 private:
  std::span<const std::uint64_t> words_;
};

/// Returns the number of bits in which two codes differ. If this number exceeds `most`, returns any number above
/// `most`.
inline int differing_bits(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b, int most) {
  int count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    count += std::popcount(a[i] ^ b[i]);
    if (count > most) break;
  }
  return count;
}

/// An array of codes of one width, which is chosen at run time.
class wide_codes {
 public:
  using value_type = wide_code;

  explicit wide_codes(std::size_t bits) : bits_(bits), words_((bits + 63) / 64) {}

  [[nodiscard]] std::size_t bits() const noexcept { return bits_; }
  [[nodiscard]] std::size_t words() const noexcept { return words_; }
  [[nodiscard]] std::size_t size() const noexcept { return all_.size() / words_; }
  [[nodiscard]] wide_code operator[](std::size_t i) const {
    return wide_code(std::span(all_).subspan(i * words_, words_));
  }
  /// Returns the words of all codes, one code after the other.
  [[nodiscard]] std::span<const std::uint64_t> all() const noexcept { return all_; }

  /// Adds a code. Its words are the first words of `code`, and missing words are zero.
  void push_back(std::span<const std::uint64_t> code) {
    const auto own = code.first(std::min(words_, code.size()));
    all_.insert(all_.end(), own.begin(), own.end());
    all_.resize(all_.size() + words_ - own.size());
  }

 private:
  std::size_t bits_, words_;
  std::vector<std::uint64_t> all_;
};

}  // namespace command
