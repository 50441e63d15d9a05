// SPDX-License-Identifier: MIT
// The measures of the similarity of two sets.
#pragma once

#include <cstddef>

namespace neardup::inline v0 {

/// How the similarity of two sets is computed from their sizes and their overlap.
enum class set_similarity {
  /// The overlap divided by the number of distinct elements of both: see jaccard().
  jaccard,
  /// The overlap divided by the square root of the product of the sizes: cosine() with equal weights.
  cosine,
  /// The overlap divided by the size of the smaller set: 1 for a paragraph and the page that it is from.
  containment,
};

/// The least overlap for containment by default: a text that shares fewer features with another text does not count as
/// contained, because three common words, for instance, mean nothing. docs/decisions/0034-exact-set-joins.md has the
/// measurements.
inline constexpr std::size_t default_min_contained = 8;

}  // namespace neardup::inline v0
