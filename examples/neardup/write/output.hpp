// Writes results. Every write is checked for errors.
#pragma once

#include "../ground/interrupts.hpp"
#include "../ground/packing.hpp"

namespace command {

/// An output: standard output, or a file.
///
/// A file is written as FILE.partial, and renamed when it is complete. Until then, an older FILE stays intact. If there
/// already is a file or link FILE.partial, it may be the input of another program, so FILE.partial.1 is used, and so
/// on. If FILE is a link, FILE stands for the file to which the link leads. That file need not exist. A new file gets
/// the permissions of the file that it replaces. Until it gets them, only its owner can access it. If the name ends in
/// .gz or .zst, the output is compressed. If a signal ends the program, FILE.partial is removed.
class output {
 public:
  /// Opens the file at `path`, or standard output if `path` is empty.
  /// Throws: output_error if the file cannot be written.
  explicit output(const std::string& path);
  ~output();
  output(const output&) = delete;
  output& operator=(const output&) = delete;

  /// Writes bytes.
  /// Throws: output_error if the disk is full, or if the reader has closed the pipe. After that, further calls are
  /// no-ops.
  output& operator<<(std::string_view bytes);
  output& operator<<(char byte) { return *this << std::string_view(&byte, 1); }

  /// Returns the number of bytes written, before compression.
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

  /// Writes buffered bytes.
  /// Throws: output_error.
  void flush();

  /// Returns the temporary path of a file that is being written. Otherwise returns an empty text.
  [[nodiscard]] const std::string& partial() const noexcept { return partial_; }

  /// Flushes and closes the output. A second call is a no-op. Without a call, errors at the end are lost. If `on_disk`
  /// is true, waits until the renamed file and its name are on the disk, so that a power failure does not lose them.
  /// Throws: output_error.
  void close(bool on_disk = false);

 private:
  void open(const std::string& path);
  void write(std::string_view bytes, packer::mode how);
  [[noreturn]] void fail();

  std::string name_;
  std::string target_;  // path of the file to replace, without links
  bool replaces_ = false;
  std::unique_ptr<packer> pack_;
  std::string partial_;
  unfinished_file unfinished_;  // removes partial_ if a signal ends the program
  std::FILE* file_;
  std::string buffer_;
  std::uint64_t size_ = 0;
  bool begun_ = false;
  bool failed_ = false;
};

/// Checks at the start of a run, as far as possible, that a file at `path` can be written when the run ends.
/// Throws: output_error if the file cannot be written.
void check_output(const std::string& path);

/// Calls `save(target)`, which replaces a file atomically. `target` is `path`, or the target of the link at `path`. The
/// new file gets the permissions of the old file. Throws: output_error if `save` throws a std::runtime_error.
void save_whole(const std::string& path, const std::function<void(const std::string&)>& save);

/// Does what save_whole(path, save) does, but the new file gets the permissions of the file at `like`.
void save_whole(const std::string& path, const std::string& like, const std::function<void(const std::string&)>& save);

}  // namespace command
