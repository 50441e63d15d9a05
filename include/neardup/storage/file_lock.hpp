// SPDX-License-Identifier: MIT
// A lock of a file, which allows one writer at a time.
#pragma once

#include <cerrno>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#if defined(_WIN32)
#include <io.h>
#include <share.h>
#else
#include <sys/file.h>
#include <unistd.h>
#endif

#include "../detail/file_operations.hpp"
#include "../error.hpp"

namespace neardup::inline v0 {

/// An exclusive lock of a file. The lock is held while the object exists. No other file_lock on this machine can take
/// the lock, in this process or another. Use a file_lock to load a file, change its content and save it. Without a
/// lock, if two programs did this at once, the changes of one would be lost.
///
/// The lock is the file PATH.neardup-lock, which the destructor removes. After a crash this file may remain, but then
/// it locks nothing. Symbolic links are resolved first. Reading a file needs no lock, because save() replaces a file
/// atomically. A forked process does not own the lock. But if the owner is killed, the lock is held until the forked
/// process ends. On file systems without locks, a file_lock is a no-op.
/// Example: `const file_lock lock(path); auto index = load<flat_index<64>>(path); index.insert(f, id); save(path,
/// index, c);`
class file_lock {
 public:
  static constexpr const char* suffix = ".neardup-lock";

  /// Takes the lock without waiting.
  /// Throws: std::runtime_error if the file is locked already or cannot be locked; the message names the file.
  explicit file_lock(const std::string& path) : path_(detail::settled_path(path) + suffix) {
#if defined(_WIN32)
    constexpr int flags = _O_CREAT | _O_RDWR | _O_TEMPORARY | _O_NOINHERIT;
    const std::wstring name = detail::wide_name(path_);
    // The type of the file is checked before the file is opened, because _O_TEMPORARY removes the file when it is
    // closed.
    struct _stat64 there;
    if (::_wstat64(name.c_str(), &there) == 0 && ((there.st_mode & _S_IFMT) != _S_IFREG || there.st_size != 0)) {
      refuse_other_file(path);
    }
    if (::_wsopen_s(&file_, name.c_str(), flags, _SH_DENYRW, _S_IREAD | _S_IWRITE) != 0) {
      file_ = -1;
      if (_doserrno == detail::windows_sharing_violation) refuse(path);
      detail::fail_with_errno("lock", path_);
    }
#else
    process_ = detail::process_number();
    for (;;) {
      file_ = ::open(path_.c_str(), O_CREAT | O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
      if (file_ < 0) detail::fail_with_errno("lock", path_);
      struct stat held;
      if (::fstat(file_, &held) != 0 || !S_ISREG(held.st_mode) || held.st_size != 0) {
        ::close(std::exchange(file_, -1));
        refuse_other_file(path);
      }
      ::fchmod(file_, 0644);           // so that other users can lock the file if this process is killed
#if defined(__wasi__)
      constexpr bool is_held = false;  // WASI has no locks
#else
      const bool is_held = ::flock(file_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
#endif
      // The previous owner may have removed the file after this process had opened it. Then the file is opened again.
      if (!is_held && is_named(held)) return;
      ::close(std::exchange(file_, -1));
      if (is_held) refuse(path);
    }
#endif
  }
  file_lock(file_lock&& other) noexcept { swap(other); }
  file_lock& operator=(file_lock other) noexcept {
    swap(other);
    return *this;
  }
  ~file_lock() {
    if (file_ < 0) return;
#if !defined(_WIN32)
    struct stat held;
    if (detail::process_number() == process_) {
      if (::fstat(file_, &held) == 0 && is_named(held)) std::remove(path_.c_str());
#if !defined(__wasi__)
      ::flock(file_, LOCK_UN);  // forked processes share the open file and would keep the lock
#endif
    }
#endif
    close();
  }

  void swap(file_lock& other) noexcept {
    path_.swap(other.path_);
    std::swap(file_, other.file_);
    std::swap(process_, other.process_);
  }

 private:
#if defined(_WIN32)
  void close() noexcept { ::_close(file_); }
#else
  void close() noexcept { ::close(file_); }

  /// Returns true if the path path_ still names the locked file.
  [[nodiscard]] bool is_named(const struct stat& held) const noexcept {
    struct stat named;
    return ::stat(path_.c_str(), &named) == 0 && held.st_ino == named.st_ino && held.st_dev == named.st_dev;
  }
#endif

  [[noreturn]] static void refuse(const std::string& path) {
    detail::fail<std::runtime_error>({path,
                                      " is being written by another program, or in another place of this one; "
                                      "close it there, or try again later"});
  }

  [[noreturn]] void refuse_other_file(const std::string& path) const {
    detail::fail<std::runtime_error>(
        {"cannot lock ", path, ": ", path_, " is there already, and no lock; move it away"});
  }

  std::string path_;
  int file_ = -1;
  int process_ = 0;
};

}  // namespace neardup::inline v0
