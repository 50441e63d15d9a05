// POSIX functions that the standard library lacks: reads that return the available bytes, reads at an offset, unnamed
// temporary files, terminals, and permissions of files.
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

/// An open file. The destructor closes the file, unless it is standard input.
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

/// A stream of bytes that is read from beginning to end.
class byte_stream {
 public:
  virtual ~byte_stream() = default;

  /// Reads the next bytes. Waits for the first byte, or until `stop` is set.
  /// Returns: the number of bytes, at least one and at most `size`. The result is 0 at the end, or if `stop` is set.
  /// Throws: read_error. All bytes before the error have been returned by earlier calls.
  virtual std::size_t read(char* to, std::size_t size, const std::atomic<bool>& stop) = 0;
};

/// An open file, or standard input. The constructor and reads throw read_error if the system reports an error.
class input_file final : public byte_stream {
 public:
  explicit input_file(const std::string& path);  ///< "-" is standard input

  std::size_t read(char* to, std::size_t size, const std::atomic<bool>& stop) override;

  /// Returns true if a read would return within `milliseconds` milliseconds.
  [[nodiscard]] bool is_ready(int milliseconds) const;

  /// Reads `size` bytes at an offset. Reads fewer bytes only at the end of the file.
  /// Precondition: the file is a regular file.
  /// Thread safety: several threads may call this function at once.
  std::size_t read_at(std::uint64_t offset, char* to, std::size_t size) const;

  [[nodiscard]] bool is_regular() const noexcept { return regular_; }

  /// Makes read() continue at `position`.
  /// Precondition: the file is a regular file.
  void seek(std::uint64_t position) noexcept {
    position_ = position;
    has_ended_ = false;
  }

 private:
  descriptor file_;
  bool regular_ = false;
  // The read position in a regular file. The file position of the system stays unchanged, so that another input_file
  // can read standard input again.
  std::uint64_t position_ = 0;
  std::uint64_t size_ = 0;  // size when the file was opened
  bool has_ended_ = false;  // true if a read at the end returned fewer bytes than requested
};

/// An unnamed file in the folder that TMPDIR names, or in /tmp. The first write creates the file. The file is gone when
/// the program ends.
class temporary_file {
 public:
  /// Appends bytes to the file.
  /// Thread safety: several threads may call this function at once.
  /// Returns: the offset of the bytes in the file.
  /// Throws: output_error, for example if the disk is full.
  std::uint64_t append(std::string_view bytes);

  /// Reads bytes that were written before. See input_file::read_at(). Another thread may write at the same time.
  /// Throws: output_error if the file was cut off.
  /// Precondition: append() was called before.
  void read_at(std::uint64_t offset, char* to, std::size_t size) const;

 private:
  std::mutex mutex_;
  std::optional<descriptor> file_;
  std::uint64_t size_ = 0;
};

/// Returns memory that is not initialised. For 2 MB and more, Linux is asked to use large pages. Clearing a large page
/// takes a fifth of the time of clearing small pages of the same total size.
std::shared_ptr<void> memory_of_large_pages(std::size_t size);

/// Returns memory that a temporary file backs. The system keeps the used parts in memory while there is space. It reads
/// other parts from the file, page by page, or more at a time after will_need().
/// Throws: output_error, for example if the disk is full.
std::shared_ptr<void> memory_in_file(std::size_t size);

/// Tells the system that the part [data, data + size) of memory_in_file() will be used soon.
void will_need(const void* data, std::size_t size) noexcept;

/// Returns the memory that the program may use, in bytes: the memory of the machine, or a smaller limit. A control
/// group of Linux (version 1 or 2, as for containers) may have a limit, and ulimit may limit the address space (-v) or
/// the data (-d). If the system gives no number, the result is a guess.
std::uint64_t available_memory();

bool is_terminal(std::FILE* file);

/// Creates a new file. If `is_private`, only the owner of the file may access it.
/// Returns: null on failure; errno is then set.
std::FILE* create_file(const std::string& path, bool is_private);

/// Waits until the written bytes of an open file are on the disk.
/// Returns: false on failure; errno is then set.
bool sync_file(std::FILE* file);

/// Waits until the name of a file is on the disk.
/// Returns: false on failure; errno is then set.
bool sync_folder_of(const std::string& path);

/// Gives an open file the owner, the group and the permissions of another file. If the group cannot be changed, the
/// group of the open file gets no permissions.
void copy_rights(std::FILE* file, const std::string& from);

/// Returns the file to which a link leads, even if this file does not exist. If links form a loop, returns one of the
/// links.
std::string link_target(const std::string& path);

/// Returns an identity of a file, which is the same for all names of the file. A link has the identity of the file to
/// which it leads. If the file does not exist, the identity is that of the file that would be created. The result is
/// empty for folders, devices and pipes, which an output does not replace, and below missing folders.
std::string identity_of_file(const std::string& path);

/// Returns true if an existing file may be written, and if another file may take its name. Otherwise errno is set.
bool may_replace(const std::string& path);

/// Calls `replace()`, which creates or replaces the file at `path`. This file then gets the owner, the group and the
/// permissions of the file at `like` (see copy_rights()). While `replace()` runs, new files have at most the
/// permissions of the file at `like`.
/// Thread safety: none.
void replace_with_rights(const std::string& path, const std::string& like, const std::function<void()>& replace);

/// Ends the program without a message, as other programs do when a pipe is closed. If SIGPIPE was ignored when the
/// program started, the function returns.
void end_by_closed_pipe();

/// Keeps freed blocks of up to some megabytes in the program, for the next batch. Otherwise the system would clear new
/// pages for each batch, which takes a fifth of the time of the verb `hash`. If the address space is limited (ulimit
/// -v), all threads allocate from one arena, because each further arena would reserve 64 MB of addresses.
void prepare_allocator();

/// Installs a handler for SIGBUS: if a mapped file is truncated, the program ends with a message.
void say_lost_mappings();

/// Ignores SIGPIPE, so that a write to a closed pipe fails with an error, and does not end the program. Also opens the
/// standard streams that are closed. Otherwise a file that is opened later could get the descriptor of a standard
/// stream.
void prepare_standard_streams();

}  // namespace command
