// One writer of a file at a time.
#pragma once

#include <cerrno>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <utility>

#include <fcntl.h>
#if defined(_WIN32)
#include <io.h>
#include <share.h>
#include <sys/stat.h>
#else
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

#include "../detail/file_operations.hpp"
#include "../error.hpp"

namespace neardup::inline v0 {

/// In its life no other file_lock of the same path can be made, in this process or another of this machine. For what
/// loads a file, changes it and saves it: two of that at the same time lose what the first one saved.
///
/// It holds PATH.lock, which it takes away again; after a crash that may stay, and locks nothing. Reading needs no lock:
/// save() replaces a file at once. On file systems that have no locks it does nothing.
/// Example: `const file_lock lock(path); auto index = load<flat_index<64>>(path); index.insert(f, id); save(path, index, c);`
class file_lock {
 public:
  /// Does not wait. Throws: std::runtime_error naming the file, if there is such a lock, or none can be created.
  explicit file_lock(const std::string& path) : path_(path + ".lock") {
#if defined(_WIN32)
    constexpr int is_shared_elsewhere = EACCES;
    if (::_sopen_s(&file_, path_.c_str(), _O_CREAT | _O_RDWR | _O_TEMPORARY, _SH_DENYRW, _S_IREAD | _S_IWRITE) != 0) {
      if (errno == is_shared_elsewhere) refuse(path);
      detail::fail_with_errno("create", path_);
    }
#else
    for (;;) {
      file_ = ::open(path_.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666);
      if (file_ < 0) detail::fail_with_errno("create", path_);
      if (::flock(file_, LOCK_EX | LOCK_NB) != 0) {
        const bool is_held = errno == EWOULDBLOCK;
        ::close(std::exchange(file_, -1));
        if (is_held) refuse(path);
        return;
      }
      // Whoever had it before may have taken the file away since it was opened here.
      struct stat held, named;
      if (::fstat(file_, &held) == 0 && ::stat(path_.c_str(), &named) == 0 && held.st_ino == named.st_ino &&
          held.st_dev == named.st_dev) {
        return;
      }
      ::close(std::exchange(file_, -1));
    }
#endif
  }
  file_lock(file_lock&& other) noexcept : path_(std::move(other.path_)), file_(std::exchange(other.file_, -1)) {}
  file_lock& operator=(file_lock&& other) noexcept {
    path_.swap(other.path_);
    std::swap(file_, other.file_);
    return *this;
  }
  ~file_lock() {
    if (file_ < 0) return;
#if defined(_WIN32)
    ::_close(file_);
#else
    std::remove(path_.c_str());
    ::close(file_);
#endif
  }

 private:
  [[noreturn]] static void refuse(const std::string& path) {
    detail::fail<std::runtime_error>(path + " is being written by another program, or in another place of this one");
  }

  std::string path_;
  int file_ = -1;
};

}  // namespace neardup::inline v0
