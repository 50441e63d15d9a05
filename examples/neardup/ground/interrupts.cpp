#include "interrupts.hpp"

#include <pthread.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <map>
#include <mutex>
#include <string_view>
#include <system_error>
#include <utility>

namespace command {

namespace {

struct unfinished {
  std::string path;
  bool is_beside;  // true: all files that begin with this path, and end like temporary files of the library
};

/// The unfinished files, by number. A file is created and registered under the mutex, so that no signal is handled
/// between the two steps.
struct registry {
  std::mutex mutex;
  std::map<std::size_t, unfinished> files;
  std::size_t last_number = 0;
  bool is_watched = false;
};

/// Returns all unfinished files. The registry is never destroyed, because a signal may come while the program ends.
registry& all_unfinished() {
  static registry* const all = new registry();
  return *all;
}

void remove(const unfinished& file) noexcept {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!file.is_beside) {
    fs::remove(file.path, error);
    return;
  }
  const fs::path path = file.path;
  const std::string beginning = path.filename().string() + '.' + std::to_string(::getpid()) + '.';
  const fs::path folder = path.has_parent_path() ? path.parent_path() : ".";
  for (fs::directory_iterator i(folder, error), end; !error && i != end; i.increment(error)) {
    const std::string name = i->path().filename().string();
    std::error_code ignored;
    if (name.starts_with(beginning) && name.ends_with(".tmp")) fs::remove(i->path(), ignored);
  }
}

/// Returns the signals that end the program, except those that were ignored when the program started.
sigset_t watched_signals() {
  sigset_t signals;
  ::sigemptyset(&signals);
  for (const int number : std::array{SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action {};
    if (::sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_DFL) ::sigaddset(&signals, number);
  }
  return signals;
}

/// Waits for a signal, removes the unfinished files, and ends the program by this signal.
void* wait_for_signal(void* /*nothing*/) {
  const sigset_t signals = watched_signals();
  int number = 0;
  if (::sigwait(&signals, &number) != 0) return nullptr;
  registry& all = all_unfinished();
  all.mutex.lock();  // never unlocked, so that no further file is begun
  for (const auto& [key, file] : all.files) remove(file);
  std::signal(number, SIG_DFL);
  ::pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  ::kill(::getpid(), number);
  return nullptr;
}

/// Starts a thread that waits for signals. Threads that start later do not receive these signals. If no thread can be
/// started, signals end the program as usual.
/// Precondition: `all.mutex` is locked.
void watch(registry& all) noexcept {
  if (std::exchange(all.is_watched, true)) return;
  const sigset_t signals = watched_signals();
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  pthread_attr_t attributes;
  ::pthread_attr_init(&attributes);
  constexpr std::size_t stack = std::size_t{1} << 18;  // the usual 8 MB matter if the address space is limited
  ::pthread_attr_setstacksize(&attributes, stack);
  ::pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_t thread{};
  if (::pthread_create(&thread, &attributes, wait_for_signal, nullptr) != 0) {
    ::pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  }
  ::pthread_attr_destroy(&attributes);
}

}  // namespace

unfinished_file::unfinished_file(const std::function<std::string()>& create) {
  registry& all = all_unfinished();
  const std::lock_guard lock(all.mutex);
  watch(all);
  std::string path = create();
  if (path.empty()) return;
  number_ = ++all.last_number;
  all.files.emplace(number_, unfinished{std::move(path), false});
}

unfinished_file unfinished_file::beside(const std::string& path) {
  registry& all = all_unfinished();
  const std::lock_guard lock(all.mutex);
  watch(all);
  unfinished_file result;
  result.number_ = ++all.last_number;
  all.files.emplace(result.number_, unfinished{path, true});
  return result;
}

unfinished_file::unfinished_file(unfinished_file&& other) noexcept : number_(std::exchange(other.number_, 0)) {}

unfinished_file& unfinished_file::operator=(unfinished_file&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

void unfinished_file::finish(const std::function<void()>& end) noexcept {
  if (number_ == 0) return;
  registry& all = all_unfinished();
  const std::lock_guard lock(all.mutex);
  end();
  all.files.erase(std::exchange(number_, 0));
}

}  // namespace command
