#include "output.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <neardup/text/utf8.hpp>
#include <system_error>

#include "errors.hpp"

namespace command {

namespace {

constexpr std::size_t buffer_size = std::size_t{1} << 16;
constexpr std::string_view hex_digits = "0123456789abcdef";

/// Creates PATH.partial, or PATH.partial.1 and so on: the first that is not there, as a file or as a link.
/// Returns: nothing if none can be, and errno says why.
std::FILE* create_partial(const std::string& path, std::string& partial) {
  constexpr int most = 1000;
  for (int i = 0; i < most; ++i) {
    partial = path + ".partial" + (i == 0 ? "" : '.' + std::to_string(i));
    std::FILE* const file = std::fopen(partial.c_str(), "wbx");
    if (file != nullptr || errno != EEXIST) return file;
  }
  return nullptr;
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

/// `numbered` begins the escape of what has no letter of its own.
void append_escaped(std::string& out, char c, const char* numbered) {
  switch (c) {
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    default: break;
  }
  out += numbered;
  out += hex_digits[static_cast<unsigned char>(c) >> 4];
  out += hex_digits[static_cast<unsigned char>(c) & 15];
}

}  // namespace

output::output(const std::string& path) : name_(path.empty() ? "standard output" : path), file_(stdout) {
  if (!path.empty()) {
    std::error_code error;
    const auto type = std::filesystem::status(path, error).type();
    // Devices and pipes are written as they are.
    if (type == std::filesystem::file_type::regular || type == std::filesystem::file_type::not_found) {
      file_ = create_partial(path, partial_);
    } else {
      file_ = std::fopen(path.c_str(), "wb");
    }
    if (file_ == nullptr) throw output_error(path + ": cannot be written: " + std::strerror(errno));
  }
  std::setvbuf(file_, nullptr, _IONBF, 0);
  buffer_.reserve(buffer_size);
}

output::~output() {
  // After an error elsewhere: what was printed before it is not lost. Its own errors have no one to hear them.
  if (!failed_ && !buffer_.empty()) static_cast<void>(std::fwrite(buffer_.data(), 1, buffer_.size(), file_));
  if (file_ == nullptr || file_ == stdout) return;
  std::fclose(file_);
  std::error_code error;
  if (!partial_.empty() && std::filesystem::is_empty(partial_, error) && !error) {
    std::filesystem::remove(partial_, error);
  }
}

output& output::operator<<(std::string_view bytes) {
  if (failed_) return *this;
  if (buffer_.size() + bytes.size() > buffer_size) {
    flush();
    if (bytes.size() >= buffer_size) {
      if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) fail();
      return *this;
    }
  }
  buffer_.append(bytes);
  return *this;
}

void output::flush() {
  if (failed_ || buffer_.empty()) return;
  if (std::fwrite(buffer_.data(), 1, buffer_.size(), file_) != buffer_.size()) fail();
  buffer_.clear();
}

void output::close() {
  flush();
  if (failed_) return;
  if (std::fflush(file_) != 0) fail();
  if (file_ == stdout) return;
  const int status = std::fclose(file_);
  file_ = nullptr;
  if (status != 0) fail();
  if (partial_.empty()) return;
  std::error_code error;
  // A link keeps leading to the file that it led to.
  std::filesystem::path target = std::filesystem::canonical(name_, error);
  if (error) target = name_;
  std::filesystem::rename(partial_, target, error);
  if (error) throw output_error(name_ + ": cannot be written: " + error.message() + "; the result is in " + partial_);
}

void output::fail() {
  const int error = errno;
  failed_ = true;
  if (error == EPIPE) throw output_error(name_ + " was closed by its reader before all was written");
  throw output_error(name_ + ": cannot be written: " + std::strerror(error));
}

std::string json_string(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const neardup::decoded next = neardup::decode_one(text);
    const char c = text.front();
    if (!next.valid) {
      out += "\xEF\xBF\xBD";
    } else if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (is_control(c)) {
      append_escaped(out, c, "\\u00");
    } else {
      out += text.substr(0, next.length);
    }
    text.remove_prefix(next.length);
  }
  return out + '"';
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (is_control(c)) {
      append_escaped(out, c, "\\x");
    } else {
      out += c;
    }
  }
  return out;
}

std::string number(double value) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::general, 6);
  return {digits.data(), end.ptr};
}

std::string fixed(double value, int digits) {
  std::array<char, 400> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, digits);
  return {text.data(), end.ptr};
}

std::string similarity_text(double value) {
  // 1e-9: what rounding of a quotient may have taken away.
  return fixed(std::floor(value * 1000 + 1e-9) / 1000, 3);
}

std::string grouped(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t i = digits.size(); i > 3;) digits.insert(i -= 3, 1, ',');
  return digits;
}

std::string counted(std::uint64_t count, std::string_view singular, std::string_view plural) {
  return grouped(count) + ' ' + std::string(count == 1 ? singular : plural);
}

}  // namespace command
