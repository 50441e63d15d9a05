#include "input.hpp"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <new>
#include <system_error>

#include "../ground/pipeline.hpp"

namespace command {

void byte_buffer::release::operator()(char* bytes) const noexcept { std::free(bytes); }

namespace {

// Large enough that locks and system calls do not count, small enough for the cache and for short inputs to be shared.
constexpr std::size_t block_size = std::size_t{1} << 19;
constexpr std::size_t files_a_batch = 32;

}  // namespace

void byte_buffer::reserve(std::size_t capacity) {
  if (capacity <= capacity_) return;
  // Not by new, which ends the program where the caller can say what it was that did not fit.
  void* const larger = std::realloc(bytes_.get(), capacity + padding);
  if (larger == nullptr) throw std::bad_alloc();
  static_cast<void>(bytes_.release());
  bytes_.reset(static_cast<char*>(larger));
  std::memset(bytes_.get() + capacity, 0, padding);
  capacity_ = capacity;
}

void byte_buffer::append(std::string_view bytes) {
  if (bytes.size() > capacity_ - size_) reserve(std::max(2 * capacity_, size_ + bytes.size()));
  if (!bytes.empty()) std::memcpy(bytes_.get() + size_, bytes.data(), bytes.size());
  size_ += bytes.size();
}

/// Reads on from rest_ until there is a whole line, and of a pipe until it pauses: small batches would each be decided on
/// their own. Returns: where the whole lines end; nothing if it was stopped.
std::optional<std::size_t> source_lines::read_whole_lines(byte_buffer& bytes, const std::atomic<bool>& stop) {
  bytes.reserve(std::max(block_size, 2 * rest_.size()));
  bytes.append(rest_);
  std::size_t end = 0;
  bool has_ended = false;
  const auto wants_more = [&] { return file_->is_live() && bytes.size() < block_size && !file_->is_quiet(); };
  while (!has_ended && (end == 0 || wants_more())) {
    const std::size_t old_size = bytes.size();
    if (old_size == bytes.capacity()) bytes.reserve(2 * bytes.capacity());
    bytes.resize(old_size + file_->read(bytes.data() + old_size, bytes.capacity() - old_size, stop));
    has_ended = bytes.size() == old_size;
    if (has_ended && stop.load(std::memory_order_relaxed)) return std::nullopt;
    const std::size_t last = bytes.view().substr(old_size).rfind('\n');
    if (last != std::string_view::npos) end = old_size + last + 1;
  }
  if (has_ended) end = bytes.size();
  was_full_ = file_->is_live() && bytes.size() >= block_size;
  if (has_ended) file_.reset();
  return end;
}

bool source_lines::read_next(batch& out, const std::atomic<bool>& stop) {
  out = batch{};
  try {
    if (!std::exchange(opened_, true)) file_.emplace(*from_);
    if (!file_) return false;
    out.from = from_;
    out.offset = offset_;
    const bool may_wait = file_->is_live();
    if (may_wait && was_full_ && file_->is_quiet()) {
      // More was expected when the last batch was handed on.
      was_full_ = false;
      out.live = true;
      return true;
    }
    const std::optional<std::size_t> whole = read_whole_lines(out.bytes, stop);
    if (!whole) return false;
    rest_.assign(out.bytes.view().substr(*whole));
    out.bytes.resize(*whole);
    offset_ += *whole;
    out.live = may_wait && !was_full_;
    return *whole > 0;  // none only at the end
  } catch (const read_error& error) {
    out = batch{};
    out.bad = unreadable(*from_, error);
  } catch (const std::bad_alloc&) {
    out = batch{};
    out.from = from_;
    out.bad = bad_input{from_->name(), "a line larger than the memory there is"};
  }
  file_.reset();
  return true;
}

source_lines::source_lines(std::shared_ptr<source> from, bool ahead) : from_(std::move(from)) {
  if (ahead) reader_ = std::thread([this] { read_all(); });
}

source_lines::~source_lines() {
  if (!reader_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  reader_.join();
}

void source_lines::read_all() {
  constexpr std::size_t bytes_ahead = std::size_t{1} << 21;
  std::exception_ptr failure = caught([this] {
    for (batch next; read_next(next, stop_);) {
      std::unique_lock lock(mutex_);
      bytes_ += next.bytes.size();
      batches_.push_back(std::move(next));
      changed_.notify_all();
      changed_.wait(lock, [this] { return stop_ || bytes_ < bytes_ahead; });
      if (stop_) return;
    }
  });
  const std::lock_guard lock(mutex_);
  failure_ = std::move(failure);
  ended_ = true;
  changed_.notify_all();
}

bool source_lines::next(batch& out, const std::atomic<bool>& stop) {
  if (!reader_.joinable()) return read_next(out, stop);
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

bool batch_reader::next(batch& out, const std::atomic<bool>& stop) {
  out = batch{};
  return settings_.unit == unit_of_input::files ? next_files(out) : next_lines(out, stop);
}

bool batch_reader::next_files(batch& out) {
  std::uintmax_t bytes = 0;
  while (out.files.size() < files_a_batch && bytes < block_size) {
    std::optional<source_walker::step> step = walker_.next();
    if (!step) break;
    if (auto* const bad = std::get_if<bad_input>(&*step)) {
      out.bad = std::move(*bad);
      return true;
    }
    out.files.push_back(std::get<std::shared_ptr<source>>(std::move(*step)));
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(out.files.back()->path, error);
    if (!error) bytes += size;  // else it is a pipe, or will turn out to be gone
  }
  return !out.files.empty();
}

/// Asks the walker for the sources that are next, and begins to read those that can be read at the same time.
void batch_reader::look_ahead() {
  constexpr std::size_t max_ahead = 16;  // each may hold some megabytes
  const std::size_t ahead = settings_.threads > 1 ? std::min<std::size_t>(settings_.threads, max_ahead) : 0;
  while (sources_.size() < 1 + ahead) {
    std::optional<source_walker::step> step = walker_.next();
    if (!step) return;
    if (auto* const bad = std::get_if<bad_input>(&*step)) {
      sources_.emplace_back(std::move(*bad));
      continue;
    }
    const auto& from = std::get<std::shared_ptr<source>>(*step);
    std::error_code error;
    const bool is_regular = from->path != "-" && std::filesystem::is_regular_file(from->path, error);
    sources_.emplace_back(std::make_unique<source_lines>(from, ahead > 0 && is_regular));
  }
}

bool batch_reader::next_lines(batch& out, const std::atomic<bool>& stop) {
  for (;; sources_.pop_front()) {
    look_ahead();
    if (sources_.empty()) return false;
    if (auto* const bad = std::get_if<bad_input>(&sources_.front())) {
      out.bad = std::move(*bad);
      sources_.pop_front();
      return true;
    }
    if (std::get<0>(sources_.front())->next(out, stop)) return true;
    if (stop.load(std::memory_order_relaxed)) return false;
  }
}

std::string_view content_of_line(std::string_view raw, bool first_of_source) {
  if (first_of_source && raw.starts_with(byte_order_mark)) raw.remove_prefix(byte_order_mark.size());
  if (raw.ends_with('\n')) {
    raw.remove_suffix(1);
    if (raw.ends_with('\r')) raw.remove_suffix(1);
  }
  return raw;
}

}  // namespace command
