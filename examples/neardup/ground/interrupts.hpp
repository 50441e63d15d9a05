// Files that must not stay behind when the program is ended by a signal.
#pragma once

#include <functional>
#include <string>

namespace command {

/// A file that SIGINT, SIGTERM and SIGHUP take away before they end the program, as long as this lives. What began as
/// such a file and got its final name stays.
class unfinished_file {
 public:
  unfinished_file() = default;

  /// Calls `create()`, which makes the file and returns its path, or an empty path if it made none.
  explicit unfinished_file(const std::function<std::string()>& create);

  /// The files that the library writes beside this one before they take its name.
  static unfinished_file beside(const std::string& path);

  unfinished_file(const unfinished_file&) = delete;
  unfinished_file& operator=(const unfinished_file&) = delete;
  unfinished_file(unfinished_file&& other) noexcept;
  unfinished_file& operator=(unfinished_file&& other) noexcept;
  ~unfinished_file() { finish(); }

  /// Leaves the file alone from now on.
  void finish() noexcept {
    finish([] {});
  }

  /// Calls `end()`, which takes the file away itself, and leaves alone what has that name then.
  void finish(const std::function<void()>& end) noexcept;

 private:
  std::size_t number_ = 0;  // 0: none
};

}  // namespace command
