// Natural logarithms that are the same on every machine.
#pragma once

#include <bit>
#include <cstdint>

namespace neardup::inline v0::detail {

/// A number of 128 bits.
struct wide_number {
  std::uint64_t high, low;
};

/// The product of two words.
constexpr wide_number multiply(std::uint64_t a, std::uint64_t b) noexcept {
  const std::uint64_t a0 = a & 0xffffffffU, a1 = a >> 32, b0 = b & 0xffffffffU, b1 = b >> 32;
  const std::uint64_t low = a0 * b0, middle = a1 * b0 + (low >> 32), other = a0 * b1 + (middle & 0xffffffffU);
  return {a1 * b1 + (middle >> 32) + (other >> 32), other << 32 | (low & 0xffffffffU)};
}

/// The upper 128 bits of a product of 256, to within two units.
constexpr wide_number multiply_high(wide_number a, wide_number b) noexcept {
  const wide_number top = multiply(a.high, b.high);
  const wide_number one = multiply(a.high, b.low), other = multiply(a.low, b.high);
  const std::uint64_t middle = one.low + other.low;
  const std::uint64_t carry = (middle < one.low ? 1U : 0U);
  wide_number result{top.high, top.low + one.high};
  result.high += result.low < one.high ? 1U : 0U;
  const std::uint64_t before = result.low;
  result.low += other.high + carry;
  result.high += result.low < before || (carry != 0 && other.high == ~std::uint64_t{0}) ? 1U : 0U;
  return result;
}

/// ln(number), rounded to the nearest double; the arithmetic has 45 bits more than that, and knows no library.
/// Precondition: number > 0.
constexpr double natural_logarithm(std::uint64_t number) noexcept {
  if (number == 1) return 0;
  // log2: its whole part is the width, and each squaring of the mantissa in [1, 2) gives a bit of the rest.
  const auto exponent = static_cast<unsigned>(std::bit_width(number) - 1);
  wide_number mantissa{number << (63 - exponent), 0};  // 1.0 is 2^127
  wide_number fraction{0, 0};                          // of log2, 1.0 is 2^128
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
  // ln 2 * 2^128
  constexpr wide_number ln2{0xb17217f7d1cf79abU, 0xc9e3b39803f2f6afU};
  const wide_number rest = multiply_high(fraction, ln2);  // 1.0 is 2^128
  const wide_number low_part = multiply(ln2.low, exponent), high_part = multiply(ln2.high, exponent);
  std::uint64_t low = low_part.low + rest.low;
  std::uint64_t carry = low < rest.low ? 1 : 0;
  std::uint64_t middle = low_part.high + carry;
  carry = middle < carry ? 1 : 0;
  const std::uint64_t sum = middle + rest.high;
  carry += sum < rest.high ? 1 : 0;
  middle = sum + high_part.low;
  carry += middle < high_part.low ? 1 : 0;
  const std::uint64_t whole = high_part.high + carry;
  // whole.middle:low, to 64 bits with everything below in the last one, to 53 by the rounding of the machine.
  const auto shift = static_cast<unsigned>(std::countl_zero(whole != 0 ? whole : middle));
  std::uint64_t top = 0;
  double scale = 1.0 / 18446744073709551616.0;  // 2^-64
  if (whole != 0) {
    top = shift == 0 ? whole : whole << shift | middle >> (64 - shift);
    const std::uint64_t below = shift == 0 ? middle : middle << shift;
    top |= (below | low) != 0 ? 1U : 0U;
    scale = 1;
  } else {
    top = shift == 0 ? middle : middle << shift | low >> (64 - shift);
    top |= (shift == 0 ? low : low << shift) != 0 ? 1U : 0U;
  }
  // 64 bits to 53, the nearest, a tie to even: by hand, since a conversion may round otherwise.
  const std::uint64_t rest_bits = top & 0x7ff;
  std::uint64_t kept = top >> 11;
  if (rest_bits > 0x400 || (rest_bits == 0x400 && (kept & 1) != 0)) ++kept;
  double result = static_cast<double>(kept) * 2048 * scale;
  for (unsigned i = 0; i < shift; ++i) result /= 2;
  return result;
}

}  // namespace neardup::inline v0::detail
