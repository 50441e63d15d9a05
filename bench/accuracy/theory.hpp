// The expected distance of the fingerprints of two sets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace accuracy {

/// Returns the probability that a bit differs, acos(cosine) / pi. It holds for large sets that differ in many elements.
/// Source: Charikar, "Similarity Estimation Techniques from Rounding Algorithms", STOC 2002.
double chance_by_angle(std::size_t size_a, std::size_t size_b, std::size_t common);

/// The exact probability that a bit differs, if the vote of each element is a fair coin and a tie gives 0.
///
/// For many votes, this probability approaches that of chance_by_angle(). If only a few elements differ, the angle is
/// wrong. If one element is added, 1.25 times as many bits differ as the angle predicts. If one is replaced, 0.89 times
/// as many differ. In small sets, ties make bits equal.
class exact_chance {
 public:
  exact_chance();

  /// Returns the probability that a bit differs. Uses the angle if one set has more than `most_own` elements that the
  /// other set lacks. The two probabilities then differ by at most 0.002.
  double operator()(std::size_t size_a, std::size_t size_b, std::size_t common);

  static constexpr std::size_t most_own = 255;

 private:
  [[nodiscard]] double compute(std::size_t own_a, std::size_t own_b, std::size_t common) const;

  /// Returns the probability that n votes of 1 or -1 have a sum above `sum`.
  [[nodiscard]] double above(std::size_t n, std::ptrdiff_t sum) const;

  std::vector<std::vector<double>> above_;  // [n][sum + n]
  std::unordered_map<std::uint64_t, double> known_;
};

}  // namespace accuracy
