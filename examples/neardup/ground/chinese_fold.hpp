// Traditional and simplified Chinese characters as one, by the tables of OpenCC.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace command {

/// Writes each traditional character as the simplified one that OpenCC gives for it alone. So what stands beside a
/// character does not matter, and texts that were converted by whatever rules fold to the same.
class chinese_fold {
 public:
  /// The tables of the OpenCC that is installed, through its library, which is loaded when it is asked for.
  /// Throws: input_error if there is none.
  static chinese_fold of_opencc();

  /// Appends the folded text; what is no UTF-8 stays as it is. Complexity: linear.
  void append(std::string_view text, std::string& out) const;

  /// A digest of which character becomes which.
  [[nodiscard]] std::uint64_t identity() const noexcept { return identity_; }

 private:
  std::vector<char32_t> table_;  // by code point from U+3400 on: what it becomes
  std::uint64_t identity_ = 0;
};

}  // namespace command
