// Pictures on a page for a browser.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace command {

/// Puts pictures into a page as data, up to a limit, so that the page needs no other file.
class picture_reader {
 public:
  /// The picture in the file `path` as a data URL; empty if there is no such file, it is no picture that browsers show,
  /// or the pictures so far take all of the room. A picture that is read again takes room again.
  std::string url_of(const std::string& path);

  /// The number of pictures for which there was no room.
  [[nodiscard]] std::uint64_t left_out() const noexcept { return left_out_; }

  static constexpr std::uint64_t most_bytes = 100'000'000;

 private:
  std::uint64_t bytes_ = 0, left_out_ = 0;
};

}  // namespace command
