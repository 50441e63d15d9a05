// From matches to decisions: all of neardup/dedup/.
#pragma once

#include "dedup/all_pairs.hpp"
#include "dedup/cluster.hpp"
#include "dedup/similarity.hpp"
