// Reading several sources at a time.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

#include "input.hpp"
#include "source.hpp"

namespace command {

/// A source of lines that a thread of its own reads, unpacks and cuts, some batches ahead.
class read_ahead {
 public:
  /// As line_cutter. Precondition: the source is a regular file, so that reading it does not wait for anybody.
  read_ahead(std::shared_ptr<source> from, bool keep);
  ~read_ahead();
  read_ahead(const read_ahead&) = delete;
  read_ahead& operator=(const read_ahead&) = delete;

  /// As line_cutter::next.
  bool next(batch& out, const std::atomic<bool>& stop);

 private:
  void read_all();
  bool wait_for_room();
  void hand_over(batch ready);

  line_cutter lines_;
  std::atomic<bool> stop_{false};

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<batch> batches_;  // under mutex_, as all below
  std::size_t bytes_ = 0;      // in them
  bool ended_ = false;
  std::exception_ptr failure_;

  std::thread reader_;  // last: it uses all of these
};

}  // namespace command
