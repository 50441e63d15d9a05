// SPDX-License-Identifier: MIT
// The runner `threads`. It starts threads of the standard library, for programs that have no thread pool.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "detail/mutex.hpp"
#include "error.hpp"
#include "runner.hpp"
#if NEARDUP_THREADS
#include <thread>
#endif

namespace neardup::inline v0 {

/// A runner (see runner.hpp) that starts std::threads for each call. It is for programs that have no thread pool. If
/// the standard library has no threads, the calling thread runs all parts.
struct threads {
  std::size_t count = 0;  ///< the number of threads, including the calling thread; 0 for as many as the machine has

  /// Returns the number of parts that keeps all threads busy.
  [[nodiscard]] std::size_t parts() const noexcept {
#if NEARDUP_THREADS
    return count != 0 ? count : (std::max)(std::size_t{1}, std::size_t{std::thread::hardware_concurrency()});
#else
    return 1;
#endif
  }

  /// Runs each part on its own thread, and waits for all threads. The calling thread runs part 0. If the system cannot
  /// start another thread, the calling thread runs the remaining parts.
  /// Precondition: `work` does not throw.
  template <class Work>
  void operator()(std::size_t parts, const Work& work) const {
    if (parts == 0) return;
#if NEARDUP_THREADS
    std::vector<std::thread> running;
    running.reserve(parts - 1);
    std::size_t next = 1;
    const auto start = [&] {
      for (; next < parts; ++next) running.emplace_back([&work, part = next] { work(part); });
    };
#if NEARDUP_EXCEPTIONS
    try {
      start();
    } catch (...) {
      // Either there are no more threads, or there is no memory for a thread. The calling thread runs the remaining
      // parts.
    }
#else
    start();
#endif
    work(0);
    for (; next < parts; ++next) work(next);
    for (std::thread& thread : running) thread.join();
#else
    for (std::size_t part = 0; part < parts; ++part) work(part);
#endif
  }
};

}  // namespace neardup::inline v0
