// SPDX-License-Identifier: MIT
// Weights in fixed point: sums are exact, so their order does not matter.
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <type_traits>

#include "../error.hpp"

namespace neardup::inline v0 {

/// The weight of a token: an unsigned fixed-point number of 32 bits with 8 fractional bits (1.0 = 256).
///
/// The range is 0 to 16777215.996 in steps of 1/256. A token of weight 0 does not count.
class weight {
 public:
  static constexpr std::uint32_t one = 256;

  /// Weight 1.0.
  constexpr weight() noexcept = default;

  /// Rounds a number to the nearest weight, halves upwards.
  /// Throws: std::invalid_argument if it is NaN, infinite, negative, or at least 16777216.
  constexpr explicit weight(double value) {
    constexpr double limit = 16777216.0;
    // The condition is written as !(in range), because NaN fails every comparison and must be refused. -0.0 is
    // accepted, and becomes 0.
    if (!(value >= 0.0 && value < limit)) {
      detail::fail<std::invalid_argument>("a weight must be a number of at least 0 and less than 16777216");
    }
    // Both floating-point operations are exact, so all machines round alike.
    const double scaled = value * one;
    const auto floor = static_cast<std::uint64_t>(scaled);
    const std::uint64_t rounded = floor + (scaled - static_cast<double>(floor) >= 0.5 ? 1 : 0);
    raw_ = rounded > 0xffffffffU ? 0xffffffffU : static_cast<std::uint32_t>(rounded);
  }

  /// The weight raw / 256.
  static constexpr weight from_raw(std::uint32_t raw) noexcept {
    weight result;
    result.raw_ = raw;
    return result;
  }

  /// The weight in units of 1/256.
  [[nodiscard]] constexpr std::uint32_t raw() const noexcept { return raw_; }
  [[nodiscard]] constexpr explicit operator double() const noexcept { return static_cast<double>(raw_) / one; }

  friend constexpr auto operator<=>(const weight&, const weight&) noexcept = default;

 private:
  std::uint32_t raw_ = one;
};

namespace detail {

/// The result of a user's weighter: a weight, or any number.
template <class T>
concept weight_like = std::same_as<std::remove_cvref_t<T>, weight> || std::is_arithmetic_v<std::remove_cvref_t<T>>;

template <weight_like T>
constexpr weight to_weight(const T& value) {
  if constexpr (std::same_as<T, weight>) {
    return value;
  } else {
    return weight(static_cast<double>(value));
  }
}

/// The vote on one bit: true if `sum`, the weight of the tokens that set the bit, is more than half of `total`. A tie
/// gives false.
constexpr bool is_more_than_half(std::uint64_t sum, std::uint64_t total) noexcept {
  return sum > total - sum;  // sum > total / 2 without overflow
}

/// ln(n) in units of 2^-32, with an error below 2^-28. Precondition: n >= 1.
///
/// Integers only: a logarithm of the C library may differ in the last bit between machines.
/// Method: log2 by repeated squaring of the mantissa, one fractional bit per step; then ln = log2 * ln 2.
constexpr std::uint64_t fixed_point_ln(std::uint64_t n) noexcept {
  std::uint64_t exponent = 0;
  for (std::uint64_t rest = n; rest > 1; rest >>= 1) ++exponent;
  // The mantissa in [1, 2), with 31 fractional bits.
  std::uint64_t mantissa = exponent > 31 ? n >> (exponent - 31) : n << (31 - exponent);
  std::uint64_t log2 = exponent;
  constexpr int fraction_bits = 32;
  for (int i = 0; i < fraction_bits; ++i) {
    mantissa = (mantissa * mantissa) >> 31;
    const std::uint64_t bit = mantissa >> 32;
    log2 = (log2 << 1) | bit;
    mantissa >>= bit;
  }
  constexpr std::uint64_t ln2 = 0xb17217f7d1cfU;  // ln 2 in units of 2^-48; it is multiplied by at most 63
  // log2 * ln 2 without overflow: log2 < 2^38.
  return ((log2 >> 32) * ln2 >> 16) + ((log2 & 0xffffffffU) * (ln2 >> 16) >> 32);
}

/// Rounds a logarithm in units of 2^-32 to a weight.
constexpr weight weight_of_ln(std::uint64_t ln) noexcept {
  return weight::from_raw(static_cast<std::uint32_t>((ln + (std::uint64_t{1} << 23)) >> 24));
}

}  // namespace detail

}  // namespace neardup::inline v0
