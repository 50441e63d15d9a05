// SPDX-License-Identifier: MIT
// Includes all public headers of neardup/sets/, which find similar feature sets, by an index or as pairs.
#pragma once

#include "version.hpp"

#include "sets/feature_counts.hpp"
#include "sets/feature_sets.hpp"
#include "sets/pairs.hpp"
#include "sets/partitioned_pairs.hpp"
#include "sets/set_index.hpp"
#include "sets/shuffle.hpp"
#include "sets/similarity.hpp"
