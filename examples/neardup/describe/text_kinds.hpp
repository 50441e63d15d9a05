// Detects the kinds of the documents' texts, to recommend features.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace command {

/// Recommended features, and the reason to try them.
struct feature_hint {
  std::string features;
  std::uint64_t documents, seen;  ///< number of documents that suggest the features; number of documents examined
  std::string reason;
};

/// Counts the documents of each kind. A kind is detected from the first 4,096 bytes of a document.
class text_kinds {
 public:
  void add(std::string_view text);

  /// Returns a hint for each kind that more than half of the documents have. For texts that can be spelt in several
  /// ways, more than 5 % suffice.
  [[nodiscard]] std::vector<feature_hint> hints() const;

 private:
  std::uint64_t seen_ = 0, code_ = 0, timed_ = 0, han_ = 0, unspaced_ = 0, spelt_ = 0;
};

}  // namespace command
