#include "file_header.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>

namespace command {

namespace {

constexpr std::size_t header_size = 64;  // size of the fixed part

constexpr std::string_view file_magic("\x89NDUP\r\n\x1a", 8), log_magic("\x89NDUL\r\n\x1a", 8);

/// Returns true if `beginning` has more than half of the magic bytes, but lacks some, or has fewer than 16 bytes. A log
/// is not damaged, although its magic bytes differ in one byte.
bool is_damaged(std::string_view beginning) {
  if (beginning.starts_with(log_magic)) return false;
  std::size_t same = 0;
  for (std::size_t i = 0; i < std::min(file_magic.size(), beginning.size()); ++i) {
    if (beginning[i] == file_magic[i]) ++same;
  }
  return 2 * same > file_magic.size() &&
         !(beginning.starts_with(file_magic) && beginning.size() >= 2 * file_magic.size());
}

/// Returns the first bytes of a file.
/// Throws: input_error if the file cannot be opened.
std::string beginning_of(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) throw input_error({path, "cannot be opened: " + std::generic_category().message(errno)});
  std::string bytes(header_size, '\0');
  bytes.resize(std::fread(bytes.data(), 1, bytes.size(), file.get()));
  return bytes;
}

}  // namespace

std::optional<stored_fingerprints> parse_header(std::string_view beginning) {
  if (beginning.size() < 2 * file_magic.size() || !beginning.starts_with(file_magic)) return std::nullopt;
  const auto number = [&](std::size_t begin, std::size_t end) {
    std::uint64_t value = 0;
    for (end = std::min(end, beginning.size()); end-- > begin;) {
      value = value << 8 | static_cast<unsigned char>(beginning[end]);
    }
    return value;
  };
  const bool is_minwise = number(11, 12) == static_cast<std::uint64_t>(neardup::fingerprint_kind::minwise);
  return stored_fingerprints{static_cast<std::size_t>(number(12, 16)),
                             is_minwise ? neardup::fingerprint_kind::minwise : neardup::fingerprint_kind::simhash,
                             static_cast<int>(number(10, 11)), number(56, header_size)};
}

stored_fingerprints read_header(const std::string& path, std::string_view hint) {
  std::error_code error;
  const std::filesystem::file_type type = std::filesystem::status(path, error).type();
  if (type != std::filesystem::file_type::regular && std::filesystem::exists(path, error)) {
    throw input_error({path, "is no regular file"});  // reading a pipe might block forever
  }
  const std::string beginning = beginning_of(path);
  const auto header = parse_header(beginning);
  if (!header || beginning.size() < header_size) throw input_error({path, "not a file of neardup" + std::string(hint)});
  return *header;
}

std::optional<stored_fingerprints> header_of(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return std::nullopt;
  std::string beginning;
  try {
    beginning = beginning_of(path);
  } catch (const input_error&) {
    return std::nullopt;
  }
  if (is_damaged(beginning)) throw input_error({path, "is damaged: it begins almost like a file of neardup's"});
  return parse_header(beginning);
}

}  // namespace command
