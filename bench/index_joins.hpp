// Joins of whole corpora: all pairs, and clusters.
#pragma once

#include "index_data.hpp"

namespace neardup_bench {

/// Registers index/pairs and index/cluster within k bits, on one thread and on two.
void add_joins(const data_set& data, int k);

}  // namespace neardup_bench
