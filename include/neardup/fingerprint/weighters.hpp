// SPDX-License-Identifier: MIT
// Weights, and weighters. A weight is a fixed-point number, so that sums of weights are exact in any order. A weighter
// returns the weight of each distinct token of a text.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "../detail/bits.hpp"
#include "../error.hpp"

namespace neardup::inline v0 {

/// The weight of a token: an unsigned fixed-point number of 32 bits, 8 of which are fractional bits (1.0 = 256).
///
/// The range is 0 to 16777215.996, in multiples of 1/256. A token of weight 0 does not count.
class weight {
 public:
  static constexpr std::uint32_t one = 256;

  /// Makes the weight 1.0.
  constexpr weight() noexcept = default;

  /// Rounds a number to the nearest weight; a half is rounded upwards.
  /// Throws: std::invalid_argument if the number is NaN, infinite, negative, or at least 16777216.
  constexpr explicit weight(double value) {
    constexpr double limit = 16777216.0;
    // NaN must be refused. It fails every comparison, so the condition is written as !(in range). -0.0 is accepted, and
    // becomes 0.
    if (!(value >= 0.0 && value < limit)) {
      detail::fail<std::invalid_argument>("a weight must be a number of at least 0 and less than 16777216");
    }
    // The two floating-point operations are exact, so all machines round in the same way.
    const double scaled = value * one;
    const auto floor = static_cast<std::uint64_t>(scaled);
    const std::uint64_t rounded = floor + (scaled - static_cast<double>(floor) >= 0.5 ? 1 : 0);
    raw_ = rounded > 0xffffffffU ? 0xffffffffU : static_cast<std::uint32_t>(rounded);
  }

  /// Returns the weight whose value is raw / 256.
  static constexpr weight from_raw(std::uint32_t raw) noexcept {
    weight result;
    result.raw_ = raw;
    return result;
  }

  /// Returns the weight in units of 1/256.
  [[nodiscard]] constexpr std::uint32_t raw() const noexcept { return raw_; }
  [[nodiscard]] constexpr explicit operator double() const noexcept { return static_cast<double>(raw_) / one; }

  friend constexpr auto operator<=>(const weight&, const weight&) noexcept = default;

