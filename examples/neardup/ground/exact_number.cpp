#include "exact_number.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>

namespace command {

namespace {

/// An integer of any size. Its digits do not begin with a zero, except for the number 0.
struct integer {
  bool is_negative = false;
  std::string digits = "0";
};

bool is_less(const integer& a, const integer& b) {
  if (a.is_negative != b.is_negative) return a.is_negative;
  const std::string& small = a.is_negative ? b.digits : a.digits;
  const std::string& large = a.is_negative ? a.digits : b.digits;
  return small.size() != large.size() ? small.size() < large.size() : small < large;
}

/// Returns the sum of a number, which is written as the exponent of a JSON number, and `more`.
/// Precondition: -10^18 < more < 10^18.
integer sum_of(std::string_view exponent, std::int64_t more) {
  integer result;
  result.is_negative = exponent.starts_with('-');
  exponent.remove_prefix(std::min(exponent.find_first_not_of("+-0"), exponent.size()));
  constexpr std::size_t short_digits = 18;  // the sum of two such numbers fits in std::int64_t
  if (exponent.size() <= short_digits) {
    std::int64_t number = 0;
    std::from_chars(exponent.data(), exponent.data() + exponent.size(), number);
    more += result.is_negative ? -number : number;
    return {more < 0, std::to_string(std::abs(more))};
  }
  // The exponent has more digits than `more`, so the sum has the sign of the exponent.
  if (result.is_negative) more = -more;
  result.digits = "0" + std::string(exponent);
  for (auto digit = result.digits.rbegin(); more != 0; ++digit) {
    more += *digit - '0';
    const std::int64_t last = (more % 10 + 10) % 10;
    *digit = static_cast<char>('0' + last);
    more = (more - last) / 10;
  }
  result.digits.erase(0, result.digits.find_first_not_of('0'));
  return result;
}

/// A decimal number: digits times 10^exponent, with the point after the first digit. The digits neither begin nor end
/// with a zero.
struct decimal {
  bool is_negative = false;
  integer exponent;
  std::string digits;  ///< empty for zero
};

decimal parse_decimal(std::string_view text) {
  decimal result;
  if (text.starts_with('-')) {
    result.is_negative = true;
    text.remove_prefix(1);
  }
  const std::size_t end = std::min(text.find_first_of("eE"), text.size());
  const std::string_view mantissa = text.substr(0, end);
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  for (const char c : mantissa) {
    if (c != '.') result.digits += c;
  }
  const std::size_t leading = std::min(result.digits.find_first_not_of('0'), result.digits.size());
  result.digits.erase(0, leading);
  result.digits.erase(result.digits.find_last_not_of('0') + 1);
  if (result.digits.empty()) return {};
  result.exponent = sum_of(text.substr(std::min(end + 1, text.size())),
                           static_cast<std::int64_t>(point) - static_cast<std::int64_t>(leading) - 1);
  return result;
}

bool is_less(const decimal& a, const decimal& b) {
  if (a.digits.empty() || b.digits.empty()) {
    return a.digits.empty() ? !b.digits.empty() && !b.is_negative : a.is_negative;
  }
  if (a.is_negative != b.is_negative) return a.is_negative;
  const decimal& small = a.is_negative ? b : a;
  const decimal& large = a.is_negative ? a : b;
  if (is_less(small.exponent, large.exponent)) return true;
  return !is_less(large.exponent, small.exponent) && small.digits < large.digits;
}

/// Returns the shortest decimal number whose nearest double is `value`. If `value` was read from a number with at most
/// 15 digits, the result is that number.
decimal decimal_of(double value) {
  std::array<char, 32> text{};
  const auto written = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific);
  return parse_decimal(std::string_view(text.data(), static_cast<std::size_t>(written.ptr - text.data())));
}

}  // namespace

bool may_be_rounded(std::string_view json_number) {
  constexpr std::size_t exact_digits = 15;  // decimal digits that survive conversion to a double (DBL_DIG)
  return parse_decimal(json_number).digits.size() > exact_digits;
}

double double_nearest_to(std::string_view json_number) {
  const decimal number = parse_decimal(json_number);
  const double size = number.digits.empty() || number.exponent.is_negative ? 0 : std::numeric_limits<double>::max();
  return number.is_negative ? -size : size;
}

void rank_exactly(std::vector<double>& scores, const std::vector<exact_key>& exact, bool prefers_lowest) {
  const auto key_at = [&](std::size_t i) -> const exact_key* {
    const auto found = std::lower_bound(exact.begin(), exact.end(), i, [](const exact_key& one, std::size_t position) {
      return one.position < position;
    });
    return found != exact.end() && found->position == i ? &*found : nullptr;
  };
  const auto is_less_number = [&](std::size_t a, const exact_key* key_a, std::size_t b, const exact_key* key_b) {
    // Rounding preserves the order, so numbers are compared exactly only if their doubles are equal.
    if (scores[a] != scores[b]) return scores[a] < scores[b];
    if (std::isinf(scores[a])) return false;
    const auto number = [&](std::size_t i, const exact_key* key) {
      return key != nullptr ? parse_decimal(key->text) : decimal_of(scores[i]);
    };
    return is_less(number(a, key_a), number(b, key_b));
  };
  const auto precedes = [&](std::size_t a, std::size_t b) {
    const exact_key *key_a = key_at(a), *key_b = key_at(b);
    const key_kind kind_a = key_a == nullptr ? key_kind::number : key_a->kind;
    const key_kind kind_b = key_b == nullptr ? key_kind::number : key_b->kind;
    if (kind_a != kind_b) return kind_a < kind_b;
    if (kind_a == key_kind::nothing) return false;
    if (kind_a == key_kind::text) return prefers_lowest ? key_b->text < key_a->text : key_a->text < key_b->text;
    return prefers_lowest ? is_less_number(b, key_b, a, key_a) : is_less_number(a, key_a, b, key_b);
  };
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), precedes);
  std::vector<double> ranks(scores.size());
  for (std::size_t i = 1; i < order.size(); ++i) {
    ranks[order[i]] = ranks[order[i - 1]] + (precedes(order[i - 1], order[i]) ? 1 : 0);
  }
  scores = std::move(ranks);
}

}  // namespace command
