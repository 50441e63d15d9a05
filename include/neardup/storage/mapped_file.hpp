// SPDX-License-Identifier: MIT
// A file that is mapped into memory for reading.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#if defined(__unix__) || defined(__APPLE__)
#define NEARDUP_MAPS_FILES 1
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#else
#define NEARDUP_MAPS_FILES 0
#include <algorithm>
#endif

#include "../detail/file_operations.hpp"
#include "../detail/large_array.hpp"
#include "../detail/text_lines.hpp"
#include "../error.hpp"

namespace neardup::inline v0 {

/// The bytes of a file, mapped into memory for reading. Small files are read into memory instead, and so are all files
/// on systems that are not Unix.
///
/// The system loads each page of a mapped file when the page is read. Replacing the file meanwhile, as save() does, is
/// harmless. But writing into the file in place, or truncating the file, changes the mapped bytes, and reading these
/// bytes may end the process by SIGBUS. check() detects such a change.
class mapped_file {
 public:
  /// Files of up to this many bytes are read, not mapped. Reading 1 MB takes a tenth of a millisecond.
  static constexpr std::size_t most_read = std::size_t{1} << 20;

  /// Opens a file.
  /// Throws: std::runtime_error if the file cannot be read; the message names the file. std::bad_alloc.
  explicit mapped_file(std::string path) : path_(std::move(path)) {
#if NEARDUP_MAPS_FILES
    // With O_NONBLOCK, opening a pipe that has no writer does not block.
    const int file = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) detail::fail_with_errno("open", path_);
    const opened guard{file};
    struct stat status;
    if (::fstat(file, &status) != 0) detail::fail_with_errno("read", path_);
    if (!S_ISREG(status.st_mode)) detail::fail<std::runtime_error>({"cannot map ", path_, ": it is no regular file"});
    state_ = state_of(status);
    if (std::cmp_greater(status.st_size, (std::numeric_limits<std::ptrdiff_t>::max)())) {
      errno = EFBIG;
      detail::fail_with_errno("map", path_);
    }
    size_ = static_cast<std::size_t>(status.st_size);
    if (size_ <= most_read) {
      read(file);
    } else {
      void* const memory = ::mmap(nullptr, size_, PROT_READ, MAP_SHARED, file, 0);
      if (memory == MAP_FAILED) detail::fail_with_errno("map", path_);
      data_ = static_cast<const std::byte*>(memory);
      is_mapped_ = true;
    }
#else
    const std::string contents = detail::read_file(path_);
    memory_ = detail::large_array<std::byte>(contents.size());
    std::copy_n(reinterpret_cast<const std::byte*>(contents.data()), contents.size(), memory_.data());
    data_ = memory_.data();
    size_ = contents.size();
#endif
  }
  mapped_file(mapped_file&& other) noexcept { swap(other); }
  mapped_file& operator=(mapped_file other) noexcept {
    swap(other);
    return *this;
  }
  ~mapped_file() {
#if NEARDUP_MAPS_FILES
    if (is_mapped_) ::munmap(const_cast<std::byte*>(data_), size_);
#endif
  }

  void swap(mapped_file& other) noexcept {
    path_.swap(other.path_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    memory_.swap(other.memory_);
#if NEARDUP_MAPS_FILES
    std::swap(is_mapped_, other.is_mapped_);
    std::swap(state_, other.state_);
#endif
  }
  friend void swap(mapped_file& a, mapped_file& b) noexcept { a.swap(b); }

  /// Checks, by the size and the modification time, that the file was not changed in place since it was opened.
  /// Replacing the file is allowed. If the file was read instead of mapped, all changes are allowed.
  /// Throws: std::runtime_error if the file was changed; the message names the file.
  void check() const {
#if NEARDUP_MAPS_FILES
    struct stat now;
    if (!is_mapped_ || ::stat(path_.c_str(), &now) != 0) return;
    const state found = state_of(now);
    if (found.device != state_.device || found.inode != state_.inode || found == state_) return;
    detail::fail<std::runtime_error>({path_, ": was changed in place while it was in use (", found.size, " bytes, and ",
                                      state_.size, " when it was opened); put a new file in its place instead"});
#endif
  }

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  /// Returns the bytes of the file, aligned to 64 bytes.
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return {data_, size_}; }

 private:
#if NEARDUP_MAPS_FILES
  struct opened {
    int file;
    ~opened() { ::close(file); }
  };

  /// Identifies a file and its state: the identity of the file, its size and its modification time. check() compares
  /// states.
  struct state {
    std::uint64_t device, inode, size;
    std::int64_t seconds, nanoseconds;
    friend bool operator==(const state&, const state&) = default;
  };

  static state state_of(const struct stat& status) noexcept {
#if defined(__APPLE__)
    const auto& time = status.st_mtimespec;
#else
    const auto& time = status.st_mtim;
#endif
    return {static_cast<std::uint64_t>(status.st_dev), static_cast<std::uint64_t>(status.st_ino),
            static_cast<std::uint64_t>(status.st_size), static_cast<std::int64_t>(time.tv_sec),
            static_cast<std::int64_t>(time.tv_nsec)};
  }

  void read(int file) {
    memory_ = detail::large_array<std::byte>(size_);
    std::size_t done = 0;
    while (done < size_) {
      const auto count = ::pread(file, memory_.data() + done, size_ - done, static_cast<off_t>(done));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) detail::fail_with_errno("read", path_);
      if (count == 0) detail::fail<std::runtime_error>({path_, ": was cut off while it was read"});
      done += static_cast<std::size_t>(count);
    }
    if (size_ > 0) data_ = memory_.data();
  }

  bool is_mapped_ = false;
  state state_{};
#endif
  std::string path_;
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  detail::large_array<std::byte> memory_;  // the content, if the file was read instead of mapped
};

}  // namespace neardup::inline v0
