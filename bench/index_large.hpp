// An index with so many fingerprints that memory cannot hold both: 2^30 fingerprints in 24 GiB.
#pragma once

#include <cstddef>

namespace neardup_bench {

/// Registers index/large: a frozen_index of `count` made-up fingerprints with 32-bit ids, in 2 blocks for k = 3, built
/// on `threads` threads. Checks that 1,000 planted near-duplicates are found, and compares 32 queries with a scan; then
/// times batches.
void add_large(std::size_t count, std::size_t threads);

}  // namespace neardup_bench
