// A file as bytes in memory, without reading it first.
#pragma once

#include <cstddef>
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

/// The bytes of a file, mapped for reading; on systems other than Unix they are read.
///
/// Nothing is loaded before it is read. The file may be replaced meanwhile, as save() does. A program that writes into
/// it, or truncates it, changes the bytes while they are being read, which may end the reading program.
class mapped_file {
 public:
  /// Throws: std::runtime_error naming the file; std::bad_alloc.
  explicit mapped_file(std::string path) : path_(std::move(path)) {
#if NEARDUP_MAPS_FILES
    // A pipe that nobody writes to would keep the call waiting.
    const int file = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) detail::fail_with_errno("open", path_);
    struct stat status;
    const bool known = ::fstat(file, &status) == 0;
    if (known && S_ISREG(status.st_mode) && status.st_size > 0 &&
        std::cmp_less_equal(status.st_size, (std::numeric_limits<std::ptrdiff_t>::max)())) {
      size_ = static_cast<std::size_t>(status.st_size);
      void* const memory = ::mmap(nullptr, size_, PROT_READ, MAP_SHARED, file, 0);
      if (memory != MAP_FAILED) data_ = static_cast<const std::byte*>(memory);
    }
    const int error = errno;
    ::close(file);
    errno = error;
    if (!known) detail::fail_with_errno("read", path_);
    if (!S_ISREG(status.st_mode)) detail::fail<std::runtime_error>("cannot map " + path_ + ": it is no regular file");
    if (status.st_size > 0 && data_ == nullptr) detail::fail_with_errno("map", path_);
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
    if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
#endif
  }

  void swap(mapped_file& other) noexcept {
    path_.swap(other.path_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
#if !NEARDUP_MAPS_FILES
    memory_.swap(other.memory_);
#endif
  }
  friend void swap(mapped_file& a, mapped_file& b) noexcept { a.swap(b); }

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  /// All of the file; they begin at a multiple of 64 bytes.
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return {data_, size_}; }

 private:
  std::string path_;
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
#if !NEARDUP_MAPS_FILES
  detail::large_array<std::byte> memory_;
#endif
};

}  // namespace neardup::inline v0
