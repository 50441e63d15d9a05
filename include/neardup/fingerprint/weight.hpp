// Weights in fixed point, so that sums are exact and their order does not matter.
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

/// How much a token counts: an unsigned fixed-point number of 32 bits, with 1.0 = 256.
///
/// Steps of 1/256 from 0 to 16777215.996; zero means that the token does not count at all.
class weight {
 public:
  static constexpr std::uint32_t one = 256;

  /// Weight 1.0.
  constexpr weight() noexcept = default;

  /// The nearest weight to a number, halves upwards.
  /// Throws: std::invalid_argument if it is NaN, infinite, negative or 16777216 and more.
  constexpr explicit weight(double value) {
    constexpr double limit = 16777216.0;
    // Written so that NaN fails it too; -0.0 is 0.
    if (!(value >= 0.0 && value < limit)) {
      detail::fail<std::invalid_argument>("a weight must be a number of at least 0 and less than 16777216");
    }
    // Both operations are exact in binary floating point, so every machine rounds alike.
    const double scaled = value * one;
    const auto floor = static_cast<std::uint64_t>(scaled);
    const std::uint64_t rounded = floor + (scaled - static_cast<double>(floor) >= 0.5 ? 1 : 0);
    raw_ = rounded > 0xffffffffU ? 0xffffffffU : static_cast<std::uint32_t>(rounded);
  }

  /// The weight of `raw` / 256.
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

/// What a weighter of the user's may give: a weight, or any number.
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

/// Whether a bit is 1: the sum of the weights that set it is more than half of the total. A tie gives 0.
constexpr bool is_more_than_half(std::uint64_t sum, std::uint64_t total) noexcept {
  return sum > total - sum;  // Doubling could overflow.
}

/// ln(n) in units of 2^-32, with an error below 2^-28; n >= 1.
///
/// Integers only, for a logarithm from the C library may differ in the last bit between machines.
/// log2 by repeated squaring of the mantissa, one fractional bit per step, then ln = log2 * ln 2.
constexpr std::uint64_t fixed_point_ln(std::uint64_t n) noexcept {
  std::uint64_t exponent = 0;
  for (std::uint64_t rest = n; rest > 1; rest >>= 1) ++exponent;
  // Mantissa in [1, 2) with 31 fractional bits.
  std::uint64_t mantissa = exponent > 31 ? n >> (exponent - 31) : n << (31 - exponent);
  std::uint64_t log2 = exponent;
  constexpr int fraction_bits = 32;
  for (int i = 0; i < fraction_bits; ++i) {
    mantissa = (mantissa * mantissa) >> 31;
    const std::uint64_t bit = mantissa >> 32;
    log2 = (log2 << 1) | bit;
    mantissa >>= bit;
  }
  constexpr std::uint64_t ln2 = 0xb17217f7d1cfU;  // ln 2 in units of 2^-48: the whole part multiplies its error by 63
  // log2 * ln 2 without overflow: log2 < 2^38.
  return ((log2 >> 32) * ln2 >> 16) + ((log2 & 0xffffffffU) * (ln2 >> 16) >> 32);
}

/// The weight of a logarithm in units of 2^-32.
constexpr weight weight_of_ln(std::uint64_t ln) noexcept {
  return weight::from_raw(static_cast<std::uint32_t>((ln + (std::uint64_t{1} << 23)) >> 24));
}

}  // namespace detail

}  // namespace neardup::inline v0
