#include "platform.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <mutex>
#include <system_error>
#include <utility>

#include "errors.hpp"

#if defined(__unix__) || defined(__APPLE__)
#define NEARDUP_PROGRAM_POSIX 1
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#else
#define NEARDUP_PROGRAM_POSIX 0
#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#endif
#endif

namespace command {

namespace {

[[noreturn]] void fail_with_errno() { throw std::system_error(errno, std::generic_category()); }

[[noreturn]] void fail_temporary(int error) {
  throw output_error("cannot write a temporary file in " + std::filesystem::temp_directory_path().string() + ": " +
                     std::generic_category().message(error));
}

}  // namespace

#if NEARDUP_PROGRAM_POSIX

namespace {

/// Reads until `size` bytes are there or the file ends.
std::size_t read_all_at(int descriptor, std::uint64_t offset, char* to, std::size_t size) {
  std::size_t total = 0;
  while (total < size) {
    const ssize_t count = ::pread(descriptor, to + total, size - total, static_cast<off_t>(offset + total));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_with_errno();
    if (count == 0) break;
    total += static_cast<std::size_t>(count);
  }
  return total;
}

}  // namespace

struct input_file::handle {
  int descriptor = -1;
  bool owned = true;

  explicit handle(int d, bool o) : descriptor(d), owned(o) {}
  handle(const handle&) = delete;
  handle& operator=(const handle&) = delete;
  ~handle() {
    if (owned) ::close(descriptor);
  }
};

input_file::input_file(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) fail_with_errno();
  handle_ = std::make_unique<handle>(descriptor, true);
  look();
}

input_file::input_file(standard /*tag*/) : handle_(std::make_unique<handle>(STDIN_FILENO, false)) { look(); }

void input_file::look() {
  struct stat status {};
  if (::fstat(handle_->descriptor, &status) != 0) fail_with_errno();
  regular_ = S_ISREG(status.st_mode);
  // Standard input may be a regular file that is already read in part: places in it would be the wrong ones.
  if (!handle_->owned && regular_ && ::lseek(handle_->descriptor, 0, SEEK_CUR) != 0) regular_ = false;
  if (regular_) size_ = static_cast<std::uint64_t>(status.st_size);
}

std::size_t input_file::read(char* to, std::size_t size, const std::atomic<bool>& stop) {
  // One read may move at most 2 GiB.
  size = std::min<std::size_t>(size, std::size_t{1} << 30);
  if (regular_) {
    const std::size_t count = read_all_at(handle_->descriptor, position_, to, size);
    position_ += count;
    return count;
  }
  while (!stop.load(std::memory_order_relaxed)) {
    constexpr int patience = 100;  // milliseconds until the next look at `stop`
    pollfd waiting{handle_->descriptor, POLLIN, 0};
    if (::poll(&waiting, 1, patience) == 0) continue;
    const ssize_t count = ::read(handle_->descriptor, to, size);
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR && errno != EAGAIN) fail_with_errno();
  }
  return 0;
}

std::size_t input_file::read_at(std::uint64_t offset, char* to, std::size_t size) const {
  return read_all_at(handle_->descriptor, offset, to, size);
}

struct temporary_file::handle {
  int descriptor = -1;

  explicit handle(int d) : descriptor(d) {}
  handle(const handle&) = delete;
  handle& operator=(const handle&) = delete;
  ~handle() { ::close(descriptor); }
};

temporary_file::temporary_file() {
  std::error_code error;
  std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  if (error) throw output_error("there is no folder for a temporary file (TMPDIR): " + error.message());
  std::string path = (folder / "neardup-XXXXXX").string();
  const int descriptor = ::mkstemp(path.data());
  if (descriptor < 0) fail_temporary(errno);
  ::unlink(path.c_str());
  handle_ = std::make_unique<handle>(descriptor);
}

