// A log of changes beside a file: what came since the file was written.
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

/// How much a log holds: the bytes of its header and its whole records, and their checksum. A file that takes in what
/// is in a log keeps this of it: then the log is known to be in there, if it is still beside the file.
struct log_extent {
  std::uint64_t size = 0, checksum = 0;
  friend bool operator==(const log_extent&, const log_extent&) = default;
};

/// A log as it was when it was read: its bytes, in memory. What is appended meanwhile is not in it; a record that was
/// being written then counts as not there.
class log_contents {
 public:
  /// Throws: std::runtime_error naming the file, if it cannot be read; std::bad_alloc.
  explicit log_contents(std::string path) : path_(std::move(path)) {
    const auto there = detail::system_files().type_of(path_);
    if (!there) detail::fail_with_errno("open", path_);
    if (*there == detail::file_type::other) {  // a pipe may never say anything
      detail::fail<std::runtime_error>("cannot read " + path_ + ": it is no regular file");
    }
    is_there_ = *there == detail::file_type::regular;
    if (is_there_) bytes_ = detail::read_file(path_);
  }

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] bool is_there() const noexcept { return is_there_; }
  /// The state of the file that it follows: bytes 56 to 63 of its header (docs/format.md). Nothing if these bytes do not
  /// begin as a log does.
  [[nodiscard]] std::optional<std::uint64_t> follows() const { return detail::append_log::state_of(bytes_); }
  /// If it does not begin with a header, of all bytes. Complexity: linear.
  [[nodiscard]] log_extent extent() const {
    const auto found = detail::append_log::extent_of(bytes_);
    return {found.size, found.checksum};
  }

  /// Calls `visit(payload)` for each whole record, from the first to the last. A payload begins at a multiple of 8 bytes,
  /// and is there as long as this is.
  /// Throws: std::runtime_error naming the file, if a record is damaged, or if the log has no header; what `visit` throws.
  template <class Visit>
  void for_each(const Visit& visit) const {
    const auto state = follows();
    if (!state) detail::fail<std::runtime_error>(path_ + ": its header is damaged, or of a later version");
    detail::append_log::replay(path_, bytes_, *state, visit);
  }

 private:
  friend class record_log;

  std::string path_;
  bool is_there_ = false;
  std::string bytes_;
};

/// A log that is being written: records of any bytes, each of which is on the disk before the writer goes on.
///
/// Whatever ends the process, each record is there the next time as a whole or not at all. One object at a time may
/// write a log: a file_lock of the file that it follows sees to that.
/// Example: `const file_lock lock(path); auto log = record_log::begin(path + ".log", state); log.append("a change");`
class record_log {
 public:
  /// An empty log, in place of an older one; on the disk when this returns.
  /// Throws: std::runtime_error naming the file.
  [[nodiscard]] static record_log begin(const std::string& path, std::uint64_t state) {
    return begin(detail::system_files(), path, state);
  }
  /// A log that was read, to append to. A record that was being written when its writer was stopped is taken off.
  /// Throws: std::runtime_error naming the file, if it is damaged.
  [[nodiscard]] static record_log go_on(const log_contents& read) { return go_on(detail::system_files(), read); }

  // for tests, which pass file operations of their own
  [[nodiscard]] static record_log begin(detail::file_operations& files, const std::string& path, std::uint64_t state) {
    return record_log(detail::append_log::create(files, path, state));
  }
  [[nodiscard]] static record_log go_on(detail::file_operations& files, const log_contents& read) {
    const auto state = read.follows();
    if (!state) detail::fail<std::runtime_error>(read.path() + ": its header is damaged, or of a later version");
    return record_log(detail::append_log::open(files, read.path(), read.bytes_, *state, [](std::string_view) {}));
  }

  /// Appends a record; it is on the disk when this returns.
  /// Throws: std::runtime_error naming the file; then the log is as it was, or, if that failed too, takes nothing more.
  /// std::length_error if the payload has 4 GiB.
  void append(std::string_view payload) { log_.append(payload); }

 private:
  explicit record_log(detail::append_log log) : log_(std::move(log)) {}

  detail::append_log log_;
};

}  // namespace neardup::inline v0
