// From matches to decisions: all of neardup/dedup/, but for the advice (dedup/advice/advice.hpp).
#pragma once

#include "version.hpp"

#include "dedup/all_pairs.hpp"
#include "dedup/checks.hpp"
#include "dedup/cluster.hpp"
#include "dedup/decider.hpp"
#include "dedup/deduplicator.hpp"
#include "dedup/describer.hpp"
#include "dedup/edit_distance.hpp"
#include "dedup/feature_sets.hpp"
#include "dedup/group.hpp"
#include "dedup/join_options.hpp"
#include "dedup/recall.hpp"
#include "dedup/similar_groups.hpp"
#include "dedup/similar_pairs.hpp"
#include "dedup/similarity.hpp"
#include "dedup/stream_deduplicator.hpp"
#include "dedup/string_ids.hpp"
