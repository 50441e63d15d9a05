// Measures processor time, so that a busy machine does not fail a test of complexity.
#pragma once

#include <ctime>

namespace oracle {

/// The processor time of this program since the construction of the stopwatch.
class stopwatch {
 public:
  double seconds() const { return static_cast<double>(std::clock() - start_) / CLOCKS_PER_SEC; }

 private:
  std::clock_t start_ = std::clock();
};

}  // namespace oracle
