#include "platform.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <limits>
#include <new>
#include <system_error>

#include "errors.hpp"
#include "pipeline.hpp"

namespace command {

namespace {

[[noreturn]] void fail_to_read() { throw read_error(std::generic_category().message(errno)); }

/// Returns the folder that TMPDIR names, or /tmp if TMPDIR is not set, or is empty.
std::string temporary_folder() {
  const char* const given = std::getenv("TMPDIR");
  return given == nullptr || *given == '\0' ? "/tmp" : given;
}

[[noreturn]] void fail_temporary(int error) {
  throw output_error("cannot write a temporary file in " + temporary_folder() +
                     " (TMPDIR names another folder): " + std::generic_category().message(error));
}

descriptor opened(const std::string& path) {
  const int number = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (number < 0) fail_to_read();
  return descriptor(number);
}

/// Opens a file that has no name.
/// Throws: output_error if the file cannot be opened.
descriptor open_temporary() {
  const std::string folder = temporary_folder();
#if defined(O_TMPFILE)
  // If the file system supports O_TMPFILE, the file never has a name, so a killed process leaves no file.
  if (const int unnamed = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600); unnamed >= 0) {
    return descriptor(unnamed);
  }
#endif
  std::string path = folder + "/neardup-XXXXXX";
  const int number = ::mkstemp(path.data());
  if (number < 0) fail_temporary(errno);
  ::unlink(path.c_str());
  return descriptor(number);
}

/// Reads with one system call. Returns the number of bytes, or 0 at the end of the file.
std::size_t read_once_at(const descriptor& file, std::uint64_t offset, char* to, std::size_t size) {
  for (;;) {
    const ssize_t count = ::pread(file.number(), to, size, static_cast<off_t>(offset));
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR) fail_to_read();
  }
}

/// Reads until `size` bytes are read or the file ends.
std::size_t read_all_at(const descriptor& file, std::uint64_t offset, char* to, std::size_t size) {
  std::size_t total = 0;
  for (std::size_t count = 1; count > 0 && total < size; total += count) {
    count = read_once_at(file, offset + total, to + total, size - total);
  }
  return total;
}

bool ignores_closed_pipes = false;  // SIGPIPE was ignored when the program started

void give_rights(int descriptor, const struct stat& other) {
  struct stat current {};
  if (::fstat(descriptor, &current) != 0) return;
  // Only root may change the owner of a file. Other users may change the group only to one of their groups.
  if (current.st_uid != other.st_uid)
    static_cast<void>(::fchown(descriptor, other.st_uid, static_cast<gid_t>(-1)) == 0);
  mode_t mode = other.st_mode & 0777;
  if (current.st_gid != other.st_gid && ::fchown(descriptor, static_cast<uid_t>(-1), other.st_gid) != 0) {
    mode &= static_cast<mode_t>(~S_IRWXG);
  }
  ::fchmod(descriptor, mode);
}

}  // namespace

descriptor::~descriptor() {
  if (number_ > 0) ::close(number_);
}

input_file::input_file(const std::string& path) : file_(path == "-" ? descriptor(0) : opened(path)) {
  struct stat status {};
  if (::fstat(file_.number(), &status) != 0) fail_to_read();
  regular_ = S_ISREG(status.st_mode);
  size_ = static_cast<std::uint64_t>(status.st_size);
  // Standard input may be a regular file of which a part was read before. Positions would then be wrong.
  if (path == "-" && regular_ && ::lseek(file_.number(), 0, SEEK_CUR) != 0) regular_ = false;
#if defined(F_SETPIPE_SZ)
  // The default size of a pipe is 64 KB, with which reader and writer often wait for each other. If the size cannot be
  // changed, the default stays.
  if (S_ISFIFO(status.st_mode)) static_cast<void>(::fcntl(file_.number(), F_SETPIPE_SZ, 1 << 20));
#endif
}

