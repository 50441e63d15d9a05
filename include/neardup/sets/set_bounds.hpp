// SPDX-License-Identifier: MIT
// Bounds on the similarity of sets that follow from their sizes alone.
#pragma once

#include <cstddef>

#include "../threshold.hpp"
#include "engine/overlap_bounds.hpp"

namespace neardup::inline v0 {

/// The bounds that follow from a least similarity, for programs that find candidates among sets themselves. They use
/// the same comparison as pairs(), so rounding never makes them too strict.
class set_bounds {
 public:
  /// `min_common`: the least overlap of two sets, however similar they are. 0 stands for default_min_contained for
  /// containment, and for 1 otherwise.
  /// Throws: std::invalid_argument unless least_similarity > 0.
  set_bounds(set_similarity measure, double least_similarity, std::size_t min_common = 0)
      : bounds_(measure, least_similarity, min_common) {}

  /// The least overlap of a set of `size` features with a set that is similar enough. It is also the least size of a
  /// set that is similar enough. More than `size` if no set is similar enough.
  /// Precondition: size > 0.
  [[nodiscard]] std::size_t least_partner(std::size_t size) const noexcept { return bounds_.least_partner(size); }

  /// The similarity of sets of `a` and `b` features with `common` features in common.
  /// Precondition: a > 0, b > 0, common <= a, common <= b.
  [[nodiscard]] double similarity(std::size_t a, std::size_t b, std::size_t common) const noexcept {
    return bounds_.similarity(a, b, common);
  }

 private:
  detail::overlap_bounds bounds_;
};

}  // namespace neardup::inline v0
