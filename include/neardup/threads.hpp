// Work on several threads of the standard library, for those who have no thread pool of their own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <thread>
#include <utility>
#include <vector>

#include "error.hpp"
#include "runner.hpp"

namespace neardup::inline v0 {

/// A runner (see runner.hpp) that starts threads of the standard library for each call, for programs that have no
/// thread pool of their own.
struct threads {
  std::size_t count = 0;  ///< how many threads, the caller's among them; 0 for as many as the machine has

  /// The number of parts that keep all threads busy.
  [[nodiscard]] std::size_t parts() const noexcept {
    return count != 0 ? count : (std::max)(std::size_t{1}, std::size_t{std::thread::hardware_concurrency()});
  }

  /// Starts a thread for each part but the first, which the caller's does, and waits for all. Where the system gives
  /// fewer threads, they do more parts. Precondition: `work` does not throw.
  template <class Work>
  void operator()(std::size_t parts, const Work& work) const {
    if (parts == 0) return;
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
      // No more threads, or no memory for them: the rest is done here.
    }
#else
    start();
#endif
    work(0);
    for (; next < parts; ++next) work(next);
    for (std::thread& thread : running) thread.join();
  }
};

}  // namespace neardup::inline v0
