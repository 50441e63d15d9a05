#include "input.hpp"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <new>
#include <system_error>

#include "../ground/encoding.hpp"
#include "../ground/pipeline.hpp"
#include "table.hpp"

namespace command {

void byte_buffer::release::operator()(char* bytes) const noexcept { std::free(bytes); }

namespace {

// Sizes of a batch. Larger batches would not fit the cache, and short inputs would not be divided among threads. In
// smaller batches, locks and system calls would take more time.
constexpr std::size_t block_size = std::size_t{1} << 19;
constexpr std::size_t files_a_batch = 32;

/// The result of read_object().
struct object_in_text {
  std::size_t end = std::string_view::npos;  // npos if the text ends first
  bool is_whole = false;
};

/// Finds the end of the object that begins at `begin`. A damaged object ends with a line. Either a quote is missing in
/// that line, or the next line begins another object.
object_in_text read_object(std::string_view text, std::size_t begin) {
  bool in_quotes = false, is_escaped = false;
  std::size_t depth = 0, line_end = text.npos;
  char last = '\0';  // the last non-blank character
  for (std::size_t i = begin; i < text.size(); ++i) {
    const char c = text[i];
    if (in_quotes) {
      if (c == '\n') return {i, false};
      in_quotes = is_escaped || c != '"';
      is_escaped = !is_escaped && c == '\\';
      continue;
    }
    if (c == '\n') line_end = i;
    if (white_space.find(c) != text.npos) continue;
    // Inside an object, a brace comes after a colon, or is inside an array. Any other brace begins another object.
    const bool is_expected = depth == 0 || last == ':' || last == '[' || last == ',';
    if (c == '{' && !is_expected && line_end != text.npos) return {line_end, false};
    line_end = text.npos;
    in_quotes = c == '"';
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && --depth == 0) return {i + 1, true};
    last = c;
  }
  return {};
}

/// Decides whether a text that begins with a bracket is an array, or JSON Lines with a bad first line. If the first
/// element of an array is damaged, the next whole object that begins a line decides. In JSON Lines, it is one line, and
/// the next object begins the next line. In an array, it is several lines, or a comma or a bracket follows it.
/// `lacks_beginning`: true if the bytes before the text are lost. `is_end`: true if the source ends with the text.
/// Returns: nullopt if more bytes are needed.
std::optional<bool> is_array(std::string_view text, bool lacks_beginning, bool is_end) {
  std::size_t at = 0;
  if (!lacks_beginning) {
    const std::size_t first = text.find_first_not_of(white_space, 1);
    if (first != text.npos && text[first] == '{') {
      const object_in_text object = read_object(text, first);
      if (object.is_whole) return true;
      at = object.end;
    }
  }
  while (at != text.npos && (at = text.find('\n', at)) != text.npos) {
    at = text.find_first_not_of(" \t\r\n,", at);
    if (at == text.npos || text[at] != '{') continue;
    const object_in_text object = read_object(text, at);
    const std::string_view bytes = text.substr(at, object.end - at);
    at = object.end;
    if (!object.is_whole) continue;
    const std::size_t next = text.find_first_not_of(white_space, at);
    if (next == text.npos && !is_end) break;
    if (bytes.find('\n') != bytes.npos || (next != text.npos && (text[next] == ',' || text[next] == ']'))) return true;
    if (next == text.npos || (text[next] == '{' && text.substr(at, next - at).find('\n') != text.npos)) return false;
  }
  return std::nullopt;
}

/// Returns the kind of documents in a source, as its first bytes show it. Reads no more of a pipe than needed.
/// `is_json`: true if the documents are known to be JSON. `lacks_beginning`: true if the first bytes are lost.
unit_of_input unit_by_beginning(source_file& file, bool is_json, bool lacks_beginning, const std::atomic<bool>& stop) {
  constexpr std::string_view warc = "WARC/1.";
  constexpr std::size_t most = 4096, most_of_array = std::size_t{1} << 20;
  std::string text;  // the first bytes, without a byte order mark and blanks before the text
  bool may_be_array = false;
  // The objects of an array may be long, so the examined part is doubled each time, except in a pipe.
  const auto is_long = [&] { return may_be_array && !file.is_live(); };
  for (std::size_t size = 1; size < (is_long() ? most_of_array : most); size += is_long() ? size : 1) {
    const std::string_view beginning = file.peek(size, stop);
    const bool is_end = beginning.size() < size;
    if (is_end && !may_be_array) break;
    text = beginning;
    if (byte_order_mark.starts_with(text)) continue;
    if (text.starts_with(byte_order_mark)) text.erase(0, byte_order_mark.size());
    text.erase(0, text.find_first_not_of(white_space));
    if (text.empty()) continue;
    if (!may_be_array && !(is_json && lacks_beginning)) {
      if (text.front() != '[' && text.front() != '{') {
        if (text == warc) return unit_of_input::warc;
        if (!warc.starts_with(text)) break;
        continue;
      }
      const std::size_t second = text.find_first_not_of(white_space, 1);
      if (second == text.npos) continue;
      if (text.front() == '{') return text[second] == '"' ? unit_of_input::json_lines : unit_of_input::files;
      if (text[second] == ']') return unit_of_input::json_array;
      if (text[second] != '{' && !is_json) return unit_of_input::files;
    }
    if (const auto found = is_array(text, lacks_beginning, is_end)) {
      return *found ? unit_of_input::json_array : unit_of_input::json_lines;
    }
    may_be_array = true;
    if (is_end) break;
  }
  return may_be_array && !lacks_beginning ? unit_of_input::json_array : unit_of_input::files;
}

/// Returns true if a source of mail is a mail box: it is empty, or begins with "From ", perhaps after a byte order mark
/// and blank lines. Reads no more of a pipe than needed.
bool is_mail_box(source_file& file, const std::atomic<bool>& stop) {
  constexpr std::string_view begin = "From ";
  constexpr std::size_t most = 256;
  for (std::size_t size = 1; size < most; ++size) {
    std::string_view text = file.peek(size, stop);
    if (text.size() < size) return text.empty();
    if (byte_order_mark.starts_with(text)) continue;
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    if (!begin.starts_with(text)) return false;
    if (text == begin) return true;
  }
  return false;
}

}  // namespace

