// What the standard library does not offer, by POSIX: reads that say what is there now, reads at a place, unnamed
// temporary files, terminals, the rights of files.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace command {

/// An open file, closed in the end unless it is standard input.
class descriptor {
 public:
  explicit descriptor(int number) noexcept : number_(number) {}
  descriptor(descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  descriptor& operator=(descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~descriptor();

  [[nodiscard]] int number() const noexcept { return number_; }

 private:
  int number_;
};

/// Bytes that are read from their beginning to their end.
class byte_stream {
 public:
  virtual ~byte_stream() = default;

  /// Waits for the first byte, but not longer than until `stop` is set. Returns: at least one byte, at most `size`; 0 at
  /// the end, or when stopped. Throws: read_error; what comes before the error was returned.
  virtual std::size_t read(char* to, std::size_t size, const std::atomic<bool>& stop) = 0;
};

/// An open file or standard input. Its functions throw read_error.
class input_file final : public byte_stream {
 public:
  explicit input_file(const std::string& path);  ///< "-" is standard input

  /// Reads what is there next.
  std::size_t read(char* to, std::size_t size, const std::atomic<bool>& stop) override;

  /// Whether a read would not wait, or would within so many milliseconds not wait any more.
  [[nodiscard]] bool is_ready(int milliseconds) const;

  /// Reads `size` bytes at a place, less only at the end of the file; for regular files, from several threads.
  std::size_t read_at(std::uint64_t offset, char* to, std::size_t size) const;

  [[nodiscard]] bool is_regular() const noexcept { return regular_; }

 private:
  descriptor file_;
  bool regular_ = false;
  // Of a regular file. The system's own position is left alone, so that it can be opened again.
  std::uint64_t position_ = 0;
  std::uint64_t size_ = 0;  // when it was opened
  bool has_ended_ = false;  // a read gave less than it might, up to that size
};

/// A file without a name that is gone when the program ends, made when it is first written. Lies in the folder that
/// TMPDIR names, or /tmp.
class temporary_file {
 public:
  /// Appends; from any thread. Returns: where. Throws: output_error, for example when the disk is full.
  std::uint64_t append(std::string_view bytes);

  /// As input_file::read_at; sees what was written before, also while another thread writes.
  /// Precondition: something was appended.
  std::size_t read_at(std::uint64_t offset, char* to, std::size_t size) const;

 private:
  std::mutex mutex_;
  std::optional<descriptor> file_;
  std::uint64_t size_ = 0;
};

/// Memory in a temporary file: the system keeps in memory what is in use, as far as there is room.
/// Throws: output_error, for example when the disk is full.
std::shared_ptr<void> memory_in_file(std::size_t size);

/// What the program may take, in bytes: the memory of the machine, or less where a control group (of Linux, version 1 or
/// 2, as containers have them), the address space (ulimit -v) or the data (ulimit -d) is limited. A guess where nothing
/// tells.
std::uint64_t available_memory();

bool is_terminal(std::FILE* file);

/// Creates a file that is not there yet, for its owner alone if `is_private`. Returns: nothing on failure, with errno.
std::FILE* create_file(const std::string& path, bool is_private);

/// Gives an open file the owner, the group and the rights of another one. Where it may not give the group, that gets no
/// rights.
void copy_rights(std::FILE* file, const std::string& from);

/// The file that a name stands for: where links lead to, even if nothing is there. Of links that loop it is one of them.
std::string link_target(const std::string& path);

/// What tells a file from all others, whichever of its names is given; links are the file that they lead to. Where nothing
/// is yet, it stands for what a file of that name would be. Empty for what no output replaces: folders, devices, pipes.
std::string identity_of_file(const std::string& path);

/// Whether an existing file may be written, and another one may take its name.
bool may_replace(const std::string& path);

/// Lets `replace()` put a file in a place, or another one in its place, with the owner, the group and the rights of the one
/// at `like`, as copy_rights() gives them. Meanwhile files that are created have no more rights than that one. For one
/// thread.
void replace_with_rights(const std::string& path, const std::string& like, const std::function<void()>& replace);

/// Ends the program as a closed pipe ends others, without a word; returns if whoever started it ignores that signal.
void end_by_closed_pipe();

/// Lets blocks of up to some megabytes, once freed, stay with the program for the next batch: to clear their pages anew
/// for each of them took a fifth of the time of hash.
void keep_freed_memory();

/// Ends the program with a message, and not by SIGBUS, if a file is cut off that it reads where it lies.
void say_lost_mappings();

/// Makes writing to a closed pipe an error of that write, not the end of the program; keeps files that are opened later
/// from taking the place of a stream that is closed.
void prepare_standard_streams();

}  // namespace command
