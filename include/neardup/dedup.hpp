// From matches to decisions: all of neardup/dedup/.
#pragma once

#include "version.hpp"

#include "dedup/advice/advice.hpp"
#include "dedup/all_pairs.hpp"
#include "dedup/checks.hpp"
#include "dedup/cluster.hpp"
#include "dedup/deduplicator.hpp"
#include "dedup/edit_distance.hpp"
#include "dedup/feature_sets.hpp"
#include "dedup/group.hpp"
#include "dedup/recall.hpp"
#include "dedup/similarity.hpp"
