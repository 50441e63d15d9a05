// SPDX-License-Identifier: MIT
// A file with a log beside the file. Changes are written to the log, and the next process reads the file and the log.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "../detail/bits.hpp"
#include "../detail/compiled.hpp"
#include "../detail/file_operations.hpp"
#include "../detail/text_lines.hpp"
#include "../error.hpp"
#include "engine/container.hpp"
#include "engine/log_frame.hpp"
#include "file_lock.hpp"
#include "mapped_file.hpp"

namespace neardup::inline v0 {

/// The extent of a log: the size of its header and its complete records, and a checksum of these bytes.
struct log_extent {
  std::uint64_t size = 0, checksum = 0;
  friend bool operator==(const log_extent&, const log_extent&) = default;
};

/// Identifies a file that has a log.
struct journaled_file {
  /// Bytes 56 to 63 of the file: the checksum of its header, which has the checksums of all sections. The log of the
  /// file contains the same number.
  std::uint64_t number = 0;
  /// The extent of the log whose changes are already in the file. If this log still exists beside the file, it must not
  /// be replayed.
  std::optional<log_extent> log = std::nullopt;
};

/// The content of a log at the time when it is read. The content does not include records that are appended later, or a
/// record that is being written at that time.
class log_contents {
 public:
  /// Reads a log. If there is no log file, the contents are empty.
  /// Throws: std::runtime_error if the log cannot be read; the message names the log. std::bad_alloc.
  NEARDUP_COLD explicit log_contents(std::string path);

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] bool is_there() const noexcept { return is_there_; }
  [[nodiscard]] std::size_t size() const noexcept { return bytes_.size(); }
  /// Returns the number of the file to which the log belongs. Returns nullopt if the header of the log is invalid.
  [[nodiscard]] std::optional<std::uint64_t> follows() const { return detail::log_frame(bytes_).number(); }
  /// Returns the extent of the log. If the header is invalid, the extent is all bytes of the log.
  /// Complexity: linear in the size of the log.
  [[nodiscard]] log_extent extent() const { return extent_of(bytes_); }
  [[nodiscard]] static log_extent extent_of(std::string_view bytes) {
    const std::size_t end = detail::log_frame(bytes).for_each([](std::string_view) {});
    return {end, detail::checksum_of(detail::to_bytes(bytes.substr(0, end)))};
  }

  /// Calls `visit(payload)` for each complete record, in order. A payload is aligned to 8 bytes, and is valid as long
  /// as this object. If the writer was stopped while it wrote the last record, that record is torn, and is ignored.
  /// Returns: the end of the last complete record, in bytes.
  /// Throws: std::runtime_error if a record (the last one included) is damaged, or if the header is invalid; the
  /// message names the log. The exceptions of `visit`.
  template <class Visit>
  std::size_t for_each(const Visit& visit) const {
    detail::check_byte_order(path_);
    const detail::log_frame frame(bytes_);
    if (!frame.number()) detail::fail<std::runtime_error>({path_, ": ", frame.problem()});
    const std::size_t end = frame.for_each(visit);
    if (end < bytes_.size() && !frame.is_torn_at(end)) refuse_record(end, "is damaged");
    return end;
  }

  /// Calls `replay(payload)` for each record if the log belongs to the file at `path`. If the changes of the log are
  /// already in the file, the log is ignored.
  /// Returns: the end of the last complete record, or 0 if there is no log or the log is ignored.
  /// Throws: the exceptions of for_each(); std::runtime_error if the log belongs to another file, or if `replay`
  /// returns false; the message names the log.
  template <class Replay>
  std::size_t replay(const std::string& path, const journaled_file& file, const Replay& replay) const {
    if (!is_there_) return 0;
    if (follows() == file.number) {
      return for_each([&](std::string_view record) {
        if (!replay(record))
          refuse_record(detail::log_frame(bytes_).begin_of(record), "does not fit what is before it");
      });
    }
    if (file.log != extent()) refuse(path, "this is another one");
    return 0;
  }

  /// Throws std::runtime_error, because the log does not belong to the file at `path`. The message names the log and
  /// the file, and has `what`, which describes the file.
  [[noreturn]] NEARDUP_COLD void refuse(const std::string& path, const char* what) const;

 private:
  [[noreturn]] NEARDUP_COLD void refuse_record(std::size_t begin, const char* what) const;

  std::string path_;
  bool is_there_ = false;
  std::string bytes_;
};

