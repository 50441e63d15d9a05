// SPDX-License-Identifier: MIT
// A log beside a file: the changes since the file was written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "../detail/file_operations.hpp"
#include "../detail/text_lines.hpp"
#include "../error.hpp"
#include "engine/append_log.hpp"

namespace neardup::inline v0 {

/// The extent of a log: the size of its header and whole records, and their checksum. A file that incorporates a log
/// stores the extent of that log. If the log is later still beside the file, the extent shows that the file
/// incorporates it.
struct log_extent {
  std::uint64_t size = 0, checksum = 0;
  friend bool operator==(const log_extent&, const log_extent&) = default;
};

/// The content of a log at the time of reading. Later records are not in it. A record that is being written counts as
/// absent.
class log_contents {
 public:
  /// Reads a log. An absent file gives an empty log.
  /// Throws: std::runtime_error, which names the file, if it cannot be read; std::bad_alloc.
  explicit log_contents(std::string path) : path_(std::move(path)) {
    const auto there = detail::system_files().type_of(path_);
    if (!there) detail::fail_with_errno("open", path_);
    if (*there == detail::file_type::other) {  // reading a pipe may block for ever
      detail::fail<std::runtime_error>({"cannot read ", path_, ": it is no regular file"});
    }
    is_there_ = *there == detail::file_type::regular;
    if (is_there_) bytes_ = detail::read_file(path_);
  }

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] bool is_there() const noexcept { return is_there_; }
  /// Returns the state of the file that the log follows: bytes 56 to 63 of the header of that file (docs/format.md);
  /// nullopt if the header of the log is invalid.
  [[nodiscard]] std::optional<std::uint64_t> follows() const { return detail::append_log::state_of(bytes_); }
  /// Returns the extent of the log. If the header is invalid, all bytes of the file count.
  /// Complexity: linear.
  [[nodiscard]] log_extent extent() const {
    const auto found = detail::append_log::extent_of(bytes_);
    return {found.size, found.checksum};
  }

  /// Calls `visit(payload)` for each whole record in order. A payload is aligned to 8 bytes, and valid as long as this
  /// object.
  /// Throws: std::runtime_error, which names the file, if a record is damaged or the header is invalid; the exceptions
  /// of `visit`.
  template <class Visit>
  void for_each(const Visit& visit) const {
    const auto state = follows();
    if (!state) detail::fail<std::runtime_error>({path_, ": ", detail::append_log::problem_of(bytes_)});
    detail::append_log::replay(path_, bytes_, *state, visit);
  }

 private:
  friend class record_log;

  std::string path_;
  bool is_there_ = false;
  std::string bytes_;
};

/// A log for writing. When append() returns, the record is on the disk. A record is any byte string. After a crash,
/// each record is there as a whole or not at all.
/// Precondition: there is one writer at a time. To ensure that, take the file_lock of the file that the log belongs to.
/// Example: `const file_lock lock(path); auto log = record_log::begin(path + ".log", state); log.append("a change");`
class record_log {
 public:
  /// Creates an empty log that replaces an older one. When the function returns, the log is on the disk.
  /// Throws: std::runtime_error, which names the file.
  [[nodiscard]] static record_log begin(const std::string& path, std::uint64_t state) {
    return begin(detail::system_files(), path, state);
  }
  /// Opens a log that was read, for appending. Cuts off a torn last record, whose writer was stopped.
  /// Throws: std::runtime_error, which names the file, if it is damaged.
  [[nodiscard]] static record_log go_on(const log_contents& read) { return go_on(detail::system_files(), read); }

  // For tests, which pass their own file operations.
  [[nodiscard]] static record_log begin(detail::file_operations& files, const std::string& path, std::uint64_t state) {
    return record_log(detail::append_log::create(files, path, state));
  }
  [[nodiscard]] static record_log go_on(detail::file_operations& files, const log_contents& read) {
    const auto state = read.follows();
    if (!state) {
      detail::fail<std::runtime_error>({read.path(), ": ", detail::append_log::problem_of(read.bytes_)});
    }
    return record_log(detail::append_log::open(files, read.path(), read.bytes_, *state, [](std::string_view) {}));
  }

  /// Appends a record. When the function returns, the record is on the disk.
  /// Throws: std::runtime_error, which names the file; std::length_error if the payload has 4 GiB or more.
  /// Guarantee: after an exception the log is unchanged. If restoring it fails, too, the log rejects further records.
  void append(std::string_view payload) { log_.append(payload); }

 private:
  explicit record_log(detail::append_log log) : log_(std::move(log)) {}

  detail::append_log log_;
};

}  // namespace neardup::inline v0
