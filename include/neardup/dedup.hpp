// SPDX-License-Identifier: MIT
// Includes all public headers of neardup/dedup/: from matches to decisions. The header of repeated parts,
// dedup/parts/repeated_parts.hpp, is not included.
#pragma once

#include "version.hpp"

#include "dedup/checks.hpp"
#include "dedup/cluster.hpp"
#include "dedup/decider.hpp"
#include "dedup/deduplicator.hpp"
#include "dedup/describer.hpp"
#include "dedup/description.hpp"
#include "dedup/feature_candidates.hpp"
#include "dedup/fingerprint_deduplicator.hpp"
#include "dedup/group.hpp"
#include "dedup/group_sets.hpp"
#include "dedup/group_texts.hpp"
#include "dedup/pair_groups.hpp"
#include "dedup/partitioned_groups.hpp"
#include "dedup/rule.hpp"
#include "dedup/stream_deduplicator.hpp"
#include "dedup/texts.hpp"
