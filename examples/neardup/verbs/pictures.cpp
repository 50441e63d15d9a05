#include "pictures.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>

namespace command {

namespace {

/// Returns the media type that the first bytes of a picture show, or "" if browsers do not show such pictures.
std::string_view media_type_of(std::string_view beginning) {
  if (beginning.starts_with("\x89PNG\r\n\x1a\n")) return "image/png";
  if (beginning.starts_with("\xff\xd8\xff")) return "image/jpeg";
  if (beginning.starts_with("GIF87a") || beginning.starts_with("GIF89a")) return "image/gif";
  if (beginning.starts_with("RIFF") && beginning.substr(8).starts_with("WEBP")) return "image/webp";
  if (beginning.size() > 12 && beginning.substr(4).starts_with("ftypavif")) return "image/avif";
  if (beginning.starts_with("BM")) return "image/bmp";
  return "";
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view signs = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (; !bytes.empty(); bytes.remove_prefix(bytes.size() < 3 ? bytes.size() : 3)) {
    std::uint32_t three = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      three = three << 8 | (i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0U);
    }
    for (std::size_t i = 0; i < 4; ++i) text += i <= bytes.size() ? signs[three >> (18 - 6 * i) & 63U] : '=';
  }
  return text;
}

}  // namespace

std::string picture_reader::url_of(const std::string& name, const std::string& folder) {
  std::error_code error;
  std::filesystem::path path = std::filesystem::path(folder) / name;
  if (!std::filesystem::exists(path, error)) path = name;
  if (!std::filesystem::exists(path, error) && missing_++ == 0) first_missing_ = name;
  if (!std::filesystem::is_regular_file(path, error)) return "";  // a pipe might block forever
  std::ifstream file(path, std::ios::binary);
  std::string bytes(16, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  const std::string_view type = media_type_of(bytes);
  if (type.empty()) return "";
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error) return "";
  if (bytes_ + size > most_bytes) {
    ++left_out_;
    return "";
  }
  bytes.append(std::istreambuf_iterator<char>(file), {});
  bytes_ += bytes.size();
  return "data:" + std::string(type) + ";base64," + base64(bytes);
}

}  // namespace command
