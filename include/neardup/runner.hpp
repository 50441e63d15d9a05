// How work is spread over threads: what the functions over many texts or fingerprints take as their last argument.
#pragma once

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <exception>
#include <functional>
#include <limits>
#include <mutex>

#include "error.hpp"

#include "version.hpp"

namespace neardup::inline v0 {

/// What spreads work: `threads`, or a type of the caller's that hands the parts to a thread pool.
///
/// A runner has two const members. `run.parts()` says how many parts there should be. `run(parts, work)`, called with
/// as many or fewer, even none, calls `work(part)` once for each part from 0 to parts - 1, on any thread, and returns
/// when all are done; `work` does not throw. A runner is copied: one that stands for a pool holds a pointer to it.
template <class T>
concept runner = std::copy_constructible<T> &&
    requires(const T& run, std::size_t parts, const std::function<void(std::size_t)>& work) {
  { run.parts() } -> std::convertible_to<std::size_t>;
  run(parts, work);
};

namespace detail {

/// Has one of the two members, so that it is meant to be a runner, but is none.
template <class T>
concept incomplete_runner = !runner<T> && (requires(T & run) {
  run.parts();
} || (requires { &T::operator(); } && std::invocable<T&, std::size_t, const std::function<void(std::size_t)>&>));

}  // namespace detail

/// Any runner, as one type; without one, all parts run on the caller's thread, which is the default everywhere.
///
/// Results never depend on the runner. What a call through it costs does not matter: there is one for each pass over
/// the data.
class any_runner {
 public:
  any_runner() = default;

  // The order of the conditions matters: whether any_runner can be copied must not be asked while that is being decided.
  template <class Run>
    requires(!std::same_as<Run, any_runner> && runner<Run>)
  any_runner(const Run& run)  // NOLINT(google-explicit-constructor): stands for the runner that it is given.
      : parts_((std::max)(std::size_t{1}, static_cast<std::size_t>(run.parts()))), run_(run) {}

  template <class Run>
    requires(!std::same_as<Run, any_runner> && detail::incomplete_runner<Run>)
  any_runner(const Run& /*run*/) {  // NOLINT(google-explicit-constructor): says what the type lacks.
    static_assert(runner<Run>,
                  "neardup: a runner has two const members: parts(), which gives how many parts there should be, and "
                  "operator()(parts, work), which calls work(part) for each part from 0 to parts - 1");
  }

  /// The number of parts that keep all threads busy, at least 1.
  [[nodiscard]] std::size_t parts() const noexcept { return parts_; }

  /// Calls `work(part)` for each part, and returns when all are done. Precondition: `work` does not throw.
  template <class Work>
  void operator()(std::size_t parts, const Work& work) const {
    run(parts, {&work, call<Work>});
  }

 private:
  // One type for all that is run: a std::function of each would be most of what a pass costs to compile.
  struct work_reference {
    const void* work;
    void (*call)(const void* work, std::size_t part);

    void operator()(std::size_t part) const { call(work, part); }
  };

  template <class Work>
  static void call(const void* work, std::size_t part) {
    (*static_cast<const Work*>(work))(part);
  }

  void run(std::size_t parts, work_reference work) const {
    if (!run_) {
      for (std::size_t part = 0; part < parts; ++part) work(part);
    } else {
      run_(parts, work);
    }
  }

  std::size_t parts_ = 1;
  std::function<void(std::size_t, const std::function<void(std::size_t)>&)> run_;
};

namespace detail {

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

/// How many parts a runner should be given for `count` steps of which fewer than `min` are not worth a thread.
[[nodiscard]] inline std::size_t parts_for(const any_runner& run, std::size_t count, std::size_t min) {
  return (std::max)(std::size_t{1}, (std::min)(run.parts(), count / min));
}

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

}  // namespace detail

}  // namespace neardup::inline v0
