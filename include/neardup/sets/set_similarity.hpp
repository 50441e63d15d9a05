// The measures by which two sets are similar.
#pragma once

#include <cstddef>

namespace neardup::inline v0 {

/// How similar two sets are, by their sizes and the number of elements that they have in common.
enum class set_similarity {
  /// The share of the common elements in all elements of both: see jaccard().
  jaccard,
  /// The common elements over the root of the product of the sizes: what cosine() is where all weights are equal.
  cosine,
  /// The share of the smaller set that stands in the larger one: 1 of a paragraph and the page that it is from.
  containment,
};

/// A text of fewer features in common with another is not contained in it, whatever its share: three common words are
/// no finding. docs/decisions/0034-exact-set-joins.md has what was measured.
inline constexpr std::size_t default_min_contained = 8;

}  // namespace neardup::inline v0
