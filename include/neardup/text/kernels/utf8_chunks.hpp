// Cuts a stream of bytes where UTF-8 may be cut.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "../utf8.hpp"

namespace neardup::inline v0::detail {

/// Hands on text in pieces that never end inside a UTF-8 sequence, however the chunks were cut.
///
/// Decoding the pieces one by one gives exactly the code points of the whole text, replaced ones included.
class utf8_chunks {
 public:
  /// Calls `consume(piece)` for what is complete; keeps at most three bytes for the next chunk.
  template <class Consume>
  void feed(std::string_view chunk, Consume&& consume) {
    while (carried_size_ > 0 && !chunk.empty()) {
      carried_[carried_size_++] = chunk.front();
      chunk.remove_prefix(1);
      const std::string_view carried(carried_.data(), carried_size_);
      const std::size_t unfinished = incomplete_suffix(carried);
      const std::size_t complete = carried_size_ - unfinished;
      if (complete == 0) continue;
      const std::array<char, 4> piece = carried_;
      keep(carried.substr(complete));
      consume(std::string_view(piece.data(), complete));
    }
    if (chunk.empty()) return;
    const std::size_t complete = chunk.size() - incomplete_suffix(chunk);
    keep(chunk.substr(complete));
    if (complete > 0) consume(chunk.substr(0, complete));
  }

  /// Ends the text: an unfinished sequence is handed on as it is, and reads as ill-formed.
  template <class Consume>
  void finish(Consume&& consume) {
    const std::array<char, 4> piece = carried_;
    const std::size_t size = carried_size_;
    reset();
    if (size > 0) consume(std::string_view(piece.data(), size));
  }

  void reset() noexcept { carried_size_ = 0; }

 private:
  void keep(std::string_view bytes) noexcept {
    for (std::size_t i = 0; i < bytes.size(); ++i) carried_[i] = bytes[i];
    carried_size_ = bytes.size();
  }

  std::array<char, 4> carried_{};
  std::size_t carried_size_ = 0;
};

}  // namespace neardup::inline v0::detail
