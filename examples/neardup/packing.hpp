// Compressed files: .gz by zlib, .zst by libzstd, each as far as the program is built with it; and UTF-16.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>

namespace command {

/// What can be wrong with what is in a file.
enum class content_problem {
  cut_off = 1,
  corrupt,
  followed_by_something_else,
  not_gzip,
  not_zstd,
  no_zlib,
  no_libzstd,
  window_too_large,
  no_memory_for_window,
  binary
};
std::error_code make_error_code(content_problem problem);

/// Reads the next bytes of a compressed file, as input_file::read does.
using raw_reader = std::function<std::size_t(char* to, std::size_t size)>;

/// Unpacks while it reads.
class unpacker {
 public:
  unpacker() = default;
  virtual ~unpacker() = default;
  unpacker(const unpacker&) = delete;
  unpacker& operator=(const unpacker&) = delete;

  /// Returns: at least one byte, and 0 at the end, or when `raw` was stopped, which `stopped` then says.
  /// Throws: std::system_error with a content_problem; what comes before it in the file was returned.
  virtual std::size_t read(char* to, std::size_t size, const raw_reader& raw, const std::function<bool()>& stopped) = 0;
};

/// The longest beginning that tells how a file is packed.
inline constexpr std::size_t longest_magic = 4;

/// Whether these may be the first bytes of a packed file, of which more are to come.
bool may_begin_packed(std::string_view beginning);

/// By the first bytes of a file, at least longest_magic if it is as long. UTF-16 with a byte order mark counts as packed,
/// and becomes UTF-8. Returns: nothing if it is not packed.
/// Throws: std::system_error if it is, and the program is built without what it needs; or if it is not and `name` ends
/// in .gz or .zst.
std::unique_ptr<unpacker> make_unpacker(std::string_view beginning, const std::string& name);

/// Packs what is written.
class packer {
 public:
  enum class mode {
    more,
    flush,  ///< so that all that came can be unpacked
    finish
  };

  packer() = default;
  virtual ~packer() = default;
  packer(const packer&) = delete;
  packer& operator=(const packer&) = delete;

  /// Returns: what is to be written now; it is there until the next call.
  virtual std::string_view pack(std::string_view bytes, mode how) = 0;
};

/// By the end of a file's name. Returns: nothing for any but .gz and .zst. Throws: usage_error if the program is built
/// without what it needs.
std::unique_ptr<packer> make_packer(const std::string& name);

}  // namespace command

template <>
struct std::is_error_code_enum<command::content_problem> : std::true_type {};
