#include "input.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <new>
#include <system_error>
#include <variant>

#include "read_ahead.hpp"

namespace command {

void byte_buffer::release::operator()(char* bytes) const noexcept { std::free(bytes); }

namespace {

// Large enough that locks and system calls do not count, small enough for the cache and for short inputs to be shared.
constexpr std::size_t block_size = std::size_t{1} << 19;
constexpr std::size_t files_a_batch = 32;

/// Makes room for as much again. Returns: false if there is no memory for it.
bool grow(byte_buffer& bytes) {
  try {
    bytes.reserve(2 * bytes.capacity());
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

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

bool line_cutter::open(batch& out) {
  opened_ = true;
  try {
    file_.emplace(*from_, keep_);
    return true;
  } catch (const std::system_error& error) {
    out.bad = unreadable(*from_, error);
    return false;
  }
}

/// Reads on from rest_ until there is a whole line, and of a pipe until it pauses: small batches would each be decided on
/// their own. Returns: where the whole lines end; nothing if it was stopped, or something is bad, which `out` says then.
std::optional<std::size_t> line_cutter::read_whole_lines(batch& out, const std::atomic<bool>& stop) {
  byte_buffer& bytes = out.bytes;
  bytes.reserve(std::max(block_size, 2 * rest_.size()));
  bytes.append(rest_);
  std::size_t end = 0;
  bool has_ended = false;
  const auto wants_more = [&] { return file_->is_live() && bytes.size() < block_size && !file_->is_quiet(); };
  while (!has_ended && (end == 0 || wants_more())) {
    const std::size_t old_size = bytes.size();
    if (old_size == bytes.capacity() && !grow(bytes)) {
      bytes = {};
      out.from = from_;
      out.bad = bad_input{from_->name(), "a line larger than the memory there is"};
    } else {
      try {
        bytes.resize(old_size + file_->read(bytes.data() + old_size, bytes.capacity() - old_size, stop));
      } catch (const std::system_error& error) {
        out.bad = unreadable(*from_, error);
      }
    }
    if (out.bad) {
      file_.reset();
      return std::nullopt;
    }
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

bool line_cutter::next(batch& out, const std::atomic<bool>& stop) {
  out = batch{};
  if (!opened_ && !open(out)) return true;
  if (!file_) return false;
  const bool may_wait = file_->is_live();
  out.offset = offset_;
  if (may_wait && was_full_ && file_->is_quiet()) {
    // More was expected when the last batch was handed on.
    was_full_ = false;
    out.from = from_;
    out.live = true;
    return true;
  }
  const std::optional<std::size_t> whole = read_whole_lines(out, stop);
  if (!whole) return out.bad.has_value();
  rest_.assign(out.bytes.view().substr(*whole));
  out.bytes.resize(*whole);
  offset_ += *whole;
  out.from = from_;
  out.live = may_wait && !was_full_;
  return *whole > 0;  // none only at the end
}

batch_reader::batch_reader(const options& settings, source_walker& walker, bool keep)
    : settings_(settings), walker_(walker), keep_(keep) {}

batch_reader::~batch_reader() = default;

bool batch_reader::next(batch& out, const std::atomic<bool>& stop) {
  out = batch{};
  return settings_.unit == unit_of_input::files ? next_files(out) : next_lines(out, stop);
}

bool batch_reader::next_files(batch& out) {
  if (pending_bad_) {
    out.bad = std::exchange(pending_bad_, std::nullopt);
    return true;
  }
  std::uintmax_t bytes = 0;
  while (out.files.size() < files_a_batch && bytes < block_size) {
    std::optional<source_walker::step> step = walker_.next();
    if (!step) break;
    if (auto* const bad = std::get_if<bad_input>(&*step)) {
      if (out.files.empty()) {
        out.bad = std::move(*bad);
      } else {
        pending_bad_ = std::move(*bad);
      }
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
  constexpr std::size_t most_sources = 16;  // each may hold some megabytes
  const std::size_t wanted = std::clamp<std::size_t>(settings_.threads, 1, most_sources);
  while (ahead_.size() < wanted) {
    std::optional<source_walker::step> step = walker_.next();
    if (!step) return;
    coming next{*std::move(step), nullptr};
    if (const auto* const from = std::get_if<std::shared_ptr<source>>(&next.step)) {
      std::error_code error;
      if (wanted > 1 && std::filesystem::is_regular_file((*from)->path, error) && (*from)->path != "-") {
        next.reading = std::make_unique<read_ahead>(*from, keep_);
      }
    }
    ahead_.push_back(std::move(next));
  }
}

/// Opens the next source of lines. Returns: false at the end; when it could not be opened, `out` says so.
bool batch_reader::open_next(batch& out) {
  look_ahead();
  if (ahead_.empty()) return false;
  coming next = std::move(ahead_.front());
  ahead_.pop_front();
  look_ahead();
  if (auto* const bad = std::get_if<bad_input>(&next.step)) {
    out.bad = std::move(*bad);
    return true;
  }
  reading_ = std::move(next.reading);
  if (!reading_) lines_.emplace(std::get<std::shared_ptr<source>>(std::move(next.step)), keep_);
  return true;
}

bool batch_reader::next_lines(batch& out, const std::atomic<bool>& stop) {
  for (;;) {
    if (reading_ ? reading_->next(out, stop) : lines_ && lines_->next(out, stop)) return true;
    if (stop.load(std::memory_order_relaxed)) return false;
    lines_.reset();
    reading_.reset();
    if (!open_next(out)) return false;
    if (out.bad) return true;
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
