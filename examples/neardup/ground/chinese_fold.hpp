// Folds traditional Chinese characters to simplified ones, with the tables of OpenCC.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace command {

/// Replaces each traditional character by the simplified one that OpenCC gives for the single character. So the result
/// does not depend on neighbouring characters. Texts that were converted by different rules fold to the same text.
class chinese_fold {
 public:
  /// Reads the tables of the installed OpenCC through its library, which is loaded on demand.
  /// Throws: input_error if OpenCC is not installed.
  static chinese_fold of_opencc();

  /// Appends the folded text; ill-formed UTF-8 is unchanged.
  /// Complexity: linear.
  void append(std::string_view text, std::string& out) const;

  /// Returns a digest of the table.
  [[nodiscard]] std::uint64_t identity() const noexcept { return identity_; }

 private:
  std::vector<char32_t> table_;  // for each code point from U+3400 on: its replacement
  std::uint64_t identity_ = 0;
};

}  // namespace command
