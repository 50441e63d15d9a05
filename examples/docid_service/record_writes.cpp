// Records what a process writes below a folder, and when it syncs, for tests of power cuts (tests/power_cut_test.py):
//   LD_PRELOAD=librecord_writes.so RECORD_FOLDER=/data RECORD_FILE=/record program …
// An entry is a line "what size offset path", followed by `size` bytes. `what` is one of: write, truncate (to the
// offset), begin_sync, sync, rename (the bytes are the new path), unlink, send (the bytes went to a socket). The offset
// of a sync is a position in RECORD_FILE: the data written before this position are on the disk.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace {

/// Returns the original function `name`, which a function of the same name in this library replaces.
template <class Function>
Function* next_of(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

struct recorder {
  std::mutex mutex;
  std::map<int, std::string> files;  // open files below the folder
  std::string folder;
  FILE* out = nullptr;

  recorder() {
    const char* const of = std::getenv("RECORD_FOLDER");
    const char* const to = std::getenv("RECORD_FILE");
    if (of == nullptr || to == nullptr) return;
    folder = std::string(of) + '/';
    out = std::fopen(to, "wb");
  }

  [[nodiscard]] bool has(std::string_view path) const { return out != nullptr && path.starts_with(folder); }

  void add(const char* what, std::string_view path, std::string_view data, long offset) {
    std::fprintf(out, "%s %zu %ld %.*s\n", what, data.size(), offset, static_cast<int>(path.size()), path.data());
    std::fwrite(data.data(), 1, data.size(), out);
    std::fflush(out);
  }
  void add(const char* what, int file, std::string_view data = {}, long offset = 0) {
    if (const auto found = files.find(file); found != files.end()) add(what, found->second, data, offset);
  }
};

recorder& records() {
  static recorder* const one = new recorder;  // never destroyed, because other code may write at the end of the process
  return *one;
}

int opened(int file, const char* path, int flags) {
  const std::lock_guard lock(records().mutex);
  if (file >= 0 && records().has(path)) {
    records().files[file] = path;
    if ((flags & O_TRUNC) != 0) records().add("truncate", file);
  }
  return file;
}

ssize_t written(int file, const void* data, ssize_t size, long offset) {
  if (size > 0) {
    const std::lock_guard lock(records().mutex);
    records().add("write", file, {static_cast<const char*>(data), static_cast<std::size_t>(size)}, offset);
  }
  return size;
}

/// Syncs `file` with the function `name`, then records the sync with the position in RECORD_FILE at which it began.
/// Data that are written during the sync are on the disk only after the next sync.
template <class Function>
int synced(const char* name, int file) {
  long until = 0;
  {
    const std::lock_guard lock(records().mutex);
    records().add("begin_sync", file);
    until = records().out != nullptr ? std::ftell(records().out) : 0;
  }
  static Function* const next = next_of<Function>(name);
  const int result = next(file);
  if (result == 0) {
    const std::lock_guard lock(records().mutex);
    records().add("sync", file, {}, until);
  }
  return result;
}

}  // namespace

extern "C" {

#define OPEN(NAME)                                                        \
  int NAME(const char* path, int flags, ...) {                            \
    va_list rest;                                                         \
    va_start(rest, flags);                                                \
    const mode_t mode = va_arg(rest, mode_t);                             \
    va_end(rest);                                                         \
    static auto* const next = next_of<int(const char*, int, ...)>(#NAME); \
    return opened(next(path, flags, mode), path, flags);                  \
  }
OPEN(open)
OPEN(open64)

int close(int file) {
  {
    const std::lock_guard lock(records().mutex);
    records().files.erase(file);
  }
  static auto* const next = next_of<int(int)>("close");
  return next(file);
}

ssize_t pwrite(int file, const void* data, size_t size, off_t offset) {
  static auto* const next = next_of<ssize_t(int, const void*, size_t, off_t)>("pwrite");
  return written(file, data, next(file, data, size, offset), offset);
}
ssize_t pwrite64(int file, const void* data, size_t size, off64_t offset) {
  static auto* const next = next_of<ssize_t(int, const void*, size_t, off64_t)>("pwrite64");
  return written(file, data, next(file, data, size, offset), offset);
}
ssize_t write(int file, const void* data, size_t size) {
  static auto* const next = next_of<ssize_t(int, const void*, size_t)>("write");
  const ssize_t result = next(file, data, size);
  return written(file, data, result, result > 0 ? lseek(file, 0, SEEK_CUR) - result : 0);
}
ssize_t send(int file, const void* data, size_t size, int flags) {
  {
    const std::lock_guard lock(records().mutex);
    if (records().out != nullptr) records().add("send", "-", {static_cast<const char*>(data), size}, 0);
  }
  static auto* const next = next_of<ssize_t(int, const void*, size_t, int)>("send");
  return next(file, data, size, flags);
}

ssize_t sendmsg(int file, const msghdr* message, int flags) {
  std::string data;
  for (std::size_t i = 0; i < message->msg_iovlen; ++i)
    data.append(static_cast<const char*>(message->msg_iov[i].iov_base), message->msg_iov[i].iov_len);
  {
    const std::lock_guard lock(records().mutex);
    if (records().out != nullptr) records().add("send", "-", data, 0);
  }
  static auto* const next = next_of<ssize_t(int, const msghdr*, int)>("sendmsg");
  return next(file, message, flags);
}

int ftruncate(int file, off_t size) {
  static auto* const next = next_of<int(int, off_t)>("ftruncate");
  const int result = next(file, size);
  const std::lock_guard lock(records().mutex);
  if (result == 0) records().add("truncate", file, {}, size);
  return result;
}
int ftruncate64(int file, off64_t size) { return ftruncate(file, size); }

int fsync(int file) { return synced<int(int)>("fsync", file); }
int fdatasync(int file) { return synced<int(int)>("fdatasync", file); }

int rename(const char* from, const char* to) {
  static auto* const next = next_of<int(const char*, const char*)>("rename");
  const int result = next(from, to);
  const std::lock_guard lock(records().mutex);
  if (result == 0 && records().has(from)) records().add("rename", from, to, 0);
  return result;
}
int unlink(const char* path) {
  static auto* const next = next_of<int(const char*)>("unlink");
  const int result = next(path);
  const std::lock_guard lock(records().mutex);
  if (result == 0 && records().has(path)) records().add("unlink", path, {}, 0);
  return result;
}
}
