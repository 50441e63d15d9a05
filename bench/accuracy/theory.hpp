// How far apart the fingerprints of two sets should be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace accuracy {

/// acos(cosine) / pi: the chance that a bit differs, for sets of many elements of which many differ.
/// Source: Charikar, "Similarity Estimation Techniques from Rounding Algorithms", STOC 2002.
double chance_by_angle(std::size_t size_a, std::size_t size_b, std::size_t common);

/// The chance that a bit differs, exactly: with each element a fair vote, and a tie a 0.
///
/// The angle is the limit for many votes. Where few elements differ it is off: one element more makes 1.25 times as
/// many bits differ as the angle says, one element replaced 0.89 times. Where sets are small, ties make bits equal.
class exact_chance {
 public:
  exact_chance();

  /// By the angle when one set has more than `most_own` elements of its own: there the two are within 0.002.
  double operator()(std::size_t size_a, std::size_t size_b, std::size_t common);

  static constexpr std::size_t most_own = 255;

 private:
  [[nodiscard]] double compute(std::size_t own_a, std::size_t own_b, std::size_t common) const;

  /// The chance that the votes of n elements, 1 or -1 each, sum to more than `sum`.
  [[nodiscard]] double above(std::size_t n, std::ptrdiff_t sum) const;

  std::vector<std::vector<double>> above_;  // [n][sum + n]
  std::unordered_map<std::uint64_t, double> known_;
};

}  // namespace accuracy
