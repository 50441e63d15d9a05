// Exceptions from work that several threads share.
#pragma once

#include <cstddef>
#include <exception>
#include <limits>
#include <mutex>

#include "../error.hpp"

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

}  // namespace neardup::inline v0::detail
