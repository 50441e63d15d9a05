// Folds traditional Chinese characters to simplified characters, with the tables of OpenCC.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace command {

/// Replaces each traditional character by the simplified character that OpenCC gives for the single character. So the
/// result does not depend on neighbouring characters. If two programs have converted a text by different rules, both
/// results fold to the same text.
class chinese_fold {
 public:
  /// Reads the tables of the installed OpenCC. The library of OpenCC is loaded when it is needed.
  /// Throws: input_error if OpenCC is not installed.
  static chinese_fold of_opencc();

  /// Appends the folded text to `out`. Ill-formed UTF-8 is unchanged.
  /// Complexity: linear in the length of the text.
  void append(std::string_view text, std::string& out) const;

  /// Returns a digest of the table of replacements.
  [[nodiscard]] std::uint64_t identity() const noexcept { return identity_; }

 private:
  std::vector<char32_t> table_;  // for each code point from U+3400 on: its replacement
  std::uint64_t identity_ = 0;
};

}  // namespace command
