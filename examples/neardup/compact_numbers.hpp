// Numbers of a few bytes each.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace command {

/// Numbers below 2^40, of which there are as many as documents: 5 bytes each.
class compact_numbers {
 public:
  /// Throws: std::length_error if the number does not fit.
  void push_back(std::uint64_t number) {
    std::array<std::uint8_t, bytes> digits{};
    for (std::uint8_t& digit : digits) {
      digit = static_cast<std::uint8_t>(number);
      number >>= 8;
    }
    if (number != 0) throw std::length_error("too much for numbers of 40 bits");
    digits_.push_back(digits);
  }

  [[nodiscard]] std::uint64_t operator[](std::size_t i) const noexcept {
    std::uint64_t number = 0;
    for (std::size_t b = bytes; b-- > 0;) number = number << 8 | digits_[i][b];
    return number;
  }

  [[nodiscard]] std::size_t size() const noexcept { return digits_.size(); }

 private:
  static constexpr std::size_t bytes = 5;

  std::vector<std::array<std::uint8_t, bytes>> digits_;
};

}  // namespace command
