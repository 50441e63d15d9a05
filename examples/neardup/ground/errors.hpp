// The errors of the program. An error becomes one line on standard error, and the exit status 2.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace command {

/// The error of a command line that asks for something that does not exist, or that combines options which exclude each
/// other.
struct usage_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The effect of bad input on the run.
enum class trouble {
  ends_run,     ///< unless --skip-bad is given
  passed_over,  ///< for input in a folder: reported, and reflected in the exit status
  left_out,     ///< a binary file in a folder: only counted
  foreign       ///< a compressed file, an archive or a table in a folder: counted, and the first one is named
};

/// A file, folder or record that cannot be read. `where` is "file", "file:line" or empty.
struct bad_input {
  std::string where;
  std::string what;
  trouble kind = trouble::ends_run;
  std::uint64_t unread = 0;  ///< number of bytes after the bad input that cannot be read

  [[nodiscard]] std::string text() const { return where.empty() ? what : where + ": " + what; }
};

/// The error of bad input that ends the program.
struct input_error : std::runtime_error {
  explicit input_error(const bad_input& bad) : std::runtime_error(bad.text()) {}
};

/// The error of a source that cannot be read, or cannot be read to its end. The message does not name the source.
struct read_error : std::runtime_error {
  using std::runtime_error::runtime_error;
  read_error(const std::string& what, std::uint64_t unread_bytes) : std::runtime_error(what), unread(unread_bytes) {}

  std::uint64_t unread = 0;  ///< number of bytes of the source that were not read, as far as known
};

/// The error of a source in which a part is damaged. The next read continues after that part.
struct gap_error : read_error {
  using read_error::read_error;
};

/// The error of a binary file in a folder. Only texts are read from folders.
struct binary_file : read_error {
  binary_file() : read_error("a binary file") {}
};

/// The error of a file in a known format that is not text.
struct foreign_file : read_error {
  foreign_file(const std::string& what, bool may_have_texts) : read_error(what), may_hold_texts(may_have_texts) {}

  bool may_hold_texts;  ///< true unless the file is of a kind without text, such as a picture or a program
};

/// The error of an output or a temporary file that cannot be written.
struct output_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The error of a standard output that the reading program has closed.
struct reader_gone : output_error {
  using output_error::output_error;
};

}  // namespace command
