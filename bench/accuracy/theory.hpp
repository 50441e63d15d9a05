// The expected distance of the fingerprints of two sets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace accuracy {

/// The probability that a bit differs, for sets of many elements of which many differ: acos(cosine) / pi.
/// Source: Charikar, "Similarity Estimation Techniques from Rounding Algorithms", STOC 2002.
double chance_by_angle(std::size_t size_a, std::size_t size_b, std::size_t common);

/// The exact probability that a bit differs, if the vote of each element is a fair coin and a tie gives 0.
///
/// The angle is its limit for many votes. If only a few elements differ, the angle is off: with one element added, 1.25
/// times as many bits differ as the angle says; with one replaced, 0.89 times as many. In small sets, ties make bits
/// equal.
class exact_chance {
 public:
  exact_chance();

  /// Uses the angle if one of the sets has more than `most_own` elements that the other lacks: there, the two are
  /// within 0.002 of each other.
  double operator()(std::size_t size_a, std::size_t size_b, std::size_t common);

  static constexpr std::size_t most_own = 255;

 private:
  [[nodiscard]] double compute(std::size_t own_a, std::size_t own_b, std::size_t common) const;

  /// The probability that the votes of n elements, 1 or -1 each, sum to more than `sum`.
  [[nodiscard]] double above(std::size_t n, std::ptrdiff_t sum) const;

  std::vector<std::vector<double>> above_;  // [n][sum + n]
  std::unordered_map<std::uint64_t, double> known_;
};

}  // namespace accuracy
