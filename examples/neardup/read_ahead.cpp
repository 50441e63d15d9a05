#include "read_ahead.hpp"

#include <algorithm>
#include <chrono>

namespace command {

namespace {

constexpr std::size_t block_ahead = std::size_t{1} << 19;
constexpr std::size_t most_blocks = 4;

}  // namespace

read_ahead::read_ahead(std::shared_ptr<source> from, bool keep)
    : from_(std::move(from)), keep_(keep), reader_([this] { read_all(); }) {}

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
    source_file file(*from_, keep_);
    for (;;) {
      std::string block(block_ahead, '\0');
      block.resize(file.read(block.data(), block.size(), stop_));
      if (block.empty() || !hand_over(std::move(block))) break;
    }
  } catch (...) {
    failure = std::current_exception();
  }
  const std::lock_guard lock(mutex_);
  failure_ = failure;
  ended_ = true;
  changed_.notify_all();
}

/// Waits for room. Returns: false if nobody wants it any more.
bool read_ahead::hand_over(std::string block) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return stop_ || blocks_.size() < most_blocks; });
  if (stop_) return false;
  blocks_.push_back(std::move(block));
  changed_.notify_all();
  return true;
}

std::size_t read_ahead::read(char* to, std::size_t size, const std::atomic<bool>& stop) {
  if (used_ == block_.size()) {
    constexpr auto patience = std::chrono::milliseconds(100);  // until the next look at `stop`
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, patience, [this] { return ended_ || !blocks_.empty(); })) {
      if (stop.load(std::memory_order_relaxed)) return 0;
    }
    if (blocks_.empty()) {
      if (failure_) std::rethrow_exception(failure_);
      return 0;
    }
    block_ = std::move(blocks_.front());
    blocks_.pop_front();
    used_ = 0;
    changed_.notify_all();
  }
  const std::size_t count = block_.copy(to, size, used_);
  used_ += count;
  return count;
}

}  // namespace command