void byte_buffer::reserve(std::size_t capacity) {
  if (capacity <= capacity_) return;
  // If memory is short, new ends the program. realloc() returns, so the caller can report which input did not fit.
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

/// Copies rest_ to `bytes`, and reads until `bytes` contain a whole line or record. Reads a pipe until the pipe pauses,
/// because otherwise batches would be small. Appends the ends of records to `ends`.
/// Returns: the end of the whole lines, or nullopt if `stop` was set.
std::optional<std::size_t> source_lines::read_whole_lines(byte_buffer& bytes, std::vector<std::size_t>& ends,
                                                          const std::atomic<bool>& stop) {
  std::vector<std::uint64_t> found;  // ends of records
  bytes.reserve(std::max(block_size, 2 * rest_.size()));
  bytes.append(rest_);
  std::size_t end = 0;
  if (std::exchange(is_rest_new_, false)) {
    if (cutter_) {
      cutter_->take(rest_, 0, found);
      if (!found.empty()) end = static_cast<std::size_t>(found.back() - offset_);
    } else {
      end = bytes.view().rfind('\n') + 1;  // 0 if there is no line end
    }
  }
  bool has_ended = false;
  const auto wants_more = [&] { return file_->is_live() && bytes.size() < block_size && !file_->is_quiet(); };
  while (!has_ended && (end == 0 || wants_more())) {
    const std::size_t old_size = bytes.size();
    if (old_size == bytes.capacity()) bytes.reserve(2 * bytes.capacity());
    try {
      bytes.resize(old_size + file_->read(bytes.data() + old_size, bytes.capacity() - old_size, stop));
    } catch (const read_error&) {
      failure_to_read_ = std::current_exception();  // thrown after the whole lines were passed on
      break;
    }
    has_ended = bytes.size() == old_size;
    if (has_ended && stop.load(std::memory_order_relaxed)) return std::nullopt;
    if (cutter_) {
      cutter_->take(bytes.view(), old_size, found);
      if (!found.empty()) end = static_cast<std::size_t>(found.back() - offset_);
      continue;
    }
    const std::size_t last = bytes.view().substr(old_size).rfind('\n');
    if (last != std::string_view::npos) end = old_size + last + 1;
  }
  if (cutter_ && (has_ended || (failure_to_read_ && settings_.skip_bad))) {
    cutter_->end_open_row(bytes.view(), found);
    if (!found.empty()) end = static_cast<std::size_t>(found.back() - offset_);
  }
  // A WARC record that seems complete before a read error is accepted. Only the next record could show that the length
  // in the header is wrong. With --skip-bad, an element of an array before a read error is examined, too.
  const bool is_array = from_->unit == unit_of_input::json_array;
  const bool is_record = cutter_ && (cutter_->is_behind_record() || (is_array && settings_.skip_bad));
  if (failure_to_read_ && is_record && end < bytes.size()) {
    end = bytes.size();
    found.push_back(offset_ + end);
  }
  for (const std::uint64_t place : found) ends.push_back(static_cast<std::size_t>(place - offset_));
  if (has_ended && cutter_ && end < bytes.size()) ends.push_back(bytes.size());
  if (has_ended && is_array && cutter_->is_open()) {
    // Bytes after the last comma are refused as a bad record. If all are blanks, the missing end is reported here.
    if (bytes.view().substr(end).find_first_not_of(" \t\r\n") == std::string_view::npos) {
      last_bad_ = bad_input{from_->name(), "the array of JSON has no end: the file is cut off"};
    }
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
    if (file_ && !is_settled_) {
      settle_unit(stop);
      is_settled_ = true;
      const bool is_array = from_->unit == unit_of_input::json_array;
      if (has_lost_beginning_ && (is_whole_source(from_->unit) || (is_array && !settings_.skip_bad))) {
        throw read_error("the bytes after the damage were not read: they are neither JSON Lines nor WARC",
                         skip_line(true, stop));
      }
    }
    if (!file_) {
      if (!last_bad_) return false;
      out.from = from_;
      out.bad = std::exchange(last_bad_, std::nullopt);
      return true;
    }
    out.from = from_;
    if (failure_to_read_) {
      offset_ += rest_.size();
      rest_.clear();
      std::rethrow_exception(std::exchange(failure_to_read_, nullptr));
    }
    if (std::exchange(skips_line_, false)) {
      static_cast<void>(skip_line(false, stop));
      if (cutter_) cutter_.emplace(from_->unit, offset_);
      is_rest_new_ = true;
    }
    out.offset = offset_;
    const bool may_wait = file_->is_live();
    if (may_wait && was_full_ && file_->is_quiet()) {
      // The last batch was full, so it was not marked as live. Now the input pauses, so an empty live batch follows.
      was_full_ = false;
      out.live = true;
      return true;
    }
    const std::optional<std::size_t> whole = read_whole_lines(out.bytes, out.ends, stop);
    if (!whole) return false;
    if (failure_to_read_ && *whole == 0) {
      rest_.assign(out.bytes.view());
      return read_next(out, stop);
    }
    const bool is_table = from_->unit == unit_of_input::csv || from_->unit == unit_of_input::tsv;
    if (is_table && offset_ == 0 && !out.ends.empty()) {
      from_->header = out.bytes.view().substr(0, out.ends.front());
      std::string_view row = content_of_line(from_->header, true);
      bool ignored = false;
      std::optional<decoder> decode;
      if (!settings_.encoding.empty() && !from_->utf16)
        row = decode.emplace(settings_.encoding).decode(row, 0, ignored);
      if (auto wrong = take_header(settings_, row, *from_)) {
        out = batch{};
        out.from = from_;
        if (has_bare_returns(from_->header)) *wrong += hint_at_returns;
        out.bad = bad_input{from_->name(), *std::move(wrong)};
        file_.reset();
        return true;
      }
    }
    rest_.assign(out.bytes.view().substr(*whole));
    out.follows_gap = std::exchange(follows_gap_, false);
    out.bytes.resize(*whole);
    offset_ += *whole;
    out.live = may_wait && !was_full_;
    if (*whole == 0 && last_bad_) return read_next(out, stop);
    if (*whole == 0 && offset_ == 0 && is_whole_source(from_->unit)) {
      out.ends.push_back(0);  // the batch is an empty text
      return true;
    }
    return *whole > 0;  // the result 0 means the end of the input
  } catch (const gap_error& error) {
    go_on_behind(error, out, stop);
    return true;
  } catch (const read_error& error) {
    out = batch{};
    out.bad = unreadable(*from_, error);
  } catch (const std::bad_alloc&) {
    offset_ += out.bytes.size();
    out = batch{};
    rest_ = {};
    out.from = from_;
    out.bad = bad_input{from_->name(), "not enough memory for this line, or to read on"};
    const bool has_lines = is_of_lines(from_->unit);
    if (settings_.skip_bad && file_) out.bad->unread = skip_line(!has_lines, stop);
    if (settings_.skip_bad && has_lines) return true;
  }
  file_.reset();
  return true;
}

/// Reports a damaged part of a compressed source in `out`. Skips to the next place after this part where a record
/// certainly begins.
void source_lines::go_on_behind(const read_error& error, batch& out, const std::atomic<bool>& stop) {
  out = batch{};
  out.bad = bad_input{from_->name(), error.what(), from_->in_folder ? trouble::passed_over : trouble::ends_run};
  follows_gap_ = from_->in_folder && !settings_.skip_bad;
  if (!is_settled_) {
    has_lost_beginning_ = true;
    return;
  }
  switch (from_->unit) {
    case unit_of_input::json_lines: break;  // the rest of a line is not an object, so it is refused
    case unit_of_input::codes:              // the rest of a line may look like a shorter code
    case unit_of_input::lines: skips_line_ = true; break;
    case unit_of_input::csv:
    case unit_of_input::tsv:
      skips_line_ = from_->columns != nullptr;
      if (!skips_line_) out.bad->unread = skip_line(true, stop);  // a table without its header cannot be read
      break;
    case unit_of_input::mail:
    case unit_of_input::files: out.bad->unread = skip_line(true, stop); break;
    case unit_of_input::json_array:
      // Without --skip-bad, the rest of a damaged element would end the run.
      if (!settings_.skip_bad) {
        out.bad->unread = skip_line(true, stop);
        break;
      }
      [[fallthrough]];
    case unit_of_input::warc: cutter_.emplace(from_->unit, offset_); break;
    default: break;
  }
  if (out.bad->unread > 0) file_.reset();
}

/// Skips the rest of the line, and returns 0. If `is_rest_unread`, skips the rest of the source instead, and returns
/// the number of its bytes.
std::uint64_t source_lines::skip_line(bool is_rest_unread, const std::atomic<bool>& stop) {
  std::string block(std::size_t{1} << 16, '\0');
  std::uint64_t unread = 0;
  for (;;) {
    std::size_t count = 0;
    try {
      count = file_->read(block.data(), block.size(), stop);
    } catch (const gap_error&) {
      continue;
    } catch (const read_error& error) {
      unread += error.unread;
      break;
    }
    if (count == 0) break;
    if (is_rest_unread) {
      unread += count;
      continue;
    }
    const std::size_t end = std::string_view(block).substr(0, count).find('\n');
    offset_ += end == block.npos ? count : end + 1;
    if (end == block.npos) continue;
    rest_.assign(block, end + 1, count - end - 1);
    return 0;
  }
  return is_rest_unread ? unread : 0;
}

/// Determines the kind of a source's documents from its name and beginning, if the kind is not known yet.
void source_lines::settle_unit(const std::atomic<bool>& stop) {
  if (!from_->has_settled_unit) {
    const bool is_open = from_->unit == unit_of_input::automatic;
    unit_of_input unit = from_->unit;
    if (is_open) unit = unit_by_name(from_->path).value_or(unit_of_input::automatic);
    if (unit == unit_of_input::automatic) {
      unit = unit_by_beginning(*file_, false, has_lost_beginning_, stop);
    } else if (unit == unit_of_input::json_lines) {
      const unit_of_input shown = unit_by_beginning(*file_, true, has_lost_beginning_, stop);
      if (shown == unit_of_input::json_array) unit = shown;
    }
    if (unit == unit_of_input::mail && is_mail_box(*file_, stop)) unit = unit_of_input::mbox;
    from_->unit = unit;
    from_->has_settled_unit = true;
  }
  if (is_of_lines(from_->unit)) return;
  cutter_ = has_lost_beginning_ ? record_cutter(from_->unit, offset_) : record_cutter(from_->unit);
}

source_lines::source_lines(const input_settings& settings, std::shared_ptr<source> from, bool ahead)
    : settings_(settings), from_(std::move(from)) {
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

void source_lines::put_back(std::vector<batch>&& first) {
  put_back_.assign(std::make_move_iterator(first.begin()), std::make_move_iterator(first.end()));
}

bool source_lines::next(batch& out, const std::atomic<bool>& stop) {
  if (!put_back_.empty()) {
    out = std::move(put_back_.front());
    put_back_.pop_front();
    return true;
  }
  if (!reader_.joinable()) return read_next(out, stop);
  constexpr auto patience = std::chrono::milliseconds(100);  // afterwards, `stop` is checked again
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
    if (!error) bytes += size;  // an error means a pipe, or a file that no longer exists
  }
  return !out.files.empty();
}

/// Takes the next sources from the walker, and begins to read those that are regular files.
void batch_reader::look_ahead() {
  constexpr std::size_t max_ahead = 16;  // each batch may take some megabytes
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
    std::shared_ptr<source_lines> begun = walker_.take_begun(from);
    if (!begun) begun = std::make_shared<source_lines>(settings_, from, ahead > 0 && is_regular);
    sources_.emplace_back(std::move(begun));
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

bool has_bare_returns(std::string_view line) {
  line = content_of_line(line, false);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line.find('\r') != line.npos;
}

std::string_view content_of_line(std::string_view raw, bool first_of_source) {
  if (first_of_source && raw.starts_with(byte_order_mark)) raw.remove_prefix(byte_order_mark.size());
  if (raw.ends_with('\n')) {
    raw.remove_suffix(1);
    if (raw.ends_with('\r')) raw.remove_suffix(1);
  }
  return raw;
}

std::string_view content_of_record(const source& from, std::string_view raw, bool first_of_source) {
  switch (from.unit) {
    case unit_of_input::json_array:
    case unit_of_input::mbox:
    case unit_of_input::warc: return raw;
    case unit_of_input::mail:
    case unit_of_input::files:
      if (raw.starts_with(byte_order_mark)) raw.remove_prefix(byte_order_mark.size());
      return raw;
    case unit_of_input::lines: return content_of_line(raw, first_of_source);
    default: return content_of_line(raw, true);  // `cat` moves the byte order mark of a second file into the middle
  }
}

}  // namespace command
