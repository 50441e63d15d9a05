// Decompresses .gz by zlib and .zst by libzstd, each if the program is built with it; and converts UTF-16.
#pragma once

#include <exception>
#include <utility>

#include "platform.hpp"

namespace command {

/// A stream that allows to look at the next bytes before they are read.
class peeking_stream final : public byte_stream {
 public:
  explicit peeking_stream(std::shared_ptr<byte_stream> from) : from_(std::move(from)) {}

  /// The next bytes: `size` of them; fewer at the end, or when `stop` is set.
  std::string_view peek(std::size_t size, const std::atomic<bool>& stop);

  /// Whether there are bytes that were peeked at and not read yet.
  [[nodiscard]] bool has_peeked() const noexcept { return !ahead_.empty(); }

  std::size_t read(char* to, std::size_t size, const std::atomic<bool>& stop) override;

  /// Lets the next call throw an error again that peek() has thrown.
  void throw_again(std::exception_ptr failure) noexcept { failure_ = std::move(failure); }

 private:
  [[noreturn]] void throw_failure();

  std::shared_ptr<byte_stream> from_;
  std::string ahead_;
  bool ended_ = false;
  std::exception_ptr failure_;  // thrown when everything before it was returned
};

/// The treatment of a file that is not text (see foreign_format()).
enum class when_foreign {
  refuse,
  read  ///< its bytes, unchanged
};

/// The treatment of a damaged member of a compressed file (for zstd, a frame).
enum class when_damaged {
  stop,
  go_on,            ///< continue with the next intact member; a gap_error reports the loss
  go_on_when_whole  ///< the same; but return content of a member only after its checksum is verified
};

/// The content of a file, judged by its first bytes: decompressed, and UTF-16 with a byte order mark as UTF-8. Returns:
/// `file` if it is neither.
/// Throws: foreign_file; read_error, now or when it is read, also if the program is built without the necessary
/// library, or if the file is not compressed and `name` ends in .gz or .zst.
std::shared_ptr<peeking_stream> unpacked(const std::shared_ptr<peeking_stream>& file, const std::string& name,
                                         when_foreign foreign, when_damaged damaged, const std::atomic<bool>& stop);

/// Compresses output.
class packer {
 public:
  enum class mode {
    more,
    flush,  ///< makes everything so far decompressible
    finish
  };

  virtual ~packer() = default;

  /// Compresses further bytes. Returns: the compressed bytes to write now, perhaps none; valid until the next call.
  virtual std::string_view pack(std::string_view bytes, mode how) = 0;
};

/// Chooses by the ending of a file's name. Returns: null unless it is .gz or .zst. Throws: usage_error if the program
/// is built without the necessary library, or if the name promises another format of compression.
std::unique_ptr<packer> make_packer(const std::string& name);

}  // namespace command
