// Compressed files: .gz by zlib, .zst by libzstd, each as far as the program is built with it; and UTF-16.
#pragma once

#include <exception>

#include "platform.hpp"

namespace command {

/// A stream with a look at what comes next before it is read.
class peeking_stream final : public byte_stream {
 public:
  explicit peeking_stream(std::shared_ptr<byte_stream> from) : from_(std::move(from)) {}

  /// The next bytes: as many as `size`, or fewer at the end, or when `stop` is set.
  std::string_view peek(std::size_t size, const std::atomic<bool>& stop);

  /// Whether there are bytes that were looked at and not yet read.
  [[nodiscard]] bool has_peeked() const noexcept { return !ahead_.empty(); }

  std::size_t read(char* to, std::size_t size, const std::atomic<bool>& stop) override;

 private:
  [[noreturn]] void throw_failure();

  std::shared_ptr<byte_stream> from_;
  std::string ahead_;
  bool ended_ = false;
  std::exception_ptr failure_;  // of reading ahead: it waits until what came before it was handed over
};

/// What to do with a file that is no text (see foreign_format()).
enum class when_foreign {
  refuse,
  read  ///< its bytes, as they are
};

/// What to do about a member of a packed file (a frame, with zstd) that is damaged.
enum class when_damaged {
  stop,
  go_on,            ///< with the next one that is whole: a gap_error stands for what is lost
  go_on_when_whole  ///< the same, and hand over what a member of up to some megabytes holds once its checksum is right
};

/// What is in a file, by its first bytes: unpacked, and of UTF-16 with a byte order mark as UTF-8. Returns: `file` if it
/// is neither packed nor UTF-16.
/// Throws: foreign_file; read_error, now or when it is read: also if the program is built without what it needs, or if
/// the file is not packed and `name` ends in .gz or .zst.
std::shared_ptr<peeking_stream> unpacked(const std::shared_ptr<peeking_stream>& file, const std::string& name,
                                         when_foreign foreign, when_damaged damaged, const std::atomic<bool>& stop);

/// Packs what is written.
class packer {
 public:
  enum class mode {
    more,
    flush,  ///< so that all that came can be unpacked
    finish
  };

  virtual ~packer() = default;

  /// Returns: what is to be written now; it is there until the next call.
  virtual std::string_view pack(std::string_view bytes, mode how) = 0;
};

/// By the end of a file's name. Returns: nothing for any but .gz and .zst. Throws: usage_error if the program is built
/// without what it needs, or if the name promises what another packer writes.
std::unique_ptr<packer> make_packer(const std::string& name);

}  // namespace command
