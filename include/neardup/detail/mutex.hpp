// SPDX-License-Identifier: MIT
// The mutex of the library. It is std::mutex, or an empty class if programs have only one thread, as on WASI.
#pragma once

#include <mutex>

// NEARDUP_THREADS is 1 if the standard library has threads, otherwise 0.
#if defined(_LIBCPP_HAS_THREADS)
#define NEARDUP_THREADS _LIBCPP_HAS_THREADS
#elif defined(_LIBCPP_HAS_NO_THREADS) || (defined(__GLIBCXX__) && !defined(_GLIBCXX_HAS_GTHREADS))
#define NEARDUP_THREADS 0
#else
#define NEARDUP_THREADS 1
#endif

namespace neardup::inline v0::detail {

#if NEARDUP_THREADS
using mutex_type = std::mutex;
#else
class mutex_type {
 public:
  void lock() noexcept {}
  void unlock() noexcept {}
  bool try_lock() noexcept { return true; }
};
#endif

}  // namespace neardup::inline v0::detail
