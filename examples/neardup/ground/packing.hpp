// Decompresses .gz with zlib and .zst with libzstd, each if the program is built with it. Also converts UTF-16.
#pragma once

#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "platform.hpp"

namespace command {

/// A stream whose next bytes can be examined before they are read.
class peeking_stream final : public byte_stream {
 public:
  explicit peeking_stream(std::shared_ptr<byte_stream> from) : from_(std::move(from)) {}

  /// Returns the next bytes: `size` of them; fewer at the end, or when `stop` is set.
  std::string_view peek(std::size_t size, const std::atomic<bool>& stop);

  /// Returns true if there are bytes that were peeked at and not read yet.
  [[nodiscard]] bool has_peeked() const noexcept { return !ahead_.empty(); }

  std::size_t read(char* to, std::size_t size, const std::atomic<bool>& stop) override;

  /// Makes the next call throw an error that peek() has already thrown.
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

/// The places in the UTF-8 of a UTF-16 file where U+FFFD replaces a lone surrogate or half a unit.
/// Thread safety: may be used from any thread.
class ill_formed_places {
 public:
  /// Adds the bytes [begin, end), in ascending order. Known places, which occur because the file is read again, are
  /// ignored.
  void add(std::uint64_t begin, std::uint64_t end);

  /// Returns true if any of the bytes [begin, end) was added.
  [[nodiscard]] bool any_in(std::uint64_t begin, std::uint64_t end) const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> places_;  // [begin, end), disjoint and sorted
};

/// The byte order of UTF-16.
enum class byte_order { little, big };

/// Returns the content of a file, judged by its first bytes: decompressed, and UTF-16 as UTF-8. A file is UTF-16 if it
/// begins with a byte order mark. If `unmarked` is set, a file without a mark is UTF-16 in this byte order.
/// Returns: `file` if it is neither compressed nor UTF-16. While UTF-16 is read, `utf16` gets the places of ill-formed
/// units; it does not change for other files.
/// Throws: foreign_file; read_error, now or when the content is read. A read_error is also thrown if the program is
/// built without the necessary library, or if the file is not compressed and `name` ends in .gz or .zst.
std::shared_ptr<peeking_stream> unpacked(const std::shared_ptr<peeking_stream>& file, const std::string& name,
                                         when_foreign foreign, when_damaged damaged, std::optional<byte_order> unmarked,
                                         std::shared_ptr<ill_formed_places>& utf16, const std::atomic<bool>& stop);

/// Compresses output.
class packer {
 public:
  enum class mode {
    more,
    flush,  ///< makes everything so far decompressible
    finish
  };

  virtual ~packer() = default;

  /// Compresses further bytes.
  /// Returns: the compressed bytes to write now, perhaps none; valid until the next call.
  virtual std::string_view pack(std::string_view bytes, mode how) = 0;
};

/// Makes a packer for the ending of a file's name.
/// Returns: null unless it is .gz or .zst.
/// Throws: usage_error if the program is built without the necessary library, or if the name suggests another format of
/// compression.
std::unique_ptr<packer> make_packer(const std::string& name);

}  // namespace command