std::size_t input_file::read(char* to, std::size_t size, const std::atomic<bool>& stop) {
  // One system call reads at most 2 GiB.
  size = std::min<std::size_t>(size, std::size_t{1} << 30);
  if (regular_) {
    if (has_ended_) return 0;
    std::size_t count = 0;
    try {
      count = read_once_at(file_, position_, to, size);
    } catch (const read_error& error) {
      throw read_error(error.what(), size_ - std::min(size_, position_));
    }
    position_ += count;
    // A short read to `size_` shows the end of the file. A further call would double the time for a small file.
    has_ended_ = count < size && position_ == size_;
    return count;
  }
  while (!stop.load(std::memory_order_relaxed)) {
    constexpr int patience = 100;  // milliseconds until `stop` is checked again
    pollfd waiting{file_.number(), POLLIN, 0};
    if (::poll(&waiting, 1, patience) == 0) continue;
    const ssize_t count = ::read(file_.number(), to, size);
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR && errno != EAGAIN) fail_to_read();
  }
  return 0;
}

bool input_file::is_ready(int milliseconds) const {
  pollfd waiting{file_.number(), POLLIN, 0};
  return regular_ || ::poll(&waiting, 1, milliseconds) != 0;
}

std::size_t input_file::read_at(std::uint64_t offset, char* to, std::size_t size) const {
  return read_all_at(file_, offset, to, size);
}

std::uint64_t temporary_file::append(std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  if (!file_) file_.emplace(open_temporary());
  const std::uint64_t place = std::exchange(size_, size_ + bytes.size());
  while (!bytes.empty()) {
    const ssize_t count = ::write(file_->number(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_temporary(errno);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return place;
}

void temporary_file::read_at(std::uint64_t offset, char* to, std::size_t size) const {
  if (read_all_at(*file_, offset, to, size) < size) throw output_error("a temporary file was cut off");
}

std::shared_ptr<void> memory_of_large_pages(std::size_t size) {
  constexpr std::size_t large_page = std::size_t{1} << 21;
  const std::align_val_t alignment{size < large_page ? alignof(std::max_align_t) : large_page};
  std::shared_ptr<void> memory(::operator new(size, alignment),
                               [alignment](void* data) { ::operator delete(data, alignment); });
#if defined(MADV_HUGEPAGE)
  if (size >= large_page) static_cast<void>(::madvise(memory.get(), size, MADV_HUGEPAGE));
#endif
  return memory;
}

std::shared_ptr<void> memory_in_file(std::size_t size) {
  const descriptor file = open_temporary();
  // Allocates the space now. Otherwise a write to the mapping would end the program if the disk is full.
#if defined(__linux__)
  const int error = ::posix_fallocate(file.number(), 0, static_cast<off_t>(size));
#else
  const int error = ::ftruncate(file.number(), static_cast<off_t>(size)) == 0 ? 0 : errno;
#endif
  if (error != 0) fail_temporary(error);
  void* const data = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file.number(), 0);
  if (data == MAP_FAILED) fail_temporary(errno);
  // By default, Linux reads up to several megabytes around a missing page. These pages displace pages that are in use.
  static_cast<void>(::posix_madvise(data, size, POSIX_MADV_RANDOM));
  return {data, [size](void* memory) { ::munmap(memory, size); }};
}

void will_need(const void* data, std::size_t size) noexcept {
  const std::size_t before = reinterpret_cast<std::uintptr_t>(data) % static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  auto* const page = const_cast<char*>(static_cast<const char*>(data)) - before;
  // This call is a hint, so its failure changes no result.
  static_cast<void>(::posix_madvise(page, size + before, POSIX_MADV_WILLNEED));
}

namespace {

constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

/// Returns the limit of a resource of this process, in bytes.
template <class Resource>
std::uint64_t limit_of(Resource resource) {
  struct rlimit limit {};
  if (::getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return no_limit;
  return static_cast<std::uint64_t>(limit.rlim_cur);
}

/// Returns the number at the beginning of a file.
/// Returns: nullopt if there is no such file, or if the file does not begin with a number, as in "max".
std::optional<std::uint64_t> number_in(const std::string& path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  return file >> number ? std::optional(number) : std::nullopt;
}

/// Returns the least limit of `group`, its ancestors and `root`. In a container, `root` may be the container's group.
std::uint64_t least_limit(const std::string& root, std::string group, const std::string& file) {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (;;) {
    std::string path = root;
    path.append(group).append("/").append(file);
    if (const auto limit = number_in(path)) least = std::min(least, *limit);
    const std::size_t slash = group.rfind('/');
    if (slash == group.npos) return least;
    group.resize(slash);
  }
}

/// Returns the limit of this process's control groups, or the largest number if there is no limit.
std::uint64_t limit_of_groups() {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first == line.npos ? first : first + 1);
    if (second == line.npos) continue;
    // In version 2 of control groups, the line has no names of controllers, as in "0::/user".
    const std::string controllers = ',' + line.substr(first + 1, second - first - 1) + ',',
                      group = line.substr(second + 1);
    if (controllers == ",,") least = std::min(least, least_limit("/sys/fs/cgroup", group, "memory.max"));
    if (controllers.find(",memory,") != controllers.npos) {
      least = std::min(least, least_limit("/sys/fs/cgroup/memory", group, "memory.limit_in_bytes"));
    }
  }
  return least;
}

}  // namespace

std::uint64_t available_memory() {
  constexpr std::uint64_t guess = std::uint64_t{1} << 32;
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page = ::sysconf(_SC_PAGESIZE);
  std::uint64_t size =
      pages > 0 && page > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page) : guess;
  size = std::min(size, limit_of_groups());
  size = std::min(size, limit_of(RLIMIT_DATA));
  const std::uint64_t addresses = limit_of(RLIMIT_AS);
  if (addresses == no_limit) return size;
  // Libraries and stacks also occupy addresses. The first number in /proc/self/statm counts the occupied pages.
  const std::uint64_t occupied = number_in("/proc/self/statm").value_or(0) * static_cast<std::uint64_t>(page);
  return std::min(size, addresses - std::min(occupied, addresses / 2));
}