 private:
  std::uint32_t raw_ = one;
};

namespace detail {

/// A type that a user's weighter may return: a weight, or any number.
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

/// Decides one bit: returns true if `sum` is more than half of `total`. `sum` is the weight of the tokens that set the
/// bit. A tie gives false.
constexpr bool is_more_than_half(std::uint64_t sum, std::uint64_t total) noexcept {
  return sum > total - sum;  // sum > total / 2 without overflow
}

/// Returns ln(n) in units of 2^-32, with an error below 2^-28. The function uses integers only, because logarithms of
/// the C library may differ in the last bit between machines. log2(n) is computed by repeated squaring of the mantissa,
/// which gives one fractional bit per iteration. Then ln = log2 * ln 2.
/// Precondition: n >= 1.
constexpr std::uint64_t fixed_point_ln(std::uint64_t n) noexcept {
  std::uint64_t exponent = 0;
  for (std::uint64_t rest = n; rest > 1; rest >>= 1) ++exponent;
  // The mantissa is in [1, 2), and has 31 fractional bits.
  std::uint64_t mantissa = exponent > 31 ? n >> (exponent - 31) : n << (31 - exponent);
  std::uint64_t log2 = exponent;
  constexpr int fraction_bits = 32;
  for (int i = 0; i < fraction_bits; ++i) {
    mantissa = (mantissa * mantissa) >> 31;
    const std::uint64_t bit = mantissa >> 32;
    log2 = (log2 << 1) | bit;
    mantissa >>= bit;
  }
  constexpr std::uint64_t ln2 = 0xb17217f7d1cfU;  // ln 2 in units of 2^-48; the integer factor is at most 63
  // log2 < 2^38, so log2 * ln 2 is computed in two parts, without overflow.
  return ((log2 >> 32) * ln2 >> 16) + ((log2 & 0xffffffffU) * (ln2 >> 16) >> 32);
}

/// Rounds a logarithm in units of 2^-32 to a weight.
constexpr weight weight_of_ln(std::uint64_t ln) noexcept {
  return weight::from_raw(static_cast<std::uint32_t>((ln + (std::uint64_t{1} << 23)) >> 24));
}

}  // namespace detail

/// A distinct token of a text: its hash, and its weight in units of 1/256.
template <std::size_t Words>
struct weighted_token {
  std::array<std::uint64_t, Words> hash;
  std::uint64_t units;
};

namespace detail {

template <class T>
concept count_weighter = requires(const T& w, std::uint64_t count) {
  { w(count) } -> weight_like;
};
template <class T>
concept token_weighter = requires(const T& w, std::string_view token, std::uint64_t count) {
  { w(token, count) } -> weight_like;
};
template <class T>
concept occurrence_weighter = requires(const T& w) {
  { w.per_occurrence() } -> std::same_as<weight>;
};
template <class T>
concept token_occurrence_weighter = requires(const T& w, std::string_view token) {
  { w.per_occurrence(token) } -> std::same_as<weight>;
};
/// A weighter of the library that chooses its rule at run time. The weights are in units of 1/256, and may exceed 32
/// bits.
template <class T>
concept units_weighter = requires(const T& w, std::string_view token, std::uint64_t count) {
  { w.units(token, count) } -> std::same_as<std::uint64_t>;
};
template <class T>
concept weight_adjuster = requires(const T& w, std::vector<weighted_token<1>>& tokens) {
  w.inner;
  w.adjust(tokens);
};

/// A linear weighter. The weight of a token is the sum of the weights of its occurrences.
template <class T>
concept linear_weighter = occurrence_weighter<T> || token_occurrence_weighter<T>;

/// True if a weighter has more than one of the forms that the concept `weighter` lists, perhaps from a base class. A
/// call of such a weighter would be ambiguous.
template <class T>
concept many_formed_weighter = (weight_adjuster<T> && (linear_weighter<T> || count_weighter<T> || token_weighter<T>)) ||
                               (linear_weighter<T> && (count_weighter<T> || token_weighter<T>));

}  // namespace detail

/// A weighter of the tokens of a text. A const weighter `w` has exactly one of these forms:
/// - `w(count)` or `w(token, count)` returns the weight of a distinct token that occurs `count` times. The result is a
/// neardup::weight or a number (1 is the weight 1.0; NaN, infinite and negative numbers are errors);
/// - `per_occurrence()` or `per_occurrence(token)` returns the weight of each occurrence of a token. An accumulator,
/// whose sums are merged, requires this form;
/// - the member `inner` is another weighter, and `adjust(tokens)` changes the weights of all distinct tokens of the
/// text. `tokens` is a std::vector<weighted_token<Words>>, for any Words.
template <class T>
concept weighter = std::copy_constructible<T> && !detail::many_formed_weighter<T> &&
                   (detail::linear_weighter<T> || detail::count_weighter<T> || detail::token_weighter<T> ||
                    detail::weight_adjuster<T>);

namespace detail {

/// Returns true if a weighter reads the text of a token.
template <class Weighter>
constexpr bool reads_token() {
  if constexpr (weight_adjuster<Weighter>) {
    return reads_token<std::remove_cvref_t<decltype(std::declval<const Weighter&>().inner)>>();
  } else {
    return units_weighter<Weighter> || token_occurrence_weighter<Weighter> ||
           (!occurrence_weighter<Weighter> && token_weighter<Weighter>);
  }
}

/// Returns the weight that a linear weighter gives to one occurrence.
template <linear_weighter Weighter>
weight occurrence_weight(const Weighter& weigh, std::string_view token) {
  if constexpr (token_occurrence_weighter<Weighter>) {
    return weigh.per_occurrence(token);
  } else {
    return weigh.per_occurrence();
  }
}

[[noreturn]] inline void fail_heavy_token() {
  fail<std::overflow_error>("the weight of a token exceeds 2^64 - 1 units of 1/256");
}

/// Returns the weight of `count` occurrences, each of which has the weight `units`.
inline std::uint64_t units_of_all(std::uint64_t units, std::uint64_t count) {
  if (units != 0 && count > ~std::uint64_t{0} / units) fail_heavy_token();
  return units * count;
}

/// Returns the weight of a token that occurs `count` times, in units of 1/256. adjust_weights() may change the weight
/// later.
template <class Weighter>
std::uint64_t token_units(const Weighter& weigh, std::string_view token, std::uint64_t count) {
  if constexpr (weight_adjuster<Weighter>) {
    return token_units(weigh.inner, token, count);
  } else if constexpr (units_weighter<Weighter>) {
    return weigh.units(token, count);
  } else if constexpr (linear_weighter<Weighter>) {
    return units_of_all(occurrence_weight(weigh, token).raw(), count);
  } else if constexpr (token_weighter<Weighter>) {
    return to_weight(weigh(token, count)).raw();
  } else {
    return to_weight(weigh(count)).raw();
  }
}

template <class Weighter, std::size_t Words>
void adjust_weights(const Weighter& weigh, std::vector<weighted_token<Words>>& tokens) {
  if constexpr (weight_adjuster<Weighter>) {
    adjust_weights(weigh.inner, tokens);
    weigh.adjust(tokens);
  }
}

/// Returns the innermost weighter, which is not an adjuster. An adjuster is a weighter with a member `inner`.
template <class Weighter>
const auto& innermost(const Weighter& weigh) noexcept {
  if constexpr (weight_adjuster<Weighter>) {
    return innermost(weigh.inner);
  } else {
    return weigh;
  }
}

template <class Weighter>
using innermost_of = std::remove_cvref_t<decltype(innermost(std::declval<const Weighter&>()))>;

/// True for idf, tf_idf, and adjusters of idf or tf_idf: their table can be looked up by the hash of a token. False for
/// classes that derive from idf or tf_idf, because these may weigh differently.
template <class Weighter>
inline constexpr bool asks_idf_table = false;
template <weight_adjuster Weighter>
inline constexpr bool asks_idf_table<Weighter> = asks_idf_table<innermost_of<Weighter>>;

constexpr weight log_tf_weight(std::uint64_t count) noexcept {
  return weight::from_raw(weight::one + weight_of_ln(fixed_point_ln(count == 0 ? 1 : count)).raw());
}

// The log_tf weights of small counts. Nearly all tokens have small counts, and computing a logarithm takes a hundred
// cycles.
inline constexpr std::array<weight, 256> log_tf_weights = [] {
  std::array<weight, 256> weights;
  for (std::size_t count = 0; count < weights.size(); ++count) weights[count] = log_tf_weight(count);
  return weights;
}();

}  // namespace detail

/// Gives each distinct token the weight 1, whatever its count. This is the default weighter. With `unit`, the
/// repetition of boilerplate does not matter.
struct unit {
  constexpr weight operator()(std::uint64_t /*count*/) const noexcept { return {}; }
};

/// Gives each occurrence of a token the weight 1 (term frequency). Repeated boilerplate can dominate the fingerprint,
/// so prefer unit or log_tf.
struct tf {
  [[nodiscard]] constexpr weight per_occurrence() const noexcept { return {}; }
};

/// Gives each distinct token the weight 1 + ln(count). The weight is rounded to 1/256, without floating point.
struct log_tf {
  constexpr weight operator()(std::uint64_t count) const noexcept {
    return count < detail::log_tf_weights.size() ? detail::log_tf_weights[detail::to_size(count)]
                                                 : detail::log_tf_weight(count);
  }
};

/// Replaces the weights of another weighter by whole levels 1..n. The heaviest token of the text has the level n.
///
/// A token of weight w > 0 gets the level ceil(n * w / heaviest). The weight 0 stays 0.
/// Throws: adjust(), and so each call that makes a fingerprint, throws std::invalid_argument if n is not in 1..65535.
template <class Inner>
struct levels {
  static_assert(weighter<Inner>, "neardup: levels{n, weighter} needs a weighter, such as tf{}");

