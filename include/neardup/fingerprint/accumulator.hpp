// SPDX-License-Identifier: MIT
// Adds up the weighted votes of tokens for each bit of a fingerprint.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>

#include "../detail/bits.hpp"
#include "../error.hpp"
#include "../simhash.hpp"
#include "weighters.hpp"

namespace neardup::inline v0 {

/// Sums the weights of tokens for each bit. Bit i of the fingerprint is 1 if the tokens whose hash has bit i set have
/// more than half of the total weight. A tie gives 0.
///
/// Sums are exact in 64 bits, so the order of the tokens and of merges does not matter.
/// Source: Charikar 2002; Manku, Jain, Das Sarma, Detecting Near-Duplicates for Web Crawling, WWW 2007, section 2.
template <std::size_t Bits>
class accumulator {
 public:
  static constexpr std::size_t words = detail::words_for(Bits);
  using hash_type = std::array<std::uint64_t, words>;

  /// Adds a token `count` times. `hash` is the hash of the token, and `w` is its weight. Bits of the hash at position
  /// `Bits` and above are ignored.
  /// Throws: std::overflow_error if the total weight would exceed 2^64 - 1 units of 1/256; the sums are then unchanged.
  constexpr void add(const hash_type& hash, weight w = {}, std::uint64_t count = 1) {
    if (w.raw() != 0 && count > (std::numeric_limits<std::uint64_t>::max)() / w.raw()) fail_overflow();
    add_units(hash, w.raw() * count);
  }
  constexpr void add(std::uint64_t hash, weight w = {}, std::uint64_t count = 1) requires(Bits <= 64) {
    add(hash_type{hash}, w, count);
  }

  /// Adds a token with the hash `hash` and a weight of `units` / 256.
  /// Throws: std::overflow_error if the total weight would exceed 2^64 - 1 units; the sums are then unchanged.
  constexpr void add_units(const hash_type& hash, std::uint64_t units) {
    if (units > (std::numeric_limits<std::uint64_t>::max)() - total_) fail_overflow();
    total_ += units;
    for (std::size_t i = 0; i < Bits; ++i) {
      const std::uint64_t bit = (hash[i / detail::word_bits] >> (i % detail::word_bits)) & 1U;
      sums_[i] += units & (0 - bit);  // branchless, because hash bits cannot be predicted
    }
  }

  /// Adds the sums of another accumulator.
  /// Throws: std::overflow_error if the total weight would exceed 2^64 - 1 units of 1/256; the sums are then unchanged.
  constexpr void merge(const accumulator& other) {
    if (other.total_ > (std::numeric_limits<std::uint64_t>::max)() - total_) fail_overflow();
    total_ += other.total_;
    for (std::size_t i = 0; i < Bits; ++i) sums_[i] += other.sums_[i];
  }

  /// Subtracts the sums of `other`, which was merged into this accumulator before.
  /// Throws: std::invalid_argument if the sums show that `other` was not merged; the sums are then unchanged.
  constexpr void subtract(const accumulator& other) {
    // Invariant: 0 <= sums_[i] <= total_. The invariant must hold for `other` and for the difference.
    bool contained = other.total_ <= total_;
    for (std::size_t i = 0; i < Bits && contained; ++i) {
      contained = other.sums_[i] <= sums_[i] && sums_[i] - other.sums_[i] <= total_ - other.total_;
    }
    if (!contained)
      detail::fail<std::invalid_argument>("cannot subtract from an accumulator what was never added to it");
    total_ -= other.total_;
    for (std::size_t i = 0; i < Bits; ++i) sums_[i] -= other.sums_[i];
  }

  /// Returns the total weight of all tokens, in units of 1/256.
  [[nodiscard]] constexpr std::uint64_t total() const noexcept { return total_; }

  /// Returns the fingerprint of the tokens so far, or nullopt if the total weight is 0.
  [[nodiscard]] constexpr std::optional<simhash<Bits>> result() const {
    if (total_ == 0) return std::nullopt;
    hash_type bits{};
    for (std::size_t i = 0; i < Bits; ++i) {
      const std::uint64_t set = detail::is_more_than_half(sums_[i], total_) ? 1 : 0;
      bits[i / detail::word_bits] |= set << (i % detail::word_bits);
    }
    return simhash<Bits>(bits);
  }

  constexpr void clear() noexcept { *this = {}; }

  friend constexpr bool operator==(const accumulator&, const accumulator&) noexcept = default;

 private:
  [[noreturn]] static void fail_overflow() {
    detail::fail<std::overflow_error>("the weights of an accumulator exceed 2^64 - 1 units of 1/256");
  }

  std::array<std::uint64_t, Bits> sums_{};
  std::uint64_t total_ = 0;
};

}  // namespace neardup::inline v0
