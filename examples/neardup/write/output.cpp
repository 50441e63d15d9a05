#include "output.hpp"

#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "../ground/errors.hpp"
#include "../ground/platform.hpp"

namespace command {

namespace {

constexpr std::size_t buffer_size = std::size_t{1} << 16;

/// Creates the first of PATH.partial, PATH.partial.1 and so on that exists neither as a file nor as a link. Sets
/// `partial` to its path, and `unfinished`, which removes it if a signal ends the program.
/// Returns: null if no file can be created; errno has the reason.
std::FILE* create_partial(const std::string& path, bool is_private, std::string& partial, unfinished_file& unfinished) {
  constexpr int most = 1000;
  std::FILE* file = nullptr;
  unfinished = unfinished_file([&] {
    for (int i = 0; i < most; ++i) {
      partial = path + ".partial" + (i == 0 ? "" : '.' + std::to_string(i));
      file = create_file(partial, is_private);
      if (file != nullptr || errno != EEXIST) break;
    }
    return file != nullptr ? partial : std::string();
  });
  return file;
}

[[noreturn]] void refuse_output(const std::string& path, const std::string& why) {
  throw output_error(path + ": cannot be written: " + why);
}

/// Returns the type of the file at `target`, which an output replaces.
/// Throws: output_error, which names `path`, if this file cannot be replaced.
std::filesystem::file_type type_of_target(const std::string& path, const std::string& target) {
  std::error_code error;
  const std::filesystem::file_type type = std::filesystem::status(target, error).type();
  if (type == std::filesystem::file_type::none) refuse_output(path, error.message());
  if (type == std::filesystem::file_type::directory) refuse_output(path, "it is a folder");
  if (type == std::filesystem::file_type::regular && !may_replace(target)) refuse_output(path, std::strerror(errno));
  return type;
}

}  // namespace

void check_output(const std::string& path) {
  if constexpr (std::endian::native != std::endian::little) {
    refuse_output(path, "neardup writes files of its own on little-endian machines only");
  }
  namespace fs = std::filesystem;
  const std::string target = link_target(path);
  const fs::file_type type = type_of_target(path, target);
  if (type != fs::file_type::regular && type != fs::file_type::not_found) refuse_output(path, "it is no regular file");
  std::string partial;
  unfinished_file unfinished;
  // With the digits, the name is about as long as the temporary names of the library.
  std::FILE* const file = create_partial(target + ".1234567890", true, partial, unfinished);
  if (file == nullptr) refuse_output(path, std::strerror(errno));
  std::fclose(file);
  std::error_code ignored;
  fs::remove(partial, ignored);
}

void save_whole(const std::string& path, const std::function<void(const std::string&)>& save) {
  save_whole(path, link_target(path), save);
}

void save_whole(const std::string& path, const std::string& like, const std::function<void(const std::string&)>& save) {
  const std::string target = link_target(path);
  const unfinished_file unfinished = unfinished_file::beside(target);
  try {
    replace_with_rights(target, like, [&] { save(target); });
  } catch (const std::runtime_error& error) {
    throw output_error(error.what());
  }
}

output::output(const std::string& path) : name_(path.empty() ? "standard output" : path), file_(stdout) {
  if (!path.empty()) open(path);
  std::setvbuf(file_, nullptr, _IONBF, 0);
  buffer_.reserve(buffer_size);
}

void output::open(const std::string& path) {
  namespace fs = std::filesystem;
  target_ = link_target(path);
  pack_ = make_packer(path);
  const fs::file_type type = type_of_target(path, target_);
  if (type == fs::file_type::regular || type == fs::file_type::not_found) {
    replaces_ = type == fs::file_type::regular;
    file_ = create_partial(target_, replaces_, partial_, unfinished_);
  } else {
    file_ = std::fopen(path.c_str(), "wb");  // devices and pipes are not replaced
  }
  if (file_ == nullptr) refuse_output(path, std::strerror(errno));
}

output::~output() {
  // If close() was not called, for example after an exception, buffered bytes are written. Errors are not reported.
  if (!failed_ && file_ != nullptr && (begun_ || !buffer_.empty())) {
    try {
      write(buffer_, packer::mode::finish);
    } catch (const std::exception&) {
      failed_ = true;
    }
  }
  if (file_ == nullptr || file_ == stdout) return;
  std::fclose(file_);
  std::error_code error;
  if (!partial_.empty() && std::filesystem::is_empty(partial_, error) && !error) {
    std::filesystem::remove(partial_, error);
  }
}

void output::write(std::string_view bytes, packer::mode how) {
  if (bytes.empty() && how == packer::mode::more) return;
  begun_ = true;
  if (pack_ != nullptr) bytes = pack_->pack(bytes, how);
  if (!bytes.empty() && std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) fail();
}

output& output::operator<<(std::string_view bytes) {
  if (failed_) return *this;
  size_ += bytes.size();
  if (buffer_.size() + bytes.size() > buffer_size) {
    write(buffer_, packer::mode::more);
    buffer_.clear();
    if (bytes.size() >= buffer_size) {
      write(bytes, packer::mode::more);
      return *this;
    }
  }
  buffer_.append(bytes);
  return *this;
}

void output::flush() {
  if (failed_ || buffer_.empty()) return;
  write(buffer_, packer::mode::flush);
  buffer_.clear();
}

void output::close(bool on_disk) {
  if (failed_ || file_ == nullptr) return;
  write(buffer_, packer::mode::finish);
  buffer_.clear();
  if (std::fflush(file_) != 0) fail();
  if (file_ == stdout) return;
  if (replaces_) copy_rights(file_, target_);
  on_disk = on_disk && !partial_.empty();
  if (on_disk && !sync_file(file_)) fail();
  const int status = std::fclose(file_);
  file_ = nullptr;
  if (status != 0) fail();
  if (partial_.empty()) return;
  std::error_code error;
  std::filesystem::rename(partial_, target_, error);
  unfinished_.finish();
  if (error) throw output_error(name_ + ": cannot be written: " + error.message() + "; the result is in " + partial_);
  if (on_disk && !sync_folder_of(target_)) fail();
}

void output::fail() {
  const int error = errno;
  failed_ = true;
  if (error == EPIPE) {
    const std::string text = name_ + " was closed by its reader before all was written";
    if (file_ == stdout) throw reader_gone(text);
    throw output_error(text);
  }
  throw output_error(name_ + ": cannot be written: " + std::strerror(error));
}

}  // namespace command
