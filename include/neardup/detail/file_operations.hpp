// What saving asks of the system: write, sync, rename; and putting them together so that a file is whole or not there.
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
// All of <windows.h> for one function is too much for every user.
extern "C" __declspec(dllimport) int __stdcall MoveFileExA(const char* from, const char* to, unsigned long flags);
#else
#include <unistd.h>
#endif

#include "../error.hpp"

namespace neardup::inline v0::detail {

enum class file_type : unsigned char { none, regular, other };

/// The calls that saving makes. Each says whether it succeeded; if not, errno tells why. Tests put their own in their
/// place, to fail when they like.
class file_operations {
 public:
  file_operations() = default;
  file_operations(const file_operations&) = delete;
  file_operations& operator=(const file_operations&) = delete;
  virtual ~file_operations() = default;

  /// Opens a file that must not exist yet, or one to write at its end. Returns: its number, or -1.
  virtual int create(const std::string& path) { return open_file(path, O_CREAT | O_EXCL); }
  virtual int open_at_end(const std::string& path) { return open_file(path, O_CREAT | O_APPEND); }
  /// Writes at most so many bytes. Returns: how many it wrote, or -1.
  virtual std::ptrdiff_t write(int file, const void* bytes, std::size_t size) {
#if defined(_WIN32)
    return ::_write(file, bytes, static_cast<unsigned>(size));
#else
    return ::write(file, bytes, size);
#endif
  }
  /// Waits until what was written is on the disk.
  virtual bool sync(int file) {
#if defined(_WIN32)
    return ::_commit(file) == 0;
#elif defined(__APPLE__) && defined(F_FULLFSYNC)
    // fsync() there does not wait for the disk; some file systems have no other.
    return ::fcntl(file, F_FULLFSYNC) == 0 || ::fsync(file) == 0;
#else
    return ::fsync(file) == 0;
#endif
  }
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
  /// Gives a file another name, in place of the file that has it.
  virtual bool rename(const std::string& from, const std::string& to) {
#if defined(_WIN32)
    constexpr unsigned long replace_existing = 1, write_through = 8;
    return ::MoveFileExA(from.c_str(), to.c_str(), replace_existing | write_through) != 0;
#else
    return std::rename(from.c_str(), to.c_str()) == 0;
#endif
  }
  virtual bool remove(const std::string& path) { return std::remove(path.c_str()) == 0; }
  /// What stands under a name; nothing if that cannot be told.
  virtual std::optional<file_type> type_of(const std::string& path) {
    struct stat status;
    if (::stat(path.c_str(), &status) == 0) {
      return (status.st_mode & S_IFMT) == S_IFREG ? file_type::regular : file_type::other;
    }
    return errno == ENOENT ? std::optional(file_type::none) : std::nullopt;
  }
  /// Waits until the names in a folder are on the disk.
  virtual bool sync_folder(const std::string& folder) {
#if defined(_WIN32)
    static_cast<void>(folder);  // There, renaming waits itself.
    return true;
#else
    const int opened = ::open(folder.c_str(), O_RDONLY | O_CLOEXEC);
    if (opened < 0) return false;
    // Some file systems sync no folders, and say EINVAL.
    const bool synced = ::fsync(opened) == 0 || errno == EINVAL;
    const int error = errno;
    ::close(opened);
    errno = error;
    return synced;
#endif
  }

 private:
  static int open_file(const std::string& path, int flags) {
#if defined(_WIN32)
    return ::_open(path.c_str(), flags | _O_WRONLY | _O_BINARY, _S_IREAD | _S_IWRITE);
#else
    return ::open(path.c_str(), flags | O_WRONLY | O_CLOEXEC, 0666);
#endif
  }
};

inline file_operations& system_files() {
  static file_operations operations;
  return operations;
}

/// Throws: std::runtime_error "cannot WHAT PATH: why", by errno.
[[noreturn]] inline void fail_with_errno(const char* what, const std::string& path) {
  const int error = errno;
  fail<std::runtime_error>(std::string("cannot ") + what + " " + path + ": " + std::strerror(error));
}

/// Writes all of it. Returns: whether that succeeded; if not, errno tells why.
inline bool write_all(file_operations& files, int file, std::span<const std::byte> bytes) {
  constexpr std::size_t most = std::size_t{1} << 30;  // what every system writes at a time
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

[[nodiscard]] inline std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == path.npos ? "." : path.substr(0, slash + 1);
}

/// The file that a name stands for: where links lead to, even if nothing is there yet, and from the root of the file
/// system, so that it stays the same file when the process goes to another folder.
[[nodiscard]] inline std::string settled_path(std::string path) {
#if !defined(_WIN32)
  constexpr int max_links = 40;  // as Linux
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

/// Makes a file of these pieces: whole and on the disk when it returns, or what was there before. Where PATH is a link,
/// it is the file that this leads to, also if that is not there yet.
/// It is written under another name first, PATH.<process>.<number>.tmp, which stays behind only if the process is
/// killed.
/// Throws: std::runtime_error naming the file. If the last step fails, syncing the folder, the new file is in place,
/// though not surely after a power failure.
inline void save_file(file_operations& files, const std::string& name,
                      std::span<const std::span<const std::byte>> pieces) {
  const std::string path = settled_path(name);
  const std::optional<file_type> there = files.type_of(path);
  if (!there) fail_with_errno("save", path);
  if (*there == file_type::other) {
    // Renaming would put a file in place of a device or a folder.
    fail<std::runtime_error>("cannot save " + path + ": it is no regular file");
  }
  static std::atomic<unsigned> saved{0};
#if defined(_WIN32)
  const int process = ::_getpid();
#else
  const int process = ::getpid();
#endif
  const std::string folder = folder_of(path);  // now, so that nothing fails once the file is there
  std::string temporary;
  int file = -1;
  // A process with the same number may have been killed and left one behind.
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

}  // namespace neardup::inline v0::detail
