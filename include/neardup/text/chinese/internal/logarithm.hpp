// SPDX-License-Identifier: MIT
// Natural logarithms. Every machine computes the same values.
#pragma once

#include <bit>
#include <cstdint>
#include <numbers>

namespace neardup::inline v0::detail {

struct wide_number {
  std::uint64_t high, low;
};

constexpr wide_number multiply(std::uint64_t a, std::uint64_t b) noexcept {
  const std::uint64_t a0 = a & 0xffffffffU, a1 = a >> 32, b0 = b & 0xffffffffU, b1 = b >> 32;
  const std::uint64_t low = a0 * b0, middle = a1 * b0 + (low >> 32), other = a0 * b1 + (middle & 0xffffffffU);
  return {a1 * b1 + (middle >> 32) + (other >> 32), other << 32 | (low & 0xffffffffU)};
}

/// Returns the upper 128 bits of a 256-bit product. The result may be wrong by up to two units.
constexpr wide_number multiply_high(wide_number a, wide_number b) noexcept {
  const wide_number top = multiply(a.high, b.high);
  const wide_number one = multiply(a.high, b.low), other = multiply(a.low, b.high);
  const std::uint64_t carry = one.low + other.low < one.low ? 1 : 0;
  wide_number result{top.high, top.low + one.high};
  result.high += result.low < one.high ? 1U : 0U;
  const std::uint64_t added = other.high + carry;  // no overflow: high is at most 2^64 - 2
  result.low += added;
  result.high += result.low < added ? 1U : 0U;
  return result;
}

/// Returns ln(number), rounded to the nearest double. Every machine gives the same result, because the function uses
/// only integer arithmetic, with 45 bits more precision than a double, and no library function.
/// Precondition: number > 0.
constexpr double natural_logarithm(std::uint64_t number) noexcept {
  if (number <= 2) return number == 2 ? std::numbers::ln2 : 0;
  // The integer part of log2(number) is the bit width - 1. The mantissa is in [1, 2). Each squaring of the mantissa
  // gives the next bit of the fraction.
  const auto exponent = static_cast<unsigned>(std::bit_width(number) - 1);
  wide_number mantissa{number << (63 - exponent), 0};  // 1.0 is 2^127
  wide_number fraction{0, 0};                          // the fraction of log2; 1.0 is 2^128
  constexpr unsigned steps = 118;
  for (unsigned i = 0; i < steps; ++i) {
    mantissa = multiply_high(mantissa, mantissa);  // 1.0 is 2^126
    const bool is_two = mantissa.high >> 63 != 0;
    if (!is_two) mantissa = {mantissa.high << 1 | mantissa.low >> 63, mantissa.low << 1};
    if (is_two) {
      const unsigned bit = 127 - i;
      (bit >= 64 ? fraction.high : fraction.low) |= std::uint64_t{1} << (bit % 64);
    }
  }
  // ln 2 in units of 2^-128.
  constexpr wide_number ln2{0xb17217f7d1cf79abU, 0xc9e3b39803f2f6afU};
  const wide_number rest = multiply_high(fraction, ln2);  // 1.0 is 2^128
  const wide_number low_part = multiply(ln2.low, exponent), high_part = multiply(ln2.high, exponent);
  const std::uint64_t low = low_part.low + rest.low;
  const std::uint64_t sum = rest.high + low_part.high + (low < rest.low ? 1U : 0U);  // low_part.high is below 64
  const std::uint64_t middle = sum + high_part.low;
  const std::uint64_t whole = high_part.high + (sum < rest.high ? 1U : 0U) + (middle < sum ? 1U : 0U);
  // `top` has the 64 highest bits of the fixed-point number whole.middle, where 1 <= whole <= 44. Rounds them to 53
  // bits. Bit 10 alone decides, because no logarithm is exactly halfway. The rounding is explicit, because a conversion
  // to double might round in another way.
  const auto shift = static_cast<unsigned>(std::countl_zero(whole));
  const std::uint64_t top = whole << shift | middle >> (64 - shift);
  auto result = static_cast<double>((top >> 11) + (top >> 10 & 1)) * 2048;
  for (unsigned i = 0; i < shift; ++i) result /= 2;
  return result;
}

}  // namespace neardup::inline v0::detail
