#include "labelled_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace command {

std::optional<double> labelled_share::value() const {
  if (all == 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(all);
}

double labelled_share::end(double side) const {
  if (all == 0) return side < 0 ? 0 : 1;
  constexpr double z = 1.959964;  // quantile of the normal distribution for 95 %
  const double n = static_cast<double>(all), p = static_cast<double>(part) / n;
  const double middle = p + z * z / (2 * n), half = z * std::sqrt(p * (1 - p) / n + z * z / (4 * n * n));
  return std::clamp((middle + side * half) / (1 + z * z / n), 0.0, 1.0);
}

double labelled_limit::f1() const {
  const double all = static_cast<double>(precision.all + recall.all);
  return all == 0 ? 0 : 2 * static_cast<double>(recall.part) / all;
}

std::vector<labelled_limit> limits_of(std::span<const labelled_pair> pairs) {
  constexpr int step = 5, all_hundredths = 100;
  if (pairs.empty()) return {};
  const auto lowest = std::min_element(pairs.begin(), pairs.end(), [](const labelled_pair& a, const labelled_pair& b) {
    return a.similarity < b.similarity;
  });
  constexpr int steps = all_hundredths / step;
  const int begin = std::max(step, static_cast<int>(lowest->similarity * steps) * step);
  const auto same = static_cast<std::uint64_t>(
      std::count_if(pairs.begin(), pairs.end(), [](const labelled_pair& pair) { return pair.is_same; }));
  std::vector<labelled_limit> limits;
  for (int hundredths = begin; hundredths <= all_hundredths; hundredths += step) {
    const double least = hundredths / 100.0;
    std::uint64_t found = 0, right = 0;
    for (const labelled_pair& pair : pairs) {
      if (pair.similarity < least) continue;
      ++found;
      right += pair.is_same ? 1 : 0;
    }
    if (!limits.empty() && limits.back().precision.all == found) {
      limits.back().to = hundredths;
    } else {
      limits.push_back({hundredths, hundredths, {right, found}, {right, same}});
    }
  }
  return limits;
}

std::size_t best_limit(std::span<const labelled_limit> limits) {
  const auto rank = [](const labelled_limit& limit) { return std::tuple(limit.f1(), limit.to - limit.from); };
  const auto best =
      std::max_element(limits.begin(), limits.end(),
                       [&](const labelled_limit& a, const labelled_limit& b) { return rank(a) < rank(b); });
  return static_cast<std::size_t>(best - limits.begin());
}

}  // namespace command
