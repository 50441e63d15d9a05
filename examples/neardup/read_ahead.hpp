// Reading several sources at a time.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "source.hpp"

namespace command {

/// A source that a thread of its own reads and unpacks, some blocks ahead.
class read_ahead {
 public:
  /// As source_file. Precondition: the source is a regular file, so that reading it does not wait for anybody.
  read_ahead(std::shared_ptr<source> from, bool keep);
  ~read_ahead();
  read_ahead(const read_ahead&) = delete;
  read_ahead& operator=(const read_ahead&) = delete;

  /// As source_file::read. Throws: what opening and reading the source threw, after what was read before.
  std::size_t read(char* to, std::size_t size, const std::atomic<bool>& stop);

 private:
  void read_all();
  bool hand_over(std::string block);

  std::shared_ptr<source> from_;
  bool keep_;
  std::atomic<bool> stop_{false};
  std::string block_;  // that read() is in
  std::size_t used_ = 0;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> blocks_;  // under mutex_, as all below
  bool ended_ = false;
  std::exception_ptr failure_;

  std::thread reader_;  // last: it uses all of these
};

}  // namespace command