/// The writer of a file and its log. The file has a complete state, and the log has the changes since the file was
/// written. A change is a record, which may be any byte string. A record is on the disk when append() returns. After a
/// crash, each record is either complete or absent.
///
/// A `State` is the content of the file. The class has three member functions, which may be private if `journal` is a
/// friend:
/// - `journaled_file read(path)` reads the file;
/// - `bool replay(record)` applies a record. The function returns false if the record cannot be applied to the state;
/// - `std::uint64_t write(path, log)` writes the file atomically. `log`, a `std::optional<log_extent>`, is the log
/// whose changes are in the state. The log_extent has to be written to the file, too. The function returns the number
/// of the file.
///
/// The protocol: a file without changes has no log. The first append() begins a log that contains the number of the
/// file. save() first writes the state and the extent of the log to the file, and then removes the log. If a process is
/// stopped in between, the extent shows that the changes of the log are already in the file. A log that belongs to
/// another file is refused.
/// Only one journal at a time may use a path, in this process or another. A file_lock prevents a second one.
/// Guarantee: if append() throws, the log is unchanged. If the log cannot be restored, or if save() fails, append()
/// throws until save() succeeds. In a forked process, all changes throw.
/// Example: `journal j("table");  j.open(table);  j.append("a change");  …  j.save(table);`
class journal {
 public:
  /// Takes the lock of the file. `suffix`: the name of the log is the name of the file followed by `suffix`.
  /// Throws: std::runtime_error if another journal uses the file; the message names the file.
  explicit journal(const std::string& path, std::string_view suffix = default_suffix)
      : journal(detail::system_files(), path, suffix) {}
  // Only tests call this constructor, with their own file operations.
  NEARDUP_COLD journal(detail::file_operations& files, const std::string& path,
                       std::string_view suffix = default_suffix);
  journal(const journal&) = delete;
  journal& operator=(const journal&) = delete;
  ~journal() { close(); }

  static constexpr std::string_view default_suffix = ".log";

  /// Returns the absolute path of the file. Symbolic links are resolved. The log is in the same folder.
  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] const std::string& log_path() const noexcept { return log_path_; }
  // Returns the file operations. The classes of the library use them, too, so that tests can pass their own.
  [[nodiscard]] detail::file_operations& files() const noexcept { return *files_; }

  /// Reads the file, and replays its log. If there is no file, writes `state` to a new file.
  /// Throws: the exceptions of `state`; std::runtime_error if the log is damaged or belongs to another file; the
  /// message names the log. In the last case, the file may be an older copy.
  template <class State>
  void open(State& state) {
    const log_contents log(log_path_);
    if (is_there(path_)) {
      go_on(state.read(path_), log, [&](std::string_view record) { return state.replay(record); });
    } else if (log.is_there()) {
      log.refuse(path_, "there is none");
    } else {
      number_ = state.write(path_, std::optional<log_extent>());
      is_ready_ = true;
    }
  }

  /// Continues the log `log` of a file. `file` and `log` were read while this object had the lock. Calls
  /// `replay(record)` as log_contents::replay() does. Cuts off a torn last record.
  /// Throws: the exceptions of log_contents::replay(); std::runtime_error if the log cannot be opened; the message
  /// names the log.
  template <class Replay>
  void go_on(const journaled_file& file, const log_contents& log, const Replay& replay) {
    go_on_at(log.replay(path_, file, replay), log.size(), file.number);
  }

  /// Appends a change to the log. When the function returns, the change is on the disk.
  /// Precondition: open(), go_on() or save() has returned.
  /// Throws: std::runtime_error if the log cannot be written; the message names the log. std::length_error if the
  /// record has 4 GiB or more.
  void append(std::string_view record);

  /// Appends a change to the log, and then calls `apply()`, which makes the change in memory. If `apply` throws, the
  /// change is in the log, but not in memory. So append() then throws until save() succeeds.
  /// Throws: the exceptions of append() and of `apply`.
  template <class Apply>
  void append(std::string_view record, const Apply& apply) {
    append(record);
    detail::undo failing{[&] { is_ready_ = false; }};
    apply();
    failing.is_due = false;
  }

  /// Writes `state` to the file, and removes the log.
  /// Precondition: `state` has all changes of the log.
  /// Throws: the exceptions of `state`; std::runtime_error if the log cannot be removed; the message names the log.
  template <class State>
  void save(State& state) {
    const std::optional<log_extent> log = end_log();
    number_ = state.write(path_, log);
    if (log && !files_->remove(log_path_)) detail::fail_with_errno("remove", log_path_);
    is_ready_ = true;
  }

 private:
  [[nodiscard]] bool is_there(const std::string& path) const {
    if (const auto there = files_->type_of(path)) return *there != detail::file_type::none;
    detail::fail_with_errno("open", path);
  }

  // A forked process has the memory of its parent, but not the lock of its parent. If the forked process wrote to the
  // log, the parent and the child would write at the same offset.
  void check_process() const {
    if (process_ == detail::process_number()) return;
    detail::fail<std::runtime_error>(
        {log_path_, ": a forked process cannot change what its parent has opened; open it after the fork"});
  }

  // Closes the log, because Windows can neither replace nor remove an open file.
  void close() noexcept {
    if (file_ >= 0) files_->close(std::exchange(file_, -1));
    size_ = detail::log_frame::header_size;
  }

  void open_log() {
    file_ = files_->open_at_end(log_path_);
    if (file_ < 0) detail::fail_with_errno("open", log_path_);
  }

  NEARDUP_COLD void go_on_at(std::size_t end, std::size_t size, std::uint64_t number);

  // Syncs and closes the log. The log may have bytes that a failed append() has left.
  // Returns: the extent of the log on the disk. The extent is needed because an earlier save() may have failed, either
  // before or after the file was renamed.
  NEARDUP_COLD std::optional<log_extent> end_log();

  detail::file_operations* files_;
  std::string path_, log_path_;
  file_lock lock_;
  int process_ = detail::process_number();
  std::uint64_t number_ = 0;                           // number of the file
  int file_ = -1;                                      // the log; -1 if no log is begun
  std::size_t size_ = detail::log_frame::header_size;  // bytes of the header and all whole records
  bool is_ready_ = false;                              // if false, append() throws until save() succeeds
};

