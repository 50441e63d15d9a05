// Files that are removed when a signal ends the program.
#pragma once

#include <functional>
#include <string>

namespace command {

/// A file that SIGINT, SIGTERM and SIGHUP remove before they end the program, as long as this object exists. A file
/// that has been renamed to its final name is not removed.
class unfinished_file {
 public:
  unfinished_file() = default;

  /// Calls `create()`, which creates the file and returns its path, or an empty path if it created none.
  explicit unfinished_file(const std::function<std::string()>& create);

  /// Returns an object for the temporary files that the library writes beside this file before it renames them.
  static unfinished_file beside(const std::string& path);

  unfinished_file(const unfinished_file&) = delete;
  unfinished_file& operator=(const unfinished_file&) = delete;
  unfinished_file(unfinished_file&& other) noexcept;
  unfinished_file& operator=(unfinished_file&& other) noexcept;
  ~unfinished_file() { finish(); }

  /// Ends the registration: from now on, the file is not removed.
  void finish() noexcept {
    finish([] {});
  }

  /// Calls `end()`, which removes the file itself. A later file of that name is not removed.
  void finish(const std::function<void()>& end) noexcept;

 private:
  std::size_t number_ = 0;  // 0 if there is no file
};

}  // namespace command
