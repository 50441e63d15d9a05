// POSIX functions that the standard library lacks: reads that return what is available, reads at an offset, unnamed
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

/// An open file, closed by the destructor unless it is standard input.
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

/// Bytes that are read from beginning to end.
class byte_stream {
 public:
  virtual ~byte_stream() = default;

  /// Waits for the first byte, or until `stop` is set.
  /// Returns: at least one byte and at most `size`; 0 at the end, or when stopped.
  /// Throws: read_error, after everything before the error was returned.
  virtual std::size_t read(char* to, std::size_t size, const std::atomic<bool>& stop) = 0;
};

/// An open file or standard input. Its functions throw read_error.
class input_file final : public byte_stream {
 public:
  explicit input_file(const std::string& path);  ///< "-" is standard input

  /// Reads the bytes that are available next.
  std::size_t read(char* to, std::size_t size, const std::atomic<bool>& stop) override;

  /// Returns true if a read would return within this many milliseconds.
  [[nodiscard]] bool is_ready(int milliseconds) const;

  /// Reads `size` bytes at an offset, fewer only at the end of the file.
  /// Precondition: the file is regular.
  /// Thread safety: callable from several threads.
  std::size_t read_at(std::uint64_t offset, char* to, std::size_t size) const;

  [[nodiscard]] bool is_regular() const noexcept { return regular_; }

 private:
  descriptor file_;
  bool regular_ = false;
  // The read position in a regular file. The system's file position is not changed, so that the file can be opened
  // again.
  std::uint64_t position_ = 0;
  std::uint64_t size_ = 0;  // size when the file was opened
  bool has_ended_ = false;  // true if a read at the end returned less than it could have
};

/// An unnamed file in the folder of TMPDIR, or in /tmp. The first write creates it, and it is gone when the program
/// ends.
class temporary_file {
 public:
  /// Appends.
  /// Thread safety: callable from any thread.
  /// Returns: the offset.
  /// Throws: output_error, for example if the disk is full.
  std::uint64_t append(std::string_view bytes);

  /// Reads bytes that were written before, as input_file::read_at does, even while another thread writes.
  /// Precondition: something was appended.
  std::size_t read_at(std::uint64_t offset, char* to, std::size_t size) const;

 private:
  std::mutex mutex_;
  std::optional<descriptor> file_;
  std::uint64_t size_ = 0;
};

/// Returns memory backed by a temporary file. The system keeps the used parts in memory, as far as there is space. It
/// reads other parts again, page by page; will_need() reads more at a time.
/// Throws: output_error, for example if the disk is full.
std::shared_ptr<void> memory_in_file(std::size_t size);

/// Announces to the system that this part of memory_in_file() is used next. `data`: an address in it.
void will_need(const void* data, std::size_t size) noexcept;

/// Returns the memory that the program may use, in bytes: the memory of the machine, or a smaller limit. Such limits
/// are those of a control group of Linux (version 1 or 2, as for containers), of the address space (ulimit -v) and of
/// the data (ulimit -d). The result is a guess if the system gives no number.
std::uint64_t available_memory();

bool is_terminal(std::FILE* file);

/// Creates a new file. If `is_private`, only its owner may access it.
/// Returns: null on failure, with errno set.
std::FILE* create_file(const std::string& path, bool is_private);

/// Waits until the written bytes of an open file are on the disk.
/// Returns: false on failure, with errno set.
bool sync_file(std::FILE* file);

/// Waits until the name of a file is on the disk.
/// Returns: false on failure, with errno set.
bool sync_folder_of(const std::string& path);

/// Gives an open file the owner, the group and the permissions of another file. If the group cannot be changed, the
/// group gets no permissions.
void copy_rights(std::FILE* file, const std::string& from);

/// Returns the file to which links lead, even if it does not exist. If the links form a loop, returns one of the links.
std::string link_target(const std::string& path);

/// Identifies a file by any of its names. A link has the identity of the file to which it leads. For a file that does
/// not exist, identifies the file that would be created. Empty for targets that an output does not replace: folders,
/// devices, pipes.
std::string identity_of_file(const std::string& path);

/// Returns true if an existing file may be written, and another file may take its name.
bool may_replace(const std::string& path);

/// Calls `replace()`, which creates or replaces a file. The file then has the owner, the group and the permissions of
/// the file at `like`, as copy_rights() sets them. Files created meanwhile have no more permissions than the file at
/// `like`.
/// Thread safety: none.
void replace_with_rights(const std::string& path, const std::string& like, const std::function<void()>& replace);

/// Ends the program silently, as a closed pipe ends other programs. Returns if SIGPIPE was ignored when the program
/// started.
void end_by_closed_pipe();

/// Keeps freed blocks of up to some megabytes in the program for the next batch. Clearing their pages again for each
/// batch took a fifth of the time of `hash`. If the address space is limited (ulimit -v), all threads allocate from one
/// arena, because each further arena would reserve 64 MB of addresses.
void prepare_allocator();

/// Makes the program end with a message, not by SIGBUS, if a mapped file is truncated.
void say_lost_mappings();

/// Ignores SIGPIPE, so that a write to a closed pipe fails with an error and does not end the program. Also opens closed
/// standard streams, so that no file that is opened later gets the descriptor of a standard stream.
void prepare_standard_streams();

}  // namespace command