bool is_terminal(std::FILE* file) { return ::isatty(::fileno(file)) != 0; }

std::FILE* create_file(const std::string& path, bool is_private) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, is_private ? 0600 : 0666);
  if (descriptor < 0) return nullptr;
  std::FILE* const file = ::fdopen(descriptor, "wb");
  if (file == nullptr) ::close(descriptor);
  return file;
}

bool sync_file(std::FILE* file) { return ::fsync(::fileno(file)) == 0; }

bool sync_folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const descriptor open(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Some file systems cannot sync a folder.
  return open.number() >= 0 && (::fsync(open.number()) == 0 || errno == EINVAL);
}

void copy_rights(std::FILE* file, const std::string& from) {
  struct stat other {};
  if (::stat(from.c_str(), &other) == 0) give_rights(::fileno(file), other);
}

std::string link_target(const std::string& path) {
  namespace fs = std::filesystem;
  constexpr int max_links = 40;  // the limit of Linux
  fs::path found = path;
  std::error_code error;
  // The links of /proc to pipes and sockets do not name files.
  const fs::file_type type = fs::status(path, error).type();
  if (type == fs::file_type::fifo || type == fs::file_type::socket) return path;
  for (int links = 0; links < max_links && fs::is_symlink(fs::symlink_status(found, error)); ++links) {
    const fs::path to = fs::read_symlink(found, error);
    if (error) break;
    found = to.is_absolute() ? to : found.parent_path() / to;
  }
  return found.string();
}

std::string identity_of_file(const std::string& path) {
  const auto identity_of = [](const struct stat& status) {
    return std::to_string(status.st_dev) + ':' + std::to_string(status.st_ino);
  };
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) return S_ISREG(status.st_mode) ? identity_of(status) : "";
  const std::filesystem::path target = link_target(path);
  const std::string folder = target.has_parent_path() ? target.parent_path().string() : ".";
  if (::stat(folder.c_str(), &status) != 0) return "";
  return identity_of(status) + '/' + target.filename().string();
}

bool may_replace(const std::string& path) {
  if (::access(path.c_str(), W_OK) != 0) return false;
  // In a folder with the sticky bit, such as /tmp, only the owner of the file or of the folder may replace the file.
  struct stat file {};
  struct stat folder {};
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  const uid_t self = ::geteuid();
  const bool is_kept = ::stat(path.c_str(), &file) == 0 &&
                       ::stat(parent.empty() ? "." : parent.c_str(), &folder) == 0 && (folder.st_mode & S_ISVTX) != 0 &&
                       self != 0 && self != file.st_uid && self != folder.st_uid;
  if (is_kept) errno = EPERM;
  return !is_kept;
}

