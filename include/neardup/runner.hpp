// SPDX-License-Identifier: MIT
// Runners spread work over threads. Functions for many texts or fingerprints take a runner as an argument.
#pragma once

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <exception>
#include <functional>
#include <limits>
#include <mutex>

#include "detail/mutex.hpp"
#include "error.hpp"
#include "version.hpp"

namespace neardup::inline v0 {

/// A runner: `threads`, or a type of your own that passes work to a thread pool. Work is divided into numbered parts.
///
/// A runner has two const members. `run.parts()` returns the preferred number of parts. `run(parts, work)` calls
/// `work(part)` once for each part in 0..parts - 1, on any thread, and returns when all calls have returned. The
/// argument `parts` is at most run.parts(), and may be 0. `work` does not throw. Runners are copied, so a runner for a
/// pool should have a pointer to the pool.
///
/// A third const member is optional and cancels long calls: `run.check()` is called between steps of the work, on any
/// thread. If check() throws, the long call ends with this exception.
template <class T>
concept runner = std::copy_constructible<T> &&
    requires(const T& run, std::size_t parts, const std::function<void(std::size_t)>& work) {
  { run.parts() } -> std::convertible_to<std::size_t>;
  run(parts, work);
};

namespace detail {

/// A type that has only one of the two members of a runner. any_runner rejects such a type; the message of the compiler
/// says what a runner needs.
template <class T>
concept incomplete_runner = !runner<T> && (requires(T & run) {
  run.parts();
} || (requires { &T::operator(); } && std::invocable<T&, std::size_t, const std::function<void(std::size_t)>&>));

}  // namespace detail

/// A type-erased runner. With a default-constructed object, all parts run on the calling thread.
///
/// Results never depend on the runner. The indirect call costs almost nothing, because there is only one per pass over
/// the data.
class any_runner {
 public:
  any_runner() = default;

  // The comparison with any_runner comes first. Otherwise the concept `runner` would ask whether any_runner is
  // copyable, and this depends on the constructor that is being constrained.
  template <class Run>
    requires(!std::same_as<Run, any_runner> && runner<Run>)
  any_runner(const Run& run)  // NOLINT(google-explicit-constructor): every runner converts.
      : parts_((std::max)(std::size_t{1}, static_cast<std::size_t>(run.parts()))), run_(run) {
    if constexpr (requires { run.check(); }) check_ = [run] { run.check(); };
  }

  template <class Run>
    requires(!std::same_as<Run, any_runner> && detail::incomplete_runner<Run>)
  any_runner(const Run& /*run*/) {  // NOLINT(google-explicit-constructor): explains the error.
    static_assert(runner<Run>,
                  "neardup: a runner has two const members: parts(), which gives how many parts there should be, and "
                  "operator()(parts, work), which calls work(part) for each part from 0 to parts - 1");
  }

  /// Returns the number of parts that keeps all threads busy. The number is at least 1.
  [[nodiscard]] std::size_t parts() const noexcept { return parts_; }

  /// Calls run.check() if the runner has this member.
  /// Throws: the exceptions of run.check().
  void check() const {
    if (check_) check_();
  }

  /// Calls `work(part)` for each part, and returns when all calls have returned.
  /// Precondition: `work` does not throw.
  template <class Work>
  void operator()(std::size_t parts, const Work& work) const {
    run(parts, {&work, call<Work>});
  }

 private:
  // A reference to work of any type. std::function would be instantiated for each type of work, and this would take
  // most of the time of compiling.
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
  std::function<void()> check_;
};

namespace detail {

/// Catches the exceptions of concurrent work, and keeps the exception with the lowest position.
class first_failure {
 public:
  /// Calls `work()`. If `work` throws, `position` is the position of the exception.
  /// Returns: false if `work` threw.
  template <class Work>
  bool guard(std::size_t position, const Work& work) noexcept {
#if NEARDUP_EXCEPTIONS
    try {
      work();
    } catch (...) {
      const std::lock_guard lock(mutex_);
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
  detail::mutex_type mutex_;
  std::exception_ptr exception_;
  std::size_t position_ = (std::numeric_limits<std::size_t>::max)();
#endif
};

/// Returns the number of parts for `count` steps of work. Each part gets at least `min` steps, because fewer steps take
/// less time than starting a thread.
[[nodiscard]] inline std::size_t parts_for(const any_runner& run, std::size_t count, std::size_t min) {
  return (std::max)(std::size_t{1}, (std::min)(run.parts(), count / min));
}

/// Distributes the numbers 0 to count - 1 over `parts` parts of the runner `run`, in steps of `step` consecutive
/// numbers. A part calls `work(part, first, last)` for the numbers [first, last) of a step, and then takes the next
/// step. A part ends when no step is left, or when a call of `work` returns false.
/// Returns: false if `work` returned false.
/// Throws: the exception of `work` or run.check(). If several calls throw, in_steps() throws the exception of
/// the call with the lowest numbers.
inline bool in_steps(const any_runner& run, std::size_t parts, std::size_t count, std::size_t step,
                     const std::function<bool(std::size_t part, std::size_t first, std::size_t last)>& work) {
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> goes_on = true;
  first_failure failure;
  run(parts, [&](std::size_t part) {
    while (goes_on.load(std::memory_order_relaxed)) {
      if (next.load(std::memory_order_relaxed) >= count) return;
      bool wants_more = false;
      // run.check() is called before a step is taken. A step that has been taken must run, because later steps may wait
      // for it.
      if (failure.guard(count, [&] { run.check(); })) {
        const std::size_t first = next.fetch_add(step, std::memory_order_relaxed);
        if (first >= count) return;
        failure.guard(first, [&] { wants_more = work(part, first, (std::min)(first + step, count)); });
      }
      if (!wants_more) goes_on.store(false, std::memory_order_relaxed);
    }
  });
  failure.rethrow();
  return goes_on.load(std::memory_order_relaxed);
}

}  // namespace detail

/// Options of pairs() and visit_pairs(). Of these options, only `copies_once` changes a result.
struct join_options {
  /// If true, there are fewer pairs of equal inputs (copies) within one corpus. Only the first of equal inputs is
  /// paired with other inputs, and each copy is paired only with the first input. A thousand copies of a text then give
  /// 999 pairs, not 499,500.
  bool copies_once = false;

  /// Spreads the work over threads: `threads{8}`, or a runner of your own.
  any_runner run = {};
};

}  // namespace neardup::inline v0