  std::size_t n = 5;
  Inner inner{};

  template <std::size_t Words>
  void adjust(std::vector<weighted_token<Words>>& tokens) const {
    if (n == 0 || n > 65535) detail::fail<std::invalid_argument>("levels{n, weighter} needs n from 1 to 65535");
    std::uint64_t heaviest = 0;
    for (const auto& token : tokens) heaviest = (std::max)(heaviest, token.units);
    // Weights of 2^48 units or more are shifted down, so that n * w fits into 64 bits.
    int shift = 0;
    while ((heaviest >> shift) >> 48 != 0) ++shift;
    for (auto& token : tokens) {
      if (token.units == 0) continue;
      const std::uint64_t top = heaviest >> shift;
      const std::uint64_t level = ((token.units >> shift) * n + top - 1) / top;
      token.units = weight::one * (level == 0 ? 1 : level);
    }
  }
};

template <class Inner>
levels(std::size_t, Inner) -> levels<Inner>;

/// Replaces the weights of another weighter by whole levels 1..n, according to their ranks. The distinct tokens of the
/// text are divided into n groups of about equal size. The group of the lightest tokens has the level 1, the next group
/// has the level 2, and the group of the heaviest tokens has the level n. If one token is much heavier than all others,
/// ranks still distinguish the others; `levels` does not.
///
/// If l of t tokens are lighter than a token, the token gets the level 1 + floor(n * l / t). So equal weights have
/// equal levels. Tokens of weight 0 keep the weight 0, and are not counted in t.
/// Throws: adjust(), and so each call that makes a fingerprint, throws std::invalid_argument if n is not in 1..65535.
template <class Inner>
struct quantile_levels {
  static_assert(weighter<Inner>, "neardup: quantile_levels{n, weighter} needs a weighter, such as tf{}");

