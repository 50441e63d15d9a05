// Files that are removed if a signal ends the program.
#pragma once

#include <functional>
#include <string>

namespace command {

/// A file that is removed if SIGINT, SIGTERM or SIGHUP ends the program while this object exists. If the file was
/// renamed to its final name, it is not removed.
class unfinished_file {
 public:
  unfinished_file() = default;

  /// Calls `create()`, which creates the file and returns its path. If create() creates no file, it returns an empty
  /// path.
  explicit unfinished_file(const std::function<std::string()>& create);

  /// Registers all temporary files beside `path` that the library will rename to `path` when they are complete.
  static unfinished_file beside(const std::string& path);

  unfinished_file(const unfinished_file&) = delete;
  unfinished_file& operator=(const unfinished_file&) = delete;
  unfinished_file(unfinished_file&& other) noexcept;
  unfinished_file& operator=(unfinished_file&& other) noexcept;
  ~unfinished_file() { finish(); }

  /// Ends the registration. A later signal does not remove the file.
  void finish() noexcept {
    finish([] {});
  }

  /// Calls `end()`, which removes the file, and ends the registration. No signal is handled between the two steps.
  void finish(const std::function<void()>& end) noexcept;

 private:
  std::size_t number_ = 0;  // 0 if there is no file
};

}  // namespace command
