// Reads pictures, to show them on a page for a browser.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace command {

/// Converts pictures to data URLs, so that a page needs no other file. The size of all pictures is limited.
class picture_reader {
 public:
  /// Returns the picture in the file `name` as a data URL. The result is empty if there is no such file, if browsers do
  /// not show such pictures, or if the picture would exceed the limit. A relative name is relative to `folder`
  /// or, if there is no such file, to the working directory. A picture counts each time it is read.
  std::string url_of(const std::string& name, const std::string& folder);

  /// Returns how many pictures were left out because of the limit.
  [[nodiscard]] std::uint64_t left_out() const noexcept { return left_out_; }
  /// missing(): the number of names for which there is no file. first_missing(): the first such name.
  [[nodiscard]] std::uint64_t missing() const noexcept { return missing_; }
  [[nodiscard]] const std::string& first_missing() const noexcept { return first_missing_; }

  static constexpr std::uint64_t most_bytes = 100'000'000;

 private:
  std::uint64_t bytes_ = 0, left_out_ = 0, missing_ = 0;
  std::string first_missing_;
};

}  // namespace command
