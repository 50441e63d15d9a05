// Exceptions from work that several threads share.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <limits>
#include <mutex>

#include "../error.hpp"
#include "../runner.hpp"

namespace neardup::inline v0::detail {

/// Keeps the exception of the first part of some work, in their order, that has one.
class first_failure {
 public:
  /// Calls `work()`. Returns: whether it did not throw.
  template <class Work>
  bool guard(std::size_t position, const Work& work) noexcept {
#if NEARDUP_EXCEPTIONS
    try {
      work();
    } catch (...) {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (position < position_) {
        position_ = position;
        exception_ = std::current_exception();
      }
      return false;
    }
#else
    static_cast<void>(position);
    work();
#endif
    return true;
  }

  void rethrow() const {
#if NEARDUP_EXCEPTIONS
    if (exception_ != nullptr) std::rethrow_exception(exception_);
#endif
  }

 private:
#if NEARDUP_EXCEPTIONS
  std::mutex mutex_;
  std::exception_ptr exception_;
  std::size_t position_ = (std::numeric_limits<std::size_t>::max)();
#endif
};

/// Shares out the numbers below `count`, `step` at a time: calls `work(part, first, last)` from `parts` parts of `run`
/// until all are taken. If it returns false, no more are.
/// Returns: whether it never did. Throws: of what `work` throws the exception of the smallest numbers.
inline bool in_steps(const any_runner& run, std::size_t parts, std::size_t count, std::size_t step,
                     const std::function<bool(std::size_t part, std::size_t first, std::size_t last)>& work) {
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> goes_on = true;
  first_failure failure;
  run(parts, [&](std::size_t part) {
    while (goes_on.load(std::memory_order_relaxed)) {
      const std::size_t first = next.fetch_add(step, std::memory_order_relaxed);
      if (first >= count) return;
      bool wants_more = false;
      failure.guard(first, [&] { wants_more = work(part, first, (std::min)(first + step, count)); });
      if (!wants_more) goes_on.store(false, std::memory_order_relaxed);
    }
  });
  failure.rethrow();
  return goes_on.load(std::memory_order_relaxed);
}

}  // namespace neardup::inline v0::detail
