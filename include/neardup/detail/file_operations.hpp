// SPDX-License-Identifier: MIT
// The system calls that save a file (write, sync, rename), and a function that saves a file atomically with them.
#pragma once

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#if defined(_WIN32)
#include <io.h>
#include <process.h>
#else
#include <unistd.h>
#endif

#include "../error.hpp"
#include "compiled.hpp"
#include "windows_files.hpp"

namespace neardup::inline v0::detail {

enum class file_type : unsigned char { none, regular, other };

/// The system calls that save a file. A function that fails sets errno, and returns false unless its comment says
/// otherwise. Tests override the functions with functions that fail on purpose.
class file_operations {
 public:
  file_operations() = default;
  file_operations(const file_operations&) = delete;
  file_operations& operator=(const file_operations&) = delete;
  virtual ~file_operations() = default;

  /// create() makes a new file, and fails if the file exists. open_at_end() opens a file for appending.
  /// Returns: a file descriptor, or -1.
  virtual int create(const std::string& path) { return open_file(path, O_CREAT | O_EXCL); }
  virtual int open_at_end(const std::string& path) { return open_file(path, O_CREAT | O_APPEND); }
  /// Writes up to `size` bytes.
  /// Returns: the number of bytes written, or -1.
  virtual std::ptrdiff_t write(int file, const void* bytes, std::size_t size) {
#if defined(_WIN32)
    return ::_write(file, bytes, static_cast<unsigned>(size));
#else
    return ::write(file, bytes, size);
#endif
  }
  /// Waits until the written bytes are on the disk.
  virtual bool sync(int file);
  virtual bool truncate(int file, std::uint64_t size) {
#if defined(_WIN32)
    return ::_chsize_s(file, static_cast<long long>(size)) == 0;
#else
    return ::ftruncate(file, static_cast<off_t>(size)) == 0;
#endif
  }
  virtual bool close(int file) {
#if defined(_WIN32)
    return ::_close(file) == 0;
#else
    return ::close(file) == 0;
#endif
  }
  /// Renames a file. If a file with the new name exists, it is replaced.
  virtual bool rename(const std::string& from, const std::string& to) {
#if defined(_WIN32)
    return move_file(wide_name(from), wide_name(to));
#else
    return std::rename(from.c_str(), to.c_str()) == 0;
#endif
  }
  virtual bool remove(const std::string& path) {
#if defined(_WIN32)
    return ::_wremove(wide_name(path).c_str()) == 0;
#else
    return std::remove(path.c_str()) == 0;
#endif
  }
  /// Returns the type of a file: none, a regular file, or other. Returns nullopt if the type cannot be determined.
  virtual std::optional<file_type> type_of(const std::string& path);
  /// Waits until the entries of a folder, which are the names of its files, are on the disk.
  virtual bool sync_folder(const std::string& folder);

