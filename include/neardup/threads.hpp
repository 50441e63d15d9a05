// Work on several threads of the standard library, for those who have no thread pool of their own.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <thread>
#include <utility>
#include <vector>

#include "error.hpp"

namespace neardup::inline v0 {

/// What a batch takes to spread its work: `threads`, or a runner of the caller's, as described there.
template <class T>
concept runner = requires(const T& run) {
  { run.parts() } -> std::convertible_to<std::size_t>;
};

/// Runs the parts of some work at the same time: what batches take, and what a caller's own thread pool can stand for.
///
/// A runner has two const members. `run.parts()` says how many parts there should be. `run(parts, work)`, of as many or
/// fewer, even none, calls `work(part)` once for each part from 0 to parts - 1, on any thread, and returns when all are
/// done; `work` does not throw. This one is no pool: it starts new threads for each call.
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
