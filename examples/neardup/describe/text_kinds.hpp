// What kind of texts documents are, as far as that says which features to try.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace command {

/// Features to try, and why.
struct feature_hint {
  std::string features;
  std::uint64_t documents, seen;  ///< how many speak for them, of how many
  std::string reason;
};

/// Counts the kinds of documents by their first 4,096 bytes.
class text_kinds {
 public:
  void add(std::string_view text);

  /// Of each kind that more than half of the documents are of. Of texts that canonical features make equal 5 % suffice.
  [[nodiscard]] std::vector<feature_hint> hints() const;

 private:
  std::uint64_t seen_ = 0, code_ = 0, timed_ = 0, han_ = 0, unspaced_ = 0, spelt_ = 0;
};

}  // namespace command
