// Searches through tables where a scan would be faster: what tests with few fingerprints want.
#pragma once

#include <cstddef>

#include <neardup/index/engine/filter_scan.hpp>

namespace oracle {

/// While it lives, an index probes its tables unless there are more keys to look up than fingerprints.
class always_probe {
 public:
  always_probe() { neardup::detail::forced_scanned_a_probe().store(1); }
  always_probe(const always_probe&) = delete;
  always_probe& operator=(const always_probe&) = delete;
  ~always_probe() { neardup::detail::forced_scanned_a_probe().store(0); }
};

/// The test programs of indexes, from beginning to end.
inline const always_probe probing;

}  // namespace oracle
