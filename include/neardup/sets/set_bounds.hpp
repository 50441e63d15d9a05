// SPDX-License-Identifier: MIT
// Bounds on the overlap and the sizes of similar sets.
#pragma once

#include <cstddef>

#include "../threshold.hpp"
#include "engine/overlap_bounds.hpp"

namespace neardup::inline v0 {

/// The bounds that follow from a threshold of sets. Use this class if your program finds candidate pairs itself. The
/// bounds use the floating-point comparison of pairs(), so rounding never makes a bound too strict.
class set_bounds {
 public:
  /// Makes the bounds for a threshold.
  /// Throws: std::invalid_argument unless 0 < least.similarity <= 1.
  /// Example: `const set_bounds bounds(jaccard{0.8});`
  explicit set_bounds(const set_threshold& least) : bounds_(least) {}

  /// Returns the least overlap of a set of `size` features with a set that is similar enough. The result is also the
  /// least size of a similar set. If no set is similar enough, the result exceeds `size`.
  /// Precondition: size > 0.
  [[nodiscard]] std::size_t least_partner(std::size_t size) const noexcept { return bounds_.least_partner(size); }

  /// Returns the similarity of two sets that have `a` and `b` features, and an overlap of `common` features.
  /// Precondition: a > 0, b > 0, common <= a, common <= b.
  [[nodiscard]] double similarity(std::size_t a, std::size_t b, std::size_t common) const noexcept {
    return bounds_.similarity(a, b, common);
  }

 private:
  detail::overlap_bounds bounds_;
};

}  // namespace neardup::inline v0
