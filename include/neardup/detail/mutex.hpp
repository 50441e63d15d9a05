// SPDX-License-Identifier: MIT
// The mutex of the library: std::mutex, or an empty one where a program has a single thread, such as on WASI.
#pragma once

#include <mutex>

// NEARDUP_THREADS: 1 if the standard library has threads.
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
