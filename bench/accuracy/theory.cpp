#include "theory.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace accuracy {

namespace {

/// Returns the probability that n votes of 1 or -1 have this sum.
double chance_of_sum(std::size_t n, std::ptrdiff_t sum) {
  const auto votes = static_cast<std::ptrdiff_t>(n);
  if (sum < -votes || sum > votes || (sum + votes) % 2 != 0) return 0;
  const auto all = static_cast<double>(n);
  const double ups = static_cast<double>(sum + votes) / 2;
  return std::exp(std::lgamma(all + 1) - std::lgamma(ups + 1) - std::lgamma(all - ups + 1) - all * std::numbers::ln2);
}

}  // namespace

double chance_by_angle(std::size_t size_a, std::size_t size_b, std::size_t common) {
  if (common == size_a && common == size_b) return 0;
  const double sizes = static_cast<double>(size_a) * static_cast<double>(size_b);
  return std::acos(static_cast<double>(common) / std::sqrt(sizes)) / std::numbers::pi;
}

exact_chance::exact_chance() : above_(most_own + 1) {
  for (std::size_t n = 0; n <= most_own; ++n) {
    std::vector<double>& row = above_[n];
    row.resize(2 * n + 1);  // row[2 * n], for sums above n, stays 0
    for (std::size_t i = 2 * n; i > 0; --i) {
      row[i - 1] = row[i] + chance_of_sum(n, static_cast<std::ptrdiff_t>(i) - static_cast<std::ptrdiff_t>(n));
    }
  }
}

double exact_chance::operator()(std::size_t size_a, std::size_t size_b, std::size_t common) {
  const std::size_t own_a = (std::min)(size_a, size_b) - common;
  const std::size_t own_b = (std::max)(size_a, size_b) - common;
  if (own_b > most_own) return chance_by_angle(size_a, size_b, common);
  const std::uint64_t key = (std::uint64_t{common} << 16) | (std::uint64_t{own_a} << 8) | own_b;
  const auto [entry, is_new] = known_.try_emplace(key);
  if (is_new) entry->second = compute(own_a, own_b, common);
  return entry->second;
}

double exact_chance::compute(std::size_t own_a, std::size_t own_b, std::size_t common) const {
  // If the sum of the common votes is larger than all others, the two bits are equal.
  const auto most = static_cast<std::ptrdiff_t>((std::max)(own_a, own_b));
  double result = 0;
  for (std::ptrdiff_t sum = -most; sum <= most; ++sum) {
    const double one_a = above(own_a, -sum);
    const double one_b = above(own_b, -sum);
    result += chance_of_sum(common, sum) * (one_a * (1 - one_b) + one_b * (1 - one_a));
  }
  return result;
}

double exact_chance::above(std::size_t n, std::ptrdiff_t sum) const {
  const auto votes = static_cast<std::ptrdiff_t>(n);
  if (sum >= votes) return 0;
  if (sum < -votes) return 1;
  return above_[n][static_cast<std::size_t>(sum + votes)];
}

}  // namespace accuracy
