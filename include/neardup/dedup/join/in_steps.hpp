// Numbers shared out to the parts of a runner, a few at a time.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>

#include "../../runner.hpp"

namespace neardup::inline v0::detail {

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
