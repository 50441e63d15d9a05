// What the program takes where nothing is said: every such choice that measurements may change, in one place.
#pragma once

#include <cstddef>

#include "options.hpp"

namespace command {

/// Without --similarity, --min-similarity and --distance.
inline constexpr double default_similarity = 0.8;

inline constexpr feature_choice default_features{neardup::feature_kind::words, 2};

inline constexpr grouping_rule default_grouping = grouping_rule::representatives;

/// The share of the pairs that are similar enough which the distance is to find, see neardup::distance_for.
inline constexpr double wanted_recall = 0.97;

/// A document with fewer distinct features is short: without a check it is a near-duplicate of those only that have the
/// same features, because the fingerprints of a few features are near each other by chance.
inline constexpr std::size_t least_features = 8;

}  // namespace command
