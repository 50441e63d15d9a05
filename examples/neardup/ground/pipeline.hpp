// Runs work on several threads, and passes the results on in the order of the input.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <neardup/threads.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace command {

/// Calls `body()`.
/// Returns: the exception that `body` throws, if it throws one.
template <class Body>
std::exception_ptr caught(const Body& body) noexcept {
  try {
    body();
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

/// Runs `next`, workers and `commit` until the input ends, on `threads` threads, one of which is the calling thread.
///
/// - `bool next(Task&, const std::atomic<bool>& stop)` fetches a task. Only one thread at a time calls it, in order. It
/// returns false at the end of the input, and checks `stop` if it may wait for long.
/// - `make_worker()` returns a `Result worker(Task&&)` for each thread.
/// - `commit(Result&&)` takes the results in the order of their tasks. Only one thread at a time calls it.
///
/// The first exception, in the order of the input, ends all work, and is thrown. The results of all earlier tasks have
/// then been committed.
/// Memory: at most 4 tasks or results per thread.
/// Guarantee: `threads` does not change which results are committed, or their order.
template <class Task, class Next, class MakeWorker, class Commit>
void run_in_order(unsigned threads, Next&& next, MakeWorker&& make_worker, Commit&& commit) {
  using worker_type = decltype(make_worker());
  using result_type = decltype(std::declval<worker_type&>()(std::declval<Task&&>()));

  struct outcome {
    std::optional<result_type> result;
    std::exception_ptr error;
  };
  const std::uint64_t window = 4 * std::uint64_t{threads};

  std::mutex input_mutex;
  bool input_ended = false;   // guarded by input_mutex
  std::uint64_t fetched = 0;  // guarded by input_mutex

  std::mutex order_mutex;
  std::condition_variable room;
  std::map<std::uint64_t, outcome> waiting;  // guarded by order_mutex, like everything below
  std::uint64_t committed = 0;
  bool committing = false;
  std::exception_ptr failure;
  std::atomic<bool> stop{false};

  const auto deposit = [&](std::uint64_t number, outcome done) {
    std::unique_lock lock(order_mutex);
    waiting.emplace(number, std::move(done));
    if (committing) return;
    committing = true;
    for (auto first = waiting.begin(); !stop && first != waiting.end() && first->first == committed;
         first = waiting.begin()) {
      outcome ready = std::move(first->second);
      waiting.erase(first);
      lock.unlock();
      std::exception_ptr error = ready.error;
      if (!error) error = caught([&] { commit(std::move(*ready.result)); });
      ready = {};
      lock.lock();
      ++committed;
      failure = error;
      if (failure) stop = true;
      room.notify_all();
    }
    committing = false;
  };

  const auto loop = [&](worker_type& worker) {
    for (;;) {
      Task task;
      outcome done;
      std::uint64_t number = 0;
      {
        const std::lock_guard input(input_mutex);
        if (input_ended) return;
        {
          std::unique_lock lock(order_mutex);
          room.wait(lock, [&] { return stop || fetched - committed < window; });
        }
        if (stop) return;
        bool found = false;
        done.error = caught([&] { found = next(task, stop); });
        input_ended = !found;
        if (!found && !done.error) return;
        number = fetched++;
      }
      if (!done.error) done.error = caught([&] { done.result.emplace(worker(std::move(task))); });
      deposit(number, std::move(done));
    }
  };

  std::vector<std::optional<worker_type>> workers(threads);
  for (auto& worker : workers) worker.emplace(make_worker());
  neardup::threads{}(threads, [&](std::size_t i) { loop(*workers[i]); });
  if (failure) std::rethrow_exception(failure);
}

/// For each i below n, calls `append(i, text)` on any thread. `print` gets the texts in order, several joined.
void print_in_order(unsigned threads, std::size_t n,
                    const std::function<void(std::size_t i, std::string& text)>& append,
                    const std::function<void(std::string&& text)>& print);

/// Calls `body(i)` for each i below n, on up to `threads` threads.
/// Throws: the exception of the smallest i for which `body` throws.
template <class Body>
void run_parallel(unsigned threads, std::size_t n, const Body& body) {
  print_in_order(
      threads, n, [&](std::size_t i, std::string& /*text*/) { body(i); }, [](std::string&& /*text*/) {});
}

}  // namespace command
