// Writing results: checked to the last byte.
#pragma once

#include "../ground/interrupts.hpp"
#include "../ground/packing.hpp"

namespace command {

/// Standard output or a file. What was written stays written, whatever comes after.
///
/// A file is written as FILE.partial, which takes its name when all is done: until then an older one stays whole. If
/// there is a file or a link of that name, that is somebody else's, and may be an input: then as FILE.partial.1, and so
/// on. Where FILE is a link, all of this is about the file that it leads to, which need not be there yet. A file that is
/// replaced hands on its rights; until then FILE.partial is its owner's alone. A name that ends in .gz or .zst makes it
/// compressed. A signal that ends the program takes FILE.partial away.
class output {
 public:
  /// To standard output if `path` is empty. Throws: output_error.
  explicit output(const std::string& path);
  ~output();
  output(const output&) = delete;
  output& operator=(const output&) = delete;

  /// Throws: output_error when the disk is full or the reader has gone; then all further calls do nothing.
  output& operator<<(std::string_view bytes);
  output& operator<<(char byte) { return *this << std::string_view(&byte, 1); }

  /// How many bytes were handed over, before they are compressed.
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

  /// Hands on what is kept back. Throws: output_error.
  void flush();

  /// Where a file is written until all is done; empty for anything else.
  [[nodiscard]] const std::string& partial() const noexcept { return partial_; }

  /// Flushes, and closes a file; once more does nothing. Throws: output_error. Without it the end is lost silently.
  void close();

 private:
  void open(const std::string& path);
  void write(std::string_view bytes, packer::mode how);
  [[noreturn]] void fail();

  std::string name_;
  std::string target_;  // without links
  bool replaces_ = false;
  std::unique_ptr<packer> pack_;
  std::string partial_;
  unfinished_file unfinished_;  // that file
  std::FILE* file_;
  std::string buffer_;
  std::uint64_t size_ = 0;
  bool begun_ = false;
  bool failed_ = false;
};

/// Whether save_whole() can work as far as can be seen: what takes hours is not to fail at its end.
/// Throws: output_error.
void check_output(const std::string& path);

/// Lets `save(file)` replace the file that a name stands for, whole or not at all. That hands on its rights.
/// Throws: output_error.
void save_whole(const std::string& path, const std::function<void(const std::string&)>& save);

/// The same with the rights of the file at `like`, which need not be that one.
void save_whole(const std::string& path, const std::string& like, const std::function<void(const std::string&)>& save);

}  // namespace command
