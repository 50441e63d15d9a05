// What can go wrong. Each becomes one line on standard error and exit status 2.
#pragma once

#include <stdexcept>
#include <string>

namespace command {

/// The command line asks for something that there is not, or that does not go together.
struct usage_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A file, folder or record that cannot be used: `where` is "file", "file:line" or empty.
struct bad_input {
  std::string where;
  std::string what;

  [[nodiscard]] std::string text() const { return where.empty() ? what : where + ": " + what; }
};

/// Bad input that ends the program.
struct input_error : std::runtime_error {
  explicit input_error(const bad_input& bad) : std::runtime_error(bad.text()) {}
};

/// The output, or a temporary file, could not be written.
struct output_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace command
