// Decompresses .gz with zlib and .zst with libzstd, if the program is built with these libraries. Also converts UTF-16.
#pragma once

#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "platform.hpp"

namespace command {

/// A stream whose next bytes can be examined before they are read (peeking).
class peeking_stream final : public byte_stream {
 public:
  explicit peeking_stream(std::shared_ptr<byte_stream> from) : from_(std::move(from)) {}

  /// Returns the next `size` bytes. Returns fewer bytes at the end of the stream, or if `stop` is set meanwhile.
  std::string_view peek(std::size_t size, const std::atomic<bool>& stop);

  /// Returns true if some bytes were examined, but not read yet.
  [[nodiscard]] bool has_peeked() const noexcept { return !ahead_.empty(); }

  std::size_t read(char* to, std::size_t size, const std::atomic<bool>& stop) override;

  /// Makes the next peek() or read() throw `failure`, which peek() has already thrown.
  void throw_again(std::exception_ptr failure) noexcept { failure_ = std::move(failure); }

 private:
  [[noreturn]] void throw_failure();

  std::shared_ptr<byte_stream> from_;
  std::string ahead_;
  bool ended_ = false;
  std::exception_ptr failure_;  // thrown after all bytes before the error were returned
};

/// The treatment of a file that is not text (see foreign_format()).
enum class when_foreign {
  refuse,
  read  ///< its bytes, unchanged
};

/// The treatment of a damaged member of a compressed file. For zstd, a member is a frame.
enum class when_damaged {
  stop,
  /// Return the content of a member only after its checksum is verified. After a damaged member, continue with the next
  /// whole member; a gap_error reports the loss.
  go_on
};

/// The places where U+FFFD replaces an ill-formed unit of a UTF-16 file (a lone surrogate or half a unit), as positions
/// in the UTF-8 text.
/// Thread safety: several threads may call all members at once.
class ill_formed_places {
 public:
  /// Adds the bytes [begin, end). No-op for bytes that were added before, as when the file is read again.
  /// Precondition: new bytes are added in ascending order.
  void add(std::uint64_t begin, std::uint64_t end);

  /// Returns true if at least one of the bytes [begin, end) was added.
  [[nodiscard]] bool any_in(std::uint64_t begin, std::uint64_t end) const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> places_;  // [begin, end), disjoint and sorted
};

enum class byte_order { little, big };

/// Returns the content of `file`, a stream of `opened`: decompressed, and UTF-16 converted to UTF-8. The first bytes
/// show the format. A file is UTF-16 if it begins with a byte order mark. If `unmarked` is set, a file without a mark
/// is UTF-16 in this byte order. Returns `file` if it is neither compressed nor UTF-16. While UTF-16 is read, the
/// places of ill-formed units are added to `utf16`. For other files, `utf16` does not change.
/// Throws: foreign_file for a foreign format, unless `foreign` is when_foreign::read. Throws read_error, in this call
/// or when the content is read, if the file cannot be read or unpacked, if the necessary library is missing, or if the
/// file is not compressed although `name` ends in .gz or .zst.
std::shared_ptr<peeking_stream> unpacked(const std::shared_ptr<input_file>& opened,
                                         const std::shared_ptr<peeking_stream>& file, const std::string& name,
                                         when_foreign foreign, when_damaged damaged, std::optional<byte_order> unmarked,
                                         std::shared_ptr<ill_formed_places>& utf16, const std::atomic<bool>& stop);

class packer {
 public:
  enum class mode {
    more,
    flush,  ///< makes all bytes so far decompressible
    finish
  };

  virtual ~packer() = default;

  /// Compresses the next bytes.
  /// Returns: the compressed bytes that have to be written now, perhaps none. The result is valid until the next call.
  virtual std::string_view pack(std::string_view bytes, mode how) = 0;
};

/// Makes a packer for the ending of the file name `name`.
/// Returns: null if the ending is neither .gz nor .zst.
/// Throws: usage_error if the program is built without the necessary library, or if the name suggests another format of
/// compression.
std::unique_ptr<packer> make_packer(const std::string& name);

}  // namespace command
