// Forces indexes to probe tables where a scan would be faster, for tests with few fingerprints.
#pragma once

#include <cstddef>

#include <neardup/simd/filters.hpp>

namespace oracle {

/// During its lifetime, an index probes its tables unless there are more keys to look up than fingerprints.
class always_probe {
 public:
  always_probe() { neardup::detail::forced_scanned_a_probe().store(1); }
  always_probe(const always_probe&) = delete;
  always_probe& operator=(const always_probe&) = delete;
  ~always_probe() { neardup::detail::forced_scanned_a_probe().store(0); }
};

/// Active for the whole run of the test programs of indexes.
inline const always_probe probing;

}  // namespace oracle
