#include "read_ahead.hpp"

#include <chrono>
#include <utility>

namespace command {

namespace {

constexpr std::size_t bytes_ahead = std::size_t{1} << 21;

}  // namespace

read_ahead::read_ahead(std::shared_ptr<source> from, bool keep)
    : lines_(std::move(from), keep), reader_([this] { read_all(); }) {}

read_ahead::~read_ahead() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  reader_.join();
}

void read_ahead::read_all() {
  std::exception_ptr failure;
  try {
    for (batch next; wait_for_room() && lines_.next(next, stop_);) hand_over(std::move(next));
  } catch (...) {
    failure = std::current_exception();
  }
  const std::lock_guard lock(mutex_);
  failure_ = failure;
  ended_ = true;
  changed_.notify_all();
}

/// Returns: false if nobody wants more.
bool read_ahead::wait_for_room() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return stop_ || bytes_ < bytes_ahead; });
  return !stop_;
}

void read_ahead::hand_over(batch ready) {
  const std::lock_guard lock(mutex_);
  bytes_ += ready.bytes.size();
  batches_.push_back(std::move(ready));
  changed_.notify_all();
}

bool read_ahead::next(batch& out, const std::atomic<bool>& stop) {
  constexpr auto patience = std::chrono::milliseconds(100);  // until the next look at `stop`
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, patience, [this] { return ended_ || !batches_.empty(); })) {
    if (stop.load(std::memory_order_relaxed)) return false;
  }
  if (batches_.empty()) {
    if (failure_) std::rethrow_exception(failure_);
    return false;
  }
  out = std::move(batches_.front());
  batches_.pop_front();
  bytes_ -= out.bytes.size();
  changed_.notify_all();
  return true;
}

}  // namespace command