void temporary_file::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(handle_->descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_temporary(errno);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

std::size_t temporary_file::read_at(std::uint64_t offset, char* to, std::size_t size) const {
  return read_all_at(handle_->descriptor, offset, to, size);
}

bool is_standard_input(const std::string& path) {
  struct stat own {};
  struct stat other {};
  return ::fstat(STDIN_FILENO, &own) == 0 && ::stat(path.c_str(), &other) == 0 && !S_ISREG(other.st_mode) &&
         own.st_dev == other.st_dev && own.st_ino == other.st_ino;
}

bool is_terminal(std::FILE* file) { return ::isatty(::fileno(file)) != 0; }

void prepare_standard_streams() {
  std::signal(SIGPIPE, SIG_IGN);
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    // For the wrong direction: then reading and writing fail as they did before.
    const int direction = descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    if (::fcntl(descriptor, F_GETFD) < 0) static_cast<void>(::open("/dev/null", direction));
  }
}

#else  // the C library alone

namespace {

std::size_t read_all_at(std::FILE* file, std::mutex& mutex, std::uint64_t offset, char* to, std::size_t size) {
  const std::lock_guard lock(mutex);
#ifdef _WIN32
  if (_fseeki64(file, static_cast<long long>(offset), SEEK_SET) != 0) fail_with_errno();
#else
  if (std::fseek(file, static_cast<long>(offset), SEEK_SET) != 0) fail_with_errno();
#endif
  const std::size_t count = std::fread(to, 1, size, file);
  if (count < size && std::ferror(file) != 0) fail_with_errno();
  return count;
}

}  // namespace

struct input_file::handle {
  std::FILE* file = nullptr;
  mutable std::mutex mutex{};

  explicit handle(std::FILE* f) : file(f) {}
  handle(const handle&) = delete;
  handle& operator=(const handle&) = delete;
  ~handle() {
    if (file != stdin) std::fclose(file);
  }
};

input_file::input_file(const std::string& path) {
  std::FILE* const file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) fail_with_errno();
  std::setvbuf(file, nullptr, _IONBF, 0);
  handle_ = std::make_unique<handle>(file);
  std::error_code error;
  regular_ = std::filesystem::is_regular_file(path, error);
  if (regular_) size_ = std::filesystem::file_size(path, error);
}

input_file::input_file(standard /*tag*/) : handle_(std::make_unique<handle>(stdin)) {}

std::size_t input_file::read(char* to, std::size_t size, const std::atomic<bool>& /*stop*/) {
  const std::size_t count = std::fread(to, 1, size, handle_->file);
  if (count == 0 && std::ferror(handle_->file) != 0) fail_with_errno();
  return count;
}

std::size_t input_file::read_at(std::uint64_t offset, char* to, std::size_t size) const {
  return read_all_at(handle_->file, handle_->mutex, offset, to, size);
}

struct temporary_file::handle {
  std::FILE* file = nullptr;
  std::mutex mutex{};

  explicit handle(std::FILE* f) : file(f) {}
  handle(const handle&) = delete;
  handle& operator=(const handle&) = delete;
  ~handle() { std::fclose(file); }
};

temporary_file::temporary_file() {
  std::FILE* const file = std::tmpfile();
  if (file == nullptr) fail_temporary(errno);
  std::setvbuf(file, nullptr, _IONBF, 0);
  handle_ = std::make_unique<handle>(file);
}

void temporary_file::write(std::string_view bytes) {
  const std::lock_guard lock(handle_->mutex);
  if (std::fseek(handle_->file, 0, SEEK_END) != 0 ||
      std::fwrite(bytes.data(), 1, bytes.size(), handle_->file) != bytes.size()) {
    fail_temporary(errno);
  }
}

std::size_t temporary_file::read_at(std::uint64_t offset, char* to, std::size_t size) const {
  return read_all_at(handle_->file, handle_->mutex, offset, to, size);
}

bool is_standard_input(const std::string& /*path*/) { return false; }

bool is_terminal([[maybe_unused]] std::FILE* file) {
#ifdef _WIN32
  return _isatty(_fileno(file)) != 0;
#else
  return false;
#endif
}

void prepare_standard_streams() {
#ifdef _WIN32
  _setmode(_fileno(stdin), _O_BINARY);
  _setmode(_fileno(stdout), _O_BINARY);
#endif
}

#endif

input_file input_file::standard_input() { return input_file(standard{}); }
input_file::input_file(input_file&& other) noexcept = default;
input_file& input_file::operator=(input_file&& other) noexcept = default;
input_file::~input_file() = default;
temporary_file::~temporary_file() = default;

}  // namespace command
