// Writing results: checked to the last byte, and with strings that are safe where they go.
#pragma once

#include "packing.hpp"

namespace command {

/// Standard output or a file. What was written stays written, whatever comes after.
///
/// A file is written as FILE.partial, which takes its name when all is done: until then an older one stays whole. If
/// there is a file or a link of that name, that is somebody else's, and may be an input: then as FILE.partial.1, and so
/// on. Where FILE is a link, all of this is about the file that it leads to, which need not be there yet. A file that is
/// replaced hands on its rights; until then FILE.partial is its owner's alone. A name that ends in .gz or .zst makes it
/// compressed.
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

  /// Hands on what is kept back. Throws: output_error.
  void flush();

  /// Where a file is written until all is done; empty for anything else.
  [[nodiscard]] const std::string& partial() const noexcept { return partial_; }

  /// Flushes, and closes a file. Throws: output_error. Without it the end is lost silently.
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
  std::FILE* file_;
  std::string buffer_;
  bool begun_ = false;
  bool failed_ = false;
};

/// A JSON string with its quotes; ill-formed UTF-8 becomes U+FFFD, so that the result is always valid JSON.
std::string json_string(std::string_view text);

/// A JSON object as text.
class json_object {
 public:
  json_object& add(std::string_view name, std::string_view json) {
    text_.append(text_.empty() ? "{\"" : ",\"").append(name).append("\":").append(json);
    return *this;
  }
  [[nodiscard]] std::string text() const { return text_ + '}'; }

 private:
  std::string text_;
};

/// Whether save_whole() can work as far as can be seen: what takes hours is not to fail at its end.
/// Throws: output_error.
void check_output(const std::string& path);

/// Lets `save(file)` replace the file that a name stands for, whole or not at all. That hands on its rights.
/// Throws: output_error.
void save_whole(const std::string& path, const std::function<void(const std::string&)>& save);

/// Text that stays on its line: control characters as \n or \x1b, everything else as it is.
std::string on_one_line(std::string_view text);

/// The same, with a backslash as two: a name that can be read back.
std::string printable(std::string_view text);

/// Of well-formed UTF-8.
std::size_t code_points(std::string_view text);

/// A number with up to six significant digits, with a point in every locale.
std::string number(double value);

/// A number with so many digits behind the point.
std::string fixed(double value, int digits);

/// A similarity with three decimals, rounded down, so that 1.000 is said of equals only.
std::string similarity_text(double value);

/// "1,234,567"
std::string grouped(std::uint64_t value);

/// "1 document", "2 documents"
std::string counted(std::uint64_t count, std::string_view singular, std::string_view plural);

}  // namespace command