void replace_with_rights(const std::string& path, const std::string& like, const std::function<void()>& replace) {
  struct stat old {};
  if (::stat(like.c_str(), &old) != 0 || !S_ISREG(old.st_mode)) return replace();
  const mode_t mask = ::umask(0777);
  ::umask(mask | (~old.st_mode & 0777));
  const std::exception_ptr failure = caught(replace);
  ::umask(mask);
  if (failure) std::rethrow_exception(failure);
  const descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  give_rights(file.number(), old);
}

void end_by_closed_pipe() {
  if (ignores_closed_pipes) return;
  std::signal(SIGPIPE, SIG_DFL);
  static_cast<void>(std::raise(SIGPIPE));
}

void prepare_allocator() {
#if defined(__GLIBC__)
  ::mallopt(M_MMAP_THRESHOLD, 1 << 22);
  ::mallopt(M_TRIM_THRESHOLD, 1 << 24);
  if (limit_of(RLIMIT_AS) != no_limit) ::mallopt(M_ARENA_MAX, 1);
#endif
}

namespace {

/// Writes to standard error with write(), because a signal handler may not call the usual output functions.
void write_error(std::string_view text) { static_cast<void>(::write(STDERR_FILENO, text.data(), text.size()) < 0); }

/// Finds the file that is mapped at an address, in the lines "begin-end rights offset device inode path" of
/// /proc/self/maps. Calls only functions that a signal handler may call.
/// Returns: the path of the file, or an empty text if nothing is known. The path has `\012` for a line feed. It ends in
/// " (deleted)" if the file no longer has a name.
std::string_view path_of_mapping(std::uintptr_t address) {
  static char piece[4096], line[4096 + 256];
  const int file = ::open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  std::string_view found;
  std::size_t length = 0;
  for (ssize_t count = 0; found.empty() && (count = ::read(file, piece, sizeof piece)) > 0;) {
    for (const char c : std::string_view(piece, static_cast<std::size_t>(count))) {
      if (c != '\n') {
        if (length < sizeof line) line[length++] = c;
        continue;
      }
      const std::string_view whole(line, std::exchange(length, 0));
      std::uintptr_t begin = 0, end = 0;
      const auto [dash, no_begin] = std::from_chars(whole.data(), whole.data() + whole.size(), begin, 16);
      if (no_begin != std::errc() || dash == whole.data() + whole.size()) continue;
      const auto no_end = std::from_chars(dash + 1, whole.data() + whole.size(), end, 16).ec;
      if (no_end != std::errc() || address < begin || address >= end) continue;
      found = whole.substr(std::min(whole.find('/'), whole.size()));
      break;
    }
  }
  ::close(file);
  return found;
}

void end_by_lost_mapping(int /*signal*/, siginfo_t* about, void* /*context*/) {
  const std::string_view path = path_of_mapping(reinterpret_cast<std::uintptr_t>(about->si_addr));
  write_error("neardup: ");
  if (path.empty()) {
    write_error(
        "a file that is in use was cut off or changed in place, or there is no room left for a temporary one\n");
  } else if (path.find("/neardup-") != path.npos && path.ends_with(" (deleted)")) {
    write_error(path);
    write_error(": this temporary file cannot be read or written; its disk may be full or damaged\n");
  } else {
    write_error(path);
    write_error(": was cut off or changed in place while it was in use; put a new file in its place instead\n");
  }
  constexpr int failure = 2;
  ::_exit(failure);
}

}  // namespace

void say_lost_mappings() {
  struct sigaction action = {};
  action.sa_sigaction = end_by_lost_mapping;
  action.sa_flags = SA_SIGINFO;
  static_cast<void>(::sigaction(SIGBUS, &action, nullptr));
}

void prepare_standard_streams() {
  std::signal(SIGXFSZ, SIG_IGN);  // so a write beyond the file size limit fails, and does not end the program
  ignores_closed_pipes = std::signal(SIGPIPE, SIG_IGN) == SIG_IGN;
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    // The descriptor is opened in the wrong direction, so that reading and writing still fail.
    const int direction = descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    if (::fcntl(descriptor, F_GETFD) < 0) static_cast<void>(::open("/dev/null", direction));
  }
}

}  // namespace command
