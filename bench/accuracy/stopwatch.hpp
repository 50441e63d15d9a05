#pragma once

#include <chrono>

namespace accuracy {

class stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

  /// Returns the seconds since the last restart, and restarts.
  double restart() {
    const double result = seconds();
    start_ = std::chrono::steady_clock::now();
    return result;
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace accuracy