  std::size_t n = 5;
  Inner inner{};

  template <std::size_t Words>
  void adjust(std::vector<weighted_token<Words>>& tokens) const {
    if (n == 0 || n > 65535)
      detail::fail<std::invalid_argument>("quantile_levels{n, weighter} needs n from 1 to 65535");
    std::vector<std::uint64_t> sorted;
    sorted.reserve(tokens.size());
    for (const auto& token : tokens) {
      if (token.units > 0) sorted.push_back(token.units);
    }
    std::sort(sorted.begin(), sorted.end());
    for (auto& token : tokens) {
      if (token.units == 0) continue;
      const auto lighter =
          static_cast<std::uint64_t>(std::lower_bound(sorted.begin(), sorted.end(), token.units) - sorted.begin());
      token.units = weight::one * (1 + n * lighter / sorted.size());
    }
  }
};

template <class Inner>
quantile_levels(std::size_t, Inner) -> quantile_levels<Inner>;

/// Keeps only the n tokens to which another weighter gives the greatest weights. Of tokens with equal weights, the
/// tokens with the smaller hashes are kept.
/// Throws: adjust(), and so each call that makes a fingerprint, throws std::invalid_argument if n = 0.
template <class Inner>
struct top {
  static_assert(weighter<Inner>, "neardup: top{n, weighter} needs a weighter, such as tf{}");

  std::size_t n = 200;
  Inner inner{};

  template <std::size_t Words>
  void adjust(std::vector<weighted_token<Words>>& tokens) const {
    if (n == 0) detail::fail<std::invalid_argument>("top{n, weighter} needs n of 1 or more");
    if (tokens.size() <= n) return;
    const auto heavier = [](const weighted_token<Words>& a, const weighted_token<Words>& b) {
      return a.units != b.units ? a.units > b.units : a.hash < b.hash;
    };
    const auto end_of_top = tokens.begin() + static_cast<std::ptrdiff_t>(n);
    std::nth_element(tokens.begin(), end_of_top, tokens.end(), heavier);
    tokens.erase(end_of_top, tokens.end());
  }
};

template <class Inner>
top(std::size_t, Inner) -> top<Inner>;

}  // namespace neardup::inline v0