namespace detail {

/// Checks that the log of the file at `path` has no changes that the file lacks. A program that reads only the file
/// would lose these changes. `number` is the number of the file. PATH.log is ignored if it is not a log.
/// Throws: std::runtime_error if the log has such changes, or if the log has another version or a damaged header. In
/// the last two cases, the changes are unknown. The message names the log.
NEARDUP_COLD void refuse_changes_beside(const std::string& path, std::uint64_t number);

}  // namespace detail

#if NEARDUP_BODIES

NEARDUP_INLINE log_contents::log_contents(std::string path) : path_(std::move(path)) {
  const auto there = detail::system_files().type_of(path_);
  if (!there) detail::fail_with_errno("open", path_);
  if (*there == detail::file_type::other) {  // reading a pipe may block for ever
    detail::fail<std::runtime_error>({"cannot read ", path_, ": it is no regular file"});
  }
  is_there_ = *there == detail::file_type::regular;
  if (is_there_) bytes_ = detail::read_file(path_);
}

NEARDUP_INLINE void log_contents::refuse(const std::string& path, const char* what) const {
  const detail::log_frame frame(bytes_);
  if (!frame.number()) detail::fail<std::runtime_error>({path_, ": ", frame.problem()});
  detail::fail<std::runtime_error>(
      {path_, ": it follows another file than ", path, " (", what, "); put that file back, or move the log away"});
}

NEARDUP_INLINE void log_contents::refuse_record(std::size_t begin, const char* what) const {
  detail::fail<std::runtime_error>({path_, ": the record at byte ", begin, " ", what,
                                    "; restore the file and its log from a copy, or cut the log to ", begin,
                                    " bytes to go on without this change and all later ones"});
}

NEARDUP_INLINE journal::journal(detail::file_operations& files, const std::string& path, std::string_view suffix)
    : files_(&files), path_(detail::settled_path(path)), log_path_(path_ + std::string(suffix)), lock_(path_) {}

NEARDUP_INLINE void journal::append(std::string_view payload) {
  check_process();
  if (!is_ready_) {
    detail::fail<std::runtime_error>({log_path_, ": an earlier error was not repaired; save first"});
  }
  const std::string record = detail::log_frame::encode_record(payload, size_, number_);
  if (file_ < 0) {
    detail::check_byte_order(log_path_);
    const std::string header = detail::log_frame::encode_header(number_);
    const detail::byte_span piece = detail::to_bytes(header);
    detail::save_file(*files_, log_path_, {&piece, 1});
    open_log();
  }
  if (detail::write_all(*files_, file_, detail::to_bytes(record)) && files_->sync(file_)) {
    size_ += record.size();
    return;
  }
  const int error = errno;
  // After a failed sync, the content of the disk is unknown. So the record is cut off, and the shorter log is synced.
  // Then the record cannot appear again.
  is_ready_ = files_->truncate(file_, size_) && files_->sync(file_);
  errno = error;
  detail::fail_with_errno("append to", log_path_);
}

NEARDUP_INLINE void journal::go_on_at(std::size_t end, std::size_t size, std::uint64_t number) {
  number_ = number;
  if (end > 0) {
    open_log();
    size_ = end;
    if (end < size && !(files_->truncate(file_, end) && files_->sync(file_))) {
      detail::fail_with_errno("repair", log_path_);
    }
  }
  is_ready_ = true;
}

NEARDUP_INLINE std::optional<log_extent> journal::end_log() {
  check_process();
  if (file_ >= 0 && !files_->sync(file_)) detail::fail_with_errno("sync", log_path_);
  close();
  is_ready_ = false;
  if (!is_there(log_path_)) return std::nullopt;
  const mapped_file mapped(log_path_);
  return log_contents::extent_of(detail::to_text(mapped.bytes()));
}

namespace detail {

NEARDUP_INLINE void refuse_changes_beside(const std::string& path, std::uint64_t number) {
  const std::string log_path = settled_path(path).append(journal::default_suffix);
  if (system_files().type_of(log_path) != file_type::regular) return;
  const std::string bytes = read_file(log_path);
  const log_frame frame(bytes);
  if (!frame.number() && bytes.starts_with(log_frame::magic)) {
    fail<std::runtime_error>({log_path, ": ", frame.problem()});
  }
  if (frame.number() == number && frame.for_each([](std::string_view) {}) > log_frame::header_size) {
    fail<std::runtime_error>({log_path, ": it has changes since ", path, " was saved; open that as durable, and save"});
  }
}

}  // namespace detail

#endif  // NEARDUP_BODIES

}  // namespace neardup::inline v0
