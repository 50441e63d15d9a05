// SPDX-License-Identifier: MIT
// The runner `threads`: uses threads of the standard library, for programs without a thread pool.
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

/// A runner (see runner.hpp) that starts std::threads for each call, for programs without a thread pool of their own.
/// Where the standard library has no threads, the calling thread runs all parts.
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

  /// Runs each part on a thread of its own, and waits for all. The calling thread runs part 0. If the system has no
  /// more threads, the calling thread runs the remaining parts.
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
      // There are no more threads, or there is no memory for one. The calling thread runs the remaining parts.
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
