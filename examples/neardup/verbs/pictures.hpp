// Pictures on a page for a browser.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace command {

/// Puts pictures into a page as data, up to a limit, so that the page needs no other file.
class picture_reader {
 public:
  /// Returns the picture in the file `name` as a data URL. It is empty if there is no such file, if browsers do not
  /// show the picture, or if the pictures so far have reached the limit. A relative name begins at `folder`, or, if no
  /// file is there, at the working directory. A picture that is read again counts again.
  std::string url_of(const std::string& name, const std::string& folder);

  /// Returns the number of pictures that exceeded the limit.
  [[nodiscard]] std::uint64_t left_out() const noexcept { return left_out_; }
  /// Returns the number of names without a file, and the first of them.
  [[nodiscard]] std::uint64_t missing() const noexcept { return missing_; }
  [[nodiscard]] const std::string& first_missing() const noexcept { return first_missing_; }

  static constexpr std::uint64_t most_bytes = 100'000'000;

 private:
  std::uint64_t bytes_ = 0, left_out_ = 0, missing_ = 0;
  std::string first_missing_;
};

}  // namespace command
