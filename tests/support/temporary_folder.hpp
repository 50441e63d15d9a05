// A temporary folder for a test. The destructor removes it.
#pragma once

#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>

namespace support {

class temporary_folder {
 public:
  temporary_folder() {
    static std::atomic<unsigned> number{0};
    path_ = std::filesystem::temp_directory_path() /
            ("neardup_test_" + std::to_string(std::random_device{}()) + "_" + std::to_string(number.fetch_add(1)));
    std::filesystem::create_directories(path_);
  }
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;
  ~temporary_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  /// Returns the path of a file in the folder. `name` is appended as text, because std::filesystem::path on Windows
  /// takes the text before a colon for a drive. Tests also append messages with a colon.
  [[nodiscard]] std::string operator/(std::string_view name) const { return (path_ / "").string().append(name); }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  std::filesystem::path path_;
};

inline std::string read_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_bytes(const std::string& path, std::string_view bytes) {
  std::filesystem::remove(path);  // otherwise ext4 would wait for the disk
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace support