 private:
  static int open_file(const std::string& path, int flags) {
#if defined(_WIN32)
    return ::_wopen(wide_name(path).c_str(), flags | _O_WRONLY | _O_BINARY | _O_NOINHERIT, _S_IREAD | _S_IWRITE);
#else
    return ::open(path.c_str(), flags | O_WRONLY | O_CLOEXEC, 0666);
#endif
  }
};

inline file_operations& system_files() {
  static file_operations operations;
  return operations;
}

/// Throws std::runtime_error with the message "cannot WHAT PATH: REASON". REASON is the text for errno.
[[noreturn]] inline void fail_with_errno(const char* what, const std::string& path) {
  const int error = errno;
#if defined(_WIN32)
  const std::string reason = windows_message(error);
#else
  const std::string reason = std::strerror(error);
#endif
  fail<std::runtime_error>({"cannot ", what, " ", path, ": ", reason});
}

/// Returns the process id, or 0 on WASI, which has only one process.
[[nodiscard]] int process_number() noexcept;

/// Writes all bytes to a file.
/// Returns: false on failure; errno is then set.
bool write_all(file_operations& files, int file, std::span<const std::byte> bytes);

[[nodiscard]] std::string folder_of(const std::string& path);

/// Returns an absolute path, which names the same file as `path`, also after a chdir(). If `path` is a symbolic link,
/// returns the path of its target, except on Windows. The file need not exist.
[[nodiscard]] NEARDUP_COLD std::string settled_path(std::string path);

/// Writes the bytes of `pieces` to the file `name`, atomically and durably. After a crash, there is either the old file
/// or the new file. When the function returns, the new file is on the disk. If `name` is a symbolic link, the target of
/// the link is written, even if the target does not exist yet.
/// The bytes are first written to the temporary file PATH.<process>.<number>.tmp, where PATH is settled_path(name). The
/// temporary file stays only if the process is killed.
/// Throws: std::runtime_error if the file cannot be written; the message names the file. The folder is synced last. If
/// only this sync fails, the new file has its name, but a power failure may lose the file.
NEARDUP_COLD void save_file(file_operations& files, const std::string& name,
                            std::span<const std::span<const std::byte>> pieces);

#if NEARDUP_BODIES

NEARDUP_INLINE bool file_operations::sync(int file) {
#if defined(_WIN32)
  return ::_commit(file) == 0;
#elif defined(__APPLE__) && defined(F_FULLFSYNC)
  // On macOS, only F_FULLFSYNC waits for the disk. A file system may lack F_FULLFSYNC, so fsync() is the fallback.
  return ::fcntl(file, F_FULLFSYNC) == 0 || ::fsync(file) == 0;
#else
  return ::fsync(file) == 0;
#endif
}

NEARDUP_INLINE std::optional<file_type> file_operations::type_of(const std::string& path) {
#if defined(_WIN32)
  struct _stat64 status;
  if (::_wstat64(wide_name(path).c_str(), &status) == 0) {
    return (status.st_mode & _S_IFMT) == _S_IFREG ? file_type::regular : file_type::other;
  }
#else
  struct stat status;
  if (::stat(path.c_str(), &status) == 0) {
    return S_ISREG(status.st_mode) ? file_type::regular : file_type::other;
  }
#endif
  return errno == ENOENT ? std::optional(file_type::none) : std::nullopt;
}

NEARDUP_INLINE bool file_operations::sync_folder(const std::string& folder) {
#if defined(_WIN32) || defined(__wasi__)
  static_cast<void>(folder);  // Windows: the rename itself waits for the disk. WASI cannot sync folders.
  return true;
#else
  const int opened = ::open(folder.c_str(), O_RDONLY | O_CLOEXEC);
  if (opened < 0) return false;
  // Some file systems cannot sync folders, and report EINVAL. This is no failure.
  const bool synced = ::fsync(opened) == 0 || errno == EINVAL;
  const int error = errno;
  ::close(opened);
  errno = error;
  return synced;
#endif
}

NEARDUP_INLINE int process_number() noexcept {
#if defined(_WIN32)
  return ::_getpid();
#elif defined(__wasi__)
  return 0;
#else
  return ::getpid();
#endif
}

NEARDUP_INLINE bool write_all(file_operations& files, int file, std::span<const std::byte> bytes) {
  constexpr std::size_t most = std::size_t{1} << 30;  // bytes; every system accepts a write of this size
  while (!bytes.empty()) {
    const std::ptrdiff_t written = files.write(file, bytes.data(), bytes.size() < most ? bytes.size() : most);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      if (written == 0) errno = ENOSPC;
      return false;
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

NEARDUP_INLINE std::string folder_of(const std::string& path) {
#if defined(_WIN32)
  const std::size_t slash = path.find_last_of("/\\");
#else
  const std::size_t slash = path.rfind('/');
#endif
  return slash == path.npos ? "." : path.substr(0, slash + 1);
}

NEARDUP_INLINE std::string settled_path(std::string path) {
#if defined(_WIN32)
  if (!path.empty()) path = absolute_path(path);
#else
  constexpr int max_links = 40;  // the limit of Linux
  char target[4096];
  for (int links = 0; links < max_links; ++links) {
    const auto size = ::readlink(path.c_str(), target, sizeof target);
    if (size <= 0 || std::cmp_equal(size, sizeof target)) break;
    const std::string_view to(target, static_cast<std::size_t>(size));
    path = (to.front() == '/' ? "" : folder_of(path) + "/").append(to);
  }
  if (!path.empty() && path.front() != '/' && ::getcwd(target, sizeof target) != nullptr) path = target + ("/" + path);
#endif
  return path;
}

NEARDUP_INLINE void save_file(file_operations& files, const std::string& name,
                              std::span<const std::span<const std::byte>> pieces) {
  const std::string path = settled_path(name);
  const std::optional<file_type> there = files.type_of(path);
  if (!there) fail_with_errno("save", path);
  if (*there == file_type::other) {
    // Renaming the new file to `path` would replace a device or a folder by a file.
    fail<std::runtime_error>({"cannot save ", path, ": it is no regular file"});
  }
  static std::atomic<unsigned> saved{0};
  const int process = process_number();
  const std::string folder = folder_of(path);  // computed first: nothing may throw after the rename
  std::string temporary;
  int file = -1;
  // The name of the temporary file may exist already: a process that was killed may have had the same process id, and
  // may have left its temporary file.
  constexpr int max_left_behind = 1000;
  for (int i = 0; i < max_left_behind && file < 0 && (i == 0 || errno == EEXIST); ++i) {
    temporary = path + "." + std::to_string(process) + "." + std::to_string(saved.fetch_add(1)) + ".tmp";
    file = files.create(temporary);
  }
  if (file < 0) fail_with_errno("create a file beside", path);
  bool done = true;
  for (const std::span<const std::byte> piece : pieces) done = done && write_all(files, file, piece);
  done = done && files.sync(file);
  int error = errno;
  if (!files.close(file) && done) {
    done = false;
    error = errno;
  }
  if (done && !files.rename(temporary, path)) {
    done = false;
    error = errno;
  }
  if (!done) {
    files.remove(temporary);
    errno = error;
    fail_with_errno("save", path);
  }
  if (!files.sync_folder(folder)) fail_with_errno("sync the folder of", path);
}

#endif  // NEARDUP_BODIES

}  // namespace neardup::inline v0::detail
